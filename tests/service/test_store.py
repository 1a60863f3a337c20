"""What the service asks of its store, of every store: Valkey and Redis, with both ways of writing to disk."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import redis

from fudaba import valkey
from fudaba_service.metrics import Metrics
from fudaba_service.store import (
    Answer,
    Append,
    Appended,
    MatchGone,
    Store,
    StoredMatch,
    StoreUnavailable,
    beats,
    match_keys,
)
from fudaba_service.store.keys import BEATS, BUCKETS, OUTAGES, replica_channel
from tests.service.processes import RedisServer, short_folder, until
from tests.service.proxy import Proxy

STORED: Final = StoredMatch(b"header", b"seed", b"salt", [])
HOUR: Final = 3_600_000


@pytest.fixture(
    scope="module",
    params=["valkey-everysec", "valkey-always", "redis-everysec", "redis-always"],
)
def server(request: pytest.FixtureRequest, need_tool: Callable[[str], Path]) -> Iterator[RedisServer]:
    """Every store in turn: the Valkey of the wheel and the Redis on PATH."""
    kind, _, appendfsync = request.param.partition("-")
    executable = valkey._in_wheel() if kind == "valkey" else need_tool("redis-server")
    if executable is None:
        pytest.skip("no wheel with a Valkey for this machine")
    with short_folder() as folder, RedisServer(folder, executable, "--appendfsync", appendfsync) as running:
        yield running.start()


@contextlib.asynccontextmanager
async def opened(url: str, replica: str = "one") -> AsyncIterator[Store]:
    """A connected store that commits."""
    store = Store(url, replica, Metrics())
    committing = asyncio.create_task(store.run_commits())
    try:
        await store.connect()
        yield store
    finally:
        committing.cancel()
        await asyncio.gather(committing, return_exceptions=True)
        await store.close()


@pytest.fixture
async def store(server: RedisServer) -> AsyncIterator[Store]:
    """An empty store."""
    with server.client() as client:
        client.flushall()
    async with opened(server.url) as one:
        yield one


@pytest.fixture
async def proxy(server: RedisServer) -> AsyncIterator[Proxy]:
    async with Proxy(server.port).run() as one:
        yield one


def new_id() -> str:
    return f"m-{secrets.token_hex(6)}"


async def created(store: Store, *entries: bytes) -> str:
    """A new match with these entries; its id."""
    match_id = new_id()
    assert await store.create(match_id, store.now_ms(), store.now_ms() + HOUR, STORED)
    for number, entry in enumerate(entries):
        assert await append(store, match_id, list(entries[:number]), entry) == 1
    return match_id


async def append(store: Store, match_id: str, known: list[bytes], *entries: bytes, state: bytes = b"") -> Answer:
    """Appends, as somebody who knows a log to hold `known`; the store's answer."""
    future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    tail = known[-1] if known else b""
    keys = match_keys(match_id).for_append()
    deadline = store.now_ms() + HOUR
    store.append(Append(match_id, len(known), tail, list(entries), deadline, state, future.set_result, keys))
    async with asyncio.timeout(30):
        return await future


async def log(store: Store, match_id: str) -> list[bytes]:
    return (await store.load(match_id, follow=False)).entries


# --- matches


async def test_a_match_is_created_once_and_loaded_as_it_was_stored(store: Store) -> None:
    match_id = new_id()
    raw = StoredMatch(b"h\0\xff", b"\0" * 32, b"\xff" * 16, [])
    assert await store.create(match_id, 1000, 2000, raw)
    assert not await store.create(match_id, 1000, 2000, STORED)
    assert await store.load(match_id, follow=True) == raw
    assert await store.state(match_id) == (b"h\0\xff", 1)
    assert match_id in await store.live_matches()
    assert await store.overdue(1999) == []
    assert await store.overdue(2000) == [match_id]
    await store.postpone(match_id, 1999, 9000)
    assert await store.overdue(2000) == [match_id], "it was not overdue yet: somebody has moved it"
    await store.postpone(match_id, 2000, 5000)
    assert await store.overdue(4999) == []


