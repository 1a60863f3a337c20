"""Chooses the players of a ladder's next block, as a function of the known facts and of a seed for the random part.

First comes the bot that needs blocks and has the fewest. Mostly it meets the bots nearest to it in rating, and at times
others: a ladder stays comparable only if its bots meet strong and weak opponents. A bot whose rating is certain enough
needs no blocks, and plays only when others need it.

In a season with a panel, a fixed percentage of opponents are bots of the panel, so that everybody is tied to it.

With caps, nobody meets a bot above the shares that they allow while another block is possible, see `share_caps`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, final

from fudaba_arena.schedule.blocks import most_sharing
from fudaba_arena.schedule.contender import Contender
from fudaba_arena.schedule.share_caps import ShareCaps
from fudaba_games.shuffle import Stream, shuffled

__all__ = ["Choice", "PairingRules", "can_choose", "choose", "in_drawn_order"]

_MAX_NEAR_CANDIDATES: Final = 3
"""The number of nearest opponents from which one is drawn. The very nearest would always be the same."""
_MAX_NEAR_PANEL_CANDIDATES: Final = 2
"""The same among the bots of a panel, of which there are few."""
_MAX_OPPONENTS_TRIED: Final = 200
"""The number of opponents that may be tried for the seats of one bot's group before the caps count as too tight for
it.
"""
_ORDER_STREAM_ID: Final = 0
_DRAWS_STREAM_ID: Final = 1
_SEATS_STREAM_ID: Final = 2


@final
@dataclass(frozen=True, slots=True)
class PairingRules:
    """The number of bots in a group, and which of them may meet."""

    seats: int
    same_author: bool = False
    """Whether bots of one owner may meet."""
    random_percent: int = 25
    """The percentage of opponents that are drawn from all bots, however far in rating."""
    panel_percent: int = 0
    """The percentage of opponents that are drawn from the bots of the panel, if any is here. The others come from the
    rest of the field as long as it has any.
    """
    needing_first: bool = False
    """Whether bots that need blocks are preferred as opponents, so that nobody plays many more than others."""
    fresh: bool = False
    """Whether no deal is played twice. Then no groups share deals."""
    caps: ShareCaps | None = None
    """The caps on the shares of opponents; None for none."""
    over_caps: bool = False
    """Whether bots may meet above the caps: then those meet that are least above them."""


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


def in_drawn_order(groups: Sequence[Sequence[str]], seed: bytes) -> tuple[tuple[str, ...], ...]:
    """Returns the groups, and the bots of each, in an order that chance decides.

    In the order of `Choice` the first bot is the one with the fewest blocks, so a bot could tell from its first seat
    whom it meets.
    """
    drawn = [groups[place] for place in shuffled(list(range(len(groups))), seed, 0, _SEATS_STREAM_ID)]
    return tuple(
        tuple(group[place] for place in shuffled(list(range(len(group))), seed, number, _SEATS_STREAM_ID))
        for number, group in enumerate(drawn, 1)
    )


def choose(contenders: Sequence[Contender], rules: PairingRules, seed: bytes) -> Choice | None:
    """Returns the players of the next block; None if nobody needs one, or too few could play.

    Equal contenders in any order with an equal seed give an equal choice.
    """
    if not _may_be_possible(contenders, rules):
        return None
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
        if another is None and len(groups) == 1:
            another = _group(rest, replace(rules, over_caps=True), below, anyone=True)
        if another is None:
            break
        groups.append(another)
    return Choice(tuple(map(_names, groups)), shared=True, chosen_for=first[0].name)


def can_choose(contenders: Sequence[Contender], rules: PairingRules, seed: bytes) -> bool:
    """Returns whether some bot needs a block and has opponents for all seats. Then `choose` returns a choice."""
    if rules.caps is None or rules.over_caps:
        return _may_be_possible(contenders, rules)
    return choose(contenders, rules, seed) is not None


def _may_be_possible(contenders: Sequence[Contender], rules: PairingRules) -> bool:
    """Returns whether some bot needs a block and has opponents for all seats, whatever the caps."""
    return any(contender.needs for contender in contenders) and _enough_owners(contenders, rules)


def _enough_owners(contenders: Sequence[Contender], rules: PairingRules) -> bool:
    different = len(contenders) if rules.same_author else len({contender.owner for contender in contenders})
    return different >= rules.seats


def _group(
    ordered: Sequence[Contender], rules: PairingRules, below: Callable[[int], int], *, anyone: bool = False
) -> list[Contender] | None:
    """Returns a complete group, beginning with the bot for which it is; None if there is no such bot, too few owners,
    or none within the caps.

    With `anyone`, it also considers bots that need no block, if no bot needs one.
    """
    starting = [contender for contender in ordered if contender.needs] or (ordered if anyone else [])
    if not _enough_owners(ordered, rules):
        return None
    for first in sorted(starting, key=lambda candidate: candidate.blocks):
        group = _Filling(ordered, rules, below).filled([first])
        if group is not None:
            return group
    return None


@final
@dataclass(slots=True)
class _Filling:
    """Fills the seats of a group that begins with some bot."""

    ordered: Sequence[Contender]
    rules: PairingRules
    below: Callable[[int], int]
    tried: int = 0
    """The number of opponents that were tried."""

    def filled(self, group: list[Contender]) -> list[Contender] | None:
        """Returns the group with all seats filled; None if that is not possible within the caps."""
        if len(group) == self.rules.seats:
            return group
        for opponent in self._opponents(group):
            self.tried += 1
            if self.tried > _MAX_OPPONENTS_TRIED:
                return None
            found = self.filled([*group, opponent])
            if found is not None:
                return found
        return None

    def _opponents(self, group: Sequence[Contender]) -> list[Contender]:
        """Returns the bots that may join an incomplete group: the drawn one first, then those to try after it."""
        rules = self.rules
        names, owners = {contender.name for contender in group}, {contender.owner for contender in group}
        allowed = [
            contender
            for contender in self.ordered
            if contender.name not in names and (rules.same_author or contender.owner not in owners)
        ]
        if rules.caps is not None:
            allowed = _within(rules.caps, group, allowed, over_caps=rules.over_caps)
        if rules.needing_first:
            needing = [contender for contender in allowed if contender.needs]
            allowed = [*needing, *(contender for contender in allowed if contender.panel)] if needing else allowed
        if not allowed:
            return []
        panel = [contender for contender in allowed if contender.panel]
        if panel:
            return self._beside_panel(group, panel, [contender for contender in allowed if not contender.panel])
        return self._drawn(group, allowed)

    def _beside_panel(
        self, group: Sequence[Contender], panel: list[Contender], others: list[Contender]
    ) -> list[Contender]:
        """Returns the bots that may join a group where bots of the panel are among them."""
        drawn = self.below(100) < self.rules.panel_percent
        rating = group[0].rating
        panel.sort(key=lambda candidate: (abs(candidate.rating - rating), candidate.blocks))
        place = self.below(min(len(panel), _MAX_NEAR_PANEL_CANDIDATES))
        first = [panel[place], *panel[:place], *panel[place + 1 :]]
        rest = self._drawn(group, others) if others else []
        return [*first, *rest] if drawn else [*rest, *first]

    def _drawn(self, group: Sequence[Contender], allowed: list[Contender]) -> list[Contender]:
        """Returns bots that may join a group, the drawn one first."""
        rules = self.rules
        # Most opponents come from near in rating, which tells most. The rest come from all, see the module's beginning.
        drawn = len(allowed)
        if self.below(100) >= rules.random_percent:
            rating = group[0].rating
            allowed.sort(key=lambda candidate: (abs(candidate.rating - rating), candidate.blocks))
            drawn = min(drawn, _MAX_NEAR_CANDIDATES)
        place = self.below(drawn)
        return [allowed[place], *allowed[:place], *allowed[place + 1 :]]


def _within(
    caps: ShareCaps, group: Sequence[Contender], candidates: Iterable[Contender], *, over_caps: bool
) -> list[Contender]:
    """Returns the candidates that may meet a group within the caps; with `over_caps`, those least above them."""
    excesses = [(max(caps.excess(member, other) for member in group), other) for other in candidates]
    least = min((excess for excess, _ in excesses), default=0.0) if over_caps else 0.0
    return [other for excess, other in excesses if excess == least]


def _names(group: Sequence[Contender]) -> tuple[str, ...]:
    return tuple(contender.name for contender in group)
