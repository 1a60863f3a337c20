"""How fast a submission decides: its check measures it, and a ladder's clock is held against it when it enters."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from fudaba.v1 import arena_pb2
from fudaba.v1 import submissions_pb2 as pb
from tests.support.arena.api.ladders import OPEN, call, create, until
from tests.support.arena.programs.entered import ONE, Submit
from tests.support.arena.programs.uploads import SLOW, folder
from tests.support.arena.sandbox.sandboxes import isolation_if_possible
from tests.support.arena.standing import Arena


@pytest.fixture(scope="module")
def isolation() -> Sequence[str]:
    """What is tested here is what a worker makes of bots that harm nobody."""
    return isolation_if_possible()


@pytest.mark.exhaustive
def test_a_version_that_is_too_slow_for_a_ladder_s_clock_enters_only_anyway(
    arena: Arena, alice: str, submit: Submit
) -> None:
    clock = "\n[clock]\nmove_ms = {move_ms}\nbank_ms = 60000\n"
    for name, move_ms in {"pace-slow": 200, "pace-fast": 600_000}.items():
        create(arena, OPEN.format(name=name, narrow=0) + clock.format(move_ms=move_ms), paused=True)
    submission = submit(folder({"bot.py": SLOW}), "thinker")
    assert submission.state == pb.SUBMISSION_STATE_ACCEPTED, submission
    [match] = [stage for stage in submission.stages if stage.stage == pb.SUBMISSION_STAGE_MATCH]
    assert match.pace.slowest_decision.ToMilliseconds() >= 300
    assert match.pace.start.ToMilliseconds() > 0
    assert match.pace.game == "naga"
    request = arena_pb2.EnterLadderRequest(ladder="pace-slow", bot="thinker")
    refusal = arena.refusal("EnterLadder", request, alice)
    assert refusal.reason == "TOO_SLOW"
    took = match.pace.slowest_decision.ToMilliseconds() / 1000
    assert f"took {took:.2f} s, and the clock gives 0.2 s for a move" in str(refusal)
    where = {"FUDABA_TOKEN": alice, "FUDABA_ARENA": arena.address}
    entered = arena.command("ladder", "enter", "pace-slow", "thinker", "--anyway", **where)
    assert entered.returncode == 0, entered.stderr
    assert "warning: in its check" in entered.stderr
    answer = call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="pace-fast", bot="thinker"), alice)
    assert answer.pace == match.pace
    assert (answer.clock.move_ms, answer.warning) == (600_000, "")
    assert "clock: 0.2 s for a move, 60 s more in all" in arena.command("ladder", "show", "pace-slow").stdout


@pytest.mark.exhaustive
def test_the_log_of_a_match_says_beside_the_clock_how_slow_a_bot_was(arena: Arena, alice: str, submit: Submit) -> None:
    create(arena, ONE.format(name="pace-lost", narrow=0) + "\n[clock]\nmove_ms = 200\nbank_ms = 0\nmax_timeouts = 2\n")
    submission = submit(folder({"bot.py": SLOW}), "dreamer")
    enter = arena_pb2.EnterLadderRequest(ladder="pace-lost", bot="dreamer", anyway=True)
    call(arena, "EnterLadder", enter, alice)
    listing = pb.ListBotLogsRequest(bot="dreamer", version=submission.version)

    def lost() -> str:
        """Returns the log of a match that it has lost; beside much else its opponent may run out of time before it
        does."""
        for log in call(arena, "ListBotLogs", listing, alice).logs:
            request = pb.GetBotLogRequest(bot="dreamer", match_id=log.match_id)
            text: str = call(arena, "GetBotLog", request, alice).text
            if "\n-- it lost the match: " in text:
                return text
        return ""

    text = until(arena, lost, "it has lost a match")
    call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder="pace-lost", bot="dreamer"), alice)
    assert re.search(
        r"\n-- it started in \d+\.\d s, took \d+\.\d\d s for its slowest decision \(\S+, of 2\),"
        r" and \d+\.\d\d s of CPU in a match; its time ran out in 2 decisions, first in \S+;"
        r" the clock: 0\.2 s for a move, 0 s more in all, 0 s back for each\n"
        r"(-- in decision .*, of which others took the core from it for .*\n)?"  # where the tests' load did so
        r"-- it lost the match: its time ran out too often\n$",
        text,
    ), text
