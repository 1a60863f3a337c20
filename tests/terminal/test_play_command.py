"""`fudaba play` in a real terminal: the whole program, in process and on a service that dies and comes back."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fudaba.cli import cli
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE

pytest.importorskip("redis", reason="the service's extra is not installed")

from tests.support.service.processes import Service
from tests.support.terminal.terminal import CTRL_C, CTRL_R, ENTER, ESCAPE, Terminal


def play_on(terminal: Terminal) -> None:
    """Plays the marked move again and again until the match is over."""
    deadline = time.monotonic() + PATIENCE
    while "Enter leaves" not in terminal.text:
        assert time.monotonic() < deadline, terminal.text
        asked = re.search(r"^.*(one|\d+) moves?$", terminal.text, re.MULTILINE)
        if asked is not None:
            # Once for each question, however late the screen shows the next: Enter also leaves what is over.
            terminal.press(ENTER)
            terminal.until(lambda line=asked[0]: line not in terminal.text, "what follows")  # type: ignore[misc]
        time.sleep(0.02)


@pytest.mark.exhaustive
def test_play_naga_with_nothing_else_simply_works() -> None:
    with Terminal("play", "naga") as terminal:
        terminal.shows("against sensible")
        play_on(terminal)
        assert re.search(r"You (won|lost)|A draw", terminal.text)
        terminal.press("q")
        assert terminal.ends() == 0
        assert re.search(r"you [+-]\d, sensible [+-]\d", terminal.said)


@pytest.mark.exhaustive
def test_wrong_input_a_change_of_size_help_and_ctrl_c_do_no_harm() -> None:
    with Terminal("play", "naga", "--against", "first", "--option", "first_dealer=1", "--seed", "1") as terminal:
        terminal.shows("6 moves")
        terminal.press(*"nonsense", ENTER)
        terminal.shows("is not a move of Naga now")
        terminal.press(ESCAPE)
        terminal.shows("that the next battle is for: 6 moves")
        terminal.resize(120, 40)
        terminal.press("?")
        terminal.shows("narrow the list of moves")
        terminal.press(ESCAPE)
        terminal.until(lambda: "narrow the list of moves" not in terminal.text, "the end of the help")
        terminal.resize(80, 24)
        terminal.press(CTRL_C)
        terminal.shows("Leave the table?")
        terminal.press(ESCAPE)
        terminal.until(lambda: "Leave the table?" not in terminal.text, "the end of the question")
        terminal.press(*"3", ENTER)
        terminal.shows("You name Avoria")
        terminal.chooses(CTRL_C, "Leave the table?", "r")
        terminal.shows("You resigned. You lost.")
        terminal.press("n")
        terminal.until(lambda: "You resigned" not in terminal.text and "moves" in terminal.text, "another match")
        terminal.chooses(CTRL_C, "Leave the table?", "l")
        assert terminal.ends() == 0
        assert b"Traceback" not in terminal.raw


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with short_folder() as place, Service(place, "--appendfsync", "always") as running:
        yield running.start()
        assert running.terminate() == 0, running.log
        assert "Traceback" not in running.log


def run(service: Service, *arguments: str, token: str = "", code: int = 0) -> Result:
    result = CliRunner().invoke(
        cli, list(arguments), env={"FUDABA_SERVER": service.address, "FUDABA_TOKEN": token or service.token}
    )
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def tokens(service: Service, request: Any) -> tuple[str, str]:
    """Tokens of two new bots, anna and bert of this test."""
    number = abs(hash(request.node.name)) % 10**9
    names = (f"anna{number}", f"bert{number}")
    return tuple(run(service, "bot", "create", name).stdout.strip() for name in names)  # type: ignore[return-value]


def at(service: Service, token: str, *arguments: str) -> Terminal:
    return Terminal("play", *arguments, "--server", service.address, FUDABA_TOKEN=token)


@pytest.mark.exhaustive
def test_a_person_plays_a_house_bot_on_a_service(service: Service, tokens: tuple[str, str]) -> None:
    with at(service, tokens[0], "naga", "--against", "house-random") as terminal:
        terminal.shows("against ran")  # a long clock beside it leaves no room for more
        play_on(terminal)
        terminal.press(ENTER)
        assert terminal.ends() == 0
        [match_id] = re.findall(rf"fudaba record get (m-[0-9a-f]+) --server {service.address}\n", terminal.said)
    assert "house-random" in run(service, "match", "show", match_id).stdout
    with at(service, tokens[0], "--match", match_id) as terminal:
        assert terminal.ends() == 1
        said = "".join(terminal.text.split())  # the terminal breaks lines anywhere
        assert said.startswith(f"error:match{match_id}isover:seat0(anna")
        assert f"fudabarecordget{match_id}--server{service.address}" in said


@pytest.mark.exhaustive
def test_two_persons_meet_by_invitation_and_the_death_of_the_service_does_not_part_them(
    service: Service, tokens: tuple[str, str]
) -> None:
    with at(service, tokens[0], "naga", "--against", "invite") as anna:
        anna.shows("waiting for 1 seat")
        [code] = re.findall(r"[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}", anna.text)
        with at(service, tokens[1], "--join", code) as bert:
            for terminal in (anna, bert):
                terminal.shows("battle 1 of 7")
            bert.shows("6 moves")
            bert.press("3")
            bert.shows("1 of 6 moves")
            service.kill()
            for terminal in (anna, bert):
                terminal.shows("Trying again.")
            service.start()
            bert.shows("1 of 6 moves")
            bert.press(ENTER)
            anna.shows("names Avoria")
            anna.shows("⏱")
            for terminal in (anna, bert):
                terminal.shows("Commit three cards for Avoria")
                terminal.press(ENTER)
            bert.shows("Battle for Avoria")
            bert.chooses(CTRL_C, "Leave the table?", "l")
            assert bert.ends() == 0
            [match_id] = re.findall(r"come back with:\nfudaba play --match (m-[0-9a-f]+)", bert.said)
            assert f"fudaba play --match {match_id} --server {service.address}\n" in bert.said
        with at(service, tokens[1], "--match", match_id) as bert:
            bert.shows("Battle for Avoria")
            anna.chooses(CTRL_R, "Give the match up?", "y")
            anna.shows("You resigned. You lost.")
            bert.shows("resigned. You won.")
            anna.press(ENTER)
            bert.press(ENTER)
            assert (anna.ends(), bert.ends()) == (0, 0)


@pytest.mark.exhaustive
def test_ctrl_c_before_anybody_has_joined_calls_the_match_off(service: Service, tokens: tuple[str, str]) -> None:
    with at(service, tokens[0], "naga", "--against", "open") as terminal:
        terminal.shows("waiting for 1 seat")
        [match_id] = re.findall(r"fudaba match join (m-[0-9a-f]+)", terminal.text)
        assert match_id in run(service, "match", "list", "--state", "open").stdout
        terminal.press(CTRL_C)
        assert terminal.ends() == 1
        assert "error: called off" in terminal.text
    assert "called off by the bot that created it" in run(service, "match", "show", match_id).stdout


def refused(*arguments: str) -> str:
    result = CliRunner().invoke(cli, ["play", *arguments])
    assert result.exit_code in {1, 2}
    assert "Traceback" not in result.stderr
    return result.stderr


def test_without_a_terminal_nothing_is_played() -> None:
    assert "needs a terminal" in refused("naga")


def test_without_its_extra_it_says_what_to_install(tmp_path: Path) -> None:
    missing = "raise ModuleNotFoundError(\"No module named 'textual'\", name='textual')"
    (tmp_path / "textual.py").write_text(missing)
    with Terminal("play", "naga", PYTHONPATH=str(tmp_path)) as terminal:
        assert terminal.ends() == 1
        assert "pip install '.[play]'" in terminal.text


@pytest.mark.exhaustive
def test_a_service_that_cannot_be_reached_is_told() -> None:
    with Terminal("play", "--join", "m-1", "--server", "127.0.0.1:1") as terminal:
        assert terminal.ends() == 1
        assert "cannot reach the service" in terminal.text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "name the game"),
        (("chess",), "there is no game 'chess'"),
        (("naga", "--against", "nobody"), "no built-in bot 'nobody'"),
        (("naga", "--against", "search-tree:1m"), "a search's budget is a number of tries, as 500, or a time, as 0.5s"),
        (("naga", "--against", "first,first"), "played by 2 seats, not 3"),
        (("naga", "--server", "127.0.0.1:1", "--against", "sensible"), "on a service it is house-sensible"),
        (("naga", "--against", "open,sensible", "--seats", "2"), "1 other seat"),
        (("nerts", "--against", "house-random,first", "--seats", "3"), "--against first: on a service it is"),
        (("naga", "--my-seat", "4"), "the seats are 0 to 1"),
        (("naga", "--option", "deals=0"), "1 to 99"),
        (("naga", "--seed", "1", "--against", "open"), "--seed is for play in process"),
        (("naga", "--clock", "move=1s"), "--clock is for play on a service"),
        (("naga", "--join", "m-1"), "--join takes a seat in an existing match: leave out GAME (naga)"),
        (
            ("--match", "m", "--my-seat", "1", "--option", "a=1"),
            "--match takes a seat in an existing match: leave out --my-seat, --option",
        ),
        (("--join", "m-1", "--clock", "move=1s"), "leave out --clock"),
        (("--join", "a", "--match", "b"), "both given"),
    ],
    ids=str,
)
def test_what_cannot_be_played_is_refused_in_words(arguments: tuple[str, ...], words: str) -> None:
    assert words in refused(*arguments)


# --- seats by the command line


def test_the_command_line_creates_seats_joins_them_and_says_what_to_do_next(
    service: Service, tokens: tuple[str, str], tmp_path: Path
) -> None:
    made = run(service, "match", "create", "naga", "--seat", "invite", "--seat", "open", "--join-within", "5m")
    match_id = made.stdout.strip()
    [code] = re.findall(r"seat 0: by invitation: fudaba match join (\S+)", made.stderr)
    assert f"seat 1: open: fudaba match join {match_id}" in made.stderr
    shown = run(service, "match", "show", match_id).stdout
    assert [shown.count(f"seat {seat}") for seat in range(2)] == [1, 1]
    assert "forfeit: after 3 timeouts, after 10 illegal answers" in shown
    assert "by invitation, open" in run(service, "match", "list", "--state", "open").stdout
    assert "MATCH_NOT_FOUND" in run(service, "match", "join", "m-0", token=tokens[0], code=1).stderr
    assert "INVITATION_NOT_FOUND" in run(service, "match", "join", "AAAA-BBBB-CCCC", token=tokens[0], code=1).stderr
    joined = run(service, "match", "join", code.lower(), token=tokens[0])
    assert joined.stdout.strip() == match_id
    assert "seat 0" in joined.stderr
    assert "ALREADY_SEATED" in run(service, "match", "join", match_id, token=tokens[0], code=1).stderr
    assert "INVITATION_USED" in run(service, "match", "join", code, token=tokens[1], code=1).stderr
    assert "seat 1" in run(service, "match", "join", match_id, token=tokens[1]).stderr
    assert "waiting" in run(service, "match", "show", match_id).stdout
    run(service, "match", "abort", match_id)


def test_a_bot_challenges_a_house_bot_by_the_command_line(service: Service, tokens: tuple[str, str]) -> None:
    create = ("match", "create", "naga", "--seat", "me", "--seat", "house-first", "--json")
    assert '"MATCH_STATE_WAITING"' in run(service, *create, token=tokens[0]).stdout
    for seats, words in (
        (("--seat", "me", "--seat", "house-nobody"), "there are: house-sensible, house-random, house-first"),
        (("--seat", "open", "--seat", "house-first"), "give one seat to yourself (`me`, "),
    ):
        assert words in run(service, "match", "create", "naga", *seats, token=tokens[0], code=1).stderr
    wrong: list[tuple[tuple[str, ...], str]] = [
        (("--seat", "somebody"), "a seat is written me, bot:NAME"),
        (("--seat", "me", "--seat", "house:first"), "house-NAME, invite or open; not 'house:first'"),
        (("--seat", "me", "--seat", "sensible"), "house-NAME, invite or open; not 'sensible'"),
        ((), "assign each seat with --seat"),
        (("alice", "--seat", "me"), "not both"),
        (("--seat", "me", "--seat", "open", "--join-within", "soon"), "--join-within must be a time"),
        (("--seat", "me", "--seat", "open", "--join-within", "0s"), "more than 0 s and at most 168 h, a week"),
        (("--seat", "me", "--seat", "open", "--join-within", "100000h"), "more than 0 s and at most 168 h, a week"),
    ]
    for usage, words in wrong:
        assert words in run(service, "match", "create", "naga", *usage, token=tokens[0], code=2).stderr
