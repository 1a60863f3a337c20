"""Rate limits: whoever sends too much is slowed, then cut, and nobody else notices.

Answers are paid for by the decisions that they answer, so that a bot which only answers is never slowed, however fast
it is. Everything else is paid for by time. A bot pays for itself, on whatever connection it comes; who shows no token
that is known pays together with the others of its host. The organiser pays nothing.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final, Protocol, TypeVar, final

from fudaba.refusals import Refused
from fudaba.v1 import errors_pb2, play_pb2
from fudaba_serving.grpc.hosts import Hosts

__all__ = ["GATEWAY", "Caller", "Callers", "Credit", "Limits", "Pace", "Slowed", "replay_cost", "too_many_begun"]

log = logging.getLogger(__name__)

T = TypeVar("T")

GATEWAY: Final = "gateway"
"""Whose rate limits a gateway uses: those of the client whose address it names."""
_CALLS_BURST: Final = 10.0
"""How many seconds' worth of calls may come at once after a pause."""
_PEAK: Final = 5.0
"""So many times its rate is the pace of a caller's burst: all at once it would hold others up."""
_AT_ONCE: Final = 100.0
"""So many calls of somebody with a token are let in at once."""
_STRANGERS_AT_ONCE: Final = 40.0
"""So many are of a host, of whose callers nobody knows who they are."""
_MESSAGES_BURST: Final = 50.0
"""The same of messages."""
_PER_DECISION: Final = 2.0
"""What a decision is worth: its answer, and one that is refused."""
_DECISIONS_BURST: Final = 10_000.0
"""How much can be put by of that: a bot has at most this many matches."""
_SLOW_SECONDS: Final = 10.0
_LONGEST_WAIT: Final = 2.0
_QUOTA_AGAIN: Final = 10.0
"""Who is refused for a quota again within so many seconds hears of it later."""
_LOOKS: Final = "tokens"
"""The purse of a host that pays for looks at tokens."""
_READ_AT_ONCE: Final = 16
"""So many requests of a caller are read at once, each of which may be as large as a message may be."""
_READ_LATER: Final = 48
"""So many of strangers wait for that: when their client is gone, all of them end at one moment."""
_CALLERS_KEPT: Final = 10_000
_WARN_AGAIN: Final = 60.0
"""After this many seconds the log names the same sender again."""
_WARN_ANYBODY: Final = 1.0
"""After this many seconds it names another one: many senders must not fill it."""
_COSTS: Final = {
    "/fudaba.v1.PlayService/Play": 20.0,
    "/fudaba.v1.PlayService/WatchSeat": 5.0,
    "/fudaba.v1.MatchService/WatchMatch": 5.0,
    "/fudaba.v1.MatchService/ListMatches": 20.0,
    "/fudaba.v1.MatchService/CreateMatch": 20.0,  # and its record, in the end
    "/fudaba.v1.MatchService/CreateMatches": 20.0,
    "/fudaba.v1.MatchService/StreamRecords": 200.0,
    "/fudaba.v1.MatchService/StreamPositions": 5.0,
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo": 5.0,
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": 5.0,
    "/fudaba.v1.ArenaService/WatchTournament": 5.0,
    "/fudaba.v1.ArenaService/WatchLadder": 5.0,
    "/fudaba.v1.ArenaService/ListTournaments": 5.0,
    "/fudaba.v1.ArenaService/GetRatingHistory": 20.0,
    "/fudaba.v1.ArenaService/ExportTournament": 1_000.0,  # seconds of CPU where there are many blocks
    "/fudaba.v1.ArenaService/GetQueue": 5.0,  # all entries are looked at
    "/fudaba.v1.ArenaService/ListBlocks": 5.0,
    "/fudaba.v1.ArenaService/ListAnnulments": 5.0,
    "/fudaba.v1.ArenaService/ListTournamentMatches": 5.0,
    "/fudaba.v1.ArenaService/CreateChallenge": 5.0,
    "/fudaba.v1.ArenaService/ListChallenges": 20.0,
    "/fudaba.v1.ArenaService/CreateSubmission": 20.0,
    "/fudaba.v1.ArenaService/FinishSubmission": 20.0,
    "/fudaba.v1.ArenaService/ListSubmissions": 20.0,
    "/fudaba.v1.ArenaService/ListBotLogs": 5.0,
    "/fudaba.v1.ArenaService/GetBotLog": 2.0,
    "/fudaba.v1.ArenaService/ListKeptFolders": 2.0,
}
"""What a call costs; 1 if it is not named."""
_BYTES: Final = 1024
"""This many bytes of a request cost 1 more."""
_UPLOAD: Final = "/fudaba.v1.ArenaService/WriteSubmission"
_UPLOAD_BYTES: Final = 16 * 1024
"""This many bytes of an upload cost 1 more: they are only written, and quotas say how many there may be in a day."""
_VERIFY: Final = "/fudaba.v1.MatchService/VerifyRecord"
_SUBMIT: Final = "/fudaba.v1.PlayService/SubmitMove"
"""It comes at any pace: many matches may have their decisions at the same moment, and their clocks go on."""
_REPLAY_SHARE: Final = 0.01
"""How many whole matches may be replayed for each call that is allowed, to verify a record or to show it again."""
_REPLAY_BYTES: Final = 16 * 1024
"""This many bytes of a record count as one record more."""


