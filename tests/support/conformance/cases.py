"""The matches that the conformance checks play: every number of seats, the options at their defaults and beside
them."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, Final

from fudaba_games.game import SEED_BYTES, Chance, Game, Option, OptionValue, Outcome, Shown
from fudaba_games.match import Match
from fudaba_games.registry import GAMES, AnyGame
from tests.support.sizes import exhaustive, smallest, some

REFEREE: Final = -1
"""The seat of a move of the referee."""
MAX_MOVES: Final = 100_000
"""Moves after which a random match counts as endless."""
MAX_MOVES_BY_OPTIONS: Final = 1_000_000
"""The same where every option that is a number has its largest value."""
BEGINNING_POINTS: Final = 60
"""The number of points at the beginning of a match that are looked at, whatever its game."""
LONG_MATCH_MOVES: Final = 500
"""A game's matches are long where one of this many moves comes about soon, by the default options and by chance:"""
MATCHES_MEASURED: Final = 8
"""this many matches are tried for that."""
STRIDE_POINTS: Final = 13
"""The stride between the points of a long match that are looked at after the beginning. No number of seats divides it,
so that the places in a round all come."""
SEAT_NUMBERS_PER_SAMPLE: Final = 3
"""A sample has each option value beside the usual one with one of this many numbers of seats."""
MATCHES_PER_SAMPLE: Final = 2
"""A sample has as many points of a game as this many of its matches have, spread over all of them; a thin one half as
many."""
THIN_STRIDE_MATCHES: Final = 2
"""A thin sample has one of this many matches of a sample with an option value beside the usual one."""

LONG: Final = some(300, least=60)
"""A longer list of legal moves is looked at in part."""

