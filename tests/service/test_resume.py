"""Broken connections: what a bot has not seen comes again, and nothing else does."""

from __future__ import annotations

import asyncio
import contextlib
import random
import statistics
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from fudaba.v1 import accounts_pb2, bots_pb2, matches_pb2, play_pb2, record_pb2
from tests.support.patience import until
from tests.support.service import bots
from tests.support.service.bots import Bot, Stream, bearer, play_match, reason_of
from tests.support.service.journal import Journal
from tests.support.service.organiser import Entrant, Organiser, StoreView, check_refusal, kinds, refused
from tests.support.service.players import played, shown
from tests.support.service.processes import Service
from tests.support.service.proxy import Proxy


@pytest.fixture
async def proxy(service: Service) -> AsyncIterator[Proxy]:
    """Stands before the shared service."""
    async with Proxy(int(service.address.rpartition(":")[2])).run() as running:
        yield running


@contextlib.asynccontextmanager
async def begun(organiser: Organiser, **hello: Any) -> AsyncIterator[tuple[str, Entrant, Stream]]:
    """Yields a match against a bot that plays by chance. Seat 1 is ours, by hand: its entrant, and its first stream."""
    other, mine = await organiser.entrant(), await organiser.entrant("mine")
    match_id = await organiser.match(other, mine)
    [bot] = organiser.by_chance(other)
    playing = asyncio.create_task(bot.play())
    async with Stream(organiser.address, mine.token) as stream:
        await stream.hello(**hello)
        yield match_id, mine, stream
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)


async def again(stream: Stream, journal: Journal) -> play_pb2.SeatUpdate:
    """Introduces a new stream with what the journal has seen. Returns the next update."""
    acknowledge = play_pb2.Delivery(acknowledge=True)
    await stream.hello(delivery=acknowledge, seen=[play_pb2.Seen(match_id=journal.match_id, seen=journal.seen)])
    update = await stream.update()
    journal.take(update)
    return update


async def to_the_end(stream: Stream, journal: Journal) -> None:
    """Plays on with first moves."""
    if journal.decisions[-1].decision_id not in journal.accepted:
        await stream.answer(journal.match_id, journal.decisions[-1].decision_id, index=0)
    while journal.over is None:
        update = await stream.update()
        journal.take(update)
        if update.HasField("decision"):
            await stream.answer(journal.match_id, update.decision.decision_id, index=0)


async def test_a_bot_that_was_cut_off_before_its_decision_gets_it_when_it_comes_back(organiser: Organiser) -> None:
    async with begun(organiser, delivery=play_pb2.Delivery(acknowledge=True)) as (match_id, mine, stream):
        journal = Journal(match_id)
        journal.take(await stream.decision())
        await stream.answer(match_id, journal.decisions[0].decision_id, index=0)
        while not journal.accepted:  # a stream that is cut off before may lose the answer
            journal.take(await stream.update())
        stream.call.cancel()
        async with Stream(organiser.address, mine.token) as second:
            update = await again(second, journal)
            assert update.HasField("started")
            if not update.HasField("decision"):
                journal.take(await second.decision())
            assert journal.decisions[-1].legal_count == 10
            await to_the_end(second, journal)
    assert journal.events == shown(await organiser.record(match_id), 1)


async def test_a_bot_that_was_cut_off_during_its_decision_gets_the_same_one_with_the_time_that_is_left(
    organiser: Organiser,
) -> None:
    async with begun(organiser) as (match_id, mine, stream):
        journal = Journal(match_id)
        journal.take(await stream.decision())
        first = journal.decisions[0]
        stream.call.cancel()
        # However often it is put again, its time goes on: else this would never end.
        while journal.over is None:
            async with Stream(organiser.address, mine.token) as another:
                update = await again(another, journal)
                assert update.decision.decision_id == first.decision_id
                assert update.decision.view == first.view
                assert not update.events
                if update.decision.time_ms <= first.time_ms - 250:
                    await to_the_end(another, journal)
    record = await organiser.record(match_id)
    assert journal.events == shown(record, 1)
    [spent] = [e.spent for e in record.log if e.decision_id == first.decision_id]
    assert spent.bot_us + spent.network_us + spent.server_us >= 250_000


