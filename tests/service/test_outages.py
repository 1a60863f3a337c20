"""Stopped, killed, doubled: services and stores go and come back, matches go on, and nobody pays for it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.service import bots
from tests.service.bots import Bot, Journal, Stream, play_match
from tests.service.conftest import assert_no_fault
from tests.service.organiser import Entrant, Organiser, StoreView, kinds, refused
from tests.service.processes import RedisServer, Service, free_port, until
from tests.service.test_observed import scrape
from tests.service.test_play import shown

from fudaba.v1 import game_pb2, matches_pb2, play_pb2, record_pb2
from fudaba_service.store import match_keys

SHORT = record_pb2.Clock(move_ms=1_500, max_timeouts=1)
LONG_MATCH = {"deals": game_pb2.OptionValue(number=4)}


@pytest.fixture
def redis(folder: Path, redis_server: Path) -> Iterator[RedisServer]:
    """A Redis of this test's own, which loses nothing."""
    place = folder / "redis"
    place.mkdir()
    with RedisServer(place, redis_server, "--appendfsync", "always") as server:
        yield server.start()


@contextlib.contextmanager
def started(folder: Path, redis: RedisServer | None = None, name: str = "service") -> Iterator[Service]:
    """A service of this test's own; with a Redis, one of any number of replicas that share an archive."""
    options = ["--redis", redis.url] if redis is not None else []
    port = free_port()
    with Service(folder, *options, "--metrics", f"127.0.0.1:{port}", name=name, data=folder / "data") as service:
        service.metrics_port = port
        yield service.start()
        assert_no_fault(service)


class Table:
    """A match between two bots, in progress."""

    def __init__(self, match_id: str, players: list[Bot], playing: asyncio.Task[None]) -> None:
        self.match_id = match_id
        self.players = players
        self.playing = playing

    @property
    def decided(self) -> int:
        """How many decisions have been put so far."""
        return sum(len(player.journal(self.match_id).decisions) for player in self.players)

    async def check(self, organiser: Organiser) -> record_pb2.MatchRecord:
        """Plays on to the end. Nobody paid, nothing acknowledged was lost, nothing was doubled."""
        await self.playing
        record = await organiser.record(self.match_id)
        assert set(kinds(record)) == {"ready", "move"}
        for seat, player in enumerate(self.players):
            journal = player.journals[self.match_id]
            assert journal.over == record.end
            assert journal.rewinds == 0
            assert journal.events == shown(record, seat)
            moves = [e.decision_id for e in record.log if e.seat == seat and e.HasField("move")]
            assert len(moves) == len(set(moves))
            assert set(journal.accepted) <= set(moves)
            assert journal.timed_out == []
        return record


@contextlib.asynccontextmanager
async def match_in_progress(
    organiser: Organiser, addresses: list[str], clock: record_pb2.Clock = SHORT, pace: float = 0.02
) -> AsyncIterator[Table]:
    """A long match, a few decisions old. Each bot has its own order of addresses."""
    entrants = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(*entrants, clock=clock, options=LONG_MATCH)
    delivery = play_pb2.Delivery(legal_moves=play_pb2.LEGAL_MOVES_COUNT, acknowledge=True)
    players = [
        Bot(addresses[n:] + addresses[:n], e.token, bots.slow(pace), delivery=delivery, chance=n)
        for n, e in enumerate(entrants)
    ]
    playing = asyncio.create_task(play_match(*players))
    table = Table(match_id, players, playing)
    await until(lambda: table.decided > 8 or playing.done(), "the beginning of the match")
    assert not playing.done()
    yield table
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)


# --- the service


async def test_the_time_in_which_the_service_is_stopped_is_not_the_bots(folder: Path) -> None:
    with started(folder) as service:
        async with Organiser(service.address, service.token) as organiser:
            clock = record_pb2.Clock(move_ms=1_000, max_timeouts=1)
            async with match_in_progress(organiser, [service.address], clock) as table:
                service.freeze()
                await asyncio.sleep(2)
                service.thaw()
                record = await table.check(organiser)
    longest = max(e.spent.server_us + e.spent.bot_us + e.spent.network_us for e in record.log if e.HasField("move"))
    assert longest >= 1_500_000
    assert all(e.spent.bot_us < 1_000_000 for e in record.log)


