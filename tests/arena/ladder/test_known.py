"""Ladders that are kept: rated anew whenever anything else counts."""

from __future__ import annotations

from fudaba_arena.ladder.known import Rater
from fudaba_arena.ladder.ladders import block_results, ladders_of
from fudaba_arena.store.blocks.annulments import Annulment
from tests.support.arena.audit.exports import played


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
