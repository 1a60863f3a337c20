"""A match whose two seats are played by hand."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from types import MappingProxyType

from fudaba.v1 import game_pb2, matches_pb2, record_pb2
from tests.support.service.bots import Stream
from tests.support.service.organiser import QUICK, Entrant, Organiser


@contextlib.asynccontextmanager
async def by_hand(
    organiser: Organiser,
    clock: record_pb2.Clock = QUICK,
    options: Mapping[str, game_pb2.OptionValue] = MappingProxyType({}),
    **hello: object,
) -> AsyncIterator[tuple[str, Stream, Stream, tuple[Entrant, Entrant]]]:
    """A match whose two seats are played by hand. Seat 1 designates first, since seat 0 deals."""
    entrants = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(*entrants, clock=clock, options=options)
    async with (
        Stream(organiser.address, entrants[0].token) as first,
        Stream(organiser.address, entrants[1].token) as two,
    ):
        await first.hello(**hello)
        await two.hello(**hello)
        yield match_id, first, two, entrants
    request = matches_pb2.AbortMatchRequest(match_id=match_id)
    await organiser.matches.AbortMatch(request, metadata=organiser.metadata)
