"""The arenas that use a store. Each announces itself while it runs, so that others can name it.

```
fudaba-arena:arena:OWNER    where that arena runs, and since when; forgotten when it has not said so for a while
fudaba-arena:{NAME}:player  the owner that plays a tournament, see `steering`
```

Operations raise `StoreUnavailable` when Redis cannot be reached.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Final, Self, final

from redis.asyncio import Redis

from fudaba_arena.forms import BadStored, known_fields, readable
from fudaba_arena.store.answers import StoreUnavailable, answer, key, read_often, unavailable
from fudaba_serving.process.background import restarted
from fudaba_serving.redis.pipelining import Pipelined

__all__ = ["Arenas", "KnownArena", "named_arena"]

_KEY: Final = "fudaba-arena:arena:"
_NOTE_INTERVAL_SECONDS: Final = 5.0
_EXPIRY_MS: Final = 20_000
"""The time for which an arena is known after its announcement: longer than its claims on tournaments
(`CLAIM_SECONDS`).
"""


@final
@dataclass(frozen=True, slots=True)
class KnownArena:
    """An arena that runs on the store, from its announcement."""

    host: str
    pid: int
    since_ms: int
    """The time when it was started, in milliseconds since 1970 by its own clock."""

    @classmethod
    def here(cls) -> Self:
        """Describes this process."""
        return cls(socket.gethostname(), os.getpid(), int(time.time() * 1000))

    @classmethod
    def read(cls, line: bytes) -> Self:
        """Reads a stored announcement. Raises `BadStored`."""
        with readable("what an arena says of itself"):
            return cls(**known_fields(cls, json.loads(line), "what an arena says of itself"))

    def __str__(self) -> str:
        since = datetime.fromtimestamp(self.since_ms / 1000, UTC)
        return f"host {self.host}, process {self.pid}, since {since:%Y-%m-%d %H:%M:%S} UTC"


@final
class Arenas:
    """The arenas that use this store, and which of them plays which tournament."""

    def __init__(self, redis: Redis, pipelined: Pipelined) -> None:
        self._redis = redis
        self._pipelined = pipelined

    @asynccontextmanager
    async def noted(self, owner: str) -> AsyncIterator[None]:
        """Announces this process as the arena `owner` until the context is left."""
        here = KnownArena.here()
        with suppress(StoreUnavailable):  # such as a full store, from which an arena may free memory; noted again soon
            await self._note(owner, here)
        keeping = asyncio.create_task(restarted("arena_note", lambda: self._keep_noting(owner, here)))
        try:
            yield
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)
            with suppress(StoreUnavailable):  # the note expires by itself
                await answer(self._redis.delete(_KEY + owner))

    async def all(self) -> dict[str, KnownArena]:
        """Reads all known arenas, by owner."""
        with unavailable():
            keys = [found async for found in self._redis.scan_iter(match=f"{_KEY}*", count=1000)]
        return await self.known([found.decode().removeprefix(_KEY) for found in keys])

    async def known(self, owners: Collection[str]) -> dict[str, KnownArena]:
        """Reads the announcements of these owners, if they exist in a form that this release knows."""
        lines = await answer(self._redis.mget([_KEY + owner for owner in owners])) if owners else []
        found = {}
        for owner, line in zip(owners, lines, strict=True):
            if line is not None:
                with suppress(BadStored):  # a later release wrote the note, so the arena is shown without a name
                    found[owner] = KnownArena.read(line)
        return found

    async def players(self, names: Collection[str]) -> dict[str, str]:
        """Returns the owner that plays each of these tournaments, by name; tournaments not in play are left out."""
        if not names:
            return {}
        (owners,) = await read_often(self._pipelined, ("MGET", *(key(name, "player") for name in names)))
        return {name: owner.decode() for name, owner in zip(names, owners, strict=True) if owner is not None}

    async def player(self, name: str) -> str:
        """Returns the name by which messages call the arena that plays a tournament."""
        owner = (await self.players([name])).get(name, "")
        return named_arena((await self.known([owner])).get(owner))

    async def _keep_noting(self, owner: str, here: KnownArena) -> None:
        while True:
            await asyncio.sleep(_NOTE_INTERVAL_SECONDS)
            with suppress(StoreUnavailable):  # the tournaments report that
                await self._note(owner, here)

    async def _note(self, owner: str, here: KnownArena) -> None:
        await answer(self._redis.set(_KEY + owner, json.dumps(asdict(here) | {"form": 1}), px=_EXPIRY_MS))


def named_arena(known: KnownArena | None) -> str:
    """Returns the words for another arena on the store in messages. `known` is None for an arena without an
    announcement.
    """
    return f"another arena ({'of another release, which does not say where it runs' if known is None else known})"