class Limits(Protocol):
    """What the settings say. A rate of 0 is no limit."""

    @property
    def calls_per_second(self) -> float:
        """Calls of a caller."""

    @property
    def concurrent_calls(self) -> int:
        """Open calls of a caller."""

    @property
    def messages_per_second(self) -> float:
        """Messages of a bot on Play, besides its answers."""


class Slowed(Protocol):
    """What is counted here."""

    def slow(self, kind: str) -> None:
        """A `call` or a `message` has to wait because its sender is too fast."""


@final
class Credit:
    """What somebody may still send; it comes back with time. Whoever spends takes it off `left`."""

    __slots__ = ("_at", "_most", "_slow_since", "burst", "left", "rate", "whose")

    def __init__(self, rate: float, seconds: float, whose: str = "") -> None:
        self.whose = whose
        self.rate = rate
        self.burst = rate * seconds if rate else float("inf")
        self.left = self.burst
        self._most = self.burst + _DECISIONS_BURST
        self._at = time.monotonic()
        self._slow_since: float | None = None

    def spend(self, cost: float) -> None:
        """Takes off what was had already, however much is left; no more than comes back in one go."""
        self.left -= min(cost, self.burst)

    def earn(self) -> None:
        """A decision has been put."""
        if self.left < self._most:
            self.left += _PER_DECISION

    def refill(self) -> float:
        """Gives back what is due by now; how many seconds it takes until nothing is owed."""
        if not self.rate:  # nothing is counted, and nothing ever owed
            return 0.0
        now = time.monotonic()
        if self.left < self.burst:
            self.left = min(self.burst, self.left + (now - self._at) * self.rate)
        self._at = now
        return max(0.0, -self.left / self.rate)

    async def wait(self) -> bool:
        """Call it when more than all is spent: waits until it is paid back; whether that took time.

        Refuses who has had to wait for long, without having been quiet for a while in between.
        """
        seconds = self.refill()
        if self.left >= self.burst / 2:
            self._slow_since = None
        if not seconds:
            return False
        if self._slow_since is None:
            self._slow_since = self._at
        elif self._at - self._slow_since > _SLOW_SECONDS:
            raise Refused(
                errors_pb2.REASON_TOO_FAST,
                f"too many messages that answer no decision: {self.rate:g} a second are allowed, and answers besides; "
                "connect again later, and send one answer to each decision",
                retry_seconds=(self.burst / 2 - self.left) / self.rate,
            )
        await asyncio.sleep(seconds)
        return True


@final
class Pace:
    """Whoever comes too early waits: so many may come a second, and so many at once. A rate of 0 is no limit."""

    __slots__ = ("_at", "_at_once", "_left", "_rate")

    def __init__(self, rate: float, at_once: float) -> None:
        self._rate = rate
        self._at_once = self._left = at_once
        self._at = time.monotonic()

    def turn(self, cost: float = 1.0) -> float:
        """Counts one in, or several; how many seconds it has to wait for its turn, behind those that wait already."""
        if not self._rate:
            return 0.0
        now = time.monotonic()
        self._left = min(self._at_once, self._left + (now - self._at) * self._rate) - cost
        self._at = now
        return max(0.0, -self._left / self._rate)


@final
class Warnings:
    """Says in the log who sends too much, each sender and fault once in a while, and not all of them when many do."""

    def __init__(self) -> None:
        self._told: OrderedDict[str, float] = OrderedDict()
        self._next = 0.0

    def warn(self, whose: str, what: str) -> None:
        """Names a bot or a host and what comes of it."""
        now, about = time.monotonic(), f"{whose}: {what}"
        if now < self._next or now < self._told.get(about, 0.0):
            return
        self._next = now + _WARN_ANYBODY
        _keep(self._told, about, now + _WARN_AGAIN)
        log.warning("%s sends too much: %s", whose, what)


