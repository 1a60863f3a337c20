"""Connections to Redis that die in every way: to each client of service and arena an outage, and nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
import uvloop
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from fudaba_arena.store.store import Store as ArenaStore
from fudaba_arena.store.store import StoreUnavailable as ArenaUnavailable
from fudaba_service.store import Store, StoreUnavailable
from fudaba_serving.redis.connections import redis_client
from tests.support.certificates import certify
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE, until
from tests.support.service.processes import RedisServer
from tests.support.service.proxy import Proxy
from tests.support.service.stores import append, created, opened
from tests.support.service.tls_front import tls_front
from tests.support.sizes import exhaustive

CONCURRENT_CALLS: Final = 8
TURNS: Final = range(8) if exhaustive() else (0, 2, 5)
"""The number of turns of the loop after the clients were asked until their connections die."""
LIFETIMES: Final = (0, 1, 5, 60, 150, 400, 1200, 2000, 3000) if exhaustive() else (1, 60, 400, 2000)
"""After so many bytes a connection is cut: within a handshake of TLS or of Redis, a question, or an answer."""
ANSWER_TO_APPENDS: Final = "fudaba_service.store.commits.ANSWER_SECONDS"
LOOPS: Final[dict[str, Callable[[], asyncio.AbstractEventLoop]]] = {
    "asyncio": asyncio.new_event_loop,
    "uvloop": uvloop.new_event_loop,
}


CROSSED: Final = pytest.mark.nightly("the same with TLS in the loop of services, and in plain in asyncio's own")
WAYS: Final = (
    ("rediss", "uvloop"),
    ("redis", "asyncio"),
    pytest.param(("rediss", "asyncio"), marks=CROSSED),
    pytest.param(("redis", "uvloop"), marks=CROSSED),
)
"""With TLS or in plain, and in which loop: asyncio's own, or the one that services have."""


@pytest.fixture(scope="module", params=WAYS, ids="-".join)
def way(request: pytest.FixtureRequest) -> tuple[str, str]:
    found: tuple[str, str] = request.param
    return found


@pytest.fixture(scope="module")
def place(way: tuple[str, str], need_tool: Callable[[str], Path]) -> Iterator[Place]:
    """Yields a store that is reached in plain, or with TLS."""
    with short_folder() as folder, RedisServer(folder) as server:
        server.start()
        if way[0] == "redis":
            yield Place(server, server.port, "")
            return
        cert, key = folder / "cert.pem", folder / "key.pem"
        certify(need_tool("openssl"), cert, key)
        with pytest.MonkeyPatch.context() as patch, tls_front(server.port, cert, key) as port:
            patch.setenv("SSL_CERT_FILE", str(cert))  # each client would read all authorities of the machine, too
            yield Place(server, port, f"?ssl_ca_certs={cert}")


class Place:
    """A store, and how it is reached through a proxy."""

    def __init__(self, server: RedisServer, port: int, options: str) -> None:
        self.server = server
        self.port = port
        self._options = options

    def url(self, port: int) -> str:
        scheme, host = ("rediss", "localhost") if self._options else ("redis", "127.0.0.1")
        return f"{scheme}://{host}:{port}/0{self._options}"


@pytest.fixture(autouse=True)
def nothing_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """What dies here is noticed by its end: no answer is given up because a busy machine takes long for a handshake."""
    for limit in (
        "fudaba_service.store.redis_store.ANSWER_SECONDS",
        "fudaba_service.store.replica_messages.ANSWER_SECONDS",
        ANSWER_TO_APPENDS,
        "fudaba_arena.store.store._ANSWER_TIMEOUT_SECONDS",
    ):
        monkeypatch.setattr(limit, PATIENCE / 5)


Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.fixture
def run(way: tuple[str, str]) -> Run:
    """Runs a test in the loop."""

    def with_loop(test: Coroutine[Any, Any, None]) -> None:
        with asyncio.Runner(loop_factory=LOOPS[way[1]]) as runner:
            runner.run(test)

    return with_loop


@contextlib.asynccontextmanager
async def clients(place: Place) -> AsyncIterator[Clients]:
    """Yields every client there is, each with connections through the proxy."""
    with place.server.client() as client:
        client.flushall()
    async with Proxy(place.port).run() as proxy, opened(place.url(proxy.port)) as store:
        arena = ArenaStore(place.url(proxy.port))
        try:
            all_of_them = Clients(proxy, store, arena)
            listening = asyncio.create_task(all_of_them.listen())
            await all_of_them.warm()
            await until(lambda: all_of_them.gaps, "the listener listens")
            yield all_of_them
            listening.cancel()
            with pytest.raises(asyncio.CancelledError):
                await listening
        finally:
            await arena.close()


