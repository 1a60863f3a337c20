"""Submissions over gRPC: uploaded in pieces, resumed, refused with reasons, seen by their author alone."""

from __future__ import annotations

import os
from typing import Any

import pytest

from fudaba.v1 import arena_pb2
from fudaba.v1 import submissions_pb2 as pb
from tests.support.arena.api.announcing import PIECE_BYTES, announce, get, refusal, write
from tests.support.arena.api.ladders import WAITING, author, call, create, register, until
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, standing
from tests.support.arena.submissions.archives import BOT, Item, pack

LARGE = pack("tar.gz", [*BOT, Item("noise", os.urandom(1_200_000))])


@pytest.fixture(scope="module")
def alice(hosted: Service) -> str:
    """Returns the token of an author with the bot `ada`."""
    token = author(hosted, "alice")
    register(hosted, token, "ada")
    return token


def finish(arena: Arena, token: str | None, submission: pb.Submission) -> pb.Submission:
    request = pb.FinishSubmissionRequest(submission_id=submission.submission_id)
    answer: pb.FinishSubmissionResponse = call(arena, "FinishSubmission", request, token)
    return answer.submission


def listed(arena: Arena, token: str | None, **more: Any) -> list[str]:
    answer = call(arena, "ListSubmissions", pb.ListSubmissionsRequest(**more), token)
    return [submission.submission_id for submission in answer.submissions]


@pytest.mark.exhaustive
def test_an_archive_is_uploaded_goes_on_after_a_crash_of_the_arena_and_is_accepted(arena: Arena, alice: str) -> None:
    submission = announce(arena, alice, LARGE, message="first try", submission_id="mine")
    assert (submission.state, submission.received, submission.file) == (pb.SUBMISSION_STATE_UPLOADING, 0, "bot.tar.gz")
    assert submission.expire_time.seconds - submission.create_time.seconds == 24 * 3600
    assert write(arena, alice, submission, 0, LARGE[:PIECE_BYTES]) == PIECE_BYTES
    arena.kill()
    arena.start()
    assert announce(arena, alice, LARGE, message="first try", submission_id="mine").received == PIECE_BYTES
    received = get(arena, alice, submission).received
    while received < len(LARGE):
        received = write(arena, alice, submission, received, LARGE[received : received + PIECE_BYTES])
    over = finish(arena, alice, submission)
    [stage] = over.stages
    assert (over.state, over.received) == (pb.SUBMISSION_STATE_ACCEPTED, len(LARGE))
    assert not over.HasField("expire_time")
    assert (stage.stage, stage.passed, stage.fault) == (pb.SUBMISSION_STAGE_UNPACK, True, 0)
    assert stage.output.startswith("3 files, ")
    assert stage.start_time.seconds >= over.create_time.seconds
    assert finish(arena, alice, submission) == get(arena, alice, submission) == over
    assert refusal(write, arena, alice, submission, 0, b"x").reason == "SUBMISSION_OVER"


def test_what_is_refused_is_told_line_by_line(arena: Arena, alice: str) -> None:
    raw = pack("zip", [Item("bot.toml", b'name = "B"\ngames = []\n')])
    submission = announce(arena, alice, raw)
    write(arena, alice, submission, 0, raw)
    over = finish(arena, alice, submission)
    assert over.state == pb.SUBMISSION_STATE_REFUSED
    assert over.stages[0].fault == pb.SUBMISSION_FAULT_MANIFEST
    assert [line[:11] for line in over.stages[0].output.split("\n")] == ["bot.toml:1:"] * 3 + ["bot.toml:2:"]


def test_one_source_file_is_uploaded_by_its_name(arena: Arena, alice: str) -> None:
    raw = b"print()\n"
    submission = announce(arena, alice, raw, file="bot.py")
    write(arena, alice, submission, 0, raw)
    assert finish(arena, alice, submission).stages[0].output.startswith("1 file, 8 bytes: a bot in python for ")


def test_only_its_author_and_the_organiser_see_a_submission(hosted: Service, arena: Arena, alice: str) -> None:
    submission = announce(arena, alice, LARGE)
    other = author(hosted, "nosy")
    register(hosted, other, "nora")
    for attempt in (get, finish):
        assert refusal(attempt, arena, other, submission).reason == "SUBMISSION_NOT_FOUND"
    assert refusal(write, arena, other, submission, 0, b"x").reason == "SUBMISSION_NOT_FOUND"
    assert refusal(announce, arena, other, LARGE).reason == "NOT_YOURS"
    assert listed(arena, other) == []
    assert submission.submission_id in listed(arena, alice)
    assert submission.submission_id in listed(arena, None)
    assert listed(arena, alice, bot="nora") == []
    assert get(arena, None, submission) == submission
    theirs = announce(arena, None, LARGE, bot="nora")
    assert listed(arena, other, bot="nora") == [theirs.submission_id]
    assert get(arena, other, theirs).bot == "nora"


