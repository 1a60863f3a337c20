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

    Deals are taken in the order of their numbers, in whichever order their matches end: where several are played at
    once, quick matches end first, and may go differently from long ones.
    """

    def __init__(self, test: SequentialTest, seats: int) -> None:
        self.run = SequentialRun(test, seating_count(seats))
        self._waiting: dict[int, list[float | None]] = {}
        """The differences of the matches of deals that are not taken in yet; None for a match without scores."""
        self._next = 0

    @property
    def decided(self) -> bool:
        """Whether the test has its verdict, so that nothing more is to be played."""
        return self.run.verdict is not Verdict.UNDECIDED

    def note(self, played: PlayedMatch) -> None:
        """Notes a match. Deals that are complete are taken in; a deal with a match that came to nothing is left out."""
        self._waiting.setdefault(played.match.deal, []).append(_difference(played))
        while len(self._waiting.get(self._next, ())) == self.run.matches_per_block:
            differences = self._waiting.pop(self._next)
            self._next += 1
            known = [difference for difference in differences if difference is not None]
            if len(known) == len(differences):
                self.run.add(fmean(known))

    def until_decided(self, plan: Iterable[PlannedMatch]) -> Iterator[PlannedMatch]:
        """Gives the matches that are to be played, for as long as the test is not decided."""
        for match in plan:
            if self.decided:
                return
            yield match


def _difference(played: PlayedMatch) -> float | None:
    """Returns what the first contestant scored more than the others did on average; None without scores."""
    if played.scores is None:
        return None
    own = played.match.order.index(0)
    return played.scores[own] - fmean(score for seat, score in enumerate(played.scores) if seat != own)
