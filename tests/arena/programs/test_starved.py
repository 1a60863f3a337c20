"""A bot that others keep from the core loses nothing by it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from fudaba.v1 import arena_pb2
from fudaba.v1 import submissions_pb2 as pb
from tests.support.arena.api.ladders import call, create, until
from tests.support.arena.programs.entered import ONE, Submit, counted, voids
from tests.support.arena.programs.uploads import GOOD, folder
from tests.support.arena.standing import Arena

COMPUTES = GOOD.replace(
    "        return 0",
    """
        import time
        began = time.process_time()
        while not getattr(self, "computed", False) and time.process_time() < began + 0.95:
            pass
        self.computed = True
        return 0""",
)
"""Needs 0.95 s of processor time for its first decision in a process."""


@contextmanager
def busy_cores() -> Iterator[None]:
    """Yields two programs for each core that compute all the time, each in a session of its own, as the scheduler sees
    it."""
    with ExitStack() as stack:
        for _ in range(2 * len(os.sched_getaffinity(0))):
            process = subprocess.Popen([sys.executable, "-I", "-S", "-c", "while True: pass"], start_new_session=True)
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield


@pytest.mark.nightly(
    "`workers/test_starved.py` says when it is no loss, and `sandbox/test_waits.py` sees what others take"
    " from a program's cores"
)
def test_a_decision_that_did_not_get_its_share_of_a_core_makes_a_block_void_and_is_no_loss(
    arena: Arena, alice: str, submit: Submit
) -> None:
    create(arena, ONE.format(name="starved", narrow=0) + "\n[clock]\nmove_ms = 1000\nbank_ms = 0\nmax_timeouts = 1\n")
    submission = submit(folder({"bot.py": COMPUTES}), "computes")
    assert submission.state == pb.SUBMISSION_STATE_ACCEPTED, submission
    entrant = f"computes@{submission.version}"
    with busy_cores():
        enter = arena_pb2.EnterLadderRequest(ladder="starved", bot="computes", anyway=True)
        call(arena, "EnterLadder", enter, alice)
        # Beside as much as this the worker may be seen to be slow first: then the block is played again.
        starved = arena_pb2.VOID_CAUSE_STARVED
        until(
            arena,
            lambda: starved in voids(arena, "starved", entrant) or counted(arena, "starved", entrant),
            "a block is void since its bot did not get its share, or counts",
        )
        call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder="starved", bot="computes"), alice)
    assert counted(arena, "starved", entrant) == []
    until(
        arena,
        lambda: any("others took the core from it for" in text and REPEATED in text for text in logs(arena, alice)),
        "the log says so",
    )


REPEATED = "so its block is void, and played again"


def logs(arena: Arena, author: str) -> list[str]:
    listed = call(arena, "ListBotLogs", pb.ListBotLogsRequest(bot="computes"), author).logs
    requests = (pb.GetBotLogRequest(bot="computes", match_id=log.match_id) for log in listed)
    return [call(arena, "GetBotLog", request, author).text for request in requests]
