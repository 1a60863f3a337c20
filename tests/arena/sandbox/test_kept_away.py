"""A submitted bot that could not connect since its host, or a cluster, kept it away is not to blame for it."""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from fudaba.client import Endpoint
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_arena.play.matches.match_play import Seating
from fudaba_arena.programs.program import Program
from fudaba_arena.programs.runtimes import Runtime
from fudaba_arena.programs.seats import SeatRun
from fudaba_arena.programs.trial_match import NoLog
from fudaba_arena.sandbox.unsafe import Unsafe
from fudaba_arena.submissions.manifest import Manifest
from fudaba_arena.tournament.definition import BotEntry
from fudaba_arena.tournament.limits import Limits
from fudaba_arena.workers.submitted_bots import SubmittedBots
from tests.support.arena.sandbox.sandboxes import opened
from tests.support.arena.sandbox.small_cluster import SmallCluster
from tests.support.patience import until

pytestmark = pytest.mark.asyncio(loop_scope="module")

RUNTIME = Runtime("python-3", "python", path=[str(Path(sys.prefix) / "bin")])
MANIFEST = Manifest("good", ("naga",), "python", ("python3", "bot.py"))
PROGRAM = Program("s-1", "good", "bot.tar.gz", "2" * 64, MANIFEST)
STAYS = "import time\ntime.sleep(100_000)\n"
CONNECTS = """
import os, socket, time
with socket.socket(socket.AF_UNIX) as way:
    way.connect(os.environ["FUDABA_SERVER"].removeprefix("unix:"))
    way.recv(1)
time.sleep(100_000)
"""


def seat(unsafe: Unsafe, folder: Path, program: str) -> SeatRun:
    (folder / "bot.py").write_text(program)
    return SeatRun(unsafe, Endpoint(f"unix:{folder}/nobody"), PROGRAM, RUNTIME, folder, Limits(), NoLog())


async def test_a_program_that_ran_for_long_enough_and_did_not_connect_could_have(
    unsafe: Unsafe, tmp_path: Path
) -> None:
    run = seat(unsafe, tmp_path, STAYS)
    assert run.why_kept_away(time.monotonic() + 999, 30.0) == "its program had not been started"
    task = asyncio.create_task(run.run("token"))
    await until(lambda: run.used.starts > 0, "it is started")
    assert run.why_kept_away(time.monotonic() + 999, 30.0) == ""
    assert "before the end of its time to connect" in run.why_kept_away(time.monotonic(), 999.0)
    task.cancel()
    await asyncio.wait([task])


async def test_a_program_for_which_the_service_could_not_be_reached_was_kept_away(
    unsafe: Unsafe, tmp_path: Path
) -> None:
    run = seat(unsafe, tmp_path, CONNECTS)
    task = asyncio.create_task(run.run("token"))
    await until(lambda: bool(run.why_kept_away(time.monotonic() + 999, 30.0)) and run.used.starts > 0, "it has tried")
    assert "the service could not be reached for it: " in run.why_kept_away(time.monotonic() + 999, 30.0)
    task.cancel()
    await asyncio.wait([task])


async def test_a_program_whose_pod_waits_for_the_cluster_was_kept_away(
    cluster: SmallCluster, certificate: tuple[Path, Path]
) -> None:
    folder = cluster.shared / "2222"
    folder.mkdir()
    (folder / "bot.py").write_text(STAYS)
    program = replace(PROGRAM, sha256="2" * 64)
    async with opened(cluster, certificate[0], claim="nothing-of-the-kind") as pods:
        run = SeatRun(pods, Endpoint("localhost:1", tls=True), program, RUNTIME, folder, Limits(), NoLog())
        task = asyncio.create_task(run.run("token"))
        await until(lambda: bool(cluster.pods), "it has a pod, which does not start")
        assert run.why_kept_away(time.monotonic() + 999, 30.0) == "its program had not begun to run"
        task.cancel()
        await asyncio.wait([task])


@pytest.mark.parametrize(
    ("cause", "seat_absent", "fault"), [("NO_SHOW", 0, True), ("NO_SHOW", 1, False), ("ORGANISER", 0, False)]
)
async def test_a_bot_that_was_kept_away_is_the_host_s_fault_where_its_match_did_not_begin_for_it(
    unsafe: Unsafe, tmp_path: Path, cause: str, seat_absent: int, *, fault: bool
) -> None:
    run, nothing, said = seat(unsafe, tmp_path, STAYS), cast(Any, None), list[str]()
    bots = SubmittedBots(unsafe, nothing, nothing, nothing, nothing, nothing, nothing, said.append)
    match = matches_pb2.Match(state=matches_pb2.MATCH_STATE_ABORTED)
    match.end.abort_cause = record_pb2.AbortCause.Value(f"ABORT_CAUSE_{cause}")
    match.end.absent_seats.append(seat_absent)
    seating = Seating()
    bots._note_kept_away(match, BotEntry("good"), run, seating, 0, time.monotonic(), 60)
    assert seating.host_fault == ("its program had not been started" if fault else "")
    assert bool(said) is fault