def too_many_begun() -> Refused:
    """The refusal of a call, of whose caller too many requests are not there yet."""
    message = "too many requests have begun and are not here yet, and no more are allowed at once; send them whole"
    return Refused(errors_pb2.REASON_TOO_FAST, message, retry_seconds=1.0)


@final
class Caller:
    """Who makes calls: a bot, or everybody of one host who shows no token that is known."""

    __slots__ = ("_most_to_read", "_quota_at", "_to_read", "at_once", "credit", "pace", "reading", "replays", "turn")

    def __init__(self, rate: float, whose: str, *, stranger: bool = True) -> None:
        self.credit = Credit(rate, _CALLS_BURST, whose)
        self.pace = Pace(rate * _PEAK, _STRANGERS_AT_ONCE if stranger else _AT_ONCE)
        self.replays = Credit(rate * _REPLAY_SHARE, _CALLS_BURST, whose)
        self.turn = asyncio.Lock()
        """Who has it is the one of its calls for which a match is replayed, or next."""
        self.at_once = 0
        self.reading = asyncio.Semaphore(_READ_AT_ONCE)
        """Who has it is one of its calls whose request is read."""
        self._to_read = 0
        self._most_to_read = _READ_AT_ONCE + _READ_LATER if stranger else None
        self._quota_at: float | None = None

    @contextmanager
    def to_read(self) -> Iterator[None]:
        """Counts in a call whose request is not there yet. Refuses strangers' when too many are not there."""
        if self._most_to_read is not None and self._to_read >= self._most_to_read:
            raise too_many_begun()
        self._to_read += 1
        try:
            yield
        finally:
            self._to_read -= 1

    async def over_quota(self) -> None:
        """It is refused for a quota. Who calls again at once is not worth an answer at once."""
        now, before = time.monotonic(), self._quota_at
        self._quota_at = now
        if before is not None and now < before + _QUOTA_AGAIN:
            await asyncio.sleep(_LONGEST_WAIT)

    def answered(self, response: play_pb2.SubmitMoveResponse) -> None:
        """A decision was answered by a call, which the decision pays for; not for its repetitions."""
        if not response.repeated_call:
            self.credit.earn()


