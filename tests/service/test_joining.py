"""Seats by bot, by invitation and open: who may create what, who gets which seat, and every refusal."""

from __future__ import annotations

import asyncio

from fudaba.v1 import bots_pb2, matches_pb2, record_pb2
from tests.support.patience import PATIENCE
from tests.support.service.bots import bearer, messages, play_match
from tests.support.service.joining import INVITED, ME, OPEN, STATE, bot, create, joining, open_matches
from tests.support.service.organiser import PATIENT, QUICK, Entrant, Organiser, refused


async def test_a_seat_by_invitation_goes_to_who_has_the_code_and_then_the_match_is_like_any_other(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    made = await create(organiser, bot(pair[0]), INVITED)
    match_id = made.match.header.match_id
    assert made.match.state == STATE.MATCH_STATE_OPEN
    assert [player.bot for player in made.match.header.players] == [pair[0].name, ""]
    assert [seat.WhichOneof("to") for seat in made.match.seats] == ["bot", "invitation"]
    [code] = made.invitation_codes
    assert code.seat == 1
    assert match_id in await open_matches(organiser)
    joined = await joining(organiser, pair[1], code=f" {code.code.lower().replace('-', ' ')}")
    assert joined.seat == 1
    assert joined.match.state == STATE.MATCH_STATE_WAITING
    assert joined.match.header.commitment == made.match.header.commitment
    assert match_id not in await open_matches(organiser)
    await play_match(*organiser.by_chance(*pair))
    record = await organiser.record(match_id)
    assert [player.bot for player in record.header.players] == [pair[0].name, pair[1].name]


async def test_open_seats_go_to_whoever_comes_first_in_their_order(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    made = await create(organiser, OPEN, OPEN)
    assert not made.invitation_codes
    match_id = made.match.header.match_id
    first = await joining(organiser, pair[1], match_id)
    assert (first.seat, first.match.state) == (0, STATE.MATCH_STATE_OPEN)
    second = await joining(organiser, pair[0], match_id)
    assert (second.seat, second.match.state) == (1, STATE.MATCH_STATE_WAITING)
    await play_match(*organiser.by_chance(*pair))
    assert (await organiser.ended(match_id)).HasField("end")


async def test_of_many_who_want_the_last_seat_one_gets_it(organiser: Organiser) -> None:
    entrants = [await organiser.entrant() for _ in range(8)]
    match_id = (await create(organiser, OPEN, OPEN)).match.header.match_id
    answers = await asyncio.gather(
        *[joining(organiser, entrant, match_id) for entrant in entrants], return_exceptions=True
    )
    seats = [answer.seat for answer in answers if not isinstance(answer, BaseException)]
    assert sorted(seats) == [0, 1]
    players = [player.bot for player in (await organiser.get(match_id)).header.players]
    assert players == [
        next(e.name for e, a in zip(entrants, answers, strict=True) if getattr(a, "seat", None) == seat)
        for seat in (0, 1)
    ]


async def test_joining_again_gives_the_same_seat_before_and_after_the_match_began(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    made = await create(organiser, OPEN, INVITED, clock=PATIENT)
    match_id, code = made.match.header.match_id, made.invitation_codes[0].code
    assert [(await joining(organiser, pair[0], match_id)).seat for _ in range(3)] == [0, 0, 0]
    assert [(await joining(organiser, pair[1], code=code)).seat for _ in range(3)] == [1, 1, 1]
    assert (await joining(organiser, pair[0], match_id)).seat == 0
    assert (await organiser.get(match_id)).state == STATE.MATCH_STATE_WAITING


async def test_the_time_to_connect_begins_when_the_last_seat_is_taken(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    made = await create(organiser, bot(pair[0]), OPEN, clock=record_pb2.Clock(move_ms=20_000, start_ms=1_500))
    created = made.match.header.create_time.ToMilliseconds()
    # Both are there: after the last seat is taken nothing has to come in that time that a busy machine could delay.
    playing = asyncio.create_task(play_match(*organiser.by_chance(*pair)))
    for entrant in pair:
        await is_connected(organiser, entrant)
    await asyncio.sleep(2)  # what is shown is that this time does not count
    joined = await joining(organiser, pair[1], made.match.header.match_id)
    assert joined.match.header.create_time.ToMilliseconds() > created + 1_500
    await playing


async def is_connected(organiser: Organiser, entrant: Entrant) -> None:
    """Returns once a bot's stream is known to be there."""
    request = bots_pb2.ListPresenceRequest(bots=[entrant.name])
    async with asyncio.timeout(PATIENCE):
        while not (await organiser.bots.ListPresence(request, metadata=organiser.metadata)).presences[0].connected:  # noqa: ASYNC110  # nobody is told
            await asyncio.sleep(0.02)


async def test_a_bot_may_create_a_match_for_itself_and_who_joins(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    made = await create(organiser, OPEN, ME, by=pair[0])
    assert made.match.header.players[1].bot == pair[0].name
    assert (await joining(organiser, pair[1], made.match.header.match_id)).seat == 0
    await play_match(*organiser.by_chance(*pair))


async def test_asking_again_under_the_same_id_gives_the_same_match_and_codes_whatever_has_become_of_it(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = f"{pair[0].name}.once"
    made = await create(organiser, ME, INVITED, by=pair[0], match_id=match_id)
    again = await create(organiser, ME, INVITED, by=pair[0], match_id=match_id)
    assert made == again
    other = matches_pb2.CreateMatchRequest(game="naga", seats=[INVITED, ME], clock=QUICK, match_id=match_id)
    await refused(organiser.matches.CreateMatch(other, metadata=bearer(pair[0].token)), "MATCH_EXISTS", match_id)
    await joining(organiser, pair[1], code=made.invitation_codes[0].code)
    begun = await create(organiser, ME, INVITED, by=pair[0], match_id=match_id)
    assert begun.match.state == STATE.MATCH_STATE_WAITING
    assert not begun.invitation_codes
    await play_match(*organiser.by_chance(*pair))


async def test_who_watches_an_open_match_is_told_of_each_seat_and_then_of_the_match(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = (await create(organiser, OPEN, OPEN)).match.header.match_id
    call = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
    stream = messages(call)
    empty = (await anext(stream)).match
    assert [seat.WhichOneof("to") for seat in empty.seats] == ["open", "open"]
    await joining(organiser, pair[0], match_id)
    joined = (await anext(stream)).match
    assert [seat.WhichOneof("to") for seat in joined.seats] == ["bot", "open"]
    await joining(organiser, pair[1], match_id)
    both, _ = await asyncio.gather(anext(stream), play_match(*organiser.by_chance(*pair)))
    assert both.match.state in {STATE.MATCH_STATE_WAITING, STATE.MATCH_STATE_PLAYING}
    rest = [message async for message in stream]
    assert rest[-1].match.state == STATE.MATCH_STATE_FINISHED


async def test_waiting_for_a_match_waits_for_its_seats_too(organiser: Organiser, pair: tuple[Entrant, Entrant]) -> None:
    match_id = (await create(organiser, bot(pair[0]), OPEN)).match.header.match_id
    request = matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=300)
    assert (await organiser.matches.AwaitMatch(request)).match.state == STATE.MATCH_STATE_OPEN
    request.wait_ms = 30_000
    waiting = asyncio.ensure_future(organiser.matches.AwaitMatch(request))
    await joining(organiser, pair[1], match_id)
    assert (await waiting).match.state == STATE.MATCH_STATE_WAITING
