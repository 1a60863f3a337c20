"""`fudaba match local` with real programs on a service that it starts."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fudaba import records
from fudaba.bot_program import MAX_LOG_BYTES, environment
from fudaba.client import Endpoint
from fudaba_games.registry import GAMES
from tests.support.kit.commands import run
from tests.support.patience import wait_until
from tests.support.service.processes import FUDABA, Process
from tests.support.serving.fake_servers import fake_server

NICE = """#!{python}
import os, fudaba

class Nice(fudaba.Bot):
    def choose(self, decision):
        print("an opinion")
        return fudaba.Answer(0, "the first one")

assert os.environ["FUDABA_SERVER"] and os.environ["FUDABA_TOKEN"].startswith("fudaba-")
assert "FUDABA_RECORDS" not in os.environ
assert os.path.exists("bot.toml")
fudaba.run(Nice)
"""
WRONG = """#!{python}
import os, sys, time, fudaba

class Wrong(fudaba.Bot):
    def __init__(self):
        self.asked = 0
    def choose(self, decision):
        self.asked += 1
        {what}
        return 0

fudaba.run(Wrong)
"""


def program(folder: Path, name: str, text: str, **more: str) -> str:
    path = folder / name
    path.write_text(text.format(python=sys.executable, **more), encoding="utf-8")
    path.chmod(0o755)
    return f"./{name}"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def local(game: str, *bots: str, more: tuple[str, ...]) -> tuple[int, dict[str, Any]]:
    """Returns what it prints as JSON, and its exit code."""
    named = [word for bot in bots for word in ("--bot", bot)]
    result = run("match", "local", game, *named, "--json", *more, FUDABA_RECORDS="none of a bot's business")
    assert result.exit_code in {0, 1}, result.output
    return result.exit_code, json.loads(result.stdout)


def faults(found: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(fault["bot"], fault["kind"]): fault for fault in found["faults"]}


def test_a_folder_a_class_and_a_built_in_bot_play_and_their_records_are_kept(here: Path) -> None:
    (here / "nice").mkdir()
    program(here / "nice", "start", NICE)
    (here / "nice" / "bot.toml").write_text('name = "nice"\nstart = ["./start"]\n')
    nice = "./nice"
    (here / "own.py").write_text("import fudaba\nclass Own(fudaba.Bot):\n    def choose(self, d):\n        return 0\n")
    code, found = local(
        "niekhi", nice, "own.py:Own", "first", more=("--matches", "2", "--seed", "4", "--records", "kept")
    )
    assert (code, found["faults"], found["matches"], found["records"]) == (0, [], 2, "kept")
    for result in found["results"]:
        path = here / "kept" / f"{result['match']}.fudaba"
        record = records.read(path)
        assert records.verify(record) == []
        assert list(record.end.outcome.scores) == result["scores"]
        seat = result["bots"].index(nice)
        assert "an opinion" in (path.parent / f"{result['match']}.seat{seat}.log").read_text()
        notes = json.loads(records.notes_file(path).read_text())["notes"]
        assert {(note.get("seat", 0), note["text"]) for note in notes} == {(seat, "the first one")}
    assert len({records.read(here / "kept" / f"{row['match']}.fudaba").seed for row in found["results"]}) == 1
    again = run("match", "local", "niekhi", "--bot", nice, "--records", "kept")
    assert "kept has records already" in again.stderr


def test_no_process_of_it_loads_another_game(here: Path) -> None:
    """To load all of them would take longer than a short match."""
    seen = here / "seen"
    hook = f"""
import sys

def see(event, arguments):
    if event == "import" and arguments[0].startswith("fudaba_games."):
        with open({str(seen)!r}, "a") as file:
            file.write(arguments[0].split(".")[1] + "\\n")

