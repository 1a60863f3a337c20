"""Ladders that are kept: rated anew whenever anything else counts."""

from __future__ import annotations

from fudaba_arena.ladder.ladders import block_results, ladders_of
from fudaba_arena.ladder.rater import Rater
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult
from tests.support.arena.audit.exports import count, played


def test_ladders_are_rated_anew_when_other_blocks_are_annulled_be_they_as_many() -> None:
    rater, state = Rater(), played()
    first, second = (closed.block for closed in list(state.stored.blocks.blocks())[-2:])
    seen = []
    for annulled in ([], [first], [second], []):
        state.stored.blocks.hold([Annulment((number,), "why", 1) for number in annulled])
        assert rater.ladders(state) == ladders_of(state, block_results(state))
        seen.append(rater.ladders(state))
    assert seen[0] == seen[3]
    assert seen[1] != seen[2]


def test_undoing_an_annulment_and_annulling_another_block_is_another_point_of_the_sequence() -> None:
    rater, state = Rater(), played()
    first, second = (closed.block for closed in list(state.stored.blocks.blocks())[-2:])
    noted = [Annulment((first,), "why", 1)]
    state.stored.blocks.hold(noted)
    before, point = rater.ladders(state), state.stored.blocks.point
    noted += [Annulment((first,), "it was another", 2, undoes=1), Annulment((second,), "this", 3)]
    state.stored.blocks.hold(noted)
    assert len(state.stored.blocks.annulled) == 1, "as many as before"
    assert state.stored.blocks.point == point + 2
    assert rater.ladders(state) == ladders_of(state, block_results(state))
    assert rater.ladders(state) != before


def test_another_last_block_is_another_sequence_however_many_blocks_it_has() -> None:
    rater, lost = Rater(), played(left_out=[2])
    count(lost, 2)
    before = rater.ladders(lost)
    state = played(left_out=[2])
    block = state.schedule.block(2)
    results = tuple(
        MatchResult(match.match_id, 2, match.deal, match.bots, (3, -3), ended_ms=1_767_225_600_000)
        for match in block.matches
    )
    state.close(ClosedBlock(2, block.slot, block.game, results, len(results), at_ms=1_767_225_800_000))
    assert (state.id, state.stored.blocks.point) == (lost.id, lost.stored.blocks.point)
    assert rater.ladders(state) == ladders_of(state, block_results(state))
    assert rater.ladders(state) != before


def test_a_table_is_of_the_blocks_of_its_point_while_another_thread_adds_the_next() -> None:
    state = played()
    before = block_results(state)
    state.stored.blocks._kind.append(0)
    assert block_results(state) == before
