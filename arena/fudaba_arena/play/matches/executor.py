"""The scheduler's interface to what plays the matches of blocks.

The scheduler (`TournamentRunner`, `BlockPlan`) decides which blocks are open, and closes them. The executor decides
where and how their matches are played: in this process, or elsewhere. It stores the result of each match in the block's
line of the sequence, and nothing else of a block.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from typing import Protocol, Self, final

from fudaba_arena.schedule.blocks import Block
from fudaba_arena.store.blocks.closed_block import MatchResult

__all__ = ["AttemptFailed", "AttemptLeft", "AttemptPlayed", "End", "Executor", "Listener"]


@final
@dataclass(frozen=True, slots=True)
class AttemptPlayed:
    """An attempt at a block with nothing left to play: all wanted matches have their results."""

    results: Mapping[str, MatchResult] = field(default_factory=dict)
    """The results by match id, including those of matches that are no longer wanted."""


@final
@dataclass(frozen=True, slots=True)
class AttemptFailed:
    """A failed attempt at a block, described by its first match without a result."""

    match_id: str
    cause: str
    """The cause, as in `VoidBlock`."""
    bots: tuple[str, ...] = ()
    """The bots that are held responsible."""
    said: Mapping[str, str] = field(default_factory=dict)
    """The last words of those bots that the arena itself starts, to follow a sentence."""

    def with_words(self, said: Mapping[str, str]) -> Self:
        """Adds the bots' last words."""
        return replace(self, said=said)


@final
@dataclass(frozen=True, slots=True)
class AttemptLeft:
    """An attempt that was left when the arena stopped. Its stored part stays, and the next run continues it."""

    to: str = ""
    """The address of the workers that continue it now; empty if any may find it."""


End = AttemptPlayed | AttemptFailed | AttemptLeft


class Listener(Protocol):
    """Receives events before a block is over."""

    def played(self, result: MatchResult) -> None:
        """Notes that a match's result was stored."""
        ...

    def gave_up(self, bot: str, why: str) -> None:
        """Notes that one of the arena's own bots cannot be kept running."""
        ...

    def room_made(self) -> None:
        """Notes that a block that found no room may have room now, although no match of an open block has ended."""
        ...


class Executor(Protocol):
    """Plays the matches of one tournament's blocks."""

    @property
    def running(self) -> int:
        """The number of matches being played."""
        ...

    @property
    def has_room(self) -> bool:
        """Whether another block should be opened now."""
        ...

    @property
    def spare(self) -> int:
        """The number of further matches that would have room if all unfinished matches of open blocks were in play."""
        ...

    def crowded(self, *, sated: bool) -> bool:
        """Returns whether some of the tournament waits for room, so that less important play should stand back.

        `sated`: it had room when it was last offered a block, but no block was available.
        """
        ...

    def opened(self, listener: Listener) -> AbstractAsyncContextManager[None]:
        """Provides what playing needs until the context is left."""
        ...

    def takes(self, block: Block) -> bool:
        """Returns whether the bots of a block have room for it now."""
        ...

    def play(self, block: Block) -> Awaitable[End]:
        """Plays an attempt at a block. `running` and `has_room` include it when this returns.

        The outcome is known as soon as the attempt has failed. Its matches may run on until `clear`.
        """
        ...

    async def clear(self, block: Block, why: str) -> None:
        """Ends the running matches of a failed attempt after the failure was stored. Returns when all of them are
        over.
        """
        ...

    def call_off(self, block: Block, end: AttemptFailed) -> None:
        """Makes an open block fail in mid-play, unless it is already over."""
        ...

    async def withdrawn(self) -> None:
        """Drops the unneeded matches of open blocks, except those that have begun."""
        ...

    def hold(self) -> None:
        """Starts no more matches. A block that is unfinished when its matches in play end is left."""
        ...

    def cut(self) -> None:
        """Stops waiting for matches in play, after `hold`."""
        ...
