"""Open blocks that are handed out to workers: what workers get, who plays each, and how it ended there.

```
handed-out      the numbers of the blocks (set)
block:NUMBER    one of them (hash): what to play, the attempt, how often it was begun, when its worker was last
                alive, its message in the queue, how it ended; which host's worker handed it on to others, and when
lease:NUMBER    the worker that plays it; it runs out by itself unless the worker renews it
ended           the numbers of those that ended, until the arena has heard of it (list)
```

A message about a block may be lost, late or doubled: this store decides. One worker at a time plays a block, and the
results of its matches are stored like those of all open blocks. It may hand the block on between two matches: the next
worker then plays the matches without a result. When a block is closed, its entry here goes in the same step. All times
are the store's, so that no worker's clock counts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib.resources import files
from typing import Any, Final, final

from redis.asyncio import Redis

from fudaba_arena.store.answers import answer, key, unavailable
from fudaba_arena.store.blocks.closed_block import MatchResult
from fudaba_serving.redis.pipelining import Pipelined, Script

__all__ = ["HandedOut", "Lease", "NotTaken", "Progress"]

_MAX_ENDS_PER_CALL: Final = 1_000
_AGAIN: Final = Script(
    "if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('EXISTS', KEYS[2]) == 1 then return 0 end\n"
    "redis.call('HDEL', KEYS[1], 'end', 'worker', 'begun')\n"
    "redis.call('HSET', KEYS[1], 'what', ARGV[1])\nreturn 1"
)


_FORGET: Final = Script(
    "if redis.call('EXISTS', KEYS[3]) == 1 then return 0 end\n"
    "redis.call('SREM', KEYS[1], ARGV[1])\n"
    "redis.call('DEL', KEYS[2])\nreturn 1"
)


@final
class NotTaken(Enum):
    """The reason why a worker must not play the block of a message."""

    OVER = "over"
    """It has ended, another attempt has begun, or it is no longer handed out."""
    HELD = "held"
    """Another worker plays it."""
    PAUSED = "paused"
    """Its tournament is not being played."""


@final
@dataclass(frozen=True, slots=True)
class Lease:
    """A block that a worker may play now."""

    spec_text: bytes
    """The text of the block when it was handed out."""
    begun: int
    """The number of times that it was begun, including this time."""
    last_ms: int
    """The last sign of life of the worker before this one, in milliseconds since 1970; 0 for the first worker."""
    now_ms: int
    known: tuple[bytes | None, ...] = ()
    """For each of its matches, in order: the stored result, empty if it has none; None if nothing is known."""
    handed_on: bool = False
    """Whether the worker before this one handed it on with nothing in play."""

    def matches(self, number: int, match_ids: Sequence[str]) -> dict[str, MatchResult | None]:
        """Returns the answer of `HandedOut.known` at the time of the lease, for all of its matches."""
        return _known(number, match_ids, self.known)


@final
@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a block."""

    end: str | None
    """Its end; None if it has not ended."""
    held: bool
    """Whether a worker plays it."""
    message: str
    """Its message in the queue; empty if none was noted."""
    worker: str = ""
    """The worker that has taken and not left it; empty if there is none."""
    host: str = ""
    """The host of the worker that last handed it on; empty if none has."""


