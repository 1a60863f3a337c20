"""The draw of a round of a Swiss: the groups, and the byes.

As many groups play as the bots and owners allow. A bot without a place has a *bye*, which goes to the bots with the
fewest byes, and among them to the last in the standings.

**Two seats**, as in a Monrad Swiss: beginning with the first in the standings, each bot meets the next one below it
that it has met least, as long as all the others can then still be paired; otherwise the one after that. The number of
repeated meetings is the smallest possible. If a single bot has a bye and the others cannot be paired without a repeated
meeting, the bye goes to the next eligible bot with which they can. In large fields that have met often, the search is
cut off: then the bots with the fewest opponents left are paired first.

**More seats**: among the ways to fill the groups, the one with the fewest repeated meetings (the sum of the squares of
how often the bots of one group have met) is best, and then the one whose groups have the closest neighbours in the
standings (the sum of the squares of their distances). The search exchanges bots of two groups as long as that improves
them, from several beginnings, so for large fields it may miss the very best.

Nothing here is random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from fudaba_arena.schedule.groups import Group
from fudaba_games.shuffle import shuffled

__all__ = ["Draw", "Field", "draw"]

_MAX_STEPS: Final = 20_000
"""The number of pairings that the search may try for a given number of repeated meetings."""
_BEGINNING_COUNT: Final = 24
"""The number of arrangements of groups from which the exchanges start."""

_Matrix = NDArray[np.signedinteger[Any]]


@final
@dataclass(frozen=True, slots=True)
class Field:
    """The bots to pair."""

    standing: tuple[str, ...]
    """The bots, best first."""
    owners: Mapping[str, str]
    """The owners of the bots. Bots of one owner never meet."""
    met: Mapping[frozenset[str], int]
    """The number of meetings of two bots. Pairs that have not met may be omitted."""
    byes: Mapping[str, int]
    """The number of byes of each bot. Bots without any may be omitted."""


@final
@dataclass(frozen=True, slots=True)
class Draw:
    """A drawn round."""

    groups: tuple[Group, ...]
    """The groups, that of the best bot first. Within a group, bots are ordered by name."""
    byes: tuple[str, ...]
    """The bots with a bye, best first."""


def draw(field: Field, seats: int) -> Draw:
    """Returns groups of `seats` bots, and the byes. There are no groups if there are fewer owners than seats."""
    of_owner = Counter(field.owners[bot] for bot in field.standing).values()
    groups = max(
        (m for m in range(1, len(field.standing) // seats + 1) if sum(min(n, m) for n in of_owner) >= m * seats),
        default=0,
    )
    if not groups:
        return Draw((), field.standing)
    players = _players(field, groups * seats, groups)
    filled = _pairs(field, players) if seats == 2 else _filled(field, players, seats)
    place = {bot: number for number, bot in enumerate(field.standing)}
    filled = sorted(filled, key=lambda group: min(place[bot] for bot in group))
    seated = {bot for group in filled for bot in group}
    return Draw(
        tuple(tuple(sorted(group)) for group in filled), tuple(bot for bot in field.standing if bot not in seated)
    )


def _players(field: Field, places: int, groups: int) -> list[str]:
    """Returns the players, best first: bots with more byes, then those with a better standing, and at most one per
    group for each owner.
    """
    place = {bot: number for number, bot in enumerate(field.standing)}
    taken: Counter[str] = Counter()
    players: list[str] = []
    for bot in sorted(field.standing, key=lambda bot: (-field.byes.get(bot, 0), place[bot])):
        if len(players) < places and taken[field.owners[bot]] < groups:
            taken[field.owners[bot]] += 1
            players.append(bot)
    return sorted(players, key=lambda bot: place[bot])


# --- two seats


def _pairs(field: Field, players: list[str]) -> list[Group]:
    """Returns the pairs with the fewest repeated meetings."""
    most = len(players) // 2
    searches = [_Pairing(field, chosen) for chosen in _choices(field, players)]
    for repeats in range(most * searches[0].dearest + 1):
        for search in searches:
            found = search.found(repeats)
            if found is not None:
                return found
    # The search has given up: dealt out owner by owner, no two of one owner come together.
    of_owner = Counter(field.owners[bot] for bot in players)
    dealt = sorted(players, key=lambda bot: (-of_owner[field.owners[bot]], field.owners[bot]))
    return list(zip(dealt[:most], dealt[most:], strict=True))


def _choices(field: Field, players: list[str]) -> Iterator[list[str]]:
    """Yields the players. If one bot has a bye, also yields the players with the bye given to another bot with as few
    byes.
    """
    yield players
    out = [bot for bot in field.standing if bot not in players]
    if len(out) != 1:
        return
    fewest = field.byes.get(out[0], 0)
    for other in reversed(players):
        if field.byes.get(other, 0) == fewest:
            yield [bot for bot in field.standing if bot != other]


@final
class _Pairing:
    """The search for pairs of some players, best first."""

    def __init__(self, field: Field, players: Sequence[str]) -> None:
        self._players = players
        allowed = {
            pair: field.met.get(frozenset(pair), 0)
            for pair in combinations(field.standing, 2)
            if field.owners[pair[0]] != field.owners[pair[1]]
        }
        # A meeting that even the pairs with the fewest meetings have had is no repetition.
        least = min(allowed.values())
        self.dearest = max(allowed.values()) - least
        """The most repeated meetings that a pair can be."""
        self._others: list[list[tuple[int, int, int]]] = [
            sorted(
                (allowed[pair] - least, abs(a - b), b)
                for b in range(len(players))
                if (pair := (players[min(a, b)], players[max(a, b)])) in allowed
            )
            for a in range(len(players))
        ]
        self._steps = 0

    def found(self, repeats: int) -> list[Group] | None:
        """Returns the first pairs with at most this many repeated meetings.

        Returns None if none exist or none were found.
        """
        everybody = frozenset(range(len(self._players)))
        for first in (min, partial(self._scarcest, repeats)):
            self._steps = 0
            pairs = self._rest(everybody, repeats, first)
            if pairs is not None:
                return [(self._players[min(pair)], self._players[max(pair)]) for pair in pairs]
            if self._steps < _MAX_STEPS:
                break  # no groups are possible
        return None

    def _scarcest(self, repeats: int, free: frozenset[int]) -> int:
        """Returns the player with the fewest opponents left."""
        return min(
            free, key=lambda player: (sum(it[0] <= repeats and it[2] in free for it in self._others[player]), player)
        )

    def _rest(
        self, free: frozenset[int], repeats: int, choose: Callable[[frozenset[int]], int]
    ) -> list[tuple[int, int]] | None:
        if not free:
            return []
        first = choose(free)
        for more, _, other in self._others[first]:
            if more > repeats or self._steps >= _MAX_STEPS:
                return None
            if other not in free:
                continue
            self._steps += 1
            rest = self._rest(free - {first, other}, repeats - more, choose)
            if rest is not None:
                return [(first, other), *rest]
        return None


# --- more seats


def _filled(field: Field, players: Sequence[str], seats: int) -> list[Group]:
    """Returns the best groups found. Players are numbered in the order of the standings."""
    size, groups = len(players), len(players) // seats
    weights = _weights(field, players, seats)
    found: tuple[int, _Matrix] | None = None
    for beginning in range(_BEGINNING_COUNT):
        seated = _improved(_beginning(field, players, groups, beginning), weights, groups)
        cost = int(weights[seated[:, None] == seated].sum())
        if found is None or cost < found[0]:
            found = cost, seated
    assert found is not None  # noqa: S101 - there is at least one beginning
    return [tuple(players[bot] for bot in range(size) if found[1][bot] == group) for group in range(groups)]


def _weights(field: Field, players: Sequence[str], seats: int) -> _Matrix:
    """Returns the cost of a meeting between two players: forbidden meetings first, then repetitions, then distances."""
    size = len(players)
    place = np.arange(size, dtype=np.int64)
    met = np.zeros((size, size), dtype=np.int64)
    same = np.zeros((size, size), dtype=np.int64)
    for a, b in combinations(range(size), 2):
        met[a, b] = met[b, a] = field.met.get(frozenset((players[a], players[b])), 0)
        same[a, b] = same[b, a] = field.owners[players[a]] == field.owners[players[b]]
    repeated = seats * size**3  # more than all distances together
    never = repeated * (1 + seats * size * int(met.max(initial=0)) ** 2)
    distances: _Matrix = (place[:, None] - place) ** 2
    return distances + repeated * met**2 + never * same


def _beginning(field: Field, players: Sequence[str], groups: int, number: int) -> _Matrix:
    """(players,): the group of each. The first arrangement puts neighbours together; the others keep owners apart."""
    size = len(players)
    if number == 0:
        return np.arange(size) // (size // groups)
    order = shuffled(list(range(size)), bytes(32), 0, number) if number > 1 else list(range(size))
    place = {bot: index for index, bot in enumerate(order)}
    leader: dict[str, int] = {}
    for bot in order:
        leader.setdefault(field.owners[players[bot]], place[bot])
    dealt = sorted(order, key=lambda bot: (leader[field.owners[players[bot]]], place[bot]))
    seated: _Matrix = np.zeros(size, dtype=np.int64)
    for index, bot in enumerate(dealt):
        seated[bot] = index % groups
    return seated


def _improved(seated: _Matrix, weights: _Matrix, groups: int) -> _Matrix:
    """Exchanges pairs of players, best exchange first, until none improves the groups. Returns them."""
    everybody = np.arange(len(seated))
    while True:
        members = (seated[:, None] == np.arange(groups)).astype(np.int64)
        cost = weights @ members
        own, instead = cost[everybody, seated], cost[:, seated]
        change = instead + instead.T - own[:, None] - own - 2 * weights
        change[seated[:, None] == seated] = 0
        best = int(change.argmin())
        if change.flat[best] >= 0:
            return seated
        first, other = divmod(best, len(seated))
        seated = seated.copy()
        seated[[first, other]] = seated[[other, first]]
