"""The clocks of one match: how much time each seat has left for its open decision, and when something is overdue.

The timers of a game's rules run by the store's time, so that every replica has them ring at the same moment.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from math import inf
from typing import Final, Protocol, final

from fudaba.replay import Replay
from fudaba_games.game import Timer
from fudaba_service.sessions.clock import (
    NETWORK_LIMIT,
    RECONNECT_GRACE_MS,
    SEND_GRACE,
    Asked,
    ServerDelay,
    Spent,
    outage_ms,
)
from fudaba_service.sessions.followers import SeatFollower

__all__ = ["LOOK_MARGIN_MS", "Clocks", "TimeKeeper"]

LOOK_MARGIN_MS: Final = int((SEND_GRACE + NETWORK_LIMIT) * 1000)
"""How much longer than its bot's time a decision may stay open."""
_START_MS: Final = 60_000
"""How long bots have to connect, unless the clock says."""
_HOME_FIRST_MS: Final = 500
"""How much later than a timer ends the other replicas look: whoever holds the match has rung it by then."""


class TimeKeeper(Protocol):
    """What clocks need of their process."""

    delay: ServerDelay
    outages: list[tuple[int, int]]

    def now_ms(self) -> int:
        """The store's time."""


@final
class Clocks:
    """One clock for each open decision of `replay`. `followers` are the streams of the seats, whoever they are now."""

    def __init__(self, keeper: TimeKeeper, replay: Replay, followers: Sequence[SeatFollower]) -> None:
        self._keeper = keeper
        self._replay = replay
        self._followers = followers
        self._asked: list[Asked | None] = [None] * replay.seats
        self.due_at = inf
        """A time before which nothing can be overdue: the clocks as if all time were the bots'."""
        self.note_asked()

    def note_asked(self) -> None:
        """Starts a clock for every decision that is newly open, and stops those of the others."""
        replay = self._replay
        if not replay.started:
            return
        self.due_at = inf
        for seat, decision in enumerate(replay.match.open_by_seat()):
            asked = self._asked[seat]
            if decision is None:
                self._asked[seat] = None
                continue
            if asked is None or asked.decision_id != decision.id:
                now = time.monotonic()
                due = now + replay.budget_us(seat) / 1e6
                self._asked[seat] = asked = Asked(decision.id, now, due, self._keeper.delay.at(now))
            self.due_at = min(self.due_at, asked.due)
        if replay.timers:
            self.due_at = min(self.due_at, time.monotonic() + self._until_timer())

    def go_on(self) -> None:
        """The decisions are not new: their clocks have run since they were opened."""
        now_ms, now = self._keeper.now_ms(), time.monotonic()
        for asked, opened_ms in zip(self._asked, self._replay.opened_ms, strict=True):
            if asked is not None:
                asked.opened_earlier(now - (now_ms - opened_ms) / 1000)

    def arrived(self, seat: int) -> None:
        """The first stream of a seat comes: what kept it away until now may have been an outage."""
        asked = self._asked[seat]
        if asked is not None:
            asked.arrived_ms = self._keeper.now_ms()

    def sent(self, seat: int, decision_id: str) -> None:
        """A decision has been written to a stream of its seat: its clock starts."""
        asked = self._asked[seat]
        if asked is not None and asked.decision_id == decision_id:
            now = time.monotonic()
            asked.sent(now, self._keeper.delay.at(now))

    def spent(self, seat: int, now: float) -> Spent:
        """How the time of a seat's open decision was spent until `now`."""
        asked = self._asked[seat]
        if asked is None:
            return Spent(0.0, 0.0, 0.0)
        network, connected = 0.0, False
        for follower in self._followers:
            if follower.seat == seat:
                network, connected = max(network, follower.network()), True
        if asked.arrived_ms is not None or not connected:
            asked.away = self._away_ms(seat, asked) / 1000
        return asked.spent(now, self._keeper.delay.at(now), network, connected=connected)

    def time_left_ms(self, seat: int) -> int:
        """How much of its time a seat has left for its open decision, bank included."""
        budget, asked, now = self._replay.budget_us(seat), self._asked[seat], time.monotonic()
        if asked is not None and asked.is_new(now):
            left = budget // 1000
        else:
            left = max(0, int((budget - self.spent(seat, now).bot * 1e6) / 1000))
        for timer, since in self._replay.timers.items():
            if timer.closing:
                left = min(left, max(0, self._ends_ms(timer, since) - self._keeper.now_ms()))
        return left

    def overdue_timer(self) -> Timer | None:
        """A timer of the game whose time has passed, if there is one: of several the one that ended first."""
        timers = self._replay.timers
        if not timers:
            return None
        ends = {timer: self._ends_ms(timer, since) for timer, since in timers.items()}
        first = min(ends, key=lambda timer: ends[timer])
        return first if ends[first] <= self._keeper.now_ms() else None

    def grace(self, seat: int) -> float:
        """How many seconds later than its time is up a seat's decision is closed here.

        A replica that has the seat's stream knows its clock best; others leave it the time to act first.
        """
        connected = any(follower.seat == seat for follower in self._followers)
        return 0.0 if connected else LOOK_MARGIN_MS / 1000 + 0.5

    @property
    def start_deadline_ms(self) -> int:
        """When the match is given up if not all bots have connected."""
        header = self._replay.header
        created, wait = header.create_time.ToMilliseconds(), header.clock.start_ms or _START_MS
        away = outage_ms(self._keeper.outages, created, self._keeper.now_ms() + RECONNECT_GRACE_MS)
        return created + wait + away

    def look_ms(self, timers: Mapping[Timer, int], *, begun: bool) -> int:
        """When some replica must look at the match, with these timers, in case this one is gone by then."""
        if not begun:
            return self.start_deadline_ms
        # Before anybody's time can be up, banks left out: whoever looks too early just looks again.
        look_ms = self._keeper.now_ms() + self._replay.header.clock.move_ms + LOOK_MARGIN_MS
        return min(look_ms, self.ends_ms(timers) + _HOME_FIRST_MS) if timers else look_ms

    def wait_seconds(self) -> float | None:
        """How long until the start, a decision or a timer of the game is overdue; None when nothing ever is."""
        if not self._replay.started:
            return (self.start_deadline_ms - self._keeper.now_ms()) / 1000
        now = time.monotonic()
        waits = [
            self._replay.budget_us(seat) / 1e6 - self.spent(seat, now).bot + self.grace(seat)
            for seat, asked in enumerate(self._asked)
            if asked is not None
        ]
        if self._replay.timers:
            waits.append(self._until_timer())
        return min(waits, default=None)

    def _until_timer(self) -> float:
        """How many seconds until a timer of the game is overdue."""
        return (self.ends_ms(self._replay.timers) - self._keeper.now_ms()) / 1000

    def ends_ms(self, timers: Mapping[Timer, int]) -> int:
        """When the first of these timers ends; each with since when it runs."""
        return min(self._ends_ms(timer, since) for timer, since in timers.items())

    def _ends_ms(self, timer: Timer, since: int) -> int:
        """When a timer's time has passed. Outages of the service, in which nobody could act, prolong it."""
        away = outage_ms(self._keeper.outages, since, self._keeper.now_ms() + RECONNECT_GRACE_MS)
        return since + timer.ms + away

    def _away_ms(self, seat: int, asked: Asked) -> int:
        """For how long an outage has kept a seat's bot away since its decision was opened."""
        # The time that bots get to connect again may not be over yet: then the clock starts in the future.
        until_ms = self._keeper.now_ms() + RECONNECT_GRACE_MS
        outages = self._keeper.outages
        if asked.arrived_ms is not None:
            outages = [outage for outage in outages if outage[0] <= asked.arrived_ms]
        return outage_ms(outages, self._replay.opened_ms[seat], until_ms)
