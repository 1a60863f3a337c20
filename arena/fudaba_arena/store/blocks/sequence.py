"""The sequence of closed blocks in the store: quick to read as a whole, and by single lines."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final, final

from redis.asyncio import Redis

from fudaba_arena.store.answers import answer, key
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock
from fudaba_arena.store.blocks.closed_stretch import ClosedStretch
from fudaba_arena.store.sealed.sealed_lists import LINES_PER_STRETCH, SealedList

__all__ = ["ClosedSequence"]

_PART: Final = "closed"
_MAX_DISTANCE: Final = 20
"""Lines no further apart than this are requested together."""


@final
class ClosedSequence:
    """The closed blocks of each tournament, in the order in which they were closed."""

    def __init__(self, redis: Redis, stretch: int = LINES_PER_STRETCH) -> None:
        self._redis = redis
        self._list = SealedList(redis, _PART, ClosedStretch, stretch)

    async def read(self, name: str, blocks: ClosedBlocks, length: int) -> None:
        """Adds the lines after those that `blocks` has, up to `length` lines in all."""
        async with blocks.reading:
            if blocks.lines is None:
                async for stretch in self._list.read(name, blocks.length, length):
                    blocks.add_stretch(stretch)
            else:
                async for page in self._list.pages(name, blocks.length, length):
                    blocks.add(page)

    async def read_rest(self, name: str, blocks: ClosedBlocks, length: int) -> None:
        """Adds the `length` lines in the store, after those that have left it."""
        async for page in self._list.pages(name, 0, length):
            blocks.add(page)

    async def begins_with(self, name: str, blocks: ClosedBlocks, length: int) -> bool:
        """Returns whether the sequence of `length` lines begins with those of `blocks`, judging by their last one."""
        if not 0 < blocks.length <= length:
            return False
        line = await self._list.line(name, blocks.length - 1)
        return line is not None and ClosedBlock.from_line(line).block == blocks.places.number(blocks.length - 1)

    async def blocks_at(self, name: str, places: Collection[int]) -> dict[int, ClosedBlock]:
        """Returns the closed blocks at some places, by number."""
        runs = list(_runs(sorted(places)))
        async with self._redis.pipeline(transaction=False) as pipeline:
            for first, last in runs:
                pipeline.lrange(key(name, _PART), first, last)
            found = await answer(pipeline.execute()) if runs else []
        wanted = set(places)
        lines = [
            line
            for (first, _), of_run in zip(runs, found, strict=True)
            for place, line in enumerate(of_run, first)
            if place in wanted
        ]
        return {closed.block: closed for closed in map(ClosedBlock.from_line, lines)}

    async def seal(self, name: str, length: int) -> None:
        """Seals the first `length` lines, so that they are quick to read."""
        await self._list.seal(name, length)


def _runs(places: list[int]) -> Iterator[tuple[int, int]]:
    """Yields the first and the last place of each run of nearby places."""
    begin = 0
    for at in range(1, len(places) + 1):
        if at == len(places) or places[at] - places[at - 1] > _MAX_DISTANCE:
            yield places[begin], places[at - 1]
            begin = at