async def test_a_match_that_is_not_there_is_said_to_be_gone(store: Store) -> None:
    match_id = new_id()
    with pytest.raises(MatchGone):
        await store.load(match_id, follow=True)
    assert await append(store, match_id, [], b"a") == 0
    assert await store.state(match_id) is None
    await store.postpone(match_id, HOUR, 1)
    assert await store.overdue(HOUR) == []


async def test_entries_are_appended_in_order_and_only_to_the_log_that_the_caller_knows(store: Store) -> None:
    match_id = await created(store)
    assert await append(store, match_id, [], b"a", b"b") == 1
    assert await append(store, match_id, [b"a", b"b"], b"\0\r\n", state=b"2") == 1
    assert await log(store, match_id) == [b"a", b"b", b"\0\r\n"]
    assert await store.state(match_id) == (b"header", 2)


@pytest.mark.parametrize(
    ("known", "answer"),
    [
        ([], [3, b"a", b"b", b"c"]),
        ([b"a"], [3, b"b", b"c"]),
        ([b"a", b"b"], [3, b"c"]),
        ([b"x"], -1),
        ([b"a", b"b", b"x"], -1),
        ([b"a", b"b", b"c", b"d"], -1),
    ],
)
async def test_a_log_that_the_caller_does_not_know_is_not_changed_and_its_rest_is_told(
    store: Store, known: list[bytes], answer: Answer
) -> None:
    match_id = await created(store, b"a", b"b", b"c")
    assert await append(store, match_id, known, b"e") == answer
    assert await log(store, match_id) == [b"a", b"b", b"c"]


async def test_of_two_appends_to_the_same_log_one_wins_and_the_other_is_told_the_winners(
    server: RedisServer, store: Store
) -> None:
    match_id = await created(store, b"a")
    async with opened(server.url, "two") as other:
        answers = await asyncio.gather(append(store, match_id, [b"a"], b"one"), append(other, match_id, [b"a"], b"two"))
    entries = await log(store, match_id)
    assert len(entries) == 2
    assert sorted(answers, key=str) == [1, [2, entries[1]]]


async def test_appends_of_many_matches_in_one_batch_each_get_their_own_answer(store: Store) -> None:
    matches = [await created(store, b"a") for _ in range(50)]
    gone = new_id()
    answers = await asyncio.gather(
        *[append(store, m, [b"a"] if n % 3 else [], f"{n}".encode(), b"x" * n) for n, m in enumerate(matches)],
        append(store, gone, [b"a"], b"b"),
    )
    assert answers == [1 if n % 3 else [1, b"a"] for n in range(50)] + [0]
    for n, match_id in enumerate(matches):
        assert await log(store, match_id) == ([b"a", f"{n}".encode(), b"x" * n] if n % 3 else [b"a"])


async def test_other_replicas_that_follow_a_match_are_told_of_new_entries_and_the_author_is_not(
    server: RedisServer, store: Store
) -> None:
    match_id, other_match = await created(store), await created(store)
    heard: dict[str, list[str | list[Appended]]] = {"one": [], "two": []}

    async def hear(listener: Store) -> None:
        async for news in listener.listen():
            heard[listener.replica].append(news)

    async with opened(server.url, "two") as two:
        listening = [asyncio.create_task(hear(s)) for s in (store, two)]
        await until(lambda: heard["one"] and heard["two"])
        await store.load(match_id, follow=True)
        await two.load(match_id, follow=True)
        await two.load(other_match, follow=False)
        await append(store, match_id, [], b"a", b"b")
        await append(store, match_id, [b"a", b"b"], b"c\x00")
        await append(store, other_match, [], b"a")
        await store.tell("hello all")
        await until(lambda: all("hello all" in news for news in heard.values()))
        for task in listening:
            task.cancel()
        await asyncio.gather(*listening, return_exceptions=True)
    assert heard["one"] == ["", "hello all"]
    first, second = Appended(match_id, 0, b"", [b"a", b"b"]), Appended(match_id, 2, b"b", [b"c\x00"])
    assert heard["two"] == ["", [first], [second], "hello all"]


