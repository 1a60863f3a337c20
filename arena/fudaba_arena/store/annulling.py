"""Closed blocks that do not count any more: which ones the organiser means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import final

from fudaba_arena.errors import ArenaError
from fudaba_arena.store.closed_blocks import Annulment, ClosedBlock, ClosedBlocks

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

    def fits(self, closed: ClosedBlock) -> bool:
        """Whether a block is meant."""
        at = closed.at_ms / 1000
        return (
            (not self.blocks or closed.block in self.blocks)
            and (not self.bot or any(self.bot in result.bots for result in closed.results))
            and (self.since is None or at >= self.since.timestamp())
            and (self.until is None or at < self.until.timestamp())
        )


def annulment(blocks: ClosedBlocks, which: Which, reason: str, at_ms: int) -> Annulment:
    """The annulment of the blocks that count and are meant.

    Raises `ArenaError` when there is none, when one that is named does not count, and when it is not said which or why.
    """
    if not which:
        raise ArenaError("say which blocks: --block, --bot, --since or --until")
    if not reason.strip():
        raise ArenaError("say why with --reason; everybody can see it")
    counting = (one for one in blocks.blocks() if one.void is None and one.block not in blocks.annulled)
    found = [closed.block for closed in counting if which.fits(closed)]
    wrong = sorted(set(which.blocks) - set(found))
    if wrong:
        raise ArenaError(
            f"block {wrong[0]} cannot be annulled: it is still to be played, void, annulled already, or does not"
            " fit the other options; nothing is annulled"
        )
    if not found:
        raise ArenaError("no block that counts fits; nothing is annulled")
    return Annulment(tuple(found), reason.strip(), at_ms)
