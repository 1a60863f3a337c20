"""Disqualifications: what they take back, of later blocks too, and what their undoing restores."""

from __future__ import annotations

import json

from fudaba_arena.ladder.ratings import Rows, fit, rate
from fudaba_arena.ladder.ratings.fit import records_of
from fudaba_arena.ladder.ratings.results import BlockResult, RatedMatch, Results
from fudaba_arena.ladder.standings import ends_of, shares_of
from fudaba_arena.store.blocks.annulment_effects import Effect, disqualifying, disqualifying_number, undoing
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ABSENT, ClosedBlock, MatchResult
from fudaba_arena.store.blocks.kinds import block_kinds

CHEAT = ("cheat@1", "cheat@2")


def block(number: int, *groups: tuple[str, ...], cause: str = "") -> ClosedBlock:
    """Returns a block in which every group plays one deal, and the last of it loses."""
    scores = {2: (1, -1), 3: (2, 1, -3)}
    results = tuple(
        MatchResult(f"t-b{number}-{place}", number, 0, group, scores[len(group)], group[-1] if cause else "", cause)
        for place, group in enumerate(groups)
    )
    return ClosedBlock(number, number, "naga", results, len(results), at_ms=number)


def closed(*blocks: ClosedBlock) -> ClosedBlocks:
    found = ClosedBlocks()
    found.add([closed_block.line() for closed_block in blocks])
    return found


def results(blocks: ClosedBlocks) -> Results:
    """Returns the results that count, as ladders read them."""
    rows = Rows()
    for kind, times in blocks.kinds().items():
        _, _, counting, matches = kind.split(b" ", 3)
        rows.add(json.loads(matches)[: int(counting)], times)
    return rows.results()


def test_a_block_of_two_is_taken_back_and_of_several_groups_only_that_with_the_bot() -> None:
    blocks = closed(block(0, ("a", "cheat@1")), block(1, ("a", "b"), ("cheat@2", "c")), block(2, ("b", "c")))
    made = disqualifying(blocks, "cheat", CHEAT, 9)
    assert (made.blocks, made.bots, made.disqualifies) == ((0, 1), CHEAT, "cheat")
    effect = Effect.from_annulment(blocks, made)
    assert (effect.blocks_before, effect.blocks_after, effect.matches_before, effect.matches_after) == (3, 2, 4, 2)
    blocks.hold([made])
    assert (set(blocks.annulled), set(blocks.reduced), blocks.matches) == ({0}, {1}, 2)
    assert blocks.match_counts(1, ("a", "b"))
    assert not blocks.match_counts(1, ("cheat@2", "c"))


def test_of_three_seats_only_the_pairs_with_the_bot_are_taken_back() -> None:
    blocks = closed(block(0, ("cheat@1", "a", "b")), block(1, ("a", "b", "cheat@1")))
    blocks.hold([disqualifying(blocks, "cheat", CHEAT, 9)])
    assert (blocks.matches, blocks.match_counts(0, ("cheat@1", "a", "b"))) == (2, True)
    found = results(blocks)
    records = {bot: (record.blocks, record.matches, record.points) for bot, record in records_of(found).items()}
    assert records == {"a": (2, 2, 3), "b": (2, 2, -2), "cheat@1": (0, 0, 0)}
    assert ends_of(found) == {"a": (2, 0, 0), "b": (0, 0, 2), "cheat@1": (0, 0, 0)}
    assert shares_of(found, 2.0) == {"a": 0.875, "b": 0.125}
    ratings = rate(found, win_margin=2.0).fit()
    assert ratings["a"].rating > ratings["b"].rating
    assert (ratings["cheat@1"].component, ratings["cheat@1"].blocks) == (1, 0)
    assert [result.bots for kind in block_kinds(blocks.kinds()) for result in kind.matches] != []


def test_with_the_pairs_of_one_taken_back_the_others_are_rated_as_if_they_alone_had_met() -> None:
    three = closed(*(block(number, ("a", "b", "cheat@1")) for number in range(30)))
    three.hold([disqualifying(three, "cheat", CHEAT, 99)])
    two = fit([BlockResult(n, (RatedMatch(f"m{n}", 0, ("a", "b"), (1, -1)),)) for n in range(30)], win_margin=1.0)
    found = rate(results(three), win_margin=1.0).fit()
    assert (found["a"].rating > found["b"].rating) == (two["a"].rating > two["b"].rating)
    assert found["a"].blocks == two["a"].blocks


