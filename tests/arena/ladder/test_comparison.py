"""Two bots that met: what each took, and intervals in which a block is one observation."""

from __future__ import annotations

import pytest

from fudaba.intervals import MeanEstimate, estimate
from fudaba_arena.ladder.comparison import compared
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult, VoidBlock


def block(number: int, *scores: tuple[int, ...], bots: tuple[str, ...] = ("a", "b")) -> ClosedBlock:
    """Returns a block that counts, in which the bots change seats from match to match."""
    turned = [(bots[place:] + bots[:place], points[place:] + points[:place]) for place, points in enumerate(scores)]
    matches = [
        MatchResult(f"m{number}{place}", number, place, seats, points) for place, (seats, points) in enumerate(turned)
    ]
    return ClosedBlock(number, number, "naga", tuple(matches), len(matches))


def test_intervals_are_students_over_blocks() -> None:
    # Of 1, 2, 3 and 6: the mean is 3, the deviation √(14/3), and the table has 3.182446 for three degrees of freedom.
    found = estimate([1, 2, 3, 6])
    assert found is not None
    assert found.value == 3
    assert found.half == pytest.approx(3.182446 * (14 / 3) ** 0.5 / 2, rel=1e-6)


def test_one_block_is_no_interval_nor_are_several_that_went_alike_and_none_is_no_mean() -> None:
    assert estimate([0.5]) == MeanEstimate(0.5, None)
    assert estimate([0.5, 0.5, 0.5]) == MeanEstimate(0.5, None)
    assert estimate([]) is None
    nothing = compared([], "a", "b", 2)
    assert (nothing.wins, nothing.draws, nothing.losses, nothing.share, nothing.points) == (0, 0, 0, None, None)


def test_each_match_counts_between_the_two_from_whichever_seat() -> None:
    blocks = [block(0, (3, -3), (1, -1)), block(1, (-2, 2), (0, 0))]
    a, b = compared(blocks, "a", "b", 4), compared(blocks, "b", "a", 4)
    assert (a.wins, a.draws, a.losses) == (b.losses, b.draws, b.wins) == (2, 1, 1)
    assert a.points is not None
    assert b.points is not None
    assert (a.points.value, b.points.value) == (0.5, -0.5)  # of the blocks' 2 and -1
    assert a.share is not None
    # Differences of 6, 2, -4 and 0 count up to 4: shares of 1, 3/4, 0 and 1/2.
    assert a.share.value == pytest.approx(((1 + 0.75) / 2 + (0 + 0.5) / 2) / 2)


def test_others_at_the_table_change_only_the_points() -> None:
    found = compared([block(0, (5, 1, -6), (0, 2, -2), bots=("a", "b", "c"))], "a", "b", 10)
    assert (found.wins, found.draws, found.losses) == (1, 0, 1)
    assert found.points == MeanEstimate(2.5, None)


def test_blocks_that_are_void_count_for_nobody() -> None:
    played = block(0, (2, -2))
    void = ClosedBlock(1, 1, "naga", played.results, void=VoidBlock(1, 1, "lost", "m00", ()))
    assert compared([played, void], "a", "b", 2) == compared([played], "a", "b", 2)
