"""A match that its store has put back: what seats are told that were away, or knew its end; what old answers do."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from fudaba import records
from fudaba.v1 import play_pb2, record_pb2
from fudaba_games.shuffle import commitment
from fudaba_service.store import match_keys
from tests.support.patience import until
from tests.support.service.bots import bearer
from tests.support.service.in_progress import started
from tests.support.service.organiser import PATIENT, Organiser, kinds
from tests.support.service.processes import RedisServer
from tests.support.service.rewinds import Seat, both_know_the_record, forget, log_of, seated


@pytest.mark.exhaustive
async def test_a_bot_that_was_away_while_its_match_was_put_back_and_went_on_otherwise_is_told_so(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser, seated(organiser, service) as seats:
            away, there = seats
            await there.decide()  # seat 1 designates
            kept = len(log_of(redis, there))
            while away.due is None:
                await away.hear()
            known = away.journal.seen
            await asyncio.gather(there.decide(3), away.decide(5))
            while away.journal.seen <= known + 1:
                await away.hear()
            before = away.journal.seen
            old_events = list(away.journal.events)
            await away.leave()
            # All services are away when the tail is lost: nobody knows that there was more.
            service.kill()
            forget(redis, there, kept)
            await asyncio.to_thread(service.start)
            await there.connect()
            fresh = Seat(service.address, away.entrant, away.journal.match_id)
            await fresh.connect()
            going_on = asyncio.gather(there.to_the_end(7), fresh.to_the_end(7))
            await until(lambda: fresh.journal.seen > before, "more than there was")
            going_on.cancel()
            await asyncio.gather(going_on, return_exceptions=True)
            await fresh.leave()
            await there.connect()
            await away.connect()
            update = await away.hear()
            assert update.rewound
            assert away.journal.events[:before] != old_events
            assert away.journal.rewinds == 1
            await both_know_the_record(organiser, [away, there])


@pytest.mark.parametrize("kept", [0, 1])
async def test_a_match_that_is_put_back_to_before_its_beginning_tells_its_seats_so_at_once_and_begins_again(
    folder: Path, redis: RedisServer, kept: int
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser, seated(organiser, service) as seats:
            away, there = seats
            await there.decide()
            while there.due is None:
                await there.hear()
            while away.due is None:
                await away.hear()
            forget(redis, there, kept)
            assert there.stream is not None
            await there.stream.answer(there.journal.match_id, there.due.decision_id, index=3)
            for seat in seats:
                while not seat.journal.rewinds:
                    await seat.hear()
                assert seat.journal.seen == 0
            await both_know_the_record(organiser, seats)
            assert [seat.journal.rewinds for seat in seats] == [1, 1]


async def test_a_match_that_the_store_lost_altogether_and_that_is_created_anew_is_told_from_its_start(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser, seated(organiser, service) as seats:
            away, there = seats
            match_id = there.journal.match_id
            await there.decide(2)
            while away.due is None or there.due is None:
                await (away if away.due is None else there).hear()
            seed, salt = bytes([7]) * 32, bytes([8]) * 16
            header = record_pb2.MatchHeader()
            assert there.journal.header is not None
            header.CopyFrom(there.journal.header)
            header.commitment = commitment(salt, seed, match_id)
            header.create_time.FromMilliseconds(header.create_time.ToMilliseconds() - 500)
            with redis.client() as client:
                # What another replica does that knew nothing of it, when it is asked for the match once more.
                client.delete(match_keys(match_id).log)
                created: Any = {"header": header.SerializeToString(), "seed": seed, "salt": salt}
                client.hset(match_keys(match_id).meta, mapping=created)
            assert there.stream is not None
            await there.stream.answer(match_id, there.due.decision_id, index=3)
            for seat in seats:
                while not seat.journal.rewinds:
                    await seat.hear()
            record = await both_know_the_record(organiser, seats)
            assert (record.header, record.seed) == (header, seed)


async def test_a_match_that_was_lost_before_its_first_entry_goes_on_as_it_was_created_anew(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser:
            entrants = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(*entrants, clock=PATIENT)
            header = (await organiser.get(match_id)).header  # it is loaded now
            header.create_time.FromMilliseconds(header.create_time.ToMilliseconds() + 500)
            with redis.client() as client:
                # Its last seat was taken again, through another replica: the cards are the same.
                client.hset(match_keys(match_id).meta, "header", header.SerializeToString(deterministic=True))
            seats = [Seat(service.address, entrant, match_id) for entrant in entrants]
            for seat in seats:
                await seat.connect()
            record = await both_know_the_record(organiser, seats)
            assert record.header == header
            assert records.verify(record) == []
            for seat in seats:
                await seat.leave()


async def test_a_bot_that_saw_nothing_of_what_was_lost_is_told_nothing_of_it(folder: Path, redis: RedisServer) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser, seated(organiser, service) as seats:
            away, there = seats
            await there.decide()
            while away.due is None:
                await away.hear()
            await away.leave()
            kept = len(log_of(redis, there))
            await there.decide(3)
            service.kill()
            forget(redis, there, kept)
            await asyncio.to_thread(service.start)
            await there.connect()
            await away.connect()
            await both_know_the_record(organiser, seats)
            assert away.journal.rewinds == 0


async def test_a_bot_whose_stored_answer_was_lost_is_told_so_though_it_had_seen_nothing_of_it(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser, seated(organiser, service) as seats:
            away, there = seats
            await there.decide()
            while there.due is None:
                await there.hear()
            kept, seen = len(log_of(redis, there)), there.journal.seen
            decision = await there.decide(3)  # until the other seat has played too, nobody is shown anything
            assert there.journal.seen == seen
            await there.leave()
            service.kill()
            forget(redis, there, kept)
            await asyncio.to_thread(service.start)
            await there.connect()
            update = await there.hear()
            assert update.rewound
            assert update.decision.decision_id == decision.decision_id
            await away.connect()
            await both_know_the_record(organiser, seats)
            assert [seat.journal.rewinds for seat in seats] == [0, 1]


async def test_a_bot_that_comes_back_with_a_stored_answer_that_showed_it_nothing_is_not_put_back(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser, seated(organiser, service) as seats:
            away, there = seats
            await there.decide()
            await there.decide(3)
            await there.connect()
            await away.decide(5)
            await both_know_the_record(organiser, seats)
            assert [seat.journal.rewinds for seat in seats] == [0, 0]


async def test_a_person_who_watches_a_seat_again_is_told_of_a_history_that_was_lost(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser, seated(organiser, service) as seats:
            _, there = seats
            await there.decide()
            kept = len(log_of(redis, there)) - 1
            journal = there.journal
            forget(redis, there, kept)
            service.kill()
            await asyncio.to_thread(service.start)
            request = play_pb2.WatchSeatRequest(match_id=journal.match_id, seen=journal.seen, history=journal.history)
            watch = organiser.play.WatchSeat(request, metadata=bearer(there.entrant.token))
            update = (await watch.read()).update
            watch.cancel()
            assert update.rewound
            assert update.seen == len(update.events) < journal.seen


async def test_a_late_answer_to_a_decision_of_a_lost_history_is_no_answer_to_the_one_that_took_its_place(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser, seated(organiser, service) as seats:
            seat, other = seats
            while other.due is None:
                await other.hear()
            kept = len(log_of(redis, other))
            await other.decide(0)
            while seat.due is None:
                await seat.hear()
            late = seat.due  # the commitment for a place that will never have been designated
            forget(redis, other, kept)
            # The loss shows with the next change.
            await answer(seat, late.decision_id)
            while not other.journal.rewinds:
                await other.hear()
            await other.decide(4)
            await answer(seat, late.decision_id)
            while not seat.journal.rewinds:
                await seat.hear()
            record = await both_know_the_record(organiser, seats)
            assert {(r.reason, r.decision_id, r.still_open) for r in seat.journal.refusals} == {
                ("NOT_YOUR_DECISION", late.decision_id, False)
            }
            assert set(kinds(record)) == {"ready", "move"}
            assert late.decision_id not in {entry.decision_id for entry in record.log}


async def answer(seat: Seat, decision_id: str) -> None:
    assert seat.stream is not None
    await seat.stream.answer(seat.journal.match_id, decision_id, index=5)


@pytest.mark.parametrize("behaviour", ["stays", "comes back"])
async def test_a_seat_that_was_told_the_end_can_play_on_when_the_match_is_put_back(
    folder: Path, redis: RedisServer, behaviour: str
) -> None:
    with started(folder, redis) as service:
        archive = service.data / "archive"
        async with Organiser(service.address, service.token) as organiser, seated(organiser, service) as seats:
            # The record cannot be written, so the store still has the match when it loses the tail.
            archive.rename(folder / "aside")
            archive.write_text("in the way")
            await asyncio.gather(*[seat.to_the_end() for seat in seats])
            forget(redis, seats[0], len(log_of(redis, seats[0])) - 2)
            if behaviour == "comes back":
                for seat in seats:
                    await seat.leave()
            with redis.client() as client:
                client.client_kill_filter(_type="pubsub")  # the service sees that it may have missed something
            await until(lambda: "rolled back" in service.log, "the discovery of the loss")
            for seat in seats:
                if behaviour == "comes back":
                    await seat.connect()
                update = await seat.hear()
                assert update.rewound
                assert update.HasField("started")
                assert update.seen == len(update.events)
            archive.unlink()
            (folder / "aside").rename(archive)
            record = await both_know_the_record(organiser, seats)
            assert not record.end.HasField("forfeited_seat")


async def test_a_record_in_the_archive_stands_when_the_store_brings_its_match_back(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser, seated(organiser, service) as seats:
            match_id = seats[0].journal.match_id
            for seat in reversed(seats):
                await seat.decide()
            older = folder / "older"
            shutil.copytree(redis.folder / "appendonlydir", older)
            await asyncio.gather(*[seat.to_the_end() for seat in seats])
            record = await organiser.record(match_id)
            await until(lambda: not log_of(redis, seats[0]), "the end of the match in the store")
            service.freeze()  # it would see at once that the match is over, and put it away
            await asyncio.to_thread(redis.kill)
            shutil.rmtree(redis.folder / "appendonlydir")
            shutil.copytree(older, redis.folder / "appendonlydir")
            await asyncio.to_thread(redis.start)
            assert log_of(redis, seats[0]) != []
            service.thaw()
            for seat in seats:
                await seat.connect()  # it says what it has seen, and so is told the end in any case
                update = await seat.hear()
                assert update.over == record.end
                assert not update.rewound
            await until(lambda: not log_of(redis, seats[0]), "the end of the match in the store")
            assert await organiser.record(match_id) == record
