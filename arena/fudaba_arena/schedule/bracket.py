"""The bracket of a knockout: which groups meet in which round, and where the bots of each come from.

A bracket depends on the numbers of bots and seats only. In each seat of a group sits a seed, or the bot that takes a
given place in an earlier group.

**Single elimination.** The upper half of a group goes on, rounded down, and at least one bot. The last group, the
final, seats everybody who is left. The numbers of bots that fill all groups of all rounds are the *full* ones: for two
seats the powers of two. A round leads to the next smaller full number: its best seeds have a bye, and the others sit in
as few groups as it takes. If a whole group would be too many, more bots of the last group go on.

**Seats.** The best seeds are dealt out to the groups in a snake: 1, 2, 3, 4 to the groups in their order, 5, 6, 7, 8 in
the opposite order. With two seats the best meets the last. A winner takes the place of the best seed of its group, so
the two best seeds cannot meet before the final. Behind all winners come all bots in second place, and so on, each place
half of the groups further on, so that bots of one group do not meet at once again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

__all__ = ["FINAL", "MAIN", "THIRD_PLACE", "BracketGroup", "Feed", "rounds_of", "single_elimination"]

MAIN: Final = "main"
FINAL: Final = "final"
THIRD_PLACE: Final = "third-place"


@final
@dataclass(frozen=True, slots=True)
class Feed:
    """Who sits in a seat of a group."""

    place: int
    """The place in an earlier group, or else the seed; 0 for the best."""
    group: int | None = None
    """The index of the earlier group; None for a seed."""


@final
@dataclass(frozen=True, slots=True)
class BracketGroup:
    """A group of a bracket."""

    round: int
    """The round, from 0. A group is in a later round than those that feed it."""
    section: str
    """`main`, `final` or `third-place`."""
    feeds: tuple[Feed, ...]
    advancing: int
    """The number of bots that go on; 1 in a group after which nobody does."""


def rounds_of(groups: Sequence[BracketGroup]) -> int:
    """Returns the number of rounds of a bracket."""
    return 1 + max(group.round for group in groups)


def single_elimination(bots: int, seats: int, *, third_place: bool = False) -> tuple[BracketGroup, ...]:
    """Returns the groups of a bracket, round by round. There are at least as many bots as seats.

    `third_place` adds a match of those that lose the semi-finals: for two seats and at least four bots.
    """
    field = [Feed(seed) for seed in range(bots)]
    groups: list[BracketGroup] = []
    number = first = 0
    while len(field) > seats:
        first = len(groups)
        played, byes = _round(field, seats, number)
        groups += played
        field = [*field[:byes], *_going_on(played, first)]
        number += 1
    semi_finals = range(first, len(groups))
    groups.append(BracketGroup(number, FINAL, tuple(field), 1))
    if third_place:
        groups.append(BracketGroup(number, THIRD_PLACE, tuple(Feed(1, index) for index in semi_finals), 1))
    return tuple(groups)


def _round(field: Sequence[Feed], seats: int, number: int) -> tuple[list[BracketGroup], int]:
    """Returns the groups of a round before the final, and the number of byes."""
    usual = seats // 2
    out = len(field) - _full_below(len(field), seats)
    whole = seats - usual
    count = min(-(-out // whole), len(field) // seats)
    byes = len(field) - count * seats
    dealt: list[list[Feed]] = [[] for _ in range(count)]
    for place, feed in enumerate(field[byes:]):
        turn, group = divmod(place, count)
        dealt[group if turn % 2 == 0 else count - 1 - group].append(feed)
    spared = max(0, count * whole - out)
    advancing = [usual] * (count - 1) + [usual + spared]
    return [BracketGroup(number, MAIN, tuple(feeds), on) for feeds, on in zip(dealt, advancing, strict=True)], byes


def _going_on(played: Sequence[BracketGroup], first: int) -> list[Feed]:
    """Returns the places of a round's groups that go on, best first."""
    count = len(played)
    return [
        Feed(place, first + group)
        for place in range(max(group.advancing for group in played))
        for step in range(count)
        if place < played[group := (step + place * (count // 2)) % count].advancing
    ]


def _full_below(bots: int, seats: int) -> int:
    """Returns the greatest full number below a number of bots that is greater than the number of seats."""
    found = full = seats
    while full < bots:
        found = full
        groups, left = divmod(full, seats // 2)
        full = groups * seats + left
    return found
