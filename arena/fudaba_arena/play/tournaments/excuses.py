"""Excuses bots that were cut off in a block without fault. Such a block is void, whatever its result."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import final

from fudaba_arena.play.matches.executor import AttemptFailed, AttemptPlayed, End
from fudaba_arena.schedule.blocks import Block
from fudaba_arena.schedule.state import NO_SHOW, SUSPENDED

__all__ = ["Excuses"]


@final
class Excuses:
    """Examines how an attempt at a block ended."""

    def __init__(self) -> None:
        self.suspended: Callable[[Collection[str]], Awaitable[Collection[str]]] = _nobody
        """Returns those of some bots that belong to suspended accounts. Matches that they did not play do not count
        against them.
        """
        self.blameless: Callable[[Mapping[str, float]], Awaitable[Collection[str]]] = _nobody
        """Asks which of some bots were away without fault; the block that they forfeited is then void. The argument has
        the monotonic time when each was first found to be away.
        """

    async def excused(self, block: Block, end: End) -> End:
        """Returns the end of an attempt, without the losses of bots that were cut off without fault.

        For example, an account was suspended or a network failed.
        """
        results = end.results.values() if isinstance(end, AttemptPlayed) else ()
        found_ms: dict[str, int] = {}
        for result in results:
            for bot in result.absent:
                found_ms[bot] = min(result.ended_ms, found_ms.get(bot, result.ended_ms))
        if isinstance(end, AttemptFailed):
            blamed = end.bots
        else:
            forfeited = (result.forfeited for result in results if result.forfeited)
            blamed = tuple(dict.fromkeys((*forfeited, *found_ms)))
        if blamed and await self.suspended(blamed):
            return AttemptFailed(block.matches[0].match_id, SUSPENDED)
        now, now_seconds = time.monotonic(), time.time()
        found_at = {bot: now - max(0.0, now_seconds - ms / 1000) for bot, ms in found_ms.items()}
        if found_at and await self.blameless(found_at):
            return AttemptFailed(block.matches[0].match_id, NO_SHOW)
        return end


async def _nobody(_: object) -> Collection[str]:
    return ()
