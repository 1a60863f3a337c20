"""An HTTP proxy in the environment leads to services elsewhere, and never to this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fudaba.client import Client
from fudaba.errors import ServiceError
from tests.support.dead_end_proxy import PROXY_VARIABLES, dead_end_proxy
from tests.support.kit.scripted import First, Hosted, Service, ended, run
from tests.support.patience import PATIENCE

FUDABA = (sys.executable, "-c", "from fudaba.cli import main; main()")
NAMES = [name for lower in PROXY_VARIABLES for name in (lower, lower.upper())]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yields what the proxy was asked for that every variable names."""
    with dead_end_proxy() as (url, asked):
        for name in NAMES:
            monkeypatch.setenv(name, url)
        for name in ("no_proxy", "NO_PROXY", "no_grpc_proxy"):
            monkeypatch.delenv(name, raising=False)
        yield asked


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "unix"])
async def test_a_bot_reaches_this_machine_without_it(asked: list[str], tmp_path: Path, host: str) -> None:
    async def script(line: Any) -> None:
        await line.welcome()
        await line.host(Hosted())

    service = Service(f"unix:{tmp_path}/s" if host == "unix" else f"{host}:0", [script])
    await service.start()
    tally = await ended(run(First, service.options(matches=1)))
    await service.vanish()
    assert tally.finished == 1
    assert asked == []


def test_a_service_elsewhere_is_reached_through_it_and_the_error_names_it(asked: list[str]) -> None:
    with pytest.raises(ServiceError) as caught, Client("fudaba.invalid:7710") as client:
        client.catalog.ListGames(_games(), timeout=PATIENCE)
    assert asked[0] == "CONNECT fudaba.invalid:7710"
    assert "cannot reach the service at fudaba.invalid:7710, through the proxy 127.0.0.1:" in str(caught.value)
    assert "(from grpc_proxy)" in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("name", ["no_proxy", "no_grpc_proxy"])
def test_where_no_proxy_is_wanted_none_is_asked_or_named(
    asked: list[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "example.org, .invalid")
    with pytest.raises(ServiceError) as caught, Client("fudaba.invalid:7710") as client:
        client.catalog.ListGames(_games(), timeout=PATIENCE)
    assert asked == []
    assert "proxy" not in str(caught.value)


def _games() -> Any:
    from fudaba.v1 import catalog_pb2

    return catalog_pb2.ListGamesRequest()


EVERY_NAME = (*NAMES, "GRPC_PROXY_EXP")


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(EVERY_NAME, id="all"),
        *(
            pytest.param((name,), id=name, marks=pytest.mark.nightly("the same with all variables at once"))
            for name in EVERY_NAME
        ),
    ],
)
@pytest.mark.exhaustive
def test_a_match_on_a_service_of_this_machine_is_played_without_it(tmp_path: Path, names: tuple[str, ...]) -> None:
    pytest.importorskip("redis", reason="the service's extra is not installed")
    words = ["match", "local", "naga", "--bot", "first", "--bot", "first", "--option", "deals=1"]
    with dead_end_proxy() as (url, asked):
        env = {key: value for key, value in os.environ.items() if "proxy" not in key.lower()}
        env |= dict.fromkeys(names, url)
        done = subprocess.run([*FUDABA, *words], capture_output=True, text=True, env=env, cwd=tmp_path, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert asked == []
