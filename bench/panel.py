"""Measures the panel of every game: how far the built-in bots are apart, with the fit of ladders. See docs/ratings.md.

The bots play blocks in process, with the default options and the fewest seats of the game: each deal from all seatings.
Where a game has more seats than the panel has bots, some bots have several seats, and a bot's rating is the mean of its
seats'. Every deal and every random bot has a seed that follows from the game, the bots and the number of the block, so
the numbers are the same on every machine.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Final

import click

from fudaba.bots import built_in
from fudaba.local import LocalRunner
from fudaba.seatings import seatings
from fudaba.toml_reading import Mistakes, TableReader
from fudaba_arena.ladder.ratings import BlockResult, RatedMatch, Rating, fit
from fudaba_arena.tournament.games import TournamentGame, read_games
from fudaba_arena.tournament.panel import PANEL_ZERO_POINTS
from fudaba_games.registry import GAMES

__all__ = ["BOTS", "main", "measured"]

BOTS: Final = ("first", "random", "sensible")
_ZERO_BOT: Final = "sensible"
_FILE: Final = Path(__file__).parents[1] / "games" / "fudaba_games" / "panels.toml"
_BLOCKS: Final = {
    "houniek": 1_000,
    "makhop": 5_000,
    "makkaik": 600,
    "mokkaik": 1_000,
    "naga": 500,
    "namto": 700,
    "napoleon": 125,
    "nerts": 125,
    "niekhi": 480,
    "numbers_crush": 1_500,
    "tashot": 600,
}
"""The blocks of each pair of bots, or of each group where a game has more seats."""
_LEFT_OUT: Final = {"houniek": "first", "makhop": "first", "niekhi": "first", "numbers_crush": "first"}
"""The bot that is not on the panel: it loses nearly always, so that its distance from the others would take very many
blocks.
"""


@dataclass(frozen=True)
class Measured:
    """The strengths of a game's panel."""

    played: TournamentGame
    spread: float
    ratings: dict[str, tuple[float, float]]
    """The rating of each bot and half of its interval, by the name of the built-in bot."""
    matches: int
    seconds: float
    """The CPU that it took."""

    def table(self) -> str:
        """Returns the table of the data file."""
        game = self.played
        options = ", ".join(f"{key} = {_toml(value)}" for key, value in sorted(game.options.items()))
        lines = [
            f"[{game.game}]",
            f"rules_version = {game.rules_version}",
            f"seats = {game.seats}",
            f"options = {{ {options} }}",
            f"win_margin = {game.win_margin}",
            f"spread = {self.spread:.4f}",
            f"matches = {self.matches}",
            "",
            f"[{game.game}.bots]",
            *(f"{name} = {{ rating = {at:.1f}, half = {half:.1f} }}" for name, (at, half) in self.ratings.items()),
        ]
        return "\n".join(lines) + "\n"


def measured(game: str, blocks: int) -> Measured:
    """Plays the blocks of a game, and fits them."""
    before = time.process_time()
    played = by_default(game)
    bots = [bot for bot in BOTS if bot != _LEFT_OUT.get(game)]
    results = list(_played(played, bots, blocks))
    found = fit(results, win_margin=played.win_margin)
    by_bot = {bot: [rating for rating in found.ratings if _builtin(rating.bot) == bot] for bot in bots}
    zero = fmean(rating.rating for rating in by_bot[_ZERO_BOT])
    anchored = fit(results, win_margin=played.win_margin, anchor=by_bot[_ZERO_BOT][0].bot)
    matches = sum(len(result.matches) for result in results)
    ratings = {
        bot: (PANEL_ZERO_POINTS + fmean(rating.rating for rating in of_bot) - zero, _half(bot, anchored.ratings))
        for bot, of_bot in by_bot.items()
    }
    return Measured(played, found.spread, ratings, matches, time.process_time() - before)


def by_default(game: str) -> TournamentGame:
    """Returns a game as a ladder plays it whose file says nothing but its name."""
    (played,) = read_games(TableReader({"game": game}, (), Mistakes({}, "a ladder")))
    return played


def _played(played: TournamentGame, bots: Sequence[str], blocks: int) -> Iterator[BlockResult]:
    number = 0
    with LocalRunner(played.game, dict(played.options), contract=False) as runner:
        for group in _groups(bots, played.seats):
            for count in range(blocks):
                seed = sha256(f"fudaba-bench-panel {played.game} {' '.join(group)} {count}".encode()).digest()
                matches = []
                for place, seating in enumerate(seatings(group)):
                    chance = int.from_bytes(seed[:6]) + place
                    seated = [built_in(_builtin(name), chance + 7919 * group.index(name)) for name in seating]
                    scores = runner.play(seated, list(seating), "bench", seed).scores
                    matches.append(RatedMatch(f"{number}-{place}", 0, tuple(seating), tuple(scores)))
                yield BlockResult(number, tuple(matches))
                number += 1


def _groups(bots: Sequence[str], seats: int) -> list[tuple[str, ...]]:
    """Returns the groups that play: each pair of bots, or for more seats the fillings with each bot most often."""
    if seats == 2:
        return list(combinations(bots, 2))
    rounds = [[bots[(begin + seat) % len(bots)] for seat in range(seats)] for begin in range(len(bots))]
    return [tuple(f"{bot}.{seated[:seat].count(bot)}" for seat, bot in enumerate(seated)) for seated in rounds]


def _builtin(name: str) -> str:
    return name.partition(".")[0]


def _half(bot: str, ratings: tuple[Rating, ...]) -> float:
    """Returns half the interval of a bot's distance from the zero: the widest of its seats'."""
    return 0.0 if bot == _ZERO_BOT else max(rating.half for rating in ratings if _builtin(rating.bot) == bot)


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)


@click.command()
@click.argument("games", nargs=-1, type=click.Choice(sorted(GAMES)))
@click.option(
    "--part",
    type=click.FloatRange(min=0.01, max=100),
    default=1.0,
    show_default=True,
    help="Play this many times the usual number of blocks.",
)
@click.option("--write", is_flag=True, help="Write games/fudaba_games/panels.toml; needs all games.")
def main(games: tuple[str, ...], part: float, *, write: bool) -> None:
    """Measure how far the built-in bots are apart. Without GAMES: in all of them, which takes a quarter of an hour."""
    if write and games:
        raise click.UsageError("--write writes all panels; leave out the games")
    tables = []
    for game in games or sorted(GAMES):
        found = measured(game, max(10, round(part * _BLOCKS[game])))
        tables.append(found.table())
        print(f"{tables[-1]}# {found.seconds:.0f} s of CPU\n", flush=True)
    if write:
        head = "# How strong the built-in bots are, see docs/ratings.md. Written by `scripts/bench panel --write`.\n\n"
        _FILE.write_text(head + "\n".join(tables), "utf-8")


if __name__ == "__main__":
    main()
