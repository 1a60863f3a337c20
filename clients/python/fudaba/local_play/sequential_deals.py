"""The sequential test of two programs that play locally: a deal in all seatings is one observation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import final

from fudaba.local_play.plan import PlannedMatch
from fudaba.local_play.results import PlayedMatch
from fudaba.seatings import seating_count
from fudaba.sequential import SequentialRun, SequentialTest, Verdict

__all__ = ["SequentialDeals"]


@final
class SequentialDeals:
    """A test of the first contestant against the second one, which has all other seats.

    Deals are taken in the order of their numbers, whatever the order in which their matches end: quick matches end
    first, and may differ from long ones.
    """

    def __init__(self, test: SequentialTest, seats: int) -> None:
        self.run = SequentialRun(test, seating_count(seats))
        self._waiting: dict[int, list[float | None]] = {}
        """The score differences in the matches of incomplete deals; None for a match without scores."""
        self._next = 0

    @property
    def decided(self) -> bool:
        """Whether the test has its verdict, so that no more matches are needed."""
        return self.run.verdict is not Verdict.UNDECIDED

    def note(self, played: PlayedMatch) -> None:
        """Notes a match. The test takes in complete deals, and leaves out a deal with a match that has no result."""
        self._waiting.setdefault(played.match.deal, []).append(_difference(played))
        while len(self._waiting.get(self._next, ())) == self.run.matches_per_block:
            differences = self._waiting.pop(self._next)
            self._next += 1
            known = [difference for difference in differences if difference is not None]
            if len(known) == len(differences):
                self.run.add(fmean(known))

    def until_decided(self, plan: Iterable[PlannedMatch]) -> Iterator[PlannedMatch]:
        """Yields the matches to play, until the test is decided."""
        for match in plan:
            if self.decided:
                return
            yield match


def _difference(played: PlayedMatch) -> float | None:
    """Returns the first contestant's score minus the average of the others; None without scores."""
    if played.scores is None:
        return None
    own = played.match.order.index(0)
    return played.scores[own] - fmean(score for seat, score in enumerate(played.scores) if seat != own)
