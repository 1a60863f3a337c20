"""What becomes of submissions when workers run them: each goes through its stages, and says what is wrong with it."""

from __future__ import annotations

import os
import platform
import re
import secrets
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from fudaba.v1 import submissions_pb2 as pb
from tests.support.arena.api.ladders import author, call, register
from tests.support.arena.nodes import Node
from tests.support.arena.programs.checks import PLAYED, STARTED, refused
from tests.support.arena.programs.uploads import GOOD, commands_with, folder, over, send, stages_of
from tests.support.arena.running import Service
from tests.support.arena.sandbox.sandboxes import isolation_if_possible
from tests.support.arena.standing import Arena
from tests.support.patience import wait_until

Submit = Callable[..., pb.Submission]
PROGRAM: dict[str, Any] = {"language": '"other"', "start": '["./bot"]'}


@pytest.fixture(scope="module")
def isolation() -> Sequence[str]:
    """What is tested here is what a worker makes of bots that harm nobody."""
    return isolation_if_possible()


@pytest.mark.exhaustive
def test_a_bot_that_plays_is_accepted_and_is_its_bots_next_version(submit: Submit, isolation: Sequence[str]) -> None:
    submission = submit(folder({"bot.py": GOOD}), "good")
    assert stages_of(submission) == [*STARTED, *PLAYED], submission
    assert (submission.state, submission.version, submission.stages[-2].game) == (
        pb.SUBMISSION_STATE_ACCEPTED,
        "2",
        "naga",
    )
    assert ("CPU and memory not measured" if isolation else "s of CPU") in submission.stages[-2].output
    again = submit(folder({"bot.py": GOOD + "# newer"}), "good")
    assert (again.state, again.version) == (pb.SUBMISSION_STATE_ACCEPTED, "3")


@pytest.mark.exhaustive
def test_a_bot_is_built_where_there_is_no_network(need_sandbox: None, submit: Submit) -> None:
    build = """
import socket, pathlib
try:
    socket.create_connection(("127.0.0.1", 80), 1)
except OSError:
    pathlib.Path("made.py").write_text(pathlib.Path("source.txt").read_text())
"""
    manifest: dict[str, Any] = {"build": '["python3", "build.py"]', "start": '["python3", "./made.py"]'}
    submission = submit(folder({"build.py": build, "source.txt": GOOD}, **manifest), "built")
    assert stages_of(submission) == [("UNPACK", True), ("BUILD", True), *STARTED[1:], *PLAYED], submission


@pytest.mark.exhaustive
def test_a_check_ends_as_soon_as_the_bots_own_code_has_failed(submit: Submit) -> None:
    for name, code in {
        "raises": GOOD.replace("return 0", "raise RuntimeError('no such card')"),
        "makes-none": GOOD.replace(
            "def choose", "def __init__(self, *_):\n        raise RuntimeError('no such card')\n\n    def choose"
        ),
    }.items():
        output = refused(submit(folder({"bot.py": code}), name), "MATCH")
        assert re.match(r"naga: in seat [01] its own code failed, after 0 moves\n", output), output
        assert "| RuntimeError: no such card" in output
        assert "time ran out" not in output


@pytest.mark.exhaustive
def test_a_check_that_hangs_holds_up_no_other_one(arena: Arena, alice: str, submit: Submit) -> None:
    submit(folder({"bot.py": GOOD}), "quick")
    mark = secrets.token_hex(8)  # other runs of this test, in other checkouts, have builds of their own
    waits = f"import time; time.sleep(1000)  # {mark}"
    hanging = send(arena, alice, folder({"bot.py": GOOD}, build=f'["python3", "-c", "{waits}"]'), "quick")
    wait_until(lambda: commands_with(mark.encode()), "it hangs")
    assert submit(folder({"bot.py": GOOD + "# newer"}), "quick").state == pb.SUBMISSION_STATE_ACCEPTED
    request = pb.GetSubmissionRequest(submission_id=hanging.submission_id)
    assert call(arena, "GetSubmission", request, alice).submission.state == pb.SUBMISSION_STATE_CHECKING
    for place in commands_with(mark.encode()):
        with suppress(ProcessLookupError):
            os.kill(int(place.name), signal.SIGKILL)
    assert over(arena, alice, hanging).state == pb.SUBMISSION_STATE_REFUSED


