"""A token that was looked up in vain is refused without another look, for a while, and until it is made."""

from __future__ import annotations

import asyncio
import secrets
from types import SimpleNamespace

import pytest

from fudaba.v1 import errors_pb2
from fudaba_service.accounts.owner import Owner, Scope
from fudaba_service.accounts.tokens import Tokens
from fudaba_service.refusals import Refused
from fudaba_serving.grpc import origins
from fudaba_serving.grpc.origins import FORWARDER, SEAT, Origins, forwarded
from fudaba_serving.grpc.rate_limit import Callers
from fudaba_serving.grpc.unknown_tokens import UnknownTokens
from fudaba_serving.process.tasks import BackgroundTasks
from tests.support.service.processes import RedisServer
from tests.support.service.rate_limits import Allowed, Counted
from tests.support.service.stores import opened

AHEAD = "x" * 43
"""What is drawn for the next token, in place of what nobody can guess."""


async def test_a_token_that_was_tried_before_it_is_made_is_valid_at_once(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(server.url) as store:
        tokens = Tokens(store, BackgroundTasks(lambda: None))
        monkeypatch.setattr(secrets, "token_urlsafe", lambda _: AHEAD)
        with pytest.raises(Refused, match="unknown"):
            await tokens.owner(f"fudaba-author-{AHEAD}")
        assert tokens.unknown(f"fudaba-author-{AHEAD}")
        token, _ = await tokens.create(Owner(scope=Scope.AUTHOR, account="bob"))
        assert token == f"fudaba-author-{AHEAD}"
        assert not tokens.unknown(token)
        assert (await tokens.owner(token)).account == "bob"


async def test_a_token_that_is_unknown_is_not_looked_up_again(server: RedisServer) -> None:
    async with opened(server.url) as store:
        tokens, wrong = Tokens(store, BackgroundTasks(lambda: None)), f"fudaba-bot-{secrets.token_urlsafe(32)}"
        looks: list[str] = []
        find = store.tokens.find

        async def counted(digest: str, match_id: str = "") -> object:
            looks.append(digest)
            return await find(digest, match_id)

        store.tokens.find = counted  # type: ignore[method-assign, assignment]  # it is the same, and counts
        for _ in range(3):
            with pytest.raises(Refused, match="unknown"):
                await tokens.owner(wrong)
        assert len(looks) == 1


def test_what_is_remembered_of_unknown_tokens_has_an_end_in_time_and_number() -> None:
    now = 100.0
    unknown = UnknownTokens(lambda: now)
    unknown.add("first")
    assert "first" in unknown
    now += 4.9
    assert "first" in unknown
    now += 0.2
    assert "first" not in unknown
    for number in range(10_050):
        unknown.add(str(number))
    assert len(unknown) == 10_000
    assert "49" not in unknown
    assert "50" in unknown
    unknown.made("50")
    assert "50" not in unknown


async def test_of_a_forwarder_of_whom_nothing_can_be_said_nobody_asks_at_every_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, asked, away = 100.0, list[str](), True
    monkeypatch.setattr(origins, "time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(origins, "_MAX_FORWARDERS_KNOWN", 20)  # fewer than a host may look up at once

    async def scope_of(token: str, host: str) -> str:
        asked.append(token)
        if away:
            raise Refused(errors_pb2.REASON_STORE_UNAVAILABLE, f"{host} cannot be asked")
        return "gateway"

    callers = Callers(Allowed(), Counted())
    known = Origins(callers, scope_of)

    async def comes_from(token: str) -> str:
        return await asyncio.create_task(said(Call(token)))  # each call runs in a task of its own

    async def said(call: Call) -> str:
        return (await known.origin_of(call)).host  # type: ignore[arg-type]  # all of a context that is asked for

    for _ in range(100):
        assert await comes_from("gate") == "10.0.0.1", "nobody is believed"
    assert asked == ["gate"]
    away, now = False, now + 0.9
    assert await comes_from("gate") == "10.0.0.1"
    now += 0.2
    for _ in range(3):
        assert await comes_from("gate") == "192.0.2.7"
    assert asked == ["gate"] * 2
    away, now = True, now + 5.1
    for number in range(30):
        await comes_from(f"gate-{number}")
    assert len(known._unsaid) == 20


@pytest.mark.parametrize(("token", "through"), [("worker", "relay"), ("page", ""), ("nobody", ""), ("", "")])
async def test_only_whom_a_worker_s_token_shows_to_be_a_relay_has_a_relay_s_looks(token: str, through: str) -> None:
    async def scope_of(token: str, _: str) -> str:
        if token == "nobody":
            raise Refused(errors_pb2.REASON_TOKEN_UNKNOWN, "the token is unknown")
        return {"worker": "arena", "page": "gateway"}[token]

    known = Origins(Callers(Allowed(), Counted()), scope_of)
    seat = (SEAT, "Bearer made-up")
    call = Call("", seat, *([(FORWARDER, f"Bearer {token}")] if token else []))
    assert await known.origin_of(call) == ("10.0.0.1", through)  # type: ignore[arg-type]  # all that is asked for


class Call:
    """A call that somebody passes on."""

    def __init__(self, token: str, *beside: tuple[str, str]) -> None:
        self._metadata = (*forwarded(token, "192.0.2.7"), *beside)

    def invocation_metadata(self) -> object:
        return self._metadata

    def peer(self) -> str:
        return "ipv4:10.0.0.1:4321"
