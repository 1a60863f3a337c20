"""Connected stores of a test's own, and the plainest of what is asked of them."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator
from typing import Final

from fudaba_service.metrics.service_metrics import Metrics
from fudaba_service.store import Answer, Append, Store, StoredMatch, match_keys
from tests.support.patience import PATIENCE
from tests.support.service.processes import RedisServer

STORED: Final = StoredMatch(b"header", b"seed", b"salt", [])
HOUR_MS: Final = 3_600_000


@contextlib.asynccontextmanager
async def opened(url: str, replica: str = "one") -> AsyncIterator[Store]:
    """Yields a connected store that commits."""
    store = Store(url, replica, Metrics())
    committing = asyncio.create_task(store.commits.run())
    try:
        await store.connect()
        yield store
    finally:
        committing.cancel()
        await asyncio.gather(committing, return_exceptions=True)
        await store.close()


@contextlib.asynccontextmanager
async def emptied(server: RedisServer) -> AsyncIterator[Store]:
    """Empties a server. Yields a connected store on it that commits."""
    with server.client() as client:
        client.flushall()
    async with opened(server.url) as store:
        yield store


def new_id() -> str:
    return f"m-{secrets.token_hex(6)}"


async def created(store: Store, *entries: bytes) -> str:
    """Creates a match with these entries. Returns its id."""
    match_id = new_id()
    assert await store.matches.create(match_id, store.now_ms(), store.now_ms() + HOUR_MS, STORED)
    for number, entry in enumerate(entries):
        assert await append(store, match_id, list(entries[:number]), entry) == 1
    return match_id


async def append(store: Store, match_id: str, known: list[bytes], *entries: bytes, state: bytes = b"") -> Answer:
    """Appends, as somebody who knows a log to hold `known`. Returns the store's answer."""
    future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    tail = known[-1] if known else b""
    keys = match_keys(match_id).for_append()
    deadline = store.now_ms() + HOUR_MS
    store.commits.submit(Append(match_id, len(known), tail, list(entries), deadline, state, future.set_result, keys))
    async with asyncio.timeout(PATIENCE):
        return await future


async def log(store: Store, match_id: str) -> list[bytes]:
    return (await store.matches.load(match_id, follow=False)).entries
