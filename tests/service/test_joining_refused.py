"""Seats that are refused, and who may not create what."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from fudaba_service.api.quota import MAX_CREATED_MATCHES
from tests.support.service.bots import bearer
from tests.support.service.joining import INVITED, ME, OPEN, SEAT, bot, create, joining
from tests.support.service.organiser import Entrant, Organiser, StoreView, nothing_changes, refused


async def test_a_seat_is_refused_to_whom_it_is_not_for(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    third = await organiser.entrant()
    made = await create(organiser, bot(pair[0]), INVITED, by=None)
    match_id, code = made.match.header.match_id, made.invitation_codes[0].code
    with nothing_changes(store):
        await refused(joining(organiser, third, match_id), "NO_OPEN_SEAT", "invitation")
        await refused(joining(organiser, pair[0], match_id), "ALREADY_SEATED", "seat 0")
        await refused(joining(organiser, pair[0], code=code), "ALREADY_SEATED", "seat 0")
        for wrong in ("", "x", "0000-0000-0000", code[:-1], code + "0", "x" * 5000, "\0"):
            await refused(joining(organiser, third, code=wrong), "INVITATION_NOT_FOUND", "invitation code")
        for unknown in ("nothing", "a b", "x" * 100):
            await refused(joining(organiser, third, unknown), "MATCH_NOT_FOUND")
        neither = organiser.matches.JoinMatch(matches_pb2.JoinMatchRequest(), metadata=bearer(third.token))
        await refused(neither, "MALFORMED", "invitation_code")
        request = matches_pb2.JoinMatchRequest(match_id=match_id)
        await refused(organiser.matches.JoinMatch(request, metadata=organiser.metadata), "BOT_ONLY")
        await refused(organiser.matches.JoinMatch(request), "TOKEN_MISSING")
    await joining(organiser, pair[1], code=code)
    with nothing_changes(store):
        await refused(joining(organiser, third, code=code), "INVITATION_USED", "another bot")
        await refused(joining(organiser, third, match_id), "NO_OPEN_SEAT", "taken")


async def test_a_bot_with_one_seat_gets_no_second_one_by_another_code(organiser: Organiser) -> None:
    entrant = await organiser.entrant()
    made = await create(organiser, INVITED, INVITED)
    first, second = (code.code for code in made.invitation_codes)
    assert (await joining(organiser, entrant, code=second)).seat == 1
    await refused(joining(organiser, entrant, code=first), "ALREADY_SEATED", "seat 1")


async def test_nothing_can_be_played_or_recorded_before_all_seats_are_taken(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = (await create(organiser, bot(pair[0]), OPEN)).match.header.match_id
    metadata = bearer(pair[0].token)
    watch = organiser.play.WatchSeat(play_pb2.WatchSeatRequest(match_id=match_id), metadata=metadata)
    await refused(watch.read(), "MATCH_OPEN", "1")
    answer = play_pb2.SubmitMoveRequest(answer=play_pb2.Answer(match_id=match_id, decision_id="0.0", index=0))
    await refused(organiser.play.SubmitMove(answer, metadata=metadata), "MATCH_OPEN")
    resign = matches_pb2.ResignMatchRequest(match_id=match_id)
    await refused(organiser.matches.ResignMatch(resign, metadata=metadata), "MATCH_OPEN")
    await refused(organiser.matches.GetRecord(matches_pb2.GetRecordRequest(match_id=match_id)), "MATCH_OPEN")


BAD_SEATS: list[tuple[list[matches_pb2.Seat], dict[str, Any], str, str]] = [
    ([ME, SEAT(bot=record_pb2.Player(bot="other"))], {}, "CASUAL_PLAY_CLOSED", "allowed: none"),
    ([OPEN, OPEN], {}, "BAD_PLAYERS", "caller"),
    ([ME, ME], {}, "BAD_PLAYERS", "two seats"),
    ([ME], {}, "BAD_PLAYERS", "naga is played by 2"),
    ([ME, SEAT()], {}, "MALFORMED", "seats[1].to"),
    ([ME, SEAT(house_bot="house-nobody")], {}, "BOT_NOT_FOUND", "house-sensible, house-random, house-first"),
    ([ME, OPEN], {"seed": bytes(32)}, "ORGANISER_ONLY", "seed"),
    ([ME, OPEN], {"hidden": True}, "ORGANISER_ONLY", "hidden"),
    ([ME, OPEN], {"match_id": "mine"}, "ORGANISER_ONLY", "begins with its name"),
    ([ME, OPEN], {"join_ms": 2**31}, "MALFORMED", "join_ms is 2147483648; at most 604800000, a week"),
    ([ME, OPEN], {"join_ms": 604_800_001}, "MALFORMED", "0 for an hour"),
    ([ME, OPEN], {"players": [record_pb2.Player(bot="a")]}, "MALFORMED", "one of them"),
]


@pytest.mark.parametrize(("seats", "fields", "reason", "words"), BAD_SEATS, ids=itertools.count())
async def test_what_a_bot_may_not_create_is_refused(
    organiser: Organiser,
    store: StoreView,
    seats: list[matches_pb2.Seat],
    fields: dict[str, Any],
    reason: str,
    words: str,
) -> None:
    entrant = await organiser.entrant()
    for seat in seats:
        if seat.bot.bot == "other":
            seat.bot.bot = (await organiser.entrant()).name
    with nothing_changes(store):
        await refused(create(organiser, *seats, by=entrant, **fields), reason, words)


async def test_the_organiser_is_no_bot(organiser: Organiser) -> None:
    await refused(create(organiser, ME, OPEN), "BAD_PLAYERS", "organiser")


async def test_a_bot_has_only_so_many_unfinished_matches_of_its_own_making(organiser: Organiser) -> None:
    entrant = await organiser.entrant()
    made = [await create(organiser, ME, OPEN, by=entrant) for _ in range(MAX_CREATED_MATCHES)]
    await refused(create(organiser, ME, OPEN, by=entrant), "TOO_MANY_MATCHES", str(MAX_CREATED_MATCHES))
    await create(organiser, bot(entrant), OPEN)  # the organiser's matches do not count
    request = matches_pb2.AbortMatchRequest(match_id=made[3].match.header.match_id)
    await organiser.matches.AbortMatch(request, metadata=bearer(entrant.token))
    await create(organiser, ME, OPEN, by=entrant)
    await refused(create(organiser, ME, OPEN, by=entrant), "TOO_MANY_MATCHES")
    for match in made:
        request.match_id = match.match.header.match_id
        await organiser.matches.AbortMatch(request, metadata=organiser.metadata)


async def test_names_of_house_bots_cannot_be_registered(organiser: Organiser) -> None:
    from fudaba.v1 import bots_pb2

    request = bots_pb2.CreateBotRequest(name="house-of-cards")
    await refused(organiser.bots.CreateBot(request, metadata=organiser.metadata), "MALFORMED", "house-")
