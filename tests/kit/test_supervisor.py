"""Programs that are kept running: started again when they end or hang, stopped one by one, hurried in their turn."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from fudaba.supervisor import Child, NotStarted
from tests.support.descriptors import none_left, open_files
from tests.support.patience import PATIENCE, until

PROGRAM = """\
import signal, threading

asked = []
over = threading.Event()

def stop(*_):
    asked.append(1)
    print("asked", len(asked), flush=True)
    if len(asked) == 2:
        over.set()

signal.signal(signal.SIGTERM, stop)
print("serves on here", flush=True)
while not over.wait(0.05):
    pass
"""
"""It ends when it is asked for the second time."""


async def test_who_is_hurried_is_asked_a_second_time_and_never_before_it_is_stopped() -> None:
    lines: list[str] = []
    command = [sys.executable, "-c", PROGRAM]
    child = Child(
        "one", lambda _: command, re.compile(r"^serves on (\S+)$"), lambda _, line: lines.append(line), dict(os.environ)
    )
    keeping = asyncio.create_task(child.keep())
    await child.ready.wait()
    child.hurry()
    await asyncio.sleep(0.5)  # what must not happen has the time for it
    assert lines == ["serves on here"]
    stopping = asyncio.create_task(child.stop(60))

    async def over() -> bool:
        return stopping.done() and keeping.done()

    await until(over, "it has ended")
    assert lines == ["serves on here", "asked 1", "asked 2"]


SERVES = re.compile(r"^serves on (\S+)$")
FAILS_FIRST = """\
import pathlib, sys, time

starts = pathlib.Path(sys.argv[1])
with starts.open("a") as file:
    file.write("x")
if len(starts.read_text()) <= int(sys.argv[2]):
    sys.exit(int(sys.argv[3]))
print("serves on here", flush=True)
time.sleep(3600)
"""
"""It ends at its first starts, of which a file keeps the number."""
HANGS = """\
import asyncio, pathlib, sys
from fudaba_serving.process.runner import runner

order = pathlib.Path(sys.argv[1])

def hang_for_ever():
    while True:
        pass

async def main():
    print("serves on here", flush=True)
    while not order.exists():
        await asyncio.sleep(0.05)
    hang_for_ever()

with runner() as loop:
    loop.run(main())
