"""The organiser's side of a test: bots, tokens, matches; and what the store holds."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
from collections.abc import Awaitable, Iterator
from typing import Any, Final, NamedTuple, Self, final

import grpc
import pytest
import redis
from grpc import aio

from fudaba.client import Endpoint
from fudaba.records import verify
from fudaba.v1 import (
    accounts_pb2,
    accounts_pb2_grpc,
    bots_pb2,
    bots_pb2_grpc,
    catalog_pb2_grpc,
    errors_pb2,
    game_pb2,
    matches_pb2,
    matches_pb2_grpc,
    play_pb2_grpc,
    record_pb2,
)
from fudaba_games.registry import GAMES
from fudaba_service.refusals import Refused
from fudaba_service.store import match_keys
from tests.support.conformance.cases import one_deal
from tests.support.patience import PATIENCE, until
from tests.support.service.bots import CHANNEL, Bot, bearer, by_chance, reason_of
from tests.support.sizes import exhaustive

HOUR_MS: Final = 3_600_000
QUICK: Final = record_pb2.Clock(move_ms=20_000, bank_ms=0, max_timeouts=3, max_illegal=10, start_ms=HOUR_MS)
"""Time enough for all that these tests do; a match that is left waiting for bots does not end in another test."""
PATIENT: Final = record_pb2.Clock(move_ms=HOUR_MS, start_ms=HOUR_MS)
"""A clock with which nothing changes by time."""
_OF_ITSELF: Final = {
    *[f"fudaba:{name}".encode() for name in ("beats", "beats-open", "outages", "clock", "streams")],
    b"{fudaba:tokens}:uses",
    b"fudaba:actions",
}
"""Keys that change by the mere running of a service, of streams that bots open, and by what callers do."""
_FOLLOWERS: Final = b":followers"
"""The end of the names of keys that say which replica holds a match."""
_PLACES: Final = b"{fudaba:places}"
"""The beginning of the names of more such keys."""
_number = itertools.count()


class Entrant(NamedTuple):
    """A bot with a token."""

    name: str
    token: str
    version: str = "1"


async def refused(call: Awaitable[object], reason: str, *words: str) -> str:
    """Checks that a call is refused with this reason, the reason's one code, and these words. Returns the whole
    message."""
    with pytest.raises(aio.AioRpcError) as info:
        await call
    return check_refusal(info.value, reason, *words)


def check_refusal(error: grpc.RpcError, reason: str, *words: str) -> str:
    details = error.details() or ""
    assert reason_of(error) == reason, f"{error.code()}: {details}"
    assert error.code().value[0] == Refused(errors_pb2.Reason.Value(f"REASON_{reason}"), "").code
    for word in words:
        assert word in details
    assert "Traceback" not in details
    return details


@final
class Organiser:
    """Calls the service with the organiser's token."""

    def __init__(self, address: str, token: str, credentials: grpc.ChannelCredentials | None = None) -> None:
        self.address = address
        self.endpoint = Endpoint(address, token)
        """The service as who has this token, such as a worker, speaks to it."""
        if credentials is None:
            self.channel = aio.insecure_channel(address, options=CHANNEL)
        else:
            self.channel = aio.secure_channel(address, credentials, options=CHANNEL)
        self.metadata = bearer(token)
        self.accounts: Any = accounts_pb2_grpc.AccountServiceStub(self.channel)
        self.bots: Any = bots_pb2_grpc.BotServiceStub(self.channel)
        self.matches: Any = matches_pb2_grpc.MatchServiceStub(self.channel)
        self.catalog: Any = catalog_pb2_grpc.CatalogServiceStub(self.channel)
        self.play: Any = play_pb2_grpc.PlayServiceStub(self.channel)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.channel.close()

    async def entrant(self, name: str = "bot", version: str = "") -> Entrant:
        """Creates a bot whose name begins with `name`, and a token of it. Returns both."""
        name = f"{name}-{next(_number)}-{secrets.token_hex(3)}"
        await self.bots.CreateBot(bots_pb2.CreateBotRequest(name=name, version=version), metadata=self.metadata)
        made = await self.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=name), metadata=self.metadata)
        return Entrant(name, made.token, made.version)

    async def token(self, scope: str, **fields: Any) -> accounts_pb2.CreateAccountTokenResponse:
        """Creates a token that plays no match, by the name of its scope. Returns the answer."""
        number = accounts_pb2.TokenScope.Value(f"TOKEN_SCOPE_{scope.upper()}")
        request = accounts_pb2.CreateAccountTokenRequest(scope=number, **fields)
        return await self.accounts.CreateAccountToken(request, metadata=self.metadata)  # type: ignore[no-any-return]

    async def match_token(self, match_id: str, seat: int) -> str:
        """Creates a token for one seat of a match. Returns the token."""
        request = accounts_pb2.CreateMatchTokenRequest(match_id=match_id, seat=seat)
        return str((await self.accounts.CreateMatchToken(request, metadata=self.metadata)).token)

    async def match(self, *entrants: Entrant, clock: record_pb2.Clock = QUICK, **fields: Any) -> str:
        """Creates a match of Naga. Returns its id."""
        made = await self.matches.CreateMatch(request_for(*entrants, clock=clock, **fields), metadata=self.metadata)
        return str(made.match.header.match_id)

    async def get(self, match_id: str) -> matches_pb2.Match:
        found = await self.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id), metadata=self.metadata)
        return found.match  # type: ignore[no-any-return]

    async def ended(self, match_id: str) -> matches_pb2.Match:
        """Returns the match, once it is over."""
        request = matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=60_000)
        async with asyncio.timeout(PATIENCE):
            while not (found := await self.matches.AwaitMatch(request, metadata=self.metadata)).match.HasField("end"):
                pass
        return found.match  # type: ignore[no-any-return]

    def by_chance(self, *entrants: Entrant, **more: Any) -> list[Bot]:
        """Returns a bot for each, playing by chance."""
        return [Bot(self.address, e.token, by_chance, chance=n, **more) for n, e in enumerate(entrants)]

    async def record(self, match_id: str) -> record_pb2.MatchRecord:
        """Returns the record of a match, once it is over. Checks that it verifies."""
        await self.ended(match_id)
        request = matches_pb2.GetRecordRequest(match_id=match_id)
        found = await self.matches.GetRecord(request, metadata=self.metadata)
        assert not verify(found.record), verify(found.record)
        return found.record  # type: ignore[no-any-return]