async def test_a_finished_match_leaves_the_store_and_its_id_stays_taken(server: RedisServer, store: Store) -> None:
    match_id = await created(store, b"a", b"b")
    await store.offer(match_id, ["x/1", "y/1"])
    await store.load(match_id, follow=True)
    assert await store.finish(match_id, 1234, ["x/1", "y/1"], 2, b"b") == 1
    assert await store.finish(match_id, 1234, ["x/1", "y/1"], 2, b"b") == 0
    with pytest.raises(MatchGone):
        await store.load(match_id, follow=True)
    assert await append(store, match_id, [b"a", b"b"], b"c") == 0
    assert not await store.create(match_id, 1, 1, STORED)
    assert match_id not in await store.live_matches()
    assert (await store.recent_matches())[match_id] == 1234
    assert await store.overdue(10**15) == []
    assert await store.matches_of("x/1") == []
    with server.client() as client:
        left: Any = client.keys(f"*{match_id}*")
    assert left == [match_keys(match_id).gone.encode()]


@pytest.mark.parametrize(("length", "tail"), [(1, b"a"), (2, b"x"), (3, b"b")])
async def test_a_match_whose_log_is_not_the_archived_one_stays_in_the_store(
    store: Store, length: int, tail: bytes
) -> None:
    match_id = await created(store, b"a", b"b")
    assert await store.finish(match_id, 1234, [], length, tail) == -1
    assert await log(store, match_id) == [b"a", b"b"]
    assert match_id in await store.live_matches()


async def test_matches_spread_over_all_buckets_are_all_found(store: Store) -> None:
    matches = {await created(store) for _ in range(8 * BUCKETS)}
    assert set(await store.live_matches()) == matches
    assert set(await store.overdue(store.now_ms() + 2 * HOUR)) == matches


async def test_offers_are_kept_for_each_bot_and_withdrawn(store: Store) -> None:
    await store.offer("m2", ["x/1", "y/1"])
    await store.offer("m1", ["x/1"])
    assert await store.matches_of("x/1") == ["m1", "m2"]
    assert await store.matches_of("y/1") == ["m2"]
    await store.withdraw_offer("m2", "x/1")
    assert await store.matches_of("x/1") == ["m1"]


async def test_withheld_matches_are_known_until_they_are_released_once(store: Store) -> None:
    await store.withhold("m1")
    await store.withhold("m2")
    assert await store.withheld(["m1", "m2", "m3"]) == [True, True, False]
    assert await store.release(["m1", "m3"]) == 1
    assert await store.release(["m1"]) == 0
    assert await store.release([]) == 0
    assert await store.withheld(["m1", "m2"]) == [False, True]
    assert await store.withheld([]) == []


# --- bots and tokens


async def test_bots_are_swapped_only_when_nobody_else_did_it_before(store: Store) -> None:
    assert await store.get_bot("x") is None
    assert await store.swap_bot("x", None, b"1")
    assert not await store.swap_bot("x", None, b"2")
    assert not await store.swap_bot("x", b"0", b"2")
    assert await store.swap_bot("x", b"1", b"\xff2")
    assert await store.get_bot("x") == b"\xff2"
    assert await store.swap_bot("a", None, b"3")
    assert await store.all_bots() == [b"3", b"\xff2"]


async def test_tokens_are_known_by_their_digest_until_they_are_dropped(store: Store) -> None:
    await store.put_token("d1", b"one")
    await store.put_token("d2", b"two")
    assert await store.get_token("d1") == b"one"
    assert await store.get_token("d3") is None
    assert await store.all_tokens() == {"d1": b"one", "d2": b"two"}
    assert await store.drop_tokens(["d1", "d3"]) == 1
    assert await store.drop_tokens([]) == 0
    assert await store.get_token("d1") is None


