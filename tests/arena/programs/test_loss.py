"""Workers that die while they check: another one checks, and nothing is left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from fudaba.v1 import submissions_pb2 as pb
from tests.arena.commands.test_running import scrape, value
from tests.arena.front.ladders import call, register
from tests.arena.nodes import Node, node
from tests.arena.programs.conftest import GOOD, folder, over, send, told
from tests.arena.running import Service, wait_until
from tests.arena.standing import Arena, standing
from tests.service.processes import free_port


def left_of(pid: int) -> list[Path]:
    """The folders and control groups of the sandboxes of a worker."""
    groups = [
        one for parent in Path("/sys/fs/cgroup").glob("*") if parent.is_dir() for one in parent.rglob(f"fudaba-{pid}-*")
    ]
    return [*Path("/run/fudaba-sandbox/owners").glob(f"{pid}-*"), *groups]


@pytest.mark.exhaustive
@pytest.mark.parametrize("stage", ["build", "match"])
def test_a_submission_whose_worker_dies_is_checked_by_another_one(
    hosted: Service, arena: Arena, alice: str, need_sandbox: None, stage: str
) -> None:
    bot, place = f"lost-in-{stage}", str(arena.folder / "data" / "submissions")
    register(hosted, alice, bot)
    once = f"""
import pathlib, sys, time
if {stage!r} == sys.argv[1] and not pathlib.Path("/usr/share/fudaba-nothing").exists():
    time.sleep(3)
"""
    files = {"build.py": once, "bot.py": once + GOOD}
    raw = folder(files, build='["python3", "build.py", "build"]', start='["python3", "bot.py", "match"]')
    with node(hosted, arena, f"dies-{stage}", "--submissions", place) as dying:
        one = send(arena, alice, raw, bot)
        wait_until(lambda: _reached(arena, alice, one, dying, stage), "the stage has begun")
        pid = dying.process.pid
        dying.die()
    assert left_of(pid)
    with node(hosted, arena, f"takes-{stage}", "--submissions", place):
        done = over(arena, alice, one)
    assert done.state == pb.SUBMISSION_STATE_ACCEPTED, done
    assert told(done) == [("UNPACK", True), ("BUILD", True), ("START", True), ("CONNECT", True), ("MATCH", True)]
    assert not left_of(pid)


def _reached(arena: Arena, token: str, one: pb.Submission, worker: Node, stage: str) -> bool:
    """Whether a program of this stage runs in the worker's sandbox."""
    request = pb.GetSubmissionRequest(submission_id=one.submission_id)
    now: pb.Submission = call(arena, "GetSubmission", request, token).submission
    stages = [name for name, _ in told(now)]
    return bool(left_of(worker.process.pid)) and (("BUILD" in stages) == (stage == "match")) and bool(_programs(worker))


def _programs(worker: Node) -> list[Path]:
    owners = Path("/run/fudaba-sandbox/owners").glob(f"{worker.process.pid}-*/*/process")
    return list(owners)


def test_a_submission_that_a_worker_cannot_unpack_is_checked_by_another_one(
    hosted: Service, arena: Arena, alice: str, need_sandbox: None
) -> None:
    register(hosted, alice, "unlucky")
    place = str(arena.folder / "data" / "submissions")
    with node(hosted, arena, "fails", "--submissions", place) as failing:
        programs = failing.folder / "programs"
        programs.rmdir()
        programs.touch()  # its disk does not work any more
        one = send(arena, alice, folder({"bot.py": GOOD}), "unlucky")
        wait_until(lambda: f"submission {one.submission_id} cannot be checked" in failing.output, "it has failed")
    with node(hosted, arena, "works", "--submissions", place):
        done = over(arena, alice, one)
    assert done.state == pb.SUBMISSION_STATE_ACCEPTED, done


@pytest.mark.exhaustive
def test_a_submission_that_no_worker_can_check_is_refused_and_not_for_its_bot(
    hosted: Service, arena: Arena, alice: str, need_sandbox: None
) -> None:
    register(hosted, alice, "hopeless")
    place = str(arena.folder / "data" / "submissions")
    with node(hosted, arena, "hopeless", "--submissions", place) as failing:
        programs = failing.folder / "programs"
        programs.rmdir()
        programs.touch()
        done = over(arena, alice, send(arena, alice, folder({"bot.py": GOOD}), "hopeless"))
    last = done.stages[-1]
    assert (done.state, last.fault) == (pb.SUBMISSION_STATE_REFUSED, pb.SUBMISSION_FAULT_HOST)
    assert "which says nothing about the bot" in last.output
    assert last.output.endswith("submit it again")


def test_how_long_a_submission_waits_for_a_worker_is_measured(hosted: Service, alice: str) -> None:
    port = free_port()
    with standing(hosted, "--workers", "--metrics", f"127.0.0.1:{port}") as lonely:
        assert value(scrape(port), "fudaba_arena_submission_wait_seconds") == 0
        register(hosted, alice, "waits")
        send(lonely, alice, folder({"bot.py": GOOD}), "waits")
        wait_until(lambda: value(scrape(port), "fudaba_arena_submission_wait_seconds") > 0, "it is seen to wait")
