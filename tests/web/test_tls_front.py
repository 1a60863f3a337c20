"""A gateway behind a reverse proxy with TLS: cookies, whose word counts for an address, and what a request hides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest

from fudaba.client import Client
from fudaba.v1 import accounts_pb2
from tests.support.certificates import certify
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service
from tests.support.web.fronts import TlsFront
from tests.support.web.gateways import Gateway, gateway
from tests.support.web.limited_servers import REGISTRATIONS_PER_HOUR, gateway_token, hosted, web
from tests.support.web.smuggling import CHUNKED, CHUNKS, HIDDEN, NEXT, POST

__all__ = ["gateway_token", "hosted", "web"]

PAGE = {"x-fudaba-page": "1"}
SITE = {"host": "play.example.org"}


@pytest.fixture(scope="module", params=["whole requests", "requests as they come"])
def front(web: Gateway, need_tool: Callable[[str], Path], request: pytest.FixtureRequest) -> Iterator[TlsFront]:
    where = urlsplit(web.url).netloc
    with short_folder() as folder:
        certify(need_tool("openssl"), folder / "cert.pem", folder / "key.pem")
        whole = request.param == "whole requests"
        with TlsFront(folder, need_tool("nginx"), where, buffering=whole).start() as before:
            yield before


@pytest.fixture
def through(front: TlsFront) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=front.url, verify=front.trust, timeout=PATIENCE, headers=PAGE | SITE) as client:
        yield client


@pytest.fixture(scope="module")
def bob(hosted: Service) -> str:
    """Returns an author's token."""
    request = accounts_pb2.CreateAccountRequest(name=f"bob-{uuid4().hex[:8]}")
    with Client(hosted.address, hosted.token) as client:
        return client.accounts.CreateAccount(request, timeout=PATIENCE).token


def attributes(answer: httpx.Response) -> tuple[str, set[str]]:
    """Returns the name of the cookie that an answer sets, and what it says of it."""
    [cookie] = answer.headers.get_list("set-cookie")
    return cookie.partition("=")[0], {part.strip().lower() for part in cookie.split(";")[1:]}


def test_a_session_behind_tls_is_for_tls_and_browsers_come_back_over_it(
    through: httpx.Client, web: Gateway, bob: str
) -> None:
    name, said = attributes(through.post("/session", json={"token": bob}))
    assert name == "__Host-fudaba_session"
    assert {"secure", "httponly", "samesite=strict", "path=/"} <= said
    for path in ("/", "/contract/contract.md", "/nowhere"):
        assert through.get(path).headers["strict-transport-security"] == "max-age=2592000"
    assert "strict-transport-security" not in through.get("/", headers={"host": "localhost:8443"}).headers
    assert "strict-transport-security" not in web.http.get("/", headers=SITE).headers


def test_what_a_client_says_of_its_address_does_not_come_through(through: httpx.Client, hosted: Service) -> None:
    """An address gets few accounts an hour: so does a client behind the front, however it calls itself."""
    statuses = []
    for number in range(REGISTRATIONS_PER_HOUR + 2):
        address = f"192.0.2.{number}"
        forged = {"x-forwarded-for": address, "fudaba-client-address": address, "x-forwarded-proto": "http"}
        asked = {"name": f"forged-{urlsplit(str(through.base_url)).port}-{number}"}
        answer = through.post("/fudaba.v1.AccountService/CreateAccount", json=asked, headers=forged)
        assert answer.headers["strict-transport-security"]
        statuses.append(answer.status_code)
    assert statuses.count(200) <= REGISTRATIONS_PER_HOUR
    assert statuses[-1] == 429


def test_a_gateway_that_believes_nobody_believes_no_front_either(hosted: Service, tmp_path: Path, bob: str) -> None:
    with gateway(tmp_path, hosted.address) as alone:
        forged = {"x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.1"} | PAGE | SITE
        answer = alone.http.post("/session", json={"token": bob}, headers=forged)
        name, said = attributes(answer)
        assert (name, "secure" in said) == ("fudaba_session", False)
        assert "strict-transport-security" not in answer.headers


def answers(front: TlsFront, sent: bytes) -> list[int]:
    """Returns the statuses of all answers on one connection, which the front closes."""
    got = bytearray()
    with front.connect() as connection:
        connection.settimeout(PATIENCE)
        connection.sendall(sent.replace(b"Host: x", b"Connection: close\r\nHost: x", 1))
        try:
            while piece := connection.recv(65_536):
                got += piece
        except OSError:
            pass  # what it has not read any more
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", got)]


def test_nothing_that_is_hidden_in_a_request_answers_another_one(front: TlsFront, through: httpx.Client) -> None:
    plain = {"chunks": POST + CHUNKED + CHUNKS, "a length": POST + b"Content-Length: 2\r\n\r\n{}" + NEXT}
    for route, sent in (HIDDEN | plain).items():
        assert len(answers(front, sent)) <= 1, f"{route}: the connection was to end behind the first request"
        for _ in range(2):  # over the one connection that the front has to the gateway
            answer = through.post("/fudaba.v1.CatalogService/ListGames", json={})
            assert (answer.status_code, "naga" in answer.text) == (200, True), route