async def recovered(all_of_them: Clients) -> bool:
    """Returns whether all clients can be used again, the listener among them."""
    refused, all_of_them.heard = 1, False
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and (refused or not all_of_them.heard):
        refused = await all_of_them.all_at_once()
        with contextlib.suppress(StoreUnavailable):
            await all_of_them.store.replicas.tell("still there")
        await asyncio.sleep(0.02)
    return not refused and all_of_them.heard and all_of_them.store.commits.available


class Clients:
    """What is asked of the clients before, during and after."""

    def __init__(self, proxy: Proxy, store: Store, arena: ArenaStore) -> None:
        self.proxy = proxy
        self.store = store
        self.arena = arena
        self.gaps = 0
        self.heard = False
        self._match = ""
        self._log: list[bytes] = []

    async def warm(self) -> None:
        """Each client has connections that idle."""
        self._match = await created(self.store)
        await asyncio.gather(*[self.store.matches.load(self._match, follow=True) for _ in range(CONCURRENT_CALLS)])
        await asyncio.gather(*[self.arena.listing.names() for _ in range(CONCURRENT_CALLS)])
        await self.append()

    async def listen(self) -> None:
        async for news in self.store.replicas.listen():
            self.gaps += not news
            self.heard = self.heard or bool(news)

    async def append(self) -> None:
        entry = b"entry %d" % len(self._log)
        answer = await append(self.store, self._match, self._log, entry)
        # When only the answer was lost the entry is there already.
        assert answer == 1 or (isinstance(answer, list) and answer[1:] == [entry])
        self._log.append(entry)

    async def all_at_once(self) -> int:
        """Uses all clients, several times each at once. Returns how many operations were refused as unavailable."""
        asked: list[Awaitable[Any]] = [self.append()]
        asked += [self.store.matches.load(self._match, follow=False) for _ in range(CONCURRENT_CALLS)]
        asked += [self.store.index.live(), self.store.matches.tail(self._match, 0), self.store.replicas.beat()]
        asked += [self.arena.listing.names() for _ in range(CONCURRENT_CALLS)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException) and not isinstance(answer, StoreUnavailable | ArenaUnavailable):
                raise answer
        return sum(isinstance(answer, Exception) for answer in answers)

    def pools(self) -> list[Any]:
        store = self.store
        return [c.connection_pool for c in (store._redis, store._listening, store._committing, self.arena._redis)]

    def senders(self) -> list[Any]:
        """Returns those that keep a connection, and send each command over it as it comes."""
        store: Any = self.store
        arena: Any = self.arena
        return [store._commands._pipelined, store.replicas._beats._commands._pipelined, arena._pipelined]

    def noticed(self) -> bool:
        """Returns whether this end of every idle connection has heard of its end."""
        idle = [connection for pool in self.pools() for connection in pool._available_connections]
        idle += [sender._link.connection for sender in self.senders() if sender._link is not None]
        streams = [connection._reader for connection in idle if connection._reader is not None]
        return all(stream.at_eof() or stream.exception() is not None for stream in streams)


