"""Looks at tokens are paid for by the client's address, apart for each way on which calls come: nobody pays for others.

The service looks thirty times at once for an address, and then three times a second.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import accounts_pb2, arena_pb2
from tests.support.arena.standing import standing as standing_arena
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway, Hosted, gateway, refusal_of

SIGN_IN_COUNT = 8


def new_token(organiser: Client, scope: accounts_pb2.TokenScope.ValueType, account: str = "") -> str:
    request = accounts_pb2.CreateAccountTokenRequest(scope=scope, account=account)
    return organiser.accounts.CreateAccountToken(request, timeout=PATIENCE).token


class House:
    """A service, an arena and a gateway, which believes a proxy on this machine."""

    def __init__(self, service: Service, organiser: Client, arena: str, web: Gateway) -> None:
        self.service = service
        self.organiser = organiser
        self.arena = arena
        self.web = web

    def authors_token(self) -> str:
        """Returns a token that nobody has ever shown, of an account of its own."""
        name = f"a{secrets.token_hex(5)}"
        self.organiser.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name=name), timeout=PATIENCE)
        return new_token(self.organiser, accounts_pb2.TOKEN_SCOPE_AUTHOR, name)

    def who_am_i(self, token: str, **headers: str) -> str:
        """Returns why it is refused to say whose a token is, through the gateway; empty if it is not."""
        answer = self.web.call("AccountService/WhoAmI", {}, token, **headers)
        return "" if answer.status_code == 200 else refusal_of(answer)[1]

    def sign_in(self, address: str) -> int:
        """Returns the status of somebody's sign-in from an address."""
        headers = {"x-fudaba-page": "1", "x-forwarded-for": address}
        answer = self.web.http.post("/session", json={"token": self.authors_token()}, headers=headers)
        return answer.status_code

    def last_used(self, token: Mapping[str, str], address: str) -> bool:
        """Returns whether it is noted that a token was used last from there. Nowhere else was it ever used from."""
        request = accounts_pb2.ListTokensRequest(account=token["account"])
        listed = self.organiser.accounts.ListTokens(request, timeout=PATIENCE).tokens
        [noted] = [
            listed_token.last_use_address for listed_token in listed if listed_token.token_id == token["tokenId"]
        ]
        assert noted in {"", address}
        return noted == address

    def direct(self, token: str) -> str:
        """Whose a token is, as a bot on this machine asks."""
        with Client(self.service.address, token) as client:
            return client.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), timeout=PATIENCE).token.account


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with short_folder() as folder:
        options = (
            "--calls-per-second",
            "2",
            "--registration",
            "open",
            "--arena-token-file",
            str(folder / "arena-token"),
        )
        with Service(folder, *options) as service:
            service.start()
            with (
                Client(service.address, service.token) as organiser,
                standing_arena(Hosted(service)) as arena,  # type: ignore[arg-type]  # it has what is asked for
            ):
                token = folder / "gateway-token"
                token.write_text(new_token(organiser, accounts_pb2.TOKEN_SCOPE_GATEWAY))
                words = ("--token-file", str(token), "--behind", "127.0.0.1")
                with gateway(folder, service.address, arena.address, *words) as web:
                    yield House(service, organiser, arena.address, web)


def unknown() -> str:
    return f"fudaba-author-{secrets.token_urlsafe(32)}"


@contextmanager
def trying(attempt: Callable[[], str]) -> Iterator[None]:
    """Tries unknown tokens until the block is left, which begins when one is refused for there being too many."""
    over = threading.Event()
    refused: list[str] = []

    def go_on() -> None:
        while not over.is_set():
            refused.append(attempt())

    with ThreadPoolExecutor(16) as pool:
        going = [pool.submit(go_on) for _ in range(16)]
        try:
            wait_until(lambda: "TOO_FAST" in refused or any(call.done() for call in going), "one is refused")
            yield
        finally:
            over.set()
        for future in going:
            future.result(PATIENCE)


@pytest.mark.exhaustive
def test_whoever_tries_unknown_tokens_through_a_gateway_keeps_nobody_else_from_signing_in(house: House) -> None:
    with trying(lambda: house.who_am_i(unknown(), **{"x-forwarded-for": "192.0.2.66"})):
        assert [house.sign_in("192.0.2.7") for _ in range(SIGN_IN_COUNT)] == [200] * SIGN_IN_COUNT
        bots = [house.authors_token() for _ in range(SIGN_IN_COUNT)]
        assert all(house.direct(token) for token in bots)


def test_a_gateway_has_another_purse_than_whoever_calls_directly_from_its_clients_address(house: House) -> None:
    with trying(lambda: house.who_am_i(unknown(), **{"x-forwarded-for": "127.0.0.1"})):
        bots = [house.authors_token() for _ in range(SIGN_IN_COUNT)]
        assert all(house.direct(token) for token in bots)


@pytest.mark.exhaustive
def test_whoever_tries_unknown_tokens_at_an_arena_keeps_nobody_else_from_it_nor_from_the_service(house: House) -> None:
    def ask(client: Client, **more: Any) -> str:
        try:
            client.arena.GetChallenge(arena_pb2.GetChallengeRequest(challenge_id="none"), timeout=PATIENCE, **more)
        except ServiceError as error:
            return error.reason
        return ""

    def ask_through_gateway() -> tuple[str, str]:
        headers = {"x-forwarded-for": "192.0.2.8"}
        return house.web.refusal("ArenaService/GetChallenge", {"challengeId": "none"}, house.authors_token(), **headers)

    with Client(house.arena) as stranger:
        assert ask_through_gateway() == ("not_found", "CHALLENGE_NOT_FOUND"), "the gateway is known before"
        with trying(lambda: ask(stranger, metadata=(("authorization", f"Bearer {unknown()}"),))):
            for _ in range(SIGN_IN_COUNT):
                assert house.direct(house.authors_token())
                assert ask_through_gateway() == ("not_found", "CHALLENGE_NOT_FOUND")


def test_the_client_s_address_is_noted_where_the_forwarder_s_token_is_right(house: House, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong-token"
    wrong.write_text(unknown())
    words = ("--token-file", str(wrong), "--behind", "127.0.0.1")
    with gateway(tmp_path, house.service.address, "", *words) as other:
        for web, noted in ((house.web, "192.0.2.98"), (other, "127.0.0.1")):
            token = house.authors_token()
            identity = web.answer("AccountService/WhoAmI", {}, token, **{"x-forwarded-for": "192.0.2.98"})["token"]
            wait_until(partial(house.last_used, identity, noted), "its use is noted")
