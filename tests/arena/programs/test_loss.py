"""Workers that die while they check: another one checks, and nothing is left behind."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from fudaba.v1 import submissions_pb2 as pb
from tests.support.arena.api.ladders import call, register
from tests.support.arena.nodes import Node, node
from tests.support.arena.programs.uploads import GOOD, folder, in_sandbox_of, left_of, over, send, stages_of
from tests.support.arena.running import Service
from tests.support.arena.sandbox.small_disk import small_disk
from tests.support.arena.scraping import value_at
from tests.support.arena.standing import Arena, standing
from tests.support.patience import wait_until
from tests.support.service.processes import free_port

BUILDS = """
import time
if HELD: time.sleep(3600)
"""
PLAYS = """
import os, sys, time, fudaba

class Player(fudaba.Bot):
    def choose(self, decision):
        if STAGE == "match" and HELD: time.sleep(3600)
        return 0

if STAGE == "start" and HELD: time.sleep(3600)
fudaba.run(Player)
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "stage",
    [
        "build",
        *(
            pytest.param(stage, marks=pytest.mark.nightly("the same of a worker that dies in a build"))
            for stage in ("unpack", "start", "match")
        ),
    ],
)
def test_a_submission_whose_worker_dies_is_checked_by_another_one(
    hosted: Service, arena: Arena, alice: str, need_sandbox: None, stage: str
) -> None:
    bot, place = f"lost-in-{stage}", str(arena.folder / "data" / "submissions")
    register(hosted, alice, bot)
    programs = ["--programs", str(arena.folder / f"programs-{stage}")]
    with node(hosted, arena, f"dies-{stage}", "--submissions", place, *programs) as dying:
        held = in_sandbox_of(dying.process.pid)  # for as long as its worker lives
        files: dict[str, str | bytes] = {
            "build.py": BUILDS.replace("HELD", held) if stage == "build" else "",
            "bot.py": PLAYS.replace("STAGE", repr(stage)).replace("HELD", held),
        }
        if stage == "unpack":
            files |= {f"{number}": b"" for number in range(4_000)}
        submission = send(arena, alice, folder(files, build='["python3", "build.py"]'), bot)
        wait_until(lambda: _reached(arena, alice, submission, dying, stage), "the stage has begun")
        pid = dying.process.pid
        dying.die()
    assert left_of(pid)
    with node(hosted, arena, f"takes-{stage}", "--submissions", place, *programs):
        done = over(arena, alice, submission)
        # This worker, too, may still be unpacking in vain, for a check that it lost with its lease.
        wait_until(lambda: not list(Path(programs[1]).glob("new-*")), "nothing is left half done")
    assert done.state == pb.SUBMISSION_STATE_ACCEPTED, done
    stages = ("UNPACK", "BUILD", "START", "CONNECT", "MATCH", "RESOURCES")
    assert stages_of(done) == [(stage, True) for stage in stages]
    assert not left_of(pid)


def _reached(arena: Arena, token: str, submission: pb.Submission, worker: Node, stage: str) -> bool:
    """Returns whether a program of this stage runs in the worker's sandbox; of the first one, whether it is being
    unpacked.
    """
    if stage == "unpack":
        return bool(list((arena.folder / "programs-unpack").glob("new-*/packed")))
    request = pb.GetSubmissionRequest(submission_id=submission.submission_id)
    now: pb.Submission = call(arena, "GetSubmission", request, token).submission
    built = "BUILD" in [name for name, _ in stages_of(now)]
    return built == (stage != "build") and bool(left_of(worker.process.pid, "[0-9]*"))


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "stage",
    [
        pytest.param(
            "unpack",
            marks=pytest.mark.nightly(
                "the same of a disk that a build fills; `submissions/test_archives.py` unpacks on a full one"
            ),
        ),
        "build",
    ],
)
def test_a_full_disk_is_no_fault_of_the_bots_and_leaves_nothing(
    hosted: Service, arena: Arena, alice: str, need_sandbox: None, stage: str
) -> None:
    bot = f"full-in-{stage}"
    register(hosted, alice, bot)
    build = "import os, pathlib; pathlib.Path('made').write_bytes(os.urandom(SIZE))"
    files: dict[str, str | bytes] = {"build.py": build.replace("SIZE", "1_900_000"), "bot.py": GOOD}
    if stage == "unpack":
        files |= {"build.py": "", "noise": os.urandom(1_900_000)}
    raw = folder(files, build='["python3", "build.py"]')
    small = arena.folder / f"small-{stage}"
    where = ["--submissions", str(arena.folder / "data" / "submissions"), "--programs", str(small)]
    with small_disk(small, "1500k") as grow, node(hosted, arena, f"full-{stage}", *where) as worker:
        refused = over(arena, alice, send(arena, alice, raw, bot))
        last = refused.stages[-1]
        assert (refused.state, last.fault) == (pb.SUBMISSION_STATE_REFUSED, pb.SUBMISSION_FAULT_HOST), refused
        assert "which says nothing about the bot" in last.output
        wait_until(lambda: not list(small.glob("new-*")), "nothing is left half done")
        wait_until(lambda: not left_of(worker.process.pid, "[0-9]*"), "nothing is left of its programs")
        grow("100m")
        done = over(arena, alice, send(arena, alice, raw, bot))
        assert done.state == pb.SUBMISSION_STATE_ACCEPTED, done


@pytest.mark.exhaustive
def test_a_submission_that_a_worker_cannot_unpack_is_checked_by_another_one(
    hosted: Service, arena: Arena, alice: str, need_sandbox: None
) -> None:
    register(hosted, alice, "unlucky")
    place = str(arena.folder / "data" / "submissions")
    with node(hosted, arena, "fails", "--submissions", place) as failing:
        programs = failing.folder / "programs"
        shutil.rmtree(programs)
        programs.touch()  # its disk does not work any more
        submission = send(arena, alice, folder({"bot.py": GOOD}), "unlucky")
        wait_until(
            lambda: f"submission {submission.submission_id} cannot be checked" in failing.output, "it has failed"
        )
    with node(hosted, arena, "works", "--submissions", place):
        done = over(arena, alice, submission)
    assert done.state == pb.SUBMISSION_STATE_ACCEPTED, done


@pytest.mark.exhaustive
def test_a_submission_that_no_worker_can_check_is_refused_and_not_for_its_bot(
    hosted: Service, arena: Arena, alice: str, need_sandbox: None
) -> None:
    register(hosted, alice, "hopeless")
    place = str(arena.folder / "data" / "submissions")
    with node(hosted, arena, "hopeless", "--submissions", place) as failing:
        programs = failing.folder / "programs"
        shutil.rmtree(programs)
        programs.touch()
        done = over(arena, alice, send(arena, alice, folder({"bot.py": GOOD}), "hopeless"))
    last = done.stages[-1]
    assert (done.state, last.fault) == (pb.SUBMISSION_STATE_REFUSED, pb.SUBMISSION_FAULT_HOST)
    assert "which says nothing about the bot" in last.output
    assert last.output.endswith("submit it again")


def test_how_long_a_submission_waits_for_a_worker_is_measured(hosted: Service, alice: str) -> None:
    port = free_port()
    with standing(hosted, "--workers", "--metrics", f"127.0.0.1:{port}") as lonely:
        assert value_at(port, "fudaba_arena_submission_wait_seconds") == 0
        register(hosted, alice, "waits")
        send(lonely, alice, folder({"bot.py": GOOD}), "waits")
        wait_until(lambda: value_at(port, "fudaba_arena_submission_wait_seconds") > 0, "it is seen to wait")
