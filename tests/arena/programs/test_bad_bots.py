"""Bots that do not behave: each is told what it did, and nothing of it is left."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from fudaba.v1 import submissions_pb2 as pb
from fudaba_games.registry import GAMES
from tests.support.arena.nodes import Node
from tests.support.arena.programs.checks import PLAYED, STARTED, refused
from tests.support.arena.programs.uploads import GOOD, folder, left_of, over, send, stages_of
from tests.support.arena.standing import Arena
from tests.support.patience import wait_until

Submit = Callable[..., pb.Submission]
SKIPS = """
import os, fudaba

class Player(fudaba.Bot):
    def choose(self, decision):
        if decision.match.game == "tashot": os._exit(9)
        return 0

fudaba.run(Player)
"""
DEAF = "import signal\nfor number in (signal.SIGTERM, signal.SIGINT): signal.signal(number, signal.SIG_IGN)\n"


@pytest.fixture(autouse=True)
def nothing_is_left(worker: Node) -> Iterator[None]:
    yield
    wait_until(lambda: not left_of(worker.process.pid, "[0-9]*"), "nothing is left of its programs")
    wait_until(lambda: not list((worker.folder / "programs").glob("new-*")), "nor of what was half done")


@pytest.mark.nightly(
    "`sandbox/test_running.py` ends a program with too much output, and one that forks is refused for its limit below"
)
def test_a_bot_that_prints_for_ever_is_ended(submit: Submit) -> None:
    code = "import os\nwhile True: os.write(1, 1_000_000 * b'x')"
    output = refused(submit(folder({"bot.py": code}), "talker"), "LIMIT")
    assert "it went over the limit output" in output
    assert len(output) < 5_000


@pytest.mark.exhaustive
def test_a_bot_that_forks_for_ever_is_ended(submit: Submit) -> None:
    code = "import os, time\nwhile True:\n try: os.fork()\n except OSError: time.sleep(0.1)"
    assert "it went over the limit processes" in refused(submit(folder({"bot.py": code}), "forker"), "LIMIT")


@pytest.mark.exhaustive
def test_libraries_are_told_to_start_as_many_threads_as_the_bot_has_cores(submit: Submit) -> None:
    code = "import os, sys; sys.exit('threads ' + os.environ['OMP_NUM_THREADS'] + os.environ['GOMAXPROCS'])"
    assert "| threads 11" in refused(submit(folder({"bot.py": code}), "counts"), "START")


@pytest.mark.exhaustive
def test_a_bot_that_starts_too_many_threads_is_told_what_to_set(submit: Submit) -> None:
    code = "import threading, time\nfor _ in range(100): threading.Thread(target=time.sleep, args=(60,)).start()"
    output = refused(submit(folder({"bot.py": code}), "threader"), "LIMIT")
    assert "start as many as it has cores: libraries take their number from variables such as OMP_NUM_THREADS" in output


@pytest.mark.exhaustive
def test_a_bot_that_wants_more_memory_than_there_is_is_refused_before_it_runs(submit: Submit) -> None:
    output = refused(submit(folder({"bot.py": GOOD}, ram_mb=10_000), "huge"), "LIMIT")
    assert output == "it wants 10,000 MB of memory; a bot here gets 2,000 at most"


@pytest.mark.exhaustive
def test_a_bot_that_sleeps_through_signals_plays_and_ends(submit: Submit) -> None:
    submission = submit(folder({"bot.py": DEAF + GOOD + "import time; time.sleep(100_000)"}), "deaf")
    assert stages_of(submission) == [*STARTED, *PLAYED], submission


@pytest.mark.exhaustive
def test_a_bot_that_fails_in_one_of_its_games_is_told_in_which(submit: Submit) -> None:
    submission = submit(folder({"bot.py": SKIPS}, games='["naga", "tashot"]'), "ten")
    assert refused(submission, "MATCH").startswith("tashot: in seat ")
    assert stages_of(submission) == [*STARTED, ("MATCH", True), ("MATCH", False)]
    assert [stage.game for stage in submission.stages[-2:]] == ["naga", "tashot"]


@pytest.mark.nightly("the same of a bot that is for two games, and fails in the second")
def test_a_bot_that_works_in_ten_games_of_eleven_is_refused_for_the_eleventh(submit: Submit) -> None:
    submission = submit(folder({"bot.py": SKIPS}, games='"all"'), "ten-of-eleven")
    assert refused(submission, "MATCH").startswith("tashot: in seat ")
    played = [stage.game for stage in submission.stages if stage.game]
    assert played == [*GAMES][: len(played)]


@pytest.mark.exhaustive
def test_a_bot_that_ends_at_once_without_an_error_is_told_so(submit: Submit) -> None:
    output = refused(submit(folder({"bot.py": "print('done')"}), "brief"), "CONNECT")
    assert re.fullmatch(r"in seat [01] it ended with status 0 before its match had begun\n\| done", output), output


@pytest.mark.nightly(
    "`test_pace.py` has a bot lose by time in a match, and `test_explanations.py` tells of the position where that was"
)
def test_a_bot_that_connects_and_never_answers_loses_by_time(submit: Submit) -> None:
    code = GOOD.replace("return 0", "import time; time.sleep(100_000)")
    output = refused(submit(folder({"bot.py": code}), "silent"), "MATCH")
    assert ": its time ran out\nthe position at decision " in output


@pytest.mark.exhaustive
def test_two_versions_that_are_uploaded_at_once_are_two_versions(submit: Submit, arena: Arena, alice: str) -> None:
    first = submit(folder({"bot.py": GOOD + "# first"}), "both")
    raws = [folder({"bot.py": GOOD + f"# {number}"}) for number in range(2)]
    with ThreadPoolExecutor(2) as pool:
        sent = list(pool.map(lambda raw: send(arena, alice, raw, "both"), raws))
    done = [over(arena, alice, submission) for submission in sent]
    assert {submission.state for submission in done} == {pb.SUBMISSION_STATE_ACCEPTED}
    assert len({first.version, *(submission.version for submission in done)}) == 3


@pytest.mark.exhaustive
def test_of_a_bot_that_controls_terminals_nothing_is_shown_that_does(submit: Submit, arena: Arena, alice: str) -> None:
    code = "import sys\nprint('\\x1b[2J\\x1b]0;owned\\x07 here')\nsys.exit('\\x9b31m\\u202e gone')"
    submission = submit(folder({"bot.py": code}), "painter")
    output = refused(submission, "START")
    assert "gone" in output
    where = {"FUDABA_TOKEN": alice, "FUDABA_ARENA": arena.address}
    for words in (("bot", "versions", "painter"), ("bot", "versions", "painter", "--json")):
        output += arena.command(*words, **where).stdout
    assert not [char for char in output if char != "\n" and (not char.isprintable())], output


@pytest.mark.parametrize(
    "start",
    [
        "/proc/kmsg",
        "./bot.py/..",
        *(
            pytest.param(start, marks=pytest.mark.nightly("the same of another file of the host"))
            for start in ("/dev/tty", "/proc/self/fd/0")
        ),
    ],
)
@pytest.mark.exhaustive
def test_a_program_elsewhere_is_not_opened_by_the_host_and_holds_up_nobody(submit: Submit, start: str) -> None:
    number = hashlib.sha256(start.encode()).hexdigest()[:6]
    submission = submit(folder({"bot.py": GOOD}, start=f'["{start}"]'), f"reader-{number}")
    assert submission.state == pb.SUBMISSION_STATE_REFUSED, submission
    assert submit(folder({"bot.py": GOOD}), f"behind-{number}").state == pb.SUBMISSION_STATE_ACCEPTED
