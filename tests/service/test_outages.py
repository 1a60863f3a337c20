"""Stopped, killed, doubled: services and stores go and come back, matches go on, and nobody pays for it."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest

from fudaba.v1 import play_pb2, record_pb2
from fudaba_service.sessions.time_spent import SEND_GRACE_SECONDS
from fudaba_service.store import match_keys
from tests.support.patience import until
from tests.support.service import bots
from tests.support.service.bots import Stream, play_match
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.in_progress import LONGER_SECONDS, SHORT, match_in_progress, started
from tests.support.service.journal import Journal
from tests.support.service.organiser import Entrant, Organiser
from tests.support.service.processes import RedisServer, Service
from tests.support.service.proxy import Proxy
from tests.support.service.scraping import settled

# --- the service


@pytest.mark.exhaustive
async def test_the_time_in_which_the_service_is_stopped_is_not_the_bots(folder: Path) -> None:
    gate = bots.Gate()
    with started(folder) as service:
        async with (
            Organiser(service.address, service.token) as organiser,
            match_in_progress(organiser, [service.address], choose=gate) as match,
        ):
            gate.shut()
            await until(lambda: gate.thinking > 0, "a decision that a bot thinks about")
            service.freeze()
            await asyncio.sleep(
                LONGER_SECONDS + SEND_GRACE_SECONDS
            )  # it may be stopped before it has noted that the decision is sent
            service.thaw()
            gate.open()
            record = await match.check(organiser)
    longest = max(e.spent.server_us + e.spent.bot_us + e.spent.network_us for e in record.log if e.HasField("move"))
    assert longest >= SHORT.move_ms * 1000
    assert all(e.spent.bot_us < SHORT.move_ms * 1000 for e in record.log)


@pytest.mark.parametrize("external", [False, pytest.param(True, marks=pytest.mark.exhaustive)])
@pytest.mark.exhaustive
async def test_a_service_that_is_killed_and_started_again_goes_on_with_its_matches(
    folder: Path, request: pytest.FixtureRequest, external: bool
) -> None:
    redis = request.getfixturevalue("redis") if external else None
    with started(folder, redis) as service:
        async with (
            Organiser(service.address, service.token) as organiser,
            match_in_progress(organiser, [service.address]) as match,
        ):
            before = match.decided
            service.kill()
            await asyncio.sleep(LONGER_SECONDS)
            await asyncio.to_thread(service.start)
            record = await match.check(organiser)
            assert match.decided > before
            assert all(player.connections > 1 for player in match.players)
    assert "organiser token" not in service.log
    assert all(e.spent.bot_us < SHORT.move_ms * 1000 for e in record.log)


@pytest.mark.exhaustive
async def test_a_match_that_waits_for_a_bot_at_a_kill_goes_on_and_its_bot_gets_time_to_come_back(folder: Path) -> None:
    with started(folder) as service:
        async with Organiser(service.address, service.token) as organiser:
            entrant, other = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(entrant, other, clock=SHORT)
            journal = Journal(match_id)
            async with Stream(service.address, entrant.token) as waits, Stream(service.address, other.token) as stream:
                await waits.hello()
                await stream.hello()
                journal.take(await stream.decision())
                service.kill()
            await asyncio.sleep(LONGER_SECONDS)
            await asyncio.to_thread(service.start)
            await organiser.get(match_id)  # so the match is loaded long before its bots are there
            await asyncio.sleep(1)
            async with Stream(service.address, other.token) as stream:
                await stream.hello(seen=[play_pb2.Seen(match_id=match_id, seen=journal.seen)])
                update = await stream.decision()
                assert update.decision.decision_id == journal.decisions[0].decision_id
                assert update.decision.time_ms >= 1_000
                await stream.answer(match_id, update.decision.decision_id, index=0)
                assert (await stream.decision()).accepted == [update.decision.decision_id]


@pytest.mark.exhaustive
async def test_deadlines_are_settled_after_a_restart_also_when_no_bot_comes_back(folder: Path) -> None:
    with started(folder) as service:
        async with Organiser(service.address, service.token) as organiser:
            entrant, other = await organiser.entrant(), await organiser.entrant()
            clock = record_pb2.Clock(move_ms=300, max_timeouts=2)
            match_id = await organiser.match(entrant, other, clock=clock)
            absent = await organiser.entrant("absent")
            waiting = await organiser.match(entrant, absent, clock=record_pb2.Clock(move_ms=300, start_ms=1_000))
            async with Stream(service.address, entrant.token) as waits, Stream(service.address, other.token) as stream:
                await waits.hello()
                await stream.hello()
                await stream.decision()
                service.kill()
            await asyncio.to_thread(service.start)
            assert (await organiser.ended(match_id)).end.forfeit_cause == record_pb2.FORFEIT_CAUSE_TIMEOUTS
            assert (await organiser.ended(waiting)).end.abort_cause == record_pb2.ABORT_CAUSE_NO_SHOW
            await organiser.record(match_id)


@pytest.mark.exhaustive
async def test_a_match_that_was_over_at_a_kill_but_not_archived_is_archived_by_the_next_service(folder: Path) -> None:
    with started(folder) as service:
        async with Organiser(service.address, service.token) as organiser:
            archive = service.data / "archive"
            archive.rename(archive.with_name("away"))  # in one step: the service may be writing there
            archive.write_text("in the way")
            entrant, other = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(entrant, other)
            await play_match(*organiser.by_chance(entrant, other))
            record = await organiser.record(match_id)
            service.kill()
            archive.unlink()
            await asyncio.to_thread(service.start)
            assert await organiser.record(match_id) == record
            await until(lambda: list(archive.glob(f"*/{match_id}.fudaba")), "the record in the archive")


# --- replicas


async def test_bots_on_different_replicas_play_their_match_to_the_end(folder: Path, redis: RedisServer) -> None:
    with started(folder, redis, "one") as first, started(folder, redis, "two") as two:
        async with (
            Organiser(first.address, first.token) as organiser,
            match_in_progress(organiser, [first.address, two.address], choose=bots.by_chance) as match,
        ):
            await match.check(organiser)
            assert [player.connections for player in match.players] == [1, 1]
            async with Organiser(two.address, first.token) as other:
                assert (await other.get(match.match_id)).end == (await organiser.get(match.match_id)).end
            await until(lambda: not redis_holds(redis, match.match_id), "the end of the match in the store")
            await settled([first, two], "fudaba_matches_ended_total{finished}", 1)


def redis_holds(redis: RedisServer, match_id: str) -> bool:
    with redis.client() as client:
        return bool(client.exists(match_keys(match_id).meta))


async def test_answers_to_one_decision_on_two_replicas_are_one_move(folder: Path, redis: RedisServer) -> None:
    with started(folder, redis, "one") as first, started(folder, redis, "two") as two:
        async with Organiser(first.address, first.token) as organiser, Organiser(two.address, first.token) as other:
            entrants = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(*entrants)
            [bot] = organiser.by_chance(entrants[0])
            playing = asyncio.create_task(bot.play())
            watch = organiser.play.WatchSeat(
                play_pb2.WatchSeatRequest(match_id=match_id), metadata=bots.bearer(entrants[1].token)
            )
            repeated = 0
            async for response in watch:
                if response.update.HasField("decision"):
                    answers = await answer_everywhere([organiser, other], entrants[1], match_id, response.update)
                    assert len({answer.move.SerializeToString() for answer in answers}) == 1
                    repeated += [answer.repeated_call for answer in answers].count(True)
            await playing
            record = await organiser.record(match_id)
            moves = [e.decision_id for e in record.log if e.seat == 1 and e.HasField("move")]
            assert len(moves) == len(set(moves)) == repeated


async def answer_everywhere(
    organisers: list[Organiser], entrant: Entrant, match_id: str, update: play_pb2.SeatUpdate
) -> list[Any]:
    """Different answers to one decision, through every replica at once."""
    calls = []
    for index, organiser in enumerate(organisers):
        answer = play_pb2.Answer(match_id=match_id, decision_id=update.decision.decision_id, index=index)
        if update.decision.legal_count <= index:
            answer.index = 0
        request = play_pb2.SubmitMoveRequest(answer=answer)
        calls.append(organiser.play.SubmitMove(request, metadata=bots.bearer(entrant.token)))
    return list(await asyncio.gather(*calls))


async def test_when_one_replica_is_killed_its_bots_go_on_at_the_other(folder: Path, redis: RedisServer) -> None:
    clock = record_pb2.Clock(move_ms=10_000, max_timeouts=1)
    with started(folder, redis, "one") as first, started(folder, redis, "two") as two:
        async with (
            Organiser(two.address, first.token) as organiser,
            match_in_progress(organiser, [first.address, two.address], clock) as match,
        ):
            first.kill()
            await match.check(organiser)
            assert [player.connections for player in match.players] == [2, 1]


async def test_a_newer_stream_on_one_replica_ends_the_older_one_on_another(folder: Path, redis: RedisServer) -> None:
    with started(folder, redis, "one") as first, started(folder, redis, "two") as two:
        async with Organiser(first.address, first.token) as organiser:
            entrant = await organiser.entrant()
            async with Stream(first.address, entrant.token) as older:
                older.pongs = False
                match_id = await organiser.match(entrant, await organiser.entrant())
                await older.hello()
                # A stream is welcomed before the store has heard of it: by then both might seem to be the newer one.
                assert (await older.update()).match_id == match_id
                # Its call comes only now: of two that are opened at once, a slow replica may have the older one later.
                async with Stream(two.address, entrant.token) as newer:
                    await newer.hello()
                    assert bots.reason_of(await older.ending()) == "SUPERSEDED"
                    assert (await newer.update()).match_id == match_id


async def test_a_stream_of_which_the_store_hears_late_does_not_end_one_that_was_opened_after_it(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis, "near") as near:
        async with Organiser(near.address, near.token) as organiser, Proxy(redis.port).run() as proxy:
            entrant = await organiser.entrant()
            match_id = await organiser.match(entrant, await organiser.entrant())
            url = f"redis://127.0.0.1:{proxy.port}/0"
            with Service(folder, "--redis", url, name="far", data=folder / "data") as far:
                await asyncio.to_thread(far.start)
                async with Stream(far.address, entrant.token) as older, contextlib.AsyncExitStack() as stack:
                    proxy.hold(opens_a_stream)
                    await older.hello()
                    await until(lambda: proxy.held > 0, "the opening of the older stream on its way to Redis")
                    await asyncio.sleep(1.5)  # longer than the clocks of replicas differ
                    newer = await stack.enter_async_context(Stream(near.address, entrant.token))
                    await newer.hello()
                    assert (await newer.update()).match_id == match_id
                    older.pongs = False  # what is written to a stream as it ends hides why it does
                    proxy.release()
                    # Not for good: a bot that is there still, and not with the newer one, comes again.
                    assert bots.reason_of(await older.ending()) == "STORE_UNAVAILABLE"
                    assert await newer.quiet()
                assert_no_fault(far)


def opens_a_stream(request: bytes) -> bool:
    return b"fudaba:streams" in request
