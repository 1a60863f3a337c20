"""What is said of a tournament before it is played."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from fudaba_arena.commands.cli import arena
from fudaba_arena.schedule.forecast import MATCH_SECONDS, MOVE_SECONDS, forecast, match_length
from fudaba_arena.schedule.planning import schedule_of
from fudaba_arena.tournament.definition import BotEntry, Tournament
from fudaba_arena.tournament.formats import Format
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.terms import Clock
from fudaba_games.game import OptionValue
from fudaba_games.registry import GAMES

BOTS = tuple(BotEntry(name, "random", stateless=True) for name in "abcdef")
FILE = """\
name = "spring"
game = "naga"
blocks = 25
concurrency = 4

[clock]
move_ms = 1_000
bank_ms = 5_000
"""


def tournament(*games: TournamentGame, form: Format | None = None, clock: Clock | None = None) -> Tournament:
    return Tournament("t", games, BOTS, form or Format(), clock=clock or Clock(), concurrency=4)


def defaults(game: str) -> dict[str, OptionValue]:
    return {option.name: option.default for option in GAMES[game].options}


def test_naga_by_hand() -> None:
    """Ten cards a seat are twenty moves; 6 bots are 15 pairings, and each block is 2 matches."""
    game = TournamentGame("naga", 2, defaults("naga"), blocks=3)
    clock = Clock(move_ms=900, increment_ms=100, bank_ms=5_000)
    definition = tournament(game, clock=clock)
    expected = forecast(definition, schedule_of(definition, "t"))
    (naga,) = expected.games
    assert (naga.blocks, naga.groups, naga.matches, naga.length.moves) == (45, 45, 90, 20)
    assert naga.clock == pytest.approx(20 * 1.0 + 2 * 5)
    assert naga.instant == pytest.approx(MATCH_SECONDS + 20 * MOVE_SECONDS)
    assert expected.clock == pytest.approx(23 * 30)  # 90 matches, 4 at once
    assert expected.instant == pytest.approx(90 * naga.instant)
    assert len(naga.rounds) == 5
    assert all(len(groups) == 3 for groups in naga.rounds)


@pytest.mark.parametrize(
    ("game", "seats"),
    [(game.id, seats) for game in GAMES.values() for seats in {game.min_seats, min(game.max_seats, 6)}],
)
def test_every_game_has_a_length_and_the_same_one_each_time(game: str, seats: int) -> None:
    options = tuple(sorted(defaults(game).items()))
    length = match_length(game, seats, options)
    assert length.moves > 0
    assert length.waits >= 0
    match_length.cache_clear()
    assert match_length(game, seats, options) == length


def test_several_games_add_up_and_a_gauntlet_lists_its_challengers_meetings() -> None:
    naga = TournamentGame("naga", 2, defaults("naga"))
    napoleon = TournamentGame("napoleon", 5, defaults("napoleon"))
    definition = tournament(naga, napoleon, form=Format("gauntlet", ("a",)))
    expected = forecast(definition, schedule_of(definition, "t"))
    assert [game.groups for game in expected.games] == [5, 5]
    assert [game.matches for game in expected.games] == [10, 100]
    assert expected.games[0].rounds == ((("a", "b"),), (("a", "c"),), (("a", "d"),), (("a", "e"),), (("a", "f"),))
    assert expected.instant == pytest.approx(sum(game.matches * game.instant for game in expected.games))


def test_the_command_line_says_it_for_people_and_programs(tmp_path: Path) -> None:
    file = tmp_path / "spring.toml"
    bots = "".join(f'[[bots]]\nname = "{bot.name}"\nbuiltin = "random"\n' for bot in BOTS)
    file.write_text(FILE + bots, encoding="utf-8")
    done = CliRunner().invoke(arena, ["check", str(file), "--dry-run"])
    assert done.exit_code == 0, done.output
    assert "naga      2     375     375      750             20" in done.output
    assert "30 s a match" in done.output
    assert "4 matches are played at once" in done.output
    assert "  round 1: a - f; b - e; c - d\n" in done.output
    plan = json.loads(CliRunner().invoke(arena, ["check", str(file), "--json"]).output)
    assert plan["games"][0]["matches"] == 750
    assert plan["clock_seconds"] == pytest.approx(188 * 30)
    assert plan["games"][0]["rounds"][0]["groups"][0]["bots"] == ["a", "f"]


def test_a_knockout_is_planned_round_by_round_with_its_bracket() -> None:
    """Six bots are two pairings, two and one; rounds of 8, 8 and 4 matches take 2, 2 and 1 batches of 4."""
    game = TournamentGame("naga", 2, defaults("naga"), blocks=2)
    definition = tournament(game, form=Format("single-elimination", seeds=tuple("abcdef")))
    expected = forecast(definition, schedule_of(definition, "t"))
    (naga,) = expected.games
    assert (naga.groups, naga.matches, naga.waves) == (10, 20, 5)
    assert naga.bracket is not None
    assert [group.bots for group in naga.bracket.groups[:2]] == [("c", "f"), ("d", "e")]


@pytest.mark.parametrize(("seeding", "leaf"), [("file", "a (1) ┐"), ("lot", "seed 1 ┐")])
def test_the_dry_run_draws_the_bracket_of_a_knockout(tmp_path: Path, seeding: str, leaf: str) -> None:
    file = tmp_path / "cup.toml"
    bots = "".join(f'[[bots]]\nname = "{name}"\nbuiltin = "random"\n' for name in "abcd")
    file.write_text(f'name = "cup"\nformat = "single-elimination"\nseeding = "{seeding}"\ngame = "naga"\n{bots}')
    done = CliRunner().invoke(arena, ["check", str(file), "--dry-run"])
    assert done.exit_code == 0, done.output
    assert "2 rounds of single elimination, 3 pairings, 6 matches of naga" in done.output
    assert leaf in done.output
    plan = json.loads(CliRunner().invoke(arena, ["check", str(file), "--json"]).stdout)
    groups = plan["games"][0]["bracket"]["groups"]
    assert [seat["seed"] for group in groups[:2] for seat in group["seats"]] == [1, 4, 2, 3]
    assert [seat.get("from_group") for seat in groups[2]["seats"]] == [1, 2]
