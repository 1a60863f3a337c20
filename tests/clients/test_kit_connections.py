"""How bots in other languages find the service: what they are started with, TLS, and proxies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.certificates import certify
from tests.support.clients.languages import Language
from tests.support.dead_end_proxy import dead_end_proxy, proxied
from tests.support.folders import short_folder
from tests.support.kit.scripted import Hosted, Line
from tests.support.kit.scripted import Service as ScriptedService
from tests.support.patience import until
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.processes import Service


@pytest.mark.exhaustive
async def test_tls_is_spoken_where_an_authority_is_named_and_asked_for_where_it_is_missing(
    bot: Any, need_tool: Callable[[str], Path]
) -> None:
    openssl = need_tool("openssl")
    with short_folder() as place:
        cert, key = place / "cert.pem", place / "key.pem"
        certify(openssl, cert, key)
        with Service(place, "--tls-cert", str(cert), "--tls-key", str(key)) as service:
            service.start()
            address = f"localhost:{service.address.rpartition(':')[2]}"
            plain = bot(address, "no-such-token")
            assert await plain.ended() == 1
            assert "wants TLS: set FUDABA_TLS=1" in plain.log
            trusted = bot(address, "no-such-token", FUDABA_CA_CERT=str(cert))
            assert await trusted.ended() == 1
            assert "TOKEN_UNKNOWN" in trusted.log
            assert_no_fault(service)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("token", "environment", "words"),
    [
        ("", {}, "FUDABA_TOKEN"),
        ("two\nlines", {}, "FUDABA_TOKEN has blanks"),
        ("t", {"FUDABA_CA_CERT": "/nowhere/ca.pem"}, "/nowhere/ca.pem, which cannot be read"),
        ("t", {"FUDABA_CA_CERT": __file__}, "holds no certificate"),
        ("t", {"FUDABA_SERVER": "http://play.example.org"}, "write HOST:PORT"),
        ("t", {"FUDABA_CAPACITY": "many"}, "write how many matches at once"),
        ("t", {"FUDABA_CAPACITY": "1000001"}, "write how many matches at once"),
    ],
)
async def test_an_environment_that_cannot_be_used_is_told_in_one_line(
    bot: Any, token: str, environment: dict[str, str], words: str
) -> None:
    address = environment.get("FUDABA_SERVER", "127.0.0.1:1")
    process = bot(address, token, **{name: value for name, value in environment.items() if name != "FUDABA_SERVER"})
    assert await process.ended() == 2
    assert words in process.log
    assert process.log.count("\n") == 1


@pytest.mark.exhaustive
async def test_it_waits_for_a_service_that_is_not_there_yet(bot: Any) -> None:
    with short_folder() as place:
        process = bot(f"unix:{place}/s", "the-token")
        await until(lambda: "trying again" in process.log)

        async def script(line: Line) -> None:
            await line.welcome()
            await line.host(Hosted())

        late = ScriptedService(f"unix:{place}/s", [script])
        await late.start()
        await until(lambda: ": over, score" in process.log)
        await late.vanish()
        assert not late.faults


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
@pytest.mark.exhaustive
async def test_no_proxy_of_the_environment_is_on_the_way_to_this_machine(bot: Any, host: str) -> None:
    async def script(line: Line) -> None:
        await line.welcome()
        await line.host(Hosted())

    service = ScriptedService(f"{host}:0", [script])
    await service.start()
    with dead_end_proxy() as (url, asked):
        process = bot(service.address, "the-token", **proxied(url))
        await until(lambda: ": over, score" in process.log)
    assert asked == []
    await service.vanish()
    assert not service.faults


@pytest.mark.exhaustive
async def test_a_service_elsewhere_is_reached_through_the_proxy_which_is_named_without_its_password(
    bot: Any, language: Language
) -> None:
    with dead_end_proxy() as (url, asked):
        process = bot("fudaba.invalid:7710", "the-token", **proxied(url))
        await until(lambda: "trying again" in process.log)
        host = url.rpartition("@")[2]
    assert "secret" not in process.log
    if language.proxy:
        assert asked[0] == "CONNECT fudaba.invalid:7710"
        assert f", through the proxy {host} (from {language.proxy})); trying again in " in process.log
    else:
        assert asked == []
        assert "proxy" not in process.log


@pytest.mark.exhaustive
async def test_where_no_proxy_is_wanted_none_is_asked_or_named(bot: Any) -> None:
    with dead_end_proxy() as (url, asked):
        process = bot("fudaba.invalid:7710", "the-token", **proxied(url, "fudaba.invalid"))
        await until(lambda: "trying again" in process.log)
    assert asked == []
    assert "through the proxy" not in process.log