async def test_a_bot_that_was_cut_off_after_answering_may_answer_again_and_its_first_answer_stands(
    organiser: Organiser,
) -> None:
    async with begun(organiser) as (match_id, mine, stream):
        journal = Journal(match_id)
        journal.take(await stream.decision())
        decision = journal.decisions[0]
        await stream.answer(match_id, decision.decision_id, index=2)
        stream.call.cancel()
        async with Stream(organiser.address, mine.token) as second:
            update = await again(second, journal)
            # Whether the first try came through cannot be known here; so the bot asks again, with another answer even.
            came_through = not update.HasField("decision") or update.decision.decision_id != decision.decision_id
            await second.answer(match_id, decision.decision_id, index=0)
            while decision.decision_id not in journal.accepted:
                journal.take(await second.update())
            await to_the_end(second, journal)
    record = await organiser.record(match_id)
    entries = [e for e in record.log if e.decision_id == decision.decision_id]
    assert len(entries) == 1
    assert entries[0].move in ([decision.legal_moves[2]] if came_through else decision.legal_moves[:3:2])


async def test_a_bot_that_forgot_everything_is_told_everything_again(organiser: Organiser) -> None:
    async with begun(organiser) as (match_id, mine, stream):
        journal = Journal(match_id)
        while len(journal.decisions) < 4:
            journal.take(await stream.decision())
            await stream.answer(match_id, journal.decisions[-1].decision_id, index=0)
        stream.call.cancel()
        afresh = Journal(match_id)
        async with Stream(organiser.address, mine.token) as second:
            update = await again(second, afresh)
            assert update.started == journal.header or update.HasField("started")
            assert afresh.events[: len(journal.events)] == journal.events
            if not afresh.decisions:
                afresh.take(await second.decision())
            await to_the_end(second, afresh)
    assert afresh.events == shown(await organiser.record(match_id), 1)


async def test_a_bot_that_was_away_when_its_match_ended_is_told_the_rest_and_the_end(organiser: Organiser) -> None:
    async with begun(organiser) as (match_id, mine, stream):
        journal = Journal(match_id)
        journal.take(await stream.decision())
        stream.call.cancel()
        await organiser.matches.AbortMatch(
            matches_pb2.AbortMatchRequest(match_id=match_id), metadata=organiser.metadata
        )
        record = await organiser.record(match_id)
        async with Stream(organiser.address, mine.token) as second:
            update = await again(second, journal)
            assert update.over == record.end
            await second.answer(match_id, journal.decisions[0].decision_id, index=0)
            assert (await second.refusal()).reason == "MATCH_OVER"


async def test_matches_that_a_bot_has_no_seat_in_are_not_told_for_being_named(organiser: Organiser) -> None:
    entrant, other, stranger = [await organiser.entrant() for _ in range(3)]
    over, live = await organiser.match(entrant, other), await organiser.match(entrant, other)
    await organiser.matches.AbortMatch(matches_pb2.AbortMatchRequest(match_id=over), metadata=organiser.metadata)
    async with Stream(organiser.address, stranger.token) as stream:
        await stream.hello(seen=[play_pb2.Seen(match_id=m, seen=1) for m in (over, live, "never-was", "../x", "\0")])
        assert await stream.quiet()


@pytest.mark.exhaustive
@pytest.mark.parametrize("every", [1, 2, 3])
async def test_bots_that_vanish_again_and_again_finish_their_match(organiser: Organiser, every: int) -> None:
    entrant, other = await organiser.entrant("vanishing"), await organiser.entrant()
    match_id = await organiser.match(entrant, other)
    vanishing = Bot(organiser.address, entrant.token, bots.vanishing(every))
    await play_match(vanishing, *organiser.by_chance(other))
    assert vanishing.connections > 2
    record = await organiser.record(match_id)
    assert set(kinds(record)) == {"ready", "move"}
    assert vanishing.journals[match_id].events == shown(record, 0)


