"""Runtimes of workers: published, asked for by name, and gone after their last day."""

from __future__ import annotations

import venv
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import fudaba
import fudaba_games
from fudaba.v1 import arena_pb2
from fudaba.v1 import submissions_pb2 as pb
from fudaba_arena.sandbox.probe import own_python
from tests.arena.front.ladders import author, blocks, call, create, register, until
from tests.arena.nodes import Node, node
from tests.arena.programs.conftest import GOOD, bot_log, folder, over, send, told
from tests.arena.programs.test_playing import ONE, counted, enter
from tests.arena.running import Service, service, wait_until
from tests.arena.standing import Arena, standing

EXTRA = "import only_here\n" + GOOD
"""A bot that needs a package of the runtime `python-extra`."""


@pytest.fixture(scope="module")
def hosted() -> Iterator[Service]:
    with service() as running:
        yield running


@pytest.fixture(scope="module")
def arena(hosted: Service) -> Iterator[Arena]:
    with standing(hosted, "--workers") as running:
        yield running


@pytest.fixture(scope="module")
def alice(hosted: Service) -> str:
    return author(hosted, "alice")


@pytest.fixture(scope="module")
def extra(tmp_path_factory: pytest.TempPathFactory, need_sandbox: None) -> Path:
    """An environment of Python's with a package that no other has, and with the kit."""
    place = tmp_path_factory.mktemp("runtime") / "extra"
    venv.create(place, with_pip=False)
    [packages] = place.glob("lib/python*/site-packages")
    shared = [str(Path(one.__path__[0]).parent) for one in (fudaba, fudaba_games)]
    installed = [str(one) for folder in own_python() for one in folder.glob("lib/python*/site-packages")]
    (packages / "shared.pth").write_text("\n".join([*shared, *installed]), encoding="utf-8")
    (packages / "only_here.py").write_text("", encoding="utf-8")
    about = packages / "only_here-1.2.3.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: only-here\nVersion: 1.2.3\n", encoding="utf-8")
    return place


def day(days: int) -> str:
    return (datetime.now(UTC).date() + timedelta(days=days)).isoformat()


@contextmanager
def worker(arena: Arena, hosted: Service, name: str, extra: Path | None = None, until: str = "") -> Iterator[Node]:
    """A worker, with the runtime `python-extra` or without."""
    options = ["--submissions", str(arena.folder / "data" / "submissions")]
    if extra is not None:
        shared = [Path(one.__path__[0]).parent for one in (fudaba, fudaba_games)]
        folders = ", ".join(f'"{one}"' for one in dict.fromkeys([extra, *own_python(), *shared]))
        last = f"until = {until}\n" if until else ""
        file = arena.folder / f"{name}.toml"
        file.write_text(
            f'[runtimes.python-extra]\nlanguage = "python"\nfolders = [{folders}]\nprograms = ["{extra}/bin"]\n{last}',
            encoding="utf-8",
        )
        options += ["--config", str(file)]
    with node(hosted, arena, name, *options) as one:
        until_known(arena, one)
        yield one
        assert one.stop() == 0


def until_known(arena: Arena, one: Node) -> None:
    def known() -> bool:
        listed = arena.json("arena", "workers", "--data", str(arena.folder / "data"))["workers"]
        return one.name in {each["name"] for each in listed}

    wait_until(known, "the worker is listed")
    count = len(arena.json("arena", "workers", "--data", str(arena.folder / "data"))["workers"])
    wait_until(lambda: sum(each.workers for each in runtimes(arena) if each.name == "other") == count, "it is heard of")


def runtimes(arena: Arena, **fields: Any) -> list[pb.Runtime]:
    found: list[pb.Runtime] = []
    while True:
        answer = call(arena, "ListRuntimes", pb.ListRuntimesRequest(page_size=2, **fields), "")
        found += answer.runtimes
        if not answer.next_page_token:
            return found
        fields["page_token"] = answer.next_page_token


def submit(arena: Arena, hosted: Service, alice: str, bot: str, **manifest: Any) -> pb.Submission:
    register(hosted, alice, bot)
    return over(arena, alice, send(arena, alice, folder({"bot.py": EXTRA}, **manifest), bot))


def entry(arena: Arena, ladder: str) -> arena_pb2.Entry:
    found = call(arena, "ListEntries", arena_pb2.ListEntriesRequest(ladder=ladder), "").entries
    one: arena_pb2.Entry
    [one] = [each for each in found if each.kind == arena_pb2.ENTRANT_KIND_SUBMITTED]
    return one


