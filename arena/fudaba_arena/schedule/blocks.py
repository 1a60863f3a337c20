"""Duplicate blocks: which bots play which deals of a block, and where its deals come from.

A block is the rated unit. Its deals are played more than once, so that the luck of the deal cancels. A block counts as
a whole or, when it is void, not at all.

**Who may meet a deal.** A bot that can remember meets each deal once, since it would know the other hands the second
time. So there are two kinds of blocks. In a *rotating* block, all bots of its one group start afresh for every match;
they replay each deal with the bots rotated through the seats. In a *shared* block, every group plays each deal once and
is compared with the other groups on the same deals. No author has bots in two groups of a shared block: one bot of an
author could pass what it saw to another.

Where deals are *fresh*, no deal is played twice: each match of a block has a deal of its own, whatever its bots can
remember, and every group has a block to itself.

**Who sits where.** A group's bots sit in every one of their *seatings* (see `seatings`: 2 for two seats, 20 for five)
equally often. A rotating block plays each deal in all seatings; a shared or fresh one plays each deal in one of them.
So a bot plays seatings × `deals` matches, sits in each seat equally often, and meets each other bot in each other seat
equally often.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Final, final

from fudaba.seatings import seating_count, seatings
from fudaba_arena.tournament.definition import owner_of

__all__ = [
    "Block",
    "Entrant",
    "PlannedMatch",
    "most_sharing",
    "named_matches",
    "rotating_matches",
    "seated_matches",
    "shared_matches",
]

_MAX_SHARED_GROUPS: Final = 8
"""The number of groups that may share a block. More would improve the comparison little, and one fault would void more
matches.
"""
_MAX_SHARED_MATCHES: Final = 80
"""The number of matches in a shared block with `deals` = 1, unless two groups already have more."""


@final
@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot version that takes part."""

    name: str
    """The name, unique in the tournament. Results and ratings use it."""
    author: str = ""
    """Its author's name for display; empty if it has no author who enters other bots."""
    stateless: bool = False
    """Whether it starts afresh for each match and keeps nothing. Only such a bot replays a deal."""
    account: str = ""
    """The account to which it belongs; empty for none, and in values stored by an earlier release."""

    @property
    def owner(self) -> str:
        """Its owner: its account, whatever its displayed name; or its stated author; or the bot itself."""
        return owner_of(self.account, self.author, self.name)


@final
@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """A match of a block."""

    match_id: str
    """The id, chosen here once and for all. Results are stored under it."""
    deal: int
    """The number of the deal in the block, from 0."""
    bots: tuple[str, ...]
    """The bots, in the order of the seats."""


@final
@dataclass(frozen=True, slots=True)
class Block:
    """A duplicate block as it is scheduled. It holds no seeds, so it may be public before it is played."""

    number: int
    """The number, unique in the tournament, also among replacements. It determines the deals."""
    slot: int
    """The place in the schedule that it fills. A replacement fills the place of the void block."""
    attempt: int
    """The attempt: 0 for the block as planned, 1 for its first replacement, and so on."""
    cycle: int
    """The number of earlier meetings of every pairing, from 0."""
    round: int
    """The round of its cycle, from 0."""
    deals: int
    """The number of different deals in its matches; with fresh deals, the number of matches."""
    matches: tuple[PlannedMatch, ...]
    game: str = ""
    """The game's id; empty if a schedule was made without one."""
    generation: str = ""
    """The generation in which it was chosen; see `ChosenBlock.generation`."""

    @property
    def bots(self) -> tuple[str, ...]:
        """All bots that play in it, sorted."""
        return tuple(sorted({bot for match in self.matches for bot in match.bots}))


def rotating_matches(bots: Sequence[str], deals: int) -> list[tuple[int, tuple[str, ...]]]:
    """Returns the deal and seating of each match of a rotating block: `deals` deals, each replayed in every seating."""
    return [(deal, seating) for deal in range(deals) for seating in seatings(bots)]


def shared_matches(groups: Sequence[Sequence[str]], deals: int) -> list[tuple[int, tuple[str, ...]]]:
    """Returns the deal and seating of each match of a shared block: each group plays seatings × `deals` deals, each
    once.

    On one deal all groups use the same seating; each deal has another one.
    """
    seated = [seatings(bots) for bots in groups]
    number = len(seated[0])
    return [(deal, of_group[deal % number]) for deal in range(deals * number) for of_group in seated]


def seated_matches(
    groups: Sequence[Sequence[str]], deals: int, *, shared: bool, fresh: bool = False
) -> list[tuple[int, tuple[str, ...]]]:
    """Returns the deal and seating of each match of a block. With `fresh`, each match has its own deal."""
    seated = shared_matches(groups, deals) if shared else rotating_matches(groups[0], deals)
    return [(deal, seating) for deal, (_, seating) in enumerate(seated)] if fresh else seated


def most_sharing(seats: int) -> int:
    """Returns how many groups may share a block."""
    return min(_MAX_SHARED_GROUPS, max(2, _MAX_SHARED_MATCHES // seating_count(seats)))


def named_matches(
    tournament_id: str, number: int, seated: Iterable[tuple[int, tuple[str, ...]]]
) -> tuple[PlannedMatch, ...]:
    """Returns the matches of the block with a number, given the deal and the seating of each."""
    return tuple(
        PlannedMatch(f"{tournament_id}-b{number}-{_letters(place)}", deal, bots)
        for place, (deal, bots) in enumerate(seated)
    )


def _letters(index: int) -> str:
    """Returns a, b, … z, aa, ab, …"""
    text = ""
    index += 1
    while index:
        index, letter = divmod(index - 1, len(ascii_lowercase))
        text = ascii_lowercase[letter] + text
    return text
