"""`fudaba bot check` and `fudaba bot submit`: what an author types, and is shown."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import grpc
import pytest
from click.testing import CliRunner
from google.protobuf.message import Message

from fudaba.cli import cli
from fudaba.client import Client
from fudaba.v1 import submissions_pb2 as pb
from fudaba_arena.commands import patient_calls
from fudaba_arena.commands.submission_entry import SubmissionEntry
from fudaba_arena.submissions.packing import pack_folder
from tests.support.arena.api.ladders import WAITING, author, call, create, register
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena
from tests.support.arena.submissions.archives import BOT, Item, pack
from tests.support.sizes import exhaustive

PAGE = (Path(__file__).parents[3] / "docs" / "authors.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def eve(hosted: Service) -> str:
    """Returns the token of an author with the bot `my-bot`."""
    token = author(hosted, "eve")
    register(hosted, token, "my-bot")
    return token


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Returns a bot, of more than one piece."""
    place = tmp_path / "bot"
    place.mkdir()
    for item in (*BOT, Item("noise", os.urandom(700_000))):
        (place / item.name).write_bytes(item.content)
    return place


@pytest.mark.exhaustive
def test_the_page_for_authors_takes_a_reader_to_a_submission(
    hosted: Service, arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = re.findall(r"^    ((?:fudaba|tar) .*)$", PAGE, re.MULTILINE)
    commands += re.findall(r"`(fudaba bot submit [^`]+)`", PAGE)
    assert [" ".join(line.split()[:3]) for line in commands] == [
        "fudaba bot new",
        "fudaba bot create",
        "fudaba bot check",
        "fudaba bot submit",
        "tar -C careful",
        "fudaba bot submit",
        "fudaba bot submit",
    ]
    monkeypatch.chdir(tmp_path)
    Path("mybot.py").write_text("print()\n")
    where = {"FUDABA_SERVER": hosted.address, "FUDABA_TOKEN": author(hosted, "reader")}
    for line in commands:
        words = shlex.split(line)
        if words[0] == "tar":
            subprocess.run(words, check=True)
        else:
            # To play every game takes long; a smaller check is in tests/arena/commands/test_bot_check.py.
            quick = ["--no-run"] if words[2] == "check" and not exhaustive() else []
            done = arena.command(*words[1:], *quick, **where)
            assert done.returncode == 0, (line, done.stderr)
    assert [submission.state for submission in listed(arena, where["FUDABA_TOKEN"])] == [
        pb.SUBMISSION_STATE_ACCEPTED
    ] * 3


def test_the_bot_toml_of_the_page_is_right(folder: Path) -> None:
    (folder / "bot.toml").write_text(re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[0])
    checked = CliRunner().invoke(cli, ["bot", "check", str(folder), "--no-run"])
    assert checked.exit_code == 0, checked.output


def listed(arena: Arena, token: str) -> list[pb.Submission]:
    return [*call(arena, "ListSubmissions", pb.ListSubmissionsRequest(), token).submissions]


def test_a_folder_is_checked_and_submitted(arena: Arena, eve: str, folder: Path) -> None:
    checked = arena.command("bot", "check", str(folder), "--no-run")
    assert checked.returncode == 0
    assert checked.stdout.startswith("unpack: passed after ")
    assert "\n  3 files, 700,0" in checked.stdout
    assert "\nnot checked: whether it builds, starts, connects and plays" in checked.stdout
    done = arena.command("bot", "submit", str(folder), "-m", "first", "--token", eve)
    assert (done.returncode, done.stderr) == (0, "")
    first, stage, _ = done.stdout.splitlines()
    [submission] = [candidate for candidate in listed(arena, eve) if candidate.submission_id == first.partition(",")[0]]
    assert first == f"{submission.submission_id}, for my-bot, SHA-256 {submission.sha256.hex()}"
    assert stage.startswith("unpack: passed after ")
    assert (submission.message, submission.file, submission.state) == (
        "first",
        "bot.tar.zst",
        pb.SUBMISSION_STATE_ACCEPTED,
    )
    versions = json.loads(arena.command("bot", "versions", "my-bot", "--token", eve, "--json").stdout)
    assert submission.sha256.hex() in {each["sha256"] for each in versions}


def test_a_submission_that_cannot_be_entered_is_refused_in_words(arena: Arena, eve: str, folder: Path) -> None:
    before = len(listed(arena, eve))
    words = "bot", "submit", str(folder), "--token", eve
    assert "--anyway is for --enter" in arena.command(*words, "--anyway").stderr
    assert "--enter is empty" in arena.command(*words, "--enter", "").stderr
    assert len(listed(arena, eve)) == before
    unknown = arena.command(*words, "--enter", "nowhere")
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert "nowhere" in unknown.stderr
    assert [sent.received for sent in listed(arena, eve) if sent.state == pb.SUBMISSION_STATE_UPLOADING] == [0]
    create(arena, WAITING.format(name="unplayed", narrow=0))
    done = arena.command(*words, "--enter", "unplayed", "--json")  # no worker makes a version of it
    assert done.returncode == 1
    assert "is not entered in unplayed: it is not a version that a worker runs" in done.stderr
    assert "entered_in" not in json.loads(done.stdout)


def test_where_the_ladder_is_gone_an_entry_is_neither_claimed_nor_denied(arena: Arena, eve: str) -> None:
    with Client(arena.address, eve) as client:
        entry = SubmissionEntry(client, "nowhere", "my-bot", anyway=False)
        said = entry.why_not(pb.Submission(submission_id="0", version="1"))
    assert said.startswith("it is not known whether it is entered in nowhere: there is no")


def test_an_upload_that_was_interrupted_goes_on(arena: Arena, eve: str, folder: Path) -> None:
    (folder / "noise").write_bytes(os.urandom(700_000))
    into = io.BytesIO()
    pack_folder(folder, into)
    raw = into.getvalue()
    request = pb.CreateSubmissionRequest(
        bot="my-bot", file="bot.tar.zst", size=len(raw), sha256=sha256(raw).digest(), submission_id="cut-off"
    )
    call(arena, "CreateSubmission", request, eve)
    for offset, piece in ((0, raw[:300_000]), (300_000, raw[300_000:400_000])):
        call(
            arena,
            "WriteSubmission",
            pb.WriteSubmissionRequest(submission_id="cut-off", offset=offset, content=piece),
            eve,
        )
    before = len(listed(arena, eve))
    done = arena.command("bot", "submit", str(folder), "--token", eve, "--json")
    answer = json.loads(done.stdout)
    assert (answer["submission_id"], answer["state"]) == ("cut-off", "SUBMISSION_STATE_ACCEPTED")
    assert answer["sha256"] == sha256(raw).hexdigest()
    assert len(listed(arena, eve)) == before


def test_an_upload_that_was_spoilt_begins_again(arena: Arena, eve: str, folder: Path) -> None:
    (folder / "noise").write_bytes(os.urandom(100_000))
    into = io.BytesIO()
    pack_folder(folder, into)
    raw = into.getvalue()
    request = pb.CreateSubmissionRequest(
        bot="my-bot", file="bot.tar.zst", size=len(raw), sha256=sha256(raw).digest(), submission_id="spoilt"
    )
    call(arena, "CreateSubmission", request, eve)
    spoilt = pb.WriteSubmissionRequest(submission_id="spoilt", content=bytes(50_000))
    call(arena, "WriteSubmission", spoilt, eve)
    done = arena.json("bot", "submit", str(folder), "--token", eve)
    assert (done["submission_id"], done["state"]) == ("spoilt", "SUBMISSION_STATE_ACCEPTED")


def test_what_is_wrong_is_told_here_and_not_sent(arena: Arena, eve: str, tmp_path: Path) -> None:
    before = len(listed(arena, eve))
    archive = tmp_path / "bot.zip"
    archive.write_bytes(pack("zip", [Item("bot.toml", b'name = "B"\nlanguage = "python"\ngames = []\n'), BOT[1]]))
    for command in ("check", "submit"):
        done = arena.command("bot", command, str(archive), *(["--token", eve] if command == "submit" else []))
        assert done.returncode == 1
        lines = done.stdout.splitlines()
        assert lines[0].startswith("unpack: refused after ")
        assert [line[2:13] for line in lines[1:4]] == ["bot.toml:1:", "bot.toml:1:", "bot.toml:3:"]
    assert "the arena would refuse it, so it was not sent" in done.stderr
    assert len(listed(arena, eve)) == before
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "bot.toml").symlink_to("/etc/passwd")
    done = arena.command("bot", "submit", str(tmp_path / "linked"), "--token", eve)
    assert (done.returncode, "leads out of the folder" in done.stderr) == (1, True)


