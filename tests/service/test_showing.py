"""Hidden matches that are shown all the same: later than they are played, in play or after their block is over."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from fudaba import records
from fudaba.replay import Replay
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_service.sessions.delayed_copy import DelayedCopy
from fudaba_service.sessions.followers import Spectator
from fudaba_service.store import match_keys
from tests.support.patience import until
from tests.support.service.bots import bearer, messages, play_match
from tests.support.service.organiser import Entrant, Organiser, refused
from tests.support.service.players import shown
from tests.support.service.processes import RedisServer, Service
from tests.support.service.stores import HOUR_MS


class Past:
    """A match as a copy of it knows it, of which a test says how far it is."""

    def __init__(self, record: record_pb2.MatchRecord) -> None:
        self.match_id, self.header, self.seed = record.header.match_id, record.header, record.seed
        self.log = [entry.SerializeToString() for entry in record.log]
        self.is_over = True
        self.replay = Replay(record.header, record.seed)
        for entry in record.log:
            self.replay.apply(entry)


async def finished(organiser: Organiser, *known: Entrant, **fields: Any) -> str:
    """Returns the id of a match of this request, once it is over; of these two bots, or of two new ones."""
    entrants = known or (await organiser.entrant(), await organiser.entrant())
    match_id = await organiser.match(*entrants, **fields)
    await play_match(*organiser.by_chance(*entrants))
    await organiser.ended(match_id)
    return match_id


async def release(organiser: Organiser, match_id: str, premiere_from_ms: int = 0, lead_ms: int = 0) -> int:
    request = matches_pb2.ReleaseMatchesRequest(
        match_ids=[match_id], premiere_from_ms=premiere_from_ms, premiere_lead_ms=lead_ms
    )
    answer = await organiser.matches.ReleaseMatches(request, metadata=organiser.metadata)
    return int(answer.released_count)


async def watched(organiser: Organiser, match_id: str) -> list[matches_pb2.WatchMatchResponse]:
    """Returns all that the public is shown of a match."""
    call = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
    return [response async for response in messages(call)]


async def check_result_is_kept_back(organiser: Organiser, match_id: str) -> None:
    """Checks that the public learns nothing of the end of a match but by watching it."""
    asked = matches_pb2.GetMatchRequest(match_id=match_id)
    awaited = matches_pb2.AwaitMatchRequest(match_id=match_id)
    listed = (await organiser.matches.ListMatches(matches_pb2.ListMatchesRequest())).matches
    for match in (
        (await organiser.matches.GetMatch(asked)).match,
        (await organiser.matches.AwaitMatch(awaited)).match,
        next(match for match in listed if match.header.match_id == match_id),
    ):
        assert match.hidden
        assert match.show_delay_ms
        assert not match.HasField("end")
        assert match.header.label == ("a block" if match.premiere else "")
    record = organiser.matches.GetRecord(matches_pb2.GetRecordRequest(match_id=match_id))
    await refused(record, "MATCH_HIDDEN")
    tried = organiser.matches.TryMoves(matches_pb2.TryMovesRequest(match_id=match_id))
    await refused(tried, "MATCH_HIDDEN")
    positions = organiser.matches.StreamPositions(matches_pb2.StreamPositionsRequest(match_id=match_id))
    await refused(anext(messages(positions)), "MATCH_HIDDEN")
    streamed = organiser.matches.StreamRecords(matches_pb2.StreamRecordsRequest(match_ids=[match_id]))
    assert [response async for response in messages(streamed)] == []


async def test_the_public_watches_a_hidden_match_with_a_delay_to_its_end_and_gets_nothing_else_of_it(
    organiser: Organiser,
) -> None:
    match_id = await finished(organiser, hidden=True, show_delay_ms=1, label="a block")
    responses = await watched(organiser, match_id)
    record = await organiser.record(match_id)
    assert [event for response in responses for event in response.events] == shown(record, None)
    assert responses[-1].match.end == record.end
    assert all(response.match.hidden for response in responses if response.HasField("match"))
    assert not any(response.match.header.label for response in responses)
    await check_result_is_kept_back(organiser, match_id)


async def test_a_match_that_is_released_with_a_premiere_tells_its_result_to_nobody_before_it_has_been_shown(
    organiser: Organiser,
) -> None:
    match_id = await finished(organiser, hidden=True, show_delay_ms=HOUR_MS, label="a block")
    assert await release(organiser, match_id, premiere_from_ms=1) == 1
    await check_result_is_kept_back(organiser, match_id)
    assert await release(organiser, match_id, premiere_from_ms=1) == 0  # as an arena does that died in between
    await check_result_is_kept_back(organiser, match_id)
    assert await release(organiser, match_id) == 0
    seen = await organiser.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id))
    assert seen.match.HasField("end")
    assert not seen.match.hidden
    assert not seen.match.show_delay_ms


async def test_a_match_that_took_less_than_a_premiere_needs_is_visible_at_once(organiser: Organiser) -> None:
    match_id = await finished(organiser, hidden=True)
    await refused(watched(organiser, match_id), "MATCH_HIDDEN")
    assert await release(organiser, match_id, premiere_from_ms=HOUR_MS) == 1
    assert (await watched(organiser, match_id))[-1].match.HasField("end")
    found = await organiser.matches.GetRecord(matches_pb2.GetRecordRequest(match_id=match_id))
    assert found.record.header.match_id == match_id


async def test_after_its_block_a_match_is_shown_as_if_it_were_played_then(organiser: Organiser) -> None:
    match_id = await finished(organiser, hidden=True)
    assert await release(organiser, match_id, premiere_from_ms=1) == 1
    responses = await watched(organiser, match_id)
    record = await organiser.record(match_id)
    assert [event for response in responses for event in response.events] == shown(record, None)
    assert responses[-1].match.end == record.end


async def test_a_premiere_with_a_lead_begins_that_much_later(organiser: Organiser) -> None:
    match_id = await finished(organiser, hidden=True, label="a block")
    before_ms = time.time_ns() // 1_000_000
    assert await release(organiser, match_id, premiere_from_ms=1, lead_ms=HOUR_MS) == 1
    await check_result_is_kept_back(organiser, match_id)
    match = (await organiser.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id))).match
    assert match.premiere
    labelled = await organiser.matches.ListMatches(matches_pb2.ListMatchesRequest(label="a block"))
    assert match_id in {found.header.match_id for found in labelled.matches}
    assert match.start_time.ToMilliseconds() + match.show_delay_ms >= before_ms + HOUR_MS
    call = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
    first = await anext(messages(call))
    assert (first.match.state, list(first.events)) == (matches_pb2.MATCH_STATE_WAITING, [])
    call.cancel()


@pytest.mark.parametrize(
    ("from_ms", "lead_ms", "words"), [(1, HOUR_MS + 1, "an hour"), (0, 1, "premiere_from_ms is not")]
)
async def test_a_lead_that_means_nothing_is_refused_and_releases_nothing(
    organiser: Organiser, from_ms: int, lead_ms: int, words: str
) -> None:
    match_id = await finished(organiser, hidden=True)
    await refused(release(organiser, match_id, from_ms, lead_ms), "MALFORMED", words)
    await refused(watched(organiser, match_id), "MATCH_HIDDEN")


async def test_a_match_is_not_hidden_from_its_players_while_it_is_shown_to_others_as_a_premiere(
    organiser: Organiser,
) -> None:
    ann = await organiser.entrant()
    match_id = await finished(organiser, ann, await organiser.entrant(), hidden=True, label="a block")
    player: Any = {"metadata": bearer(ann.token)}
    asked = matches_pb2.GetRecordRequest(match_id=match_id)
    await refused(organiser.matches.GetRecord(asked, **player), "MATCH_HIDDEN")
    await release(organiser, match_id, premiere_from_ms=1, lead_ms=HOUR_MS)
    await check_result_is_kept_back(organiser, match_id)
    await refused(
        organiser.matches.GetRecord(asked, metadata=bearer((await organiser.entrant()).token)), "MATCH_HIDDEN"
    )
    record = (await organiser.matches.GetRecord(asked, **player)).record
    found = (await organiser.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id), **player)).match
    [listed] = (await organiser.matches.ListMatches(matches_pb2.ListMatchesRequest(bot=ann.name), **player)).matches
    for match in (found, listed):
        assert (match.end, match.header.label) == (record.end, "a block")
        assert (match.hidden, match.show_delay_ms, match.premiere) == (False, 0, False)
    call = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id), **player)
    assert [response async for response in messages(call)][-1].match.end == record.end
    tagged = await organiser.matches.SetMatchTags(
        matches_pb2.SetMatchTagsRequest(match_id=match_id, tags=["won"]), **player
    )
    assert (tagged.match.end, tagged.match.hidden, tagged.match.premiere) == (record.end, False, False)
    streamed = organiser.matches.StreamRecords(matches_pb2.StreamRecordsRequest(match_ids=[match_id]), **player)
    assert [response.record async for response in messages(streamed)] == [record]


@pytest.mark.parametrize(
    ("fields", "words"), [({"hidden": True, "show_delay_ms": HOUR_MS + 1}, "an hour"), ({"show_delay_ms": 1}, "hidden")]
)
async def test_a_delay_that_means_nothing_is_refused(organiser: Organiser, fields: dict[str, Any], words: str) -> None:
    entrants = await organiser.entrant(), await organiser.entrant()
    await refused(organiser.match(*entrants, **fields), "MALFORMED", words)


async def test_nothing_is_shown_of_a_match_before_its_delay_is_over(organiser: Organiser) -> None:
    record = await organiser.record(await finished(organiser))
    copy = DelayedCopy(Past(record), HOUR_MS)
    spectator = Spectator(0, lambda: None)
    seen = 0
    times = [entry.at_ms for entry in record.log]
    for at_ms in sorted({*times}):
        await copy.advance(at_ms + HOUR_MS - 1)
        assert copy.replay.length == sum(time < at_ms for time in times)
        await copy.advance(at_ms + HOUR_MS)
        assert copy.replay.length == sum(time <= at_ms for time in times)
        message = spectator.tell(copy, {})
        if message is not None:
            response = matches_pb2.WatchMatchResponse.FromString(message.raw)
            seen = response.seen
            assert response.match.HasField("end") == message.last
    assert seen == len(shown(record, None))
    assert copy.replay.over


async def test_a_match_that_was_lost_and_created_anew_before_anything_was_shown_is_shown_as_it_is(
    organiser: Organiser,
) -> None:
    past = Past(await organiser.record(await finished(organiser)))
    again = await organiser.record(await finished(organiser))
    copy = DelayedCopy(past, HOUR_MS)
    await copy.advance(again.log[-1].at_ms)
    assert copy.replay.length == 0
    past.header, past.seed, past.log[:] = again.header, again.seed, [entry.SerializeToString() for entry in again.log]
    await copy.advance(again.log[-1].at_ms + HOUR_MS)
    assert (copy.replay.header, copy.replay.end()) == (again.header, again.end)


async def test_a_match_that_was_put_back_is_shown_anew(organiser: Organiser) -> None:
    record = await organiser.record(await finished(organiser))
    past, last_ms = Past(record), record.log[-1].at_ms
    copy = DelayedCopy(past, 1)
    await copy.advance(last_ms + 1)
    assert copy.replay.over
    del past.log[-3:]
    past.is_over = False
    await copy.advance(last_ms + 1)
    assert (copy.replay.length, copy.replay.over) == (len(past.log), False)


async def test_a_match_whose_record_is_out_of_reach_stays_hidden(folder: Path, redis: RedisServer) -> None:
    with Service(folder, "--redis", redis.url) as service:
        await asyncio.to_thread(service.start)
        async with Organiser(service.address, service.token) as organiser:
            match_id = await finished(organiser, hidden=True)
        with redis.client() as client:
            await until(lambda: client.exists(match_keys(match_id).gone), "the end of the match in the store")
        await asyncio.to_thread(service.terminate)
        [record] = service.data.rglob(f"{match_id}{records.SUFFIX}")
        record.rename(folder / "aside")
        record.mkdir()
        await asyncio.to_thread(service.start)
        async with Organiser(service.address, service.token) as organiser:
            await refused(release(organiser, match_id, premiere_from_ms=1), "ARCHIVE_UNAVAILABLE")
            record.rmdir()
            (folder / "aside").rename(record)
            await refused(watched(organiser, match_id), "MATCH_HIDDEN")
            assert await release(organiser, match_id, premiere_from_ms=1) == 1
