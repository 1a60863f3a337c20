"""The additions to a tournament while it goes on: rounds, chosen blocks, entries, generations, changes.

Each is a list to which lines are only ever added, by whoever knows how long it is.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    """The lists of all tournaments that grow while these go on."""

    def __init__(self, redis: Redis, pipelined: Pipelined) -> None:
        self._redis = redis
        self._pipelined = pipelined

    async def changes(self, name: str, begin: int, count: int) -> list[bytes]:
        """Returns the changes that were noted after the first `begin` ones, `count` at most."""
        with unavailable():
            found: list[bytes] = await self._pipelined("LRANGE", key(name, "changes"), begin, begin + count - 1)
        return found

    async def noted(self, name: str) -> bytes | None:
        """Returns a summary of the first changes, as it was kept last."""
        found: bytes | None = await answer(self._redis.get(key(name, "noted")))
        return found

    async def keep_noted(self, name: str, noted: bytes) -> None:
        """Keeps a summary of the first changes."""
        await answer(self._redis.set(key(name, "noted"), noted))

    async def store_round(self, name: str, number: int, drawn: DrawnRound) -> bool:
        """Stores a round of a Swiss, the first one being number 0; False when it is stored already."""
        return await self._add(name, "rounds", number, [drawn.line()])

    async def note_changes(self, name: str, begin: int, changes: Sequence[str]) -> bool:
        """Notes changes after the first `begin` ones; False when there are more than those already."""
        return await self._add(name, "changes", begin, changes)

    async def choose(self, name: str, slot: int, chosen: ChosenBlock) -> bool:
        """Stores the block of the next slot. Returns False when that has one already."""
        return await self._add(name, "chosen", slot, [chosen.line()])

    async def begin_generation(self, name: str, number: int, generation: Generation) -> bool:
        """Notes that a season goes on from an older store after this many times; False when that was noted already."""
        return await self._add(name, "generations", number, [generation.line()])

    async def chosen(self, name: str, begin: int) -> list[ChosenBlock]:
        """Returns the blocks that were chosen, but for those of the first `begin` slots."""
        return list(map(ChosenBlock.from_line, await answer(self._redis.lrange(key(name, "chosen"), begin, -1))))

    async def entry_changes(self, name: str, begin: int) -> list[EntryChange]:
        """Returns the changes of who is entered, but for the first `begin` ones."""
        with unavailable():
            return list(map(EntryChange.from_line, await self._pipelined("LRANGE", key(name, "entries"), begin, -1)))

    async def change_entries(self, name: str, begin: int, changes: Sequence[EntryChange]) -> bool:
        """Stores changes after the first `begin` ones; False when there are more than those already."""
        return await self._add(name, "entries", begin, [change.line() for change in changes])

    async def note_owner(self, name: str, bot: str, owned: Owned) -> None:
        """Writes the entering of a bot again, as if by this account. Nobody else changes what is stored of it."""
        known = await self.entry_changes(name, 0)
        with unavailable():
            async with self._redis.pipeline(transaction=True) as pipeline:
                for place, change in enumerate(known):
                    if change.bot == bot:
                        pipeline.lset(key(name, "entries"), place, change.of_owner(owned).line())
                await pipeline.execute()

    async def _add(self, name: str, part: str, begin: int, lines: Sequence[str]) -> bool:
        """Adds lines to a list that has exactly `begin` of them. Returns False when it has more."""
        with unavailable():
            return bool(await self._pipelined.run(_ADD, [key(name, part)], [begin, *lines]))
