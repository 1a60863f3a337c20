"""A block that is handed out to workers, as the arena that handed it out knows it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Final, final

from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.matches.executor import End
from fudaba_arena.play.workers.block_queue import HEARTBEAT_SECONDS
from fudaba_arena.store.leases.handed_out import Progress

__all__ = ["BlockOut", "matches_at_once"]

_UNTAKEN_SECONDS: Final = HEARTBEAT_SECONDS
"""A block that a worker has fetched, and for which none has a lease after this time, is sent again."""


@final
@dataclass(slots=True, eq=False)
class BlockOut:
    """A block that is handed out."""

    spec: BlockSpec
    end: asyncio.Future[End]
    placed: bool = True
    """Whether there were workers that can play it at the last look."""
    held: bool = False
    sent_after_loss: str = ""
    """The message that was sent since a worker lost its lease for it; empty while there is a lease."""
    fetched_since: float | None = None
    """The monotonic time since which a worker has its message, and none a lease for it."""
    waits_since: float = field(default_factory=time.monotonic)
    """The monotonic time since which no worker has played it, while none does."""
    at_once: Counter[str] = field(default_factory=Counter)
    """The number of matches at once that it takes of bots whose capacity is limited."""

    def is_untaken(self, progress: Progress, *, is_fetched: bool) -> bool:
        """Returns whether its message is with a worker that will not play it; nobody has a lease for it.

        Leases alone show that: they run out by the store's time, whichever workers the queue's engine takes for alive.
        """
        if not is_fetched:
            self.fetched_since = None
        elif self.fetched_since is None:
            self.fetched_since = time.monotonic()
        lost_lease = bool(progress.worker) and progress.message != self.sent_after_loss
        untaken = self.fetched_since is not None and time.monotonic() - self.fetched_since > _UNTAKEN_SECONDS
        return lost_lease or untaken


def matches_at_once(spec: BlockSpec) -> Counter[str]:
    """Counts the matches that a block plays at once with bots whose capacity is limited."""
    seats = Counter(bot for match in spec.matches for bot in match.bots)
    return Counter({name: min(bot.capacity, seats[name]) for name, bot in spec.bots.items() if bot.capacity})
