"""Two stores in two databases of one server, whose channels are the same for both; and a store among two releases."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from typing import Any, Final

import pytest

from fudaba_service.store import Store, keys
from fudaba_service.store.beats import Beats
from fudaba_service.store.channels import EARLIER
from fudaba_service.store.shared_time import SharedTime
from tests.support.patience import PATIENCE
from tests.support.service.processes import RedisServer
from tests.support.service.stores import HOUR_MS, STORED, new_id, opened

LAST: Final = "room last"


async def heard(store: Store, tell: Callable[[], Any]) -> list[object]:
    """Returns the news that a replica hears before the news `LAST`, which come after the others."""
    news: list[object] = []
    async with asyncio.timeout(PATIENCE), aclosing(store.replicas.listen()) as listening:
        async for message in listening:
            if message == "":
                await tell()
                await store.replicas.tell(LAST)
            elif message == LAST:
                break
            else:
                news.append(message)
    return news


async def tell_everything(store: Store) -> None:
    """Does all by which a replica tells the others."""
    await store.replicas.tell("open match")
    await store.streams.open("bot/1", "nonce", store.streams.opening())
    await store.places.arrive("bot/1", "000000000000009-a", 1)
    await store.places.pause("bot/1", paused=True)
    await store.accounts.bar("author", b"why", "revoked account:author")
    await store.tokens.put("old", b"{}", 0)
    await store.tokens.replace("old", "new", b"{}", 0, "revoked token:old")
    await store.tokens.drop(["new"], "revoked token:new")
    match_id, now_ms = new_id(), store.now_ms()
    assert await store.matches.create(match_id, now_ms, now_ms + HOUR_MS, STORED, players=["bot/1"])
    await store.places.hold("bot/1", gone=[], begun=["over"])
    await store.places.give_back("bot/1", "over")
    await store.matches.finish("lost", ["bot/1"], 0, b"", [("bot/1", b"end")])


ALL: Final = {"open", "stream", "room", "paused", "revoked", "offer", "ended"}


@asynccontextmanager
async def two_databases(server: RedisServer) -> AsyncIterator[tuple[Store, Store]]:
    with server.client() as client:
        client.flushall()
    async with AsyncExitStack() as stack:
        urls = server.url, server.url.removesuffix("0") + "1"
        first, second = [await stack.enter_async_context(opened(url, f"replica-{url[-1]}")) for url in urls]
        yield first, second


async def test_a_replica_hears_all_that_its_own_store_is_told(server: RedisServer) -> None:
    async with two_databases(server) as (here, _):
        news = await heard(here, lambda: tell_everything(here))
        assert {str(message).split(" ")[0] for message in news} == ALL


async def test_a_store_in_another_database_is_not_heard(server: RedisServer) -> None:
    async with two_databases(server) as (here, there):
        assert await heard(here, lambda: tell_everything(there)) == []


async def test_a_copy_of_the_store_in_another_database_is_not_heard(server: RedisServer) -> None:
    async with two_databases(server) as (here, _):
        with server.client() as client:
            assert client.copy(keys.SERVICE, keys.SERVICE, destination_db="1", replace=True)
        async with opened(server.url.removesuffix("0") + "1", "copy") as copy:
            assert copy.service_id == here.service_id
            assert await heard(here, lambda: tell_everything(copy)) == []


async def test_two_services_in_two_databases_each_keep_the_newest_stream_of_a_bot(server: RedisServer) -> None:
    async with two_databases(server) as (here, there):
        mine = await here.streams.open("bot/1", "mine", here.streams.opening())
        await there.streams.open("bot/1", "theirs", there.streams.opening())
        assert await here.streams.newest("bot/1", mine) == mine


# --- while replicas of the release before serve the same store


async def beats_as(store: Store, name: str) -> None:
    """A heartbeat of another replica of this store."""
    with_beats: Any = store.replicas
    await Beats(with_beats._redis, name, SharedTime()).beat()


@pytest.mark.parametrize(
    ("published", "expected"),
    [
        ("open match", "open match"),
        ("offer bot/1 match", "offer bot/1 match"),
        ("revoked bot", "revoked bot"),
        ("stream bot/1 000000000000009-a", "look bot/1"),
        ("paused bot/1", "look bot/1"),
        ("resumed bot/1", "look bot/1"),
    ],
)
async def test_what_the_release_before_tells_is_looked_up_while_a_replica_of_it_is_here(
    server: RedisServer, published: str, expected: str
) -> None:
    async with two_databases(server) as (here, _):
        await here.replicas.beat()  # from now on another replica is believed to be there for longer than a second
        await beats_as(here, "machine-7-abcdef")
        await here.replicas.beat()
        news = []
        async with asyncio.timeout(PATIENCE), aclosing(here.replicas.listen()) as listening:
            begins = 0
            async for message in listening:
                if message == "":
                    begins += 1
                    if begins == 2:  # it hears the channel of the release before, too
                        with server.client() as client:
                            client.publish(EARLIER, published)
                    else:
                        await here.replicas.beat()  # it is heard, so that the loop goes round
                else:
                    news.append(message)
                    break
        assert news == [expected]


async def test_the_release_before_is_not_heard_where_no_replica_of_it_is(server: RedisServer) -> None:
    async with two_databases(server) as (here, there):
        await beats_as(here, "machine-7-abcdef0123456789")
        await beats_as(there, "machine-7-abcdef")
        await here.replicas.beat()

        async def tell() -> None:
            with server.client() as client:
                client.publish(EARLIER, "stream bot/1 999999999999999-a")

        assert await heard(here, tell) == []


async def test_the_release_before_hears_all_that_is_told(server: RedisServer) -> None:
    async with two_databases(server) as (here, _):
        with server.client() as client:
            view: Any = client
            subscription = view.pubsub(ignore_subscribe_messages=True)
            subscription.subscribe(EARLIER)
            subscription.get_message(timeout=PATIENCE)
            await tell_everything(here)
            await here.replicas.tell(LAST)
            words = set()
            while (message := subscription.get_message(timeout=PATIENCE)) is None or message["data"] != LAST.encode():
                if message is not None:
                    words.add(message["data"].decode().split(" ")[0])
            subscription.close()
        assert words == ALL
