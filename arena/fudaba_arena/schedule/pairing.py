"""Chooses who plays the next block of a ladder: a function of what is known, and of a seed for what is left to chance.

First comes the bot that needs blocks and has fewest. It meets those nearest to it in rating, and now and then somebody
else: only who meets strong and weak opponents keeps all of a ladder comparable. A bot whose rating is certain enough
needs no blocks, and plays only as others need it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, final

from fudaba_arena.schedule.blocks import most_sharing
from fudaba_games.shuffle import Stream, shuffled

__all__ = ["Choice", "Contender", "PairingRules", "can_choose", "choose"]

_MAX_NEAR_CANDIDATES: Final = 3
"""The number of the nearest opponents among which one is drawn: the very nearest would always be the same."""
_ORDER_STREAM_ID: Final = 0
_DRAWS_STREAM_ID: Final = 1


@final
@dataclass(frozen=True, slots=True)
class Contender:
    """A bot that could play now."""

    name: str
    owner: str
    """Its owner: its author, or the bot itself."""
    stateless: bool
    """Whether it keeps nothing from one match to the next, and so may replay a deal."""
    blocks: int = 0
    """The number of blocks of the game that it has played or is playing; in a season's final, of the final."""
    needs: bool = True
    """Whether it is to play more blocks."""
    rating: float = 1500.0
    """The rating in Elo points; for a bot without one yet, an assumed rating."""
    half: float = inf
    """Half the interval of the rating, as it may be by now."""


@final
@dataclass(frozen=True, slots=True)
class PairingRules:
    """The number of bots in a group, and the rule of which may meet."""

    seats: int
    same_author: bool = False
    """Whether bots of one owner may meet."""
    random_percent: int = 25
    """The number of opponents of a hundred that are drawn from all, however far in rating."""
    needing_first: bool = False
    """Whether those who need blocks are preferred as opponents, so that nobody plays many more than others."""
    fresh: bool = False
    """Whether no deal is played twice: then no groups share deals."""


@final
@dataclass(frozen=True, slots=True)
class Choice:
    """The players of a block."""

    groups: tuple[tuple[str, ...], ...]
    """The bots that meet, one for each seat."""
    shared: bool
    """Whether each group plays each deal once, because somebody may remember it."""
    chosen_for: str
    """The bot that needs the block."""


def choose(contenders: Sequence[Contender], rules: PairingRules, seed: bytes) -> Choice | None:
    """Returns who plays the next block; None when nobody needs one, or too few could play.

    Equal contenders, in whatever order, with an equal seed give an equal choice.
    """
    # Sorted, so that the seed alone decides, and then shuffled, so that no name wins all ties: `min` and `sorted` below
    # keep this order among equals.
    by_name = sorted(contenders, key=lambda candidate: candidate.name)
    order = shuffled(list(range(len(by_name))), seed, 0, _ORDER_STREAM_ID)
    ordered = [by_name[place] for place in order]
    below = Stream(seed, 0, _DRAWS_STREAM_ID).below
    first = _group(ordered, rules, below)
    if first is None:
        return None
    # Bots without a memory replay each deal from every seat, so one group compares them. With fresh deals there is
    # nothing to share.
    if rules.fresh or all(contender.stateless for contender in first):
        return Choice((_names(first),), shared=False, chosen_for=first[0].name)
    # Others play the same deals, for comparison: one group in any case, more only as they need blocks themselves.
    groups = [first]
    while len(groups) < most_sharing(rules.seats):
        # An owner has one bot at a deal: two could tell each other its cards, from one group to the next.
        taken = {contender.owner for group in groups for contender in group}
        rest = [contender for contender in ordered if contender.owner not in taken]
        another = _group(rest, rules, below, anyone=len(groups) == 1)
        if another is None:
            break
        groups.append(another)
    return Choice(tuple(map(_names, groups)), shared=True, chosen_for=first[0].name)


def can_choose(contenders: Sequence[Contender], rules: PairingRules) -> bool:
    """Returns whether somebody needs a block, and there are opponents for all seats: then `choose` has a choice."""
    different = len(contenders) if rules.same_author else len({contender.owner for contender in contenders})
    return different >= rules.seats and any(contender.needs for contender in contenders)


def _group(
    ordered: Sequence[Contender], rules: PairingRules, below: Callable[[int], int], *, anyone: bool = False
) -> list[Contender] | None:
    """Returns a whole group, first the one for whom it is; None when there is nobody, or too few owners for all seats.

    `anyone`: for somebody who needs no block, where nobody does.
    """
    different = len(ordered) if rules.same_author else len({contender.owner for contender in ordered})
    starting = [contender for contender in ordered if contender.needs] or (ordered if anyone else [])
    if not starting or different < rules.seats:
        return None
    group = [min(starting, key=lambda candidate: candidate.blocks)]
    while len(group) < rules.seats:
        group.append(_opponent(group, ordered, rules, below))
    return group


def _opponent(
    group: Sequence[Contender], ordered: Sequence[Contender], rules: PairingRules, below: Callable[[int], int]
) -> Contender:
    """Returns who joins a group that is not whole yet."""
    names, owners = {contender.name for contender in group}, {contender.owner for contender in group}
    allowed = [
        contender
        for contender in ordered
        if contender.name not in names and (rules.same_author or contender.owner not in owners)
    ]
    if rules.needing_first:
        allowed = [contender for contender in allowed if contender.needs] or allowed
    # Most opponents come from near in rating, which tells most. The rest come from all, see the module's beginning.
    if below(100) >= rules.random_percent:
        rating = group[0].rating
        allowed = sorted(allowed, key=lambda candidate: (abs(candidate.rating - rating), candidate.blocks))[
            :_MAX_NEAR_CANDIDATES
        ]
    return allowed[below(len(allowed))]


def _names(group: Sequence[Contender]) -> tuple[str, ...]:
    return tuple(contender.name for contender in group)
