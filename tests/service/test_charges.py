"""What a bot pays for: its own time and its own link, and nothing of what kept its decision from it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest
from grpc import aio

from fudaba.v1 import bots_pb2, play_pb2, record_pb2
from fudaba_service.sessions.time_spent import RECONNECT_GRACE_MS, SEND_GRACE_SECONDS
from tests.support.patience import until
from tests.support.service.bots import bearer
from tests.support.service.duel import Duel, charged, duel_on, whole
from tests.support.service.in_progress import match_in_progress, started
from tests.support.service.organiser import PATIENT, Organiser, kinds
from tests.support.service.processes import RedisServer, Service
from tests.support.service.proxy import appends
from tests.support.service.rewinds import Seat
from tests.support.service.scraping import settled

OUTAGE_SECONDS: Final = 5.0
"""Seconds that nobody may be charged for."""
SHORT: Final = record_pb2.Clock(move_ms=6_000, max_timeouts=1)


@pytest.fixture
async def duel(folder: Path, redis: RedisServer) -> AsyncIterator[Duel]:
    async with duel_on(folder, redis, PATIENT) as started_duel:
        yield started_duel


@pytest.mark.exhaustive
async def test_what_was_decided_while_a_replica_was_cut_off_is_not_charged_when_it_dies_and_its_bot_comes_elsewhere(
    duel: Duel,
) -> None:
    duel.proxy.refuse()
    await duel.other_moves()
    await asyncio.sleep(OUTAGE_SECONDS)
    duel.far.kill()
    came_at = time.monotonic()
    await duel.connect()
    spent = await duel.spent()
    assert charged(spent) <= duel.answered - came_at


@pytest.mark.exhaustive
async def test_a_decision_at_a_replica_that_is_cut_off_is_not_closed_by_another_one(
    folder: Path, redis: RedisServer
) -> None:
    async with duel_on(folder, redis, SHORT) as duel:
        duel.proxy.refuse()
        await duel.other_moves()
        await asyncio.sleep(3 * SHORT.move_ms / 1000)
        back = time.monotonic()
        duel.proxy.accept()
        spent = await duel.spent()
        assert charged(spent) <= duel.answered - back


@pytest.mark.exhaustive
async def test_an_answer_that_a_replica_could_not_store_is_not_charged_when_it_dies_and_its_bot_comes_elsewhere(
    duel: Duel,
) -> None:
    await duel.other_moves()
    duel.proxy.hold(appends)
    await duel.mine.answer(index=4)
    await asyncio.sleep(2 * OUTAGE_SECONDS)
    duel.far.kill()
    came_at = time.monotonic()
    await duel.connect()
    spent = await duel.spent()
    assert charged(spent) <= duel.answered - came_at


@pytest.mark.exhaustive
async def test_a_decision_whose_answer_a_replica_cannot_store_is_not_closed_by_another_one(
    folder: Path, redis: RedisServer
) -> None:
    async with duel_on(folder, redis, SHORT) as duel:
        await duel.other_moves()
        duel.proxy.hold(appends)
        await duel.mine.answer(index=4)
        await asyncio.sleep(3 * SHORT.move_ms / 1000)
        back = time.monotonic()
        duel.proxy.release()
        spent = await duel.spent()
        assert charged(spent) <= duel.answered - back


@pytest.mark.exhaustive
async def test_a_replica_that_does_not_know_of_an_outage_yet_closes_no_decision_of_a_match_that_it_loads(
    folder: Path, redis: RedisServer
) -> None:
    async with duel_on(folder, redis, SHORT, address="near") as duel:
        duel.proxy.hold(heartbeats)
        await duel.other_moves()
        duel.near.kill()
        duel.far.freeze()
        await asyncio.sleep(2 * SHORT.move_ms / 1000)
        duel.far.thaw()
        await asyncio.sleep(3.0)  # it looks every second for what is overdue
        duel.proxy.release()
        duel.other.address = duel.far.address
        await asyncio.gather(duel.connect(duel.far.address), duel.other.connect())
        await duel.mine.decide(index=4)
        await asyncio.gather(duel.mine.to_the_end(), duel.other.to_the_end())
        async with Organiser(duel.far.address, duel.near.token) as organiser:
            record = await organiser.record(duel.mine.journal.match_id)
    assert set(kinds(record)) == {"ready", "move"}


def heartbeats(request: bytes) -> bool:
    return b"fudaba:beats" in request


@pytest.mark.exhaustive
async def test_what_was_decided_while_a_replica_heard_nothing_is_not_charged_when_it_dies_and_its_bot_comes_elsewhere(
    duel: Duel,
) -> None:
    duel.proxy.hold_news()
    await duel.other_moves()
    await asyncio.sleep(OUTAGE_SECONDS)
    duel.far.kill()
    came_at = time.monotonic()
    await duel.connect()
    spent = await duel.spent()
    assert charged(spent) <= duel.answered - came_at


@pytest.mark.exhaustive
async def test_a_bot_that_comes_at_once_when_its_replica_has_died_is_not_charged_for_the_time_before(
    duel: Duel,
) -> None:
    duel.far.freeze()
    await duel.other_moves()
    await asyncio.sleep(OUTAGE_SECONDS)
    duel.far.thaw()
    duel.far.kill()
    came_at = time.monotonic()
    await duel.connect()
    spent = await duel.spent()
    assert charged(spent) <= duel.answered - came_at


@pytest.mark.exhaustive
async def test_a_bot_that_watches_at_a_replica_that_hears_late_and_answers_at_another_is_not_charged_for_that(
    duel: Duel, redis: RedisServer
) -> None:
    late = 0.9
    duel.proxy.delay = late
    with redis.client() as client:
        await until(lambda: slowest(client) >= late * 1000, "a heartbeat that was heard late")
    await duel.mine.leave()
    async with Organiser(duel.far.address, duel.near.token) as far:
        watch = far.play.WatchSeat(
            play_pb2.WatchSeatRequest(match_id=duel.mine.journal.match_id), metadata=bearer(duel.mine.entrant.token)
        )
        await watch.read()
        began = time.monotonic()
        moving = asyncio.create_task(duel.other_moves())
        while not (update := (await watch.read()).update).HasField("decision"):
            pass
        assert time.monotonic() - began >= late
        answer = play_pb2.Answer(match_id=update.match_id, decision_id=update.decision.decision_id, index=4)
        request = play_pb2.SubmitMoveRequest(answer=answer)
        await duel.organiser.play.SubmitMove(request, metadata=bearer(duel.mine.entrant.token))
        answered = time.monotonic()
        await moving
        watch.cancel()
    duel.proxy.delay = 0.0
    await duel.connect()
    await asyncio.gather(duel.mine.to_the_end(), duel.other.to_the_end())
    record = await duel.organiser.record(update.match_id)
    [entry] = [e for e in record.log if e.seat == 0 and e.decision_id == update.decision.decision_id]
    assert charged(entry.spent) <= answered - began - late


@pytest.mark.exhaustive
@pytest.mark.parametrize("again", ["at once", "after it has watched anew", "after its watch has ended"])
async def test_an_answer_that_was_tried_at_a_frozen_replica_first_is_not_charged_for_that_nor_is_its_decision_closed(
    folder: Path, redis: RedisServer, again: str
) -> None:
    async with duel_on(folder, redis, SHORT) as duel, Organiser(duel.far.address, duel.near.token) as far:
        await duel.mine.leave()
        metadata = bearer(duel.mine.entrant.token)
        request = play_pb2.WatchSeatRequest(match_id=duel.mine.journal.match_id)
        watch = duel.organiser.play.WatchSeat(request, metadata=metadata)
        await watch.read()
        duel.far.freeze()
        await duel.other_moves()
        while not (update := (await watch.read()).update).HasField("decision"):
            pass
        if again == "after it has watched anew":
            watch.cancel()
            await settled(duel.near, "fudaba_streams{seat}", 0)
            watch = duel.organiser.play.WatchSeat(request, metadata=metadata)
            while not (update := (await watch.read()).update).HasField("decision"):
                pass
        answer = play_pb2.Answer(match_id=update.match_id, decision_id=update.decision.decision_id, index=4)
        move = play_pb2.SubmitMoveRequest(answer=answer)
        with pytest.raises(aio.AioRpcError):
            await far.play.SubmitMove(move, metadata=metadata, timeout=2 * SHORT.move_ms / 1000)
        if again == "after its watch has ended":
            watch.cancel()
            await settled(duel.near, "fudaba_streams{seat}", 0)
        tried = time.monotonic()
        await duel.organiser.play.SubmitMove(move, metadata=metadata)
        took = time.monotonic() - tried
        watch.cancel()
        await duel.connect()
        await asyncio.gather(duel.mine.to_the_end(), duel.other.to_the_end())
        record = await duel.organiser.record(update.match_id)
        duel.far.thaw()
    assert set(kinds(record)) == {"ready", "move"}
    [entry] = [e for e in record.log if e.seat == 0 and e.decision_id == update.decision.decision_id]
    assert charged(entry.spent) <= took


def slowest(client: Any) -> int:
    """How late the slowest replica says that it hears, in ms."""
    return max(int(raw.split()[2]) for raw in client.hvals("fudaba:beats") if len(raw.split()) > 2)


@pytest.mark.exhaustive
async def test_nobody_gains_time_by_ending_its_own_stream(duel: Duel) -> None:
    began = time.monotonic()
    await duel.other_moves()
    while duel.mine.due is None:
        await duel.mine.hear()
    away = 0.0
    for address in (duel.near.address, duel.far.address, duel.near.address):
        gone = time.monotonic()
        await duel.mine.leave()
        await asyncio.sleep(1.0)
        away += time.monotonic() - gone
        await duel.connect(address)
        while not duel.mine.seated:
            await duel.mine.hear()
    spent = await duel.spent()
    # Of several replicas one may have died unnoticed: a moment after the opening is nobody's.
    assert away * 0.9 - SEND_GRACE_SECONDS <= whole(spent)
    assert whole(spent) <= duel.answered - began


@pytest.mark.exhaustive
@pytest.mark.parametrize("known", [True, False])
async def test_a_bot_that_comes_is_not_charged_for_what_a_store_keeps_it_waiting_that_is_slow_and_not_silent(
    duel: Duel, known: bool
) -> None:
    delay = 0.2
    if not known:
        await duel.connect(duel.near.address)
        while not duel.mine.seated:
            await duel.mine.hear()
    async with (
        Organiser(duel.far.address, duel.near.token) as far,
        match_in_progress(far, [duel.far.address], PATIENT),
    ):
        await duel.other.decide(index=2)
        began = time.monotonic()
        await duel.other.decide(index=4)
        while duel.mine.due is None:
            await duel.mine.hear()
        duel.proxy.delay = delay
        await duel.connect(duel.far.address)
        welcomed = time.monotonic()
        while not duel.mine.seated:
            await duel.mine.hear()
        waited = time.monotonic() - welcomed
        duel.proxy.delay = 0.0
        spent = await duel.spent()
    assert waited >= 4 * delay
    assert charged(spent) <= duel.answered - began - waited * 0.8


@pytest.mark.exhaustive
async def test_the_first_look_at_a_token_is_no_part_of_the_time_of_the_decision_that_is_answered_with_it(
    duel: Duel,
) -> None:
    delay, match_id = 0.3, duel.mine.journal.match_id
    async with Organiser(duel.far.address, duel.near.token) as far:
        wanted = bots_pb2.CreateTokenRequest(bot=duel.mine.entrant.name)
        token = (await duel.organiser.bots.CreateToken(wanted, metadata=duel.organiser.metadata)).token
        await duel.other.decide(index=2)
        began = time.monotonic()
        await duel.other.decide(index=4)
        while duel.mine.due is None:
            await duel.mine.hear()
        decision_id = duel.mine.due.decision_id
        duel.proxy.delay = delay  # each way
        answer = play_pb2.Answer(match_id=match_id, decision_id=decision_id, index=4)
        await far.play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), metadata=bearer(token))
        lasted = time.monotonic() - began
        duel.proxy.delay = 0.0
    await asyncio.gather(duel.mine.to_the_end(), duel.other.to_the_end())
    record = await duel.organiser.record(match_id)
    [entry] = [e for e in record.log if e.seat == 0 and e.decision_id == decision_id]
    # Before the time of the answer the token is looked up, and after it the answer is stored.
    assert whole(entry.spent) <= lasted - 2 * 2 * delay


@pytest.mark.exhaustive
async def test_an_outage_is_credited_once_to_a_bot_that_watches_and_the_rest_of_its_time_is_its_own(
    folder: Path, redis: RedisServer
) -> None:
    thinking = 7.0
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser:
            mine, entrant = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(mine, entrant, clock=PATIENT)
            other = Seat(service.address, entrant, match_id)
            await other.connect()
            metadata = bearer(mine.token)
            watch = organiser.play.WatchSeat(play_pb2.WatchSeatRequest(match_id=match_id), metadata=metadata)
            await watch.read()
            began = time.monotonic()
            await other.decide(index=2)
            await other.decide(index=4)
            while not (update := (await watch.read()).update).HasField("decision"):
                pass
            redis.freeze()
            await asyncio.sleep(OUTAGE_SECONDS)
            redis.thaw()
            await asyncio.sleep(thinking)
            answer = play_pb2.Answer(match_id=match_id, decision_id=update.decision.decision_id, index=4)
            await organiser.play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), metadata=metadata)
            answered = time.monotonic()
            watch.cancel()
            last = Seat(service.address, mine, match_id)
            await last.connect()
            await asyncio.gather(last.to_the_end(), other.to_the_end())
            record = await organiser.record(match_id)
            await last.leave()
            await other.leave()
    [entry] = [e for e in record.log if e.seat == 0 and e.decision_id == update.decision.decision_id]
    # After an outage all have a moment to connect again. Credited twice, the outage would leave nothing of the rest.
    rest = thinking - RECONNECT_GRACE_MS / 1000
    assert rest - OUTAGE_SECONDS < 0
    assert rest / 4 <= charged(entry.spent) <= answered - began - OUTAGE_SECONDS


@pytest.mark.exhaustive
async def test_on_a_service_of_one_replica_all_the_time_without_its_stream_is_the_bots(
    organiser: Organiser, service: Service
) -> None:
    entrants = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(*entrants, clock=PATIENT)
    mine, other = seats = [Seat(service.address, entrant, match_id) for entrant in entrants]
    for seat in seats:
        await seat.connect()
    await other.decide(index=2)
    await other.decide(index=4)
    while mine.due is None:
        await mine.hear()
    away = 0.0
    for _ in range(3):
        gone = time.monotonic()
        await mine.leave()
        await asyncio.sleep(0.4)
        away += time.monotonic() - gone
        await mine.connect()
        while not mine.seated:
            await mine.hear()
    decision = await mine.decide(index=4)
    await asyncio.gather(mine.to_the_end(), other.to_the_end())
    record = await organiser.record(match_id)
    spent = next(e.spent for e in record.log if e.decision_id == decision.decision_id and e.seat == 0)
    assert away * 0.9 <= whole(spent)
    for seat in seats:
        await seat.leave()