# --- replicas


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is late by some seconds, as these tests may be, is not dead yet."""
    monkeypatch.setattr(beats, "_DEAD_AFTER_MS", 10_000)


async def beaten(store: Store) -> tuple[int, int]:
    """Notes that a replica is alive; the store's time before and after that."""
    before = store.now_ms()
    await store.beat()
    return before - 5, store.now_ms() + 5  # each reading of the store's clock makes it a bit more exact


@pytest.mark.usefixtures("patient")
async def test_a_time_without_a_heartbeat_is_an_outage_and_a_time_with_one_is_none(
    server: RedisServer, store: Store
) -> None:
    await store.beat()
    await store.beat()
    assert await store.outages() == []
    with server.client() as client:
        long_ago = store.now_ms() - 12_000
        client.hset(BEATS, mapping={"dead": long_ago, "one": long_ago, "forgotten": 1})
        before, after = await beaten(store)
        start, end = (await store.outages())[0]
        assert start == long_ago
        assert before <= end <= after
        assert beating(client) == {"one"}
        noted = await store.outages()
        await store.beat()
        assert await store.outages() == noted
        for number in range(150):
            client.rpush(OUTAGES, f"{number}-{number}")
        client.hset(BEATS, mapping={"one": long_ago})
        await store.beat()
        assert len(await store.outages()) == 100


def beating(client: redis.Redis) -> set[str]:
    names: Any = client.hkeys(BEATS)
    return {name.decode() for name in names}


@pytest.mark.usefixtures("patient")
async def test_a_replica_that_is_gone_was_an_outage_until_that_was_noticed(server: RedisServer, store: Store) -> None:
    await store.beat()
    with server.client() as client:
        last = store.now_ms() - 11_000
        client.hset(BEATS, "killed", last)
        before, after = await beaten(store)
        [(start, end)] = await store.outages()
        assert start == last
        assert before <= end <= after
        assert beating(client) == {"one"}


@pytest.mark.usefixtures("patient")
async def test_a_replica_that_is_frozen_is_an_outage_until_it_goes_on_or_its_bots_have_left_it(
    server: RedisServer, store: Store
) -> None:
    await store.beat()
    with server.client() as client, client.pubsub() as subscribed:  # type: ignore[no-untyped-call]  # redis-py
        subscribed.subscribe(replica_channel("frozen"))
        assert subscribed.get_message(timeout=5) is not None
        last = store.now_ms() - 11_000
        client.hset(BEATS, "frozen", last)
        before, after = await beaten(store)
        [(start, end)] = await store.outages()
        assert start == last
        assert before <= end <= after
        client.hset(BEATS, "frozen", last - 20_000)
        await store.beat()
        assert await store.outages() == [(last - 20_000, last - 5_000)]
        client.hset(BEATS, "frozen", store.now_ms())
        await store.beat()
        assert await store.outages() == []


@pytest.mark.usefixtures("patient")
async def test_a_replica_that_begins_notes_even_a_short_gap_and_one_that_leaves_notes_that(
    server: RedisServer, store: Store
) -> None:
    await store.beat()
    await store.leave()
    with server.client() as client:
        [(start, end)] = await store.outages()
        assert start == end
        assert beating(client) == {""}
        await asyncio.sleep(0.02)
        other = Store(store.url, "other", Metrics())
        try:
            await other.beat()
            assert [a for a, _ in await other.outages()] == [start, start]
            await asyncio.sleep(0.02)
            await other.beat()
            assert len(await other.outages()) == 2
        finally:
            await other.close()


async def test_all_replicas_share_the_stores_clock(store: Store) -> None:
    before, there, after = time.time() * 1000, store.now_ms(), time.time() * 1000
    assert before - 1_000 < there < after + 1_000


