"""Times a match in process: bots act in turn, timers of the game fire, a hand moves at its pace."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import Any, NamedTuple, Protocol, final

from fudaba_games.game import Timer
from fudaba_games.match import Match, OpenDecision

__all__ = ["Due", "Stopwatch", "Timing", "WallClock"]


class Stopwatch(Protocol):
    """Measures time, and waits for it to pass."""

    def now_ms(self) -> int:
        """Returns the time in milliseconds since some moment."""

    async def wait(self, until_ms: int | None, woken: asyncio.Event) -> None:
        """Returns at that time (None: never), or once `woken` is set."""


@final
class WallClock(Stopwatch):
    """Real time, for a person."""

    def now_ms(self) -> int:
        """See `Stopwatch`."""
        return time.monotonic_ns() // 1_000_000

    async def wait(self, until_ms: int | None, woken: asyncio.Event) -> None:
        """See `Stopwatch`."""
        seconds = None if until_ms is None else max(0, until_ms - self.now_ms()) / 1000
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await woken.wait()


@final
class Due(NamedTuple):
    """The bot that acts next."""

    at_ms: int
    decision: OpenDecision[Any]


@final
class Timing:
    """The times of one match. `person` is the seat that acts at will. Nothing runs before `begin`."""

    def __init__(self, match: Match[Any, Any, Any, Any], person: int, pace_ms: int) -> None:
        self._match = match
        self._person = person
        self._pace_ms = pace_ms
        self._timers: dict[Timer, int] = {}
        """The timers that run, and since when."""
        self._free_ms = [0] * match.seats
        """The time before which a bot does not move again in a game in which everybody may move at any time."""
        self._acted = [0] * match.seats
        """The moment when each seat acted last, counted in acts of all."""
        self._acts = 0
        self._standing: set[int] = set()
        self._hand_ms = 0
        self._followed_ms = 0
        """The time when a person has had time to follow what was shown last."""

    def begin(self, now_ms: int) -> None:
        """Notes the beginning of the match. If everybody may move at any time, the bots' first moves are spread over
        the pace.
        """
        bots = [seat for seat in range(self._match.seats) if seat != self._person]
        for number, seat in enumerate(bots, 1):
            self._free_ms[seat] = now_ms + self._pace_ms * number // len(bots)
        self._standing = self._standing_seats()
        self._note_timers(now_ms)

    def changed(self, now_ms: int) -> None:
        """Notes an event: timers start and end, and idle bots look again."""
        stands = self._standing_seats()
        for seat in stands - self._standing:
            self._free_ms[seat] = max(self._free_ms[seat], now_ms + self._pace_ms)
        self._standing = stands
        self._note_timers(now_ms)

    def acts(self, seat: int, pause_ms: int, now_ms: int) -> None:
        """Notes that a seat makes a move that keeps its hand busy for this time."""
        self._acts += 1
        self._acted[seat] = self._acts
        if seat != self._person:
            self._free_ms[seat] = now_ms + max(pause_ms, self._pace_ms)
        elif pause_ms:
            self._hand_ms = now_ms + pause_ms

    def shown(self, now_ms: int) -> None:
        """Notes that the person sees the others' moves and has nothing else to do."""
        self._followed_ms = now_ms + self._pace_ms

    def hand_free_ms(self) -> int:
        """Returns when the person's hand is free."""
        return self._hand_ms

    def due(self) -> Due | None:
        """Returns the bot that acts next: of several, the one that has not acted for longest."""
        due = [
            Due(self._acts_ms(open_decision), open_decision)
            for open_decision in self._match.open_decisions()
            if open_decision.seat != self._person
        ]
        return min(due, key=lambda due_bot: (due_bot.at_ms, self._acted[due_bot.decision.seat]), default=None)

    def overdue(self, now_ms: int) -> Timer | None:
        """Returns the timer that must fire: of several, the one that ended first."""
        first = min(self._timers, key=self._ends_ms, default=None)
        return first if first is not None and self._ends_ms(first) <= now_ms else None

    def next_timer_ms(self) -> int | None:
        """Returns when the next timer fires, if nothing happens before that."""
        return min(map(self._ends_ms, self._timers), default=None)

    def left_ms(self, now_ms: int) -> int:
        """Returns how long the decisions stay open that a timer closes; 0 if none does."""
        ends = [self._ends_ms(timer) for timer in self._timers if timer.closing]
        return max(1, min(ends) - now_ms) if ends else 0

    def _acts_ms(self, decision: OpenDecision[Any]) -> int:
        if decision.standing:
            return self._free_ms[decision.seat]
        # While a pause runs out, an answer changes nothing yet: there is nothing to follow, and no time to lose.
        return 0 if any(timer.closing for timer in self._timers) else self._followed_ms

    def _ends_ms(self, timer: Timer) -> int:
        return self._timers[timer] + timer.ms

    def _standing_seats(self) -> set[int]:
        return {decision.seat for decision in self._match.open_decisions() if decision.standing}

    def _note_timers(self, now_ms: int) -> None:
        self._timers = {timer: self._timers.get(timer, now_ms) for timer in self._match.timers()}
