"""Matches in which nothing happens sleep: nobody can tell it from what they are told, and their clocks run on."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

import pytest

from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from fudaba_service.sessions.match_copy import _packed, _unpacked
from tests.support.folders import short_folder
from tests.support.patience import until
from tests.support.service.bots import bearer
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import PATIENT, Organiser
from tests.support.service.processes import RedisServer, Service
from tests.support.service.rewinds import Seat, both_know_the_record, forget, log_of

SOON: Final = """
from fudaba_service.sessions import live_sessions
from fudaba_service.sessions.match_copy import MatchCopy
live_sessions._ROUND_SECONDS = 0.02
sleep = MatchCopy.sleep
def told(copy):
    slept = sleep(copy)
    if slept:
        print("asleep", copy.match_id, flush=True)
    return slept
MatchCopy.sleep = told
"""
"""Makes a service put matches to sleep at once, and say so."""


LONG: Final = """
from fudaba_service.sessions import match_copy
match_copy._MAX_REPLAYED_ENTRIES = -1
"""
"""Makes it treat every log as long, and so read it from a snapshot."""


@pytest.fixture(scope="module")
def service(request: pytest.FixtureRequest) -> Iterator[Service]:
    """Yields a service whose matches fall asleep at once."""
    with short_folder() as place, Service(place) as running:
        yield running.start(first=SOON + getattr(request, "param", ""))
        assert running.terminate() == 0, running.log
        assert_no_fault(running)


def naps(service: Service, match_id: str) -> int:
    """Returns how often a match has fallen asleep there."""
    return service.log.count(f"asleep {match_id}")


async def falls_asleep(service: Service, match_id: str, before: int) -> None:
    await until(lambda: naps(service, match_id) > before, "that the match falls asleep")


@contextlib.asynccontextmanager
async def seats_of(organiser: Organiser, clock: record_pb2.Clock = PATIENT) -> AsyncIterator[list[Seat]]:
    entrants = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(*entrants, clock=clock)
    seats = [Seat(organiser.address, entrant, match_id) for entrant in entrants]
    async with contextlib.AsyncExitStack() as stack:
        for seat in seats:
            stack.push_async_callback(seat.leave)
            await seat.connect()
        yield seats


@pytest.mark.parametrize("log", [[], [b""], [b"a", b"", b"bc" * 500]])
def test_a_log_that_was_packed_is_the_same_log(log: list[bytes]) -> None:
    assert _unpacked(_packed(log)) == log


@pytest.mark.parametrize("service", ["", LONG], indirect=True, ids=["replayed", "from a snapshot"])
async def test_a_match_that_sleeps_between_any_two_moves_is_told_its_seats_and_watchers_without_gaps(
    service: Service, organiser: Organiser
) -> None:
    async with seats_of(organiser) as seats:
        match_id = seats[0].journal.match_id
        watch = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
        there, other = seats[1], seats[0]
        before = 0
        for seat in (there, other, there):
            await falls_asleep(service, match_id, before)
            before = naps(service, match_id)
            await seat.decide()
        for _ in range(2):
            await falls_asleep(service, match_id, before)
            before = naps(service, match_id)
            assert (await organiser.get(match_id)).state == matches_pb2.MATCH_STATE_PLAYING
        await falls_asleep(service, match_id, before)
        await other.connect()  # a stream that comes back to it hears what it has missed
        record = await both_know_the_record(organiser, seats)
        messages = [message async for message in watch]
        assert messages[-1].match.end == record.end
        assert messages[-1].seen == sum(len(message.events) for message in messages)


async def test_the_clock_of_a_match_that_sleeps_runs_on(service: Service, organiser: Organiser) -> None:
    async with seats_of(organiser, record_pb2.Clock(move_ms=1_500, max_timeouts=1)) as seats:
        match_id = seats[0].journal.match_id
        await falls_asleep(service, match_id, 0)
        while seats[1].journal.over is None:
            await seats[1].hear()
        record = await organiser.record(match_id)
        [late] = [entry for entry in record.log if entry.HasField("timeout")]
        assert late.spent.bot_us >= 1_500_000
        assert record.end.forfeit_cause == record_pb2.FORFEIT_CAUSE_TIMEOUTS


async def test_a_match_that_sleeps_until_its_bots_come_is_given_up_in_time(
    service: Service, organiser: Organiser
) -> None:
    clock = record_pb2.Clock(move_ms=20_000, start_ms=1_500)
    entrant = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(*entrant, clock=clock)
    seat = Seat(organiser.address, entrant[0], match_id)
    await seat.connect()
    await falls_asleep(service, match_id, 0)
    assert (await organiser.ended(match_id)).end.abort_cause == record_pb2.ABORT_CAUSE_NO_SHOW
    await seat.leave()


@pytest.mark.exhaustive
async def test_a_match_that_sleeps_hears_what_another_replica_appends_and_what_the_store_loses(
    folder: Path, redis: RedisServer
) -> None:
    with contextlib.ExitStack() as stack:
        first, two = [
            stack.enter_context(Service(folder, "--redis", redis.url, name=name, data=folder / "data"))
            for name in ("one", "two")
        ]
        first.start(first=SOON)
        two.start(first=SOON)
        async with (
            Organiser(first.address, first.token) as here,
            Organiser(two.address, first.token) as there,
            seats_of(here) as seats,
        ):
            seat, match_id = seats[1], seats[1].journal.match_id
            while seat.due is None:
                await seat.hear()
            await falls_asleep(first, match_id, 0)
            before = naps(first, match_id)
            answer = play_pb2.Answer(match_id=match_id, decision_id=seat.due.decision_id, index=0)
            request = play_pb2.SubmitMoveRequest(answer=answer)
            await there.play.SubmitMove(request, metadata=bearer(seat.entrant.token))
            while answer.decision_id not in seat.journal.accepted:
                await seat.hear()
            await falls_asleep(first, match_id, before)
            # A Redis that comes back without its last entry is looked at, and everybody is told.
            forget(redis, seat, len(log_of(redis, seat)) - 1)
            redis.kill()
            redis.start()
            while not seat.journal.rewinds:
                await seat.hear()
            await seats[0].connect()  # what it was asked last, it is not any more
            await both_know_the_record(here, seats)
        assert_no_fault(first)
        assert_no_fault(two)
