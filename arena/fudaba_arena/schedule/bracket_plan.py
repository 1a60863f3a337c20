"""The plan of a bracket: which groups meet in which round, and where the bots of each come from.

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

**Double elimination**, for two seats: who loses once goes on in the *lower* bracket, and who loses there is out. In it
the bots that are left meet each other, and then those that drop out of the main bracket, which come from its other half
where possible. The winner of the lower bracket meets that of the main bracket in the final. If it wins, both have lost
once, and a second final decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, final

__all__ = [
    "FINAL",
    "LOWER",
    "MAIN",
    "RESET",
    "THIRD_PLACE",
    "BracketGroup",
    "Feed",
    "double_elimination",
    "rounds_of",
    "single_elimination",
]

MAIN: Final = "main"
FINAL: Final = "final"
THIRD_PLACE: Final = "third-place"
LOWER: Final = "lower"
RESET: Final = "reset"
"""The second final of a double elimination, played only if the bot from the lower bracket wins the first."""


@final
@dataclass(frozen=True, slots=True)
class Feed:
    """The source of the bot in a seat of a group."""

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
    """`main`, `final` or `third-place`; in a double elimination also `lower` or `reset`."""
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


def double_elimination(bots: int) -> tuple[BracketGroup, ...]:
    """Returns the groups of a bracket for two seats, round by round. There are at least two bots."""
    places = 1 << (bots - 1).bit_length()
    field: list[Feed | None] = [Feed(seed) if seed < bots else None for seed in range(places)]
    building = _Pairings()
    lower: list[Feed | None] = []
    upper_rounds = places.bit_length() - 1
    for number in range(1, upper_rounds + 1):
        met = [building.meet(number - 1, MAIN, *pair) for pair in _folded(field)]
        field = [winner for winner, _ in met]
        losers = [loser for _, loser in met]
        if number == 1:
            lower = losers
            continue
        lower = [building.meet(2 * number - 3, LOWER, *pair)[0] for pair in _folded(lower)]
        dropping = losers[::-1] if number % 2 == 0 else losers
        lower = [building.meet(2 * number - 2, LOWER, *pair)[0] for pair in zip(lower, dropping, strict=True)]
    last = 2 * upper_rounds - 1
    building.meet(last + 1, RESET, *building.meet(last, FINAL, field[0], lower[0]))
    return building.by_round()


def _folded(field: Sequence[Feed | None]) -> list[tuple[Feed | None, Feed | None]]:
    """Pairs the first with the last, the second with the last but one, and so on."""
    half = len(field) // 2
    return list(zip(field[:half], reversed(field[half:]), strict=True))


@final
class _Pairings:
    """The pairings of a double elimination, in any order. A seat that nobody takes is None."""

    def __init__(self) -> None:
        self._groups: list[BracketGroup] = []

    def meet(
        self, number: int, section: str, first: Feed | None, second: Feed | None
    ) -> tuple[Feed | None, Feed | None]:
        """Adds a pairing of a round. Returns the winner and the loser; a bot without an opponent wins."""
        if first is None or second is None:
            return first or second, None
        self._groups.append(BracketGroup(number, section, (first, second), 1))
        index = len(self._groups) - 1
        return Feed(0, index), Feed(1, index)

    def by_round(self) -> tuple[BracketGroup, ...]:
        """Returns them by round. Rounds in which nobody meets are left out."""
        numbers = {number: place for place, number in enumerate(sorted({group.round for group in self._groups}))}
        order = sorted(range(len(self._groups)), key=lambda index: self._groups[index].round)
        moved = {index: place for place, index in enumerate(order)}
        return tuple(
            replace(
                group,
                round=numbers[group.round],
                feeds=tuple(
                    feed if feed.group is None else replace(feed, group=moved[feed.group]) for feed in group.feeds
                ),
            )
            for group in (self._groups[index] for index in order)
        )


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
