"""Commands that play here: `fudaba games`, `simulate` and `bot run --local`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fudaba.cli.simulate import _mean
from fudaba.simulation import Sample
from fudaba_games.registry import GAMES, game
from tests.kit.test_cli import BOT, ok, refused, run


def test_games_are_listed_and_shown() -> None:
    listed = ok("games")
    assert all(one.id in listed and one.japanese_name in listed for one in GAMES.values())
    shown = ok("games", "naga")
    assert "designate, commit" in shown
    assert all(option.name in shown and option.description in shown for option in game("naga").options)
    assert [one["id"] for one in json.loads(ok("games", "--json"))] == list(GAMES)
    assert json.loads(ok("games", "naga", "--json"))["move_kinds"] == ["designate", "commit"]
    assert ok("games", "naga", "--rules").startswith("# Naga")
    assert ok("games", "naga", "--values").startswith("# Naga's values")
    shared = ok("games", "--rules")
    assert shared.startswith("# Rules\n")
    assert all(number in shared for number in ("**G2.4**", "**K1.3**"))
    assert "leave out the others" in refused("games", "--rules", "--json", code=2)
    assert "--values prints one page: name the game" in refused("games", "--values", code=2)
    assert "leave out --rules" in refused("games", "naga", "--values", "--server", "127.0.0.1:1", code=2)
    assert f"there is no game 'chess'; there are: {', '.join(GAMES)}" in refused("games", "chess")


def test_a_simulation_is_summarised_and_a_seed_repeats_it() -> None:
    arguments = ("simulate", "naga", "--matches", "6", "--seed", "3", "--bots", "random,first", "--option", "deals=2")
    text = ok(*arguments)
    assert "naga: 6 matches, seed 3; deals=2" in text
    assert "moves/s" in text
    first, second = (json.loads(ok(*arguments, "--json")) for _ in range(2))
    for run_ in (first, second):
        assert run_.pop("moves_per_second") > 0
        assert run_.pop("seconds") > 0
    assert first == second
    assert [bot["bot"] for bot in first["bots"]] == ["random", "first"]
    assert all(bot["won"] + bot["drawn"] + bot["lost"] == 6 for bot in first["bots"])
    assert sum(seat["score"]["mean"] for seat in first["seats"]) == pytest.approx(0)
    assert first["options"]["deals"] == 2


def test_bots_of_one_name_are_told_apart_and_means_of_zero_are_zero() -> None:
    arguments = ("simulate", "naga", "--matches", "1", "--seed", "3", "--bots", "random")
    text = ok(*arguments)
    assert "naga: 1 match, seed 3" in text
    assert [line.split("  ")[0] for line in text.splitlines()[3:5]] == ["random (1)", "random (2)"]
    found = json.loads(ok(*arguments, "--json"))
    assert [bot["bot"] for bot in found["bots"]] == ["random (1)", "random (2)"]
    dust = Sample(3, -6e-17)
    assert str(_mean(dust, 9)) == str(_mean(dust, 3)) == "0.0"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--option", "deals=x"), "must be a whole number from 1 to 99, not 'x'"),
        (("--option", "deals=0"), "whole number from 1 to 99"),
        (("--option", "daels=1"), "it has: deals"),
        (("--bots", "random,first,random"), "naga is played by 2 seats, not 3"),
        (("--seats", "3"), "naga is played by 2 seats, not 3"),
        (("--bots", "clever"), "names no bot"),
    ],
)
def test_a_simulation_that_cannot_be_is_refused(arguments: tuple[str, ...], told: str) -> None:
    assert told in refused("simulate", "naga", *arguments)


@pytest.mark.parametrize(
    "arguments",
    [("--matches", "0"), ("--matches", "x"), ("--option", "deals"), ("--option", "deals=1", "--option", "deals=2")],
)
def test_a_simulation_with_wrong_usage_is_refused(arguments: tuple[str, ...]) -> None:
    refused("simulate", "naga", *arguments, code=2)


@pytest.fixture
def mybot(tmp_path: Path) -> str:
    path = tmp_path / "mybot.py"
    path.write_text(BOT, encoding="utf-8")
    return str(path)


def test_a_bot_plays_here_against_built_ins(mybot: str) -> None:
    text = ok("bot", "run", f"{mybot}:Mine", "--local", "--game", "naga", "--matches", "2", "--seed", "1")
    assert "local-0: seat 0:" in text
    assert "local-1: seat 1:" in text
    assert "2 matches of naga" in text
    found = json.loads(
        ok("bot", "run", f"{mybot}:Mine", "--local", "--game", "naga", "--matches", "4", "--seed", "1", "--json")
    )
    assert found["seats"] == [0, 1, 0, 1]
    assert found["against"] == ["random"]
    assert all(sum(scores) == 0 for scores in found["scores"])
    assert found["won"] + found["drawn"] + found["lost"] == 4
    assert found["score"] == sum(scores[seat] for scores, seat in zip(found["scores"], found["seats"], strict=True))


def test_a_bot_that_errs_fails_its_local_run(mybot: str) -> None:
    result = run("bot", "run", f"{mybot}:Wrong", "--local", "--game", "naga", "--against", "first")
    assert result.exit_code == 1
    assert "10 answers were refused, 0 exceptions were raised" in result.stderr
    lines = result.stderr.splitlines()
    assert sum(" refused (" in line for line in lines) == 5
    assert "5 more answers were refused" in result.stderr
    assert "seat 4" not in result.stderr
    quiet = run("bot", "run", f"{mybot}:Wrong", "--local", "--game", "naga", "--against", "first", "-q")
    assert quiet.exit_code == 1
    assert quiet.stderr.count(" refused (") == 5
    assert "local-0: seat 0" in result.stdout
    assert [line.partition(": 1 match of naga, 0 won")[1] != "" for line in quiet.stdout.splitlines()] == [True]


def test_what_is_wrong_with_a_local_run_is_told(mybot: str) -> None:
    assert "has no class Nobody; it has: Mine, Wrong" in refused(
        "bot", "run", f"{mybot}:Nobody", "--local", "--game", "naga"
    )
    assert "there is no file" in refused("bot", "run", "nothere.py:Bot", "--local", "--game", "naga")
    assert "2 bots for 1 other seat" in refused(
        "bot", "run", "first", "--local", "--game", "naga", "--seats", "2", "--against", "first,first", code=2
    )
    for option in (("--server", "127.0.0.1:1"), ("--threads", "2"), ("--token", "t"), ("--tls",)):
        told = refused("bot", "run", "first", "--local", *option, code=2)
        assert f"{option[0]} is for playing on a service" in told
    ok("bot", "run", "first", "--local", "--game", "naga", FUDABA_SERVER="127.0.0.1:1", FUDABA_TLS="1")
    assert "--seed is for --local" in refused("bot", "run", "first", "--seed", "1", code=2)
    assert "there is no game 'chess'" in refused("bot", "run", "first", "--local", "--game", "chess")


def test_which_games_are_loaded_is_said_of_built_in_bots_only(mybot: str) -> None:
    assert "--games is for built-in bots" in refused("bot", "run", f"{mybot}:Mine", "--games", "naga", code=2)
    assert "there is no game 'nagga'" in refused("bot", "run", "first", "--games", "nagga")
