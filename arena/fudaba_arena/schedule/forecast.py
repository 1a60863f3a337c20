"""Forecasts the extent and the duration of a tournament before it is played.

The length of a match in moves is the mean of a few random matches with the game's options. It leads to two durations.
With bots that answer at once, a match takes the time of the service, the arena and the bots themselves, as measured:
see `docs/measurements.md`. At most, it takes what the clock allows: `move_ms` and the increment for every move, and the
bank of every seat.

The forecast ignores void blocks, which are played again, and bots that play fewer matches at once than the arena.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from random import Random
from typing import Final, final

from fudaba.seatings import seating_count
from fudaba_arena.schedule.blocks import Block
from fudaba_arena.schedule.bracket_standing import Bracket
from fudaba_arena.schedule.groups import Group
from fudaba_arena.schedule.knockout import KnockoutSchedule
from fudaba_arena.schedule.schedule import Schedule
from fudaba_arena.schedule.swiss import SwissSchedule
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_games.game import OptionValue
from fudaba_games.registry import GAMES

__all__ = ["Forecast", "GameForecast", "MatchLength", "forecast", "match_length"]

MATCH_SECONDS: Final = 0.02
"""The cost of a match besides its moves: creating it, notifying its bots, storing its result."""
MOVE_SECONDS: Final = 0.001
"""The cost of a move."""
_MAX_MATCHES_SAMPLED: Final = 5
"""The number of random matches that are played, unless they are long."""
_MAX_MOVES_SAMPLED: Final = 5_000
"""The number of moves after which no more matches are sampled."""


@final
@dataclass(frozen=True, slots=True)
class MatchLength:
    """The average length of a match."""

    moves: float
    """The moves of all seats together."""
    waits: float
    """The seconds for which the rules make everybody wait."""


@final
@dataclass(frozen=True, slots=True)
class GameForecast:
    """The part of a tournament that is played in a game."""

    game: str
    seats: int
    blocks: int
    groups: int
    """The number of groups in all these blocks; a group that meets in three blocks counts three times."""
    matches: int
    length: MatchLength
    instant: float
    """The seconds of a match with bots that answer at once."""
    clock: float
    """The seconds of a match at most, by the clock."""
    rounds: tuple[tuple[Group, ...], ...]
    """The groups in each round of one cycle; empty for a Swiss and a knockout."""
    waves: int
    """The number of batches of simultaneous matches that follow each other. Drawn rounds wait for each other."""
    byes: int = 0
    """The number of byes in each round of a Swiss."""
    bracket: Bracket | None = None
    """The bracket of a knockout; without names if a lot seeds its bots."""


@final
@dataclass(frozen=True, slots=True)
class Forecast:
    """The extent of a tournament, and its time."""

    games: tuple[GameForecast, ...]
    concurrency: int
    """The number of simultaneous matches."""

    @property
    def instant(self) -> float:
        """Returns the seconds with bots that answer at once. The machine is always busy, however many matches it plays
        at once.
        """
        return sum(game.matches * game.instant for game in self.games)

    @property
    def clock(self) -> float:
        """Returns the seconds if every match takes as long as its clock allows."""
        return sum(game.waves * game.clock for game in self.games)


def forecast(tournament: Tournament, schedule: Schedule) -> Forecast:
    """Forecasts a tournament of which nothing has been played."""
    rounds = _rounds(schedule)
    return Forecast(
        tuple(_game_forecast(tournament, game, schedule, rounds[game.game]) for game in tournament.games),
        tournament.concurrency,
    )


def _game_forecast(
    tournament: Tournament, game: TournamentGame, schedule: Schedule, rounds: Mapping[int, tuple[Group, ...]]
) -> GameForecast:
    part, clock = schedule.part(game.game), tournament.clock
    swiss = schedule if isinstance(schedule, SwissSchedule) else None
    knockout = schedule if isinstance(schedule, KnockoutSchedule) else None
    if knockout is not None:
        of_rounds: list[float] = [*knockout.coming_matches()]
    else:
        turns = swiss.rounds if swiss is not None else 1
        of_rounds = [part.matches / turns] * turns
    length = match_length(game.game, game.seats, tuple(sorted(game.options.items())))
    a_move = (clock.move_ms + clock.increment_ms) / 1000
    return GameForecast(
        game.game,
        game.seats,
        part.blocks,
        part.matches // (seating_count(game.seats) * game.deals),
        part.matches,
        length,
        instant=MATCH_SECONDS + length.moves * MOVE_SECONDS + length.waits,
        clock=length.moves * a_move + game.seats * clock.bank_ms / 1000 + length.waits,
        rounds=tuple(rounds[number] for number in sorted(rounds)),
        waves=sum(ceil(matches / tournament.concurrency) for matches in of_rounds),
        byes=swiss.byes(game.game) if swiss is not None else 0,
        bracket=knockout.planned(named=bool(tournament.format.seeds)) if knockout is not None else None,
    )


def _rounds(schedule: Schedule) -> dict[str, dict[int, tuple[Group, ...]]]:
    """Collects the groups of the rounds of one cycle, by game and number."""
    found: dict[str, dict[int, tuple[Group, ...]]] = {game: {} for game in schedule.games}
    open_games = set(schedule.games)
    for block in schedule:
        if block.cycle:
            open_games.discard(block.game)
        else:
            rounds = found[block.game]
            rounds[block.round] = (*rounds.get(block.round, ()), *_groups(block))
        if not open_games:
            break
    return found


def _groups(block: Block) -> tuple[Group, ...]:
    return tuple(dict.fromkeys(tuple(sorted(match.bots)) for match in block.matches))


@lru_cache(maxsize=64)
def match_length(game_id: str, seats: int, options: tuple[tuple[str, OptionValue], ...]) -> MatchLength:
    """Returns the length of a game's random matches: the same matches at every call, on every machine."""
    game = GAMES[game_id]
    matches = moves = waited_ms = 0
    while matches < _MAX_MATCHES_SAMPLED and moves < _MAX_MOVES_SAMPLED:
        chance = Random(matches)  # noqa: S311 - it decides nothing but what is expected
        state, _ = game.new_match(seats, dict(options), matches.to_bytes(32, "big"))
        while True:
            while (seat := game.turn(state)) >= 0:
                game.advance(state, seat, game.random_move(state, seat, chance))
                moves += 1
            timer = game.next_timer(state)
            if timer is None:
                break
            waited_ms += timer.ms
            game.fire(state, timer.name)
        matches += 1
    return MatchLength(moves / matches, waited_ms / 1000 / matches)
