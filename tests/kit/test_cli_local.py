"""Commands that need no service: `fudaba games`, and `fudaba match local --in-process`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fudaba.seatings import seating_count
from fudaba_games.registry import GAMES, game
from tests.support.kit.commands import BOT, ok, refused, run


def test_games_are_listed_and_shown() -> None:
    listed = ok("games")
    assert all(known_game.id in listed and known_game.japanese_name in listed for known_game in GAMES.values())
    shown = ok("games", "naga")
    assert "designate, commit" in shown
    assert all(option.name in shown and option.description in shown for option in game("naga").options)
    assert [row["id"] for row in json.loads(ok("games", "--json"))] == list(GAMES)
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


LOCAL = ("match", "local", "naga", "--in-process", "--seed", "3")


def test_deals_are_played_from_every_seat_and_a_seed_repeats_them() -> None:
    arguments = (*LOCAL, "--deals", "6", "--bot", "random", "--bot", "first", "--option", "deals=2")
    text = ok(*arguments)
    assert "naga: 12 matches, seed 3; deals=2" in text
    assert "moves/s" in text
    first, second = (json.loads(ok(*arguments, "--json")) for _ in range(2))
    for run_ in (first, second):
        assert run_.pop("seconds") > 0
        assert all(bot.pop("slowest_ms") >= 0 for bot in run_["bots"])
    assert first == second
    assert [bot["bot"] for bot in first["bots"]] == ["random", "first"]
    assert all(bot["won"] + bot["drawn"] + bot["lost"] == 12 for bot in first["bots"])
    assert sum(bot["points"]["mean"] for bot in first["bots"]) == pytest.approx(0)
    assert sum(seat["points"]["mean"] for seat in first["seats"]) == pytest.approx(0)
    assert first["bots"][0]["points"]["margin_95"] > 0
    assert first["options"]["deals"] == 2
    assert [result["bots"] for result in first["results"][:2]] == [["random", "first"], ["first", "random"]]


def test_the_last_bot_has_all_other_seats_and_each_of_them_is_told_apart() -> None:
    found = json.loads(ok(*LOCAL, "--matches", "1", "--bot", "random", "--json"))
    assert [bot["bot"] for bot in found["bots"]] == ["random (1)", "random (2)"]
    mean = {points["mean"] for points in (bot["points"] for bot in found["bots"])}
    assert mean == {found["results"][0]["scores"][0] * sign for sign in (1, -1)}
    assert {bot["points"]["margin_95"] for bot in found["bots"]} == {None}  # one deal tells nothing of the others
    five = ("match", "local", "napoleon", "--in-process", "--bot", "first", "--bot", "random")
    found = json.loads(ok(*five, "--deals", "1", "--json"))
    assert [bot["bot"] for bot in found["bots"]] == ["first", *(f"random ({number})" for number in range(1, 5))]
    assert found["matches"] == seating_count(5) == 20


@pytest.mark.parametrize(
    ("arguments", "message_part"),
    [
        (("--option", "deals=x"), "must be a whole number from 1 to 99, not 'x'"),
        (("--option", "deals=0"), "whole number from 1 to 99"),
        (("--option", "daels=1"), "it has: deals"),
        (("--bot", "random", "--bot", "random"), "naga is played by 2 seats, not 3"),
        (("--seats", "3"), "naga is played by 2 seats, not 3"),
    ],
)
def test_what_a_game_does_not_allow_is_refused(arguments: tuple[str, ...], message_part: str) -> None:
    assert message_part in refused(*LOCAL, "--bot", "random", *arguments)


@pytest.mark.parametrize(
    ("arguments", "message_part"),
    [
        (("--deals", "0"), "0 is not in the range"),
        (("--option", "deals"), "--option is written NAME=VALUE"),
        (("--deals", "1", "--matches", "1"), "give one"),
        (("--seats", "2", "--bot", "first", "--bot", "first"), "3 bots for 2 seats"),
        (("--bot", "clever"), "'clever' names no bot: there is no program 'clever'; write random, first, sensible"),
        (("--bot", "./clever"), "there is no program ./clever"),
        (("--bot", "first:2"), "takes no budget"),
        (("--bot", "'"), "is no command"),
        (("--bot", ""), "an empty text names no bot"),
        (("--bot", "./my 'bot"), "is a command; it plays without --in-process"),
        (("--bot", "./there.py"), "./there.py is not executable: chmod +x it"),
        (("--bot", "."), "is a folder without a bot.toml"),
        (("--bot", "wrong"), "bot.toml does not say how the bot is started; write start = "),
        (("--bot", "lost"), "there is no program ./bot in "),
        (("--bot", "there.py"), "or 'there.py:Class', or 'python there.py'"),
        (("--bot", "python there.py"), "'python there.py' is a command; it plays without --in-process"),
        (("--clock", "move=1s"), "--clock is for play on a service"),
        (("--records", "r"), "--records is for play on a service"),
    ],
)
def test_wrong_usage_says_what_to_write_instead(
    arguments: tuple[str, ...], message_part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.py").touch()
    (tmp_path / "my 'bot").touch(mode=0o755)
    for name, start in (("wrong", '"./bot"'), ("lost", '["./bot"]')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.toml").write_text(f"start = {start}\n")
    assert message_part in refused(*LOCAL, "--bot", "random", *arguments, code=2)


@pytest.fixture
def mybot(tmp_path: Path) -> str:
    path = tmp_path / "mybot.py"
    path.write_text(BOT, encoding="utf-8")
    return str(path)


def test_a_class_that_errs_in_process_is_named_and_fails_the_command(mybot: str) -> None:
    arguments = (*LOCAL, "--bot", f"{mybot}:Wrong", "--bot", "first", "--matches", "1")
    result = run(*arguments)
    assert result.exit_code == 1
    lines = result.stderr.splitlines()
    assert sum(" refused (" in line and "deal-001-1: /" in line for line in lines) == 5
    assert "5 more answers were refused" in result.stderr
    assert f"{mybot}:Wrong: deal-001-1, seat 0: had an answer refused (10 times in 1 match)" in lines
    assert lines[-1] == f"error: not all went well with {mybot}:Wrong"
    [fault] = json.loads(run(*arguments, "--json").stdout)["faults"]
    assert (fault["kind"], fault["count"], fault["seat"]) == ("illegal", 10, 0)
    assert ok(*LOCAL, "--bot", f"{mybot}:Mine", "--matches", "1")


def test_a_class_that_cannot_be_loaded_is_told(mybot: str) -> None:
    assert "has no class Nobody; it has: Mine, Wrong" in refused(*LOCAL, "--bot", f"{mybot}:Nobody")
    assert "there is no file" in refused(*LOCAL, "--bot", "nothere.py:Bot")
    assert "there is no game 'chess'" in refused("match", "local", "chess", "--bot", "first")


def test_which_games_are_loaded_is_said_of_built_in_bots_only(mybot: str) -> None:
    assert "--games is for built-in bots" in refused("bot", "run", f"{mybot}:Mine", "--games", "naga", code=2)
    assert "there is no game 'nagga'" in refused("bot", "run", "first", "--games", "nagga")


SPRT = (*LOCAL, "--bot", "first", "--bot", "random", "--sprt")


def test_a_sequential_test_stops_as_soon_as_it_is_decided_and_gives_its_verdict_in_words() -> None:
    text = ok(*SPRT, "--bounds=-300,0")
    assert re.search(
        r"better: first is ahead of random by more than -300 normalised Elo \(\d+ deals, \d+ matches\)", text
    )
    assert "advantage of first: " in text
    found = json.loads(ok(*SPRT, "--bounds=-300,0", "--json"))
    test = found["sequential_test"]
    assert (test["verdict"], test["low"], test["high"]) == ("better", -300, 0)
    assert test["matches"] == found["matches"] == 2 * test["blocks"] < 200
    assert test["log_likelihood_ratio"] >= test["better_at"]


def test_a_sequential_test_ends_undecided_with_its_last_deal() -> None:
    assert "undecided: first may be ahead" in ok(*SPRT, "--deals", "3")
    test = json.loads(ok(*SPRT, "--deals", "3", "--json"))["sequential_test"]
    assert (test["verdict"], test["low"], test["high"], test["matches"]) == ("undecided", 0, 30, 6)


@pytest.mark.parametrize(
    ("arguments", "message_part"),
    [
        (("--bounds=30,0",), "--bounds: the lower bound 30 is not below the upper bound 0"),
        (("--bounds=nan,1",), "--bounds: the bounds are not both finite numbers"),
        (("--bounds=5",), "--bounds: '5' is not LOW,HIGH"),
        (("--matches", "4"), "give --deals instead of --matches"),
    ],
)
def test_a_sequential_test_that_makes_no_sense_is_refused(arguments: tuple[str, ...], message_part: str) -> None:
    assert message_part in refused(*SPRT, *arguments, code=2)


def test_a_sequential_test_wants_two_bots_and_bounds_want_a_test() -> None:
    assert "--bounds belong to --sprt" in refused(*LOCAL, "--bot", "random", "--bounds=0,30", code=2)
    assert "name two" in refused(*LOCAL, "--bot", "random", "--sprt", code=2)
