"""The panel of a ladder: what was measured, and what a ladder's file makes of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fudaba.bots import BUILT_IN
from fudaba_arena.play.seasons.first_entries import first_entries
from fudaba_arena.store.tournaments.entries import ENTER, Entries, EntryChange
from fudaba_arena.tournament.definition import Tournament, changes, stored_tournament, with_rules
from fudaba_arena.tournament.edits import Phase, file_changes, why_fixed
from fudaba_arena.tournament.file import BadTournament, Source
from fudaba_arena.tournament.panel import PANEL_ZERO_POINTS, measured_panels, panel_for
from fudaba_arena.tournament.season import Span
from fudaba_games.registry import GAMES

LADDER = 'name = "open"\nenter = "organiser"\n{lines}\n[[games]]\ngame = "naga"\n{naga}\n[[games]]\ngame = "napoleon"\n'
PANEL = 'zero = "panel"'
NOW_MS = 1_800_000_000_000
MAX_HALF_POINTS = 60.0


def source(lines: str = PANEL, naga: str = "", bots: str = "") -> Source:
    return Source(LADDER.format(lines=lines, naga=naga) + bots, "open.toml", Path(), hosted=True, span=Span())


def panel_bots(tournament: Tournament) -> set[str]:
    return {bot.name for bot in tournament.bots if bot.name.startswith("panel-")}


def mistakes(read: Source) -> list[str]:
    with pytest.raises(BadTournament) as caught:
        read.read_new(NOW_MS)
    return str(caught.value).splitlines()


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_panel_was_measured_for_the_present_rules_of_every_game(game: str) -> None:
    measured = measured_panels()[game]
    # Other rules have other strengths: measure them with `scripts/bench panel --write`.
    assert measured.played.rules_version == GAMES[game].rules_version
    assert {bot.builtin: bot.rating for bot in measured.panel.bots}["sensible"] == PANEL_ZERO_POINTS
    assert len(measured.panel.bots) >= 2
    assert all(bot.builtin in BUILT_IN and 0 <= bot.half <= MAX_HALF_POINTS for bot in measured.panel.bots)


def test_a_panel_fits_the_rules_the_seats_the_options_and_the_margin_that_it_was_measured_with() -> None:
    (naga, _) = source().read().games
    assert panel_for(naga) is not None
    assert panel_for(replace(naga, deals=3, blocks=9)) is not None
    others = ({"rules_version": 99}, {"seats": 3}, {"options": {**naga.options, "deals": 2}}, {"win_margin": 1.0})
    assert [panel_for(replace(naga, **other)) for other in others] == [None] * 4


def test_the_bots_of_the_panel_are_entered_and_stored_with_their_strengths() -> None:
    tournament = source().read_new(NOW_MS)
    assert tournament.season is not None
    assert [panel.game for panel in tournament.season.panels] == ["naga", "napoleon"]
    everybody = {f"panel-{bot.builtin}" for panel in tournament.season.panels for bot in panel.bots}
    assert panel_bots(tournament) == everybody
    assert {change.bot for change in first_entries(tournament.bots, None)} == everybody
    for bot in tournament.bots:
        on_panels = [
            panel.game for panel in tournament.season.panels if bot.builtin in {known.builtin for known in panel.bots}
        ]
        assert [game.game for game in tournament.games if bot.plays(game.game)] == on_panels
    definition = json.loads(json.dumps(tournament.definition()))
    stored = stored_tournament("open.1", definition, 3)
    assert stored.season is not None
    assert stored.season.panels == tournament.season.panels
    assert changes(definition, tournament.definition()) == []


def test_the_mean_of_the_field_is_the_zero_unless_the_file_says_otherwise() -> None:
    tournament = source("").read_new(NOW_MS)
    assert tournament.season is not None
    assert (tournament.season.zero, tournament.season.panels, tournament.bots) == ("field", (), ())


def test_a_season_goes_on_with_the_strengths_with_which_it_began() -> None:
    tournament = source().read()
    season = tournament.season
    assert season is not None
    panel = season.panels[0]
    earlier = replace(panel, bots=tuple(replace(bot, rating=bot.rating - 7) for bot in panel.bots[:2]))
    begun = replace(tournament, season=replace(season, panels=(earlier,))).definition()
    goes_on = with_rules(tournament, begun)
    assert goes_on.season is not None
    assert goes_on.season.panels == (earlier,)
    assert panel_bots(goes_on) == {f"panel-{bot.builtin}" for bot in earlier.bots}
    began_without = with_rules(tournament, source("").read().definition())
    assert began_without.season is not None
    assert (began_without.season.panels, panel_bots(began_without)) == ((), set())


def test_a_game_that_is_played_otherwise_than_measured_has_no_panel() -> None:
    (line,) = mistakes(source(naga="seats = 2\nwin_margin = 1\n"))
    assert line.startswith(
        "open.toml:3: the panel of naga was measured with 2 seats, the default options and win_margin"
    )
    assert line.endswith('; write these, or zero = "field"')
    # A season that has begun is read all the same: it has its own.
    assert source(naga="win_margin = 1\n").read().season is not None


def test_no_other_bot_has_a_name_of_the_panel() -> None:
    (line,) = mistakes(source(bots='[[bots]]\nname = "panel-x"\nbuiltin = "random"\n'))
    assert "names that begin with panel- are reserved for a ladder's panel" in line


def test_the_zero_is_fixed_while_a_season_goes_on_and_free_afterwards() -> None:
    (change,) = file_changes(source("").read(), source().read())
    assert (change.key, change.before, change.after) == ("zero", '"field"', '"panel"')
    assert "ranks go by it" in why_fixed("zero", Phase(begun=True, frozen=False, closed=False))
    assert why_fixed("zero", Phase(begun=True, frozen=True, closed=True)) == ""


def test_a_season_with_the_field_as_zero_does_without_the_panel_of_the_season_before() -> None:
    earlier = Entries()
    earlier.add(first_entries(source().read().bots, None))
    assert first_entries(source("").read().bots, earlier) == []


def test_an_account_s_bot_that_has_long_had_such_a_name_stays_entered() -> None:
    earlier = Entries()
    earlier.add([EntryChange(ENTER, 1, "panel-beater", "1", account="ann")])
    assert [change.bot for change in first_entries(source("").read().bots, earlier)] == ["panel-beater"]
