"""Which of the versions that are entered in a season remember, and how much they play at once."""

from __future__ import annotations

import pytest

from fudaba_arena.schedule.entrants import with_entries
from fudaba_arena.store.tournaments.entries import ENTER, Entries, EntryChange
from fudaba_arena.tournament.definition import BotEntry, Tournament, stored_tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import KEPT, NOTHING, Season

CHANGES = [
    EntryChange(ENTER, 0, "remote", "1"),
    EntryChange(ENTER, 0, "plain", "2", submission="s-1", stateless=True),
    EntryChange(ENTER, 0, "remembers", "3", submission="s-2"),
]


def entrants(memory: str) -> dict[str, BotEntry]:
    entries = Entries()
    entries.add(CHANGES)
    season = Season("open", memory=memory)
    found = with_entries(Tournament(season.name, (TournamentGame("naga"),), (), season=season), entries)
    return {bot.bot: bot for bot in found.bots}


def test_a_submission_that_remembers_keeps_in_its_ladder_replays_no_deal_and_plays_one_match_at_a_time() -> None:
    found = entrants(KEPT)
    assert {name: (bot.keeps, bot.stateless, bot.capacity) for name, bot in found.items()} == {
        "remote": ("", False, 0),
        "plain": ("", True, 0),
        "remembers": ("open", False, 1),
    }


def test_where_a_ladder_lets_none_remember_nobody_has_a_folder() -> None:
    found = entrants(NOTHING)
    assert [(bot.keeps, bot.capacity) for bot in found.values()] == 3 * [("", 0)]
    assert not found["remembers"].stateless


@pytest.mark.parametrize("memory", [NOTHING, KEPT])
def test_what_is_stored_of_a_tournament_says_who_keeps_what(memory: str) -> None:
    bots = tuple(entrants(memory).values())
    stored = stored_tournament("t", Tournament("t", (TournamentGame("naga"),), bots).definition(), 3)
    assert {bot.name: bot.keeps for bot in stored.bots} == {bot.name: bot.keeps for bot in bots}
