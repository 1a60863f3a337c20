"""Open matches that come to nothing, and those that outlive the service."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from grpc import aio

from fudaba.v1 import matches_pb2, record_pb2
from tests.support.folders import short_folder
from tests.support.patience import until
from tests.support.service.bots import bearer, play_match
from tests.support.service.joining import INVITED, ME, OPEN, STATE, bot, create, joining, open_matches
from tests.support.service.organiser import Entrant, Organiser, StoreView, nothing_changes, refused
from tests.support.service.processes import Service


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
    made = await create(organiser, bot(pair[0]), OPEN, hidden=True, label="secret")
    match_id = made.match.header.match_id
    shown = (await organiser.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id))).match
    assert shown.hidden
    assert not shown.header.label
    watch = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
    await refused(watch.read(), "MATCH_HIDDEN")
    joined = await joining(organiser, pair[1], match_id)
    assert joined.match.hidden
    await play_match(*organiser.by_chance(*pair))
    assert (await organiser.ended(match_id)).hidden


async def test_open_matches_and_codes_outlive_the_death_of_the_service_and_a_full_one_begins_after_it() -> None:
    with short_folder() as place, Service(place, "--appendfsync", "always") as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            entrant, other = await organiser.entrant(), await organiser.entrant()
            made = await create(organiser, bot(entrant), INVITED)
            match_id = made.match.header.match_id
            service.kill()
            service.start()
            joined = await until_joined(organiser, other, made.invitation_codes[0].code)
            assert joined.match.header.match_id == match_id
            await play_match(*organiser.by_chance(entrant, other))
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
    from fudaba_service.sessions.open_matches import OpenMatch
    from fudaba_service.store import keys

    match_id = (await create(organiser, bot(pair[0]), OPEN)).match.header.match_id
    raw: Any = store.client.hget(keys.OPEN, match_id)
    open_match = OpenMatch.unpack(raw)
    # As a replica leaves it that dies between the two steps.
    open_match.header.players[1].bot, open_match.header.players[1].version = pair[1].name, "1"
    open_match.header.create_time.GetCurrentTime()
    store.client.hset(keys.OPEN, match_id, open_match.pack())
    await play_match(*organiser.by_chance(*pair))
    await until(lambda: not store.client.hexists(keys.OPEN, match_id), "the end of the open match")
