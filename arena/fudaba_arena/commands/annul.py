"""`fudaba arena annul`: closed blocks that do not count any more."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import final

from fudaba.cli.output import say
from fudaba_arena.commands.stored import chosen_tournament
from fudaba_arena.errors import ArenaError
from fudaba_arena.store.closed_blocks import Annulment, ClosedBlock
from fudaba_arena.store.folder import open_to_read
from fudaba_games.wording import counted

__all__ = ["Which", "annul_blocks"]


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


async def annul_blocks(
    data: Path, redis: str | None, file: Path | None, name: str | None, which: Which, reason: str
) -> int:
    """Annuls blocks that count. Raises `ArenaError` when none that fits does, or one that is named does not."""
    if not which:
        raise ArenaError("say which blocks: --block, --bot, --since or --until")
    if not reason.strip():
        raise ArenaError("say why with --reason; everybody can see it")
    async with open_to_read(data, redis) as store:
        chosen = await chosen_tournament(store, file, name)
        stored = await store.load(chosen, entries=True)
        if stored is None:
            raise ArenaError(f"there is no tournament {chosen} in this store")
        blocks = stored.blocks
        found = [closed.block for closed in _counting(blocks.blocks(), blocks.annulled) if which.fits(closed)]
        wrong = sorted(set(which.blocks) - set(found))
        if wrong:
            raise ArenaError(
                f"block {wrong[0]} cannot be annulled: it is still to be played, void, annulled already, or does not"
                " fit the other options; nothing is annulled"
            )
        if not found:
            raise ArenaError("no block that counts fits; nothing is annulled")
        await store.annul(chosen, Annulment(tuple(found), reason.strip(), int(time.time() * 1000)))
        left = blocks.counted - len(blocks.annulled) - len(found)
        say(f"annulled: {counted(len(found), 'block')} of {chosen}; {left} are rated", err=True)
    return 0


def _counting(closed: Iterator[ClosedBlock], annulled: dict[int, Annulment]) -> Iterator[ClosedBlock]:
    """Those that count so far."""
    return (one for one in closed if one.void is None and one.block not in annulled)