@pytest.mark.exhaustive
def test_whoever_follows_is_told_that_a_build_has_begun(arena: Arena, alice: str, submit: Submit) -> None:
    submit(folder({"bot.py": GOOD}), "followed")
    mark = secrets.token_hex(8)
    waits = f"import time; time.sleep(1000)  # {mark}"
    raw = folder({"bot.py": GOOD}, build=f'["python3", "-c", "{waits}"]')
    submission = send(arena, alice, raw, "followed")
    request = pb.GetSubmissionRequest(submission_id=submission.submission_id)

    def now() -> pb.Submission:
        found: pb.Submission = call(arena, "GetSubmission", request, alice).submission
        return found

    wait_until(lambda: now().current_stage == pb.SUBMISSION_STAGE_BUILD, "its build has begun")
    assert [stage.stage for stage in now().stages] == [pb.SUBMISSION_STAGE_UNPACK]
    wait_until(lambda: commands_with(mark.encode()), "it runs")
    for place in commands_with(mark.encode()):
        with suppress(ProcessLookupError):
            os.kill(int(place.name), signal.SIGKILL)
    ended = over(arena, alice, submission)
    assert (ended.state, ended.current_stage) == (pb.SUBMISSION_STATE_REFUSED, 0)


@pytest.mark.exhaustive
def test_what_was_built_before_is_not_built_again_and_that_is_said(submit: Submit) -> None:
    files = {"build.py": "open('made.py', 'w').write(open('bot.py').read())", "bot.py": GOOD}
    raw = folder(files, build='["python3", "build.py"]', start='["python3", "./made.py"]')
    first, again = submit(raw, "rebuilt"), submit(raw, "rebuilt")
    assert first.stages[1].output.startswith("built, with python-")
    assert again.stages[1].output.startswith("the same content was built before, and is not built again, with python-")


@pytest.mark.exhaustive
def test_a_build_that_fails_shows_what_it_said(submit: Submit) -> None:
    files = {"build.py": "raise SystemExit('the sources are stale')", "bot.py": GOOD}
    output = refused(submit(folder(files, build='["python3", "build.py"]'), "unbuilt"), "BUILD")
    assert "the build ended with status 1" in output
    assert "| the sources are stale" in output


@pytest.mark.exhaustive
def test_what_a_build_makes_is_judged_as_what_an_author_sends(submit: Submit) -> None:
    files = {"build.py": "import os; os.mkfifo('pipe')", "bot.py": GOOD}
    output = refused(submit(folder(files, build='["python3", "build.py"]'), "piped"), "KIND")
    assert "pipe" in output


@pytest.mark.exhaustive
def test_a_bot_that_ends_at_once_is_told_how_and_with_its_last_words(submit: Submit) -> None:
    output = refused(submit(folder({"bot.py": "import nothing_of_the_kind"}), "absent"), "START")
    assert "ended with status 1" in output
    assert "a Python package is neither in the archive nor in the runtime" in output
    assert "| ModuleNotFoundError: No module named 'nothing_of_the_kind'" in output


def test_a_program_for_another_architecture_is_named_as_such(submit: Submit) -> None:
    elf_of_arm = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xb7\x00" + bytes(44)
    raw = folder({"bot": elf_of_arm}, language='"other"', start='["./bot"]')
    assert "it was compiled for aarch64, and this is x86_64" in refused(submit(raw, "armed"), "START")


@pytest.mark.exhaustive
def test_a_bot_whose_answers_are_refused_is_told_the_position_and_the_answer(submit: Submit) -> None:
    code = GOOD.replace("return 0", "return 'no such move'")
    output = refused(submit(folder({"bot.py": code}), "wrong"), "MATCH")
    assert re.match(r"naga: in seat [01] it forfeited after \d+ moves: too many of its answers were refused\n", output)
    assert "MALFORMED_MOVE" in output
    assert "'no' is not a move of Naga" in output
    decision = re.search(r"to decision (\S+): ", output)
    assert decision is not None
    assert re.search(rf"\nthe position at decision {re.escape(decision[1])}, as seat [01] saw it:\n  \S", output), (
        output
    )


def test_a_program_that_was_linked_with_musl_is_named_as_such(submit: Submit) -> None:
    raw = folder({"bot": patched(b"/lib64/ld-linux-x86-64.so.2", b"/lib/ld-musl-x86_64.so.1")}, **PROGRAM)
    output = refused(submit(raw, "musl"), "START")
    assert output == "it was linked with musl, and the arena has glibc; link it statically, or let the arena build it"


def test_a_program_that_needs_a_newer_glibc_is_told_which(submit: Submit) -> None:
    output = refused(submit(folder({"bot": patched(b"GLIBC_2.2.5", b"GLIBC_2.9.9")}, **PROGRAM), "newer"), "START")
    assert "it was linked with glibc 2.9.9, and the arena's is older; build it on an older system" in output


