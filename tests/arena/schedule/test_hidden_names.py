"""Names that only the organiser may know yet: those of blocks of which no attempt counts, in a season that goes on."""

from __future__ import annotations

import pytest

from fudaba_arena.schedule.chosen_schedule import ChosenSchedule
from fudaba_arena.schedule.fault_counts import void_cause_counts, void_counts
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlock
from fudaba_arena.tournament.season import Season
from tests.support.arena.audit.exports import count, make_void
from tests.support.arena.schedule.states import state


@pytest.fixture
def season() -> ScheduledTournament:
    """Returns a season of which one block is void, one counts, and one is in play."""
    hidden = state(season=Season("open"), names_hidden=True)
    assert isinstance(hidden.schedule, ChosenSchedule)
    for pair in (("bot-0", "bot-1"), ("bot-1", "bot-2"), ("bot-2", "bot-3")):
        hidden.schedule.add(ChosenBlock("naga", (pair,), shared=True, chosen_for=pair[0]))
    make_void(hidden, 0)
    count(hidden, 1)
    return hidden


def hidden_slots(season: ScheduledTournament) -> list[int]:
    """Returns the slots of which names are hidden, by what is said of each match."""
    blocks = [season.schedule.block(slot) for slot in range(3)]
    return [block.slot for block in blocks if all(season.hides_names_of(match.match_id) for match in block.matches)]


def test_names_are_hidden_until_an_attempt_at_the_block_counts(season: ScheduledTournament) -> None:
    assert hidden_slots(season) == [0, 2]
    count(season, season.schedule.replacement(season.schedule.block(0)).number)
    assert hidden_slots(season) == [2]
    season.stored.closed = True
    assert hidden_slots(season) == []


def test_counts_of_void_blocks_and_of_blocks_leave_out_those_whose_names_are_hidden(
    season: ScheduledTournament,
) -> None:
    assert (void_counts(season)["naga"]["bot-0"], void_counts(season, named=True)["naga"].get("bot-0", 0)) == (1, 0)
    assert (set(void_cause_counts(season)), set(void_cause_counts(season, named=True))) == ({"bot-0", "bot-1"}, set())
    assert [season.unfinished_blocks_of(f"bot-{number}") for number in range(4)] == [1, 1, 1, 1]


def test_names_of_a_block_that_another_arena_has_just_chosen_are_hidden(season: ScheduledTournament) -> None:
    ids = [match.match_id for match in season.schedule.block(2).matches]
    assert all(season.hides_names_of(match_id.replace("-b2-", "-b3-")) for match_id in ids)


def test_a_match_of_another_tournament_is_not_its_own(season: ScheduledTournament) -> None:
    assert not season.hides_names_of("other-0123abcd-b0-a")