def request_for(*entrants: Entrant, clock: record_pb2.Clock = QUICK, **fields: Any) -> matches_pb2.CreateMatchRequest:
    """Asks for a match of Naga."""
    players = [record_pb2.Player(bot=entrant.name) for entrant in entrants]
    request = matches_pb2.CreateMatchRequest(game="naga", players=players, clock=clock)
    request.MergeFrom(matches_pb2.CreateMatchRequest(**fields))
    return request


def length_of_sample(game_id: str) -> dict[str, game_pb2.OptionValue]:
    """Returns the options of a match with the fewest seats that has one deal; the exhaustive run has the usual
    number."""
    game = GAMES[game_id]
    usual = game.resolve_options({})
    options = usual if exhaustive() else one_deal(game, game.min_seats)
    return {name: game_pb2.OptionValue(number=int(value)) for name, value in options.items() if value != usual[name]}


def house_bot_of_sample(game_id: str) -> str:
    """Returns a house bot that plays by chance; where that takes as long as all other games together, it is a sensible
    one."""
    return "house-sensible" if game_id == "numbers_crush" and not exhaustive() else "house-random"


def kinds(record: record_pb2.MatchRecord, seat: int | None = None) -> list[str]:
    """Returns what the entries of a record are, of one seat or of all."""
    return [str(e.WhichOneof("what")) for e in record.log if seat is None or e.seat == seat]


@final
class StoreView:
    """The contents of a store, read past the service."""

    def __init__(self, url: str) -> None:
        self.client = redis.Redis.from_url(url, socket_timeout=PATIENCE)

    def log(self, match_id: str) -> list[bytes]:
        entries: Any = self.client.lrange(match_keys(match_id).log, 0, -1)
        return list(entries)

    @property
    def matches(self) -> set[str]:
        """The ids of the matches that it holds."""
        return {key.decode().rpartition(":match:")[2] for key in self.everything() if b":match:" in key}

    async def forgets(self, match_id: str) -> None:
        """Waits until a match that is over has left the store."""
        await until(lambda: not self.client.exists(match_keys(match_id).meta), "the end of the match in the store")

    def everything(self) -> dict[bytes, object]:
        """Returns every key with its value, except what time alone changes."""
        keys: Any = self.client.keys("*")
        return {key: self._value(key) for key in sorted(keys) if not _changes_of_itself(key)}

    def _value(self, key: bytes) -> object:
        # A dump tells the order of members and fields as well, which changes when only the server's table does.
        kind = self.client.type(key)
        if kind == b"hash":
            return self.client.hgetall(key.decode())
        return self.client.smembers(key.decode()) if kind == b"set" else self.client.dump(key)


def _changes_of_itself(key: bytes) -> bool:
    # A trace of a script, by which it is known when it is sent again, goes after a minute.
    return key in _OF_ITSELF or _PLACES in key or key.endswith(_FOLLOWERS) or b":done:" in key


@contextlib.contextmanager
def nothing_changes(store: StoreView) -> Iterator[None]:
    """Checks that the store holds the same afterwards."""
    before = store.everything()
    yield
    after = store.everything()
    changed = {key: (before.get(key), after.get(key)) for key in before.keys() | after.keys()}
    changed = {key: values for key, values in changed.items() if values[0] != values[1]}
    assert not changed, f"the store has changed: {changed}"