@final
class Callers:
    """Everybody who has called lately."""

    def __init__(self, limits: Limits, metrics: Slowed, hosts: Hosts | None = None) -> None:
        self.hosts = hosts or Hosts()
        """From where calls come."""
        self._limits = limits
        self._metrics = metrics
        self._callers: OrderedDict[str, Caller] = OrderedDict()
        self._messages: OrderedDict[str, Credit] = OrderedDict()
        self._owners: OrderedDict[str, str] = OrderedDict()
        self._warnings = Warnings()

    def know(self, authorization: str, who: str) -> None:
        """A token is right; `who` has it, and is empty for whoever has no limits. Nobody else may spend its credit."""
        _keep(self._owners, authorization, who)

    def forget(self, authorization: str) -> None:
        """A token is wrong, or not right any more."""
        self._owners.pop(authorization, None)

    def knows(self, authorization: str) -> bool:
        """Whether it is known whose token this is."""
        return authorization in self._owners

    def is_gateway(self, authorization: str) -> bool:
        """Whether it is known that a gateway has this token."""
        return self._owners.get(authorization) == GATEWAY

    def messages(self, who: str) -> Credit:
        """What a bot may send on its Play streams, one after the other."""
        credit = self._messages.get(who) or Credit(self._limits.messages_per_second, _MESSAGES_BURST, who)
        _keep(self._messages, who, credit)
        return credit

    async def slow(self, credit: Credit) -> None:
        """Waits until a bot's messages are paid for. Refuses who goes on for long."""
        try:
            slowed = await credit.wait()
        except Refused:
            self._warnings.warn(credit.whose, "its stream is cut: too many messages for too long")
            raise
        if slowed:
            self._metrics.slow("message")
            self._warnings.warn(credit.whose, "its messages have to wait: too many answer no decision")

    @contextmanager
    def call(self, authorization: str, host: str, client: str = "") -> Iterator[Caller | None]:
        """Counts in a call for as long as it takes. Refuses one too many; gives None for who has no limits.

        `client` is the address of a gateway's client, who then uses the limits of that host.
        """
        owner = self._owners.get(authorization)
        if owner == GATEWAY:
            owner = client
        if owner == "" or not self._limits.calls_per_second:
            yield None
            return
        with self._counted(owner or host, stranger=not owner) as caller:
            yield caller

    @contextmanager
    def host(self, host: str, purse: str = "", most: int | None = None) -> Iterator[Caller | None]:
        """The same of a call for which its host pays, whatever token it shows, perhaps from a purse of its own.

        So many may be open, or as many as the limits say.
        """
        if not self._limits.calls_per_second:
            yield None
            return
        with self._counted(f"{host} {purse}".rstrip(), stranger=True, most=most) as caller:
            yield caller

    @asynccontextmanager
    async def look(self, host: str, looks: int = 1, through: str = "") -> AsyncIterator[None]:
        """Counts in a look at a token that was never seen, for as long as it takes. It may count as several.

        Its host pays, from a purse of its own: strangers there must not keep those out who have a token. There is one
        for each way `through` which calls come.
        """
        with self.host(host, f"{_LOOKS} {through}".rstrip()) as caller:
            if caller is not None:
                await self.pay(caller, "", 0, looks)
            yield

    @contextmanager
    def _counted(self, name: str, *, stranger: bool, most: int | None = None) -> Iterator[Caller]:
        caller = self._callers.get(name) or Caller(self._limits.calls_per_second, name, stranger=stranger)
        _keep(self._callers, name, caller)
        most = min(self._limits.concurrent_calls, most or self._limits.concurrent_calls)
        if caller.at_once >= most:
            message = f"{most} calls are open, and no more are allowed at once; wait until some are answered"
            self._warnings.warn(name, "it has too many open calls, and more are refused")
            raise Refused(errors_pb2.REASON_TOO_FAST, message, retry_seconds=1.0)
        caller.at_once += 1
        try:
            yield caller
        finally:
            caller.at_once -= 1

    async def pay(self, caller: Caller, method: str, size: int, calls: int = 1) -> None:
        """Pays for a call with a request of this many bytes: waits if need be, or refuses if that would take long.

        It may stand for several `calls`, and costs as much. What is more than can be put by is paid after it.
        """
        if method == _VERIFY:
            advice = "long ones count as several; use `fudaba record verify FILE`"
            await self._spend(caller.replays, replay_cost(size), " records to verify", advice)
        else:
            each = _UPLOAD_BYTES if method == _UPLOAD else _BYTES
            cost = max(1, calls) * _COSTS.get(method, 1.0) + size / each
            await self._spend(caller.credit, cost, "", "wait, and play over one Play stream", several=calls > 1)
            # The last of a whole burst waits two seconds.
            if method != _SUBMIT and (seconds := caller.pace.turn(min(cost, caller.credit.burst))):
                self._metrics.slow("call")
                await asyncio.sleep(seconds)

    async def pay_for_replay(self, caller: Caller, size: int) -> None:
        """Pays for showing a match again whose record has so many bytes: waits or refuses, as for a call."""
        advice = "long ones count as several; wait, or read records with `fudaba record get`"
        await self._spend(caller.replays, replay_cost(size), " archived matches to show again", advice)

    async def _spend(self, credit: Credit, cost: float, what: str, advice: str, *, several: bool = False) -> None:
        later = max(0.0, cost - credit.burst) if several else 0.0
        cost = min(cost, credit.burst)
        credit.left -= cost
        if credit.left < 0:
            await self._wait(credit, cost, what, advice)
        credit.left -= later

    async def _wait(self, credit: Credit, cost: float, what: str, advice: str) -> None:
        """Waits until a call is paid for; what it costs was taken off. Gives that back and refuses if it takes long."""
        seconds = credit.refill()
        if not seconds:
            return
        self._metrics.slow("call")
        if seconds > _LONGEST_WAIT:
            self._warnings.warn(credit.whose, "its calls are refused: there are too many")
            credit.left += cost
            # The refusal waits too: who calls again at once is not worth an answer at once.
            await asyncio.sleep(_LONGEST_WAIT)
            message = f"too many calls: {credit.rate:g}{what} a second are allowed; {advice}"
            raise Refused(errors_pb2.REASON_TOO_FAST, message, retry_seconds=seconds)
        await asyncio.sleep(seconds)


def replay_cost(size: int) -> float:
    """As how many replays one of a record of so many bytes counts."""
    return 1.0 + size / _REPLAY_BYTES


def _keep(kept: OrderedDict[str, T], name: str, value: T) -> None:
    """Keeps a value as the newest one; the oldest go."""
    kept[name] = value
    kept.move_to_end(name)
    if len(kept) > _CALLERS_KEPT:
        kept.popitem(last=False)