IDLE: Final[dict[str, Callable[[Proxy], None]]] = {
    "reset": Proxy.reset,
    "closed": Proxy.cut,
    "half-closed": Proxy.half_close,
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("death", IDLE)
def test_idle_connections_that_died_are_made_anew_without_a_failure(place: Place, run: Run, death: str) -> None:
    async def test() -> None:
        async with clients(place) as all_of_them:
            gaps = all_of_them.gaps
            IDLE[death](all_of_them.proxy)
            await until(all_of_them.noticed, "the connections are gone")
            assert await all_of_them.all_at_once() == 0
            await until(lambda: all_of_them.gaps > gaps, "the listener says that it may have missed something")
            assert await all_of_them.all_at_once() == 0

    run(test())


@pytest.mark.exhaustive
@pytest.mark.parametrize("death", IDLE)
def test_connections_that_die_as_they_are_used_are_an_outage_and_nothing_else(
    place: Place, run: Run, death: str
) -> None:
    async def test() -> None:
        async with clients(place) as all_of_them:
            for turns in TURNS:
                asked = asyncio.ensure_future(all_of_them.all_at_once())
                for _ in range(turns):
                    await asyncio.sleep(0)
                IDLE[death](all_of_them.proxy)
                await asked
                assert await recovered(all_of_them)

    run(test())


@pytest.mark.exhaustive
@pytest.mark.parametrize("resets", [False, True], ids=["closed", "reset"])
def test_connections_that_are_cut_within_a_message_or_a_handshake_are_an_outage_and_nothing_else(
    place: Place, run: Run, resets: bool
) -> None:
    async def test() -> None:
        async with clients(place) as all_of_them:
            proxy = all_of_them.proxy
            proxy.resets = resets
            for lifetime in LIFETIMES:
                proxy.lifetime = partial(int, lifetime)
                proxy.reset()
                asked = asyncio.ensure_future(all_of_them.all_at_once())
                await until(partial(cut_or_done, proxy, asked), "connections are cut")
                proxy.cuts, proxy.lifetime = 0, None
                proxy.reset()
                await asked
                assert await recovered(all_of_them)

    run(test())


def cut_or_done(proxy: Proxy, asked: asyncio.Future[int]) -> bool:
    return proxy.cuts > 5 or asked.done()


@pytest.mark.exhaustive
@pytest.mark.parametrize("resets", [False, True], ids=["closed", "reset"])
def test_connections_that_are_refused_are_an_outage_and_nothing_else(place: Place, run: Run, resets: bool) -> None:
    async def test() -> None:
        async with clients(place) as all_of_them:
            all_of_them.proxy.resets = resets
            all_of_them.proxy.refuse()
            asked = asyncio.ensure_future(all_of_them.append())
            with pytest.raises(StoreUnavailable):
                await all_of_them.store.ping()
            with pytest.raises(ArenaUnavailable):
                await all_of_them.arena.listing.names()
            assert not asked.done()
            all_of_them.proxy.accept()
            await asked
            assert await recovered(all_of_them)

    run(test())


def test_a_connection_that_the_kernel_gives_up_is_an_outage_and_nothing_else(place: Place, run: Run) -> None:
    """It raises TimeoutError (ETIMEDOUT), which elsewhere stands for an answer that takes too long."""

    async def test() -> None:
        async with clients(place) as all_of_them:
            asked = asyncio.ensure_future(all_of_them.all_at_once())
            all_of_them.proxy.freeze()
            await asyncio.sleep(0)
            for pool in all_of_them.pools():
                for connection in pool._in_use_connections:
                    connection._reader.set_exception(TimeoutError(errno.ETIMEDOUT, "Connection timed out"))
            all_of_them.proxy.thaw()
            await asked
            assert await recovered(all_of_them)

    run(test())


@pytest.mark.parametrize("first", [True, False], ids=["the first", "a later one"])
async def test_a_connection_for_appends_that_is_accepted_and_never_answered_is_given_up(
    redis: RedisServer, first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its handshake takes for ever; over the first one the script would be loaded."""
    async with Proxy(redis.port).run() as proxy, opened(f"redis://{proxy.address}/0") as store:
        match_id = await created(store, *([] if first else [b"a"]))
        if not first:
            proxy.cut()
        proxy.fall_mute()
        with monkeypatch.context() as soon:
            soon.setattr(ANSWER_TO_APPENDS, 0.5)
            asking = asyncio.ensure_future(append(store, match_id, [] if first else [b"a"], b"b"))
            await until(lambda: proxy.muted and not store.commits.available, "the connection is given up")
        assert not asking.done()
        proxy.speak()
        # A try that reached the store late is sent again, and finds its entry there.
        assert await asking in (1, [1 if first else 2, b"b"])


async def test_a_script_that_redis_has_forgotten_is_loaded_over_the_connection_that_is_kept(
    redis: RedisServer,
) -> None:
    async with opened(redis.url) as store:
        match_id = await created(store, b"a")
        pool: Any = store._committing.connection_pool
        kept = store.commits._connection
        with redis.client() as client:
            client.script_flush()
        assert await append(store, match_id, [b"a"], b"b") == 1
        assert store.commits._connection is kept
        assert pool._in_use_connections == {kept}
        assert not pool._available_connections
        assert store_errors(store) == 0


async def test_redis_is_not_asked_without_a_pause_when_it_does_not_know_a_script_that_it_was_just_given(
    redis: RedisServer,
) -> None:
    async with Proxy(redis.port).run() as proxy, opened(f"redis://{proxy.address}/0") as store:
        match_id = await created(store, b"a")
        proxy.mistakes_scripts = True
        asked = asyncio.ensure_future(append(store, match_id, [b"a"], b"b"))
        await until(lambda: not store.commits.available, "the store is taken for one that does not take entries")
        assert store_errors(store) >= 1
        assert not asked.done()
        proxy.mistakes_scripts = False
        assert await asked == 1
        assert store.commits.available


def store_errors(store: Store) -> float:
    metrics: Any = store._metrics
    value: float = metrics.registry.get_sample_value("fudaba_redis_errors_total")
    return value


async def test_a_fault_of_the_program_is_no_outage(place: Place) -> None:
    redis = redis_client(
        place.url(place.port),
        connections=2,
        wait=1,
        answer_seconds=PATIENCE,
        connect_seconds=PATIENCE,
        retry=Retry(NoBackoff(), 0),
    )
    try:
        pool: Any = redis.connection_pool
        connection = await pool.get_connection()
        with pytest.raises(TypeError):
            await connection.send_packed_command([None])
        await pool.release(connection)
        assert await redis.ping()
    finally:
        await redis.aclose()