AnyMatch = Match[Any, Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A way to begin a match."""

    seats: int
    options: dict[str, OptionValue]
    number: int

    @property
    def seed(self) -> bytes:
        """The seed of the match."""
        return sha256(f"conformance {self.number}".encode()).digest()

    @property
    def chance(self) -> random.Random:
        """The source of chance of the match, always the same."""
        return random.Random(f"play {self.number}")

    @property
    def label(self) -> str:
        """A name for a file or a failed test."""
        options = "-".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.seats}-seats-{options or 'no-options'}-{self.number}"

    def match(self, game: AnyGame) -> AnyMatch:
        """Returns the match, dealt."""
        return Match(game, self.seats, self.options, self.seed)


def cases(game: AnyGame, each: int = 1) -> Iterator[Case]:
    """`each` matches of every number of seats with the usual options, then one of every other option value.

    A sample has each of these others with some of the numbers of seats; a thin one has some of these matches.
    """
    return all_cases(game, each) if exhaustive() else _thin(game, sampled_cases(game, each))


def is_thin(game: AnyGame) -> bool:
    """Returns whether the sample of a game is thin: the smallest run's are, but for those of games with a flaw."""
    return smallest() and GAMES.get(game.id) is game


def _thin(game: AnyGame, sampled: Iterator[Case]) -> Iterator[Case]:
    """Yields what a sample has, or a thin one."""
    stride, usual, others = THIN_STRIDE_MATCHES if is_thin(game) else 1, usual_options(game), 0
    for case in sampled:
        others += case.options != usual
        if case.options == usual or others % stride == 0:
            yield case


def sampled_cases(game: AnyGame, each: int) -> Iterator[Case]:
    """Yields the cases of a sample."""
    stride = min(SEAT_NUMBERS_PER_SAMPLE, game.max_seats - game.min_seats + 1)
    for case, others in _all_cases(game, each):
        if others is None or (others + case.seats) % stride == 0:
            yield case


def all_cases(game: AnyGame, each: int) -> Iterator[Case]:
    """Returns the cases of the exhaustive run."""
    return (case for case, _ in _all_cases(game, each))


def _all_cases(game: AnyGame, each: int) -> Iterator[tuple[Case, int | None]]:
    """Yields all cases, and which of the option values beside the usual ones each has."""
    number = 0
    for seats in range(game.min_seats, game.max_seats + 1):
        for at, options in enumerate(option_sets(game, seats)):
            usual = options == usual_options(game)
            for _ in range(each if usual else 1):
                yield Case(seats, options, number), None if usual else at
                number += 1


def option_sets(game: AnyGame, seats: int) -> Iterator[dict[str, OptionValue]]:
    """Yields the usual options, then each option beside its usual value while the others have theirs."""
    usual = usual_options(game)
    yield usual
    for option in game.options:
        for value in _others(option, usual[option.name]):
            yield {**usual, option.name: value}


def usual_options(game: AnyGame) -> dict[str, OptionValue]:
    """Returns the defaults; where matches are long, those with one deal only."""
    return one_deal(game, game.min_seats) if is_long(game) else game.resolve_options({})


def one_deal(game: AnyGame, seats: int) -> dict[str, OptionValue]:
    """Returns the default options, but for a match of one deal."""
    options = game.resolve_options({})
    state, _ = game.new_match(seats, options, bytes(SEED_BYTES))
    return game.only_this_deal(game.view(state, None), options)


@cache
def is_long(game: AnyGame) -> bool:
    """Returns whether matches of this game are long, so that checks look at some points of them and not at all."""
    return any(_length(game, number) >= LONG_MATCH_MOVES for number in range(MATCHES_MEASURED))


def _length(game: AnyGame, number: int) -> int:
    """Returns how many moves a match by chance has; of a long one not all are played.

    It trusts a game with no more than it has to: one that is to be caught breaks its promises.
    """
    case = Case(game.min_seats, game.resolve_options({}), number)
    state, chance = game.new_match(case.seats, case.options, case.seed)[0], case.chance
    moves = 0
    while game.outcome(state) is None and moves < LONG_MATCH_MOVES:
        due = game.decisions(state)
        if due:
            seat = due[chance.randrange(len(due))].seat
            game.apply(state, seat, Game.random_move(game, state, seat, chance))
            moves += 1
        else:
            game.fire(state, game.timers(state)[0].name)
    return moves


def _others(option: Option, usual: OptionValue) -> list[OptionValue]:
    if isinstance(usual, bool):
        return [not usual]
    if isinstance(usual, int):
        # Seats are options too (`first_dealer`): a small step stays a seat of the smallest match.
        near = {option.minimum, min(usual + 1, option.maximum), min(usual + 2, option.maximum)}
        return sorted(near - {usual})
    return [choice for choice in option.choices if choice != usual]


def positions(game: AnyGame, case: Case) -> Iterator[AnyMatch]:
    """Yields a random match of a case at every point, dealt to over: look, and do not change it.

    Of a game whose matches are long there are all points of the beginning, then one of some, and the end. A sample has
    the deal, one point of some, other ones in each match, and the end: few of all that are played, so that each match
    is played for the first check only, and the other ones see copies.
    """
    if exhaustive() or GAMES.get(game.id) is not game:  # one with a flaw may spoil its copies
        yield from positions_in_play(game, case)
        return
    if game.id not in _kept:
        _kept.clear()
    of_game = _kept.setdefault(game.id, {})
    if case.label not in of_game:
        of_game[case.label] = [_copy(match) for match in positions_in_play(game, case)]
    yield from of_game[case.label]


_kept: Final[dict[str, dict[str, list[AnyMatch]]]] = {}
"""The positions of the game that was looked at last, by the case."""


def _copy(match: AnyMatch) -> AnyMatch:
    """Returns a match as it is now, which stays so while the match itself goes on."""
    kept = copy.copy(match)
    kept.state = match.state.clone()
    kept._open, kept._asked, kept._public = list(match._open), list(match._asked), list(match._public)
    kept._shown = [list(events) for events in match._shown]
    kept._answered, kept._earlier = list(map(dict, match._answered)), list(map(dict, match._earlier))
    return kept


def positions_in_play(game: AnyGame, case: Case) -> Iterator[AnyMatch]:
    """Yields the same, of a match that goes on between them: it is one object."""
    match, chance = case.match(game), case.chance
    yield match
    point = 0
    while not match.over:
        step(match, chance)
        point += 1
        if looked_at(game, case, point) or match.over:
            yield match


def looked_at(game: AnyGame, case: Case, point: int) -> bool:
    """Returns whether checks look at a match after this many moves."""
    if exhaustive():
        return point < BEGINNING_POINTS or not is_long(game) or point % STRIDE_POINTS == 0
    return (point + case.number) % _sample_stride(game) == 0


@cache
def _sample_stride(game: AnyGame) -> int:
    """Returns the stride between the points of its matches that a sample looks at."""
    matches = sum(1 for _ in cases(game))
    return max(1, matches // (1 if is_thin(game) else MATCHES_PER_SAMPLE)) * (STRIDE_POINTS if is_long(game) else 1)


def played_from(game: AnyGame, number: int) -> bool:
    """Returns whether checks play on from this one of the positions to the end."""
    return number % (25 if is_long(game) else 5) == 0


def some_positions(game: AnyGame, case: Case, most: int) -> Iterator[AnyMatch]:
    """`positions`, of which no more than `most`, spread over the match, are seen where a check takes long."""
    total = sum(1 for _ in positions(game, case))
    wanted = set(range(total)) if total <= most else {index * total // most for index in range(most)}
    for index, match in enumerate(positions(game, case)):
        if index in wanted:
            yield match


def some_seats(case: Case, number: int) -> Sequence[int]:
    """Returns the seats for which a check that takes long looks at its position of this number: all of them.

    A sample has every other seat, and at the next position the ones between; but always both of two.
    """
    return range(case.seats) if exhaustive() or case.seats == 2 else range(number % 2, case.seats, 2)


def some_moves(moves: Sequence[Any]) -> list[Any]:
    """Returns a list of legal moves; of one that is very long the first and this many others, evenly."""
    return list(moves) if len(moves) <= LONG else [moves[index] for index in some_places(moves)]


def some_places(moves: Sequence[Any]) -> Sequence[int]:
    """Returns where `some_moves` stand in a list of legal moves: to make a move of a long one takes a while."""
    return range(len(moves)) if len(moves) <= LONG else [index * len(moves) // LONG for index in range(LONG)]


def step(match: AnyMatch, chance: Chance) -> tuple[int, Any]:
    """Plays one random move of one random open decision, and says whose and which.

    Where timers run, the referee may come first: then its timer is said.
    """
    due = match.open_decisions()
    timers = match.timers()
    if timers and (not due or chance.randrange(4) == 0):
        name = timers[chance.randrange(len(timers))].name
        match.fire(name)
        return REFEREE, name
    seat = due[chance.randrange(len(due))].seat
    move = match.game.random_move(match.state, seat, chance)
    match.play(seat, move)
    return seat, move


def finished(game: AnyGame, state: Any, chance: Chance) -> Outcome:
    """Returns the result after random moves to the end, as `step` makes them. The state is changed."""
    for _ in range(MAX_MOVES):
        outcome = game.outcome(state)
        if outcome is not None:
            return outcome
        due, timers = game.decisions(state), game.timers(state)
        assert due or timers, "nobody is asked, no timer runs, and the match is not over"
        if timers and (not due or chance.randrange(4) == 0):
            game.fire(state, timers[chance.randrange(len(timers))].name)
        else:
            seat = due[chance.randrange(len(due))].seat
            game.apply(state, seat, game.random_move(state, seat, chance))
    raise AssertionError(f"{game.id} does not end within {MAX_MOVES} moves")


def seen(events: list[Shown[Any]], seat: int | None) -> list[Any]:
    """Returns the events that `seat` (None: a spectator) may see."""
    return [shown.event for shown in events if shown.visible(seat)]
