"""Round robin and gauntlet: turns the definition of a tournament into its blocks, always the same ones.

For each game, the bots meet in *groups* of the game's number of seats. In a *cycle* everybody meets everybody, in
rounds in which nobody plays twice (see `groups`): with two seats exactly once, with more as evenly as possible. In a
gauntlet, only the challengers meet everybody else (see `gauntlet`). A game is played for as many cycles as it has
`blocks`, so that after every cycle all bots have played equally often.

A group whose bots all keep nothing has its own rotating block. The other groups of a round share blocks, so that
several groups play their deals (see `blocks`). If only one is left over, a group that keeps nothing joins it for
comparison.

The blocks of several games are mixed: at any time, about the same part of each game has been played.

The planned blocks have the numbers 0 to `len(schedule)` - 1, in the order of play. The replacement of a void block has
the void block's number plus `len(schedule)`, and so new deals and new match ids.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, final

from fudaba.seatings import MAX_SEATS, seating_count
from fudaba_arena.schedule.block_numbers import BlockNumbers
from fudaba_arena.schedule.blocks import Block, Entrant, named_matches, seated_matches
from fudaba_arena.schedule.gauntlet import gauntlet
from fudaba_arena.schedule.groups import Group, Rounds, cycle
from fudaba_arena.schedule.round_blocks import owners_of, round_blocks
from fudaba_arena.schedule.schedule import BadSchedule, Part, Schedule

__all__ = ["FixedSchedule", "RoundRobin", "check"]

MAX_TOURNAMENT_ID_CHARS: Final = 48
"""The length that leaves room in a match id for the numbers of block and match."""
_TOURNAMENT_ID: Final = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{MAX_TOURNAMENT_ID_CHARS - 1}}}")


@final
@dataclass(frozen=True, slots=True)
class RoundRobin:
    """A game of a tournament in which everybody meets everybody or, in a gauntlet, the challengers meet all others.

    The order of the entrants has no effect.
    """

    tournament: str
    """Its id: 1-48 of A-Z, a-z, 0-9, `.`, `_` and `-`, beginning with a letter or digit, since match ids begin so."""
    entrants: tuple[Entrant, ...]
    blocks: int = 1
    """The number of cycles; with two seats, that is the number of blocks for each pairing."""
    deals: int = 1
    """The number of deals for each seating: a group plays seatings × `deals` matches in a block. Rotating blocks replay
    each deal in every seating.
    """
    same_author: bool = False
    """Whether bots of one author may meet."""
    seats: int = 2
    game: str = ""
    """The game's id, which only tells blocks of several games apart."""
    challengers: tuple[str, ...] = ()
    """The names of the bots that meet all others in a gauntlet; empty for a round robin."""
    fresh: bool = False
    """Whether each match has its own deal, so that no deal is played twice."""


@final
@dataclass(frozen=True, slots=True)
class _Planned:
    """A block of a cycle, before it has a number."""

    round: int
    groups: tuple[Group, ...]
    shared: bool


@final
class _Part:
    """The blocks of one game. Raises `BadSchedule`."""

    def __init__(self, definition: RoundRobin) -> None:
        check(definition)
        self.definition = definition
        self.cycle = _plan(definition)
        self.length = len(self.cycle) * definition.blocks

    @property
    def groups(self) -> int:
        """The number of groups that meet in a cycle."""
        return sum(len(planned.groups) for planned in self.cycle)

    @property
    def matches(self) -> int:
        """The number of matches that count at the end."""
        definition = self.definition
        return self.groups * seating_count(definition.seats) * definition.deals * definition.blocks

    def block(self, number: int, slot: int, attempt: int, place: int) -> Block:
        """Returns the block of a place in this part."""
        number_of_cycle, of_cycle = divmod(place, len(self.cycle))
        planned, definition = self.cycle[of_cycle], self.definition
        seated = seated_matches(planned.groups, definition.deals, shared=planned.shared, fresh=definition.fresh)
        matches = named_matches(definition.tournament, number, seated)
        deals = 1 + max(match.deal for match in matches)
        return Block(number, slot, attempt, number_of_cycle, planned.round, deals, matches, definition.game)


