"""The positions of a match."""

from __future__ import annotations

from typing import Any

from fudaba.v1 import matches_pb2
from tests.support.service.lists import ANYBODY
from tests.support.service.organiser import Organiser


async def positions_of(
    organiser: Organiser, match_id: str, seat: int | None = None, metadata: Any = ANYBODY
) -> list[matches_pb2.Position]:
    """Returns all positions of a match that is over."""
    request = matches_pb2.StreamPositionsRequest(match_id=match_id, seat=seat)
    call = organiser.matches.StreamPositions(request, metadata=metadata)
    return [position async for response in call for position in response.positions]
