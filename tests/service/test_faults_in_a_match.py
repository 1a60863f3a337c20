"""An error that nobody foresaw strikes the one match in which it was: who asked hears of it, and the match goes on."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import NamedTuple

import grpc
import pytest
from grpc import aio

from fudaba.v1 import play_pb2, record_pb2
from tests.support.patience import until
from tests.support.service.bots import bearer, play_match
from tests.support.service.challenges import challenge, play_by_hand
from tests.support.service.faults import (
    APPLY,
    ARCHIVE,
    CHECK,
    DEADLINE,
    LOAD,
    TAIL,
    TELL,
    TO_ENTRY,
    Spoilt,
    internal,
    spoilt,
)
from tests.support.service.in_progress import MatchInProgress, match_in_progress
from tests.support.service.organiser import PATIENT, Organiser, kinds, refused
from tests.support.service.processes import RedisServer
from tests.support.service.rewinds import Seat


class Struck(NamedTuple):
    """A service in which faults are ordered, and a match in progress on it."""

    spoilt: Spoilt
    organiser: Organiser
    table: MatchInProgress


@contextlib.asynccontextmanager
async def organised(folder: Path, redis: RedisServer | None = None) -> AsyncIterator[tuple[Spoilt, Organiser]]:
    with spoilt(folder, redis) as faulty:
        async with Organiser(faulty.service.address, faulty.service.token) as organiser:
            yield faulty, organiser


@pytest.fixture
async def struck(folder: Path) -> AsyncIterator[Struck]:
    async with (
        organised(folder) as (faulty, organiser),
        match_in_progress(organiser, [faulty.service.address], clock=PATIENT) as table,
    ):
        yield Struck(faulty, organiser, table)


@pytest.mark.parametrize(
    ("place", "asker_hears"),
    [
        (CHECK, True),
        *(pytest.param(place, True, marks=pytest.mark.exhaustive) for place in (TO_ENTRY, DEADLINE, APPLY)),
        (TELL, False),
    ],
)
async def test_whoever_asked_hears_internal_and_the_match_goes_on_from_its_log(
    struck: Struck, place: str, asker_hears: bool
) -> None:
    await struck.spoilt.strike(place)
    await struck.table.check(struck.organiser)
    messages = internal(struck.table)
    assert len(messages) == asker_hears
    assert all("a fault of the service, logged as " in message for message in messages)
    assert all(
        f"fault {message.split()[-1]}; match {struck.table.match_id}" in struck.spoilt.service.log
        for message in messages
    )
    assert [player.ended for player in struck.table.players] == [[], []], "no stream has ended"
    struck.spoilt.check_told(faults=1)


async def test_a_match_is_struck_again_and_again_and_goes_on(struck: Struck) -> None:
    for place in (CHECK, APPLY, TELL, DEADLINE):
        await struck.spoilt.strike(place)
    await struck.table.check(struck.organiser)
    struck.spoilt.check_told(faults=4)


async def test_other_matches_go_on_while_one_cannot_be_built_anew(struck: Struck) -> None:
    faulty, organiser, table = struck
    faulty.order(LOAD, times=0, argument=table.match_id)
    faulty.order(CHECK)
    await until(lambda: faulty.faults >= 2, "a fault, and one as the match is read")
    stands = table.decided
    others = await organiser.entrant(), await organiser.entrant()
    await organiser.match(*others)
    await play_match(*organiser.by_chance(*others))
    assert table.decided <= stands + 1, "the match rests"
    await refused(organiser.get(table.match_id), "INTERNAL", "a fault of the service, logged as ")
    faulty.heal()
    await table.check(organiser)
    assert [player.ended for player in table.players] == [[], []]


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", [TAIL, LOAD])
async def test_a_log_that_cannot_be_read_for_once_is_read_again(struck: Struck, place: str) -> None:
    faulty, organiser, table = struck
    faulty.order(place, argument=table.match_id)
    if place == TAIL:
        await refused(organiser.get(table.match_id), "INTERNAL", "a fault of the service, logged as ")
    else:
        faulty.order(CHECK)
    await until(lambda: faulty.struck, "the faults")
    assert (await organiser.get(table.match_id)).header.match_id == table.match_id
    await table.check(organiser)
    faulty.check_told(faults=1 if place == TAIL else 2)


async def test_an_answer_that_was_stored_when_it_could_not_be_applied_stands(folder: Path) -> None:
    async with organised(folder) as (faulty, organiser):
        entrants = await organiser.entrant(), await organiser.entrant()
        match_id = await organiser.match(*entrants, clock=PATIENT)
        seats = [Seat(organiser.address, entrant, match_id) for entrant in entrants]
        for seat in seats:
            await seat.connect()
        await seats[1].hear()
        while seats[1].due is None:
            await seats[1].hear()
        decision = seats[1].due
        faulty.order(APPLY)
        metadata = bearer(entrants[1].token)
        answer = play_pb2.Answer(match_id=match_id, decision_id=decision.decision_id, index=1)
        request = play_pb2.SubmitMoveRequest(answer=answer)
        await refused(organiser.play.SubmitMove(request, metadata=metadata), "INTERNAL")
        again = await organiser.play.SubmitMove(request, metadata=metadata)
        assert again.repeated_call
        await asyncio.gather(*[seat.to_the_end() for seat in seats])
        record = await organiser.record(match_id)
        moves = [entry.decision_id for entry in record.log if entry.HasField("move")]
        assert moves.count(decision.decision_id) == 1
        for seat in seats:
            await seat.leave()
        faulty.check_told(faults=1)


@contextlib.contextmanager
def told_of_a_fault() -> Iterator[None]:
    """Passes over a call's INTERNAL."""
    try:
        yield
    except aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.INTERNAL:
            raise


