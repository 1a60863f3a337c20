"""Measures the strength of the built-in bots against each other in every game: duplicate deals, in process.

A match has one deal, or with `--whole` as many as by the default options. The bot plays it once from every seat, with
the opponent in all other seats; the result is the mean of the bot's scores. This is not a timing: with budgets of tries
the numbers are the same on every machine.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from hashlib import sha256
from statistics import fmean

import click

from fudaba.bots import STRATEGIES, budget_mistake, built_in
from fudaba.intervals import estimate
from fudaba.local import LocalRunner
from fudaba_games.game import SEED_BYTES, OptionValue
from fudaba_games.registry import GAMES

PAIRS = (
    ("sensible", "random"),
    ("search-flat", "random"),
    ("search-tree", "random"),
    ("search-flat", "sensible"),
    ("search-tree", "sensible"),
)
"""The bot and the opponent. Searches get the requested budget."""
BOTS = tuple(dict.fromkeys(bot for bot, _ in PAIRS))


@dataclass(frozen=True)
class Strength:
    """A bot's score against an opponent, per deal or per match."""

    game: str
    seats: int
    bot: str
    opponent: str
    whole: bool
    deals: int
    """The number of deals, or of whole matches that were begun."""
    score: float
    margin: float | None
    """Half the width of the 95 % interval of the score; None if all deals went alike."""
    won: float
    """The share of matches in which nobody scored more than the bot."""


def play_deal(game: str, bot: str, opponent: str, seats: int, whole: bool, deal: int) -> list[tuple[int, bool]]:
    """Returns the bot's scores from every seat on one deal, or in a whole match, and whether nobody scored more."""
    seed = sha256(f"fudaba-bench-strength {game} {deal}".encode()).digest()
    names = [bot, *[opponent] * (seats - 1)]
    found = []
    with LocalRunner(game, {} if whole else one_deal(game, seats), contract=False) as runner:
        for number in range(seats):
            order = [(seat - number) % seats for seat in range(seats)]
            bots = [built_in(names[index], seats * deal + number + 7919 * index) for index in order]
            scores = runner.play(bots, [str(index) for index in order], "bench", seed).scores
            own = scores[order.index(0)]
            found.append((own, own == max(scores)))
    return found


def one_deal(game: str, seats: int) -> dict[str, OptionValue]:
    """Returns the default options, except for a match of one deal."""
    rules = GAMES[game]
    options = rules.resolve_options({})
    state, _ = rules.new_match(seats, options, bytes(SEED_BYTES))
    return rules.only_this_deal(rules.view(state, None), options)


def strengths(games: list[str], budget: str, deals: int, only: str | None, whole: bool) -> Iterator[Strength]:
    """Yields each pair in each game."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for game in games:
            seats = GAMES[game].min_seats
            for names in PAIRS:
                if only and names[0] != only:
                    continue
                if "sensible" in names and game not in STRATEGIES:
                    continue
                bot, opponent = (f"{name}:{budget}" if name.startswith("search") else name for name in names)
                scores, won = [], []
                arguments = [[argument] * deals for argument in (game, bot, opponent, seats, whole)]
                for results in pool.map(play_deal, *arguments, range(deals)):
                    scores.append(sum(own for own, _ in results) / seats)
                    won.append(sum(best for _, best in results) / seats)
                score = estimate(scores)
                assert score is not None
                yield Strength(game, seats, bot, opponent, whole, deals, score.value, score.half, fmean(won))


def _budget(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if mistake := budget_mistake(f"search-flat:{value}"):
        raise click.BadParameter(mistake)
    return value


@click.command()
@click.argument("games", nargs=-1, type=click.Choice(sorted(GAMES)))
@click.option(
    "--budget",
    default="200",
    show_default=True,
    callback=_budget,
    help="Budget of a search: tries, or seconds as 0.2s.",
)
@click.option(
    "--deals",
    type=click.IntRange(min=2),
    default=50,
    show_default=True,
    help="Deals; each is played from every seat.",
)
@click.option("--bot", type=click.Choice(BOTS), help="Measure only this bot.")
@click.option("--whole", is_flag=True, help="Play whole matches by the default options, not single deals.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(games: tuple[str, ...], budget: str, deals: int, bot: str | None, *, whole: bool, as_json: bool) -> None:
    """Let the built-in bots play each other. Without GAMES: all of them."""
    if not as_json:
        unit = "match" if whole else "deal"
        print(f"| game | seats | bot | against | {'matches' if whole else 'deals'} | score a {unit} | at the top |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
    for row in strengths(list(games) or list(GAMES), budget, deals, bot, whole):
        if as_json:
            print(json.dumps(asdict(row)))
        else:
            score = f"{row.score:+.2f}" if row.margin is None else f"{row.score:+.2f} ± {row.margin:.2f}"
            print(f"| {row.game} | {row.seats} | {row.bot} | {row.opponent} | {row.deals} | {score} | {row.won:.0%} |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
