"""A person's seat: followed, answered and given up call by call."""

from __future__ import annotations

import asyncio
from typing import Any

from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from tests.support.service.bots import bearer, messages
from tests.support.service.joining import AT_ONCE, ME, OPEN, bot, create, joining
from tests.support.service.journal import Journal
from tests.support.service.organiser import PATIENT, Entrant, Organiser, refused


async def test_a_seat_can_be_followed_and_answered_call_by_call_with_its_view_in_every_update(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = (await create(organiser, ME, OPEN, by=pair[0])).match.header.match_id
    await joining(organiser, pair[1], match_id)
    journals = [Journal(match_id), Journal(match_id)]

    async def play(entrant: Entrant, journal: Journal) -> None:
        metadata = bearer(entrant.token)
        request = play_pb2.WatchSeatRequest(match_id=match_id, delivery=AT_ONCE)
        async for message in messages(organiser.play.WatchSeat(request, metadata=metadata)):
            update = message.update
            journal.take(update)
            begun = bool(journal.events)
            assert update.HasField("view") == (begun and not update.HasField("decision"))
            if update.HasField("decision"):
                answer = play_pb2.Answer(match_id=match_id, decision_id=update.decision.decision_id, index=0)
                await organiser.play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), metadata=metadata)

    await asyncio.gather(*[play(entrant, journal) for entrant, journal in zip(pair, journals, strict=True)])
    assert all(journal.over is not None for journal in journals)
    last = journals[0].updates[-1]
    assert last.view.naga.hand or last.view.naga.won


async def begun(watch: Any) -> None:
    """Returns when a seat's stream has brought a view: the match has begun."""
    async for message in messages(watch):
        if message.update.HasField("view") or message.update.HasField("decision"):
            return


async def test_a_match_can_be_given_up_by_a_call(organiser: Organiser, pair: tuple[Entrant, Entrant]) -> None:
    match_id = (await create(organiser, bot(pair[0]), bot(pair[1]), clock=PATIENT)).match.header.match_id
    third = await organiser.entrant()
    request = matches_pb2.ResignMatchRequest(match_id=match_id)
    await refused(organiser.matches.ResignMatch(request, metadata=bearer(third.token)), "NOT_YOUR_MATCH")
    await refused(organiser.matches.ResignMatch(request, metadata=organiser.metadata), "BOT_ONLY")
    await refused(organiser.matches.ResignMatch(request, metadata=bearer(pair[0].token)), "NOT_YOUR_DECISION", "begun")
    watches = [
        organiser.play.WatchSeat(
            play_pb2.WatchSeatRequest(match_id=match_id, delivery=AT_ONCE), metadata=bearer(entrant.token)
        )
        for entrant in pair
    ]
    for watch in watches:
        await begun(watch)
    given_up = await organiser.matches.ResignMatch(request, metadata=bearer(pair[1].token))
    assert given_up.match.end.forfeited_seat == 1
    assert given_up.match.end.forfeit_cause == record_pb2.FORFEIT_CAUSE_RESIGNED
    await refused(organiser.matches.ResignMatch(request, metadata=bearer(pair[0].token)), "MATCH_OVER")
    for watch in watches:
        watch.cancel()
