"""Runtimes of workers: published, asked for by name, and gone after their last day."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import zipfile
from datetime import UTC, datetime, timedelta
from importlib.metadata import distributions
from pathlib import Path

import pytest

from fudaba.v1 import arena_pb2
from fudaba.v1 import submissions_pb2 as pb
from fudaba_arena.programs.installed_runtimes import LISTS
from tests.support.arena.api.ladders import blocks, call, create, until
from tests.support.arena.nodes import Node
from tests.support.arena.programs.entered import ONE, counted, enter
from tests.support.arena.programs.runtimes import alice, arena, extra, hosted, runtimes, submit, worker
from tests.support.arena.programs.uploads import bot_log, stages_of
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena

__all__ = ["alice", "arena", "extra", "hosted"]


def day(days: int) -> str:
    return (datetime.now(UTC).date() + timedelta(days=days)).isoformat()


def entry(arena: Arena, ladder: str) -> arena_pb2.Entry:
    found = call(arena, "ListEntries", arena_pb2.ListEntriesRequest(ladder=ladder), "").entries
    submitted: arena_pb2.Entry
    [submitted] = [each for each in found if each.kind == arena_pb2.ENTRANT_KIND_SUBMITTED]
    return submitted


def test_of_a_python_the_packages_are_told_that_it_has() -> None:
    listed = subprocess.run(
        [sys.executable, *LISTS["python"][1:]], capture_output=True, text=True, check=True, cwd="/"
    ).stdout.splitlines()
    packages = {f"{found.metadata['Name']} {found.version}" for found in distributions()}
    assert listed[0] == f"python {platform.python_version()}"
    assert {*listed[1:]} == packages


def listed_in(*places: Path) -> list[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, places)), "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-S", *LISTS["python"][1:]]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd="/", env=environment)
    return sorted(done.stdout.splitlines()[1:])


def test_of_a_python_the_packages_in_eggs_are_told_too_and_folders_that_cannot_be_listed_are_left_out(
    tmp_path: Path,
) -> None:
    (tmp_path / "one.egg" / "EGG-INFO").mkdir(parents=True)
    (tmp_path / "one.egg" / "EGG-INFO" / "PKG-INFO").write_text("Name: one\nVersion: 1\n\nVersion: 7\n")
    with zipfile.ZipFile(tmp_path / "two.egg", "w") as archive:
        archive.writestr("EGG-INFO/PKG-INFO", "Metadata-Version: 1.0\nName: two\nVersion: 2\n")
    (tmp_path / "no.egg").write_text("no archive")
    (tmp_path / "three.egg-info").write_text("Name: three\nVersion: 3\n")
    places = [*(tmp_path / name for name in ("one.egg", "two.egg", "no.egg", "gone")), tmp_path]
    packages = {
        f"{found.metadata['Name']} {found.version}" for found in distributions(path=[str(place) for place in places])
    }
    assert {*listed_in(*places)} == packages == {"one 1", "two 2", "three 3"}


@pytest.mark.exhaustive
def test_a_runtime_is_published_and_checks_the_bot_that_names_it(
    arena: Arena, hosted: Service, alice: str, extra: Path
) -> None:
    with worker(arena, hosted, "alone", extra, day(9)):
        check_published(arena, workers=1)
        check_pinned(submit(arena, hosted, alice, "named", runtime='"python-extra"'))


@pytest.mark.nightly(
    "a runtime is published and checks a bot above; `play/test_offers.py` has who can run what, and until which day,"
    " and `test_checking.py` refuses a runtime that is not there"
)
def test_a_bot_is_run_by_workers_that_have_its_runtime_until_its_last_day(
    arena: Arena, hosted: Service, alice: str, extra: Path
) -> None:
    with worker(arena, hosted, "plain") as plain, worker(arena, hosted, "more", extra, day(9)) as more:
        check_published(arena, workers=2)
        refused = submit(arena, hosted, alice, "old", runtime='"python-2.7"').stages[-1]
        assert refused.fault == pb.SUBMISSION_FAULT_RUNTIME
        assert refused.output.startswith("no worker has runtime python-2.7; there are: ")
        assert "python-extra" in refused.output
        assert (
            "ModuleNotFoundError: No module named 'only_here'"
            in submit(arena, hosted, alice, "lacks").stages[-1].output
        )
        submission = submit(arena, hosted, alice, "pinned", runtime='"python-extra"')
        check_pinned(submission)
        create(arena, ONE.format(name="pins", narrow=0))
        enter(arena, alice, "pins", "pinned")
        until(
            arena, lambda: len(counted(arena, "pins", f"pinned@{submission.version}")) >= 2, "it has played two blocks"
        )
        assert entry(arena, "pins").state == arena_pb2.ENTRY_STATE_PLAYING
    assert list(bot_log(more).glob("pinned-*/*.log"))
    assert not list(bot_log(plain).glob("pinned-*/*.log"))
    before = len(counted(arena, "pins", f"pinned@{submission.version}"))

    with worker(arena, hosted, "later", extra, day(-1)):
        until(arena, lambda: entry(arena, "pins").state == arena_pb2.ENTRY_STATE_ABSENT, "it is absent")
        ended = f"runtime python-extra was there until {day(-1)}; submit the bot for another one: "
        assert entry(arena, "pins").absent_because.startswith(ended)
        refused = submit(arena, hosted, alice, "late", runtime='"python-extra"').stages[-1]
        assert (refused.fault, refused.output.startswith(ended)) == (pb.SUBMISSION_FAULT_RUNTIME, True)
        assert len(counted(arena, "pins", f"pinned@{submission.version}")) >= before
        [its] = runtimes(arena, language="python")[1:]
        assert (its.name, its.ended) == ("python-extra", True)
        assert "over" in arena.command("arena", "runtimes", "--language", "python").stdout
    assert not [block for block in blocks(arena, "pins") if block.absent_bots]

    with worker(arena, hosted, "again", extra):
        until(arena, lambda: entry(arena, "pins").state == arena_pb2.ENTRY_STATE_PLAYING, "it plays again")
        until(arena, lambda: len(counted(arena, "pins", f"pinned@{submission.version}")) > before, "it has played on")


def check_pinned(checked: pb.Submission) -> None:
    """A bot that names the runtime with a last day is checked with it, and its author is warned."""
    passed = ["UNPACK", "START", "CONNECT", "MATCH", "RESOURCES"]
    assert stages_of(checked) == [(stage, True) for stage in passed], checked
    assert f"runtime python-extra is there until {day(9)}: submit the bot" in checked.stages[0].output
    assert checked.stages[1].output == "with python-extra"


def check_published(arena: Arena, workers: int) -> None:
    """Everybody is told of the runtimes of all workers, and what is in each."""
    found = {runtime.name: runtime for runtime in runtimes(arena)}
    extra = found["python-extra"]
    assert (extra.language, extra.workers, found["other"].workers) == ("python", 1, workers)
    packages = {package.name: package.version for package in extra.packages}
    assert packages["python"] == extra.version
    assert packages["only-here"] == "1.2.3"
    assert f"{extra.end_time.ToDatetime():%Y-%m-%d}" == day(10)
    listed = arena.command("arena", "runtimes", FUDABA_TOKEN="").stdout
    assert f"python-extra  python    {extra.version}" in listed
    assert day(9) in listed
    assert "only-here" in arena.command("arena", "runtimes", "python-extra").stdout
    assert {row["name"] for row in arena.json("arena", "runtimes")["runtimes"]} == set(found)
    none = arena.command("arena", "runtimes", "python-2.7")
    assert (none.returncode, none.stderr) == (
        1,
        "error: no worker has a runtime python-2.7; `fudaba arena runtimes` lists all runtimes\n",
    )


def test_a_worker_with_a_runtime_that_does_not_work_does_not_start(
    arena: Arena, hosted: Service, need_sandbox: None
) -> None:
    file = arena.folder / "bad.toml"
    file.write_text('[runtimes.bad]\nlanguage = "python"\nversion = "2.7"\n', encoding="utf-8")
    bad = Node(hosted, arena, "bad", "--config", str(file))
    assert bad.process.wait() == 1
    assert "error: the worker's file gives runtime bad version 2.7, but it has version 3." in bad.output