@final
class HandedOut:
    """The operations. Those of workers name the worker."""

    def __init__(self, redis: Redis, pipelined: Pipelined) -> None:
        self._redis = redis
        self._pipelined = pipelined
        scripts = files("fudaba_arena.store.leases")
        self._hand_out, self._progress, self._take, self._keep, self._end, self._hand_on, self._recall = (
            Script((scripts / f"{name}.lua").read_text())
            for name in ("hand_out", "progress", "take", "keep", "end", "hand_on", "recall")
        )

    # --- the arena

    async def hand_out(
        self, name: str, number: int, slot: int, attempt: int, spec_text: str, message: str = ""
    ) -> bool:
        """Notes what to play, and the message in the queue about it. Returns whether it is new.

        An existing entry stays; a block that is over is not handed out.
        """
        keys = _keys(name, number, "attempts", "filled", "handed-out", "block")
        with unavailable():
            return bool(await self._pipelined.run(self._hand_out, keys, [slot, attempt, number, spec_text, message]))

    async def spec_texts(self, name: str) -> dict[int, bytes]:
        """Reads the texts of all handed-out blocks."""
        numbers = sorted(await self.numbers(name))
        async with self._redis.pipeline(transaction=False) as pipeline:
            for number in numbers:
                pipeline.hget(key(name, f"block:{number}"), "what")
            found = await answer(pipeline.execute()) if numbers else []
        return {number: text for number, text in zip(numbers, found, strict=True) if text is not None}

    async def sent(self, name: str, number: int, message: str) -> None:
        """Notes another message in the queue about a block."""
        with unavailable():
            await self._pipelined("HSET", key(name, f"block:{number}"), "message", message)

    async def numbers(self, name: str) -> set[int]:
        """Reads the numbers of all handed-out blocks."""
        return {int(number) for number in await answer(self._redis.smembers(key(name, "handed-out")))}

    async def progress(self, name: str, numbers: Collection[int]) -> dict[int, Progress]:
        """Returns the progress of blocks; those no longer handed out are left out."""
        keys = [of_block for number in numbers for of_block in _keys(name, number, "block", "lease")]
        with unavailable():
            found = await self._pipelined.run(self._progress, keys) if keys else []
        return {
            number: Progress(
                None if end is None else end.decode(),
                bool(held),
                (message or b"").decode(),
                (worker or b"").decode(),
                (host or b"").decode(),
            )
            for number, (attempt, end, message, worker, held, host) in zip(numbers, found, strict=True)
            if attempt is not None
        }

    async def again(self, name: str, number: int, spec_text: str) -> bool:
        """Reopens a block that ended by a fault that the organiser has mended. It does not count as a worker's death.

        `spec_text` is the new text, since the stored one may contain the fault. Returns False and changes nothing if
        the block is not handed out, or a worker has a lease for it and plays it to its end.
        """
        with unavailable():
            return bool(await self._pipelined.run(_AGAIN, _keys(name, number, "block", "lease"), [spec_text]))

    async def forget(self, name: str, number: int) -> bool:
        """Forgets the entry of a block. The arena hands it out again, and the results of its matches stay.

        Returns False and changes nothing if a worker has a lease for it.
        """
        keys = _keys(name, number, "handed-out", "block", "lease")
        with unavailable():
            return bool(await self._pipelined.run(_FORGET, keys, [number]))

    async def ended(self, name: str) -> list[int]:
        """Takes the numbers of blocks that have ended. Some may be lost, and then only `progress` shows them."""
        with unavailable():
            found: list[bytes] | None = await self._pipelined("LPOP", key(name, "ended"), _MAX_ENDS_PER_CALL)
        return [int(number) for number in found or ()]

    async def known(self, name: str, number: int, match_ids: Sequence[str]) -> dict[str, MatchResult | None]:
        """Returns the matches of an open block that were created on the service, and the results of those that
        ended.
        """
        with unavailable():
            found = await self._pipelined("HMGET", key(name, "open"), *match_ids) if match_ids else []
        return _known(number, match_ids, found)

    async def recall(self, name: str, number: int) -> bool:
        """Takes back a block that no worker has begun. Returns whether it was unbegun."""
        keys = _keys(name, number, "handed-out", "block", "lease")
        with unavailable():
            return bool(await self._pipelined.run(self._recall, keys, [number]))

    # --- workers

    async def take(self, name: str, number: int, attempt: int, worker: str, lease_ms: int) -> Lease | NotTaken:
        """Leases a block to a worker, unless it must not be played or another worker plays it."""
        keys = _keys(name, number, "attempts", "filled", "state", "block", "lease", "open")
        with unavailable():
            found = await self._pipelined.run(self._take, keys, [attempt, worker, lease_ms])
        if isinstance(found, bytes):
            return NotTaken(found.decode())
        spec_text, begun, last_ms, now_ms, known, handed_on = found
        return Lease(spec_text, int(begun), int(last_ms or 0), int(now_ms), tuple(known), bool(handed_on))

    async def withdrawn(self, name: str) -> set[str]:
        """Returns the withdrawn bots of a tournament."""
        with unavailable():
            return {bot.decode() for bot in await self._pipelined("HKEYS", key(name, "withdrawn"))}

    async def keep(self, blocks: Sequence[tuple[str, int]], worker: str, lease_ms: int) -> set[tuple[str, int]]:
        """Renews the leases of blocks, by tournament and number. Returns those that this worker still has."""
        keys = [of_block for name, number in blocks for of_block in _keys(name, number, "block", "lease")]
        with unavailable():
            kept = await self._pipelined.run(self._keep, keys, [worker, lease_ms])
        return {block for block, is_kept in zip(blocks, kept, strict=True) if is_kept}

    async def end(self, name: str, number: int, worker: str, end: str | None) -> bool:
        """Notes how a block ended; None if it was left, for another worker to begin afresh.

        Returns False and changes nothing if the worker no longer has the block.
        """
        keys = _keys(name, number, "block", "lease", "ended")
        with unavailable():
            return bool(await self._pipelined.run(self._end, keys, [worker, number, end or ""]))

    async def hand_on(self, name: str, number: int, worker: str, host: str, message: str) -> bool:
        """Passes a block with nothing in play on this host on to another worker.

        `message` is the message in the queue for other workers. Returns False and changes nothing if the worker no
        longer has the block.
        """
        keys = _keys(name, number, "block", "lease")
        with unavailable():
            return bool(await self._pipelined.run(self._hand_on, keys, [worker, host, message]))


def _known(number: int, match_ids: Sequence[str], found: Sequence[bytes | None]) -> dict[str, MatchResult | None]:
    return {
        match_id: MatchResult.of_open(number, result) if result else None
        for match_id, result in zip(match_ids, found, strict=True)
        if result is not None
    }


def _keys(name: str, number: int, *parts: str) -> list[Any]:
    return [key(name, f"{part}:{number}" if part in {"block", "lease"} else part) for part in parts]
