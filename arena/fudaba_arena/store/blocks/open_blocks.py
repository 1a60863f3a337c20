"""The open blocks of a tournament: the results of their matches, until a block is closed."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from importlib.resources import files
from typing import Any, final

from fudaba_arena.store.answers import key, unavailable
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult
from fudaba_serving.redis.pipelining import Pipelined, Script

__all__ = ["NoteOutcome", "OpenBlocks"]


@final
class NoteOutcome(Enum):
    """The outcome of noting a match."""

    STORED = "stored"
    KNOWN = "known"
    """It already has a result, which stays."""
    LATE = "late"
    """Its block is over, or another attempt at it has begun. Nothing changed."""
    WITHDRAWN = "withdrawn"
    """A bot of a match without a result was withdrawn. Nothing changed."""


@final
class OpenBlocks:
    """The open blocks of all tournaments."""

    def __init__(self, pipelined: Pipelined) -> None:
        self._pipelined = pipelined
        scripts = files("fudaba_arena.store.blocks")
        self._result = Script((scripts / "store_result.lua").read_text())
        self._closed = Script((scripts / "store_closed.lua").read_text())

    async def store_result(self, name: str, slot: int, attempt: int, result: MatchResult) -> NoteOutcome:
        """Stores the result of a match in an attempt at a slot. Its bots that were not away have shown up."""
        args = [slot, attempt, result.match_id, result.stored(), *result.present]
        return await self._note_match(name, args)

    async def store_created(
        self, name: str, slot: int, attempt: int, match_id: str, bots: Sequence[str] = ()
    ) -> NoteOutcome:
        """Notes that the service has a match of these bots, unless one of them is withdrawn."""
        return await self._note_match(name, [slot, attempt, match_id, "", *bots])

    async def _note_match(self, name: str, args: list[Any]) -> NoteOutcome:
        keys = [key(name, part) for part in ("open", "attempts", "filled", "no-shows", "withdrawn")]
        with unavailable():
            return NoteOutcome((await self._pipelined.run(self._result, keys, args)).decode())

    async def store_closed(self, name: str, closed: ClosedBlock, attempt: int, match_ids: Sequence[str]) -> int:
        """Closes a block as counting or void. Returns the number of its line in the sequence, from 1.

        Returns 0 if this attempt at its slot is already over.

        `match_ids` are the block's matches, of which the first `closed.counting` count; their results are the stored
        ones. Raises `ValueError` if a counting match has none.
        """
        parts = "closed", "open", "attempts", "filled", "unreleased", "no-shows", "handed-out"
        of_block = f"block:{closed.block}", f"lease:{closed.block}"
        counts = "1" if closed.void is None else "0"
        absent = closed.void.bots if closed.void is not None and closed.void.cause == "no_show" else ()
        args: list[str | int] = [
            closed.slot,
            attempt,
            counts,
            closed.block,
            *closed.around(),
            len(match_ids),
            *match_ids,
        ]
        keys = [key(name, part) for part in (*parts, *of_block)]
        with unavailable():
            number = await self._pipelined.run(self._closed, keys, [*args, closed.counting, *absent])
        if number < 0:
            raise ValueError(f"block {closed.block} is said to count, and a match of it has no result")
        return int(number)

    async def store_released(self, name: str, block: int) -> None:
        """Notes that everybody may see a block's matches."""
        with unavailable():
            await self._pipelined("SREM", key(name, "unreleased"), block)
