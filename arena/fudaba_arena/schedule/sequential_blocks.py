"""The sequential test of a challenge, computed from the blocks that are stored."""

from __future__ import annotations

from statistics import fmean
from typing import final

from fudaba.sequential import SequentialRun, SequentialTest, Verdict
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.closed_block import MatchResult

__all__ = ["SequentialBlocks"]


@final
class SequentialBlocks:
    """A test of one bot of a tournament against another one, which sits in each of its matches.

    Blocks are taken in the order of their places in the schedule, whichever ends first, and each place once: a void
    block is skipped in favour of its replacement. A place whose attempts have all failed is passed over. So the verdict
    follows from the stored blocks, and stays the same when blocks that were still in play are closed after it.
    """

    def __init__(self, test: SequentialTest, state: ScheduledTournament, bot: str, other: str) -> None:
        schedule = state.schedule
        self.run = SequentialRun(test, schedule.matches // len(schedule))
        self._state = state
        self._bot = bot
        self._other = other
        [self._game] = state.tournament.games
        self._slot = 0

    @property
    def decided(self) -> bool:
        """Whether the test has its verdict, so that no more blocks are needed."""
        return self.run.verdict is not Verdict.UNDECIDED

    def look(self) -> bool:
        """Takes in the closed blocks. Returns whether the test is decided."""
        state, blocks = self._state, self._state.stored.blocks
        while not self.decided and self._slot < len(state.schedule):
            block = state.schedule.turn(self._slot, blocks.attempts)
            # A block that is parked because a bot was withdrawn may be in play, and still be filled.
            if not blocks.filled(self._slot) and not state.exhausted(block):
                break
            closed = blocks.block(block.number)
            if closed is not None and closed.counted:
                self.run.add(fmean(self._difference(match) for match in closed.counted))
            self._slot += 1
        return self.decided

    def _difference(self, match: MatchResult) -> float:
        """Returns by how much the bot outscored the other one, as a share of the largest difference that counts."""
        own, others = (match.scores[match.bots.index(bot)] for bot in (self._bot, self._other))
        return min(max((own - others) / self._game.win_margin, -1.0), 1.0)
