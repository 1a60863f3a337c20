"""The file of a season in the store: the text that an organiser wrote, and the definition that was read from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, final

from redis.asyncio import Redis

from fudaba_arena.store.answers import key, read_at_once, unavailable
from fudaba_serving.redis.pipelining import Pipelined, Script

__all__ = ["SeasonFile", "SeasonFiles"]

_ETAG_DIGITS: Final = 16
_REPLACE: Final = Script(
    "if redis.call('GET', KEYS[1]) ~= ARGV[1] or redis.call('GET', KEYS[2]) ~= ARGV[2] then return 0 end\n"
    "if redis.call('LLEN', KEYS[3]) ~= tonumber(ARGV[3]) then return 0 end\n"
    "if redis.call('HEXISTS', KEYS[4], 'closed') ~= tonumber(ARGV[4]) then return 0 end\n"
    "redis.call('SET', KEYS[1], ARGV[5])\nredis.call('SET', KEYS[2], ARGV[6])\n"
    "redis.call('HINCRBY', KEYS[4], 'edits', 1)\nreturn 1"
)


@final
@dataclass(frozen=True, slots=True)
class SeasonFile:
    """A season's file, as read at one moment."""

    raw: bytes
    """The stored definition, with the master."""
    text: str
    edits: int
    """The number of times that the file was replaced."""

    @property
    def definition(self) -> dict[str, Any]:
        """The definition."""
        return dict(json.loads(self.raw)["definition"])

    @property
    def etag(self) -> str:
        """Its version: another one for each content. It tells nothing of the master."""
        content = json.dumps([self.definition, self.text], sort_keys=True)
        return sha256(content.encode()).hexdigest()[:_ETAG_DIGITS]


@final
class SeasonFiles:
    """Reads and replaces the files of seasons. Operations raise `StoreUnavailable`."""

    def __init__(self, redis: Redis, pipelined: Pipelined) -> None:
        self._redis = redis
        self._pipelined = pipelined

    async def read(self, name: str) -> SeasonFile | None:
        """Reads the file of a season; None if it is not stored, or no standing arena plays it."""
        raw, text, edits = await read_at_once(
            self._redis, ("GET", key(name, "tournament")), ("GET", key(name, "source")),
            ("HGET", key(name, "state"), "edits"),
        )  # fmt: skip
        return None if raw is None or text is None else SeasonFile(raw, text.decode(), int(edits or 0))

    async def replace(
        self, name: str, known: SeasonFile, text: str, definition: Mapping[str, Any], entries: int, *, closed: bool
    ) -> bool:
        """Replaces a file that is still the known one, in one step.

        `entries` is the known number of changes of entries, and `closed` says whether the season is over. Returns False
        if anything of this has changed.
        """
        value = json.dumps({**json.loads(known.raw), "definition": dict(definition)}, sort_keys=True)
        parts = [key(name, part) for part in ("tournament", "source", "entries", "state")]
        arguments: list[str | bytes | int | float] = [known.raw, known.text, entries, int(closed), value, text]
        with unavailable():
            return bool(await self._pipelined.run(_REPLACE, parts, arguments))
