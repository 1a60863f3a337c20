"""What is known of a bot's presence and of the matches that it begins, and bots that are connected."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from fudaba.v1 import bots_pb2, matches_pb2
from tests.support.patience import PATIENCE
from tests.support.service.bots import Stream
from tests.support.service.organiser import Entrant, Organiser


async def presence(organiser: Organiser, entrant: Entrant, metadata: Any = None) -> bots_pb2.Presence:
    request = bots_pb2.ListPresenceRequest(bots=[entrant.name])
    [found] = (await organiser.bots.ListPresence(request, metadata=metadata or organiser.metadata)).presences
    return found  # type: ignore[no-any-return]


async def until_presence(
    organiser: Organiser, entrant: Entrant, wanted: Callable[[bots_pb2.Presence], bool]
) -> bots_pb2.Presence:
    """What is told of a bot as soon as it is as wanted."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await presence(organiser, entrant)
            if wanted(found):
                return found
            await asyncio.sleep(0.05)


async def until_counts(organiser: Organiser, entrant: Entrant, playing: int, waiting: int) -> bots_pb2.Presence:
    """Returns when a bot plays so many matches, and so many wait."""
    counts = (playing, waiting)
    return await until_presence(
        organiser, entrant, lambda found: (found.playing_matches, found.waiting_matches) == counts
    )


async def begun(organiser: Organiser, match_ids: Sequence[str]) -> list[str]:
    return [
        match_id for match_id in match_ids if (await organiser.get(match_id)).state == matches_pb2.MATCH_STATE_PLAYING
    ]


async def until_begun(organiser: Organiser, match_ids: Sequence[str], awaited: int = 1) -> list[str]:
    """Those of the matches that have begun, once they are so many. A seat is told of its match before that begins."""
    while len(found := await begun(organiser, match_ids)) < awaited:  # noqa: ASYNC110 - the service tells nobody
        await asyncio.sleep(0.05)
    return found


async def started_on(stream: Stream, matches: int) -> list[str]:
    """The ids of the next matches that a stream is told of, in order; not of those that are given up."""
    found: list[str] = []
    while len(found) < matches:
        update = await stream.update()
        if update.HasField("started") and not update.HasField("over"):
            found.append(update.match_id)
    return found


@contextlib.asynccontextmanager
async def saying_hello(organiser: Organiser, entrant: Entrant, **hello: Any) -> AsyncIterator[Stream]:
    """A stream of a bot whose hello is on its way."""
    async with Stream(organiser.address, entrant.token) as stream:
        await stream.hello(**hello)
        yield stream


@contextlib.asynccontextmanager
async def connected(organiser: Organiser, entrant: Entrant, **hello: Any) -> AsyncIterator[Stream]:
    """A stream of a bot that is known to be there: a match that is made now need not wait for its hello."""
    async with saying_hello(organiser, entrant, **hello) as stream:
        await until_presence(organiser, entrant, lambda found: found.connected)
        yield stream