sys.addaudithook(see)
"""
    (here / "sitecustomize.py").write_text(hook)
    bots = ("--bot", "search-flat:2", "--bot", "first")  # a process of its own, and one that the service plays
    arguments = ("match", "local", "naga", *bots, "--matches", "1", "--option", "deals=1")
    subprocess.run([FUDABA, *arguments], env=os.environ | {"PYTHONPATH": str(here)}, check=True, capture_output=True)
    assert set(seen.read_text().split()) & set(GAMES) == {"naga"}


@pytest.mark.exhaustive
def test_what_is_wrong_with_a_programs_notes_is_told_once_and_is_no_fault(
    here: Path, caplog: pytest.LogCaptureFixture
) -> None:
    noting = program(here, "noting", WRONG, what="return fudaba.Answer(0, '\\udce9')")
    result = run("match", "local", "naga", "--bot", noting, "--bot", "first", "--matches", "2", "--option", "deals=1")
    assert result.exit_code == 0, result.output
    warning = "./noting: the note has halves of surrogate pairs, which are no characters; U+FFFD is sent in their place"
    assert caplog.messages == [warning]


@pytest.mark.exhaustive
def test_what_a_program_does_wrong_is_named_with_its_last_lines(here: Path) -> None:
    slow = program(here, "slow", WRONG, what="if self.asked == 1: print('thinking'); time.sleep(30)")
    illegal = program(here, "illegal", WRONG, what="if decision.refusal is None: return 'bid 40 spades spades'")
    noisy = program(here, "noisy", WRONG, what=f"print('x' * {MAX_LOG_BYTES + 1}) if self.asked == 1 else None")
    clock = "move=10s,bank=0s,timeouts=0,illegal=0"
    code, found = local(
        "niekhi", slow, illegal, noisy, more=("--matches", "1", "--clock", clock, "--option", "deals=1")
    )
    assert code == 1
    by_fault = faults(found)
    assert by_fault["./slow", "timeouts"]["count"] > 0
    assert "thinking" in by_fault["./slow", "timeouts"]["last_lines"]
    assert "let its time run out: decision " in by_fault["./slow", "timeouts"]["text"]
    assert "MALFORMED_MOVE" in by_fault["./illegal", "illegal"]["text"]
    assert "MB, of which the last are kept" in by_fault["./noisy", "output"]["text"]
    assert found["matches"] == 1  # it was played to its end all the same


@pytest.mark.exhaustive
def test_of_a_fault_in_mid_match_those_lines_are_told_that_it_printed_then(here: Path) -> None:
    chat = "[print(f'{self.asked}, thought {number}', flush=True) for number in range(30)]; "
    slow = program(here, "slow", WRONG, what=chat + "time.sleep(30 * (self.asked == 2))")
    more = ("--matches", "1", "--clock", "move=10s,bank=0s,timeouts=0,illegal=0", "--option", "deals=1")
    code, found = local("naga", slow, "first", more=more)
    assert code == 1
    by_fault = faults(found)
    assert "2, thought 29" in by_fault["./slow", "timeouts"]["last_lines"]
    thoughts = [line for line in by_fault["./slow", "timeouts"]["last_lines"] if re.match(r"\d+, thought", line)]
    assert {line.partition(",")[0] for line in thoughts} == {"2"}


@pytest.mark.exhaustive
def test_a_default_move_after_an_error_of_a_program_s_own_is_told_with_what_it_printed_then(here: Path) -> None:
    mistake = "if self.asked == 2: raise LookupError('no idea')"
    where = "address=os.environ['FUDABA_SERVER'], token=os.environ['FUDABA_TOKEN']"
    text = WRONG.replace(
        "fudaba.run(Wrong)", f"fudaba.run(Wrong, fudaba.PlayOptions({where}, on_error=OnError.DEFAULT))"
    )
    text = text.replace("import os", "from fudaba.answers import OnError\nimport os", 1)
    fails = program(here, "fails", text + "print('the end', file=sys.stderr)\n", what=mistake)
    code, found = local("naga", fails, "first", more=("--matches", "1", "--option", "deals=1"))
    fault = faults(found)["./fails", "exception"]
    assert (code, fault["count"], found["matches"]) == (1, 1, 1)
    assert fault["text"].startswith("its own error at decision ")
    assert "LookupError: no idea" in fault["last_lines"]
    assert fault["last_lines"][-1].endswith("; the default move is played")


@pytest.mark.exhaustive
def test_a_program_that_ends_early_forfeits_and_the_next_match_is_played(here: Path) -> None:
    mistake = "if self.asked == 2: print('no model.bin', file=sys.stderr, flush=True); os._exit(3)"
    crashing = program(here, "crashing", WRONG, what=mistake)
    named = ("--bot", crashing, "--bot", "first", "--deals", "1", "--at-once", "2")
    result = run("match", "local", "naga", *named)
    assert result.exit_code == 1
    lines = result.stderr.splitlines()
    assert lines[0].startswith("./crashing: deal-001-1, seat 0: ended with exit status 3 before its match was over (2 ")
    assert lines[1].startswith("  its last lines (more in local-matches/naga-")
    assert "    no model.bin" in lines
    assert lines[-1] == "error: not all went well with ./crashing"
    [folder] = (here / "local-matches").iterdir()
    kept = [records.read(path) for path in sorted(folder.glob("*.fudaba"))]
    assert [record.end.forfeited_seat for record in kept] == [0, 1]


@pytest.mark.exhaustive
def test_with_a_program_that_does_not_connect_nothing_more_is_played(here: Path) -> None:
    said = here / "said"
    silent = program(here, "silent", f"#!/bin/sh\necho still loading\ntouch {said}\nexec sleep 600\n")
    code, found = local("naga", "first", silent, more=("--deals", "3", "--clock", "start=3s", "--at-once", "1"))
    assert (code, found["matches"]) == (1, 0)
    [fault] = found["faults"]
    assert (fault["bot"], fault["kind"], fault["seat"]) == ("./silent", "not_connected", 1)
    assert fault["text"] == "did not connect within 3 s"
    if said.exists():  # on a very busy machine it may not even have begun
        assert fault["last_lines"] == ["still loading"]
    assert len(list((here / found["records"]).glob("*.log"))) == 1


@pytest.mark.exhaustive  # a class's exception is one more way to forfeit
def test_a_class_that_raises_resigns_and_one_that_cannot_be_loaded_does_not_connect(here: Path) -> None:
    (here / "own.py").write_text(
        "import fudaba\nclass Own(fudaba.Bot):\n    def choose(self, d):\n        raise OSError(7)\n"
    )
    code, found = local("naga", "own.py:Own", "first", more=("--matches", "1"))
    fault = faults(found)["own.py:Own", "exception"]
    assert (code, fault["text"]) == (1, "raised an exception, and so resigned")
    assert "OSError: 7" in fault["last_lines"]
    code, found = local("naga", "own.py:Nobody", "first", more=("--matches", "1"))
    fault = faults(found)["own.py:Nobody", "not_connected"]
    assert (code, fault["text"]) == (1, "did not connect: it ended with exit status 1")
    assert any("has no class Nobody" in line for line in fault["last_lines"])


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.nightly("the same with Ctrl-C"))]
)
def test_interrupted_it_leaves_nothing_behind_but_what_was_played(here: Path, number: signal.Signals) -> None:
    slow = program(here, "slow", WRONG, what="open('pid', 'w').write(str(os.getpid())); time.sleep(600)")
    (here / "tmp").mkdir()
    with Process(here, "local") as playing:
        command = [str(FUDABA), "match", "local", "naga", "--bot", slow, "--bot", "first"]
        playing.launch(command, {"TMPDIR": str(here / "tmp")})
        wait_until(lambda: ((here / "pid").exists() and (here / "pid").read_text()) or not playing.running)
        assert playing.running, playing.log
        assert list((here / "tmp").iterdir())
        playing.signal(number)
        assert playing.wait() == 130, playing.log
    assert playing.log.splitlines()[-1] == "interrupted"
    assert list((here / "tmp").iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int((here / "pid").read_text()), 0)


@pytest.mark.exhaustive
def test_nothing_that_it_started_outlives_it(here: Path) -> None:
    tell = "if self.asked == 1: open('pid', 'w').write(str(os.getpid()))"
    local("naga", program(here, "told", WRONG, what=tell), "first", more=("--matches", "1"))
    with pytest.raises(ProcessLookupError):
        os.kill(int((here / "pid").read_text()), 0)


def test_of_the_variables_for_fudaba_a_bot_gets_its_own_and_where_it_keeps_what_it_remembers() -> None:
    base = {"HOME": "/home/me", "FUDABA_TOKEN": "mine", "FUDABA_DATA": "/data", "FUDABA_KEPT": "/tmp/kept"}
    got = environment(base, Endpoint("127.0.0.1:1"), "its own")
    assert got == {
        "HOME": "/home/me",
        "FUDABA_KEPT": "/tmp/kept",
        "FUDABA_SERVER": "127.0.0.1:1",
        "FUDABA_TOKEN": "its own",
        "PYTHONUNBUFFERED": "1",
    }


@pytest.mark.exhaustive
def test_what_the_store_of_a_service_that_cannot_be_started_said_is_told_in_lines(tmp_path: Path) -> None:
    said = "printf '1:M * loads\\n\\tat byte 7\\033[2J\\n1:M # the disk is on fire\\n'"
    fake_server(tmp_path, f'[ "$1" = --version ] && echo v=7.0.0 && exit\n{said}\nexit 1')
    command = [sys.executable, "-m", "fudaba", "match", "local", "naga", "--bot", "random", "--bot", "random"]
    done = subprocess.run(
        command, env={**os.environ, "PATH": str(tmp_path)}, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    at = lines.index("error: the service cannot be started; its last lines:")
    cause, *quoted = lines[at + 1 :]
    assert cause.startswith(f"    error: {tmp_path / 'redis-server'} ended at its start with status 1. The last lines")
    assert [line.strip() for line in quoted] == [
        "1:M * loads",
        "at byte 7\ufffd[2J",
        "1:M # the disk is on fire",
    ]
    assert all(line.startswith("        ") for line in quoted)
    assert done.stderr.count("\ufffd") == 1, "only what would have driven the terminal is marked"
