"""Groups bots for matches: the rounds of one cycle, in which every two of them meet.

A *group* has as many bots as the game has seats, no two of one owner. In a *round* nobody plays twice, and as many
groups play as the bots and owners allow.

**Two seats**: the circle method. Everybody meets everybody once.

**More seats**: small designs in which all pairs meet exactly equally often exist for few fields only (for five seats:
5, 6, 11 and 21 bots among the small ones), so the rounds are made one after the other for any field. In each round the
bots play that have played least so far, and they are grouped so that bots meet that have met least: exchanges of two
bots make the sum over all pairs of (times met)² as small as they can. The cycle ends with the first round after which
every pair that may meet has met and all have played equally often; if owners with many bots make that impossible, it
ends with the round that comes nearest to it. Two bots may never meet while as many groups play as possible (with owners
of two, two, one and one bots and three seats, the last two): they meet in rounds of one group at the end. Among several
cycles made in this way, the most even one is taken.

Nothing here is random: equal fields have equal cycles on every machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from fudaba_games.shuffle import shuffled

__all__ = ["Group", "Rounds", "cycle"]

Group = tuple[str, ...]
Rounds = tuple[tuple[Group, ...], ...]

_SAME_OWNER_WEIGHT: Final = 1_000_000
"""The cost of a meeting between two bots of one owner."""
_START_COUNT: Final = 80
"""The number of arrangements from which each round's search starts, times the number of bots."""
_CYCLE_COUNT: Final = 100
"""The number of cycles from which the most even one is chosen, times the number of bots."""
_MAX_ROUNDS_PER_BOT: Final = 6
"""The number of rounds in a cycle for each bot: a stop for fields in which some pair never meets."""

_Matrix = NDArray[np.signedinteger[Any]]


