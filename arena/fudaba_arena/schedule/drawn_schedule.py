"""A schedule whose rounds are drawn while it is played, each from the results of those before.

A round is stored when it is drawn (see `DrawnRound`) and never changes afterwards.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import final

from fudaba_arena.schedule.block_numbers import GROWING
from fudaba_arena.schedule.blocks import Block, Entrant, named_matches, seated_matches
from fudaba_arena.schedule.schedule import Schedule
from fudaba_arena.store.tournaments.rounds import DrawnBlock, DrawnRound
from fudaba_games.shuffle import shuffled

__all__ = ["DrawnGame", "DrawnSchedule", "Played", "RoundFacts", "lot", "share"]

Played = Sequence[tuple[Sequence[str], Sequence[int]]]
"""The seating and the scores of each match of a counting block."""


@final
@dataclass(frozen=True, slots=True)
class DrawnGame:
    """A game of a tournament whose rounds are drawn."""

    entrants: tuple[Entrant, ...]
    seats: int
    game: str
    deals: int = 1
    same_author: bool = False
    win_margin: float = 2.0
    """The greatest counted difference of two scores."""
    fresh: bool = False
    """Whether each match has its own deal."""


@final
@dataclass(frozen=True, slots=True)
class RoundFacts:
    """The facts from which the next round is drawn. Each format reads the part that it goes by."""

    out: Collection[str]
    """The bots that play no further round."""
    unplayed: Collection[int]
    """The slots without a result."""
    played: Callable[[int], Played]
    """Returns the results of any other slot, as they counted when its block was closed."""
    annulled: Collection[int] = ()
    """The slots of a knockout's round in play that no longer count. A Swiss counts whatever counted at first."""


class DrawnSchedule(Schedule):
    """A schedule up to the last drawn round."""

    numbers = GROWING

    def __init__(self, tournament_id: str, games: Sequence[DrawnGame]) -> None:
        self._id = tournament_id
        self._games = {game_definition.game: game_definition for game_definition in games}
        self.drawn: list[DrawnRound] = []
        """The rounds so far. Only `add` adds to it."""
        self._starts: list[int] = []
        self._blocks: list[DrawnBlock] = []

    @abstractmethod
    def next_round(self, facts: RoundFacts) -> DrawnRound | None:
        """Returns the round after the last one; None if there is none."""

    def add(self, drawn: DrawnRound) -> list[Block]:
        """Adds the next round. Returns its blocks."""
        self.drawn.append(drawn)
        self._starts.append(len(self._blocks))
        self._blocks += drawn.blocks
        return [self.block(slot) for slot in range(self._starts[-1], len(self._blocks))]

    @property
    def games(self) -> tuple[str, ...]:
        """The games, in the order of the definition."""
        return tuple(self._games)

    @property
    def matches(self) -> int:
        """The number of matches that count at the end."""
        return sum(self.part(game).matches for game in self._games)

    def __len__(self) -> int:
        """Returns the number of blocks in the drawn rounds."""
        return len(self._blocks)

    def _attempt(self, slot: int, attempt: int) -> Block:
        drawn = self._blocks[slot]
        game = self._games[drawn.game]
        number = self.numbers.number(slot, attempt)
        seated = seated_matches(drawn.groups, game.deals, shared=drawn.shared, fresh=game.fresh)
        matches = named_matches(self._id, number, seated)
        of_round = bisect_right(self._starts, slot) - 1
        return Block(number, slot, attempt, 0, of_round, 1 + max(deal for deal, _ in seated), matches, drawn.game)

    def game_of(self, number: int) -> str:
        """Returns the game of the block with a number."""
        return self._blocks[self.numbers.slot(number)].game

    def like(self, wanted: Callable[[Block], bool]) -> Iterator[int]:
        """Returns the slots of wanted blocks."""
        return (slot for slot in range(len(self)) if wanted(self.block(slot)))


def share(played: Played, bot: str, win_margin: float) -> Fraction:
    """Returns the mean share of the points at stake that a bot took from each seat that it met, over its matches: 0 to
    1.
    """
    margin = Fraction(win_margin)
    shares: list[Fraction] = []
    for bots, scores in played:
        seat = list(bots).index(bot)
        others = [score for other, score in enumerate(scores) if other != seat]
        taken = [max(Fraction(-1), min(Fraction(1), (scores[seat] - other) / margin)) for other in others]
        shares.append((1 + sum(taken, Fraction(0)) / len(taken)) / 2)
    return sum(shares, Fraction(0)) / len(shares)


def lot(tag: bytes, tournament_id: str, game: DrawnGame) -> list[str]:
    """Returns the bots in the order of a lot: their sorted names, shuffled like cards. The tag names the format."""
    names = sorted(bot.name for bot in game.entrants)
    seed = sha256(tag + f"{tournament_id}\n{game.game}".encode()).digest()
    return [names[place] for place in shuffled(list(range(len(names))), seed, 0, 0)]