@pytest.mark.parametrize("external", [False, True])
async def test_a_service_that_is_killed_and_started_again_goes_on_with_its_matches(
    folder: Path, request: pytest.FixtureRequest, external: bool
) -> None:
    redis = request.getfixturevalue("redis") if external else None
    with started(folder, redis) as service:
        async with (
            Organiser(service.address, service.token) as organiser,
            match_in_progress(organiser, [service.address]) as table,
        ):
            before = table.decided
            service.kill()
            await asyncio.sleep(2.5)
            await asyncio.to_thread(service.start)
            record = await table.check(organiser)
            assert table.decided > before
            assert all(player.connections > 1 for player in table.players)
    assert "organiser token" not in service.log
    assert all(e.spent.bot_us < 1_500_000 for e in record.log)


async def test_a_match_that_waits_for_a_bot_at_a_kill_goes_on_and_its_bot_gets_time_to_come_back(folder: Path) -> None:
    with started(folder) as service:
        async with Organiser(service.address, service.token) as organiser:
            one, other = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(one, other, clock=SHORT)
            journal = Journal(match_id)
            async with Stream(service.address, one.token) as waits, Stream(service.address, other.token) as stream:
                await waits.hello()
                await stream.hello()
                journal.take(await stream.decision())
                service.kill()
            await asyncio.sleep(1.5)
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


async def test_deadlines_are_settled_after_a_restart_also_when_no_bot_comes_back(folder: Path) -> None:
    with started(folder) as service:
        async with Organiser(service.address, service.token) as organiser:
            one, other = await organiser.entrant(), await organiser.entrant()
            clock = record_pb2.Clock(move_ms=300, max_timeouts=2)
            match_id = await organiser.match(one, other, clock=clock)
            waiting = await organiser.match(one, other, clock=record_pb2.Clock(move_ms=300, start_ms=1_000))
            async with Stream(service.address, one.token) as waits, Stream(service.address, other.token) as stream:
                await waits.hello()
                await stream.hello()
                await stream.decision()
                service.kill()
            await asyncio.to_thread(service.start)
            assert (await organiser.ended(match_id)).end.forfeit_cause == record_pb2.FORFEIT_CAUSE_TIMEOUTS
            assert (await organiser.ended(waiting)).end.HasField("end_time")
            await organiser.record(match_id)


async def test_a_match_that_was_over_at_a_kill_but_not_archived_is_archived_by_the_next_service(folder: Path) -> None:
    with started(folder) as service:
        async with Organiser(service.address, service.token) as organiser:
            archive = service.data / "archive"
            shutil.rmtree(archive)
            archive.write_text("in the way")
            one, other = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(one, other)
            await play_match(*organiser.by_chance(one, other))
            record = await organiser.record(match_id)
            service.kill()
            archive.unlink()
            await asyncio.to_thread(service.start)
            assert await organiser.record(match_id) == record
            await until(lambda: list(archive.glob(f"*/{match_id}.fudaba")), "the record in the archive")


# --- replicas


async def test_bots_on_different_replicas_play_their_match_to_the_end(folder: Path, redis: RedisServer) -> None:
    with started(folder, redis, "one") as one, started(folder, redis, "two") as two:
        async with (
            Organiser(one.address, one.token) as organiser,
            match_in_progress(organiser, [one.address, two.address], pace=0.0) as table,
        ):
            await table.check(organiser)
            assert [player.connections for player in table.players] == [1, 1]
            async with Organiser(two.address, one.token) as other:
                assert (await other.get(table.match_id)).end == (await organiser.get(table.match_id)).end
            await asyncio.sleep(0.3)
            ended = [(await scrape(one)).get("fudaba_matches_ended_total{finished}", 0) for one in (one, two)]
            assert sum(ended) == 1


async def test_answers_to_one_decision_on_two_replicas_are_one_move(folder: Path, redis: RedisServer) -> None:
    with started(folder, redis, "one") as one, started(folder, redis, "two") as two:
        async with Organiser(one.address, one.token) as organiser, Organiser(two.address, one.token) as other:
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
    clock = record_pb2.Clock(move_ms=4_000, max_timeouts=1)
    with started(folder, redis, "one") as one, started(folder, redis, "two") as two:
        async with (
            Organiser(two.address, one.token) as organiser,
            match_in_progress(organiser, [one.address, two.address], clock) as table,
        ):
            one.kill()
            await table.check(organiser)
            assert [player.connections for player in table.players] == [2, 1]


