"""Splits a decision's time into the server's, the network's and the bot's. Only the bot's is charged.

Times within the process are monotonic seconds; times that replicas share are milliseconds of the store's clock.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, final

from fudaba.v1 import record_pb2
from fudaba_service.sessions.absences import Absences, Wait, covered_ms
from fudaba_service.store import Outage, Silence

__all__ = [
    "MAX_NETWORK_SECONDS",
    "SEND_GRACE_SECONDS",
    "DecisionClock",
    "Moment",
    "Pings",
    "ServerDelay",
    "Spent",
    "outage_ms",
]

MAX_NETWORK_SECONDS: Final = 0.3
"""The largest part of a decision's time that counts as the network's.

A bot's pongs show the round trip, so a bot that delays them gains as much at every decision. Honest round trips are
seldom longer.
"""
SEND_GRACE_SECONDS: Final = 1.0
"""The longest time that a decision may wait for its sending to a connected stream before its clock starts anyway."""
RECONNECT_GRACE_MS: Final = 3_000
"""The time that is added to each outage of the service, since bots have to reconnect."""
_JUST_NOW_SECONDS: Final = 0.005
_TICK_SECONDS: Final = 0.02
_IDLE_TICK_SECONDS: Final = 0.25
"""The same while nobody plays, when the beginning of a delay need not be known as exactly."""
_STIRRED_SECONDS: Final = 2.0
"""The time for which a process is not idle after a call, since a match may follow."""
_USUAL_LATENESS_SECONDS: Final = 0.002
"""The usual lateness of an event loop's timer."""
_MAX_ROUND_SECONDS: Final = 0.01
"""The duration of a round of the event loop above which it is a long one."""
_RECENT_PINGS_COUNT: Final = 8


class Moment(NamedTuple):
    """A moment of this process, and the server's delay until then, in seconds."""

    at: float
    delay: float


@final
class ServerDelay:
    """How late this process is: the sum of the delays of a task that wakes up regularly.

    Every bot alike waits for what piles up while the event loop is busy or the process is stopped. So the growth of
    `seconds` during a decision is the server's share of its time.
    """

    def __init__(self, silence: Silence, plays: Callable[[], bool] = lambda: True) -> None:
        """`plays` returns whether there are matches here. While there are none, delays are measured more roughly."""
        self._silence = silence
        self._plays = plays
        self._measured = 0.0
        self._due = float("inf")
        self._busy_until = float("-inf")
        self._stirred = asyncio.Event()

    def at(self, now: float) -> float:
        """Returns the sum until `now`, in seconds, including an ongoing delay. It is called at every move."""
        if now > self._due:
            # While this process is behind it cannot hear the store either: that is not counted twice.
            return self._measured + now - self._due + self._silence.at(self._due)
        return self._measured + self._silence.at(now)

    @property
    def silent(self) -> float:
        """The part of the sum from the store's silence, without what this process was too late to hear."""
        return max(0.0, self.at(time.monotonic()) - self._own())

    @property
    def behind(self) -> float:
        """The part of the sum that is this process's own, without the store's silence."""
        return self._own()

    def _own(self) -> float:
        return self._measured + max(0.0, time.monotonic() - self._due)

    def moment(self) -> Moment:
        """Returns the present moment."""
        now = time.monotonic()
        return Moment(now, self.at(now))

    def now(self) -> Moment:
        """Returns the present moment, to measure a bot's wait from."""
        self.stir()
        return self.moment()

    def since(self, moment: Moment) -> Wait:
        """Returns a bot's wait from that moment until now."""
        now = time.monotonic()
        return Wait(moment.at, now, self.at(now) - moment.delay)

    def stir(self) -> None:
        """Measures delays exactly from now on, since play may begin."""
        now = time.monotonic()
        self._busy_until = now + _STIRRED_SECONDS
        self._due = min(self._due, now + _TICK_SECONDS + _USUAL_LATENESS_SECONDS)
        self._stirred.set()

    async def run(self) -> None:
        """Measures until cancelled.

        A message passes through several rounds of the event loop before it is handled. While rounds are long, each
        counts in full: this task then runs in every round, and does not sleep.
        """
        wait = _TICK_SECONDS
        while True:
            allowed = wait + _USUAL_LATENESS_SECONDS if wait else _MAX_ROUND_SECONDS
            self._due = time.monotonic() + allowed
            if wait == _IDLE_TICK_SECONDS:
                await self._rest()
            else:
                await asyncio.sleep(wait)
            behind = self._own() - self._measured
            if behind and not wait:
                behind += allowed
            self._measured += behind
            self._silence.not_listened(behind)
            wait = 0.0 if behind else self._pace()

    def _pace(self) -> float:
        idle = time.monotonic() > self._busy_until and not self._plays()
        return _IDLE_TICK_SECONDS if idle else _TICK_SECONDS

    async def _rest(self) -> None:
        """Waits for the next tick while nobody plays, or until play may begin."""
        self._stirred.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(_IDLE_TICK_SECONDS):
                await self._stirred.wait()


