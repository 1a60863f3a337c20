"""A store whose memory is full: what is over leaves it, what is refused changes nothing. New matches wait before."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from google.rpc import error_details_pb2
from grpc import aio
from grpc_status import rpc_status

from fudaba.cli import cli
from fudaba_service.store import Store, StoreFull, keys, match_keys
from tests.support.patience import PATIENCE, until
from tests.support.service.bots import play_match
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import Organiser, StoreView, refused
from tests.support.service.processes import RedisServer, Service, free_port
from tests.support.service.scraping import scrape
from tests.support.service.servers import each_server, executable_of
from tests.support.service.stores import append, created, emptied, opened


@pytest.fixture
async def store(server: RedisServer) -> AsyncIterator[Store]:
    """Yields an empty store."""
    async with emptied(server) as opened:
        yield opened


@contextlib.contextmanager
def full(server: RedisServer) -> Iterator[None]:
    """Has the server take nothing more that may need memory."""
    with server.client() as client:
        client.config_set("maxmemory", 1)
        try:
            yield
        finally:
            client.config_set("maxmemory", 0)


async def test_a_match_that_is_over_leaves_a_full_store(server: RedisServer, store: Store) -> None:
    match_id = await created(store, b"a", b"b")
    await store.index.offer(match_id, ["bot/1"])
    with full(server):
        with pytest.raises(StoreFull):
            await store.index.offer("m-other", ["bot/1"])
        assert (await store.matches.load(match_id, follow=True)).entries == [b"a", b"b"]
        await store.archived.tell(b"the match, as lists show it")
        assert await store.matches.finish(match_id, ["bot/1"], 2, b"b", [("bot/1", b"how it ended")]) == 1
        assert await store.streams.ends_of("bot/1") == [b"how it ended"]
        assert await store.index.live() == {}
        assert await store.index.matches_of("bot/1") == []
        found = await store.archived.after("0-0", 10)
        assert found is not None
        assert [match for _, match in found] == [b"the match, as lists show it"]
        with server.client() as client:
            assert not client.exists(match_keys(match_id).meta, match_keys(match_id).log)


async def test_the_time_for_which_an_entry_waits_for_room_is_an_outage_for_every_replica(
    server: RedisServer, store: Store
) -> None:
    match_id = await created(store)
    await store.replicas.beat()
    with full(server):
        appending = asyncio.create_task(append(store, match_id, [], b"a"))
        async with asyncio.timeout(PATIENCE):
            while not store.replicas.outages:
                await asyncio.sleep(0.1)
                await store.replicas.beat()
    assert await appending == 1
    await store.replicas.beat()
    async with opened(server.url, "two") as other:
        await other.replicas.beat()
        assert "one" in [outage.replica for outage in other.replicas.outages]


REFUSED: dict[str, Callable[[Store], Awaitable[object]]] = {
    "a new token in place of an old one": lambda s: s.tokens.replace("old", "new", b"{}", 0, "revoked token:old"),
    "an account that claims another name": lambda s: s.accounts.swap_shown("author", b"is", b"becomes", ["digest"]),
    "an account that is changed": lambda s: s.accounts.swap("author", b"is", b"becomes"),
    "an invitation that is used up": lambda s: s.accounts.take_invitation("code"),
    "a match that a bot is about to create": lambda s: s.quotas.reserve("bot/1", "m-new", 10),
    "other tags of a match": lambda s: s.tags.put("author", "m-1", "place", ["other", "third"], 10),
}


@pytest.mark.parametrize("change", REFUSED.values(), ids=REFUSED.keys())
async def test_what_a_full_store_refuses_has_changed_nothing(
    server: RedisServer, store: Store, change: Callable[[Store], Awaitable[object]]
) -> None:
    await store.tokens.put("old", b"{}", 0)
    await store.accounts.swap_shown("author", None, b"is", ["claim"])
    await store.accounts.put_invitation("code", 3_600_000)
    await store.tags.put("author", "m-1", "place", ["one", "two"], 10)
    view = StoreView(server.url)
    with contextlib.closing(view.client):
        view.client.sadd(keys.bot_made("bot/1"), "m-old")  # as releases before kept it
        before = view.everything()
        with full(server), pytest.raises(StoreFull):
            await change(store)
        assert view.everything() == before
        await change(store)
        assert view.everything() != before


REMOVALS: dict[str, Callable[[Store], Awaitable[object]]] = {
    "a token": lambda s: s.tokens.drop(["old"], "revoked token:old"),
    "an account": lambda s: s.accounts.swap_shown("author", b"is", b"", []),
    "a login": lambda s: s.accounts.unlink("issuer subject", "author"),
    "what keeps a match back": lambda s: s.index.unhide("m-1", "attempt"),
    "a place": lambda s: s.places.give_back("bot/1", "m-1"),
    "the right to use an account": lambda s: s.accounts.bar("author", b"why", "revoked account:author"),
}


@pytest.mark.parametrize("removal", REMOVALS.values(), ids=REMOVALS.keys())
async def test_what_takes_away_is_done_in_a_full_store(
    server: RedisServer, store: Store, removal: Callable[[Store], Awaitable[object]]
) -> None:
    await store.tokens.put("old", b"{}", 0)
    await store.accounts.swap_shown("author", None, b"is", ["claim"])
    await store.accounts.link("issuer subject", "author")
    await store.index.hide("m-1", "attempt")
    await store.index.hide("m-1", "another")
    await store.places.hold("bot/1", gone=[], begun=["m-1"])
    view = StoreView(server.url)
    with contextlib.closing(view.client):
        before = view.everything() | {b"places": store and await store.places.taken("bot/1")}
        with full(server):
            await removal(store)
        assert view.everything() | {b"places": await store.places.taken("bot/1")} != before


async def test_a_tenth_of_the_memory_is_kept_for_the_matches_that_are_there(server: RedisServer, store: Store) -> None:
    used, limit = await store.memory()
    assert (limit, store.takes_matches) == (0, True)
    with server.client() as client:
        for share, takes in ((1.05, False), (1.5, True), (0.5, False)):
            client.config_set("maxmemory", int(used * share))
            await store.memory()
            assert store.takes_matches is takes
        client.config_set("maxmemory", 0)
    await append(store, await created(store), [], b"a")


@pytest.mark.parametrize("kind", each_server())
@pytest.mark.exhaustive
async def test_a_full_store_empties_itself_and_everybody_is_told(folder: Path, kind: str) -> None:
    with (
        RedisServer(folder, executable=executable_of(kind)) as redis,
        Service(folder, "--redis", redis.start().url) as service,
    ):
        service.metrics_port = free_port()
        await asyncio.to_thread(service.start, "--metrics", f"127.0.0.1:{service.metrics_port}")
        async with Organiser(service.address, service.token) as organiser:
            pair = await organiser.entrant(), await organiser.entrant()
            archive, aside = service.data / "archive", service.data / "aside"
            archive.rename(aside)
            archive.write_text("not a folder")
            match_id = await organiser.match(*pair)
            await play_match(*organiser.by_chance(*pair))
            await organiser.ended(match_id)
        with full(redis):
            # What is over finds its way out after a new start, too.
            service.kill()
            archive.unlink()
            aside.rename(archive)
            await asyncio.to_thread(service.start, "--metrics", f"127.0.0.1:{service.metrics_port}")
            async with Organiser(service.address, service.token) as organiser:
                await organiser.ended(match_id)  # whoever asks has it looked after at once
                view = StoreView(redis.url)
                with contextlib.closing(view.client):
                    await view.forgets(match_id)
                await until(lambda: "no new matches" in health(service), "the health of a full store")
                with pytest.raises(aio.AioRpcError) as info:
                    await organiser.match(*pair)
                call: Any = info.value
                status = rpc_status.from_call(call)
                assert status is not None
                retry = error_details_pb2.RetryInfo()
                assert any(detail.Unpack(retry) for detail in status.details)
                assert retry.retry_delay.seconds > 0
                await refused(organiser.match(*pair), "STORE_FULL", "maxmemory")
                assert (await scrape(service))["fudaba_redis_full"] == 1
        await until(lambda: health(service) == f"{service.address} serves\n", "the health of a store with room")
        async with Organiser(service.address, service.token) as organiser:
            await organiser.match(*pair)
            assert await organiser.record(match_id)
        assert service.terminate() == 0, service.log
        assert_no_fault(service)


def health(service: Service) -> str:
    """Returns what is said of the service; empty where it does not answer in time."""
    done = CliRunner().invoke(cli, ["health", "--server", service.address, "--timeout", "60"])
    return done.stdout
