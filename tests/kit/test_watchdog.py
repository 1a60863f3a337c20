"""A bot whose code does not come back is named, with the line at which it stands; and Ctrl-C ends it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("redis", reason="the service's extra is not installed")

from tests.support.kit.served import Served
from tests.support.patience import PATIENCE

FUDABA = (sys.executable, "-c", "from fudaba.cli import main; main()")

BOTS = """\
import asyncio, time
from fudaba import Bot

class Endless(Bot):
    def choose(self, decision):
        while decision.id != "0":     # as a search without a time check
            pass

class Waits(Bot):
    async def choose(self, decision):
        return await self.think()

    async def think(self):
        await asyncio.Event().wait()  # for what nobody sets

class Blocks(Bot):
    async def choose(self, decision):
        time.sleep(3600)              # holds up the loop

class Catches(Bot):
    def choose(self, decision):
        while True:
            try:
                time.sleep(3600)      # whatever comes
            except BaseException:
                pass

class NeverMade(Bot):
    def __init__(self):
        time.sleep(3600)              # before its first match

    def choose(self, decision):
        return 0

class Locks(Bot):
    def choose(self, decision):
        return sum(range(10**15))     # in C, with Python's lock
"""


@contextmanager
def running(folder: Path, *arguments: str, env: dict[str, str] | None = None) -> Iterator[subprocess.Popen[str]]:
    (folder / "hang.py").write_text(BOTS, encoding="utf-8")
    command = [*FUDABA, *arguments]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True, env=env) as process:
        patience = threading.Timer(PATIENCE, process.kill)
        patience.start()
        try:
            yield process
        finally:
            patience.cancel()
            process.kill()


def line_with(process: subprocess.Popen[str], words: str) -> str:
    """Returns the first line on standard error with these words."""
    assert process.stderr is not None
    said: list[str] = []
    for line in process.stderr:
        if words in line:
            return line
        said.append(line)
    raise AssertionError(f"it never said {words!r}, but: {''.join(said)}")


def in_process(name: str) -> tuple[str, ...]:
    return ("match", "local", "naga", "--bot", f"hang.py:{name}", "--bot", "first", "--in-process")


@pytest.mark.parametrize(
    ("name", "call", "place"),
    [
        ("Endless", "choose (decision 0.0)", r'hang\.py:[67], in choose: (while decision\.id != "0":.*|pass) '),
        ("Waits", "choose (decision 0.0)", r"hang\.py:14, in think: await asyncio\.Event\(\)\.wait\(\)"),
        ("Blocks", "choose (decision 0.0)", r"hang\.py:18, in choose: time\.sleep\(3600\)"),
        ("NeverMade", "its constructor", r"hang\.py:30, in __init__: time\.sleep\(3600\)"),
    ],
)
@pytest.mark.exhaustive
def test_a_bot_that_does_not_come_back_in_process_is_named_and_told_again_at_ctrl_c(
    name: str, call: str, place: str, tmp_path: Path
) -> None:
    with running(tmp_path, *in_process(name)) as process:
        line = line_with(process, "has not come back")
        assert f"hang.py:{name}" in line
        assert f"has not come back from {call} for " in line
        assert re.search(f"; it is at {place}", line)
        assert "Ctrl-C ends it" in line
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        *again, last = process.stderr.read().splitlines()
        assert again
        for line in again:  # on a busy machine some of them may have come before Ctrl-C did
            assert re.search(f"hang.py:{name}.* has not come back .*; it is at {place[:20]}", line)
        assert last == "interrupted"
        assert process.wait(PATIENCE) == 130


@pytest.mark.exhaustive
def test_where_a_library_holds_pythons_lock_python_itself_says_where_it_stands(tmp_path: Path) -> None:
    with running(tmp_path, *in_process("Locks")) as process:
        assert re.search(r'hang\.py", line 37 in choose', line_with(process, 'hang.py"'))


@pytest.mark.exhaustive
def test_a_bot_that_catches_ctrl_c_ends_all_the_same(tmp_path: Path) -> None:
    with running(tmp_path, *in_process("Catches")) as process:
        line_with(process, "hang.py:24, in choose: time.sleep(3600)")
        process.send_signal(signal.SIGINT)
        line_with(process, "the bot's code does not let go")
        assert process.wait(PATIENCE) == 130


def test_a_file_that_plays_when_it_is_loaded_is_told(tmp_path: Path) -> None:
    (tmp_path / "plays.py").write_text("import time\ntime.sleep(3600)\n", encoding="utf-8")
    with running(tmp_path, "match", "local", "naga", "--bot", "plays.py:Bot", "--in-process") as process:
        line = line_with(process, "plays.py:Bot has not come back from being loaded")
        assert "it is at plays.py:2, in <module>: time.sleep(3600)" in line
        assert "a file that is imported only defines its classes" in line


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    service = Served(tmp_path_factory.mktemp("s"))
    service.start()
    yield service
    service.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.exhaustive)])
def test_a_bot_that_blocks_its_event_loop_on_a_service_is_named_and_can_be_stopped(
    served: Served, number: signal.Signals, tmp_path: Path
) -> None:
    name = f"blocks-{number.name.lower()}"
    token = served.bot(name).token
    served.ok("match", "create", "naga", "--seat", f"bot:{name}", "--seat", "house-first")
    with running(tmp_path, "bot", "run", "hang.py:Blocks", env=served.env(token)) as process:
        line = line_with(process, "has not come back from choose (decision")
        assert "it is at hang.py:18, in choose: time.sleep(3600)" in line
        assert "its other matches stand still" in line
        process.send_signal(number)
        line_with(process, "hang.py:18")
        assert process.stderr is not None
        assert process.stderr.read().endswith("interrupted\n")
        assert process.wait(PATIENCE) == 130


@pytest.mark.exhaustive
def test_a_bot_that_runs_out_of_time_in_a_thread_is_named(served: Served, tmp_path: Path) -> None:
    token = served.bot("endless").token
    served.ok("match", "create", "naga", "--seat", "bot:endless", "--seat", "house-first", "--clock", "move=1s,bank=0s")
    with running(tmp_path, "bot", "run", "hang.py:Endless", env=served.env(token)) as process:
        line = line_with(process, "has not come back from choose (decision")
        assert re.search(r"it is at hang\.py:[67], in choose", line)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
