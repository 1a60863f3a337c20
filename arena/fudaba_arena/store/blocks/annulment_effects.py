"""Annuls closed blocks: which ones the organiser chose, the effect, and the undoing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Self, final

import numpy as np

from fudaba_arena.errors import ArenaError
from fudaba_arena.store.blocks.annulments import Annulment, undone
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock
from fudaba_arena.store.blocks.kinds import Tally

__all__ = [
    "SAY_WHICH",
    "BlockChoice",
    "BotEffect",
    "Effect",
    "ReadBlocks",
    "annulment",
    "disqualifying",
    "disqualifying_number",
    "undoing",
]

ReadBlocks = Callable[[Collection[int]], Awaitable[Mapping[int, ClosedBlock]]]
"""Reads closed blocks by number."""
SAY_WHICH: Final = "say which blocks"
"""The beginning of the refusal of a choice without any condition. Earlier releases use the same words."""
_BLOCKS_PER_READ: Final = 1_000


@final
@dataclass(frozen=True, slots=True)
class BlockChoice:
    """A choice of blocks to annul: those that meet all conditions."""

    blocks: Sequence[int] = ()
    """The blocks with these numbers; empty for any."""
    bot: str = ""
    """The blocks in which this bot played, and only its groups in them. In a season, the name stands for all versions
    of the entry. Empty for any.
    """
    since: datetime | None = None
    """The blocks that were closed at this time or later."""
    until: datetime | None = None
    """The blocks that were closed before this time."""
    worker: str = ""
    """The blocks of which this worker played a match, by its name or that of its machine; empty for any."""
    pair: tuple[str, str] | None = None
    """The blocks in which these two bots, named as in `bot`, met, and only the groups in which they met; None for
    any.
    """
    game: str = ""
    """The blocks of this game; empty for any."""

    def __bool__(self) -> bool:
        return bool(self.blocks or self.bot or self.since or self.until or self.worker or self.pair or self.game)

    def bots(self, blocks: ClosedBlocks) -> frozenset[str]:
        """Returns the bots whose groups alone are chosen; none if whole blocks are. Raises `ArenaError`."""
        found = frozenset[str]()
        for bot in filter(None, (self.bot, *(self.pair or ()))):
            played = blocks.versions(bot)
            if not played:
                raise ArenaError(f"no bot {bot} has played in it; nothing is annulled")
            # The groups of a block have no bot in common: that of one of a pair in a block in which they met is both's.
            found = found or played
        if self.pair is not None and not blocks.versions(self.pair[0]).isdisjoint(blocks.versions(self.pair[1])):
            raise ArenaError(f"{' and '.join(self.pair)} are not a pair: a pair is two bots; nothing is annulled")
        return found

    def numbers(self, blocks: ClosedBlocks) -> list[int]:
        """Returns the sorted numbers of the chosen blocks among those that count, whichever worker played them."""
        places = blocks.counting()
        numbers, at = blocks.places.numbers(), blocks.closed_ms() / 1000
        if self.blocks:
            places = places[np.isin(numbers[places], self.blocks)]
        if self.game:
            places = blocks.of_game(self.game, places)
        if self.bot:
            places = blocks.played_by(blocks.versions(self.bot), places)
        if self.pair is not None:
            first, other = map(blocks.versions, self.pair)
            places = blocks.met(first, other, places)
        if self.since is not None:
            places = places[at[places] >= self.since.timestamp()]
        if self.until is not None:
            places = places[at[places] < self.until.timestamp()]
        return sorted(numbers[places].tolist())


@final
@dataclass(frozen=True, slots=True)
class BotEffect:
    """The effect of an annulment, or of its undoing, on a bot's counting results."""

    bot: str
    blocks_before: int
    blocks_after: int
    matches_before: int
    matches_after: int


