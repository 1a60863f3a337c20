"""Swiss: each round is drawn when the one before is over, from its results (see `swiss_draw`).

In a round, every bot plays in one group of each of its games, or has a bye. A round is over when each of its blocks has
a result or is parked. The facts behind a draw are stored with the round and never change afterwards: the results of the
blocks that count at that time, even if they are annulled later, and the withdrawn bots.

**Victory points.** For each round, a bot gets its share of its group's block, from 0 to 1 (see `share`); it gets half a
point for a bye, and for a group that has not played. Points are added up exactly, as fractions, so that ties are exact.
More points mean a higher standing. Only in the draw, equal bots stand in the order of a lot that is drawn from the
tournament's id when it begins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Final, final

from fudaba.seatings import seating_count
from fudaba_arena.schedule.blocks import most_sharing
from fudaba_arena.schedule.drawn_schedule import DrawnGame, DrawnSchedule, Played, RoundFacts, lot, share
from fudaba_arena.schedule.round_blocks import owners_of, round_blocks
from fudaba_arena.schedule.round_robin import RoundRobin, check
from fudaba_arena.schedule.schedule import BadSchedule, Part
from fudaba_arena.schedule.swiss_draw import Draw, Field, draw
from fudaba_arena.store.tournaments.rounds import DrawnBlock, DrawnRound

__all__ = ["SwissRow", "SwissSchedule"]

_LOT_TAG: Final = b"fudaba-swiss-v1"
_HALF: Final = Fraction(1, 2)


@final
@dataclass(frozen=True, slots=True)
class SwissRow:
    """The standing of a bot in a game of a Swiss."""

    rank: int
    """The rank: 1 for the most victory points. Bots with equal points share a rank, with no tie-break."""
    bot: str
    victory_points: Fraction
    rounds: int
    """The number of rounds in which it has played."""
    byes: int
    """The number of rounds in which it got half a point without playing."""


@final
@dataclass(slots=True)
class _Tally:
    """The sums over the rounds of one game."""

    points: dict[str, Fraction] = field(default_factory=dict)
    met: Counter[frozenset[str]] = field(default_factory=Counter)
    rounds: Counter[str] = field(default_factory=Counter)
    byes: Counter[str] = field(default_factory=Counter)

    def half(self, bots: Iterable[str]) -> None:
        """Gives half of the points at stake to bots that have not played."""
        for bot in bots:
            self.points[bot] += _HALF
            self.byes[bot] += 1

    def group(self, group: Sequence[str], matches: Played, win_margin: float) -> None:
        """Counts the matches of a group. Without matches, its bots have not played."""
        if not matches:
            self.half(group)
            return
        for bot in group:
            self.points[bot] += share(matches, bot, win_margin)
            self.rounds[bot] += 1
        self.met.update(frozenset(pair) for pair in combinations(group, 2))


@final
class SwissSchedule(DrawnSchedule):
    """The schedule of a Swiss, up to the last drawn round. Raises `BadSchedule`.

    The forecast of the rest assumes that no bot is withdrawn, with as many groups as possible.
    """

    def __init__(self, tournament_id: str, games: Sequence[DrawnGame], rounds: int) -> None:
        if rounds < 1:
            raise BadSchedule(f"rounds is {rounds}; at least 1 is needed")
        for swiss_game in games:
            check(RoundRobin(tournament_id, swiss_game.entrants, deals=swiss_game.deals, seats=swiss_game.seats))
        super().__init__(tournament_id, games)
        self.rounds = rounds
        """The number of rounds in the end."""
        self._owners = {
            game_definition.game: owners_of(game_definition.entrants, same_author=game_definition.same_author)
            for game_definition in games
        }
        self._lots = {game_definition.game: lot(_LOT_TAG, tournament_id, game_definition) for game_definition in games}
        self._groups = {game: len(self._draw(game, _nothing, ()).groups) for game in self._games}
        for game, groups in self._groups.items():
            if not groups:
                raise BadSchedule(_too_few(self._games[game], several=len(games) > 1))

    def next_round(self, facts: RoundFacts) -> DrawnRound | None:
        """See `DrawnSchedule`. There is none when there are no more, or too few bots for a group."""
        if self.whole:
            return None
        blocks: list[DrawnBlock] = []
        byes: dict[str, tuple[str, ...]] = {}

        def known(slot: int) -> Played | None:
            return () if slot in facts.unplayed else facts.played(slot)

        for game, swiss_game in self._games.items():
            drawn = self._draw(game, known, facts.out)
            bots = {bot.name: bot for bot in swiss_game.entrants}
            planned = round_blocks(drawn.groups, bots, fresh=swiss_game.fresh)
            blocks += [DrawnBlock(game, groups, shared) for groups, shared in planned]
            byes[game] = drawn.byes
        if not blocks:
            return None
        return DrawnRound(tuple(blocks), byes, tuple(sorted(facts.out)), tuple(sorted(facts.unplayed)))

    def _draw(self, game: str, played: Callable[[int], Played | None], out: Collection[str]) -> Draw:
        swiss_game = self._games[game]
        tally = self._tally(game, played)
        bots = [bot for bot in self._lots[game] if bot not in out]
        bots.sort(key=lambda bot: -tally.points[bot])  # equal ones stay in the order of the lot
        return draw(Field(tuple(bots), self._owners[game], tally.met, tally.byes), swiss_game.seats)

    def _tally(self, game: str, played: Callable[[int], Played | None]) -> _Tally:
        """Sums the rounds so far. `played` has the matches of a slot: no matches if it was not played, None if it is
        open.
        """
        swiss_game = self._games[game]
        tally = _Tally(dict.fromkeys(self._lots[game], Fraction(0)))
        for drawn, start in zip(self.drawn, self._starts, strict=True):
            tally.half(drawn.byes.get(game, ()))
            for slot, block in enumerate(drawn.blocks, start):
                matches = played(slot) if block.game == game else None
                if matches is None:
                    continue
                for group in block.groups:
                    tally.group(
                        group, [match for match in matches if set(match[0]) == set(group)], swiss_game.win_margin
                    )
        return tally

    def standing(self, game: str, played: Callable[[int], Played | None]) -> tuple[SwissRow, ...]:
        """Returns the standings in a game, best first and equal bots by name.

        `played` has the counting matches of a slot: no matches if it was not played, None if it is still open.
        """
        tally = self._tally(game, played)
        points = tally.points
        return tuple(
            SwissRow(
                1 + sum(other > points[bot] for other in points.values()),
                bot,
                points[bot],
                tally.rounds[bot],
                tally.byes[bot],
            )
            for bot in sorted(points, key=lambda bot: (-points[bot], bot))
        )

    def groups(self, game: str) -> int:
        """Returns the number of groups of a game in a round without withdrawn bots."""
        return self._groups[game]

    def byes(self, game: str) -> int:
        """Returns the number of byes in such a round."""
        swiss_game = self._games[game]
        return len(swiss_game.entrants) - swiss_game.seats * self._groups[game]

    @property
    def whole(self) -> bool:
        """Whether all rounds are drawn."""
        return len(self.drawn) == self.rounds

    def part(self, game: str) -> Part:
        """Returns the part of a game. Raises `KeyError` for a game that is not played."""
        swiss_game, left = self._games[game], self.rounds - len(self.drawn)
        drawn = [block for block in self._blocks if block.game == game]
        groups = sum(len(block.groups) for block in drawn) + left * self._groups[game]
        alone = swiss_game.fresh or all(bot.stateless for bot in swiss_game.entrants)
        together = 1 if alone else min(most_sharing(swiss_game.seats), self._groups[game])
        return Part(
            swiss_game.seats,
            len(drawn) + left * -(-self._groups[game] // together),
            groups * seating_count(swiss_game.seats) * swiss_game.deals,
            self._groups[game],
            together,
        )


def _nothing(_: int) -> Played:
    return ()


def _too_few(swiss: DrawnGame, *, several: bool) -> str:
    """Returns why there is no group."""
    where = f"{swiss.game}: " if several else ""
    return (
        f"{where}a group needs {swiss.seats} bots of different authors, and there are too few; enter others, or allow"
        " bots of one author to meet"
    )