async def test_a_match_survives_connections_that_are_cut_under_it(organiser: Organiser, proxy: Proxy) -> None:
    entrants = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(*entrants)
    players = [Bot(proxy.address, e.token, bots.slow(0.02), chance=n) for n, e in enumerate(entrants)]
    playing = asyncio.create_task(play_match(*players))
    chance = random.Random(1)
    put = [0]
    while not playing.done():
        # After each new decision: so the match gets on, however slow the machine is.
        await until(lambda: playing.done() or decisions_put(players) > put[-1], "a new decision")
        put.append(decisions_put(players))
        await asyncio.sleep(chance.uniform(0, 0.04))  # before the answer, with it, or after it
        proxy.cut()
    await playing
    record = await organiser.record(match_id)
    for seat, player in enumerate(players):
        assert player.connections > 1
        assert player.journals[match_id].events == shown(record, seat)
        accepted = {e.decision_id for e in record.log if e.seat == seat and e.HasField("move")}
        assert set(player.journals[match_id].accepted) <= accepted
    assert set(kinds(record)) == {"ready", "move"}


def decisions_put(players: list[Bot]) -> int:
    """Returns how many decisions have been put, each counted once."""
    return sum(len({d.decision_id for d in j.decisions}) for player in players for j in player.journals.values())


async def test_the_networks_share_of_the_time_is_measured_and_not_charged(organiser: Organiser, proxy: Proxy) -> None:
    entrants = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(*entrants)
    proxy.delay = 0.1
    far = Bot(proxy.address, entrants[0].token, bots.by_chance)
    near = Bot(organiser.address, entrants[1].token, bots.by_chance)
    began = time.monotonic()
    await play_match(far, near)
    took = (time.monotonic() - began) * 1e6
    spent = [e.spent for e in (await organiser.record(match_id)).log if e.seat == 0 and e.HasField("move")]
    # Each way takes 0.1 s at least. A process that has to wait for its turn may see the beginning of it late, and the
    # first decision may come before the first pong.
    assert statistics.median(charge.network_us for charge in spent) >= 100_000
    assert all(charge.network_us <= 300_000 for charge in spent)
    # What is the network's is not the bot's too: all of it together is no more than the time that has passed.
    assert sum(charge.network_us + charge.server_us + charge.bot_us for charge in spent) <= took


async def test_a_frozen_connection_is_the_bots_own_time(organiser: Organiser, proxy: Proxy) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    clock = record_pb2.Clock(move_ms=400, max_timeouts=1)
    match_id = await organiser.match(entrant, other, clock=clock)
    async with Stream(proxy.address, other.token) as stream, Stream(organiser.address, entrant.token) as waits:
        await waits.hello()
        await stream.hello()
        decision = (await stream.decision()).decision
        proxy.freeze()
        await stream.answer(match_id, decision.decision_id, index=0)
        assert (await waits.over()).over.forfeited_seat == 1
        proxy.thaw()
        assert (await stream.over()).over.forfeited_seat == 1


async def test_a_newer_stream_of_a_bot_takes_over_and_the_older_one_is_told_so(organiser: Organiser) -> None:
    async with begun(organiser) as (match_id, mine, stream):
        decision = (await stream.decision()).decision
        stream.pongs = False  # a client that writes while its stream ends loses the reason
        async with Stream(organiser.address, mine.token) as second:
            await second.hello()
            check_refusal(await stream.ending(), "SUPERSEDED", "newer stream")
            assert (await second.decision()).decision.decision_id == decision.decision_id
            await second.answer(match_id, decision.decision_id, index=0)
            assert (await second.decision()).accepted == [decision.decision_id]


async def test_a_bot_whose_token_was_stolen_takes_its_seat_back_with_another_and_the_thief_is_out(
    organiser: Organiser,
) -> None:
    async with begun(organiser) as (match_id, mine, stream):
        decision = (await stream.decision()).decision
        stream.pongs = False  # a client that writes while its stream ends loses the reason
        async with Stream(organiser.address, mine.token) as thief:
            await thief.hello()
            check_refusal(await stream.ending(), "SUPERSEDED", "newer stream", "rotate")
            await thief.decision()
            thief.pongs = False
            rotating, stolen = accounts_pb2.RotateTokenRequest(), bearer(mine.token)
            rotated = await organiser.accounts.RotateToken(rotating, metadata=stolen)
            check_refusal(await thief.ending(), "TOKEN_UNKNOWN", "revoked")
            await refused(organiser.accounts.RotateToken(rotating, metadata=stolen), "TOKEN_UNKNOWN")
            async with Stream(organiser.address, rotated.token) as back:
                await back.hello()
                assert (await back.decision()).decision.decision_id == decision.decision_id
                await back.answer(match_id, decision.decision_id, index=0)
                assert (await back.decision()).accepted == [decision.decision_id]