@final
class Pings:
    """The recent round trips of one stream. The smallest one bounds the network's share."""

    def __init__(self, *, credited: bool) -> None:
        """`credited` says whether network time is credited at all."""
        self._credited = credited
        self._recent: deque[float] = deque(maxlen=_RECENT_PINGS_COUNT)
        self.network = 0.0
        """The network's share of one decision, in seconds; zero if none is credited, or without a pong."""

    def add(self, seconds: float) -> None:
        """Notes a round trip."""
        self._recent.append(seconds)
        if self._credited:
            self.network = min(*self._recent, MAX_NETWORK_SECONDS)


class Spent(NamedTuple):
    """How the time of a decision was spent, in seconds."""

    server: float
    network: float
    bot: float

    def to_proto(self, into: record_pb2.Spent) -> None:
        """Fills an empty message."""
        server, network, bot = self
        if server:
            into.server_us = int(server * 1e6)
        if network:
            into.network_us = int(network * 1e6)
        into.bot_us = int(bot * 1e6)


@final
class DecisionClock:
    """The clock of one open decision."""

    __slots__ = (
        "_delay_opened",
        "_delay_sent",
        "_opened",
        "_sent",
        "absences",
        "arrived",
        "arrived_ms",
        "away",
        "decision_id",
        "due",
        "here",
        "known",
        "watched",
    )

    def __init__(self, decision_id: str, opened: float, due: float, delay: float) -> None:
        self.decision_id = decision_id
        self.due = due
        """The earliest time at which time runs out."""
        self.away = 0.0
        """The seconds after the opening for which an outage kept the seat's bot away."""
        self.here = 0.0
        """The part of these seconds that is in the server's delay too."""
        self.known = opened
        """The time since which this process knows of the decision."""
        self.arrived_ms: int | None = None
        """The time when a stream of the seat came, if that was after the opening, by the store's clock."""
        self.arrived: float | None = None
        """The same, in this process's time."""
        self.absences: Absences | None = None
        """The time when the seat had no stream here, or had to wait for one, if there was such a time."""
        self.watched = False
        """Whether the seat's last stream here was not the way by which its answers come."""
        self._opened = opened
        self._sent: float | None = None
        self._delay_opened = self._delay_sent = delay

    def sent(self, at: float, delay: float) -> None:
        """Notes that the decision was written to its stream. Only the first time counts."""
        if self._sent is None:
            self._sent = at
            self._delay_sent = delay

    def is_new(self, now: float) -> bool:
        """Returns whether the decision was just opened and not yet sent, so that none of its time is spent."""
        return self._sent is None and now - self._opened < _JUST_NOW_SECONDS

    def opened_earlier(self, opened: float) -> None:
        """Notes that the decision was open before this process knew of it."""
        self.due += opened - self._opened
        self._opened = opened

    @property
    def costs_since(self) -> float | None:
        """The time from which the decision costs, which is when it was sent; None if that was too late, or has not
        happened.
        """
        sent = self._sent
        return None if sent is None or sent > self._opened + self.away + SEND_GRACE_SECONDS else sent

    @property
    def delay_since(self) -> float:
        """The time since which `spent` credits the server's delay."""
        return self.known if self.costs_since is None else self.costs_since

    def spent(self, now: float, delay: float, network: float, *, connected: bool, alone: bool = False) -> Spent:
        """Returns how the time until `now` was spent. `network` is the share of the stream, if one is `connected`.

        Unless this replica is `alone`, a seat may come from one that has died unnoticed, so it gets a moment to
        reconnect.
        """
        latest, sent = self._opened + self.away + SEND_GRACE_SECONDS, self._sent
        before = self._delay_opened + self.here  # that much is credited as time away already
        if self.arrived is not None and alone:
            # It was away when the decision was opened, and nobody but itself can have kept it away, outages apart. How
            # long the decision then took to be sent is not its fault.
            unsent = max(0.0, (now if sent is None else sent) - self.arrived)
            start = latest - SEND_GRACE_SECONDS + min(unsent, SEND_GRACE_SECONDS)
        elif sent is None:
            start = latest if connected else latest - SEND_GRACE_SECONDS
        elif sent <= latest:
            start, before = sent, self._delay_sent
        else:
            # What kept it from being sent in time may have been us.
            start = latest
        elapsed = max(0.0, now - start)
        server = min(elapsed, max(0.0, delay - before))
        network = min(network, elapsed - server)
        return Spent(server, network, elapsed - server - network)


def outage_ms(outages: Sequence[Outage], since_ms: int, until_ms: int, grace_ms: int = RECONNECT_GRACE_MS) -> int:
    """Returns how much of a span lay in outages of the service, each extended by a grace. Outages may overlap."""
    recent = [(start, end + grace_ms) for start, end, _ in outages if end + grace_ms > since_ms]  # of many, mostly none
    return covered_ms(recent, since_ms, until_ms)
