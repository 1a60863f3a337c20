"""Moves are tried from any position of a match that is over, with all hands open, alone or against house bots."""

from __future__ import annotations

from typing import Any

import pytest

from fudaba.v1 import matches_pb2, record_pb2
from tests.support.service.lists import ANYBODY
from tests.support.service.organiser import Entrant, Organiser, refused
from tests.support.service.positions import positions_of

HOUSE = [matches_pb2.Seat(house_bot="house-random")] * 2


async def finished(organiser: Organiser, game: str = "naga", **fields: Any) -> record_pb2.MatchRecord:
    """Returns the record of a match that two house bots have played."""
    request = matches_pb2.CreateMatchRequest(game=game, seats=HOUSE, **fields)
    match_id = (await organiser.matches.CreateMatch(request, metadata=organiser.metadata)).match.header.match_id
    await organiser.ended(match_id)
    return await organiser.record(match_id)


def moves_of(record: record_pb2.MatchRecord) -> list[int]:
    """Returns the places of the log at which a seat has moved."""
    return [place for place, entry in enumerate(record.log) if entry.HasField("move")]


async def tried(
    organiser: Organiser, record: record_pb2.MatchRecord, entries: int, *moves: matches_pb2.TriedMove, **fields: Any
) -> matches_pb2.TryMovesResponse:
    request = matches_pb2.TryMovesRequest(match_id=record.header.match_id, entries=entries, moves=moves, **fields)
    answer: matches_pb2.TryMovesResponse = await organiser.matches.TryMoves(request, metadata=ANYBODY)
    return answer


async def test_the_moves_that_were_made_lead_to_what_was_seen_and_told(organiser: Organiser) -> None:
    record = await finished(organiser)
    begin, *_, end = moves_of(record)[:6]
    moves = [matches_pb2.TriedMove(seat=entry.seat, move=entry.move) for entry in record.log[begin:end]]
    answer = await tried(organiser, record, begin, *moves)
    for seat, shown in enumerate(answer.seats):
        positions = await positions_of(organiser, record.header.match_id, seat)
        assert shown.view == positions[end].view
        assert [*shown.events] == [event for at in positions[begin + 1 : end + 1] for event in at.events]
        assert shown.HasField("decision") == (seat in positions[end].deciding_seats)
    again = await tried(organiser, record, begin, *answer.moves)
    assert again == answer, "the moves that are answered can be sent again"


async def test_house_bots_move_for_the_others_until_the_caller_is_asked(organiser: Organiser) -> None:
    record = await finished(organiser)
    [begin, *_] = moves_of(record)
    answer = await tried(organiser, record, begin, seat=1)
    for _ in range(200):
        if answer.HasField("outcome"):
            break
        assert answer.seats[1].decision.legal_count >= len(answer.seats[1].decision.legal_moves) > 0
        move = matches_pb2.TriedMove(seat=1, index=0)
        answer = await tried(organiser, record, begin, *answer.moves, move, seat=1)
    assert min(answer.outcome.placements) == 1
    assert {move.seat for move in answer.moves} == {0, 1}


async def test_what_cannot_be_played_is_refused(organiser: Organiser) -> None:
    record = await finished(organiser)
    begin, later, *_ = moves_of(record)
    asked, nonsense = record.log[begin].seat, matches_pb2.TriedMove(seat=record.log[begin].seat, text="nonsense")
    move = record.log[begin].move
    await refused(tried(organiser, record, begin, nonsense), "MALFORMED_MOVE")
    await refused(tried(organiser, record, begin, matches_pb2.TriedMove(seat=1 - asked, index=0)), "NOT_YOUR_DECISION")
    await refused(tried(organiser, record, later, matches_pb2.TriedMove(seat=asked, move=move)), "ILLEGAL_MOVE")
    await refused(tried(organiser, record, len(record.log)), "MALFORMED", "between the deal and the end")
    await refused(tried(organiser, record, 0), "MALFORMED", "between the deal and the end")
    await refused(tried(organiser, record, len(record.log) + 1), "MALFORMED")
    await refused(tried(organiser, record, begin, seat=2), "MALFORMED", "2 seats")
    await refused(tried(organiser, record, begin, *[nonsense] * 501), "MALFORMED", "at most 500")


@pytest.mark.parametrize("hidden", [False, True])
async def test_nothing_is_tried_in_a_match_whose_record_may_not_be_seen(
    organiser: Organiser, pair: tuple[Entrant, Entrant], hidden: bool
) -> None:
    if hidden:
        record = await finished(organiser, hidden=True)
        await refused(tried(organiser, record, 3), "MATCH_HIDDEN")
    else:
        live = record_pb2.MatchRecord(header=record_pb2.MatchHeader(match_id=await organiser.match(*pair)))
        await refused(tried(organiser, live, 3), "MATCH_NOT_OVER")
