"""Faults of every store: what is asked of it meanwhile is done once, or said to be impossible."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Final

import pytest

from fudaba_service.metrics.service_metrics import Metrics
from fudaba_service.store import Answer, Append, Appended, Store, StoreUnavailable, match_keys
from fudaba_service.store.silence import PATIENCE
from tests.support import patience
from tests.support.patience import until
from tests.support.service.processes import RedisServer
from tests.support.service.proxy import Proxy, appends
from tests.support.service.stores import HOUR_MS, STORED, append, created, emptied, log, new_id, opened

APPENDED: Final = (1, [2, b"b"])
"""The answers to an append of `b` after `a`. A try whose answer is late is sent again, and finds its entry there."""


@pytest.fixture
async def store(server: RedisServer) -> AsyncIterator[Store]:
    """Yields an empty store."""
    async with emptied(server) as opened_store:
        yield opened_store


async def test_a_commit_that_is_stopped_among_many_answers_gives_the_others_once_when_it_goes_on(
    server: RedisServer, store: Store
) -> None:
    matches = [await created(store) for _ in range(250)]
    stopping = Store(server.url, "two", Metrics())
    await stopping.connect()
    answers: dict[str, list[Answer]] = {match_id: [] for match_id in matches}
    committing = asyncio.create_task(stopping.commits.run())

    def note(match_id: str, answer: Answer) -> None:
        answers[match_id].append(answer)
        committing.cancel()

    for match_id in matches:
        keys = match_keys(match_id).for_append()
        stopping.commits.submit(
            Append(match_id, 0, b"", [match_id.encode()], HOUR_MS, b"", partial(note, match_id), keys)
        )
    await asyncio.wait([committing])
    assert 0 < sum(map(len, answers.values())) < len(matches)
    again = asyncio.create_task(stopping.commits.run())
    await stopping.commits.drained()
    again.cancel()
    await asyncio.gather(again, return_exceptions=True)
    await stopping.close()
    # An answer that was not passed on comes again as that to a second try: it is in the log already.
    assert all(answer in ([1], [[1, match_id.encode()]]) for match_id, answer in answers.items())
    for match_id in matches:
        assert await log(store, match_id) == [match_id.encode()]


@pytest.mark.parametrize("conflict", [False, True])
async def test_a_lost_answer_is_asked_for_again_and_never_doubles_an_entry(
    store: Store, proxy: Proxy, conflict: bool
) -> None:
    match_id = await created(store, b"a")
    async with opened(f"redis://{proxy.address}/0", "two") as behind:
        assert await append(behind, match_id, [b"a"], b"b") == 1
        proxy.cut_answer_to(appends, refuse=True)
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
        await until(lambda: not behind.commits.available)
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
        # One that was sent again, since the store was silent for too long, is in the log already.
        assert all(answer in (1, [1, b"a"]) for answer in await asyncio.gather(*asking))
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
        assert await store.matches.finish(match_id, [], 2, b"b") == 1
        client.script_flush()
        assert await store.matches.create(new_id(), 1, 1, STORED)


async def test_idle_connections_that_a_restart_has_cut_cost_nobody_an_error(server: RedisServer, store: Store) -> None:
    await asyncio.gather(*[store.ping() for _ in range(20)])
    await asyncio.to_thread(server.terminate)
    await asyncio.to_thread(server.start)
    await asyncio.gather(*[store.ping() for _ in range(20)], created(store), store.tokens.put("digest", b"owner", 0))
    assert await store.tokens.find("digest") == (b"owner", b"")


async def added(store: Store, action: bytes) -> bool:
    for _ in range(2):  # whoever had no answer tries again
        await store.actions.add(action, "its id")
    return True


async def test_what_was_changed_though_the_reply_was_lost_is_recognised_when_it_is_sent_again(
    store: Store, proxy: Proxy
) -> None:
    async with opened(f"redis://{proxy.address}/0", "two") as other:
        changes: tuple[Callable[[], Awaitable[bool]], ...] = (
            lambda: other.matches.create("m-lost", 1, HOUR_MS, STORED),
            lambda: other.bots.swap("lost", None, b"new"),
            lambda: other.bots.swap("lost", b"new", b"newer"),
            lambda: other.bots.swap("lost", b"newer", None),
            lambda: other.accounts.link("issuer subject", "lost"),
            lambda: added(other, b"an action"),
        )
        for number, change in enumerate(changes):
            proxy.cut_answer_to(lambda data: b"EVAL" in data)
            assert await change()
            assert proxy.cuts == number + 1
        assert await other.bots.get("lost") is None
        assert await other.actions.after(0, 10) == [b"an action"]
        await other.actions.add(b"an action", "another id")  # somebody else does the same in the same millisecond
        assert await other.actions.count() == 2
        assert not await other.accounts.link("issuer subject", "lost")
        assert not await other.matches.create("m-lost", 1, HOUR_MS, STORED._replace(salt=b"other"))
        assert not await other.bots.swap("lost", b"new", b"newest")


async def test_what_was_answered_is_there_after_the_store_was_restarted(server: RedisServer, store: Store) -> None:
    match_id = await created(store, b"a")
    heard: list[str | list[Appended]] = []

    async def hear() -> None:
        async for news in store.replicas.listen():
            heard.append(news)  # noqa: PERF401  it is read while it grows

    listening = asyncio.create_task(hear())
    await until(lambda: heard)
    await asyncio.to_thread(server.terminate)
    asking = asyncio.create_task(append(store, match_id, [b"a"], b"b"))
    for operation in (
        store.ping(),
        store.replicas.beat(),
        store.matches.load(match_id, follow=True),
        store.index.matches_of("x/1"),
    ):
        with pytest.raises(StoreUnavailable):
            await operation
    await asyncio.to_thread(server.start)
    assert await asking in APPENDED
    assert await log(store, match_id) == [b"a", b"b"]
    await until(lambda: len(heard) > 1)
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    assert heard[1] == ""


async def test_what_was_answered_and_written_to_disk_survives_a_kill(server: RedisServer, store: Store) -> None:
    matches = [await created(store, b"a") for _ in range(5)]
    await asyncio.gather(*[append(store, m, [b"a"], b"b") for m in matches])
    # With `everysec` a busy disk lets the log lag behind the answers. What the kernel has outlives the server.
    with server.client() as client:
        await until(lambda: client.info("persistence")["aof_buffer_length"] == 0, "all is written")
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
            await until(lambda: not store.commits.available)
            with pytest.raises(StoreUnavailable, match="memory"):
                await store.matches.create(new_id(), 1, 1, STORED)
            assert await log(store, match_id) == [b"a"]
        finally:
            client.config_set("maxmemory", "0")
    assert await asking in APPENDED
    assert await log(store, match_id) == [b"a", b"b"]


async def test_a_store_that_became_a_replica_takes_nothing_until_it_is_a_primary_again(
    server: RedisServer, store: Store
) -> None:
    match_id = await created(store, b"a")
    with server.client() as client:
        client.slaveof("127.0.0.1", 1)
        try:
            asking = asyncio.create_task(append(store, match_id, [b"a"], b"b"))
            await until(lambda: not store.commits.available)
            with pytest.raises(StoreUnavailable, match=r"(?i)read.?only"):
                await store.matches.create(new_id(), 1, 1, STORED)
        finally:
            client.slaveof()
    assert await asking in APPENDED
    assert await log(store, match_id) == [b"a", b"b"]


async def test_drained_means_that_every_append_is_answered(store: Store) -> None:
    match_id = await created(store)
    await store.commits.drained()
    asking = asyncio.create_task(append(store, match_id, [], b"a"))
    await asyncio.sleep(0)
    await store.commits.drained()
    await asyncio.sleep(0)
    assert asking.done()


async def test_while_an_append_has_no_answer_the_store_is_silent_although_heartbeats_have_theirs(
    store: Store, proxy: Proxy
) -> None:
    match_id = await created(store)
    async with opened(f"redis://{proxy.address}/0", "two") as stalled, asyncio.timeout(patience.PATIENCE):
        proxy.hold(appends)
        appending = asyncio.create_task(append(stalled, match_id, [], b"entry"))
        while stalled.silence.seconds() < 2 * PATIENCE:
            await stalled.replicas.beat()
            await asyncio.sleep(0.02)
        proxy.release()
        assert await appending == 1
