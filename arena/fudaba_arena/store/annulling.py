"""Closed blocks that do not count any more: which ones the organiser means."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, final

import numpy as np

from fudaba_arena.errors import ArenaError
from fudaba_arena.store.closed_blocks import Annulment, ClosedBlock, ClosedBlocks

__all__ = ["Entries", "Which", "annulment"]

Entries = Callable[[Collection[int]], Awaitable[Mapping[int, ClosedBlock]]]
"""Reads the entries of closed blocks by their numbers."""
_READ: Final = 1_000
"""So many entries are read at once."""


@final
@dataclass(frozen=True, slots=True)
class Which:
    """Which blocks are annulled: those that fit all that is said."""

    blocks: Sequence[int] = ()
    """These numbers; empty for any."""
    bot: str = ""
    """Those in which this bot played, so its version in the tournament; empty for any."""
    since: datetime | None = None
    """Those that were closed then or later."""
    until: datetime | None = None
    """Those that were closed before."""
    worker: str = ""
    """Those of which it played a match, by its name or that of its machine; empty for any."""

    def __bool__(self) -> bool:
        return bool(self.blocks or self.bot or self.since or self.until or self.worker)

    def of(self, blocks: ClosedBlocks) -> list[int]:
        """The numbers of the blocks that are meant, of those that count, by whichever worker; sorted."""
        places = blocks.counting()
        numbers, at = blocks.places.numbers(), blocks.closed_ms() / 1000
        if self.blocks:
            places = places[np.isin(numbers[places], self.blocks)]
        if self.bot:
            places = blocks.played_by(self.bot, places)
        if self.since is not None:
            places = places[at[places] >= self.since.timestamp()]
        if self.until is not None:
            places = places[at[places] < self.until.timestamp()]
        return sorted(numbers[places].tolist())


async def annulment(blocks: ClosedBlocks, entries: Entries, which: Which, reason: str, at_ms: int) -> Annulment:
    """The annulment of the blocks that count and are meant; `entries` are those of `blocks`.

    Raises `ArenaError` when there is none, when one that is named does not count, and when it is not said which or why.
    """
    if not which:
        raise ArenaError("say which blocks: --block, --bot, --worker, --since or --until")
    if not reason.strip():
        raise ArenaError("say why with --reason; everybody can see it")
    found = which.of(blocks)
    if which.worker:
        found = await _played_on(which.worker, found, entries)
    wrong = sorted(set(which.blocks) - set(found))
    if wrong:
        raise ArenaError(
            f"block {wrong[0]} cannot be annulled: it is still to be played, void, annulled already, or does not"
            " fit the other options; nothing is annulled"
        )
    if not found:
        raise ArenaError("no block that counts fits; nothing is annulled")
    return Annulment(tuple(found), reason.strip(), at_ms)


async def _played_on(worker: str, numbers: Sequence[int], entries: Entries) -> list[int]:
    """Those of some blocks of which a worker played a match. Only their entries say so, so these are read."""
    found: list[int] = []
    for begin in range(0, len(numbers), _READ):
        read = await entries(numbers[begin : begin + _READ])
        found += sorted(number for number, entry in read.items() if entry.played_on(worker))
    return found
