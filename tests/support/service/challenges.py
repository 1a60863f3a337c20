"""Matches against the service's own bots, played by hand."""

from __future__ import annotations

import asyncio

from grpc import aio

from fudaba.codec import option_to_proto
from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from fudaba_games.registry import GAMES
from tests.support.conformance.cases import usual_options
from tests.support.service.bots import bearer, messages
from tests.support.service.organiser import PATIENT, Entrant, Organiser

SEAT = matches_pb2.Seat
ME = SEAT(caller=SEAT.Caller())


async def challenge(
    organiser: Organiser, entrant: Entrant, *house: str, game: str = "naga", clock: record_pb2.Clock = PATIENT
) -> str:
    """Returns a bot's match against house bots; its id."""
    seats = [ME, *[SEAT(house_bot=f"house-{name}") for name in house]]
    options = {name: option_to_proto(value) for name, value in usual_options(GAMES[game]).items()}
    request = matches_pb2.CreateMatchRequest(game=game, options=options, seats=seats, clock=clock)
    made = await organiser.matches.CreateMatch(request, metadata=bearer(entrant.token))
    return str(made.match.header.match_id)


async def play_by_hand(organiser: Organiser, entrant: Entrant, match_id: str, stop_after: int = 10**6) -> None:
    """Answers with the default move, over connections that may break, to the end or for this many decisions."""
    metadata, answered, seen = bearer(entrant.token), 0, 0
    while True:
        request = play_pb2.WatchSeatRequest(match_id=match_id, seen=seen)
        try:
            async for message in messages(organiser.play.WatchSeat(request, metadata=metadata)):
                update = message.update
                seen = update.seen
                if update.HasField("over"):
                    return
                if update.HasField("decision"):
                    if answered == stop_after:
                        return
                    answer = play_pb2.Answer(match_id=match_id, decision_id=update.decision.decision_id, index=0)
                    await organiser.play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), metadata=metadata)
                    answered += 1
        except aio.AioRpcError as error:
            if error.code().name not in {"UNAVAILABLE", "INTERNAL"}:
                raise
            await asyncio.sleep(0.1)
