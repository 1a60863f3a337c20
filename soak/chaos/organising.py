"""The organiser's side: it makes bots and tokens, creates new matches as others end, and fetches the records at the
end.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final, final

from grpc import aio

from fudaba.v1 import (
    bots_pb2,
    bots_pb2_grpc,
    matches_pb2,
    matches_pb2_grpc,
    play_pb2,
)
from soak.chaos.answering import Pace
from soak.chaos.journal import SeatJournal
from soak.chaos.plans import MatchPlan, plan, request_of
from soak.chaos.players import CHANNEL, Player
from soak.chaos.topology import Topology
from soak.chaos.watchers import Watcher
from tests.support.service.bots import bearer, reason_of

__all__ = ["Field", "MatchCase"]

_CALL_TIMEOUT_SECONDS: Final = 3.0
_PLAYER_COUNT: Final = 10
_WATCHER_COUNT: Final = 5
_PER_SECOND: Final = 50.0
"""The number of decisions per second in all. With more simultaneous matches, bots think longer."""
_DRAIN_PER_SECOND: Final = 100.0
"""The same once matches should end. At full speed hundreds of matches would overload the machine, and what waits unread
there counts as the bots' time.
"""
_MIN_DRAIN_SECONDS: Final = 0.1
"""The minimum time for a decision then, in seconds."""
_DELIVERIES: Final = (
    play_pb2.Delivery(legal_moves=play_pb2.LEGAL_MOVE_FORMAT_COUNT, acknowledge=True),
    play_pb2.Delivery(
        legal_moves=play_pb2.LEGAL_MOVE_FORMAT_TEXT, events=play_pb2.EVENT_DELIVERY_AT_ONCE, acknowledge=True
    ),
    play_pb2.Delivery(legal_moves=play_pb2.LEGAL_MOVE_FORMAT_COUNT, events=play_pb2.EVENT_DELIVERY_AT_ONCE),
    play_pb2.Delivery(legal_moves=play_pb2.LEGAL_MOVE_FORMAT_TYPED, acknowledge=True, views=True),
)
_REFUSED: Final = frozenset({"MATCH_OVER", "MATCH_NOT_FOUND", "INVITATION_NOT_FOUND", "NO_OPEN_SEAT", "BOT_NOT_FOUND"})


@final
@dataclass
class MatchCase:
    """A match and its fate."""

    plan: MatchPlan
    bots: list[Player | Watcher]
    """The bots in the seats that are not the house's, by seat."""
    created: float = 0.0
    """The time when its creation was acknowledged; 0 before."""
    joining: float = 0.0
    """The time when the bot in its last seat began to take the seat, if it had to; 0 if the match was full from the
    start."""
    refused: str = ""
    """The reason why creating or joining it was refused for good."""
    records: dict[str, bytes | str] = field(default_factory=dict)
    """The record from each replica and from the archive, or the reason why there is none."""
    progress: int = 0
    progressed: float = 0.0
    standing: float = 0.0
    stood_still: float = 0.0
    """The time for which it has stood still while others went on."""

    @property
    def match_id(self) -> str:
        return self.plan.match_id

    @property
    def journals(self) -> list[SeatJournal]:
        """The messages about it to each of its bots."""
        return [bot.journals[self.match_id] for bot in self.bots if self.match_id in bot.journals]

    @property
    def over(self) -> bool:
        """Whether any of its bots received its end."""
        return any(journal.over is not None for journal in self.journals)