async def test_time_runs_out_after_a_fault_in_closing_what_is_overdue(folder: Path) -> None:
    clock = record_pb2.Clock(move_ms=200, max_timeouts=1)
    async with organised(folder) as (faulty, organiser):
        entrants = await organiser.entrant(), await organiser.entrant()
        faulty.order(TO_ENTRY, times=2)
        match_id = await organiser.match(*entrants, clock=clock)
        seats = [Seat(organiser.address, entrant, match_id) for entrant in entrants]
        for seat in seats:
            await seat.connect()
        record = None
        while record is None:  # whoever asks just as the fault strikes is told so
            with told_of_a_fault():
                record = await organiser.record(match_id)
        assert "forfeit" in kinds(record)
        for seat in seats:
            await seat.leave()
        faulty.check_told(faults=2)


async def test_a_bot_that_comes_when_it_cannot_be_told_the_match_is_told_over_the_same_stream(folder: Path) -> None:
    async with organised(folder) as (faulty, organiser):
        entrants = await organiser.entrant(), await organiser.entrant()
        match_id = await organiser.match(*entrants, clock=PATIENT)
        seats = [Seat(organiser.address, entrant, match_id) for entrant in entrants]
        for seat in seats:
            await seat.connect()
        await seats[1].decide()
        await seats[1].leave()
        faulty.order(TELL)
        await seats[1].connect()
        await seats[1].hear()
        assert faulty.struck
        await asyncio.gather(*[seat.to_the_end() for seat in seats])
        for seat in seats:
            await seat.leave()
        faulty.check_told(faults=1)


async def test_a_match_that_could_not_be_archived_for_once_is_archived(folder: Path) -> None:
    async with organised(folder) as (faulty, organiser):
        entrants = await organiser.entrant(), await organiser.entrant()
        faulty.order(ARCHIVE)
        match_id = await organiser.match(*entrants)
        await play_match(*organiser.by_chance(*entrants))
        await until(lambda: list((faulty.service.data / "archive").rglob(f"*{match_id}*")), "the record in the archive")
        await organiser.record(match_id)
        faulty.check_told(faults=1)


async def test_a_house_bot_whose_answer_was_struck_gives_it_again(folder: Path) -> None:
    async with organised(folder) as (faulty, organiser):
        entrant = await organiser.entrant()
        faulty.order(CHECK, times=2, argument=1)
        match_id = await challenge(organiser, entrant, "random")
        await play_by_hand(organiser, entrant, match_id)
        record = await organiser.record(match_id)
        assert not any(entry.HasField("timeout") for entry in record.log)
        faulty.check_told(faults=2)


@pytest.mark.exhaustive
async def test_news_of_another_replica_that_cannot_be_applied_strike_nothing_but_the_match(
    folder: Path, redis: RedisServer
) -> None:
    async with organised(folder, redis) as (faulty, organiser):
        with spoilt(folder, redis, "other") as other:
            addresses = [faulty.service.address, other.service.address]
            async with match_in_progress(organiser, addresses, clock=PATIENT) as table:
                for _ in range(4):
                    await other.strike(APPLY)
                await table.check(organiser)
                internal(table)
            other.check_told(faults=4)
            faulty.check_told(faults=0)
            assert "a fault in the work" not in other.service.log