async def test_an_answer_that_was_long_on_its_way_does_not_put_the_clock_back(store: Store, proxy: Proxy) -> None:
    async with opened(f"redis://{proxy.address}/0", "two") as far:
        proxy.delay = 1.0
        await far.beat()
        before, there, after = store.now_ms(), far.now_ms(), store.now_ms()
        assert before - 500 < there < after + 500


# --- faults


def is_append(request: bytes) -> bool:
    return b"EVALSHA" in request


@pytest.mark.parametrize("conflict", [False, True])
async def test_a_lost_answer_is_asked_for_again_and_never_doubles_an_entry(
    store: Store, proxy: Proxy, conflict: bool
) -> None:
    match_id = await created(store, b"a")
    async with opened(f"redis://{proxy.address}/0", "two") as behind:
        assert await append(behind, match_id, [b"a"], b"b") == 1
        proxy.cut_answer_to(is_append, refuse=True)
        asking = asyncio.create_task(append(behind, match_id, [b"a", b"b"], b"c", b"d"))
        await until(lambda: proxy.cuts)
        if conflict:
            assert await append(store, match_id, [b"a", b"b", b"c", b"d"], b"e") == 1
        proxy.accept()
        # It was appended, and the answer to the second try shows it.
        assert await asking == ([5, b"c", b"d", b"e"] if conflict else [4, b"c", b"d"])
    assert await log(store, match_id) == [b"a", b"b", b"c", b"d", *([b"e"] if conflict else [])]


async def test_a_request_that_never_arrived_is_sent_again(store: Store, proxy: Proxy) -> None:
    match_id = await created(store)
    async with opened(f"redis://{proxy.address}/0", "two") as behind:
        proxy.refuse()
        asking = [asyncio.create_task(append(behind, m, [], b"a")) for m in (match_id, new_id())]
        await until(lambda: not behind.available)
        with pytest.raises(StoreUnavailable):
            await behind.ping()
        assert not asking[0].done()
        proxy.accept()
        assert await asyncio.gather(*asking) == [1, 0]
    assert await log(store, match_id) == [b"a"]


async def test_appends_that_wait_for_a_frozen_store_are_made_once(store: Store, proxy: Proxy) -> None:
    matches = [await created(store) for _ in range(20)]
    async with opened(f"redis://{proxy.address}/0", "two") as behind:
        proxy.freeze()
        asking = [asyncio.create_task(append(behind, m, [], b"a")) for m in matches]
        await asyncio.sleep(0.3)
        assert not any(task.done() for task in asking)
        proxy.thaw()
        assert await asyncio.gather(*asking) == [1] * 20
    for match_id in matches:
        assert await log(store, match_id) == [b"a"]


async def test_scripts_that_the_store_has_forgotten_are_loaded_again(server: RedisServer, store: Store) -> None:
    match_id = await created(store, b"a")
    with server.client() as client:
        client.script_flush()
        assert await append(store, match_id, [b"a"], b"b") == 1
        client.script_flush()
        assert await log(store, match_id) == [b"a", b"b"]
        client.script_flush()
        assert await store.finish(match_id, 1, [], 2, b"b") == 1
        client.script_flush()
        assert await store.create(new_id(), 1, 1, STORED)


async def test_idle_connections_that_a_restart_has_cut_cost_nobody_an_error(server: RedisServer, store: Store) -> None:
    await asyncio.gather(*[store.ping() for _ in range(20)])
    await asyncio.to_thread(server.terminate)
    await asyncio.to_thread(server.start)
    await asyncio.gather(*[store.ping() for _ in range(20)], created(store), store.put_token("digest", b"owner"))
    assert await store.get_token("digest") == b"owner"


