"""The clocks of one match: how much time each seat has left for its open decision, and when something is overdue.

The timers of a game's rules run by the store's time, so that they fire at the same moment on every replica.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from math import inf
from typing import Final, Protocol, final

from fudaba.replay import Replay
from fudaba_games.game import Timer
from fudaba_service.sessions.absences import Absences, Wait
from fudaba_service.sessions.followers import SeatFollower
from fudaba_service.sessions.time_spent import (
    MAX_NETWORK_SECONDS,
    RECONNECT_GRACE_MS,
    SEND_GRACE_SECONDS,
    DecisionClock,
    Moment,
    ServerDelay,
    Spent,
    outage_ms,
)
from fudaba_service.store import Outage

__all__ = ["LOOK_MARGIN_MS", "DecisionClocks", "TimeKeeper"]

LOOK_MARGIN_MS: Final = int((SEND_GRACE_SECONDS + MAX_NETWORK_SECONDS) * 1000)
"""The time, beyond its bot's own, for which a decision may stay open."""
_START_MS: Final = 60_000
"""The time that bots have to connect, unless the clock states one."""
_MAX_WAIT_MS: Final = 24 * 3_600_000
"""The time after which a match is given up even if its bots only have no room for it."""
_WAITING_KNOWN_MS: Final = 1_000
"""The time for which the bots that wait for room count as known."""
_HOME_FIRST_MS: Final = 500
"""The time after a timer's end at which other replicas look. By then, the holder of the match has fired the timer."""


class TimeKeeper(Protocol):
    """The process, from the clocks' side."""

    delay: ServerDelay

    @property
    def outages(self) -> list[Outage]:
        """The newest outages of the service."""

    @property
    def alone(self) -> bool:
        """Whether no other replica was here recently."""

    @property
    def lag_ms(self) -> int:
        """The time until the slowest of the other replicas receives news, in milliseconds."""

    @property
    def replica(self) -> str:
        """The name of this process among the replicas."""

    def now_ms(self) -> int:
        """Returns the store's time."""


class TimedMatch(Protocol):
    """The match, from the clocks' side; a `MatchCopy` is one."""

    @property
    def replay(self) -> Replay:
        """The match as replayed from its log so far."""