@final
class FixedSchedule(Schedule):
    """A schedule whose blocks are known from the start, with a part for each game.

    Equal definitions give equal schedules. Raises `BadSchedule`.
    """

    def __init__(self, *definitions: RoundRobin) -> None:
        self._parts: list[_Part] = []
        for definition in definitions:
            try:
                self._parts.append(_Part(definition))
            except BadSchedule as error:
                if len(definitions) == 1:
                    raise
                raise BadSchedule(f"{definition.game}: {error}") from error
        self.numbers = BlockNumbers(sum(part.length for part in self._parts))

    @property
    def whole(self) -> bool:
        """True, since all slots are known."""
        return True

    def __len__(self) -> int:
        """Returns the number of blocks that count at the end. Replacements take the place of void blocks."""
        return self.numbers.step

    def _attempt(self, slot: int, attempt: int) -> Block:
        part, place = self._place(slot)
        return self._parts[part].block(self.numbers.number(slot, attempt), slot, attempt, place)

    def game_of(self, number: int) -> str:
        """Returns the game of the block with a number."""
        return self._parts[self._place(self.numbers.slot(number))[0]].definition.game

    def _place(self, slot: int) -> tuple[int, int]:
        """Returns the game of a slot's block, and its place among the game's blocks."""
        for part, game_part in enumerate(self._parts):
            place = bisect_left(range(game_part.length), slot, key=partial(self._slot, part))
            if place < game_part.length and self._slot(part, place) == slot:
                return part, place
        raise AssertionError(f"no game has a block for slot {slot}")

    def _slot(self, part: int, place: int) -> int:
        """Returns the slot of a game's block: block i of n stands at (2i + 1) / 2n of the whole."""
        length = self._parts[part].length
        slot = place
        for other, game_part in enumerate(self._parts):
            if other != part:
                # The other game's j with (2j + 1) / 2m below that; of equal ones the first game's goes first.
                bound = (2 * place + 1) * game_part.length - (0 if other < part else 1)
                slot += (bound // length + 1) // 2
        return slot

    def like(self, wanted: Callable[[Block], bool]) -> Iterator[int]:
        """Yields the slots of wanted blocks. Whether a block is wanted depends only on its players."""
        for number, part in enumerate(self._parts):
            for place in range(min(len(part.cycle), part.length)):
                if wanted(self._attempt(self._slot(number, place), 0)):
                    yield from (self._slot(number, other) for other in range(place, part.length, len(part.cycle)))

    @property
    def games(self) -> tuple[str, ...]:
        """The games, in the order of their definitions."""
        return tuple(part.definition.game for part in self._parts)

    def part(self, game: str) -> Part:
        """Returns the part of a game."""
        for part in self._parts:
            if part.definition.game == game:
                widest = max(len(planned.groups) for planned in part.cycle)
                return Part(part.definition.seats, part.length, part.matches, part.groups, widest)
        raise KeyError(game)

    @property
    def matches(self) -> int:
        """The number of matches that count at the end."""
        return sum(part.matches for part in self._parts)


def check(definition: RoundRobin) -> None:
    """Raises `BadSchedule` for what cannot be played."""
    if not _TOURNAMENT_ID.fullmatch(definition.tournament):
        raise BadSchedule(
            f"{definition.tournament!r} is not a tournament id: write 1 to {MAX_TOURNAMENT_ID_CHARS} of"
            " A-Z, a-z, 0-9, '.', '_' and '-', of which the first is a letter or a digit"
        )
    if not 2 <= definition.seats <= MAX_SEATS:
        raise BadSchedule(f"a game of {definition.seats} seats cannot be scheduled; 2 to {MAX_SEATS} can")
    names = [bot.name for bot in definition.entrants]
    if len(names) < definition.seats:
        raise BadSchedule(f"a tournament needs at least {definition.seats} bots, this one has {len(names)}")
    if "" in names:
        raise BadSchedule("a bot without a name; give every bot one")
    for name in names:
        if names.count(name) > 1:
            raise BadSchedule(f"bot {name} is entered twice; enter it once")
    if definition.blocks < 1:
        raise BadSchedule(f"blocks is {definition.blocks}; at least 1 is needed for each pairing")
    if definition.deals < 1:
        raise BadSchedule(f"deals is {definition.deals}; a block needs at least 1")


def _plan(definition: RoundRobin) -> list[_Planned]:
    """Returns the blocks of one cycle, in order. Raises `BadSchedule`."""
    bots = {bot.name: bot for bot in definition.entrants}
    owners = owners_of(definition.entrants, same_author=definition.same_author)
    rounds = _rounds(definition, owners)
    plan: list[_Planned] = []
    for number, groups in enumerate(rounds):
        blocks = round_blocks(groups, bots, fresh=definition.fresh)
        plan += [_Planned(number, groups_of, shared) for groups_of, shared in blocks]
    if not plan:
        authors = len(set(owners.values()))
        few = "all bots are of one author" if authors == 1 else f"the bots are of {authors} authors only"
        seats = f", and {definition.seats} are needed" if definition.seats > 2 else ""
        raise BadSchedule(f"{few}{seats}; enter others, or allow bots of one author to meet")
    return plan


def _rounds(definition: RoundRobin, owners: Mapping[str, str]) -> Rounds:
    """Returns the meetings. Raises `BadSchedule` if a challenger cannot meet enough others."""
    if not definition.challengers:
        return cycle(definition.seats, tuple(sorted(owners.items())))
    challengers = [name for name in definition.challengers if name in owners]
    if not challengers:
        raise BadSchedule("no challenger plays; name one that does")
    rounds = gauntlet(definition.seats, challengers, owners)
    playing = {bot for groups in rounds for group in groups for bot in group}
    for name in challengers:
        if name not in playing:
            seats = definition.seats - 1
            needed = "somebody" if seats == 1 else f"{seats} others, each"
            raise BadSchedule(
                f"challenger {name} needs {needed} of another author in the field; enter others, or allow bots of one"
                " author to meet"
            )
    return rounds
