"""Closed blocks that do not count any more: which ones the organiser means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import final

import numpy as np

from fudaba_arena.errors import ArenaError
from fudaba_arena.store.closed_blocks import Annulment, ClosedBlocks

__all__ = ["Which", "annulment"]


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

    def __bool__(self) -> bool:
        return bool(self.blocks or self.bot or self.since or self.until)

    def of(self, blocks: ClosedBlocks) -> list[int]:
        """The numbers of the blocks that are meant, of those that count; sorted."""
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


def annulment(blocks: ClosedBlocks, which: Which, reason: str, at_ms: int) -> Annulment:
    """The annulment of the blocks that count and are meant.

    Raises `ArenaError` when there is none, when one that is named does not count, and when it is not said which or why.
    """
    if not which:
        raise ArenaError("say which blocks: --block, --bot, --since or --until")
    if not reason.strip():
        raise ArenaError("say why with --reason; everybody can see it")
    found = which.of(blocks)
    wrong = sorted(set(which.blocks) - set(found))
    if wrong:
        raise ArenaError(
            f"block {wrong[0]} cannot be annulled: it is still to be played, void, annulled already, or does not"
            " fit the other options; nothing is annulled"
        )
    if not found:
        raise ArenaError("no block that counts fits; nothing is annulled")
    return Annulment(tuple(found), reason.strip(), at_ms)
