"""What one client can take from the others at an arena: uploads that are left, streams that do not read, checks."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2, arena_pb2_grpc, submissions_pb2
from soak.flooding.attacking import Attacker, Target
from soak.flooding.deaf import Deaf
from tests.support.arena.api.announcing import PIECE_BYTES, announce, get, refusal, write
from tests.support.arena.api.ladders import WAITING, author, call, register
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, standing
from tests.support.folders import file_sizes
from tests.support.patience import until
from tests.support.service.bots import bearer
from tests.support.sizes import some

WATCH = "/fudaba.v1.ArenaService/WatchLadder"
MAX_STREAMS = 10
MAX_UPLOADS = 3
COMES_AGAIN = "import fudaba_serving.grpc.rate_limit as limits; limits._QUOTA_AGAIN_SECONDS = 3600"
"""Code of an arena to which whoever comes again within an hour comes at once: a busy machine may take ten seconds."""


@pytest.fixture(scope="module")
def alice(hosted: Service) -> str:
    """Returns the token of an author with the bot `ada`."""
    token = author(hosted, "alice")
    register(hosted, token, "ada")
    return token


@pytest.fixture(scope="module")
def arena(hosted: Service) -> Iterator[Arena]:
    limits = ("--streams-per-host", str(MAX_STREAMS), "--uploads-per-day", str(MAX_UPLOADS), "--concurrent-calls", "40")
    with standing(hosted, *limits, first=COMES_AGAIN) as running:
        call(running, "CreateLadder", arena_pb2.CreateLadderRequest(definition=WAITING.format(name="w", narrow=30)))
        yield running


def spooled(arena: Arena) -> list[int]:
    """Returns how many bytes each upload holds that is not over."""
    return file_sizes(arena.folder / "data" / "spool")


@pytest.mark.exhaustive
def test_uploads_that_are_begun_and_left_hold_what_came_and_are_as_many_as_an_account_may_have_in_a_day(
    arena: Arena, alice: str
) -> None:
    piece = os.urandom(PIECE_BYTES)
    for _ in range(MAX_UPLOADS):
        submission = announce(arena, alice, piece, size=40 * PIECE_BYTES)
        assert write(arena, alice, submission, 0, piece) == PIECE_BYTES
    refused = refusal(announce, arena, alice, piece)
    assert (refused.code, refused.reason) == ("RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED")
    assert refused.retry_after
    assert refused.retry_after <= 24 * 3600
    assert spooled(arena) == [PIECE_BYTES] * MAX_UPLOADS

    began = time.monotonic()
    assert refusal(announce, arena, alice, piece).reason == "QUOTA_EXCEEDED"
    assert time.monotonic() - began >= 2.0, "who calls again at once hears of it later"


async def test_streams_that_follow_a_ladder_and_do_not_read_are_as_many_as_a_host_may_have(arena: Arena) -> None:
    deaf = await Deaf.connect(arena.address)
    for _ in range(4 * MAX_STREAMS):
        deaf.call(WATCH, "", arena_pb2.WatchLadderRequest(ladder="w"))
    await deaf.drain()
    # The others are refused, each with its status and a reset: also those who read nothing can be told that.
    await until(lambda: deaf.ended["ended"] >= 3 * MAX_STREAMS, "the refusal of those too many")
    with arena.client() as organiser:
        assert organiser.arena.GetLadder(arena_pb2.GetLadderRequest(ladder="w")).ladder.name == "w"
    deaf.close()
    await until(lambda: follows(arena), "room for one more when they are gone")


def follows(arena: Arena) -> bool:
    """Returns whether a stranger is told of the ladder."""
    with arena.client("") as client, contextlib.suppress(ServiceError):
        for update in client.arena.WatchLadder(arena_pb2.WatchLadderRequest(ladder="w")):
            return update.HasField("ladder")
    return False


@pytest.mark.exhaustive
async def test_a_submission_in_pieces_from_many_connections_at_once_is_whole(hosted: Service, arena: Arena) -> None:
    token = author(hosted, "bea")
    register(hosted, token, "bo")
    small, pieces, connections = 1024, some(60, least=20), some(30, least=10)
    content = os.urandom(small * pieces)
    submission = announce(arena, token, content, bot="bo")
    attacker = Attacker(Target("", token, "bo", "", [], arena.address))
    channels = [attacker.channel(arena.address) for _ in range(connections)]

    async def send(stub: Any) -> None:
        """Sends every piece again and again, whichever is due."""
        while attacker.replies["written"] < pieces:
            for offset in range(0, len(content), small):
                request = submissions_pb2.WriteSubmissionRequest(
                    submission_id=submission.submission_id, offset=offset, content=content[offset : offset + small]
                )
                written = await attacker.once(lambda: stub.WriteSubmission(request, metadata=bearer(token)))  # noqa: B023 - awaited here
                attacker.replies["written"] += written and offset == len(content) - small

    stubs: list[Any] = [arena_pb2_grpc.ArenaServiceStub(channel) for channel in channels]
    sending = [asyncio.ensure_future(send(stub)) for stub in stubs]
    await until(lambda: attacker.replies["written"], "the last piece")
    for task in sending:
        task.cancel()
    await asyncio.gather(*sending, return_exceptions=True)
    for channel in channels:
        await channel.close()
    # Nothing but these reasons: pieces that were not due, and calls that were too many at once.
    assert set(attacker.replies) <= {"OK", "WRONG_OFFSET", "TOO_FAST", "written"}
    assert get(arena, token, submission).received == len(content)
    file = next(path for path in (arena.folder / "data" / "spool").iterdir() if path.stat().st_size == len(content))
    assert file.read_bytes() == content


def test_what_is_checked_again_and_again_is_uploaded_again_each_time_and_paid_for(hosted: Service, alice: str) -> None:
    with standing(hosted, "--calls-per-second", "8") as slow:
        submission = announce(slow, alice, b"another", size=PIECE_BYTES, sha256=sha256(b"another").digest())
        finish = submissions_pb2.FinishSubmissionRequest(submission_id=submission.submission_id)
        write(slow, alice, submission, 0, os.urandom(PIECE_BYTES))
        assert refusal(call, slow, "FinishSubmission", finish, alice).reason == "WRONG_HASH"
        assert spooled(slow) == []
        while (refused := refusal(call, slow, "FinishSubmission", finish, alice)).reason == "SUBMISSION_INCOMPLETE":
            pass
        assert (refused.code, refused.reason) == ("RESOURCE_EXHAUSTED", "TOO_FAST")
        assert refused.retry_after
