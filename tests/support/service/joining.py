"""Open matches, and who joins them."""

from __future__ import annotations

from typing import Any

from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from tests.support.service.bots import bearer
from tests.support.service.organiser import QUICK, Entrant, Organiser

SEAT = matches_pb2.Seat
ME = SEAT(caller=SEAT.Caller())
INVITED = SEAT(invitation=SEAT.Invitation())
OPEN = SEAT(open=SEAT.Open())
STATE = matches_pb2.MatchState
AT_ONCE = play_pb2.Delivery(views=True, acknowledge=True, events=play_pb2.EVENT_DELIVERY_AT_ONCE)


def bot(entrant: Entrant) -> matches_pb2.Seat:
    return SEAT(bot=record_pb2.Player(bot=entrant.name))


async def create(
    organiser: Organiser, *seats: matches_pb2.Seat, by: Entrant | None = None, **fields: Any
) -> matches_pb2.CreateMatchResponse:
    """Creates a match of Naga, as the organiser or as a bot."""
    asked: dict[str, Any] = {"game": "naga", "clock": QUICK} | fields
    request = matches_pb2.CreateMatchRequest(seats=seats, **asked)
    metadata = organiser.metadata if by is None else bearer(by.token)
    return await organiser.matches.CreateMatch(request, metadata=metadata)  # type: ignore[no-any-return]


def joining(organiser: Organiser, entrant: Entrant, match_id: str = "", code: str = "") -> Any:
    request = matches_pb2.JoinMatchRequest(match_id=match_id) if match_id else matches_pb2.JoinMatchRequest(
        invitation_code=code)  # fmt: skip
    return organiser.matches.JoinMatch(request, metadata=bearer(entrant.token))


def ids(found: matches_pb2.ListMatchesResponse) -> list[str]:
    return [match.header.match_id for match in found.matches]


async def open_matches(organiser: Organiser) -> list[str]:
    request = matches_pb2.ListMatchesRequest(state=STATE.MATCH_STATE_OPEN, page_size=1000)
    return ids(await organiser.matches.ListMatches(request))
