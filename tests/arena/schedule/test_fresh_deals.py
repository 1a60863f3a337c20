"""Where deals are fresh no deal is played twice, in no kind of schedule, and nothing else is other than elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba.seatings import seatings
from fudaba_arena.schedule.blocks import Block, Entrant, rotating_matches, seated_matches, shared_matches
from fudaba_arena.schedule.chosen_schedule import ChosenSchedule
from fudaba_arena.schedule.drawn_schedule import DrawnGame, RoundFacts
from fudaba_arena.schedule.next_block import Situation, next_block
from fudaba_arena.schedule.seeds import match_seed
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.schedule.swiss import SwissSchedule
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.tournaments.entries import ENTER, Entries, EntryChange
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.definition import APART, FRESH, SITTINGS, Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import Season
from tests.support.arena.schedule.states import state


def check(block: Block, seats: int, deals: int) -> None:
    """Every match of a block has a deal and a seed of its own; its group sits in every seating equally often."""
    assert [match.deal for match in block.matches] == list(range(block.deals))
    assert len({match_seed(bytes(32), block, match) for match in block.matches}) == len(block.matches)
    assert len(block.bots) == seats
    sat = [match.bots for match in block.matches]
    [group] = {tuple(sorted(bots)) for bots in sat}
    assert sorted(sat) == sorted(seatings(group) * deals)


@given(groups=st.integers(1, 4), seats=st.integers(2, 6), deals=st.integers(1, 3), shared=st.booleans())
def test_the_bots_sit_as_on_deals_that_are_played_again(groups: int, seats: int, deals: int, shared: bool) -> None:
    bots = [[f"bot-{group}-{seat}" for seat in range(seats)] for group in range(groups)]
    usual = shared_matches(bots, deals) if shared else rotating_matches(bots[0], deals)
    assert seated_matches(bots, deals, shared=shared) == usual
    fresh = seated_matches(bots, deals, shared=shared, fresh=True)
    assert [seating for _, seating in fresh] == [seating for _, seating in usual]
    assert [deal for deal, _ in fresh] == list(range(len(usual)))


@pytest.mark.parametrize("stateless", [True, False])
@pytest.mark.parametrize(("seats", "deals"), [(2, 1), (2, 3), (5, 1)])
def test_every_match_of_a_round_robin_has_a_deal_of_its_own(stateless: bool, seats: int, deals: int) -> None:
    tournament = state(10, stateless, blocks=2, seats=seats, deals=deals, sittings=FRESH)
    blocks = list(tournament.schedule)
    for block in blocks:
        check(block, seats, deals)
        check(tournament.schedule.replacement(block), seats, deals)
    usual = list(state(10, stateless, blocks=2, seats=seats, deals=deals, sittings=APART).schedule)
    groups = [{frozenset(match.bots) for match in block.matches} for block in usual]
    assert sum(map(len, groups)) == len(blocks)
    assert tournament.schedule.matches == sum(len(block.matches) for block in blocks)


@pytest.mark.parametrize("stateless", [True, False])
def test_every_match_of_a_swiss_has_a_deal_of_its_own(stateless: bool) -> None:
    entrants = tuple(Entrant(f"bot-{number}", stateless=stateless) for number in range(8))
    schedule = SwissSchedule("t", [DrawnGame(entrants, 2, "naga", fresh=True)], 3)
    planned = schedule.part("naga")
    results: dict[int, Sequence[tuple[tuple[str, ...], tuple[int, ...]]]] = {}
    while (drawn := schedule.next_round(RoundFacts((), (), results.__getitem__))) is not None:
        for block in schedule.add(drawn):
            check(block, 2, 1)
            results[block.slot] = [(match.bots, (1, -1)) for match in block.matches]
    assert (planned.blocks, planned.widest) == (len(schedule), 1)


def season(sittings: str) -> ScheduledTournament:
    entries = Entries()
    entries.add(EntryChange(ENTER, 1, f"bot-{number}", "1") for number in range(8))
    stored = StoredTournament(
        {}, bytes(32), ClosedBlocks(lines={}), {}, set(), set(), {}, {}, 3, 0, 0, False, entries=entries
    )
    games = (TournamentGame("naga", deals=2),)
    return ScheduledTournament(Tournament("open.1", games, (), season=Season("open"), sittings=sittings), stored)


@pytest.mark.parametrize("sittings", SITTINGS)
def test_every_match_of_a_ladder_has_a_deal_of_its_own_where_it_says_so(sittings: str) -> None:
    """The bots can remember, so that elsewhere several groups share the deals of a block."""
    ladder = season(sittings)
    assert isinstance(ladder.schedule, ChosenSchedule)
    for _ in range(4):
        chosen = next_block(ladder, Situation(), 2)
        assert chosen is not None
        block = ladder.schedule.add(chosen)
        if sittings == FRESH:
            check(block, 2, 2)
        else:
            assert chosen.shared
            assert len(block.matches) > block.deals