def test_of_a_match_that_was_not_played_nothing_is_left_when_the_absent_bot_is_struck() -> None:
    blocks = closed(block(0, ("a", "b", "cheat@1"), cause=ABSENT), block(1, ("a", "b", "c"), cause=ABSENT))
    before = results(closed(block(1, ("a", "b", "c"), cause=ABSENT)))
    blocks.hold([disqualifying(blocks, "cheat", CHEAT, 9)])
    assert ends_of(results(blocks)) == ends_of(before)


def test_what_is_closed_later_is_taken_back_too_and_an_undoing_restores_all_exactly() -> None:
    first = [block(0, ("a", "cheat@1")), block(1, ("a", "b"))]
    later = [block(2, ("cheat@2", "b")), block(3, ("cheat@2", "a", "b")), block(4, ("b", "a"))]
    blocks, untouched = closed(*first), closed(*first, *later)
    made = disqualifying(blocks, "cheat", CHEAT, 9)
    blocks.hold([made])
    for closed_block in later:
        blocks.add([closed_block.line()])
    assert set(blocks.annulled) == {0, 2}
    assert set(blocks.reduced) == {3}
    anew = closed(*first, *later)
    anew.hold([made])
    assert (anew.kinds(), set(anew.annulled)) == (blocks.kinds(), set(blocks.annulled))
    assert anew.reduced[3].struck == blocks.reduced[3].struck
    undone = undoing([made], 1, "wrongly", 10)
    assert disqualifying_number([made], "cheat") == 1
    assert disqualifying_number([made, undone], "cheat") == 0
    blocks.hold([made, undone])
    assert (blocks.kinds(), blocks.matches, blocks.annulled, blocks.reduced) == (
        untouched.kinds(),
        untouched.matches,
        {},
        {},
    )


def test_a_disqualified_bot_stays_struck_beside_annulments_of_the_same_blocks() -> None:
    blocks = closed(block(0, ("a", "b", "cheat@1"), ("c", "d", "e")))
    annulled = Annulment((0,), "the network failed", 1, ("c",))
    made = disqualifying(blocks, "cheat", CHEAT, 9)
    for held in ([annulled, made], [made, annulled]):
        blocks.hold(held)
        assert records_of(results(blocks))["a"].blocks == 1
        assert blocks.match_counts(0, ("a", "b", "cheat@1"))
        assert not blocks.match_counts(0, ("c", "d", "e"))


def test_what_others_annulled_before_a_block_was_read_here_is_taken_back_beside_the_disqualified_bot() -> None:
    late = block(1, ("a", "b", "cheat@1"), ("c", "d", "e"))
    held = [
        Annulment((1,), "the network failed", 1, ("c",), after=2),
        Annulment((), "cheat is disqualified", 2, CHEAT, disqualifies="cheat", after=2),
    ]
    at_once, blocks = closed(block(0, ("a", "b")), late), closed(block(0, ("a", "b")))
    at_once.hold(held)
    blocks.hold(held)
    blocks.add([late.line()])
    assert blocks.kinds() == at_once.kinds()
    assert (blocks.reduced[1].bots, blocks.reduced[1].struck) == (frozenset("c"), frozenset(CHEAT))
    blocks.hold(held[:1])
    at_once.hold(held[:1])
    assert blocks.kinds() == at_once.kinds()


def test_looking_at_what_a_disqualification_would_do_changes_nothing() -> None:
    blocks = closed(block(0, ("a", "cheat@1")), block(1, ("a", "b", "cheat@1")))
    before = dict(blocks.kinds())
    made = disqualifying(blocks, "cheat", CHEAT, 9)
    then = blocks.under([made])
    blocks_after, matches_after = len(then.counting()), then.matches
    assert (blocks_after, matches_after) == (1, 1)
    assert (blocks.kinds(), blocks.annulled, blocks.reduced, blocks.annulments) == (before, {}, {}, ())
    blocks.hold([made])
    assert blocks.kinds() == then.kinds()


def test_a_disqualification_is_read_as_it_was_stored() -> None:
    made = disqualifying(closed(block(0, ("a", "cheat@1"))), "cheat", CHEAT, 9)
    assert Annulment.from_line(made.line().encode()) == made
