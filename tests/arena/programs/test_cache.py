"""The folder of a worker's programs is bounded: what was used longest ago goes first, and nothing that is in use."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from fudaba_arena.errors import ArenaError
from fudaba_arena.programs import host_steps
from fudaba_arena.programs.cache import ProgramCache
from fudaba_arena.programs.folders_in_use import played_here
from tests.support.patience import PATIENCE, wait_until

PROGRAM_BYTES = 1_000_000


def name(letter: str) -> str:
    return letter * 64


def taken_in(cache: ProgramCache, *letters: str) -> None:
    """Has programs of some size taken in, one after the other."""
    for letter in letters:
        with cache.scratch() as scratch, cache.using(name(letter)):
            (scratch.folder / "bot" / "deep").mkdir(parents=True)
            (scratch.folder / "bot" / "deep" / "program").write_bytes(bytes(PROGRAM_BYTES))
            cache.take_in(scratch.folder / "bot", name(letter))
        cache.trim()


def there(cache: ProgramCache) -> str:
    return "".join(sorted(path.name[0] for path in cache.folder.iterdir() if len(path.name) == 64))


@pytest.fixture
def cache(tmp_path: Path) -> ProgramCache:
    """With room for three programs."""
    opened = ProgramCache(tmp_path / "programs", 7 * PROGRAM_BYTES // 2)
    opened.open()
    return opened


def test_what_was_used_longest_ago_goes_first(cache: ProgramCache) -> None:
    taken_in(cache, "a", "b", "c")
    with cache.using(name("a")) as place:
        assert (place / "deep" / "program").stat().st_size == PROGRAM_BYTES
    taken_in(cache, "d")
    assert there(cache) == "acd"
    assert 3 * PROGRAM_BYTES <= cache.total_bytes() <= cache.most_bytes


def test_nothing_that_is_in_use_goes_also_by_another_worker(cache: ProgramCache) -> None:
    taken_in(cache, "a", "b")
    other = ProgramCache(cache.folder, PROGRAM_BYTES // 2)
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(cache.using(name("a")))
        other.open()
        assert there(cache) == "a"
        other.discard(name("a"))
        assert there(cache) == "a"
    other.trim()
    assert there(cache) == ""
    assert cache.total_bytes() == 0
    assert sorted(path.name for path in cache.folder.iterdir()) == ["lock", "used"]
    assert not list((cache.folder / "used").iterdir())


def test_what_was_refused_goes_with_what_was_built_of_it(cache: ProgramCache) -> None:
    taken_in(cache, "a", "b")
    (cache.folder / f"{name('a')}-python-3.11-0123").mkdir()
    cache.discard(name("a"))
    assert [path.name for path in cache.folder.iterdir() if len(path.name) >= 64] == [name("b")]


def test_what_an_earlier_release_has_unpacked_counts_and_what_is_no_program_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "programs"
    for letter in "ab":
        (folder / name(letter)).mkdir(parents=True)
        (folder / name(letter) / "program").write_bytes(bytes(PROGRAM_BYTES))
    (folder / "of-the-operator").mkdir()
    (folder / "of-the-operator" / "large").write_bytes(bytes(3 * PROGRAM_BYTES))
    cache = ProgramCache(folder, 3 * PROGRAM_BYTES)
    cache.open()
    assert there(cache) == "ab"
    assert cache.total_bytes() >= 2 * PROGRAM_BYTES
    ProgramCache(folder, PROGRAM_BYTES // 2).open()
    assert there(cache) == ""
    assert (folder / "of-the-operator" / "large").exists()


async def test_a_folder_is_removed_when_the_last_step_in_it_is_over(cache: ProgramCache) -> None:
    """A step that was given up writes on: what it writes to is there, and goes when it ends."""
    began, goes_on, wrote, removed = (threading.Event() for _ in range(4))

    def unpack(into: Path) -> None:
        began.set()
        assert goes_on.wait(PATIENCE)
        (into / "late").write_bytes(b"late")
        wrote.set()

    with cache.scratch() as scratch:
        step = asyncio.ensure_future(scratch.step("unpacking", unpack, scratch.folder))
        assert await asyncio.to_thread(began.wait, PATIENCE)
        step.cancel()
        with pytest.raises(asyncio.CancelledError):
            await step
    assert scratch.folder.exists()
    other = ProgramCache(cache.folder, PROGRAM_BYTES)
    other.open()
    assert scratch.folder.exists()
    scratch.when_over(removed.set)
    goes_on.set()
    assert removed.wait(PATIENCE)
    assert wrote.is_set()
    assert not scratch.folder.exists()


async def test_a_step_that_was_given_up_before_it_began_never_begins(
    cache: ProgramCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, wrote = threading.Event(), threading.Event()
    monkeypatch.setattr(host_steps, "HOST_STEP_SECONDS", 0.01)
    with ThreadPoolExecutor(1) as thread:
        monkeypatch.setattr(host_steps, "_THREADS", thread)
        thread.submit(goes_on.wait, PATIENCE)
        with pytest.raises(ArenaError, match="unpacking takes this host more than"), cache.scratch() as scratch:
            await scratch.step("unpacking", wrote.set)
        assert not scratch.folder.exists()
        goes_on.set()
    assert not wrote.is_set()


@pytest.mark.parametrize("use", ["works in it", "has it mounted"])
def test_what_a_worker_of_an_earlier_release_plays_is_not_removed_though_it_locks_nothing(
    tmp_path: Path, need_tool: Callable[[str], Path], use: str
) -> None:
    # Its name is its own: the programs that are played are those of all workers of this host.
    place = tmp_path / "programs" / f"a{secrets.token_hex(32)[1:]}"
    place.mkdir(parents=True)
    (place / "program").write_bytes(bytes(PROGRAM_BYTES))
    bwrap = str(need_tool("bwrap")), "--dev-bind", "/", "/", "--ro-bind", str(place), "/mnt", "--chdir", "/"
    command, cwd = ((), place) if use == "works in it" else (bwrap, tmp_path)
    playing = subprocess.Popen([*command, "sleep", "1000"], cwd=cwd, start_new_session=True)
    cache = ProgramCache(tmp_path / "programs", PROGRAM_BYTES // 2)
    try:
        wait_until(lambda: place.name in played_here(), "it plays")
        cache.open()
        cache.discard(place.name)
        assert there(cache) == "a"
    finally:
        os.killpg(playing.pid, signal.SIGKILL)
        playing.wait(PATIENCE)
    wait_until(lambda: place.name not in played_here(), "it has ended")
    cache.trim()
    assert there(cache) == ""
