"""The checks of the stores: each Redis by its URL, and the files of embedded ones."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from fudaba_serving.commands.installation.finding import Finding, State
from fudaba_serving.redis.clocks import seconds_ahead
from fudaba_serving.redis.connections import redis_client
from fudaba_serving.redis.sentinel import shown
from fudaba_serving.redis.server_settings import examine
from fudaba_serving.redis.servers import UnsuitableServer, look_at
from fudaba_serving.redis.valkey import MAX_SOCKET_PATH_BYTES, SOCKET

__all__ = ["embedded_store_findings", "store_findings"]

_MEMORY_SHARE: Final = 0.8
"""The share of its memory from which on the alert FudabaStoreMemory fires."""


def store_findings(part: str, url: str, seconds: float) -> list[Finding]:
    """Returns what there is to say about the Redis of a part, `service` or `arena`."""
    return asyncio.run(_findings(f"store of the {part}", url, seconds))


def embedded_store_findings(part: str, store: Path, seconds: float) -> list[Finding]:
    """Returns what there is to say about the embedded store of a part, by the store's folder."""
    socket = (store / SOCKET).absolute()
    # A longer path has a link whose place only the server knows.
    if socket.exists() and len(os.fsencode(socket)) <= MAX_SOCKET_PATH_BYTES:
        return store_findings(part, f"unix://{quote(str(socket))}", seconds)
    text = f"it was not examined: no server runs on {store}, or that path is too long"
    remedy = "start the part, and run this again; `fudaba data check` examines the files"
    return [Finding(f"store of the {part}", State.WARNING, text, remedy)]


async def _findings(name: str, url: str, seconds: float) -> list[Finding]:
    remedy = "start it, or correct the URL; the log of the part that uses it says more"
    try:
        async with asyncio.timeout(seconds), _client(url, seconds) as redis:
            await look_at(redis, url)
            info: dict[str, Any] = dict(await redis.info())
            ahead = await seconds_ahead(redis.time())
            settings = await examine(redis)
    except (UnsuitableServer, ValueError) as error:
        return [Finding(name, State.FAILED, f"{shown(url)}: {error}", "name a suitable one")]
    except (RedisError, OSError, TimeoutError) as error:
        return [Finding(name, State.FAILED, f"{shown(url)} does not answer: {error or type(error).__name__}", remedy)]
    return [
        _about(name, url, info, ahead),
        *_memory(name, info, embedded=url.startswith("unix://")),
        *(
            Finding(f"{name}, {found.name}", State.FAILED if found.loses else State.WARNING, *_parts(found.text))
            for found in settings
        ),
    ]


@asynccontextmanager
async def _client(url: str, seconds: float) -> Any:
    client: Redis = redis_client(
        url, connections=1, wait=None, answer_seconds=seconds, connect_seconds=seconds, retry=Retry(NoBackoff(), 0)
    )
    try:
        yield client
    finally:
        await client.aclose()


def _about(name: str, url: str, info: dict[str, Any], ahead: float) -> Finding:
    kind = "Valkey" if "valkey_version" in info else "Redis"
    number = info.get("valkey_version", info.get("redis_version"))
    saves = "with" if info.get("aof_enabled") else "without"
    text = f"{shown(url)}: {kind} {number}, {saves} an append-only file, {info.get('maxmemory_policy', 'noeviction')}"
    return Finding(name, State.OK, f"{text}; this clock is {ahead:+.1f} s from its own")


def _memory(name: str, info: dict[str, Any], *, embedded: bool) -> Iterator[Finding]:
    """Yields the memory that a store uses of its limit. An embedded one has none."""
    used, limit = int(info.get("used_memory", 0)), int(info.get("maxmemory", 0))
    if not limit and embedded:
        yield Finding(f"{name}, memory", State.OK, f"{used / 1e6:.0f} MB")
        return
    if not limit:
        text = "it has no maxmemory, so it may fill the machine, which then ends it"
        remedy = "`redis-cli CONFIG SET maxmemory 1gb`, and in its configuration"
        yield Finding(f"{name}, memory", State.WARNING, text, remedy)
        return
    fine = used < _MEMORY_SHARE * limit
    text = f"{used / 1e6:.0f} of {limit / 1e6:.0f} MB, {used / limit:.0%}"
    remedy = "" if fine else "raise maxmemory, and find out what fills it (docs/runbooks.md, FudabaStoreMemory)"
    yield Finding(f"{name}, memory", State.OK if fine else State.WARNING, text, remedy)


def _parts(text: str) -> tuple[str, str]:
    """Splits a finding about a setting into what it is and what to do, which stands behind the last colon and space."""
    fault, _, remedy = text.rpartition(": ")
    return (fault, remedy) if fault else (text, "see its documentation")