async def test_a_stream_that_its_bot_gave_up_before_is_no_newer_one_however_late_its_hello_comes(
    organiser: Organiser,
) -> None:
    async with begun(organiser) as (match_id, mine, first), Stream(organiser.address, mine.token) as stream:
        await first.decision()  # otherwise its hello may come after that of the next stream
        await stream.hello(process="laptop", attempt=2)
        decision = (await stream.decision()).decision
        async with Stream(organiser.address, mine.token) as given_up:
            given_up.pongs = False  # a client that writes while its stream ends loses the reason
            await given_up.hello(process="laptop", attempt=1)
            check_refusal(await given_up.ending(), "STORE_UNAVAILABLE", "only after a newer one")
        await stream.answer(match_id, decision.decision_id, index=0)
        assert (await stream.decision()).accepted == [decision.decision_id]


async def test_of_many_streams_at_the_same_time_exactly_one_stays(organiser: Organiser) -> None:
    entrant = await organiser.entrant()
    async with contextlib.AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(Stream(organiser.address, entrant.token)) for _ in range(8)]
        for stream in streams:
            stream.pongs = False  # a client that writes while its stream ends loses the reason
        await asyncio.gather(*[stream.hello() for stream in streams], return_exceptions=True)
        staying = {asyncio.ensure_future(stream.ending()) for stream in streams}
        while len(staying) > 1:
            done, staying = await asyncio.wait(staying, return_when=asyncio.FIRST_COMPLETED)
            for ending in done:
                error = ending.result()
                # Where the store heard of the newer one first, the older never began, and is told to come again.
                late = reason_of(error) == "STORE_UNAVAILABLE"
                check_refusal(error, "STORE_UNAVAILABLE" if late else "SUPERSEDED", "newer")
        assert len(staying) == 1
        done, _ = await asyncio.wait(staying, timeout=0.3)
        assert not done
        staying.pop().cancel()


async def test_versions_of_a_bot_are_players_of_their_own(organiser: Organiser) -> None:
    entrant = await organiser.entrant()
    metadata = organiser.metadata
    await organiser.bots.CreateVersion(bots_pb2.CreateVersionRequest(bot=entrant.name, version="2"), metadata=metadata)
    made = await organiser.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=entrant.name), metadata=metadata)
    assert made.version == "2"
    newer = Entrant(entrant.name, made.token, "2")
    request = matches_pb2.CreateMatchRequest(
        game="naga",
        players=[record_pb2.Player(bot=entrant.name, version="1"), record_pb2.Player(bot=entrant.name, version="2")],
    )
    match_id = (await organiser.matches.CreateMatch(request, metadata=metadata)).match.header.match_id
    record = await played(organiser, match_id, entrant, newer)
    assert [p.version for p in record.header.players] == ["1", "2"]


async def test_revoked_tokens_end_every_open_stream_of_theirs_and_no_other(
    organiser: Organiser, store: StoreView
) -> None:
    async with begun(organiser) as (match_id, mine, stream):
        await stream.decision()
        stream.pongs = False
        watch = organiser.play.WatchSeat(play_pb2.WatchSeatRequest(match_id=match_id), metadata=bearer(mine.token))
        await watch.read()
        log = store.log(match_id)
        request = bots_pb2.RevokeTokensRequest(bot=mine.name)
        assert (await organiser.bots.RevokeTokens(request, metadata=organiser.metadata)).revoked_count == 1
        check_refusal(await stream.ending(), "TOKEN_UNKNOWN", "revoked")
        await refused(bots.raise_ending(watch), "TOKEN_UNKNOWN", "revoked")
        async with Stream(organiser.address, mine.token) as second:
            check_refusal(await second.ending(), "TOKEN_UNKNOWN", "organiser")
        assert store.log(match_id) == log
        assert (await organiser.bots.RevokeTokens(request, metadata=organiser.metadata)).revoked_count == 0
        made = await organiser.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=mine.name), metadata=organiser.metadata)
        async with Stream(organiser.address, made.token) as third:
            await third.hello()
            assert (await third.decision()).match_id == match_id