def patched(before: bytes, after: bytes) -> bytes:
    """Returns a program of this system with another text in it: the loader judges it as one from elsewhere."""
    program = Path("/bin/true").read_bytes()
    if platform.machine() != "x86_64" or before not in program:
        pytest.skip("NOT TESTED: /bin/true is no program of the kind that this test changes")
    return program.replace(before, after.ljust(len(before), b"\0"))


@pytest.mark.exhaustive
def test_a_bot_that_crashes_in_mid_match_is_told_the_position(submit: Submit) -> None:
    code = GOOD.replace("return 0", "import os; os._exit(7)")
    output = refused(submit(folder({"bot.py": code}), "crashes"), "MATCH")
    pattern = r"naga: in seat [01] it ended with status 7 in mid-match, after \d+ moves?\nthe position at decision "
    assert re.match(pattern, output), output


@pytest.mark.exhaustive
def test_a_bot_that_comes_close_to_a_limit_is_refused_and_told_which(need_sandbox: None, submit: Submit) -> None:
    one_more = "threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()"
    threads = f"import threading, time\nfor _ in range(54): {one_more}\n"
    submission = submit(folder({"bot.py": threads + GOOD}), "threads")
    output = refused(submission, "LIMIT")
    assert stages_of(submission)[-2:] == [("MATCH", True), ("RESOURCES", False)]
    assert re.search(r"\nprocesses: \d\d of 64 \(naga\)\n", output), output
    assert "processes is over 90% of its limit" in output


@pytest.mark.exhaustive
def test_what_a_content_has_passed_is_not_run_again_whoever_sends_it(
    hosted: Service, arena: Arena, submit: Submit
) -> None:
    raw = folder({"bot.py": GOOD + "# sent by two"})
    first = submit(raw, "twice")
    assert "passed before" not in first.stages[-2].output
    bob = author(hosted, "bob")
    register(hosted, bob, "of-bob")
    again = over(arena, bob, send(arena, bob, raw, "of-bob"))
    assert (again.state, stages_of(again)) == (pb.SUBMISSION_STATE_ACCEPTED, [*STARTED, *PLAYED])
    for stage in again.stages[1:4]:
        assert stage.output.startswith("passed before with the same content, on 20")
        assert stage.duration.ToMilliseconds() == 0
    # What it took is judged again, from what was noted then.
    assert again.stages[-1].output == first.stages[-1].output


@pytest.mark.exhaustive
def test_what_has_failed_is_run_again(submit: Submit) -> None:
    raw = folder({"bot.py": GOOD.replace("return 0", "return 'no such move'")})
    for _ in range(2):
        assert refused(submit(raw, "stubborn"), "MATCH").startswith("naga: in seat")


@pytest.mark.nightly("`test_bad_bots.py` tells of one that ends before it has connected, with its last words")
def test_a_bot_that_never_connects_is_told_how_long_was_waited_and_its_last_words(submit: Submit) -> None:
    code = "import time; print('thinking about it', flush=True); time.sleep(1000)"
    output = refused(submit(folder({"bot.py": code}), "sleeps"), "CONNECT")
    assert output == "it did not connect within 30 s (seat 0, 1)\n| thinking about it"


@pytest.mark.exhaustive
def test_a_bot_that_needs_more_than_its_limits_is_told_which(need_sandbox: None, submit: Submit) -> None:
    code = "hog = []\nwhile True: hog.append(bytearray(10_000_000))"
    assert "limit memory" in refused(submit(folder({"bot.py": code}), "hungry"), "LIMIT")


def test_a_runtime_that_is_not_there_is_refused_with_those_that_are(submit: Submit) -> None:
    output = refused(submit(folder({"bot.py": GOOD}, runtime='"python-2.7"'), "old"), "RUNTIME")
    assert output.startswith("no worker has runtime python-2.7; there are: ")


def test_everybody_is_told_what_bots_are_run_with(arena: Arena, worker: Node) -> None:
    def listed() -> list[pb.Runtime]:
        return [*call(arena, "ListRuntimes", pb.ListRuntimesRequest(language="python"), "").runtimes]

    python: pb.Runtime
    [python] = wait_until(listed, "the worker is heard of")
    packages = {package.name: package.version for package in python.packages}
    assert packages["python"] == python.version == platform.python_version()
    assert packages["grpcio"] == version("grpcio")
    shown = arena.command("arena", "runtimes", python.name, FUDABA_TOKEN="").stdout
    assert re.search(rf"grpcio +{re.escape(packages['grpcio'])}\n", shown)