async def test_what_was_changed_though_the_reply_was_lost_is_recognised_when_it_is_sent_again(
    store: Store, proxy: Proxy
) -> None:
    async with opened(f"redis://{proxy.address}/0", "two") as other:
        changes: tuple[Callable[[], Awaitable[bool]], ...] = (
            lambda: other.create("m-lost", 1, HOUR, STORED),
            lambda: other.swap_bot("lost", None, b"new"),
            lambda: other.swap_bot("lost", b"new", b"newer"),
        )
        for number, change in enumerate(changes):
            proxy.cut_answer_to(lambda data: b"EVAL" in data)
            assert await change()
            assert proxy.cuts == number + 1
        assert await other.get_bot("lost") == b"newer"
        assert not await other.create("m-lost", 1, HOUR, STORED._replace(salt=b"other"))
        assert not await other.swap_bot("lost", b"new", b"newest")


async def test_what_was_answered_is_there_after_the_store_was_restarted(server: RedisServer, store: Store) -> None:
    match_id = await created(store, b"a")
    heard: list[str | list[Appended]] = []

    async def hear() -> None:
        async for news in store.listen():
            heard.append(news)  # noqa: PERF401  it is read while it grows

    listening = asyncio.create_task(hear())
    await until(lambda: heard)
    await asyncio.to_thread(server.terminate)
    asking = asyncio.create_task(append(store, match_id, [b"a"], b"b"))
    for operation in (store.ping(), store.beat(), store.load(match_id, follow=True), store.matches_of("x/1")):
        with pytest.raises(StoreUnavailable):
            await operation
    await asyncio.to_thread(server.start)
    assert await asking == 1
    assert await log(store, match_id) == [b"a", b"b"]
    await until(lambda: len(heard) > 1)
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    assert heard[1] == ""


async def test_what_was_answered_and_written_to_disk_survives_a_kill(server: RedisServer, store: Store) -> None:
    matches = [await created(store, b"a") for _ in range(5)]
    await asyncio.gather(*[append(store, m, [b"a"], b"b") for m in matches])
    if "everysec" in server.options:
        await asyncio.sleep(1.1)  # the kernel has it at once; the disk within a second
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)
    with contextlib.suppress(StoreUnavailable):  # the old connection is found broken when it is used
        await store.ping()
    for match_id in matches:
        assert await log(store, match_id) == [b"a", b"b"]


async def test_a_store_that_is_full_takes_nothing_and_everything_once_there_is_room(
    server: RedisServer, store: Store
) -> None:
    match_id = await created(store, b"a")
    with server.client() as client:
        client.config_set("maxmemory", "1mb")
        client.config_set("maxmemory-policy", "noeviction")
        try:
            client.config_set("maxmemory", "1kb")
            asking = asyncio.create_task(append(store, match_id, [b"a"], b"b"))
            await until(lambda: not store.available)
            with pytest.raises(StoreUnavailable, match="memory"):
                await store.create(new_id(), 1, 1, STORED)
            assert await log(store, match_id) == [b"a"]
        finally:
            client.config_set("maxmemory", "0")
    assert await asking == 1
    assert await log(store, match_id) == [b"a", b"b"]


async def test_a_store_that_became_a_replica_takes_nothing_until_it_is_a_primary_again(
    server: RedisServer, store: Store
) -> None:
    match_id = await created(store, b"a")
    with server.client() as client:
        client.slaveof("127.0.0.1", 1)
        try:
            asking = asyncio.create_task(append(store, match_id, [b"a"], b"b"))
            await until(lambda: not store.available)
            with pytest.raises(StoreUnavailable, match=r"(?i)read.?only"):
                await store.create(new_id(), 1, 1, STORED)
        finally:
            client.slaveof()
    assert await asking == 1
    assert await log(store, match_id) == [b"a", b"b"]


async def test_drained_means_that_every_append_is_answered(store: Store) -> None:
    match_id = await created(store)
    await store.drained()
    asking = asyncio.create_task(append(store, match_id, [], b"a"))
    await asyncio.sleep(0)
    await store.drained()
    await asyncio.sleep(0)
    assert asking.done()
