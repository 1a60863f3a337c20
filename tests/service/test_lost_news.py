"""What replicas are told only once, while nobody tells them: they look it up as soon as they are told again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from grpc import aio

from fudaba.v1 import bots_pb2, game_pb2, matches_pb2, play_pb2
from fudaba_service.store import keys, match_keys
from tests.support.patience import PATIENCE, until
from tests.support.service import bots
from tests.support.service.bots import Stream, bearer, play_match
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.in_progress import started
from tests.support.service.organiser import PATIENT, Entrant, Organiser, check_refusal
from tests.support.service.processes import RedisServer, Service
from tests.support.service.proxy import Proxy


class Replicas(NamedTuple):
    """Two of them; the second one hears of Redis over a proxy."""

    here: Organiser
    there: Organiser
    proxy: Proxy
    redis: RedisServer

    async def revoke(self, entrant: Entrant) -> int:
        request = bots_pb2.RevokeTokensRequest(bot=entrant.name)
        return int((await self.here.bots.RevokeTokens(request, metadata=self.here.metadata)).revoked_count)

    @property
    def subscribers(self) -> int:
        """The number of replicas that are told news."""
        with self.redis.client() as client:
            view: Any = client
            return sum(count for _, count in view.pubsub_numsub(*view.pubsub_channels("fudaba:*:everybody")))


@pytest.fixture
async def replicas(folder: Path, redis: RedisServer) -> AsyncIterator[Replicas]:
    async with contextlib.AsyncExitStack() as stack:
        first = stack.enter_context(started(folder, redis, "one"))
        proxy = await stack.enter_async_context(Proxy(redis.port).run())
        url = f"redis://127.0.0.1:{proxy.port}/0"
        two = stack.enter_context(Service(folder, "--redis", url, name="two", data=folder / "data"))
        stack.callback(lambda: assert_no_fault(two))
        await asyncio.to_thread(two.start)
        here = await stack.enter_async_context(Organiser(first.address, first.token))
        there = await stack.enter_async_context(Organiser(two.address, first.token))
        yield Replicas(here, there, proxy, redis)


@contextlib.asynccontextmanager
async def streams_of(replicas: Replicas, entrant: Entrant, match_id: str) -> AsyncIterator[list[Any]]:
    """Yields all that a bot can have open at the second replica; each item waits for how that ends."""
    async with Stream(replicas.there.address, entrant.token) as stream:
        stream.pongs = False  # a client that writes while its stream ends loses the reason
        await stream.hello()
        await stream.update()
        metadata = bearer(entrant.token)
        seat = replicas.there.play.WatchSeat(play_pb2.WatchSeatRequest(match_id=match_id), metadata=metadata)
        match = replicas.there.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id), metadata=metadata)
        for watch in (seat, match):
            await watch.read()
        waiting = matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=60_000)
        call = replicas.there.matches.AwaitMatch(waiting, metadata=metadata)
        yield [stream.ending(), bots.check_ended(seat), bots.check_ended(match), ended_badly(call)]


async def ended_badly(call: Any) -> aio.AioRpcError:
    try:
        await call
    except aio.AioRpcError as error:
        return error
    raise AssertionError("the call ended well")


async def all_end(endings: list[Any], reason: str, *words: str) -> None:
    for error in await asyncio.gather(*endings):
        check_refusal(error, reason, *words)


def by_the_organiser(replicas: Replicas, entrant: Entrant) -> Any:
    """The second replica is told nothing before the token is revoked."""

    async def revoke() -> None:
        replicas.proxy.lose_news()
        await until(lambda: replicas.subscribers == 1, "the end of the subscription")
        assert await replicas.revoke(entrant) == 1
        replicas.proxy.deliver_news()

    return revoke()


def as_the_subscriptions_end(replicas: Replicas, entrant: Entrant) -> Any:
    """Both at once: no replica hears that the token is revoked."""

    async def revoke() -> None:
        with replicas.redis.client() as client, client.pipeline(transaction=True) as pipeline:
            view: Any = client
            [channel] = view.pubsub_channels("fudaba:*:everybody")
            pipeline.client_kill_filter(_type="pubsub")
            pipeline.hdel(keys.TOKENS, sha256(entrant.token.encode()).hexdigest())
            pipeline.publish(channel, f"revoked {entrant.name}")
            _, there, heard = pipeline.execute()  # one may just be about to subscribe anew
        assert (there, heard) == (1, 0)

    return revoke()


@pytest.mark.parametrize("lose", [by_the_organiser, as_the_subscriptions_end])
async def test_a_token_that_is_revoked_while_nobody_is_told_ends_all_that_is_open_with_it(
    replicas: Replicas, lose: Callable[[Replicas, Entrant], Any]
) -> None:
    entrant, other = await replicas.here.entrant(), await replicas.here.entrant()
    match_id = await replicas.here.match(entrant, other, clock=PATIENT)
    async with Stream(replicas.there.address, other.token) as untouched:
        await untouched.hello()
        await untouched.update()
        async with streams_of(replicas, entrant, match_id) as endings:
            await untouched.decision()
            await lose(replicas, entrant)
            await all_end(endings, "TOKEN_UNKNOWN")
        assert await untouched.quiet()


async def test_a_token_is_revoked_and_told_in_one_step_also_when_it_is_asked_for_again(replicas: Replicas) -> None:
    """Without an answer nobody knows whether tokens are gone; whoever asks again has the streams ended."""
    entrant, other = await replicas.here.entrant(), await replicas.here.entrant()
    match_id = await replicas.here.match(entrant, other, clock=PATIENT)
    async with streams_of(replicas, entrant, match_id) as endings:
        with replicas.redis.client() as client:
            client.hdel(keys.TOKENS, sha256(entrant.token.encode()).hexdigest())
        assert await replicas.revoke(entrant) == 0
        await all_end(endings, "TOKEN_UNKNOWN", "revoked")


@pytest.mark.parametrize("newer", ["told", "not told"])
async def test_of_two_streams_at_two_replicas_the_newer_one_stays_when_the_news_of_it_were_lost(
    replicas: Replicas, newer: str
) -> None:
    entrant = await replicas.here.entrant()
    first, second = (replicas.there, replicas.here) if newer == "told" else (replicas.here, replicas.there)
    async with Stream(first.address, entrant.token) as older:
        older.pongs = False
        await older.hello()
        match_id = await replicas.here.match(entrant, await replicas.here.entrant(), clock=PATIENT)
        await older.update()
        # Its call comes only now: of two that are opened at once, a slow replica may have the older one come later.
        async with Stream(second.address, entrant.token) as stays:
            replicas.proxy.lose_news()
            await until(lambda: replicas.subscribers == 1, "the end of the subscription")
            await stays.hello()
            assert (await stays.update()).match_id == match_id
            replicas.proxy.deliver_news()
            check_refusal(await older.ending(), "SUPERSEDED", "newer stream")
            await until(lambda: replicas.subscribers == 2, "the subscription")
            assert await stays.quiet()


async def test_a_stream_is_not_taken_for_an_older_one_when_the_clock_of_the_store_was_set_back(
    replicas: Replicas,
) -> None:
    entrant = await replicas.here.entrant()
    ahead = f"{4_000_000_000_000:015}-of-the-future"
    with replicas.redis.client() as client:
        view: Any = client
        view.hset(keys.STREAMS, f"{entrant.name}/1", ahead)
        match_id = await replicas.here.match(entrant, await replicas.here.entrant(), clock=PATIENT)
        for caller in (replicas.here, replicas.there):
            async with Stream(caller.address, entrant.token) as stream:
                await stream.hello()
                assert (await stream.update()).match_id == match_id
        assert view.hget(keys.STREAMS, f"{entrant.name}/1").decode() > ahead


async def test_a_stream_whose_id_the_store_has_lost_goes_on(replicas: Replicas) -> None:
    entrant = await replicas.here.entrant()
    await replicas.here.match(entrant, await replicas.here.entrant(), clock=PATIENT)
    async with Stream(replicas.there.address, entrant.token) as stream:
        await stream.hello()
        await stream.update()
        with replicas.redis.client() as client:
            view: Any = client
            view.delete(keys.STREAMS)
            view.client_kill_filter(_type="pubsub")
            await until(lambda: view.hexists(keys.STREAMS, f"{entrant.name}/1"), "the id of the stream")
        assert await stream.quiet()


async def test_a_decision_is_put_again_after_a_gap_to_a_seat_whose_stored_answer_may_have_been_lost_in_it(
    replicas: Replicas,
) -> None:
    entrants = await replicas.here.entrant(), await replicas.here.entrant()
    match_id = await replicas.here.match(*entrants, clock=PATIENT)
    request = play_pb2.WatchSeatRequest(match_id=match_id)
    other = replicas.here.play.WatchSeat(request, metadata=bearer(entrants[0].token))
    mine = replicas.there.play.WatchSeat(request, metadata=bearer(entrants[1].token))
    await other.read()
    first = await next_decision(mine)
    with replicas.redis.client() as client:
        kept: Any = client.llen(match_keys(match_id).log)
        replicas.proxy.lose_news()
        await until(lambda: replicas.subscribers == 1, "the end of the subscription")
        answer = play_pb2.Answer(match_id=match_id, decision_id=first.decision_id, index=2)
        submit = play_pb2.SubmitMoveRequest(answer=answer)
        await replicas.here.play.SubmitMove(submit, metadata=bearer(entrants[1].token))
        client.ltrim(match_keys(match_id).log, 0, kept - 1)  # as a failover may
    replicas.proxy.deliver_news()
    again = await next_decision(mine)
    assert again.decision_id == first.decision_id
    stored = await replicas.there.play.SubmitMove(submit, metadata=bearer(entrants[1].token))
    assert not stored.repeated_call
    for watch in (mine, other):
        watch.cancel()


async def next_decision(watch: Any) -> play_pb2.Decision:
    """Returns the next decision that is put to a seat that is watched."""
    async with asyncio.timeout(PATIENCE):
        while not (update := (await watch.read()).update).HasField("decision"):
            pass
    decision: play_pb2.Decision = update.decision
    return decision


async def test_a_seat_whose_match_has_ended_and_is_archived_is_told_the_end_and_no_other_history(
    replicas: Replicas,
) -> None:
    entrants = await replicas.here.entrant(), await replicas.here.entrant()
    options = {"deals": game_pb2.OptionValue(number=2)}
    match_id = await replicas.here.match(*entrants, game="tashot", options=options, clock=PATIENT)
    request = play_pb2.WatchSeatRequest(match_id=match_id)
    watch = replicas.there.play.WatchSeat(request, metadata=bearer(entrants[0].token))
    assert (await watch.read()).update.HasField("started")
    replicas.proxy.lose_news()
    address = replicas.here.address
    await play_match(*[bots.Bot(address, entrant.token, bots.by_index) for entrant in entrants])
    with replicas.redis.client() as client:
        await until(lambda: not client.exists(match_keys(match_id).meta), "the end of the match in the store")
    replicas.proxy.deliver_news()
    while not (update := (await watch.read()).update).HasField("over"):
        assert not update.rewound
    assert not update.rewound