def test_what_is_neither_a_file_nor_a_folder_is_not_read(arena: Arena, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = arena.command("bot", "check", str(tmp_path / "pipe"))
    assert (done.returncode, "is neither a file nor a folder" in done.stderr) == (1, True)


class StandingTime:
    """Time that goes on only while somebody sleeps, so that no call takes any."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_an_arena_that_is_not_there_is_tried_again_and_that_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = StandingTime()
    monkeypatch.setattr(patient_calls, "time", time)
    words = ["bot", "submit", str(folder), "--arena", "127.0.0.1:1", "--token", "any"]
    done = CliRunner().invoke(cli, words, prog_name="fudaba")
    assert (done.exit_code, done.stderr.count("trying again for up to 120 s")) == (1, 1)
    assert 120 < time.now < 140


def test_a_name_that_controls_a_terminal_is_made_safe(arena: Arena, tmp_path: Path) -> None:
    archive = tmp_path / "bot.zip"
    archive.write_bytes(pack("zip", [*BOT, Item("a\x1b[2J\nb", b"x")]))
    done = arena.command("bot", "check", str(archive))
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
    output = arena.command("bot", "check", str(archive), "--json").stdout
    assert "\x1b" not in output
    assert json.loads(output)["stages"][0]["fault"] == "name"


def test_a_source_file_needs_the_bot_named(arena: Arena, eve: str, tmp_path: Path) -> None:
    source = tmp_path / "careful.py"
    source.write_text("print()\n")
    done = arena.command("bot", "submit", str(source), "--token", eve)
    assert (done.returncode, "give --bot" in done.stderr) == (2, True)
    answer = arena.json("bot", "submit", str(source), "--token", eve, "--bot", "my-bot")
    assert (answer["file"], answer["state"]) == ("careful.py", "SUBMISSION_STATE_ACCEPTED")
    assert answer["stages"][0]["stage"] == "SUBMISSION_STAGE_UNPACK"
    other = arena.command("bot", "submit", str(source), "--token", eve, "--bot", "none")
    assert (other.returncode, "BOT_NOT_FOUND" in other.stderr) == (1, True)


def of_later_release(state: int) -> pb.Submission:
    """Returns a submission in a state, and in a stage, that this release may not know."""
    submission = pb.Submission(
        submission_id="later", bot="my-bot", current_stage=pb.SUBMISSION_STAGE_MATCH, current_game="go"
    )
    submission.state = state  # type: ignore[assignment]
    submission.stages.add(passed=False, output="it does not start").stage = 77  # type: ignore[assignment]
    return submission


def test_an_arena_that_goes_on_checking_is_waited_for(folder: Path) -> None:
    asked = iter([99, 99, pb.SUBMISSION_STATE_REFUSED])
    answers: dict[str, Callable[[], Message]] = {
        "ListSubmissions": pb.ListSubmissionsResponse,
        "CreateSubmission": lambda: pb.CreateSubmissionResponse(submission=pb.Submission(submission_id="later")),
        "WriteSubmission": pb.WriteSubmissionResponse,
        "FinishSubmission": lambda: pb.FinishSubmissionResponse(submission=of_later_release(99)),
        "GetSubmission": lambda: pb.GetSubmissionResponse(submission=of_later_release(next(asked))),
    }

    def handler(answer: Callable[[], Message]) -> Any:
        return grpc.unary_unary_rpc_method_handler(lambda request, context: answer().SerializeToString())

    server = grpc.server(ThreadPoolExecutor(2))
    handlers = {name: handler(answer) for name, answer in answers.items()}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("fudaba.v1.ArenaService", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        words = ["bot", "submit", str(folder), "--arena", f"127.0.0.1:{port}", "--token", "any"]
        done = CliRunner().invoke(cli, words, prog_name="fudaba")
    finally:
        server.stop(None).wait()
    assert (done.exit_code, list(asked)) == (1, [])
    assert done.stderr.count("match of go begins\n") == 1
    assert "stage 77: refused after 0 ms\n  it does not start\n" in done.stdout