@pytest.mark.exhaustive
def test_a_bot_is_run_by_workers_that_have_its_runtime_until_its_last_day(
    arena: Arena, hosted: Service, alice: str, extra: Path
) -> None:
    with worker(arena, hosted, "plain") as plain, worker(arena, hosted, "more", extra, day(9)) as more:
        check_published(arena)
        refused = submit(arena, hosted, alice, "old", runtime='"python-2.7"').stages[-1]
        assert refused.fault == pb.SUBMISSION_FAULT_RUNTIME
        assert refused.output.startswith("no worker has runtime python-2.7; there are: ")
        assert "python-extra" in refused.output
        assert (
            "ModuleNotFoundError: No module named 'only_here'"
            in submit(arena, hosted, alice, "lacks").stages[-1].output
        )
        one = submit(arena, hosted, alice, "pinned", runtime='"python-extra"')
        passed = ["UNPACK", "START", "CONNECT", "MATCH", "RESOURCES"]
        assert told(one) == [(stage, True) for stage in passed], one
        assert f"runtime python-extra is there until {day(9)}: submit the bot" in one.stages[0].output
        assert one.stages[1].output == "with python-extra"
        create(arena, ONE.format(name="pins", narrow=0))
        enter(arena, alice, "pins", "pinned")
        until(arena, lambda: len(counted(arena, "pins", f"pinned@{one.version}")) >= 2, "it has played two blocks")
        assert entry(arena, "pins").state == arena_pb2.ENTRY_STATE_PLAYING
    assert list(bot_log(more).glob("pinned-*/*.log"))
    assert not list(bot_log(plain).glob("pinned-*/*.log"))
    before = len(counted(arena, "pins", f"pinned@{one.version}"))

    with worker(arena, hosted, "later", extra, day(-1)):
        until(arena, lambda: entry(arena, "pins").state == arena_pb2.ENTRY_STATE_ABSENT, "it is absent")
        ended = f"runtime python-extra was there until {day(-1)}; submit the bot for another one: "
        assert entry(arena, "pins").absent_because.startswith(ended)
        refused = submit(arena, hosted, alice, "late", runtime='"python-extra"').stages[-1]
        assert (refused.fault, refused.output.startswith(ended)) == (pb.SUBMISSION_FAULT_RUNTIME, True)
        assert len(counted(arena, "pins", f"pinned@{one.version}")) >= before
        [its] = runtimes(arena, language="python")[1:]
        assert (its.name, its.ended) == ("python-extra", True)
        assert "over" in arena.command("arena", "runtimes", "--language", "python").stdout
    assert not [block for block in blocks(arena, "pins") if block.absent_bots]

    with worker(arena, hosted, "again", extra):
        until(arena, lambda: entry(arena, "pins").state == arena_pb2.ENTRY_STATE_PLAYING, "it plays again")
        until(arena, lambda: len(counted(arena, "pins", f"pinned@{one.version}")) > before, "it has played on")


def check_published(arena: Arena) -> None:
    """Everybody is told of the runtimes of all workers, and what is in each."""
    found = {one.name: one for one in runtimes(arena)}
    extra = found["python-extra"]
    assert (extra.language, extra.workers, found["other"].workers) == ("python", 1, 2)
    packages = {one.name: one.version for one in extra.packages}
    assert packages["python"] == extra.version
    assert packages["only-here"] == "1.2.3"
    assert f"{extra.end_time.ToDatetime():%Y-%m-%d}" == day(10)
    listed = arena.command("arena", "runtimes", FUDABA_TOKEN="").stdout
    assert f"python-extra  python    {extra.version}" in listed
    assert day(9) in listed
    assert "only-here" in arena.command("arena", "runtimes", "python-extra").stdout
    assert {one["name"] for one in arena.json("arena", "runtimes")["runtimes"]} == set(found)
    none = arena.command("arena", "runtimes", "python-2.7")
    assert (none.returncode, none.stderr) == (
        1,
        "error: no worker has a runtime python-2.7; `fudaba arena runtimes` lists those that there are\n",
    )


def test_a_worker_with_a_runtime_that_does_not_work_does_not_start(
    arena: Arena, hosted: Service, need_sandbox: None
) -> None:
    file = arena.folder / "bad.toml"
    file.write_text('[runtimes.bad]\nlanguage = "python"\nversion = "2.7"\n', encoding="utf-8")
    bad = Node(hosted, arena, "bad", "--config", str(file))
    assert bad.process.wait() == 1
    assert "error: runtime bad of the worker's file is said to have version 2.7, and has 3." in bad.output
