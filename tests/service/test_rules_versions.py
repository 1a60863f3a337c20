"""A service that goes on with the matches of another, which has another version of a game's rules.

Nothing is judged or shown by rules that a match is not played by: a live one ends without a result, and says why; the
record of one that is over stands as it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fudaba import records
from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from fudaba_games.registry import game
from tests.support.service.bots import Stream, play_match
from tests.support.service.in_progress import started
from tests.support.service.organiser import PATIENT, Entrant, Organiser
from tests.support.service.positions import positions_of
from tests.support.service.processes import Service
from tests.support.service.rewinds import Seat

VERSION = game("naga").rules_version
NEWER = f"""
from fudaba_games.naga.rules import Naga

Naga.rules_version = {VERSION + 1}
"""
"""What a process runs before everything else (see the module `site`): it then is a release with the next version."""


class Upgraded(NamedTuple):
    """A service with newer rules, and matches that were played on the one before it."""

    service: Service
    organiser: Organiser
    live: str
    seats: list[Seat]
    decided: list[int]
    over: record_pb2.MatchRecord
    played_in_it: Entrant


@pytest.fixture
async def upgraded(folder: Path) -> AsyncIterator[Upgraded]:
    newer = folder / "newer"
    newer.mkdir()
    (newer / "sitecustomize.py").write_text(NEWER)
    with started(folder) as service:
        async with Organiser(service.address, service.token) as organiser:
            # Bots of its own: others would be told the end of this match on their new streams.
            before = await organiser.entrant(), await organiser.entrant()
            over = await organiser.match(*before)
            await play_match(*organiser.by_chance(*before))
            record = await organiser.record(over)
            entrants = await organiser.entrant(), await organiser.entrant()
            live = await organiser.match(*entrants, clock=PATIENT)
            seats = [Seat(service.address, entrant, live) for entrant in entrants]
            for seat in seats:
                await seat.connect()
            await seats[1].decide()  # it designates
            await asyncio.gather(*[seat.decide() for seat in seats])
            decided = [len(seat.journal.accepted) for seat in seats]
            for seat in seats:
                await seat.leave()
            assert service.terminate() == 0
            await asyncio.to_thread(service.start, environment={"PYTHONPATH": str(newer)})
            try:
                yield Upgraded(service, organiser, live, seats, decided, record, before[0])
            finally:
                for seat in seats:
                    await seat.leave()


async def check_verified_by_its_own_version_only(organiser: Organiser, record: record_pb2.MatchRecord) -> None:
    assert record.header.rules_version == VERSION
    assert records.verify(record) == [], "this process has the rules by which it was played"
    request = matches_pb2.VerifyRecordRequest(record=record)
    [fault] = (await organiser.matches.VerifyRecord(request, metadata=organiser.metadata)).faults
    assert f"played by version {VERSION} of the rules of naga, and this release has version {VERSION + 1}" in fault
    assert f"a release with version {VERSION} verifies it" in fault


@pytest.mark.exhaustive
async def test_a_live_match_is_aborted_when_it_is_loaded_with_a_cause_that_says_so(upgraded: Upgraded) -> None:
    organiser, seats = upgraded.organiser, upgraded.seats
    for seat in seats:
        before = list(seat.journal.events), len(seat.journal.decisions)
        await seat.connect()
        while seat.journal.over is None:
            await seat.hear()
        assert seat.journal.over.abort_cause == record_pb2.ABORT_CAUSE_RULES_CHANGED
        assert not seat.journal.over.HasField("outcome")
        assert seat.journal.rewinds == 0
        assert (seat.journal.events, len(seat.journal.decisions)) == before, "nothing more is shown or asked"
    match = await organiser.get(upgraded.live)
    assert match.state == matches_pb2.MATCH_STATE_ABORTED
    record = await organiser.matches.GetRecord(
        matches_pb2.GetRecordRequest(match_id=upgraded.live), metadata=organiser.metadata
    )
    [abort] = [entry.abort for entry in record.record.log if entry.HasField("abort")]
    assert abort.cause == record_pb2.ABORT_CAUSE_RULES_CHANGED
    assert f"a release with version {VERSION} verifies its record" in abort.message
    moves = [entry for entry in record.record.log if entry.HasField("move")]
    assert len(moves) == sum(upgraded.decided), "every acknowledged move is in it"
    assert seat.journal.over == record.record.end
    await check_verified_by_its_own_version_only(organiser, record.record)


@pytest.mark.exhaustive
async def test_it_is_aborted_for_whoever_asks_for_it_and_an_answer_to_it_comes_too_late(upgraded: Upgraded) -> None:
    organiser, service, live = upgraded.organiser, upgraded.service, upgraded.live
    assert (await organiser.ended(live)).end.abort_cause == record_pb2.ABORT_CAUSE_RULES_CHANGED
    request = matches_pb2.WatchMatchRequest(match_id=live)
    watched = [message async for message in organiser.matches.WatchMatch(request, metadata=organiser.metadata)]
    assert [message.match.state for message in watched] == [matches_pb2.MATCH_STATE_ABORTED]
    assert not any(message.events or message.HasField("view") for message in watched)
    seat = upgraded.seats[0]
    async with Stream(service.address, seat.entrant.token) as stream:
        await stream.hello()
        await stream.answer(live, seat.journal.decisions[-1].decision_id, index=0)
        refusal = await stream.refusal()
        assert refusal.reason == "MATCH_OVER"


@pytest.mark.exhaustive
async def test_the_record_of_a_match_that_is_over_stands(upgraded: Upgraded) -> None:
    organiser, over = upgraded.organiser, upgraded.over
    match_id = over.header.match_id
    assert await organiser.matches.GetRecord(
        matches_pb2.GetRecordRequest(match_id=match_id), metadata=organiser.metadata
    ) == matches_pb2.GetRecordResponse(record=over)
    match = await organiser.get(match_id)
    assert (match.state, match.end) == (matches_pb2.MATCH_STATE_FINISHED, over.end)
    request = matches_pb2.WatchMatchRequest(match_id=match_id)
    watched = [message async for message in organiser.matches.WatchMatch(request, metadata=organiser.metadata)]
    assert [message.match.end for message in watched] == [over.end]
    assert not any(message.events or message.HasField("view") for message in watched)
    positions = await positions_of(organiser, match_id, 0)
    assert [position.entries for position in positions] == [*range(len(over.log) + 1)]
    assert not any(position.events or position.HasField("view") for position in positions)
    seat = Seat(upgraded.service.address, upgraded.played_in_it, match_id)
    update = await rejoined(seat)
    assert update.over == over.end
    assert not update.events
    await check_verified_by_its_own_version_only(organiser, over)


async def rejoined(seat: Seat) -> play_pb2.SeatUpdate:
    """Returns what a seat of a match that is over is told when it comes back, having seen all of it."""
    async with Stream(seat.address, seat.entrant.token) as stream:
        await stream.hello(seen=[play_pb2.Seen(match_id=seat.journal.match_id, seen=30)])
        while True:
            update = await stream.update()
            if update.match_id == seat.journal.match_id:
                return update


@pytest.mark.exhaustive
async def test_a_new_match_is_played_by_the_new_version(upgraded: Upgraded) -> None:
    entrants: list[Entrant] = [await upgraded.organiser.entrant(), await upgraded.organiser.entrant()]
    match_id = await upgraded.organiser.match(*entrants)
    await play_match(*upgraded.organiser.by_chance(*entrants))
    found: Any = await upgraded.organiser.get(match_id)
    assert found.header.rules_version == VERSION + 1
    assert found.end.HasField("outcome")


@pytest.mark.exhaustive
async def test_a_live_match_with_more_seats_than_the_new_version_allows_is_aborted_too(folder: Path) -> None:
    version = game("houniek").rules_version
    newer = folder / "newer"
    newer.mkdir()
    (newer / "sitecustomize.py").write_text(
        f"from fudaba_games.houniek.rules import Houniek\nHouniek.rules_version, Houniek.max_seats = {version + 1}, 2\n"
    )
    with started(folder) as service:
        async with Organiser(service.address, service.token) as organiser:
            entrants = [await organiser.entrant() for _ in range(3)]
            live = await organiser.match(*entrants, clock=PATIENT, game="houniek")
            absent = [await organiser.entrant() for _ in range(3)]
            unbegun = await organiser.match(*absent, clock=PATIENT, game="houniek")
            seats = [Seat(service.address, entrant, live) for entrant in entrants]
            for seat in seats:
                await seat.connect()
            deciding = [asyncio.create_task(seat.decide()) for seat in seats]
            await asyncio.wait(deciding, return_when=asyncio.FIRST_COMPLETED)
            for task in deciding:
                task.cancel()
            await asyncio.wait(deciding)
            for seat in seats:
                await seat.leave()
            assert service.terminate() == 0
            await asyncio.to_thread(service.start, environment={"PYTHONPATH": str(newer)})
            for match_id in (live, unbegun):
                match = await organiser.ended(match_id)
                assert match.end.abort_cause == record_pb2.ABORT_CAUSE_RULES_CHANGED
                assert len(match.header.players) == 3
                found = await organiser.matches.GetRecord(
                    matches_pb2.GetRecordRequest(match_id=match_id), metadata=organiser.metadata
                )
                request = matches_pb2.VerifyRecordRequest(record=found.record)
                [fault] = (await organiser.matches.VerifyRecord(request, metadata=organiser.metadata)).faults
                assert f"a release with version {version} verifies it" in fault
                assert records.verify(found.record) == [], "this process has the rules by which it was played"
            update = await rejoined(seats[2])
            assert update.over.abort_cause == record_pb2.ABORT_CAUSE_RULES_CHANGED
            assert not update.events