def test_whether_a_file_could_be_uploaded_is_told_and_nothing_is_stored(arena: Arena, alice: str) -> None:
    before = listed(arena, alice)
    asked = pb.CreateSubmissionRequest(bot="ada", file="bot.tar.gz", size=1_000, validate_only=True)
    for _ in range(30):  # more than the uploads of a day
        answer = call(arena, "CreateSubmission", asked, alice)
    assert answer.account == "alice"
    assert not answer.HasField("submission")
    assert listed(arena, alice) == before
    assert refusal(announce, arena, alice, LARGE, size=10**12, validate_only=True).reason == "SUBMISSION_TOO_LARGE"
    assert refusal(announce, arena, alice, LARGE, bot="nobodys", validate_only=True).reason == "BOT_NOT_FOUND"
    assert refusal(announce, arena, alice, LARGE, sha256=b"").reason == "MALFORMED"


def test_wrong_calls_are_refused_with_reasons_and_change_nothing(arena: Arena, alice: str) -> None:
    raw = pack("tar.zst", BOT)
    submission = announce(arena, alice, raw, submission_id="careful")
    again = refusal(announce, arena, alice, raw, submission_id="careful", message="another")
    assert (again.reason, again.code) == ("SUBMISSION_EXISTS", "ALREADY_EXISTS")
    for wrong in (
        {"submission_id": "a/b"},
        {"file": ""},
        {"file": "a/b.py"},
        {"file": "a\x1b.py"},
        {"file": "x" * 101},
        {"size": 0},
        {"sha256": b"short"},
        {"message": "two\nlines"},
        {"message": "x" * 201},
    ):
        assert refusal(announce, arena, alice, raw, **wrong).reason == "MALFORMED", wrong
    assert refusal(announce, arena, alice, raw, size=64_000_001).reason == "SUBMISSION_TOO_LARGE"
    assert refusal(announce, arena, alice, raw, bot="nobody").reason == "BOT_NOT_FOUND"
    for piece in (b"", bytes(PIECE_BYTES + 1)):
        assert refusal(write, arena, alice, submission, 0, piece).reason == "MALFORMED"
    assert refusal(write, arena, alice, submission, 0, bytes(len(raw) + 1)).reason == "WRONG_OFFSET"
    write(arena, alice, submission, 0, raw[:10])
    gap = refusal(write, arena, alice, submission, 11, raw[11:20])
    assert (gap.reason, gap.code) == ("WRONG_OFFSET", "FAILED_PRECONDITION")
    assert "10 of " in str(gap)
    assert refusal(finish, arena, alice, submission).reason == "SUBMISSION_INCOMPLETE"
    write(arena, alice, submission, 10, bytes(len(raw) - 10))
    assert refusal(finish, arena, alice, submission).reason == "WRONG_HASH"
    assert get(arena, alice, submission).received == 0
    write(arena, alice, submission, 0, raw)
    assert finish(arena, alice, submission).state == pb.SUBMISSION_STATE_ACCEPTED
    strange = pb.Submission(submission_id="../../etc/passwd")
    assert refusal(get, arena, alice, strange).reason == "SUBMISSION_NOT_FOUND"


def test_the_operator_says_how_much_is_taken(hosted: Service) -> None:
    token = author(hosted, "eager")
    register(hosted, token, "eve")
    raw = pack("tar.gz", BOT)
    options = ["--uploads-per-day", "2", "--submission-limit", "packed=1000", "--upload-hours", "1"]
    with standing(hosted, *options) as arena:
        submission, _ = (announce(arena, token, raw, bot="eve") for _ in range(2))
        assert submission.expire_time.seconds - submission.create_time.seconds == 3600
        third = refusal(announce, arena, token, raw, bot="eve")
        assert (third.reason, third.code) == ("QUOTA_EXCEEDED", "RESOURCE_EXHAUSTED")
        assert "account eager has its 2 uploads a day" in str(third)
        announce(arena, None, raw, bot="eve")  # the organiser has no quota
        assert refusal(announce, arena, token, raw, bot="eve", size=1_001).reason == "SUBMISSION_TOO_LARGE"
        wrong = arena.command("arena", "serve", "--submission-limit", "pakced=1")
        assert (wrong.returncode, "there is no limit pakced" in wrong.stderr) == (2, True)
        assert "write NAME=NUMBER" in arena.command("arena", "serve", "--submission-limit", "packed").stderr


def test_without_workers_an_accepted_submission_enters_no_other_version_of_its_bot(
    hosted: Service, arena: Arena, alice: str
) -> None:
    register(hosted, alice, "unrun")
    create(arena, WAITING.format(name="unrun-ladder", narrow=0))
    content = b"print()\n"
    submission = announce(arena, alice, content, bot="unrun", file="bot.py")
    asked = arena_pb2.EnterLadderRequest(ladder="unrun-ladder", bot="unrun", submission_id=submission.submission_id)
    call(arena, "EnterLadder", asked, alice)
    write(arena, alice, submission, 0, content)
    finish(arena, alice, submission)
    listing = arena_pb2.ListAwaitedEntriesRequest(ladder="unrun-ladder")
    until(
        arena,
        lambda: (
            [entry.left_out_because for entry in call(arena, "ListAwaitedEntries", listing, alice).awaited]
            == ["it is not a version that a worker runs"]
        ),
        "it is left out",
    )
