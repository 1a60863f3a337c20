"""An HTTP proxy in the environment leads to gateways and providers elsewhere, and never to this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from fudaba_web.openid import LoginFailed, OpenId
from fudaba_web.settings import Provider
from tests.support.dead_end_proxy import PROXY_VARIABLES, dead_end_proxy
from tests.support.service.processes import Service
from tests.support.web.bots import BOT, register
from tests.support.web.gateways import Gateway
from tests.support.web.provider import CLIENT, SECRET, provider

NAMES = [name for lower in PROXY_VARIABLES for name in (lower, lower.upper())]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yields what the proxy was asked for that every variable names."""
    with dead_end_proxy() as (url, asked):
        for name in NAMES:
            monkeypatch.setenv(name, url)
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        yield asked


async def test_a_provider_of_this_machine_is_reached_without_it(asked: list[str]) -> None:
    with provider() as running:
        begun = await OpenId(Provider(running.issuer, CLIENT, SECRET, "")).begin("http://127.0.0.1/session/callback")
        assert begun.url.startswith(running.issuer)
    assert asked == []


async def test_a_provider_elsewhere_is_reached_through_it_and_the_error_names_it(asked: list[str]) -> None:
    with pytest.raises(LoginFailed) as caught:
        await OpenId(Provider("https://login.invalid", CLIENT, SECRET, "")).begin("https://x/session/callback")
    assert asked == ["CONNECT login.invalid:443"]
    assert "through the proxy 127.0.0.1:" in str(caught.value)
    assert "(from https_proxy)" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_the_bot_with_json_alone_reaches_a_gateway_of_this_machine_without_it(
    web: Gateway, hosted: Service, asked: list[str]
) -> None:
    env = os.environ | {"FUDABA_WEB": web.url, "FUDABA_TOKEN": register(hosted, "unproxied")}
    done = subprocess.run([sys.executable, str(BOT)], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert asked == []


def test_the_bot_with_json_alone_names_the_proxy_to_a_gateway_elsewhere(asked: list[str]) -> None:
    env = os.environ | {"FUDABA_WEB": "http://fudaba.invalid", "FUDABA_TOKEN": "none"}
    with subprocess.Popen([sys.executable, str(BOT)], env=env, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        line = running.stderr.readline()
        running.kill()
    assert asked[0] == "POST http://fudaba.invalid/fudaba.v1.AccountService/WhoAmI"
    assert line.startswith("fudaba.invalid does not answer through the proxy 127.0.0.1:")
    assert "secret" not in line
