"""Bots of the kits that may not ponder keep their connection while they stand still, whatever their runtimes do."""

from __future__ import annotations

import asyncio
import shutil
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, final

import pytest

from fudaba.client import Endpoint
from fudaba.v1 import record_pb2
from fudaba_arena.programs.installed_runtimes import found
from fudaba_arena.programs.program import Program
from fudaba_arena.programs.seats import SeatRun
from fudaba_arena.programs.trial_match import NoLog
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.submissions.manifest import Manifest
from fudaba_arena.tournament.limits import Limits
from tests.support.arena.sandbox.slow_opponent import table
from tests.support.clients.languages import BUILD_SECONDS, LANGUAGES
from tests.support.clients.projects import built_project
from tests.support.patience import until
from tests.support.service.organiser import HOUR_MS, Organiser, kinds

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.timeout(2 * BUILD_SECONDS),
]

LIVELY: Final = {
    "go": """if os.Getenv("LIVELY") == "" {
        os.Setenv("LIVELY", "1")
        go func() { for range time.Tick(5 * time.Millisecond) { litter = append([][]byte{}, make([]byte, 1 << 20)) } }()
        go func() { for range time.Tick(time.Second) { runtime.GC() } }()
    }""",
    "java": """if (System.getProperty("lively") == null) {
        System.setProperty("lively", "1");
        var timer = new java.util.Timer(true);
        timer.schedule(new java.util.TimerTask() {
            public void run() { System.setProperty("litter", new String(new char[1 << 20])); }
        }, 5, 5);
        timer.schedule(new java.util.TimerTask() { public void run() { System.gc(); } }, 1000, 1000);
    }""",
    "node": """globalThis.lively ??= setInterval(() => {
        globalThis.litter = Array.from({ length: 10_000 }, () => ({}));
    }, 5);""",
}
"""Statements that have a timer make litter all the time, so that the collector has work while nothing is owed."""
IMPORTS: Final = {"go": ('\t"context"\n', '\t"context"\n\t"os"\n\t"runtime"\n\t"time"\n')}
GLOBALS: Final = {"go": "\nvar litter [][]byte\n"}
KEEPALIVE_SECONDS: Final = 15.0
"""After so long without an answer to a ping, each kit and the service give a connection up."""
CLOCK: Final = record_pb2.Clock(move_ms=120_000, start_ms=HOUR_MS, max_timeouts=3, max_illegal=10)


@final
@dataclass(frozen=True)
class Case:
    """A bot of a kit, and how long it has to stand still, in seconds."""

    language: str
    seconds: float


@pytest.fixture(
    params=[
        pytest.param(Case("node", 6.0), id="node", marks=pytest.mark.exhaustive),
        *[
            pytest.param(
                Case(name, 2 * KEEPALIVE_SECONDS),
                id=f"{name}-beyond-keepalive",
                marks=pytest.mark.nightly("the same with Node, for some seconds"),
            )
            for name in LIVELY
        ],
    ]
)
def case(request: pytest.FixtureRequest, need_tool: Callable[[str], Path]) -> Case:
    chosen: Case = request.param
    LANGUAGES[chosen.language].need(need_tool)
    return chosen


@pytest.fixture
def folder(case: Case, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yields a bot whose runtime is busy beside its decisions, built as its README says, where sandboxes read it."""
    language, name = LANGUAGES[case.language], case.language
    place = root / f"lively-{name}"
    shutil.copytree(built_project(name, tmp_path_factory), place, symlinks=True)
    source = place / language.decides[0]
    line, instead = IMPORTS.get(name, ("", ""))
    source.write_text(source.read_text(encoding="utf-8").replace(line, instead, 1) + GLOBALS.get(name, ""))
    language.decide_with(LIVELY[name], place)
    for path in (place, *place.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o755 if path.is_dir() else 0o444))
    yield place
    shutil.rmtree(place)


async def test_a_lively_bot_that_stands_still_keeps_its_connection_and_makes_all_its_decisions(
    bubblewrap: Bubblewrap, organiser: Organiser, case: Case, folder: Path
) -> None:
    start = tuple(tomllib.loads((folder / "bot.toml").read_text(encoding="utf-8"))["start"])
    manifest = Manifest("lively", ("naga",), case.language, start)
    program = Program("s-1", "lively", "bot.tar.gz", "0" * 64, manifest)
    [runtime] = [replace(each, name=case.language) for each in found({case.language})]
    async with table(organiser, CLOCK) as (match_id, slow):
        run = SeatRun(
            bubblewrap, Endpoint(organiser.address), program, runtime, folder, Limits(), NoLog(), ponder=False
        )
        task = asyncio.create_task(run.run(await organiser.match_token(match_id, 0)))
        pondering = run.pondering
        assert pondering is not None
        await until(lambda: task.done() or pondering.frozen_seconds >= case.seconds, "it has stood still for long")
        slow.may.set()
        record = await organiser.record(match_id)
        run.match_over()
        task.cancel()
        await asyncio.wait([task])
    assert set(kinds(record, 0)) == {"ready", "move"}, (kinds(record), run.said)
    assert run.said.count("connected to ") == 1, run.said
    assert run.used.starts == 1, run.said
