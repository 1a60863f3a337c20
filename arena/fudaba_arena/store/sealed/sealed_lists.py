"""Long append-only lists, with an index that makes reading them quick.

A list is cut into stretches of equally many lines. Once a stretch is complete, its summary is derived, sealed, and kept
in a second list. Nothing is derived the other way round: if a sealed stretch is missing, damaged or in another
release's form, it is read from the lines and made again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final, Generic, Protocol, Self, TypeVar, final

from redis.asyncio import Redis

from fudaba_arena.store.answers import answer, key

__all__ = ["LINES_PER_STRETCH", "SealedList", "Stretch"]

LINES_PER_STRETCH: Final = 50_000
"""The number of lines in a sealed stretch."""
_LINES_PER_PAGE: Final = 5_000
_STRETCHES_PER_READ: Final = 4
"""The number of sealed stretches in each read."""


class Stretch(Protocol):
    """The summary of consecutive lines."""

    @classmethod
    def from_lines(cls, lines: Sequence[bytes]) -> Self:
        """Reads lines."""
        ...

    @classmethod
    def opened(cls, raw: bytes) -> Self | None:
        """Reads what `sealed` wrote. Returns None for any other text."""
        ...

    def sealed(self) -> bytes:
        """Returns its sealed form."""
        ...

    def __len__(self) -> int:
        """Returns the number of lines."""
        ...

    def ends_with(self, line: bytes) -> bool:
        """Returns whether a line may be its last line."""
        ...


S = TypeVar("S", bound=Stretch)


@final
class SealedList(Generic[S]):
    """One such list for each tournament."""

    def __init__(self, redis: Redis, part: str, form: type[S], stretch: int = LINES_PER_STRETCH) -> None:
        self._redis = redis
        self._part = part
        self._sealed = f"{part}-sealed"
        self._form = form
        self._stretch = stretch
        self._known: dict[str, int] = {}
        """The number of stretches of each tournament that were sealed at the last request."""

    async def read(self, name: str, begin: int, length: int) -> AsyncIterator[S]:
        """Yields the lines after the first `begin`, up to `length` in all, stretch by stretch."""
        while begin % self._stretch == 0 and begin + self._stretch <= length:
            found = await self._read_sealed(name, begin, length)
            for stretch in found:
                begin += len(stretch)
                yield stretch
            if not found:
                break
        async for page in self.pages(name, begin, length):
            yield self._form.from_lines(page)

    async def _read_sealed(self, name: str, begin: int, length: int) -> list[S]:
        """Returns the next sealed stretches; none if the next one is not sealed."""
        first = begin // self._stretch
        count = min(_STRETCHES_PER_READ, (length - begin) // self._stretch)
        kept = await answer(self._redis.lrange(key(name, self._sealed), first, first + count - 1))
        found: list[S] = []
        self._known.pop(name, None)
        for number, raw in enumerate(kept, first):
            stretch = await asyncio.to_thread(self._form.opened, raw)
            last = await self.line(name, (number + 1) * self._stretch - 1)
            if stretch is None or len(stretch) != self._stretch or last is None or not stretch.ends_with(last):
                await self._cut(name, number)  # later stretches may be right, and are made again too
                break
            found.append(stretch)
        return found

    async def _cut(self, name: str, keep: int) -> None:
        """Keeps only the first sealed stretches."""
        kept = key(name, self._sealed)
        await answer(self._redis.ltrim(kept, 0, keep - 1) if keep else self._redis.delete(kept))

    async def seal(self, name: str, length: int) -> None:
        """Seals each complete stretch of the first `length` lines that is not sealed yet."""
        known = self._known.get(name)
        if known is None:
            known = await self._count(name)
        while (known + 1) * self._stretch <= length:
            begin = known * self._stretch
            lines = [line async for page in self.pages(name, begin, begin + self._stretch) for line in page]
            if len(lines) < self._stretch:
                return  # the store has lost some lines
            made = await asyncio.to_thread(self._made, lines)
            script = (
                "if redis.call('LLEN', KEYS[1]) == tonumber(ARGV[1]) then redis.call('RPUSH', KEYS[1], ARGV[2]) end"
            )
            await answer(self._redis.eval(script, 1, key(name, self._sealed), known, made))
            known = await self._count(name)

    def _made(self, lines: Sequence[bytes]) -> bytes:
        return self._form.from_lines(lines).sealed()

    async def _count(self, name: str) -> int:
        self._known[name] = int(await answer(self._redis.llen(key(name, self._sealed))))
        return self._known[name]

    async def line(self, name: str, place: int) -> bytes | None:
        """Returns the line at a place, from 0; None if there is none."""
        found: bytes | None = await answer(self._redis.lindex(key(name, self._part), place))
        return found

    async def pages(self, name: str, begin: int, length: int) -> AsyncIterator[list[bytes]]:
        """Yields the lines after the first `begin`, in pages. The next page is read while one is used."""

        def page(first: int) -> asyncio.Future[Any]:
            last = min(first + _LINES_PER_PAGE, length) - 1
            return asyncio.ensure_future(answer(self._redis.lrange(key(name, self._part), first, last)))

        coming = page(begin) if begin < length else None
        for first in range(begin, length, _LINES_PER_PAGE):
            found = await coming if coming is not None else []
            coming = page(first + _LINES_PER_PAGE) if first + _LINES_PER_PAGE < length else None
            await asyncio.sleep(0)  # lets other tasks run
            yield found
