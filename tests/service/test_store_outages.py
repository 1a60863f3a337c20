"""A store that is killed, frozen, or put back under its services: nothing forks, and everybody is told."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from fudaba_service.store import keys, match_keys
from tests.support.patience import until
from tests.support.service.bots import Bot, Choose, Stream, bearer, by_chance, play_match
from tests.support.service.in_progress import LONGER_SECONDS, SHORT, match_in_progress, started
from tests.support.service.journal import Journal
from tests.support.service.organiser import Organiser, StoreView, kinds, refused
from tests.support.service.players import shown
from tests.support.service.processes import RedisServer, Service


@pytest.mark.exhaustive
async def test_a_store_that_is_killed_and_comes_back_with_its_data_loses_and_costs_nothing(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with (
            Organiser(service.address, service.token) as organiser,
            match_in_progress(organiser, [service.address]) as match,
        ):
            redis.kill()
            await asyncio.sleep(LONGER_SECONDS)
            await asyncio.to_thread(redis.start)
            await match.check(organiser)
            assert [player.connections for player in match.players] == [1, 1]
    assert "the store does not take entries" in service.log
    assert "the store answers again" in service.log


async def test_an_embedded_store_that_is_killed_is_started_again(folder: Path) -> None:
    with started(folder) as service:
        async with (
            Organiser(service.address, service.token) as organiser,
            match_in_progress(organiser, [service.address]) as match,
        ):
            view = StoreView(f"unix://{service.data}/store/valkey.sock")
            with contextlib.closing(view.client):
                info: Any = view.client.info("server")
            os.kill(info["process_id"], signal.SIGKILL)
            await match.check(organiser)
    assert "the embedded store died; starting it again" in service.log


@pytest.mark.exhaustive
async def test_a_store_that_is_frozen_for_a_while_costs_nothing(folder: Path, redis: RedisServer) -> None:
    with started(folder, redis) as service:
        async with (
            Organiser(service.address, service.token) as organiser,
            match_in_progress(organiser, [service.address]) as match,
        ):
            redis.freeze()
            await asyncio.sleep(LONGER_SECONDS)
            redis.thaw()
            record = await match.check(organiser)
    assert all(e.spent.bot_us < SHORT.move_ms * 1000 for e in record.log)


def slow_at_first(seconds: float) -> Choose:
    """Takes its time for its first decision only."""
    waits = [seconds]

    async def choose(bot: Bot, journal: Journal, decision: play_pb2.Decision) -> None:
        await asyncio.sleep(waits.pop() if waits else 0.0)
        await by_chance(bot, journal, decision)

    return choose


@pytest.mark.exhaustive
async def test_an_outage_of_the_store_is_not_charged_though_nothing_was_in_flight(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser:
            entrants = [await organiser.entrant(), await organiser.entrant()]
            clock = record_pb2.Clock(move_ms=5_000, max_timeouts=1)
            match_id = await organiser.match(*entrants, clock=clock)
            # Seat 1 designates first.
            slow = Bot(organiser.address, entrants[1].token, slow_at_first(8))
            playing = asyncio.ensure_future(play_match(Bot(organiser.address, entrants[0].token, by_chance), slow))
            await until(lambda: any(journal.decisions for journal in slow.journals.values()))
            redis.kill()
            await asyncio.sleep(7)
            await asyncio.to_thread(redis.start)
            await playing
            record = await organiser.record(match_id)
    assert not record.end.HasField("forfeited_seat")
    assert max(e.spent.server_us for e in record.log) > 2_000_000


async def test_while_the_store_is_away_nothing_is_shown_and_calls_say_try_again(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser:
            entrant, other = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(entrant, other)
            async with Stream(service.address, entrant.token) as waits, Stream(service.address, other.token) as stream:
                await waits.hello()
                await stream.hello(delivery=play_pb2.Delivery(acknowledge=True))
                decision = (await stream.decision()).decision
                redis.freeze()
                await stream.answer(match_id, decision.decision_id, index=0)
                quiet = asyncio.create_task(waits.receive())
                accepted = asyncio.create_task(stream.update())
                await asyncio.sleep(0.3)
                assert not quiet.done() or quiet.result().update.HasField("started")
                assert not accepted.done()
                redis.thaw()
                assert decision.decision_id in (await accepted).accepted
                redis.kill()
                for call in (
                    organiser.get("unknown-match"),
                    organiser.match(entrant, other),
                    organiser.entrant(),
                    organiser.matches.ListMatches(matches_pb2.ListMatchesRequest()),
                ):
                    await refused(call, "STORE_UNAVAILABLE", "try again")
                await asyncio.to_thread(redis.start)


async def test_a_store_that_fails_while_a_stream_is_told_the_rest_takes_its_decisions_from_nobody(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service, redis.client() as client:
        async with Organiser(service.address, service.token) as organiser:
            entrant, other = await organiser.entrant(), await organiser.entrant()
            over = await organiser.match(entrant, other)
            await organiser.matches.AbortMatch(
                matches_pb2.AbortMatchRequest(match_id=over), metadata=organiser.metadata
            )
            await until(lambda: not client.exists(match_keys(over).meta), "the end of the match in the store")
            match_id = await organiser.match(entrant, other)
            # What is kept for the bot cannot be read, and all else can.
            ended = keys.bot_ended(f"{other.name}/1")
            client.rename(ended, "aside")
            client.set(ended, "no set")
            async with Stream(service.address, entrant.token) as waits, Stream(service.address, other.token) as stream:
                await waits.hello()
                await stream.hello(delivery=play_pb2.Delivery(acknowledge=True))
                decision = (await stream.decision()).decision
                await until(lambda: "errorstat_WRONGTYPE" in client.info("errorstats"), "the fault")
                client.rename("aside", ended)
                ending = await stream.over()
                assert ending.match_id == over
                await stream.answer(match_id, decision.decision_id, index=0)
                assert decision.decision_id in (await stream.update()).accepted


async def hand_played(
    service: Service, organiser: Organiser, stack: contextlib.AsyncExitStack
) -> tuple[str, list[Stream], list[Journal]]:
    """Returns a match of which seat 1 has designated and seat 0 has committed; seat 1 owes its commitment."""
    entrants = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(*entrants)
    journals = [Journal(match_id), Journal(match_id)]
    streams = [await stack.enter_async_context(Stream(service.address, e.token)) for e in entrants]
    for stream in streams:
        at_once = play_pb2.Delivery(acknowledge=True, events=play_pb2.EVENT_DELIVERY_AT_ONCE)
        await stream.hello(delivery=at_once)
    await decide(streams[1], journals[1], index=2)
    await decide(streams[0], journals[0], index=4)
    return match_id, streams, journals


async def decide(stream: Stream, journal: Journal, index: int) -> str:
    """Answers the decision that is due, waits until that is stored, and says which one it was."""
    while not journal.decisions or journal.decisions[-1].decision_id in journal.accepted:
        journal.take(await stream.update())
    decision_id = journal.decisions[-1].decision_id
    await stream.answer(journal.match_id, decision_id, index=index)
    while decision_id not in journal.accepted:
        journal.take(await stream.update())
    return decision_id


async def rewound(stream: Stream, journal: Journal) -> None:
    while not journal.rewinds:
        journal.take(await stream.update())


async def finish_by_hand(organiser: Organiser, streams: list[Stream], journals: list[Journal]) -> None:
    """Plays on with first moves, and checks that both seats know exactly what the record says."""

    async def play_on(stream: Stream, journal: Journal) -> None:
        while journal.over is None:
            if not journal.decisions or journal.decisions[-1].decision_id in journal.accepted:
                journal.take(await stream.update())
            else:
                await decide(stream, journal, 0)

    await asyncio.gather(*[play_on(s, j) for s, j in zip(streams, journals, strict=True)])
    record = await organiser.record(journals[0].match_id)
    for seat, journal in enumerate(journals):
        assert journal.events == shown(record, seat)
        assert journal.over == record.end


async def test_a_store_that_lost_a_tail_puts_the_match_back_and_tells_every_seat(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser, contextlib.AsyncExitStack() as stack:
            _, streams, journals = await hand_played(service, organiser, stack)
            older = folder / "older"
            shutil.copytree(redis.folder / "appendonlydir", older)
            lost = await decide(streams[1], journals[1], index=0)
            assert journals[1].seen > 3
            before = list(journals[1].events)
            await asyncio.to_thread(redis.kill)
            shutil.rmtree(redis.folder / "appendonlydir")
            shutil.copytree(older, redis.folder / "appendonlydir")
            await asyncio.to_thread(redis.start)
            for stream, journal in zip(streams, journals, strict=True):
                await rewound(stream, journal)
            assert journals[1].decisions[-1].decision_id == lost
            assert len(journals[1].events) < len(before)
            await finish_by_hand(organiser, streams, journals)
    assert "rolled back" in service.log


async def test_entries_that_vanish_under_a_running_store_are_noticed_at_the_next_move(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser, contextlib.AsyncExitStack() as stack:
            match_id, streams, journals = await hand_played(service, organiser, stack)
            with redis.client() as client:
                client.rpop(match_keys(match_id).log)
            watch = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
            seen_before = (await watch.read()).seen
            while len(journals[1].decisions) < 2:
                journals[1].take(await streams[1].update())
            await streams[1].answer(match_id, journals[1].decisions[-1].decision_id, index=0)
            for stream, journal in zip(streams, journals, strict=True):
                await rewound(stream, journal)
            assert (await watch.read()).seen <= seen_before
            await finish_by_hand(organiser, streams, journals)


async def test_a_history_that_went_on_otherwise_at_another_replica_is_taken_over_and_never_mixed(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser, contextlib.AsyncExitStack() as stack:
            match_id, streams, journals = await hand_played(service, organiser, stack)
            # Seat 0's commitment is lost, and another one is stored in its place: the log has its old length.
            with redis.client() as client:
                raw: Any = client.rpop(match_keys(match_id).log)
                entry = record_pb2.LogEntry.FromString(raw)
                other = journals[0].decisions[-1].legal_moves[7]
                assert entry.move != other
                entry.move.CopyFrom(other)
                client.rpush(match_keys(match_id).log, entry.SerializeToString())
            await decide(streams[1], journals[1], index=0)
            await rewound(streams[0], journals[0])
            await finish_by_hand(organiser, streams, journals)
            record = await organiser.record(match_id)
            assert next(e.move for e in record.log if e.seat == 0 and e.HasField("move")) == other


async def test_a_match_that_the_store_lost_altogether_is_ended_without_a_result(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser, contextlib.AsyncExitStack() as stack:
            match_id, streams, journals = await hand_played(service, organiser, stack)
            with redis.client() as client:
                client.delete(*match_keys(match_id)[:3])
            await streams[1].answer(match_id, journals[1].decisions[-1].decision_id, index=0)
            for stream in streams:
                assert (await stream.over()).over.abort_cause == record_pb2.ABORT_CAUSE_LOST
            record = await organiser.record(match_id)
            assert kinds(record)[-1] == "abort"
            assert journals[0].over is None


async def test_an_answer_to_a_match_that_was_lost_does_not_count_for_a_new_one_of_its_id(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser, contextlib.AsyncExitStack() as stack:
            entrants = await organiser.entrant(), await organiser.entrant()

            async def first_decision() -> str:
                """Of the match's first seat that is asked something, after both bots have come."""
                await organiser.match(*entrants, match_id="again")
                streams = [await stack.enter_async_context(Stream(service.address, e.token)) for e in entrants]
                for stream in streams:
                    await stream.hello()
                return (await streams[1].decision()).decision.decision_id

            lost = await first_decision()
            service.kill()
            with redis.client() as client:
                client.delete(*match_keys("again"))
            await asyncio.to_thread(service.start)
            new = await first_decision()
            for decision_id, reason in ((lost, "NOT_YOUR_DECISION"), (new, "")):
                answer = play_pb2.Answer(match_id="again", decision_id=decision_id, index=0)
                call = organiser.play.SubmitMove(
                    play_pb2.SubmitMoveRequest(answer=answer), metadata=bearer(entrants[1].token)
                )
                await (refused(call, reason) if reason else call)
