"""A gateway as a process, and what it refuses."""

from __future__ import annotations

import secrets
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx

from fudaba.client import Client
from fudaba.v1 import accounts_pb2
from tests.support.arena.running import environment
from tests.support.arena.standing import Arena
from tests.support.arena.standing import standing as standing_arena
from tests.support.folders import short_folder
from tests.support.forked import Forked
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import Service

JSON = {"content-type": "application/json"}
NO_TLS: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""The context of clients that need no TLS: without it each client would load all authorities, which takes longer than
most tests."""


class Gateway:
    """`fudaba web` on a port of its own."""

    def __init__(self, folder: Path, service: str, arena: str, *options: str, first: str = "") -> None:
        self.log = (
            folder / f"web-{secrets.token_hex(4)}.log"
        )  # its own: what another has written there is not its address
        words = ["web", "--listen", "127.0.0.1:0", "--server", service, "--arena", arena, *options]
        self.process = Forked(words, self.log, environment(), first)

        def serves() -> bool:
            assert self.process.poll() is None, self.output
            return "serves on" in self.output

        wait_until(serves, "the gateway serves")
        self.url = self.output.partition("serves on ")[2].split()[0].removesuffix(",")
        self.http = httpx.Client(base_url=self.url, timeout=PATIENCE, verify=NO_TLS)

    @property
    def output(self) -> str:
        return self.log.read_text(encoding="utf-8") if self.log.exists() else ""

    def call(self, method: str, message: Any = None, token: str = "", **headers: str) -> httpx.Response:
        """Calls a method of the contract with JSON."""
        sent = JSON | ({"authorization": f"Bearer {token}"} if token else {}) | headers
        return self.http.post(f"/fudaba.v1.{method}", json={} if message is None else message, headers=sent)

    def answer(self, method: str, message: Any = None, token: str = "", **headers: str) -> Any:
        """Returns what a call that must succeed answers."""
        answer = self.call(method, message, token, **headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refusal(self, method: str, message: Any = None, token: str = "", **headers: str) -> tuple[str, str]:
        """Returns the code and the reason of a call that must be refused."""
        return refusal_of(self.call(method, message, token, **headers))

    def close(self) -> int:
        """Asks it to stop. Returns its exit status."""
        self.http.close()
        self.process.terminate()
        return self.process.wait(PATIENCE)


def refusal_of(answer: httpx.Response) -> tuple[str, str]:
    """Returns the code and the reason that an answer tells."""
    assert answer.status_code >= 400, answer.text
    error = answer.json()
    reasons = [detail["debug"]["reason"] for detail in error["details"] if "reason" in detail.get("debug", {})]
    return error["code"], reasons[0] if reasons else ""


@contextmanager
def gateway(folder: Path, service: str, arena: str = "", *options: str) -> Iterator[Gateway]:
    """Yields a gateway that ends as it should."""
    started = Gateway(folder, service, arena, *options)
    try:
        yield started
        assert started.close() == 0, started.output
    finally:
        started.process.kill()
    assert "Traceback" not in started.output, started.output


class Hosted:
    """The facts that a standing arena has to know about its service."""

    def __init__(self, service: Service) -> None:
        self.address = service.address
        self.token = service.token
        self.arena_token = (service.folder / "arena-token").read_text().strip()


SHARED_REGISTRATIONS_PER_HOUR: Final = 1_000
"""More accounts and guests an hour than all test modules together make from 127.0.0.1."""


@contextmanager
def hosting(registrations_per_hour: int = SHARED_REGISTRATIONS_PER_HOUR) -> Iterator[Service]:
    """Yields a service that anybody may use, with that many accounts, and as many guests, an hour for each address."""
    with short_folder() as place:
        options = ["--guests", "--registration", "open", "--registrations-per-hour", str(registrations_per_hour)]
        options += ["--arena-token-file", str(place / "arena-token")]
        with Service(place, *options) as running:
            yield running.start()


@contextmanager
def arena_on(service: Service) -> Iterator[Arena]:
    """Yields an arena on such a service, with workers elsewhere."""
    with standing_arena(Hosted(service), "--workers") as running:  # type: ignore[arg-type]  # it has what is asked for
        yield running


def token_for_gateways(service: Service) -> Path:
    """Returns a file with a gateway's token."""
    file = service.folder / "gateway-token"
    if not file.exists():
        with Client(service.address, service.token) as client:
            scope = accounts_pb2.TOKEN_SCOPE_GATEWAY
            request = accounts_pb2.CreateAccountTokenRequest(scope=scope, label="web")
            file.write_text(client.accounts.CreateAccountToken(request, timeout=PATIENCE).token)
    return file


@contextmanager
def trusting_gateway(service: Service, arena: Arena | None = None) -> Iterator[Gateway]:
    """Yields a gateway that believes a proxy on this machine."""
    options = ("--token-file", str(token_for_gateways(service)), "--behind", "127.0.0.1")
    with gateway(service.folder, service.address, arena.address if arena else "", *options) as running:
        yield running
