"""Attacks on the front of an arena, and by uploads."""

from __future__ import annotations

import asyncio
import itertools
import os
from functools import partial
from hashlib import sha256
from typing import Any, Final

from fudaba.v1 import arena_pb2, arena_pb2_grpc, submissions_pb2
from soak.flooding.attacking import ELSEWHERE, Attack, Attacker
from soak.flooding.deaf import Deaf
from tests.support.service.bots import bearer

__all__ = ["ON_ARENA"]

_CONCURRENT_UPLOADS: Final = 100
_PIECE_BYTES: Final = 512 * 1024
_CONNECTION_COUNT: Final = 100
_PIECE_COUNT: Final = 1000
_SMALL_PIECE_BYTES: Final = 16 * 1024
_STREAM_COUNT: Final = 1000


async def _announced(stub: Any, bot: str, token: str, content: bytes, size: int) -> str:
    """Returns the id of a new submission with this content, or with content that begins with it."""
    request = submissions_pb2.CreateSubmissionRequest(
        bot=bot, file="bot.tar.gz", size=size, sha256=sha256(content).digest()
    )
    made = await stub.CreateSubmission(request, metadata=bearer(token))
    return str(made.submission.submission_id)


def _piece(submission_id: str, offset: int, content: bytes) -> submissions_pb2.WriteSubmissionRequest:
    return submissions_pb2.WriteSubmissionRequest(submission_id=submission_id, offset=offset, content=content)


async def uploads_left(attacker: Attacker) -> None:
    """Attacks with a hundred simultaneous uploads of several accounts, each on its own connection, which it begins and
    abandons.
    """
    content = os.urandom(_PIECE_BYTES)
    authors = itertools.cycle(attacker.target.authors)

    async def begin(token: str, bot: str) -> None:
        async with attacker.channel(attacker.target.arena) as channel:
            stub: Any = arena_pb2_grpc.ArenaServiceStub(channel)
            submission = await _announced(stub, bot, token, content, 40 * _PIECE_BYTES)
            await stub.WriteSubmission(_piece(submission, 0, content), metadata=bearer(token))
            attacker.replies["begun"] += 1

    async def next_one() -> None:
        token, bot = next(authors)
        await begin(token, bot)

    await attacker.at_once(_CONCURRENT_UPLOADS, next_one)


async def pieces(attacker: Attacker) -> None:
    """Attacks with a submission of a thousand pieces, which a hundred connections send at once."""
    [token, bot], content = attacker.target.authors[0], os.urandom(_SMALL_PIECE_BYTES)
    channels = [attacker.channel(attacker.target.arena) for _ in range(_CONNECTION_COUNT)]
    stubs: list[Any] = [arena_pb2_grpc.ArenaServiceStub(channel) for channel in channels]
    submission = await _announced(stubs[0], bot, token, content, _PIECE_COUNT * _SMALL_PIECE_BYTES)
    offsets = itertools.cycle(range(0, _PIECE_COUNT * _SMALL_PIECE_BYTES, _SMALL_PIECE_BYTES))

    async def send(stub: Any) -> None:
        await stub.WriteSubmission(_piece(submission, next(offsets), content), metadata=bearer(token))

    try:
        await asyncio.gather(*[attacker.forever(partial(send, stub)) for stub in stubs])
    finally:
        await asyncio.gather(*[channel.close() for channel in channels])


async def checks(attacker: Attacker) -> None:
    """Attacks with uploads that differ from their announcement, 8 at once. Each is checked, and then uploaded again."""
    content = os.urandom(_PIECE_BYTES)
    authors = itertools.cycle(attacker.target.authors)
    async with attacker.channel(attacker.target.arena) as channel:
        stub: Any = arena_pb2_grpc.ArenaServiceStub(channel)

        async def again_and_again() -> None:
            token, bot = next(authors)
            submission_id = ""

            async def announce() -> None:
                nonlocal submission_id
                submission_id = await _announced(stub, bot, token, b"another", _PIECE_BYTES)

            if not await attacker.once(announce):
                return  # another attack at the same time has used up what the account may upload on a day
            finish = submissions_pb2.FinishSubmissionRequest(submission_id=submission_id)
            while True:
                await attacker.turn(2)
                await attacker.once(
                    lambda: stub.WriteSubmission(_piece(submission_id, 0, content), metadata=bearer(token))
                )
                await attacker.once(lambda: stub.FinishSubmission(finish, metadata=bearer(token)))

        await asyncio.gather(*[again_and_again() for _ in range(8)])


async def ladder_unread(attacker: Attacker) -> None:
    """Attacks repeatedly with 1,000 calls of WatchLadder over ten connections, and never reads the answers."""
    request = arena_pb2.WatchLadderRequest(ladder=attacker.target.ladder)
    while True:
        connections = [await Deaf.connect(attacker.target.arena, source=ELSEWHERE) for _ in range(10)]
        for number in range(_STREAM_COUNT):
            await attacker.turn()
            connections[number % 10].call("/fudaba.v1.ArenaService/WatchLadder", "", request)
        attacker.replies["streams"] += _STREAM_COUNT
        await asyncio.gather(*[deaf.drain() for deaf in connections])
        await asyncio.sleep(3)
        for deaf in connections:
            attacker.replies.update(deaf.ended)
            deaf.close()


async def arena_calls(attacker: Attacker) -> None:
    """Attacks with GetRatingHistory without a token, 64 at once."""
    async with attacker.channel(attacker.target.arena) as channel:
        stub: Any = arena_pb2_grpc.ArenaServiceStub(channel)
        request = arena_pb2.GetRatingHistoryRequest(tournament=attacker.target.ladder)
        await attacker.at_once(64, lambda: stub.GetRatingHistory(request))


ON_ARENA: Final[dict[str, Attack]] = {
    "uploads-left": uploads_left,
    "pieces": pieces,
    "checks": checks,
    "ladder-unread": ladder_unread,
    "arena-calls": arena_calls,
}
