"""Chooses the players of a ladder's next block, as a function of the known facts and of a seed for the random part.

First comes the bot that needs blocks and has the fewest. Mostly it meets the bots nearest to it in rating, and at times
others: a ladder stays comparable only if its bots meet strong and weak opponents. A bot whose rating is certain enough
needs no blocks, and plays only when others need it.
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
"""The number of nearest opponents from which one is drawn. The very nearest would always be the same."""
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
    """Whether it keeps nothing between matches, and so may replay a deal."""
    blocks: int = 0
    """The number of blocks of the game that it has played or is playing; in a season's final, only blocks of the
    final.
    """
    needs: bool = True
    """Whether it should play more blocks."""
    rating: float = 1500.0
    """The rating in Elo points; an assumed rating for a bot without one."""
    half: float = inf
    """The current estimate of half the rating's interval."""


@final
@dataclass(frozen=True, slots=True)
class PairingRules:
    """The number of bots in a group, and which of them may meet."""

    seats: int
    same_author: bool = False
    """Whether bots of one owner may meet."""
    random_percent: int = 25
    """The percentage of opponents that are drawn from all bots, however far in rating."""
    needing_first: bool = False
    """Whether bots that need blocks are preferred as opponents, so that nobody plays many more than others."""
    fresh: bool = False
    """Whether no deal is played twice. Then no groups share deals."""


@final
@dataclass(frozen=True, slots=True)
class Choice:
    """The players of a block."""

    groups: tuple[tuple[str, ...], ...]
    """The bots that meet, one for each seat."""
    shared: bool
    """Whether each group plays each deal once, because some bot may remember it."""
    chosen_for: str
    """The bot that needs the block."""


def choose(contenders: Sequence[Contender], rules: PairingRules, seed: bytes) -> Choice | None:
    """Returns the players of the next block; None if nobody needs one, or too few could play.

    Equal contenders in any order with an equal seed give an equal choice.
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
    """Returns whether some bot needs a block and has opponents for all seats. Then `choose` returns a choice."""
    different = len(contenders) if rules.same_author else len({contender.owner for contender in contenders})
    return different >= rules.seats and any(contender.needs for contender in contenders)


def _group(
    ordered: Sequence[Contender], rules: PairingRules, below: Callable[[int], int], *, anyone: bool = False
) -> list[Contender] | None:
    """Returns a complete group, beginning with the bot for which it is; None if there is no such bot, or too few
    owners.

    With `anyone`, it also considers bots that need no block, if no bot needs one.
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
    """Returns the bot that joins an incomplete group."""
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
