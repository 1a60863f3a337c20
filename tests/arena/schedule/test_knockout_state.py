"""Who is out of a knockout because of an absence."""

from __future__ import annotations

import pytest

from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.tournaments.rounds import DrawnRound
from fudaba_arena.tournament.formats import Format
from tests.support.arena.audit.exports import count, make_void, unplayed

CUP = Format("single-elimination", seeds=("bob", "alice", "first", "random"))


def begun() -> ScheduledTournament:
    """Returns a cup whose first round is drawn: bob meets random in block 0, alice meets first in block 1."""
    state = unplayed(blocks=1, form=CUP)
    state.begin_round(drawn(state))
    return state


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
