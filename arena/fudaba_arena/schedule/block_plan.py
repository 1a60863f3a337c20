"""Plans which blocks are open, and which block opens next."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from typing import Final, final

from fudaba_arena.schedule.blocks import Block
from fudaba_arena.schedule.state import ScheduledTournament

__all__ = ["BlockPlan"]

_MAX_BLOCKS_SKIPPED: Final = 64
_MAX_BLOCKS_PER_BOT: Final = 4
"""The number of blocks that a bot of a ladder plays at once. A block that is chosen early knows less of the
standings.
"""


@final
class BlockPlan:
    """Opens blocks in the order of the schedule, as far as the bots allow.

    A bot that has not played yet, or that did not connect when it was last needed, is in one block at a time. So an
    absent bot holds up one block and not all of them.
    """

    def __init__(self, state: ScheduledTournament) -> None:
        self._state = state
        # What workers have already comes first. Its slots are left out of what is coming: that is looked at late, when
        # such a block may be void, and its replacement is told by `replace`.
        self._next = deque(state.schedule.block(number) for number in sorted(state.stored.handed_out))
        begun = frozenset(block.slot for block in self._next)
        self._coming = (block for block in state.unfinished() if block.slot not in begun)
        self._parked: list[Block] = []
        """The blocks that could not be opened, as long as their bots play no more."""
        self.held_up: list[Block] = []
        """The blocks that have not begun, and wait for an absent bot."""
        self.away: Callable[[str], bool] = lambda _: False
        """The bots that are known to be absent."""
        self._present: set[str] = set()
        self.open: list[Block] = []
        """The blocks that are being played, and void ones with matches that still run."""
        self._in_open: Counter[str] = Counter()
        """The number of these in which each bot plays."""

    def shown_up(self, bots: Iterable[str]) -> None:
        """Notes that these bots have played a match."""
        self._present.update(bots)

    def absent(self, bots: Iterable[str]) -> None:
        """Notes that these bots did not connect."""
        self._present.difference_update(bots)

    def replace(self, block: Block) -> None:
        """Schedules the replacement of a void block soon."""
        self._next.appendleft(self._state.schedule.replacement(block))

    def add(self, blocks: Iterable[Block]) -> None:
        """Adds new blocks of the schedule."""
        self._next.extend(blocks)

    def leave(self, block: Block) -> None:
        """Drops a block unless its bots are readmitted."""
        self._parked.append(block)

    def readmit(self) -> None:
        """Schedules blocks whose bots were readmitted or have returned."""
        waited, self.held_up = self.held_up, []
        for block in waited:
            if self._state.parked(block):
                self.leave(block)
            else:
                (self.held_up if self._missing(block) else self._next).append(block)
        self._next.extend(block for block in self._parked if not self._state.parked(block))
        self._parked = [block for block in self._parked if self._state.parked(block)]

    @property
    def has_room(self) -> bool:
        """Whether another block could be opened."""
        return len(self.open) < 2 * self._state.tournament.concurrency

    def busy(self) -> set[str]:
        """Returns the bots that should not be chosen for another block: those that have not connected yet in a block,
        or are in many.
        """
        return {bot for bot, count in self._begun().items() if bot not in self._present or count >= _MAX_BLOCKS_PER_BOT}

    def full(self) -> set[str]:
        """Returns the bots that are in as many blocks as they may be."""
        return {bot for bot, count in self._begun().items() if count >= _MAX_BLOCKS_PER_BOT}

    def begun(self) -> list[Block]:
        """Returns the blocks that are open, or will be as soon as there is room."""
        return [*self.open, *self._next]

    def _begun(self) -> Counter[str]:
        """Counts the bots' blocks among these."""
        return self._in_open + Counter(bot for block in self._next for bot in block.bots)

    def open_next(self, takes: Callable[[Block], bool] = lambda _: True) -> Block | None:
        """Returns the block to open now, noted as open; None if there is none, or enough are open.

        `takes` says whether a block can be played now; if not, another one goes first.
        """
        if not self.has_room:
            return None
        taken = self._taken()
        skipped: list[Block] = []
        found = None
        while len(skipped) < _MAX_BLOCKS_SKIPPED and found is None:
            block = self._next.popleft() if self._next else next(self._coming, None)
            if block is None:
                break
            if block.attempt < self._state.stored.blocks.attempts[block.slot]:
                # The block became void before it was opened here: workers had it, and it was taken back.
                self.replace(block)
                continue
            if self._state.parked(block):
                self.leave(block)
                continue
            if self._missing(block):
                self.held_up.append(block)
                continue
            if not takes(block) or any(bot in taken and bot not in self._state.stored.withdrawn for bot in block.bots):
                skipped.append(block)
            else:
                found = block
                self.open.append(block)
                self._state.opened.add(block.number)
                self._in_open.update(block.bots)
        self._next.extendleft(reversed(skipped))
        return found

    def close(self, block: Block) -> None:
        """Notes that a block is over."""
        self.open.remove(block)
        self._state.opened.discard(block.number)
        self._in_open.subtract(block.bots)

    def waits_for(self, block: Block) -> list[str]:
        """Returns the bots that keep a block from opening: they are absent, or must first connect in another block."""
        missing, taken = self._missing(block), self._taken()
        return [
            bot for bot in block.bots if bot in missing or (bot in taken and bot not in self._state.stored.withdrawn)
        ]

    def _missing(self, block: Block) -> list[str]:
        """Returns the absent bots of a block.

        A block that began in an earlier run goes on without this check.
        """
        if self._state.begun(block):
            return []
        return [bot for bot in block.bots if self.away(bot) and bot not in self._state.stored.withdrawn]

    def _taken(self) -> set[str]:
        """Returns the bots in a block that may not sit in a second one. Only a bot that has connected may."""
        return {bot for bot, blocks in self._in_open.items() if blocks and bot not in self._present}
