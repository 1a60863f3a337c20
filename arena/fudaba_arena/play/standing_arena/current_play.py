"""The present play of a tournament in a standing arena. Nothing is played without a runner."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import final

from fudaba_arena.play.seasons.block_chooser import Chooser
from fudaba_arena.play.seasons.presence import Presence
from fudaba_arena.play.tournaments.tournament_runner import TournamentRunner
from fudaba_arena.schedule.block_plan import BlockPlan
from fudaba_arena.schedule.idle_reasons import IdleCause, IdleReason
from fudaba_arena.schedule.shares import Share
from fudaba_arena.schedule.state import ScheduledTournament

__all__ = ["CurrentPlay"]


@final
class CurrentPlay:
    """The runner that plays a tournament here, if there is one, and for a season the chooser of its blocks."""

    def __init__(self) -> None:
        self._runner: TournamentRunner | None = None
        self._chooser: Chooser | None = None

    @contextmanager
    def by(self, runner: TournamentRunner, chooser: Chooser | None) -> Iterator[None]:
        """Sets the runner and the chooser until the context is left."""
        self._runner, self._chooser = runner, chooser
        try:
            yield
        finally:
            self._runner = self._chooser = None

    def __bool__(self) -> bool:
        return self._runner is not None

    @property
    def plan(self) -> BlockPlan | None:
        """The plan being played; None if nothing is played."""
        return self._runner.plan if self._runner is not None else None

    def opened_ms(self, number: int) -> int:
        """Returns the time when a block was opened, in milliseconds since 1970; 0 if it is not open."""
        return self._runner.opened_ms.get(number, 0) if self._runner is not None else 0

    @property
    def matches(self) -> int:
        """The number of matches in play."""
        return self._runner.running if self._runner is not None else 0

    @property
    def waits_for_room(self) -> bool:
        """Whether any match waits for room."""
        return self._runner is not None and self._runner.waits_for_room

    def shares(self) -> tuple[Mapping[str, Share], Collection[str]] | None:
        """Returns the shares from a season's chooser, see `Chooser.shares`; None if there is no chooser."""
        return self._chooser.shares() if self._chooser is not None else None

    def idle_reason(self) -> IdleReason | None:
        """Returns the reason from the chooser of a season, see `Chooser.idle_reason`; None if there is no chooser."""
        return self._chooser.idle_reason() if self._chooser is not None else None

    def held_back(self) -> IdleReason | None:
        """Returns the maintenance that keeps blocks back now; None if there is none."""
        hold = self._runner.maintenance_hold if self._runner is not None else None
        return IdleReason(IdleCause.MAINTENANCE, ends_ms=hold.until_ms) if hold else None

    def stop(self, *, at_once: bool = False) -> None:
        """Stops playing when the matches in play are over, or at once."""
        if self._runner is not None:
            self._runner.stop.set()
            if at_once:
                self._runner.hurry.set()

    def look_again(self, state: ScheduledTournament, presence: Presence) -> None:
        """Makes the runner look for blocks again. It calls off blocks that wait for bots that may not play now."""
        if self._runner is None:
            return
        bots = state.entrants.values()
        self._runner.call_off(
            {bot.name for bot in bots if presence.barred(bot)},
            {bot.name for bot in bots if presence.holds_up(bot)},
        )
        self._runner.look_again()
