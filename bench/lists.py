"""Measures the lengths of the lists of legal moves, in random matches of every game with any number of seats and random
options.

The lengths are the same on every machine, since the chance is seeded. The times are CPU time of this machine.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, Final

import click

from fudaba_games.game import BadOption, Option, OptionValue
from fudaba_games.match import Match
from fudaba_games.registry import GAMES, AnyGame

MIN_MOVES_COMPARED: Final = 1_000
"""The number of moves of each list that are searched for duplicates. The longest list is searched completely."""
POSITIONS_PER_REPORT: Final = 10_000
"""The number of positions that a worker examines before it reports."""


@dataclass(frozen=True)
class Longest:
    """The longest list of legal moves among the positions of a game."""

    game: str
    positions: int
    """The number of examined positions, each for a seat with an open decision."""
    length: int
    mean: float
    """The mean length of all lists."""
    doubles: int
    """The number of moves that appeared twice."""
    first_ms: float
    """The CPU time until the longest list has its length and its first move."""
    all_ms: float
    """The CPU time for all its moves."""
    hand: str
    """The position as its seat sees it."""


def look(game_id: str, number: int, positions: int) -> Longest:
    """Plays random matches until this many positions were examined. `number` seeds them."""
    game, chance = GAMES[game_id], random.Random(f"lists {game_id} {number}")
    seen = total = doubles = longest = 0
    worst: tuple[Any, int] = (None, 0)
    while seen < positions:
        match = _new_match(game, chance)
        lazy = chance.random()
        while not match.over and seen < positions:
            due = match.open_decisions()
            if not due:
                match.pass_time()
                continue
            for decision in due:
                moves = game.legal_moves(match.state, decision.seat)
                seen, total = seen + 1, total + len(moves)
                doubles += _doubles(moves, MIN_MOVES_COMPARED)
                if len(moves) > longest:
                    longest, worst = len(moves), (match.state.clone(), decision.seat)
            seat = due[chance.randrange(len(due))].seat
            # Hands grow long where seats pass and draw: some matches are played by defaults for the most part.
            default = chance.random() < lazy * lazy
            move = game.legal_moves(match.state, seat)[0] if default else game.random_move(match.state, seat, chance)
            match.play(seat, move)
    state, seat = worst
    began = time.process_time()
    moves = game.legal_moves(state, seat)
    assert len(moves) == longest
    assert moves[0] is not None
    first = time.process_time()
    doubles += _doubles(moves, longest)
    ended = time.process_time()
    hand = game.text.render_view(game.view(state, seat))
    times = 1000 * (first - began), 1000 * (ended - began)
    return Longest(game_id, seen, longest, total / seen, doubles, *times, hand)


def _doubles(moves: Any, most: int) -> int:
    looked_at = list(itertools.islice(moves, most))
    return len(looked_at) - len(set(looked_at))


def _new_match(game: AnyGame, chance: random.Random) -> Match[Any, Any, Any, Any]:
    seats = chance.randint(game.min_seats, game.max_seats)
    options = game.resolve_options({})
    if chance.random() < 0.5:
        options = {option.name: _drawn(option, chance) for option in game.options}
    seed = chance.randbytes(32)
    try:
        return Match(game, seats, options, seed)
    except BadOption:  # a first dealer beyond these seats
        return Match(game, seats, game.resolve_options({}), seed)


def _drawn(option: Option, chance: random.Random) -> OptionValue:
    if isinstance(option.default, bool):
        return chance.random() < 0.5
    if isinstance(option.default, int):
        return option.default if chance.random() < 0.5 else chance.randint(option.minimum, option.maximum)
    return chance.choice(option.choices)


def longest_lists(games: list[str], positions: int) -> Iterator[Longest]:
    """Yields the longest list of each game."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for game in games:
            sizes = [
                min(POSITIONS_PER_REPORT, positions - begun) for begun in range(0, positions, POSITIONS_PER_REPORT)
            ]
            found = list(pool.map(look, [game] * len(sizes), range(len(sizes)), sizes))
            worst = max(found, key=lambda candidate: candidate.length)
            seen = sum(longest.positions for longest in found)
            mean = sum(longest.mean * longest.positions for longest in found) / seen
            doubles = sum(longest.doubles for longest in found)
            yield Longest(**{**asdict(worst), "positions": seen, "mean": mean, "doubles": doubles})


@click.command()
@click.argument("games", nargs=-1, type=click.Choice(list(GAMES)))
@click.option(
    "--positions", default=100_000, show_default=True, type=click.IntRange(min=1), help="Positions of each game."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the position of each longest list.")
def main(games: tuple[str, ...], positions: int, *, as_json: bool) -> None:
    """Find the longest lists of legal moves in random positions. Without GAMES: of all.

    \b
      scripts/bench lists makhop --positions 10000
    """
    rows = []
    for row in longest_lists(list(games or GAMES), positions):
        rows.append(row)
        if sys.stderr.isatty():
            print(f"\r{row.game}: {row.length:,}\033[K", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return
    print("| game | positions | mean length | longest | doubles | its length and first move, ms | all of it, ms |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for row in rows:
        numbers = f"{row.positions:,} | {row.mean:,.1f} | {row.length:,} | {row.doubles}"
        print(f"| {row.game} | {numbers} | {row.first_ms:,.1f} | {row.all_ms:,.1f} |")


if __name__ == "__main__":
    main()