@lru_cache(maxsize=64)
def cycle(seats: int, owners: tuple[tuple[str, str], ...]) -> Rounds:
    """Returns the rounds of a cycle for bots and their owners, in the order of the bots' names.

    Bots of one owner never meet. Empty if there are fewer owners than seats.
    """
    if len({owner for _, owner in owners}) < seats:
        return ()
    if seats == 2:
        allowed = dict(owners)
        circle = _circle([name for name, _ in owners])
        return tuple(tuple((a, b) for a, b in pairs if allowed[a] != allowed[b]) for pairs in circle)
    best: Rounds = ()
    for number in range(max(1, _CYCLE_COUNT // len(owners))):
        rounds = _Rounds(seats, owners, number).play()
        if not best or (_unevenness(rounds), len(rounds)) < (_unevenness(best), len(best)):
            best = rounds
        if _unevenness(best)[1] <= 1:
            break  # where the number of meetings is no multiple of the pairs, it cannot be more even
    return best


def _unevenness(rounds: Rounds) -> tuple[int, int]:
    """Returns how few pairs meet at all, and how unevenly the others meet."""
    met = Counter(pair for groups in rounds for group in groups for pair in combinations(group, 2))
    return -len(met), max(met.values()) - min(met.values())


def _circle(names: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Returns the rounds of a round robin of pairs: everybody meets everybody once, and nobody plays twice in a
    round.
    """
    ring: list[str | None] = [*names, None] if len(names) % 2 else list(names)
    size = len(ring)
    rounds: list[list[tuple[str, str]]] = []
    for turn in range(size - 1):
        circle = [ring[0], *(ring[1 + (turn + place) % (size - 1)] for place in range(size - 1))]
        pairs = [(circle[place], circle[size - 1 - place]) for place in range(size // 2)]
        rounds.append([(a, b) for a, b in pairs if a is not None and b is not None])
    return rounds


@final
class _Rounds:
    """Makes rounds one after the other. Bots are numbered in the order of their names."""

    def __init__(self, seats: int, owners: tuple[tuple[str, str], ...], number: int) -> None:
        self._seats = seats
        self._number = number
        self._names = [name for name, _ in owners]
        self._owners = [owner for _, owner in owners]
        size = len(owners)
        same = np.array([[a == b for b in self._owners] for a in self._owners])
        self._met: _Matrix = np.where(same, _SAME_OWNER_WEIGHT, 0)
        """How often each two bots have met, or that they never may."""
        np.fill_diagonal(self._met, 0)
        self._may_meet = int((~same).sum())
        self._plays = [0] * size
        of_owner = Counter(self._owners).values()
        # The most groups without two bots of one owner: an owner fills at most one seat in each.
        self._groups = max(m for m in range(1, size // seats + 1) if sum(min(n, m) for n in of_owner) >= m * seats)

    def play(self) -> Rounds:
        """Returns the cycle."""
        rounds: list[tuple[Group, ...]] = []
        merits: list[tuple[int, int]] = []
        complete_at = _MAX_ROUNDS_PER_BOT * len(self._names)
        while len(rounds) < complete_at:
            rounds.append(self._round(len(rounds)))
            unmet = self._may_meet - int(((self._met > 0) & (self._met < _SAME_OWNER_WEIGHT)).sum())
            merits.append((unmet, max(self._plays) - min(self._plays)))
            if not unmet:
                # The bot with the fewest blocks plays next, so all are even again within as many rounds as there are
                # bots.
                complete_at = min(complete_at, len(rounds) + (0 if merits[-1][1] == 0 else len(self._names)))
                if merits[-1][1] == 0:
                    break
        del rounds[1 + merits.index(min(merits)) :]
        # The rounds that are kept are the first after which no more pairs came together.
        while strangers := np.argwhere(np.triu(self._met == 0, 1)).tolist():
            group = self._together(*min(strangers, key=lambda pair: (sum(self._plays[bot] for bot in pair), pair)))
            self._note([group])
            rounds.append((tuple(self._names[bot] for bot in sorted(group)),))
        return tuple(rounds)

    def _together(self, first: int, other: int) -> list[int]:
        """Returns a group with two bots that may meet, filled with bots that have played least and met the others
        least.
        """
        group = [first, other]
        while len(group) < self._seats:
            owners = {self._owners[bot] for bot in group}
            free = [bot for bot, owner in enumerate(self._owners) if owner not in owners]
            group.append(min(free, key=lambda bot: (self._plays[bot], int(self._met[bot, group].sum()), bot)))
        return group

    def _round(self, number: int) -> tuple[Group, ...]:
        """Returns the next round, noted as played."""
        found = None
        for start in range(max(2, _START_COUNT // len(self._names))):
            seated = self._improved(self._arrangement(number, start))
            cost = sum(int(self._met[np.ix_(group, group)].sum()) for group in self._members(seated))
            if found is None or cost < found[0]:
                found = cost, seated
        assert found is not None  # noqa: S101 - there are at least two starts
        groups = self._members(found[1])
        self._note(groups)
        return tuple(sorted(tuple(self._names[bot] for bot in sorted(group)) for group in groups))

    def _note(self, groups: Sequence[Sequence[int]]) -> None:
        """Notes that these groups play."""
        for group in groups:
            for bot in group:
                self._plays[bot] += 1
                for other in group:
                    if other != bot:
                        self._met[bot, other] += 1

    def _members(self, seated: _Matrix) -> list[list[int]]:
        return [[int(bot) for bot in np.flatnonzero(seated == group)] for group in range(self._groups)]

    def _arrangement(self, number: int, start: int) -> _Matrix:
        """(bots,): the group of each bot that has played least, and the number of groups for a bot that sits out."""
        order = shuffled(list(range(len(self._names))), self._number.to_bytes(32, "big"), number, start)
        place = {bot: index for index, bot in enumerate(order)}
        taken: Counter[str] = Counter()
        players: list[int] = []
        for bot in sorted(order, key=lambda bot: (self._plays[bot], place[bot])):
            if taken[self._owners[bot]] < self._groups and len(players) < self._groups * self._seats:
                taken[self._owners[bot]] += 1
                players.append(bot)
        # Dealt out owner by owner: an owner's bots, at most one a group, come to different groups.
        leader: dict[str, int] = {}
        for bot in players:
            leader.setdefault(self._owners[bot], place[bot])
        players.sort(key=lambda bot: (leader[self._owners[bot]], place[bot]))
        seated: _Matrix = np.full(len(self._names), self._groups)
        for index, bot in enumerate(players):
            seated[bot] = index % self._groups
        return seated

    def _improved(self, seated: _Matrix) -> _Matrix:
        """Exchanges pairs of bots, best exchange first, until none improves the arrangement. Returns it."""
        plays, out = np.array(self._plays), self._groups
        while True:
            playing = (seated != out).astype(np.int64)
            members = (seated[:, None] == np.arange(self._groups)).astype(np.int64)
            # Counts how often each bot has met the members of each group; a bot that sits out meets nobody.
            cost = np.pad(self._met @ members, ((0, 0), (0, 1)))
            own = cost[np.arange(len(plays)), seated]
            instead = cost[:, seated]
            change = instead + instead.T - own[:, None] - own - self._met * (playing[:, None] + playing)
            # An exchange within a group changes nothing, and nobody's place goes to one who has played more or less.
            sits_out = playing[:, None] != playing
            change[(seated[:, None] == seated) | (sits_out & (plays[:, None] != plays))] = 0
            best = int(change.argmin())
            if change.flat[best] >= 0:
                return seated
            first, other = divmod(best, len(plays))
            seated = seated.copy()
            seated[[first, other]] = seated[[other, first]]
