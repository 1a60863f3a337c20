"""The ladders of a tournament: one for each game, and one over all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import final

from fudaba_arena.ladder.ratings import BlockResult, Fit, RatedMatch, overall, rate
from fudaba_arena.ladder.standings import Standing, shares_of, standings
from fudaba_arena.schedule.state import TournamentState
from fudaba_arena.store.closed_blocks import went

__all__ = ["OVERALL", "Ladder", "Ladders", "block_results", "ladders_of"]

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


def block_results(state: TournamentState) -> Mapping[bytes, int]:
    """The results that count so far, as they are now."""
    return state.stored.blocks.kinds()


def ladders_of(state: TournamentState, results: Mapping[bytes, int]) -> Ladders:
    """The ladders of `block_results`. It may run in another thread."""
    tournament, voids = state.tournament, state.voids()
    of_game: dict[str, list[BlockResult]] = {entry.game: [] for entry in tournament.games}
    for number, so in enumerate(went(results)):
        matches = tuple(
            RatedMatch(f"{number}-{place:03}", match.deal, match.bots, match.scores)
            for place, match in enumerate(so.matches)
        )
        of_game[so.game].append(BlockResult(number, matches, so.times))
    versions = {bot.name: bot.version for bot in tournament.bots}
    rated = {
        entry.game: rate(
            of_game[entry.game],
            bots=[bot.name for bot in tournament.bots if bot.plays(entry.game)],
            win_margin=entry.win_margin,
        )
        for entry in tournament.games
    }
    shares = {entry.game: shares_of(of_game[entry.game], entry.win_margin) for entry in tournament.games}
    games: dict[str, Ladder] = {}
    for game, one in rated.items():
        fit = one.fit()
        rows = standings(fit, of_game[game], shares=shares[game], voids=voids[game], versions=versions)
        games[game] = Ladder(fit, rows)
    if len(games) == 1:
        (only,) = games.values()
        return Ladders(only, games)
    fit = overall(rated)
    every = [result for of in of_game.values() for result in of]
    together = {bot.name: sum(of.get(bot.name, 0) for of in voids.values()) for bot in tournament.bots}
    everywhere = {
        bot.name: fmean(of_bot)
        for bot in tournament.bots
        if (of_bot := [of[bot.name] for of in shares.values() if bot.name in of])
    }
    rows = standings(fit, every, shares=everywhere, voids=together, versions=versions)
    return Ladders(Ladder(fit, rows), games)
