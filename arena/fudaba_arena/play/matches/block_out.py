"""A block that was handed out to workers, from the arena's side."""

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
"""The time after which a block that a worker fetched is sent again if no worker has a lease for it."""


@final
@dataclass(slots=True, eq=False)
class BlockOut:
    """A block that is handed out."""

    spec: BlockSpec
    end: asyncio.Future[End]
    placed: bool = True
    """Whether workers that can play it were available at the last look."""
    held: bool = False
    sent_after_loss: str = ""
    """The message that was sent after a worker lost its lease; empty while there is a lease."""
    fetched_since: float | None = None
    """The monotonic time since which a worker has had its message without a lease."""
    waits_since: float = field(default_factory=time.monotonic)
    """The monotonic time since which no worker has played it."""
    at_once: Counter[str] = field(default_factory=Counter)
    """The number of simultaneous matches that it plays with bots of limited capacity."""

    def is_untaken(self, progress: Progress, *, is_fetched: bool) -> bool:
        """Returns whether its message is with a worker that will not play it: no worker has a lease for it.

        Leases alone show that. They expire by the store's time, whichever workers the queue's engine considers alive.
        """
        if not is_fetched:
            self.fetched_since = None
        elif self.fetched_since is None:
            self.fetched_since = time.monotonic()
        lost_lease = bool(progress.worker) and progress.message != self.sent_after_loss
        untaken = self.fetched_since is not None and time.monotonic() - self.fetched_since > _UNTAKEN_SECONDS
        return lost_lease or untaken


def matches_at_once(spec: BlockSpec) -> Counter[str]:
    """Counts the simultaneous matches of a block with bots of limited capacity."""
    seats = Counter(bot for match in spec.matches for bot in match.bots)
    return Counter({name: min(bot.capacity, seats[name]) for name, bot in spec.bots.items() if bot.capacity})
