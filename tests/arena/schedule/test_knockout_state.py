"""Who is out of a knockout because of an absence, and what an annulment changes in one."""

from __future__ import annotations

import json

import pytest

from fudaba_arena.audit.rebuilt import rebuilt
from fudaba_arena.schedule.bracket_standing import BY_POINTS, Bracket
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.tournaments.rounds import DrawnRound
from fudaba_arena.tournament.formats import Format
from tests.support.arena.audit.exports import count, first, lines_of, make_void, play_rounds, unplayed
from tests.support.arena.audit.verifying import codes

CUP = Format("single-elimination", seeds=("bob", "alice", "first", "random"))


def begun(form: Format = CUP, *, blocks: int = 1) -> ScheduledTournament:
    """Returns a cup whose first round is drawn: bob meets random in block 0, alice meets first in block 1."""
    state = unplayed(blocks=blocks, form=form)
    state.begin_round(drawn(state))
    return state


def annul(state: ScheduledTournament, number: int) -> None:
    state.stored.blocks.hold([*state.stored.blocks.annulments, Annulment((number,), "the network failed", 1)])


def bracket(state: ScheduledTournament) -> Bracket:
    found = state.bracket()
    assert found is not None
    return found


def met(drawn: DrawnRound) -> list[tuple[str, ...]]:
    return [group for block in drawn.blocks for group in block.groups]


def drawn(state: ScheduledTournament) -> DrawnRound:
    found = state.next_round()
    assert found is not None
    return found


def miss(state: ScheduledTournament, *absent: str) -> None:
    """Lets attempts at block 0 fail, one after the other."""
    for bot in absent:
        make_void(state, state.schedule.turn(0, state.stored.blocks.attempts).number, bot)


@pytest.mark.parametrize(("absent", "out"), [(("bob", "random", "bob"), "bob"), (("bob", "bob", "random"), "random")])
def test_a_bot_that_missed_the_last_attempt_at_a_block_is_out(absent: tuple[str, ...], out: str) -> None:
    state = begun()
    miss(state, *absent)
    count(state, 1)
    assert drawn(state).out == (out,)


def test_a_bot_that_was_absent_once_is_not_out_because_its_opponent_is_withdrawn() -> None:
    state = begun()
    miss(state, "bob")
    state.stored.withdrawn["random"] = "its process ended"
    state.note_withdrawn()
    count(state, 1)
    assert drawn(state).out == ("random",)


def test_a_block_that_is_annulled_before_its_round_is_decided_is_played_again() -> None:
    state = begun()
    count(state, 0)
    annul(state, 0)
    assert [group.blocks for group in bracket(state).groups] == [0, 0, 0]
    count(state, 1)
    again = drawn(state)
    assert (met(again), again.byes, again.bracket_round, again.annulled) == ([("bob", "random")], {}, 0, (0,))
    [block] = state.begin_round(again)
    count(state, block.number)
    assert drawn(state).bracket_round == 1
    assert [(group.blocks, group.decided_by) for group in bracket(state).groups] == [(1, ""), (1, ""), (0, "")]


def test_each_annulled_block_of_a_series_is_played_again_and_the_points_are_of_the_others() -> None:
    state = begun(blocks=3)
    for slot in range(6):
        count(state, slot)
    annul(state, 0)
    annul(state, 2)
    again = drawn(state)
    assert met(again) == [("bob", "random")] * 2
    for block in state.begin_round(again):
        count(state, block.number)
    state.begin_round(drawn(state))
    decided = bracket(state).groups[0]
    assert (decided.blocks, sum(decided.points), decided.decided_by) == (3, 3, BY_POINTS)


def test_an_annulment_that_is_undone_before_the_round_is_decided_changes_nothing() -> None:
    state = begun()
    count(state, 0)
    annul(state, 0)
    state.stored.blocks.hold([*state.stored.blocks.annulments, Annulment((0,), "it did not", 2, undoes=1)])
    count(state, 1)
    assert (drawn(state).bracket_round, drawn(state).annulled) == (1, ())


def test_an_annulled_block_of_a_bot_that_is_out_is_not_played_again() -> None:
    state = begun()
    count(state, 0)
    annul(state, 0)
    state.stored.withdrawn["random"] = "its process ended"
    state.note_withdrawn()
    count(state, 1)
    assert drawn(state).bracket_round == 1


def test_a_block_that_broke_a_tie_can_be_annulled_too() -> None:
    state = begun(Format("single-elimination", seeds=CUP.seeds, tiebreak_blocks=1))
    count(state, 0, even=True)
    count(state, 1)
    [further] = state.begin_round(drawn(state))
    count(state, further.number)
    annul(state, further.number)
    again = drawn(state)
    assert (met(again), again.bracket_round, again.annulled) == ([("bob", "random")], 0, (further.slot,))


def test_an_export_with_a_block_annulled_in_its_round_is_right_and_rebuilds_its_bracket() -> None:
    state = begun()
    count(state, 0)
    annul(state, 0)
    count(state, 1)
    play_rounds(state)
    state.stored.closed = True
    lines = lines_of(state)
    assert codes(lines) == set()
    assert rebuilt(lines[0], lines[1:]).bracket() == state.bracket()
    assert [line.get("annulled", []) for line in lines if line["kind"] == "round"] == [[], [0], [0], []]


def test_a_round_that_leaves_out_a_block_which_nobody_annulled_is_found() -> None:
    state = begun()
    count(state, 0)
    annul(state, 0)
    count(state, 1)
    play_rounds(state)
    state.stored.closed = True
    state.stored.blocks.hold(())
    assert codes(lines_of(state)) == {"ROUND"}
    assert first(lines_of(state), "round", round=1)["annulled"] == [0]


def test_a_stored_round_with_annulled_blocks_is_read_again() -> None:
    state = begun()
    count(state, 0)
    annul(state, 0)
    count(state, 1)
    again = drawn(state)
    assert DrawnRound.from_values(json.loads(again.line())) == again


def test_a_cup_of_which_all_bots_are_absent_ends_by_seed_without_another_match() -> None:
    state = begun()
    for bot in CUP.seeds:
        state.stored.withdrawn[bot] = "its process ended"
    state.note_withdrawn()
    last = drawn(state)
    assert (last.blocks, last.out) == ((), tuple(sorted(CUP.seeds)))
    state.begin_round(last)
    assert [(place.rank, place.bot) for place in bracket(state).places] == [
        (1, "bob"),
        (2, "alice"),
        (3, "first"),
        (3, "random"),
    ]
    assert not state.playable
