"""What becomes of workers that nobody hears of any more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import redis

from fudaba_arena.metrics import Metrics
from fudaba_arena.play.workers.block_queue import SUBMITTED, BlockQueue, new_message, queues
from fudaba_arena.play.workers.offers import Offers
from fudaba_arena.play.workers.roll_call import RollCall
from fudaba_arena.store.store import Store
from fudaba_arena.store.workers.known_workers import PLAYING, KnownWorker
from fudaba_arena.store.workers.runtimes import KnownRuntime
from tests.support.folders import short_folder
from tests.support.service.processes import RedisServer


def worker(name: str, host: str, runtime: str) -> KnownWorker:
    runs = KnownRuntime.with_contents(runtime, "python", "3.11", "", ())
    return KnownWorker(name, PLAYING, "", 0, 4, 0, 4, 15.0, (runs,), host=host)


@pytest.fixture
def server() -> Iterator[RedisServer]:
    with short_folder() as place, RedisServer(place) as running:
        yield running.start()


def keys_of(server: RedisServer, addressee: str) -> list[bytes]:
    """Keys in the queue's database about workers of a profile or an address."""
    with redis.Redis.from_url(server.url.removesuffix("/0") + "/1") as client:
        return sorted(key for key in client.keys("*") if f"{SUBMITTED}-{addressee}".encode() in key)


async def fetch(queue: BlockQueue, known_worker: KnownWorker) -> None:
    """Somebody like this worker fetches the first message that is addressed to its host."""
    [*_, name, _] = queues(commands=True, profile=known_worker.profile, address=known_worker.address)
    assert next(queue.broker.consume(name, timeout=1)) is not None


async def test_the_queues_of_workers_that_are_listed_no_more_go_with_all_that_was_sent_there(
    server: RedisServer,
) -> None:
    store, queue = Store(server.url), BlockQueue(server.url)
    here, gone = worker("here", "one", "python-3.11"), worker("gone", "two", "python-3.12")
    call = RollCall(store, Offers(store.workers), Metrics(), lambda _: None, queue)
    try:
        for known in (here, gone):
            await store.workers.note(known)
            for addressee in (known.profile, known.address):
                for _ in range(2):
                    await queue.send(new_message(commands=False, to=addressee), "t", 1, 0)
            await fetch(queue, known)
        to_anybody = new_message(commands=True)
        await queue.send(to_anybody, "t", 2, 0)
        before = {known.name: keys_of(server, known.profile) for known in (here, gone)}
        assert all(any(b"__acks__" in key for key in keys) for keys in before.values())
        await call.call()
        assert {known.name: keys_of(server, known.profile) for known in (here, gone)} == before
        await store.workers.forget(["gone"])
        await call.call()
        assert keys_of(server, gone.profile) == []
        assert keys_of(server, here.profile) == before["here"]
        assert not await queue.lost([to_anybody])
    finally:
        await queue.close()
        await store.close()
