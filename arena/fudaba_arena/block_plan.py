"""Which blocks are open, and which of their matches comes next."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, final

from fudaba_arena.blocks import Block, Table
from fudaba_arena.state import TournamentState

__all__ = ["BlockPlan", "OpenBlock"]

_LOOKAHEAD: Final = 64


@final
@dataclass(slots=True, eq=False)
class OpenBlock:
    """A block whose matches are being played."""

    block: Block
    waiting: deque[Table]
    """Not started yet, in order."""
    running: dict[str, Table] = field(default_factory=dict)
    """By match id."""
    void: bool = False

    @property
    def over(self) -> bool:
        """Whether nothing of it is left to play."""
        return not self.waiting and not self.running


@final
class BlockPlan:
    """Opens blocks in the order of the schedule, as far as bots and the limit of matches at once allow.

    A bot that has not played yet, or that did not show up when it was last wanted, is in one block at a time, so that
    an absent bot holds up one block and not all of them.
    """

    def __init__(self, state: TournamentState) -> None:
        self._state = state
        self._coming = state.unfinished()
        self._next: deque[Block] = deque()
        self._present: set[str] = set()
        self.open: list[OpenBlock] = []
        self._playing: Counter[str] = Counter()

    @property
    def running(self) -> int:
        """The number of matches being played."""
        return sum(len(one.running) for one in self.open)

    def shown_up(self, bots: Iterable[str]) -> None:
        """These bots have played a match."""
        self._present.update(bots)

    def absent(self, bots: Iterable[str]) -> None:
        """These bots did not connect."""
        self._present.difference_update(bots)

    def replace(self, block: Block) -> None:
        """Has the replacement of a void block played soon."""
        self._next.appendleft(self._state.schedule.replacement(block))

    def start_next(self) -> tuple[OpenBlock, Table] | None:
        """The match to start now, noted as running; None when none fits."""
        if self.running >= self._state.tournament.concurrency:
            return None
        for one in self.open:
            for table in one.waiting:
                if self._has_room(table):
                    return self._started(one, table)
        while (block := self._openable()) is not None:
            one = OpenBlock(block, deque(self._state.tables(block)))
            self.open.append(one)
            for table in one.waiting:
                if self._has_room(table):
                    return self._started(one, table)
        return None

    def ended(self, one: OpenBlock, table: Table) -> None:
        """A match is over, however it ended."""
        del one.running[table.match_id]
        self._playing.subtract(table.bots)

    def close(self, one: OpenBlock) -> None:
        """A block is over."""
        self.open.remove(one)

    def withdrawn(self) -> list[tuple[OpenBlock, Table]]:
        """Drops what waits for bots that play no more; the running matches of such bots."""
        running = []
        for one in self.open:
            wanted = self._state.tables(one.block)
            one.waiting = deque(table for table in one.waiting if table in wanted)
            running += [(one, table) for table in one.running.values() if table not in wanted]
        return running

    def _started(self, one: OpenBlock, table: Table) -> tuple[OpenBlock, Table]:
        one.waiting.remove(table)
        one.running[table.match_id] = table
        self._playing.update(table.bots)
        return one, table

    def _has_room(self, table: Table) -> bool:
        for name in table.bots:
            capacity = self._state.tournament.bot(name).capacity
            if capacity and self._playing[name] >= capacity:
                return False
        return True

    def _openable(self) -> Block | None:
        """Takes the next block that may be opened; None when there is none, or enough are open."""
        if len(self.open) >= 2 * self._state.tournament.concurrency:
            return None
        # Only a bot that has been seen may sit in several blocks at once.
        taken = {bot for one in self.open for bot in one.block.bots if bot not in self._present}
        skipped: list[Block] = []
        found = None
        while len(skipped) < _LOOKAHEAD and found is None:
            block = self._next.popleft() if self._next else next(self._coming, None)
            if block is None:
                break
            if block.number in self._state.stored.void or self._state.parked(block):
                continue  # it became void after it was taken, or is not tried any more
            if any(bot in taken and bot not in self._state.stored.withdrawn for bot in block.bots):
                skipped.append(block)
            else:
                found = block
        self._next.extendleft(reversed(skipped))
        return found
