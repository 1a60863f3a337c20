"""The ladders of a tournament: one for each game, and one over all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import final

from fudaba_arena.ratings import BlockResult, Fit, overall, rate
from fudaba_arena.standings import Standing, standings
from fudaba_arena.tournament import Tournament

__all__ = ["OVERALL", "Ladder", "Ladders", "ladders"]

OVERALL = "overall"
"""What the ladder over all games is called."""


@final
@dataclass(frozen=True, slots=True)
class Ladder:
    """Ratings and their rows, best first."""

    fit: Fit
    rows: tuple[Standing, ...]


@final
@dataclass(frozen=True, slots=True)
class Ladders:
    """All ladders of a tournament."""

    overall: Ladder
    """Where there is one game only, that game's."""
    games: Mapping[str, Ladder]
    """By game, in the order of the tournament."""

    def named(self) -> dict[str, Ladder]:
        """The ladders that differ, by name: the overall one first, where there are several games."""
        first = {OVERALL: self.overall} if len(self.games) > 1 else {}
        return first | dict(self.games)


def ladders(
    tournament: Tournament,
    game_of: Callable[[int], str],
    results: Iterable[BlockResult],
    voids: Mapping[str, Mapping[str, int]],
) -> Ladders:
    """The ladders of results.

    `game_of` says which game a block is of; `voids` has the void blocks put down to each bot, by game.
    """
    of_game: dict[str, list[BlockResult]] = {entry.game: [] for entry in tournament.games}
    for result in results:
        of_game[game_of(result.block)].append(result)
    versions = {bot.name: bot.version for bot in tournament.bots}
    rated = {
        entry.game: rate(
            of_game[entry.game],
            bots=[bot.name for bot in tournament.bots if bot.plays(entry.game)],
            win_margin=entry.win_margin,
        )
        for entry in tournament.games
    }
    games: dict[str, Ladder] = {}
    for game, one in rated.items():
        fit = one.fit()
        games[game] = Ladder(fit, standings(fit, of_game[game], voids=voids[game], versions=versions))
    if len(games) == 1:
        (only,) = games.values()
        return Ladders(only, games)
    fit = overall(rated)
    every = [result for of in of_game.values() for result in of]
    together = {bot.name: sum(of.get(bot.name, 0) for of in voids.values()) for bot in tournament.bots}
    return Ladders(Ladder(fit, standings(fit, every, voids=together, versions=versions)), games)