@final
class Field:
    """All bots and matches of one deployment. Each method that calls the service repeats until it succeeds."""

    def __init__(self, topology: Topology, seed: str, at_once: int) -> None:
        self._topology = topology
        self._seed = seed
        self._at_once = at_once
        self.players: list[Player] = []
        self.watchers: list[Watcher] = []
        self.cases: list[MatchCase] = []
        self._channels: list[aio.Channel] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._metadata: Any = ()
        self._tokens: dict[str, str] = {}

    @contextlib.asynccontextmanager
    async def open(self) -> Any:
        """Makes the bots and lets them play until the context is left."""
        self._metadata = bearer(self._topology.replicas[0].token_file.read_text().strip())
        self._channels = [aio.insecure_channel(replica.address, options=CHANNEL) for replica in self._topology.replicas]
        addresses = self._topology.bot_addresses
        for number in range(_PLAYER_COUNT):
            name = f"p{number}"
            delivery = _DELIVERIES[number % len(_DELIVERIES)]
            self.players.append(
                Player(name, await self._register(name), addresses, number, delivery, batches=number % 3 > 0)
            )
        for number in range(_WATCHER_COUNT):
            name = f"w{number}"
            delivery, chance = _DELIVERIES[number % len(_DELIVERIES)], f"{self._seed}/{name}"
            self.watchers.append(Watcher(name, await self._register(name), addresses, delivery, chance))
        for bot in self.bots:
            bot.pace = Pace(most=max(bot.pace.most, self._at_once / _PER_SECOND))
        for player in self.players:
            self._begin(player.live())
        try:
            yield self
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            for watcher in self.watchers:
                await watcher.close()
            for channel in self._channels:
                await channel.close()

    def _begin(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)

    @property
    def bots(self) -> list[Player | Watcher]:
        """Returns all bots."""
        return [*self.players, *self.watchers]

    @property
    def live(self) -> list[MatchCase]:
        """The matches that exist and are not known to be over."""
        return [case for case in self.cases if not case.over and not case.refused]

    async def top_up(self) -> None:
        """Creates new matches as others end, until it is cancelled."""
        while True:
            while len(self.live) < self._at_once:
                number = len(self.cases)
                made = plan(self._seed, number)
                case = MatchCase(made, self._seated(made, number))
                self.cases.append(case)
                self._begin(self._create(case))
                await asyncio.sleep(0.02)
            await asyncio.sleep(0.1)

    def drain(self) -> None:
        """Brings all matches to their ends, at a pace for those that are live now."""
        pace = Pace(least=max(_MIN_DRAIN_SECONDS, len(self.live) / _DRAIN_PER_SECOND), drains=True)
        for bot in self.bots:
            bot.pace = pace

    def _seated(self, made: MatchPlan, number: int) -> list[Player | Watcher]:
        """Returns the bots of a match in the order of their seats, without duplicates."""
        players = [self.players[(number * 3 + k) % len(self.players)] for k in range(len(self.players))]
        watchers = [self.watchers[(number * 2 + k) % len(self.watchers)] for k in range(len(self.watchers))]
        kinds = [kind for kind in made.seats if kind != "house"]
        return [watchers.pop() if kind == "watcher" else players.pop() for kind in kinds]

    async def _create(self, case: MatchCase) -> None:
        kinds = [kind for kind in case.plan.seats if kind != "house"]
        given = [bot.name for bot, kind in zip(case.bots, kinds, strict=True) if kind in {"bot", "watcher"}]
        request = request_of(case.plan, given)
        try:
            made = await self._call(
                lambda stub: stub.CreateMatch(request, metadata=self._metadata, timeout=_CALL_TIMEOUT_SECONDS)
            )
            for bot, kind in zip(case.bots, kinds, strict=True):
                if kind == "open":
                    join = matches_pb2.JoinMatchRequest(match_id=case.match_id)
                elif kind == "invitation":
                    join = matches_pb2.JoinMatchRequest(invitation_code=made.invitation_codes[0].code)
                else:
                    continue
                case.joining = time.monotonic()
                await self._join(bot.name, join)
        except aio.AioRpcError as error:
            case.refused = f"{reason_of(error) or error.code().name}: {error.details()}"
            return
        case.created = case.progressed = time.monotonic()
        for bot in case.bots:
            if isinstance(bot, Watcher):
                bot.sit(case.match_id)

    async def _join(self, name: str, request: matches_pb2.JoinMatchRequest) -> None:
        metadata = bearer(self._tokens[name])
        await self._call(lambda stub: stub.JoinMatch(request, metadata=metadata, timeout=_CALL_TIMEOUT_SECONDS))

    async def _register(self, name: str) -> str:
        stub: Any = bots_pb2_grpc.BotServiceStub(self._channels[0])
        await stub.CreateBot(bots_pb2.CreateBotRequest(name=name), metadata=self._metadata)
        made = await stub.CreateToken(bots_pb2.CreateTokenRequest(bot=name), metadata=self._metadata)
        self._tokens[name] = made.token
        return str(made.token)

    async def _call(self, call: Callable[[Any], Awaitable[Any]]) -> Any:
        """Calls one replica after another until one answers. Raises AioRpcError if repeating does not help."""
        number = 0
        while True:
            number += 1
            try:
                return await call(matches_pb2_grpc.MatchServiceStub(self._channels[number % len(self._channels)]))
            except aio.AioRpcError as error:
                if reason_of(error) in _REFUSED or error.code().name in {"INVALID_ARGUMENT", "UNAUTHENTICATED"}:
                    raise
                await asyncio.sleep(0.1)

    # --- the end

    async def state(self, match_id: str) -> matches_pb2.Match | None:
        """Returns the state of a match; None if it is unknown now."""
        request = matches_pb2.GetMatchRequest(match_id=match_id)
        for channel in self._channels:
            stub: Any = matches_pb2_grpc.MatchServiceStub(channel)
            with contextlib.suppress(aio.AioRpcError):  # it is asked again
                found = await stub.GetMatch(request, metadata=self._metadata, timeout=_CALL_TIMEOUT_SECONDS)
                return found.match  # type: ignore[no-any-return]
        return None

    async def collect(self, case: MatchCase) -> None:
        """Gets the record of a match from every replica and from the archive."""
        request = matches_pb2.GetRecordRequest(match_id=case.match_id)
        for replica, channel in zip(self._topology.replicas, self._channels, strict=True):
            stub: Any = matches_pb2_grpc.MatchServiceStub(channel)
            for _ in range(4):
                try:
                    found = await stub.GetRecord(request, metadata=self._metadata, timeout=_CALL_TIMEOUT_SECONDS)
                except aio.AioRpcError as error:
                    case.records[replica.name] = f"{reason_of(error) or error.code().name}: {error.details()}"
                    await asyncio.sleep(0.3)
                else:
                    case.records[replica.name] = found.record.SerializeToString(deterministic=True)
                    break
