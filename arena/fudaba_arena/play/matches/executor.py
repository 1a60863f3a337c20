"""The interface of what plays the matches of blocks, as the scheduler knows it.

The scheduler (`TournamentRunner`, `BlockPlan`) says which blocks are open, and closes them. Where and how their
matches are played is the executor's affair: in this process, or elsewhere. It stores the result of each match in the
block's line of the sequence, and nothing else of a block.
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
    """An attempt at a block of which nothing is left to play: all its matches that are wanted have their results."""

    results: Mapping[str, MatchResult] = field(default_factory=dict)
    """These, and those of matches that are not wanted any more and have one; by match id."""


@final
@dataclass(frozen=True, slots=True)
class AttemptFailed:
    """An attempt at a block that came to nothing, by the first of its matches that has no result."""

    match_id: str
    cause: str
    """The cause, as in `VoidBlock`."""
    bots: tuple[str, ...] = ()
    """The bots that are held responsible."""
    said: Mapping[str, str] = field(default_factory=dict)
    """The last words of those of them that the arena starts itself, to be put after a sentence."""

    def with_words(self, said: Mapping[str, str]) -> Self:
        """Adds the bots' last words."""
        return replace(self, said=said)


@final
@dataclass(frozen=True, slots=True)
class AttemptLeft:
    """An attempt that was left when the arena stopped: what is stored of it stays, and the next run goes on with it."""

    to: str = ""
    """The address of the workers that go on with it now; empty where others find it."""


End = AttemptPlayed | AttemptFailed | AttemptLeft


class Listener(Protocol):
    """Hears what happens before a block is over."""

    def played(self, result: MatchResult) -> None:
        """Notes that the result of a match was stored."""
        ...

    def gave_up(self, bot: str, why: str) -> None:
        """Notes that a bot that the arena starts itself cannot be kept running."""
        ...

    def room_made(self) -> None:
        """Notes that there may be room for a block for which there was none, though no match of an open one is over."""
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
        """The number of further matches that would have room if all unfinished matches of open blocks were played at
        once.
        """
        ...

    def crowded(self, *, sated: bool) -> bool:
        """Returns whether something of the tournament waits for room, so that what matters less is to stand back.

        `sated`: it had room when it was last offered a block, and there was none to offer.
        """
        ...

    def opened(self, listener: Listener) -> AbstractAsyncContextManager[None]:
        """Provides what it needs for playing until the block is left."""
        ...

    def takes(self, block: Block) -> bool:
        """Returns whether the bots of a block have room for it now."""
        ...

    def play(self, block: Block) -> Awaitable[End]:
        """Plays an attempt at a block; `running` and `has_room` know of it when this returns.

        How it ended is known as soon as it has failed. Then matches of it may still run, until `clear`.
        """
        ...

    async def clear(self, block: Block, why: str) -> None:
        """Ends what still runs of an attempt that has failed, after that was stored; returns when all of it is over."""
        ...

    def call_off(self, block: Block, end: AttemptFailed) -> None:
        """Makes an open block fail in mid-play, unless it is over already."""
        ...

    async def withdrawn(self) -> None:
        """Leaves out, of open blocks, the matches that are not wanted any more, but for those that have begun."""
        ...

    def hold(self) -> None:
        """Starts no more matches. Blocks that are not over when their matches in play are, are left."""
        ...

    def cut(self) -> None:
        """Waits for matches in play no longer, after `hold`."""
        ...
