"""A match that was forfeited since bots were away says something of them against the others, and nothing of these."""

from __future__ import annotations

from dataclasses import replace

from fudaba_arena.ladder.ratings import BlockResult, RatedMatch, Results, fit
from fudaba_arena.ladder.ratings.design import Design
from fudaba_arena.ladder.standings import ends_of, shares_of

WON = RatedMatch("won", 0, ("a", "b", "c"), (2, -2, 0))
LEFT = RatedMatch("x-left", 1, ("a", "b", "c"), (-2, 1, 1), absent=True)


def test_only_pairs_with_the_absent_bot_count() -> None:
    played = Design.from_results(Results.from_blocks([BlockResult(0, (WON,))]), 3.0, 1.0)
    left = Design.from_results(Results.from_blocks([BlockResult(0, (WON, LEFT))]), 3.0, 1.0)
    assert (len(played.share), len(left.share)) == (3, 5)
    assert left.columns[3:, :2].tolist() == [[0, 1], [0, 2]]
    assert left.share[3:].tolist() == [0, 0]


def test_who_was_there_gains_on_the_absent_bot_and_nothing_on_each_other() -> None:
    blocks = [BlockResult(n, (replace(WON, match_id=f"m{n}"), replace(LEFT, match_id=f"n{n}"))) for n in range(20)]
    without = fit([BlockResult(n, (replace(WON, match_id=f"m{n}"),)) for n in range(20)], win_margin=3.0)
    rated = fit(blocks, win_margin=3.0)
    assert rated["a"].rating - rated["b"].rating < without["a"].rating - without["b"].rating
    assert shares_of(Results.from_blocks([BlockResult(0, (LEFT,))]), 3.0) == {"a": 0.0, "b": 1.0, "c": 1.0}


def test_a_match_that_was_played_counts_for_all_pairs_as_before() -> None:
    of_all = replace(LEFT, absent=False)
    assert shares_of(Results.from_blocks([BlockResult(0, (of_all,))]), 3.0) == {"a": 0.0, "b": 0.75, "c": 0.75}


def test_who_was_there_has_won_and_has_drawn_with_nobody() -> None:
    assert ends_of(Results.from_blocks([BlockResult(0, (LEFT,))])) == {"a": (0, 0, 1), "b": (1, 0, 0), "c": (1, 0, 0)}
    played = replace(LEFT, absent=False)
    assert ends_of(Results.from_blocks([BlockResult(0, (played,))])) == {"a": (0, 0, 1), "b": (0, 1, 0), "c": (0, 1, 0)}
