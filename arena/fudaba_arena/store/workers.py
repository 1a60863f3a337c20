"""Who plays for the arena: what each worker says of itself, every few seconds.

```
fudaba-arena:workers    by worker: when it said so, by the store's clock, and what (hash)
```
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Final, final

from redis.asyncio import Redis

from fudaba_arena.store.answers import answer

__all__ = ["PLAYING", "STOPPED", "KnownWorker", "Workers"]

PLAYING: Final = "playing"
STOPPED: Final = "stopped"
"""It plays nothing at the moment, because bots lose time there."""

_KEY: Final = "fudaba-arena:workers"


@final
@dataclass(frozen=True, slots=True)
class KnownWorker:
    """A worker, as it has said."""

    name: str
    state: str
    """`playing`, also when there is nothing to play, or `stopped`."""
    why: str
    """Why it is stopped; empty for one that is not."""
    blocks: int
    """How many blocks it plays."""
    most_blocks: int
    """How many it plays at once at most."""
    seats: int
    """In how many seats bots play that it has started."""
    most_seats: int
    heartbeat_seconds: float
    """After how long without a sign of life it counts as dead."""
    silent_seconds: float = 0.0
    """How long ago it said so."""

    @property
    def dead(self) -> bool:
        """Whether nobody has heard of it for too long."""
        return self.silent_seconds > self.heartbeat_seconds

    @property
    def word(self) -> str:
        """Its state, or `dead`."""
        return "dead" if self.dead else self.state


@final
class Workers:
    """The operations."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._note = redis.register_script((files("fudaba_arena.store") / "note_worker.lua").read_text())

    async def note(self, one: KnownWorker) -> None:
        """Notes what a worker says now."""
        said = asdict(one)
        del said["name"], said["silent_seconds"]
        await answer(self._note(keys=[_KEY], args=[one.name, json.dumps(said)]))

    async def all(self) -> list[KnownWorker]:
        """All that have not left, by their names."""
        found = await answer(self._redis.hgetall(_KEY))
        seconds, micros = await answer(self._redis.time())
        now = seconds + micros / 1e6
        return [_read(name.decode(), said.decode(), now) for name, said in sorted(found.items())]

    async def forget(self, names: Collection[str]) -> None:
        """Lists workers no more: they have stopped in order, or are long dead."""
        if names:
            await answer(self._redis.hdel(_KEY, *names))


def _read(name: str, noted: str, now: float) -> KnownWorker:
    said_ms, _, said = noted.partition("\n")
    return KnownWorker(name, **json.loads(said), silent_seconds=max(0.0, now - int(said_ms) / 1000))
