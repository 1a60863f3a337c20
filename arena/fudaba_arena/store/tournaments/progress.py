"""The growing lists of a tournament in play: rounds, chosen blocks, entries, generations, changes.

Each list is append-only, and a writer must know its length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, final

from redis.asyncio import Redis

from fudaba_arena.store.answers import answer, key, unavailable
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlock
from fudaba_arena.store.tournaments.entries import EntryChange
from fudaba_arena.store.tournaments.generations import Generation
from fudaba_arena.store.tournaments.rounds import DrawnRound
from fudaba_arena.tournament.definition import Owned
from fudaba_serving.redis.pipelining import Pipelined, Script

__all__ = ["TournamentProgress"]

_ADD: Final = Script(
    "if redis.call('LLEN', KEYS[1]) ~= tonumber(ARGV[1]) then return 0 end\n"
    "if #ARGV > 1 then redis.call('RPUSH', KEYS[1], unpack(ARGV, 2)) end\nreturn 1"
)


@final
class TournamentProgress:
    """The growing lists of all tournaments."""

    def __init__(self, redis: Redis, pipelined: Pipelined) -> None:
        self._redis = redis
        self._pipelined = pipelined

    async def changes(self, name: str, begin: int, count: int) -> list[bytes]:
        """Returns at most `count` changes after the first `begin`."""
        with unavailable():
            found: list[bytes] = await self._pipelined("LRANGE", key(name, "changes"), begin, begin + count - 1)
        return found

    async def noted(self, name: str) -> bytes | None:
        """Returns the last stored summary of the first changes."""
        found: bytes | None = await answer(self._redis.get(key(name, "noted")))
        return found

    async def keep_noted(self, name: str, noted: bytes) -> None:
        """Stores a summary of the first changes."""
        await answer(self._redis.set(key(name, "noted"), noted))

    async def store_round(self, name: str, number: int, drawn: DrawnRound) -> bool:
        """Stores a drawn round, numbered from 0. Returns False if it is already stored."""
        return await self._add(name, "rounds", number, [drawn.line()])

    async def note_changes(self, name: str, begin: int, changes: Sequence[str]) -> bool:
        """Notes changes after the first `begin`. Returns False if there are already more."""
        return await self._add(name, "changes", begin, changes)

    async def choose(self, name: str, slot: int, chosen: ChosenBlock) -> bool:
        """Stores the block of the next slot. Returns False if the slot already has one."""
        return await self._add(name, "chosen", slot, [chosen.line()])

    async def begin_generation(self, name: str, number: int, generation: Generation) -> bool:
        """Notes that a season continues from an older store, after this many earlier times. Returns False if it was
        already noted.
        """
        return await self._add(name, "generations", number, [generation.line()])

    async def chosen(self, name: str, begin: int) -> list[ChosenBlock]:
        """Returns the chosen blocks after the first `begin` slots."""
        return list(map(ChosenBlock.from_line, await answer(self._redis.lrange(key(name, "chosen"), begin, -1))))

    async def entry_changes(self, name: str, begin: int) -> list[EntryChange]:
        """Returns the changes of entries after the first `begin`."""
        with unavailable():
            return list(map(EntryChange.from_line, await self._pipelined("LRANGE", key(name, "entries"), begin, -1)))

    async def change_entries(self, name: str, begin: int, changes: Sequence[EntryChange]) -> bool:
        """Stores changes after the first `begin`. Returns False if there are already more."""
        return await self._add(name, "entries", begin, [change.line() for change in changes])

    async def note_owner(self, name: str, bot: str, owned: Owned) -> None:
        """Rewrites the entries of a bot as made by this account."""
        await self._rewrite_entries(name, lambda change: change.of_owner(owned) if change.bot == bot else change)

    async def note_deleted(self, name: str, account: str, pseudonym: str) -> None:
        """Rewrites the extensions of a deleted account, without its name and without their reasons."""
        await self._rewrite_entries(name, lambda change: change.of_deleted(account, pseudonym))

    async def _rewrite_entries(self, name: str, rewritten: Callable[[EntryChange], EntryChange]) -> None:
        """Rewrites changes of entries, each in its place."""
        known = await self.entry_changes(name, 0)
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                for place, change in enumerate(known):
                    if (new := rewritten(change)) != change:
                        pipeline.lset(key(name, "entries"), place, new.line())
                await pipeline.execute()

    async def _add(self, name: str, part: str, begin: int, lines: Sequence[str]) -> bool:
        """Adds lines to a list that has exactly `begin` of them. Returns False if it has more."""
        with unavailable():
            return bool(await self._pipelined.run(_ADD, [key(name, part)], [begin, *lines]))
