"""Where bots connect, as the page tells their authors."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from fudaba.cli import cli
from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway, gateway


def test_it_is_a_guess_until_somebody_says_it(web: Gateway, hosted: Service) -> None:
    port = hosted.address.rpartition(":")[2]
    for host, address in (("", "127.0.0.1"), ("play.example.org", "play.example.org"), ("[::1]:7712", "[::1]")):
        answer = web.http.get("/bot-address", headers={"host": host} if host else {})
        assert answer.json() == {"address": f"{address}:{port}", "tls": False, "sure": False}


@pytest.mark.parametrize(
    ("said", "address", "tls"),
    [
        ("https://play.example.org:7713", "play.example.org:7713", True),
        *(
            pytest.param(*case, marks=pytest.mark.exhaustive)
            for case in (
                ("play.example.org:7710", "play.example.org:7710", False),
                ("https://:7713", "127.0.0.1:7713", True),
                ("[2001:db8::1]:7710", "[2001:db8::1]:7710", False),
            )
        ),
    ],
)
def test_what_is_said_is_told(hosted: Service, said: str, address: str, tls: bool) -> None:
    with gateway(hosted.folder, hosted.address, "", "--bots-at", said) as running:
        assert running.http.get("/bot-address").json() == {"address": address, "tls": tls, "sure": True}


@pytest.mark.parametrize(
    "said",
    [
        "play.example.org",
        "ftp://play.example.org:7710",
        "https://",
        ":",
        "unix:/a",
        "a:70000",
        "a:0",
        "$(x):1",
        "http:///a:1",
    ],
)
def test_where_no_bot_can_connect_is_refused_with_what_to_write(said: str) -> None:
    refused = CliRunner().invoke(cli, ["web", "--bots-at", said])
    assert refused.exit_code == 2
    assert f"bots cannot connect to {said}: write HOST:PORT" in " ".join(refused.output.split())