@final
@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of an annulment, or of its undoing, on the counting results."""

    blocks_before: int
    blocks_after: int
    matches_before: int
    matches_after: int
    bots: tuple[BotEffect, ...]
    """The effects on every bot that has played, by name."""

    @classmethod
    def from_annulment(cls, blocks: ClosedBlocks, more: Annulment) -> Self:
        """Computes the effect of an annulment that is not noted yet. It reads the results of all blocks, which may take
        a second in a thread.
        """
        before = Tally.from_kinds(blocks.kinds())
        after = Tally.from_kinds(blocks.kinds_under([*blocks.annulments, more]))
        bots = tuple(
            BotEffect(
                bot,
                before.blocks_of[bot],
                after.blocks_of[bot],
                before.matches_of[bot],
                after.matches_of[bot],
            )
            for bot in sorted(before.blocks_of.keys() | after.blocks_of.keys())
        )
        return cls(before.blocks, after.blocks, before.matches, after.matches, bots)


async def annulment(
    blocks: ClosedBlocks, read_blocks: ReadBlocks, choice: BlockChoice, reason: str, at_ms: int
) -> Annulment:
    """Returns the annulment of the chosen blocks that count. `read_blocks` reads those of `blocks`.

    Raises `ArenaError` if no block matches, if a named block does not count, and if the choice or the reason is
    missing.
    """
    if not choice:
        raise ArenaError(f"{SAY_WHICH}: --blocks, --bot, --pair, --game, --worker, --since or --until")
    reason = _checked(reason)
    bots = choice.bots(blocks)
    found = choice.numbers(blocks)
    if choice.worker:
        found = await _played_on(choice.worker, found, read_blocks)
    wrong = sorted(set(choice.blocks) - set(found))
    if wrong:
        raise ArenaError(
            f"block {wrong[0]} cannot be annulled: it is still to be played, void, annulled already, or does not"
            " fit the other options; nothing is annulled"
        )
    if not found:
        raise ArenaError("no block that counts fits; nothing is annulled")
    return Annulment(tuple(found), reason, at_ms, tuple(sorted(bots)))


def disqualifying(blocks: ClosedBlocks, bot: str, versions: Collection[str], at_ms: int) -> Annulment:
    """Returns the annulment of all that an entry's versions, named as in results, have played in a season so far."""
    numbers, counting = blocks.places.numbers(), blocks.counting()
    played = blocks.played_by(versions, counting) if len(counting) else counting
    found = tuple(sorted(numbers[played].tolist()))
    return Annulment(found, f"{bot} is disqualified", at_ms, tuple(sorted(versions)), disqualifies=bot)


def disqualifying_number(annulments: Sequence[Annulment], bot: str) -> int:
    """Returns the number of the annulment in force that disqualifies a bot; 0 if there is none."""
    over = undone(annulments)
    numbered = enumerate(annulments, 1)
    found = [number for number, held in numbered if held.disqualifies == bot and not held.undoes and number not in over]
    return found[-1] if found else 0


def undoing(annulments: Sequence[Annulment], number: int, reason: str, at_ms: int) -> Annulment:
    """Makes the annulment that undoes another one, given by its number.

    Raises `ArenaError` if it does not exist, is already undone or itself undoes another, and if the reason is missing.
    """
    reason = _checked(reason)
    if not 0 < number <= len(annulments):
        raise ArenaError(f"there is no annulment {number}; there are {len(annulments)}, and nothing has changed")
    meant, by = annulments[number - 1], undone(annulments).get(number)
    if meant.undoes:
        raise ArenaError(f"{number} undoes annulment {meant.undoes}; to undo that again, annul the blocks anew")
    if by is not None:
        raise ArenaError(f"annulment {number} is undone already, by {by}; nothing has changed")
    return Annulment(meant.blocks, reason, at_ms, meant.bots, undoes=number, disqualifies=meant.disqualifies)


def _checked(reason: str) -> str:
    if not reason.strip():
        raise ArenaError("give the reason with --reason; everybody can see it")
    return reason.strip()


async def _played_on(worker: str, numbers: Sequence[int], read_blocks: ReadBlocks) -> list[int]:
    """Finds which of some blocks a worker played. It reads their stored lines, since nothing else says so."""
    found: list[int] = []
    for begin in range(0, len(numbers), _BLOCKS_PER_READ):
        read = await read_blocks(numbers[begin : begin + _BLOCKS_PER_READ])
        found += sorted(number for number, block in read.items() if block.played_on(worker))
    return found
