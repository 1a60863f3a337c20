"""A challenge's sequential test, as it follows from the blocks that are stored."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fudaba.sequential import SequentialTest, Verdict
from fudaba_arena.schedule.sequential_blocks import SequentialBlocks
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult, VoidBlock
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.definition import BotEntry, Tournament
from fudaba_arena.tournament.games import TournamentGame

BLOCK_COUNT = 30


def begun() -> ScheduledTournament:
    """Returns a challenge of two bots of which nothing is played yet."""
    stored = StoredTournament({}, bytes(32), ClosedBlocks(lines={}), {}, set(), set(), {}, {}, 3, 0, 0, False)
    bots = (BotEntry("new", "random", stateless=True), BotEntry("old", "random", stateless=True))
    return ScheduledTournament(
        Tournament("challenge.x", (TournamentGame("naga", blocks=BLOCK_COUNT, win_margin=4),), bots), stored
    )


def close(state: ScheduledTournament, slot: int, ahead: Sequence[int], *, void: bool = False) -> None:
    """Closes the block that has its turn in a slot; `new` is ahead by this much in its matches, in turn."""
    block = state.schedule.turn(slot, state.stored.blocks.attempts)
    results = tuple(
        MatchResult(
            match.match_id,
            block.number,
            match.deal,
            match.bots,
            (points, 0) if match.bots[0] == "new" else (0, points),
        )
        for match, points in zip(block.matches, [*ahead] * len(block.matches), strict=False)
    )
    why = VoidBlock(block.number, slot, "lost", results[0].match_id, ()) if void else None
    state.close(ClosedBlock(block.number, slot, "naga", results, 0 if void else len(results), void=why))


def looked(state: ScheduledTournament, bounds: SequentialTest = SequentialTest()) -> SequentialBlocks:  # noqa: B008  # it is frozen
    test = SequentialBlocks(bounds, state, "new", "old")
    test.look()
    return test


def test_a_block_is_one_observation_and_differences_count_up_to_the_win_margin() -> None:
    state = begun()
    close(state, 0, [1, 100])
    found = looked(state).run
    assert (found.blocks, found.matches_per_block) == (1, len(state.schedule.block(0).matches))
    assert found.mean == pytest.approx((0.25 + 1) / 2)


def test_blocks_are_taken_by_their_places_whichever_ends_first() -> None:
    state = begun()
    for slot in (2, 3, 0):
        close(state, slot, [1])
    assert looked(state).run.blocks == 1
    close(state, 1, [-1])
    assert looked(state).run.blocks == 4


def test_a_void_block_is_not_taken_but_the_one_that_is_played_in_its_stead_is_once() -> None:
    state = begun()
    close(state, 0, [4], void=True)
    close(state, 1, [1])
    assert looked(state).run.blocks == 0
    close(state, 0, [-1])
    found = looked(state).run
    assert found.blocks == 2
    assert found.mean == pytest.approx(0)


def test_a_place_whose_attempts_have_all_failed_is_passed_over_also_by_an_arena_that_is_started_again() -> None:
    state = begun()
    going_on = SequentialBlocks(SequentialTest(0, 300), state, "new", "old")
    for _ in range(state.tournament.attempts):
        assert not going_on.look()
        close(state, 0, [-4], void=True)
    slot = 1
    while not going_on.look():
        assert going_on.run.blocks == slot - 1
        close(state, slot, [1, 2] if slot % 3 else [0, 1])
        slot += 1
    again = looked(ScheduledTournament(state.tournament, state.stored), SequentialTest(0, 300)).run
    assert (going_on.run.verdict, going_on.run.blocks) == (Verdict.BETTER, slot - 1)
    assert (again.verdict, again.blocks, again.ratio) == (going_on.run.verdict, slot - 1, going_on.run.ratio)


def test_the_block_that_is_in_play_when_a_bot_is_withdrawn_is_not_passed_over() -> None:
    state = begun()
    close(state, 1, [1])
    state.stored.withdrawn["new"] = "it did not connect"
    state.note_withdrawn()
    test = looked(state)
    assert (0 in state.parked_slots, test.run.blocks) == (True, 0)
    close(state, 0, [1])
    test.look()
    assert test.run.blocks == 2


def test_who_looks_as_blocks_close_finds_what_an_arena_finds_that_is_started_again() -> None:
    state, bounds = begun(), SequentialTest(0, 300)
    going_on = SequentialBlocks(bounds, state, "new", "old")
    for slot in range(BLOCK_COUNT):
        close(state, slot, [1, 2] if slot % 3 else [0, 1])
        decided = going_on.look()
        anew = looked(state, bounds)
        assert (anew.run.verdict, anew.run.blocks, anew.run.ratio) == (
            going_on.run.verdict,
            going_on.run.blocks,
            going_on.run.ratio,
        )
        if decided:
            break
    assert going_on.run.verdict is Verdict.BETTER
    assert going_on.run.blocks < BLOCK_COUNT - 3


def test_blocks_that_were_in_play_when_it_was_decided_change_nothing() -> None:
    state, bounds = begun(), SequentialTest(0, 300)
    slot = 0
    while not looked(state, bounds).decided:
        close(state, slot, [1, 2])
        slot += 1
    before = looked(state, bounds).run
    for later in range(slot, slot + 3):
        close(state, later, [-4])
    after = looked(state, bounds).run
    assert (after.verdict, after.blocks, after.mean) == (before.verdict, before.blocks, before.mean)
