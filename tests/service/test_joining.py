"""Seats by bot, by invitation and open: who may create what, who gets which seat, and every refusal."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import pytest
from grpc import aio

from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from fudaba_service.front.seating import MOST_MADE
from tests.service.bots import Journal, bearer, messages, play_match
from tests.service.organiser import PATIENT, QUICK, Entrant, Organiser, StoreView, nothing_changes, refused
from tests.service.processes import Service, short_folder, until

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
    request = matches_pb2.CreateMatchRequest(game="naga", seats=seats, clock=fields.pop("clock", QUICK), **fields)
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


# --- seats that are taken


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
    await asyncio.sleep(2)  # what is shown is that this time does not count
    joined = await joining(organiser, pair[1], made.match.header.match_id)
    assert joined.match.state == STATE.MATCH_STATE_WAITING
    assert joined.match.header.create_time.ToMilliseconds() > created + 1_500
    await play_match(*organiser.by_chance(*pair))


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
    told = messages(call)
    empty = (await anext(told)).match
    assert [seat.WhichOneof("to") for seat in empty.seats] == ["open", "open"]
    await joining(organiser, pair[0], match_id)
    one = (await anext(told)).match
    assert [seat.WhichOneof("to") for seat in one.seats] == ["bot", "open"]
    await joining(organiser, pair[1], match_id)
    both, _ = await asyncio.gather(anext(told), play_match(*organiser.by_chance(*pair)))
    assert both.match.state in {STATE.MATCH_STATE_WAITING, STATE.MATCH_STATE_PLAYING}
    rest = [message async for message in told]
    assert rest[-1].match.state == STATE.MATCH_STATE_FINISHED


async def test_waiting_for_a_match_waits_for_its_seats_too(organiser: Organiser, pair: tuple[Entrant, Entrant]) -> None:
    match_id = (await create(organiser, bot(pair[0]), OPEN)).match.header.match_id
    request = matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=300)
    assert (await organiser.matches.AwaitMatch(request)).match.state == STATE.MATCH_STATE_OPEN
    request.wait_ms = 30_000
    waiting = asyncio.ensure_future(organiser.matches.AwaitMatch(request))
    await joining(organiser, pair[1], match_id)
    assert (await waiting).match.state == STATE.MATCH_STATE_WAITING


# --- refusals


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
    one = await organiser.entrant()
    made = await create(organiser, INVITED, INVITED)
    first, second = (code.code for code in made.invitation_codes)
    assert (await joining(organiser, one, code=second)).seat == 1
    await refused(joining(organiser, one, code=first), "ALREADY_SEATED", "seat 1")


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
    ([ME, SEAT(bot=record_pb2.Player(bot="other"))], {}, "ORGANISER_ONLY", "seat 1"),
    ([OPEN, OPEN], {}, "BAD_PLAYERS", "caller"),
    ([ME, ME], {}, "BAD_PLAYERS", "two seats"),
    ([ME], {}, "BAD_PLAYERS", "naga is played by 2"),
    ([ME, SEAT()], {}, "MALFORMED", "seats[1].to"),
    ([ME, SEAT(house="nobody")], {}, "BOT_NOT_FOUND", "sensible, random, first"),
    ([ME, OPEN], {"seed": bytes(32)}, "ORGANISER_ONLY", "seed"),
    ([ME, OPEN], {"withheld": True}, "ORGANISER_ONLY", "withheld"),
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
    one = await organiser.entrant()
    for seat in seats:
        if seat.bot.bot == "other":
            seat.bot.bot = (await organiser.entrant()).name
    with nothing_changes(store):
        await refused(create(organiser, *seats, by=one, **fields), reason, words)


async def test_the_organiser_is_no_bot(organiser: Organiser) -> None:
    await refused(create(organiser, ME, OPEN), "BAD_PLAYERS", "organiser")


async def test_a_bot_has_only_so_many_unfinished_matches_of_its_own_making(organiser: Organiser) -> None:
    one = await organiser.entrant()
    made = [await create(organiser, ME, OPEN, by=one) for _ in range(MOST_MADE)]
    await refused(create(organiser, ME, OPEN, by=one), "TOO_MANY_MATCHES", str(MOST_MADE))
    await create(organiser, bot(one), OPEN)  # the organiser's matches do not count
    request = matches_pb2.AbortMatchRequest(match_id=made[3].match.header.match_id)
    await organiser.matches.AbortMatch(request, metadata=bearer(one.token))
    await create(organiser, ME, OPEN, by=one)
    await refused(create(organiser, ME, OPEN, by=one), "TOO_MANY_MATCHES")
    for match in made:
        request.match_id = match.match.header.match_id
        await organiser.matches.AbortMatch(request, metadata=organiser.metadata)


async def test_names_of_house_bots_cannot_be_registered(organiser: Organiser) -> None:
    from fudaba.v1 import bots_pb2

    request = bots_pb2.CreateBotRequest(name="house-of-cards")
    await refused(organiser.bots.CreateBot(request, metadata=organiser.metadata), "MALFORMED", "house-")


# --- open matches that come to nothing


@pytest.mark.parametrize(("join_ms", "waits_ms"), [(0, 3_600_000), (1_000_000, 1_000_000), (604_800_000, 604_800_000)])
async def test_seats_wait_to_be_taken_for_as_long_as_was_asked_and_an_hour_if_nothing_was(
    organiser: Organiser, pair: tuple[Entrant, Entrant], join_ms: int, waits_ms: int
) -> None:
    made = (await create(organiser, bot(pair[0]), OPEN, join_ms=join_ms)).match
    waits = made.join_deadline.ToMilliseconds() - made.header.create_time.ToMilliseconds()
    assert waits_ms <= waits < waits_ms + 60_000, "counted from when the request was dealt with"
    request = matches_pb2.AbortMatchRequest(match_id=made.header.match_id)
    await organiser.matches.AbortMatch(request, metadata=organiser.metadata)


async def test_a_match_that_nobody_joins_in_time_is_given_up(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    made = await create(organiser, bot(pair[0]), INVITED, join_ms=200)
    match_id = made.match.header.match_id
    ended = await organiser.ended(match_id)
    assert ended.state == STATE.MATCH_STATE_ABORTED
    assert ended.end.abort_cause == record_pb2.ABORT_CAUSE_NOT_JOINED
    assert list(ended.end.absent_seats) == [1]
    await refused(joining(organiser, pair[1], code=made.invitation_codes[0].code), "MATCH_OVER", "given up")
    await refused(organiser.matches.GetRecord(matches_pb2.GetRecordRequest(match_id=match_id)), "MATCH_OVER")
    assert match_id not in await open_matches(organiser)


async def test_an_open_match_is_called_off_by_its_creator_or_the_organiser_and_by_nobody_else(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    for token, cause in (
        (bearer(pair[0].token), record_pb2.ABORT_CAUSE_CALLED_OFF),
        (organiser.metadata, record_pb2.ABORT_CAUSE_ORGANISER),
    ):
        match_id = (await create(organiser, ME, OPEN, by=pair[0])).match.header.match_id
        request = matches_pb2.AbortMatchRequest(match_id=match_id)
        with nothing_changes(store):
            await refused(organiser.matches.AbortMatch(request, metadata=bearer(pair[1].token)), "ORGANISER_ONLY")
            await refused(organiser.matches.AbortMatch(request), "TOKEN_MISSING")
        aborted = await organiser.matches.AbortMatch(request, metadata=token)
        assert aborted.match.end.abort_cause == cause
        await refused(joining(organiser, pair[1], match_id), "MATCH_OVER")


async def test_a_bot_cannot_abort_its_match_once_it_has_begun(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = (await create(organiser, ME, OPEN, by=pair[0])).match.header.match_id
    await joining(organiser, pair[1], match_id)
    request = matches_pb2.AbortMatchRequest(match_id=match_id)
    await refused(organiser.matches.AbortMatch(request, metadata=bearer(pair[0].token)), "ORGANISER_ONLY")
    await organiser.matches.AbortMatch(request, metadata=organiser.metadata)


async def test_an_open_match_that_is_kept_back_shows_itself_to_the_organiser_only(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    made = await create(organiser, bot(pair[0]), OPEN, withheld=True, label="secret")
    match_id = made.match.header.match_id
    shown = (await organiser.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id))).match
    assert shown.withheld
    assert not shown.header.label
    watch = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
    await refused(watch.read(), "MATCH_WITHHELD")
    joined = await joining(organiser, pair[1], match_id)
    assert joined.match.withheld
    await play_match(*organiser.by_chance(*pair))
    assert (await organiser.ended(match_id)).withheld


# --- what outlives the service


async def test_open_matches_and_codes_outlive_the_death_of_the_service_and_a_full_one_begins_after_it() -> None:
    with short_folder() as place, Service(place, "--appendfsync", "always") as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            one, other = await organiser.entrant(), await organiser.entrant()
            made = await create(organiser, bot(one), INVITED)
            match_id = made.match.header.match_id
            service.kill()
            service.start()
            joined = await until_joined(organiser, other, made.invitation_codes[0].code)
            assert joined.match.header.match_id == match_id
            await play_match(*organiser.by_chance(one, other))
            assert (await organiser.record(match_id)).end.HasField("outcome")


async def until_joined(organiser: Organiser, entrant: Entrant, code: str) -> matches_pb2.JoinMatchResponse:
    """Joins, as soon as the service can be reached again."""
    while True:
        try:
            return await joining(organiser, entrant, code=code)  # type: ignore[no-any-return]
        except aio.AioRpcError as error:
            if error.code().name != "UNAVAILABLE":
                raise
            await asyncio.sleep(0.1)


async def test_a_full_match_that_nobody_began_is_begun_by_whoever_looks_after_it(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    from fudaba_service.sessions.tables import Table
    from fudaba_service.store import keys

    match_id = (await create(organiser, bot(pair[0]), OPEN)).match.header.match_id
    raw: Any = store.client.hget(keys.OPEN, match_id)
    table = Table.unpack(raw)
    # As a replica leaves it that dies between the two steps.
    table.header.players[1].bot, table.header.players[1].version = pair[1].name, "1"
    table.header.create_time.GetCurrentTime()
    store.client.hset(keys.OPEN, match_id, table.pack())
    await play_match(*organiser.by_chance(*pair))
    await until(lambda: not store.client.hexists(keys.OPEN, match_id), "the end of the open match")


# --- a person's seat


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