@final
class DecisionClocks:
    """A clock for each open decision of a match. `followers` are the present streams of the seats."""

    __slots__ = (
        "_asked", "_followers", "_keeper", "_match", "_move_ms", "_network_credit", "_waited", "_waited_known_ms",
        "due_at"
    )  # fmt: skip

    def __init__(self, keeper: TimeKeeper, match: TimedMatch, followers: Sequence[SeatFollower]) -> None:
        self._keeper = keeper
        self._match = match
        self._followers = followers
        clock = match.replay.header.clock  # each look into a message makes an object
        self._move_ms = clock.move_ms
        self._network_credit = not clock.no_network_credit
        self._asked: list[DecisionClock | None] = [None] * match.replay.seats
        self.due_at = inf
        """A time before which nothing can be overdue, computed as if all time were the bots'."""
        self._waited: dict[int, int] = {}
        """The time until which the bot of an untaken seat has waited here for room, as far as is known."""
        self._waited_known_ms = 0
        self.note_asked()

    def note_asked(self) -> None:
        """Starts a clock for every newly open decision, and stops the clocks of closed ones."""
        replay = self._match.replay
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
                self._asked[seat] = asked = DecisionClock(decision.id, now, due, self._keeper.delay.at(now))
            self.due_at = min(self.due_at, asked.due)
        if replay.timers:
            self.due_at = min(self.due_at, time.monotonic() + self._until_timer())

    def go_on(self) -> None:
        """Notes that the decisions are not new: their clocks have run since they were opened."""
        now_ms, now = self._keeper.now_ms(), time.monotonic()
        for asked, opened_ms in zip(self._asked, self._match.replay.opened_ms, strict=True):
            if asked is not None:
                asked.opened_earlier(now - (now_ms - opened_ms) / 1000)

    def arrived(self, seat: int, waits: Sequence[Wait], *, first: bool) -> None:
        """Notes the arrival of a seat's stream, after these waits.

        If it is the `first`, an outage may have kept the seat away until now.
        """
        asked, now_ms, now = self._asked[seat], self._keeper.now_ms(), time.monotonic()
        if asked is None:
            return
        absences = asked.absences = asked.absences or Absences()
        for wait in waits:
            absences.waited(wait, now_ms, now)
        if first:
            asked.arrived_ms, asked.arrived = now_ms, now
            absences.returned(now_ms, self._keeper.delay.at(now))

    def left(self, seat: int, *, anywhere: bool) -> None:
        """Notes that the last stream of a seat has ended. With `anywhere`, its answers may come by another way than
        that stream.
        """
        asked = self._asked[seat]
        if asked is not None:
            asked.watched = anywhere
            asked.absences = asked.absences or Absences()
            asked.absences.left(self._keeper.now_ms(), self._keeper.delay.at(time.monotonic()))

    def sent(self, seat: int, decision_id: str, moment: Moment) -> None:
        """Notes when a decision was written to a stream of its seat: its clock starts."""
        asked = self._asked[seat]
        if asked is not None and asked.decision_id == decision_id:
            asked.sent(moment.at, moment.delay)

    def spent(self, seat: int, now: float) -> Spent:
        """Returns how the time of a seat's open decision was spent until `now`."""
        asked = self._asked[seat]
        if asked is None:
            return Spent(0.0, 0.0, 0.0)
        network, connected, anywhere = 0.0, False, True
        for follower in self._followers:
            if follower.seat == seat:
                connected = True
                anywhere = anywhere and follower.anywhere
                if self._network_credit:
                    network = max(network, follower.network())
        if asked.arrived_ms is not None or not connected:
            # Where the seat was told of its decision, if not here, that may have been as late as this.
            outages = self._outages(asked, anywhere=anywhere)
            asked.away = (self._away_ms(seat, outages) + self._keeper.lag_ms) / 1000
            asked.here = self._here(seat, outages, now - asked.known)
        alone = asked.arrived is not None and self._keeper.alone
        spent = asked.spent(now, self._keeper.delay.at(now), network, connected=connected, alone=alone)
        kept = 0.0
        if asked.absences is not None:
            kept = self._kept_waiting(asked.absences, seat, asked, now, anywhere=anywhere)
        if anywhere and (connected or asked.watched):
            tried = self._tried_in_vain(seat, asked, spent, now)
            # The absences of a stream that came again, or has just ended, lay in outages, too.
            kept = kept + tried if connected and asked.arrived_ms is None else max(kept, tried)
        kept = min(spent.bot, kept)
        return Spent(spent.server + kept, spent.network, spent.bot - kept) if kept > 0 else spent

    def _tried_in_vain(self, seat: int, asked: DecisionClock, spent: Spent, now: float) -> float:
        """Returns the seconds during which an answer may have been tried in vain at a replica that is out of
        service.
        """
        outages, now_ms = self._keeper.outages, self._keeper.now_ms()
        since_ms = self._match.replay.opened_ms[seat]
        if asked.arrived_ms is not None:
            if asked.costs_since is None:
                return 0.0  # it has cost nothing yet, or all outages are credited as time away
            since_ms = max(since_ms, now_ms - int((now - asked.costs_since) * 1000))
        twice = min(spent.server, self._here(seat, outages, now - asked.delay_since))
        return max(0.0, outage_ms(outages, since_ms, now_ms + RECONNECT_GRACE_MS) / 1000 - twice)

    def _kept_waiting(
        self, absences: Absences, seat: int, asked: DecisionClock, now: float, *, anywhere: bool
    ) -> float:
        """Returns the seconds for which the service kept a seat's bot waiting or away, beyond what is already
        credited.
        """
        outages = [(start, end + RECONNECT_GRACE_MS) for start, end, _ in self._outages(asked, anywhere=anywhere)]
        if asked.costs_since is None:
            return absences.beyond(outages, self._match.replay.opened_ms[seat])
        now_ms = self._keeper.now_ms()
        since_ms = now_ms - int((now - asked.costs_since) * 1000)
        return absences.within(outages, since_ms, now_ms, self._keeper.delay.at(now))

    def time_left_ms(self, seat: int) -> int:
        """Returns the time that a seat has left for its open decision, bank included."""
        replay, asked, now = self._match.replay, self._asked[seat], time.monotonic()
        budget = replay.budget_us(seat)
        if asked is not None and asked.is_new(now):
            left = budget // 1000
        else:
            left = max(0, int((budget - self.spent(seat, now).bot * 1e6) / 1000))
        for timer, since in replay.timers.items():
            if timer.closing:
                left = min(left, max(0, self._ends_ms(timer, since) - self._keeper.now_ms()))
        return left

    def overdue_timer(self, ago: float = 0.0) -> Timer | None:
        """Returns a timer of the game that ended this many seconds ago or earlier: the first one of several."""
        timers = self._match.replay.timers
        if not timers:
            return None
        ends = {timer: self._ends_ms(timer, since) for timer, since in timers.items()}
        first = min(ends, key=lambda timer: ends[timer])
        return first if ends[first] <= self._keeper.now_ms() - int(ago * 1000) else None

    def grace(self, seat: int) -> float:
        """Returns the seconds after the end of its time at which a seat's decision is closed here.

        The replica with the seat's stream knows its clock best. Others give it time to act first.
        """
        connected = any(follower.seat == seat for follower in self._followers)
        return 0.0 if connected else LOOK_MARGIN_MS / 1000 + 0.5

    @property
    def start_deadline_ms(self) -> int:
        """The time when the match is given up unless all bots have connected."""
        header = self._match.replay.header
        created = header.create_time.ToMilliseconds()
        away = outage_ms(self._keeper.outages, created, self._keeper.now_ms() + RECONNECT_GRACE_MS)
        deadline = created + self._start_ms + away
        missing = [seat for seat in range(self._match.replay.seats) if seat not in self._match.replay.ready]
        if any(seat not in self._waited for seat in missing) or self._keeper.now_ms() > created + _MAX_WAIT_MS:
            return deadline
        return max(deadline, min((self._waited[seat] for seat in missing), default=0) + self._start_ms)

    @property
    def _start_ms(self) -> int:
        return self._match.replay.header.clock.start_ms or _START_MS

    def wait_for_room(self, until: Mapping[int, int]) -> None:
        """Notes until when, in the store's time, the bots of untaken seats have waited here for room."""
        self._waited = dict(until)
        self._waited_known_ms = self._keeper.now_ms()

    @property
    def knows_who_waits(self) -> bool:
        """Whether that was just looked up."""
        return self._keeper.now_ms() - self._waited_known_ms < _WAITING_KNOWN_MS

    def absent(self, missing: Sequence[int]) -> list[int]:
        """Returns which of these seats were not taken in time by their bots, once a match is overdue."""
        now_ms, created = self._keeper.now_ms(), self._match.replay.header.create_time.ToMilliseconds()
        if now_ms > created + _MAX_WAIT_MS:
            return list(missing)
        return [seat for seat in missing if now_ms >= self._waited.get(seat, 0) + self._start_ms]

    def look_ms(self, timers: Mapping[Timer, int], *, begun: bool) -> int:
        """Returns when some replica must look at the match with these timers, in case this replica has gone by then."""
        if not begun:
            return self.start_deadline_ms
        # Before anybody's time can be up, banks left out: whoever looks too early just looks again.
        look_ms = self._keeper.now_ms() + self._move_ms + LOOK_MARGIN_MS
        return min(look_ms, self.ends_ms(timers) + _HOME_FIRST_MS) if timers else look_ms

    def wait_seconds(self) -> float | None:
        """Returns the seconds until the start, a decision or a timer of the game is overdue; None if nothing ever
        is.
        """
        if not self._match.replay.started:
            return (self.start_deadline_ms - self._keeper.now_ms()) / 1000
        now = time.monotonic()
        waits = [
            self._match.replay.budget_us(seat) / 1e6 - self.spent(seat, now).bot + self.grace(seat)
            for seat, asked in enumerate(self._asked)
            if asked is not None
        ]
        if self._match.replay.timers:
            waits.append(self._until_timer())
        return min(waits, default=None)

    def _until_timer(self) -> float:
        """Returns the seconds until a timer of the game is overdue."""
        return (self.ends_ms(self._match.replay.timers) - self._keeper.now_ms()) / 1000

    def ends_ms(self, timers: Mapping[Timer, int]) -> int:
        """Returns when the first of these timers ends, given their starts."""
        return min(self._ends_ms(timer, since) for timer, since in timers.items())

    def _ends_ms(self, timer: Timer, since: int) -> int:
        """Returns when a timer ends. Outages in which a seat could not act prolong it."""
        here = {follower.seat for follower in self._followers}
        outages = self._keeper.outages
        if len(here) == self._match.replay.seats:
            outages = [outage for outage in outages if outage.replica in {"", self._keeper.replica}]
        away = outage_ms(outages, since, self._keeper.now_ms() + RECONNECT_GRACE_MS)
        return since + timer.ms + away

    def _outages(self, asked: DecisionClock, *, anywhere: bool) -> list[Outage]:
        """Returns the outages that may have kept a seat's bot away.

        A bot with a stream here was not kept away, unless its answers may come by another way (`anywhere`).
        """
        outages = self._keeper.outages
        if asked.arrived_ms is not None and not anywhere:
            return [outage for outage in outages if outage.start <= asked.arrived_ms]
        return outages

    def _away_ms(self, seat: int, outages: Sequence[Outage]) -> int:
        """Returns the seconds for which outages have kept a seat's bot away since its decision was opened."""
        # The time that bots get to connect again may not be over yet: then the clock starts in the future.
        until_ms = self._keeper.now_ms() + RECONNECT_GRACE_MS
        return outage_ms(outages, self._match.replay.opened_ms[seat], until_ms)

    def _here(self, seat: int, outages: Sequence[Outage], seconds: float) -> float:
        """Returns how many of the last seconds since a seat's decision was opened lay in outages of this replica.

        They are already in its delay, and must not be credited a second time. Outages of all replicas are also its own.
        """
        here = [outage for outage in outages if outage.replica in {"", self._keeper.replica}]
        if not here:
            return 0.0
        now_ms = self._keeper.now_ms()
        since_ms = max(self._match.replay.opened_ms[seat], now_ms - int(seconds * 1000))
        return outage_ms(here, since_ms, now_ms, 0) / 1000
