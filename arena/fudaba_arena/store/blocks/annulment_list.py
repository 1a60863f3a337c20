"""The list of a tournament's annulments in the store."""

from __future__ import annotations

from typing import Final, final

from redis.asyncio import Redis

from fudaba_arena.store.answers import answer, key
from fudaba_arena.store.blocks.annulments import Annulment

__all__ = ["AnnulmentList"]

_NOTE: Final = (
    "#!lua\n"  # a full store takes no annulment
    "if ARGV[2] and redis.call('LLEN', KEYS[4]) ~= tonumber(ARGV[2]) then return -1 end\n"
    "if ARGV[2] then redis.call('RPUSH', KEYS[4], ARGV[3]) end\n"
    "if ARGV[1] == '' then return redis.call('LLEN', KEYS[1]) end\n"
    "local after = redis.call('LLEN', KEYS[2])\n"
    "local archived = redis.call('GET', KEYS[3])\n"
    "if archived then\n"
    "    for _, file in ipairs(cjson.decode(archived).files) do after = after + file.entries end\n"
    "end\n"
    "return redis.call('RPUSH', KEYS[1], string.format('%s,\"after\":%d}', string.sub(ARGV[1], 1, -2), after))"
)
"""Adds an annulment with the number of blocks that are closed by then, those that have left the store among them; with
a change of an entry, both or neither: answers -1 where the entries were changed meanwhile."""


@final
class AnnulmentList:
    """The annulments of all tournaments."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def annul(self, name: str, annulment: Annulment) -> int:
        """Notes that closed blocks no longer count, or count again: an entry of their sequence, after the blocks that
        are closed now. Returns its number, from 1.
        """
        return int(await answer(self._redis.eval(_NOTE, 4, *_keys(name), annulment.line())))

    async def annul_with_change(self, name: str, annulment: Annulment | None, begin: int, change: str) -> bool:
        """Notes the line of a change of an entry after the first `begin` ones, together with the annulment that it
        leads to, if there is one. Returns False, and notes nothing, if there are already more changes.
        """
        line = annulment.line() if annulment is not None else ""
        return int(await answer(self._redis.eval(_NOTE, 4, *_keys(name), line, begin, change))) >= 0

    async def annulments(self, name: str) -> tuple[Annulment, ...]:
        """Reads all noted annulments, in order."""
        return tuple(map(Annulment.from_line, await answer(self._redis.lrange(key(name, "annulments"), 0, -1))))

    async def annulment_count(self, name: str) -> int:
        """Returns the number of noted annulments."""
        return int(await answer(self._redis.llen(key(name, "annulments"))))


def _keys(name: str) -> list[str]:
    return [key(name, part) for part in ("annulments", "closed", "archived", "entries")]
