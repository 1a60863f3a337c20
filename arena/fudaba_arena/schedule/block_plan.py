"""Which blocks are open, and which of their matches comes next."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, final

from fudaba_arena.schedule.blocks import Block, PlannedMatch
from fudaba_arena.schedule.state import TournamentState

__all__ = ["BlockPlan", "OpenBlock"]

_LOOKAHEAD: Final = 64


@final
@dataclass(slots=True, eq=False)
class OpenBlock:
    """A block whose matches are being played."""

    block: Block
    waiting: deque[PlannedMatch]
    """Not started yet, in order."""
    running: dict[str, PlannedMatch] = field(default_factory=dict)
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

    def start_next(self) -> tuple[OpenBlock, PlannedMatch] | None:
        """The match to start now, noted as running; None when none fits."""
        if self.running >= self._state.tournament.concurrency:
            return None
        for one in self.open:
            for match in one.waiting:
                if self._has_room(match):
                    return self._started(one, match)
        while (block := self._openable()) is not None:
            one = OpenBlock(block, deque(self._state.to_play(block)))
            self.open.append(one)
            for match in one.waiting:
                if self._has_room(match):
                    return self._started(one, match)
        return None

    def ended(self, one: OpenBlock, match: PlannedMatch) -> None:
        """A match is over, however it ended."""
        del one.running[match.match_id]
        self._playing.subtract(match.bots)

    def close(self, one: OpenBlock) -> None:
        """A block is over."""
        self.open.remove(one)

    def withdrawn(self) -> list[tuple[OpenBlock, PlannedMatch]]:
        """Drops what waits for bots that play no more; the running matches of such bots."""
        running = []
        for one in self.open:
            wanted = self._state.to_play(one.block)
            one.waiting = deque(match for match in one.waiting if match in wanted)
            running += [(one, match) for match in one.running.values() if match not in wanted]
        return running

    def waits_for(self, block: Block) -> list[str]:
        """The bots that keep a block from being opened: they have to show up in another one first."""
        return [bot for bot in block.bots if bot in self._taken() and bot not in self._state.stored.withdrawn]

    def _taken(self) -> set[str]:
        """Who is in a block already and may not sit in a second one: only a bot that has been seen may."""
        return {bot for one in self.open for bot in one.block.bots if bot not in self._present}

    def _started(self, one: OpenBlock, match: PlannedMatch) -> tuple[OpenBlock, PlannedMatch]:
        one.waiting.remove(match)
        one.running[match.match_id] = match
        self._playing.update(match.bots)
        return one, match

    def _has_room(self, match: PlannedMatch) -> bool:
        for name in match.bots:
            capacity = self._state.tournament.bot(name).capacity
            if capacity and self._playing[name] >= capacity:
                return False
        return True

    def _openable(self) -> Block | None:
        """Takes the next block that may be opened; None when there is none, or enough are open."""
        if len(self.open) >= 2 * self._state.tournament.concurrency:
            return None
        taken = self._taken()
        skipped: list[Block] = []
        found = None
        while len(skipped) < _LOOKAHEAD and found is None:
            block = self._next.popleft() if self._next else next(self._coming, None)
            if block is None:
                break
            if block.attempt < self._state.stored.blocks.attempts[block.slot] or self._state.parked(block):
                continue  # it became void after it was taken, or is not tried any more
            if any(bot in taken and bot not in self._state.stored.withdrawn for bot in block.bots):
                skipped.append(block)
            else:
                found = block
        self._next.extendleft(reversed(skipped))
        return found
