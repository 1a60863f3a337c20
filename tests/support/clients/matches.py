"""Matches of a bot in another language against built-in ones."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from fudaba._play_options import PlayOptions
from fudaba._stream import play
from fudaba.bots import built_in
from fudaba.v1 import game_pb2, matches_pb2, record_pb2
from tests.support.service.organiser import Entrant, Organiser, kinds


@contextlib.asynccontextmanager
async def built_ins(address: str, *entrants: Entrant, name: str = "random", ca_cert: str = "") -> AsyncIterator[None]:
    """Bots that come with Fudaba, playing."""
    stop = asyncio.Event()
    options = [PlayOptions(address=address, token=entrant.token, ca_cert=ca_cert) for entrant in entrants]
    running = [asyncio.create_task(play(built_in(name), entrant_options, stop)) for entrant_options in options]
    try:
        yield
    finally:
        stop.set()
        await asyncio.gather(*running)


async def check(organiser: Organiser, match_id: str, seat: int) -> record_pb2.MatchRecord:
    """Returns a match that is over: the bot in this seat made every decision itself, and none was refused."""
    record = await organiser.record(match_id)
    assert set(kinds(record, seat)) == {"ready", "move"}
    return record


def numbers(**options: int) -> dict[str, game_pb2.OptionValue]:
    return {name: game_pb2.OptionValue(number=value) for name, value in options.items()}


async def begun(organiser: Organiser, match_id: str, decisions: int) -> None:
    """Waits until a match has got so far that its moves have shown this many events."""
    request = matches_pb2.WatchMatchRequest(match_id=match_id)
    async for message in organiser.matches.WatchMatch(request, metadata=organiser.metadata):
        assert not message.match.HasField("end"), "it was over before anything could happen"
        if message.seen >= decisions:
            return
