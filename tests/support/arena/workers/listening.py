"""Somebody who hears what becomes of blocks."""

from __future__ import annotations

from typing import final

from fudaba_arena.store.blocks.closed_block import MatchResult


@final
class Heard:
    """A `Listener`."""

    def played(self, result: MatchResult) -> None:
        pass

    def gave_up(self, bot: str, why: str) -> None:
        pass

    def room_made(self) -> None:
        pass