"""
"""It hangs as long as it is ordered to, by a file."""


@asynccontextmanager
async def kept(program: str, *arguments: object, **more: Any) -> AsyncIterator[tuple[Child, list[str]]]:
    """Yields a program that is kept running, and what it has said, and what was said of it."""
    lines: list[str] = []
    command = [sys.executable, "-c", program, *map(str, arguments)]
    child = Child("one", lambda _: command, SERVES, lambda _, line: lines.append(line), dict(os.environ), **more)
    keeping = asyncio.create_task(child.keep())
    try:
        yield child, lines
    finally:
        child.end()
        await child.stop(60)
        await asyncio.gather(keeping, return_exceptions=True)


async def says(lines: list[str], line: str, times: int = 1) -> None:
    async def said() -> bool:
        return lines.count(line) >= times

    await until(said, lambda: f"{line!r} is said {times} times: {lines}")


async def said_after(lines: list[str], place: int, line: re.Pattern[str]) -> int:
    """Waits for a line, and returns the place after it."""

    async def found() -> list[int]:
        return [number for number, said in enumerate(lines) if number >= place and line.search(said)]

    numbers: list[int] = await until(found, lambda: f"{line.pattern!r} is said: {lines[place:]}")
    return numbers[0] + 1


@pytest.mark.parametrize("status", [1, 137])
async def test_a_program_that_has_never_served_is_started_again_with_longer_and_longer_pauses(
    tmp_path: Path, status: int
) -> None:
    async with kept(FAILS_FIRST, tmp_path / "starts", 2, status) as (child, lines):
        await asyncio.wait_for(child.ready.wait(), PATIENCE)
        assert lines == [
            f"ended with exit status {status}; it is started again in 0.5 s",
            f"ended with exit status {status}; it is started again in 1 s",
            "serves on here",
        ]


@pytest.mark.parametrize(("status", "starts"), [(1, 3), (2, 1)], ids=["a failure", "wrong usage"])
async def test_what_cannot_be_started_is_not_tried_for_ever(tmp_path: Path, status: int, starts: int) -> None:
    file = tmp_path / "starts"
    command = [sys.executable, "-c", FAILS_FIRST, str(file), "1000", str(status)]
    child = Child("one", lambda _: command, SERVES, lambda *_: None, dict(os.environ), first_starts=3)
    with pytest.raises(NotStarted, match="the one cannot be started; its last lines above say why") as info:
        await child.keep()
    assert (info.value.status, len(file.read_text())) == (status, starts)


async def test_it_is_tried_as_long_as_what_it_needs_is_away(tmp_path: Path) -> None:
    async with kept(FAILS_FIRST, tmp_path / "needed", 1_000, 1) as (needed, _):
        more = {"needs": [needed], "first_starts": 1}
        async with kept(FAILS_FIRST, tmp_path / "starts", 2, 1, **more) as (child, lines):
            await asyncio.wait_for(child.ready.wait(), PATIENCE)
            assert len(lines) == 3
            assert not needed.ready.is_set()


@pytest.mark.exhaustive
async def test_a_program_whose_loop_hangs_is_told_with_its_stacks_ended_and_started_again(tmp_path: Path) -> None:
    order = tmp_path / "hang"
    async with kept(HANGS, order, hung_seconds=4.0) as (child, lines):
        await asyncio.wait_for(child.ready.wait(), PATIENCE)
        order.touch()
        # On a busy machine it may have been silent for too long before.
        place = await said_after(lines, 0, re.compile("in hang_for_ever$"))
        order.unlink()
        assert "hangs: its event loop has been silent for 4 s; where its threads are:" in lines[:place]
        for line in (
            "^is ended, since it hangs$",
            r"^ended with signal SIGKILL; it is started again in \S+ s$",
            SERVES,
        ):
            place = await said_after(lines, place, re.compile(line))


@pytest.mark.exhaustive
async def test_a_program_that_is_stopped_hangs_too(tmp_path: Path) -> None:
    async with kept(HANGS, tmp_path / "never", hung_seconds=4.0) as (child, lines):
        await asyncio.wait_for(child.ready.wait(), PATIENCE)
        [pid] = children_of(os.getpid(), "hang_for_ever")
        os.kill(pid, signal.SIGSTOP)
        await says(lines, "serves on here", 2)
        assert "is ended, since it hangs" in lines


@pytest.mark.exhaustive
async def test_time_in_which_the_supervisor_does_not_run_is_no_silence(tmp_path: Path) -> None:
    """As while a laptop sleeps: nobody beats, and nobody listens."""
    async with kept(HANGS, tmp_path / "never", hung_seconds=7.0) as (child, lines):
        await asyncio.wait_for(child.ready.wait(), PATIENCE)
        [pid] = children_of(os.getpid(), "hang_for_ever")
        os.kill(pid, signal.SIGSTOP)
        time.sleep(8)  # noqa: ASYNC251  # the supervisor's loop stands still for longer than a program may be silent
        await asyncio.sleep(0)
        await asyncio.sleep(0.6)  # it has looked
        os.kill(pid, signal.SIGCONT)
        assert lines == ["serves on here"]


async def test_a_program_that_never_beats_is_none_that_hangs(tmp_path: Path) -> None:
    async with kept(FAILS_FIRST, tmp_path / "starts", 0, 0, hung_seconds=0.5) as (child, lines):
        await asyncio.wait_for(child.ready.wait(), PATIENCE)
        await asyncio.sleep(2)  # what must not happen has the time for it
        assert lines == ["serves on here"]


def children_of(parent: int, word: str) -> list[int]:
    """Returns the children of a process in whose command line a word is."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            ours = int((place / "stat").read_text().rpartition(")")[2].split()[1]) == parent
            if ours and word.encode() in (place / "cmdline").read_bytes():
                found.append(int(place.name))
        except OSError:
            continue  # gone
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_a_program_that_cannot_be_started_for_want_of_files_is_started_once_there_are_some(
    tmp_path: Path,
) -> None:
    async with kept(FAILS_FIRST, tmp_path / "starts", 0, 1) as (child, lines):
        await asyncio.wait_for(child.ready.wait(), PATIENCE)
        before = open_files(os.getpid())
        with none_left(os.getpid()):
            child.end()
            place = await said_after(lines, 0, re.compile("^cannot be started: .*Too many open files"))
            await said_after(lines, place, re.compile("^cannot be started: "))
        await says(lines, "serves on here", 2)
        assert open_files(os.getpid()) == before
