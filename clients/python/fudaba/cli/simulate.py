"""`fudaba simulate`."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from fudaba.cli.connection import game_options
from fudaba.cli.output import print_json, say, say_text, table
from fudaba.cli.progress import progress
from fudaba_games import registry
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba.simulation import Sample, Simulation


@click.command()
@click.argument("game")
@click.option("--matches", type=click.IntRange(min=1), default=100, show_default=True, help="How many matches.")
@click.option("--seed", type=int, help="Repeat the same deals and the same random moves.")
@click.option("--bots", default="random", show_default=True, metavar="BOT,...",
              help="The bots by seat; one name means that bot in every seat. "
              "Names as for `fudaba bot run`.")  # fmt: skip
@click.option("--seats", type=click.IntRange(2, 10), help="How many seats.  [default: as many as bots, or the fewest]")
@click.option("--option", "pairs", multiple=True, metavar="NAME=VALUE", help="An option of the game; repeatable.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def simulate(
    game: str,
    matches: int,
    seed: int | None,
    bots: str,
    seats: int | None,
    pairs: tuple[str, ...],
    as_json: bool,
) -> None:
    """Play matches of GAME in process and summarise: moves per second, lengths, scores, seat advantage.

    From match to match every bot moves on by one seat. Intervals are 95%.

    \b
    Examples:
      fudaba simulate naga --matches 1000 --seed 1
      fudaba simulate naga --bots sensible,random --option deals=3 --json
    """
    from fudaba._loading import load_bot
    from fudaba.bots import is_built_in
    from fudaba.simulation import simulate as run

    rules = registry.game(game)
    options = game_options(game, pairs)
    names = bots.split(",")
    count = seats or (len(names) if len(names) > 1 else rules.min_seats)
    rules.check_seats(count)
    if len(names) == 1:
        names *= count
    if len(names) != count:
        raise click.UsageError(f"--bots names {counted(len(names), 'bot')} for {counted(count, 'seat')}")
    factories = {name: load_bot(name, seed) for name in dict.fromkeys(names)}
    with progress(matches, "matches") as step:
        result = run(
            game,
            list(zip(_labels(names), (factories[name] for name in names), strict=True)),
            matches,
            seed=seed,
            options=options,
            contract=any(not is_built_in(name) for name in names),  # somebody's own bot may answer anything
            after_each=step,
        )
    if as_json:
        print_json(_as_dict(result))
    else:
        _print(result)


def _labels(names: list[str]) -> list[str]:
    """The names, numbered where one is there several times."""
    seen: Counter[str] = Counter()
    labels = []
    for name in names:
        seen[name] += 1
        labels.append(f"{name} ({seen[name]})" if names.count(name) > 1 else name)
    return labels


def _print(run: Simulation) -> None:
    options = ", ".join(f"{name}={str(value).lower()}" for name, value in run.options.items())
    seed = "no seed" if run.seed is None else f"seed {run.seed}"
    say(f"{run.game}: {counted(run.matches, 'match', 'matches')}, {seed}{'; ' + options if options else ''}")
    say(
        f"{run.moves} moves in {run.seconds:.2f} s: {run.moves / run.seconds:,.0f} moves/s; moves a match: "
        f"{run.length.mean:.1f} ({run.length.low:.0f} to {run.length.high:.0f})"
    )
    rows = [
        [name, f"{_mean(score, 3):+.3f}", _margin(score), str(won), str(drawn), str(run.matches - won - drawn)]
        for name, score, won, drawn in zip(run.bots, run.by_bot, run.won, run.drawn, strict=True)
    ]
    say_text(table(("bot", "score a match", "95%", "won", "drawn", "lost"), rows, "lrlrrr"))
    rows = [[str(seat), f"{_mean(score, 3):+.3f}", _margin(score)] for seat, score in enumerate(run.by_seat)]
    say_text(table(("seat", "score a match", "95%"), rows, "lrl"))


def _mean(score: Sample, digits: int) -> float:
    """The mean without the dust of sums that should be zero, and without a minus before a zero."""
    return round(score.mean, digits) + 0.0


def _margin(score: Sample) -> str:
    return f"± {score.margin:.3f}" if math.isfinite(score.margin) else ""


def _sample(score: Sample) -> dict[str, Any]:
    return {"mean": _mean(score, 9), "margin_95": score.margin if math.isfinite(score.margin) else None}


def _as_dict(run: Simulation) -> dict[str, Any]:
    return {
        "game": run.game,
        "matches": run.matches,
        "seed": run.seed,
        "options": dict(run.options),
        "moves": run.moves,
        "seconds": run.seconds,
        "moves_per_second": run.moves / run.seconds,
        "moves_per_match": {"mean": run.length.mean, "min": run.length.low, "max": run.length.high},
        "bots": [
            {"bot": name, "score": _sample(score), "won": won, "drawn": drawn, "lost": run.matches - won - drawn}
            for name, score, won, drawn in zip(run.bots, run.by_bot, run.won, run.drawn, strict=True)
        ],
        "seats": [{"seat": seat, "score": _sample(score)} for seat, score in enumerate(run.by_seat)],
    }