async def test_a_newer_stream_on_one_replica_ends_the_older_one_on_another(folder: Path, redis: RedisServer) -> None:
    with started(folder, redis, "one") as one, started(folder, redis, "two") as two:
        async with Organiser(one.address, one.token) as organiser:
            entrant = await organiser.entrant()
            async with Stream(one.address, entrant.token) as older, Stream(two.address, entrant.token) as newer:
                older.pongs = False
                await older.hello()
                await newer.hello()
                assert bots.reason_of(await older.ending()) == "SUPERSEDED"
                match_id = await organiser.match(entrant, await organiser.entrant())
                assert (await newer.update()).match_id == match_id


# --- the store


async def test_a_store_that_is_killed_and_comes_back_with_its_data_loses_and_costs_nothing(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with (
            Organiser(service.address, service.token) as organiser,
            match_in_progress(organiser, [service.address]) as table,
        ):
            redis.kill()
            await asyncio.sleep(1.2)
            await asyncio.to_thread(redis.start)
            await table.check(organiser)
            assert [player.connections for player in table.players] == [1, 1]
    assert "the store does not take entries" in service.log
    assert "the store answers again" in service.log


async def test_an_embedded_store_that_is_killed_is_started_again(folder: Path) -> None:
    with started(folder) as service:
        async with (
            Organiser(service.address, service.token) as organiser,
            match_in_progress(organiser, [service.address]) as table,
        ):
            view = StoreView(f"unix://{service.data}/store/valkey.sock")
            with contextlib.closing(view.client):
                info: Any = view.client.info("server")
            os.kill(info["process_id"], signal.SIGKILL)
            await table.check(organiser)
    assert "the embedded store died; starting it again" in service.log


async def test_a_store_that_is_frozen_for_a_while_costs_nothing(folder: Path, redis: RedisServer) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser:
            clock = record_pb2.Clock(move_ms=1_200, max_timeouts=1)
            async with match_in_progress(organiser, [service.address], clock) as table:
                redis.freeze()
                await asyncio.sleep(2)
                redis.thaw()
                record = await table.check(organiser)
    assert all(e.spent.bot_us < 1_200_000 for e in record.log)


async def test_while_the_store_is_away_nothing_is_shown_and_calls_say_try_again(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser:
            one, other = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(one, other)
            async with Stream(service.address, one.token) as waits, Stream(service.address, other.token) as stream:
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
                    organiser.match(one, other),
                    organiser.entrant(),
                    organiser.matches.ListMatches(matches_pb2.ListMatchesRequest()),
                ):
                    await refused(call, "STORE_UNAVAILABLE", "try again")
                await asyncio.to_thread(redis.start)


async def hand_played(
    service: Service, organiser: Organiser, stack: contextlib.AsyncExitStack
) -> tuple[str, list[Stream], list[Journal]]:
    """A match of which seat 1 has designated and seat 0 has committed; seat 1 owes its commitment."""
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
    assert "put back" in service.log


async def test_entries_that_vanish_under_a_running_store_are_noticed_at_the_next_move(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with Organiser(service.address, service.token) as organiser, contextlib.AsyncExitStack() as stack:
            match_id, streams, journals = await hand_played(service, organiser, stack)
            with redis.client() as client:
                client.rpop(match_keys(match_id).log)
            watch = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
            told = (await watch.read()).seen
            while len(journals[1].decisions) < 2:
                journals[1].take(await streams[1].update())
            await streams[1].answer(match_id, journals[1].decisions[-1].decision_id, index=0)
            for stream, journal in zip(streams, journals, strict=True):
                await rewound(stream, journal)
            assert (await watch.read()).seen <= told
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
            await streams[1].answer(match_id, "1.1", index=0)
            for stream in streams:
                assert (await stream.over()).over.abort_cause == record_pb2.ABORT_CAUSE_LOST
            record = await organiser.record(match_id)
            assert kinds(record)[-1] == "abort"
            assert journals[0].over is None
