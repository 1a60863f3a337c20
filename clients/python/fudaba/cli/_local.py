"""`fudaba bot run --local`: a bot against others in process."""

from __future__ import annotations

import click

from fudaba._loading import load_bot
from fudaba.answers import OnError
from fudaba.cli.connection import game_options
from fudaba.cli.failures import Failure
from fudaba.cli.output import print_json, say, seconds
from fudaba.cli.progress import progress
from fudaba.local import LocalResult, LocalRunner
from fudaba.simulation import match_seed, rotated
from fudaba_games.game import OptionValue
from fudaba_games.registry import GAMES, game
from fudaba_games.wording import counted


def run_local(
    spec: str,
    against: list[str],
    game_id: str | None,
    options: dict[str, OptionValue] | tuple[str, ...],
    seats: int | None,
    matches: int,
    seed: int | None,
    on_error: str,
    quiet: bool,
    as_json: bool,
) -> None:
    """Plays `matches`, the bot sitting in each seat in turn, and prints how it did. Exit code 1 if it erred."""
    chosen = the_game(game_id)
    given = options if isinstance(options, dict) else game_options(chosen, options)
    count = seats or max(game(chosen).min_seats, 1 + len(against))
    if len(against) > count - 1:
        raise click.UsageError(f"--against names {counted(len(against), 'bot')} for {counted(count - 1, 'other seat')}")
    specs = [spec, *against, *[against[-1]] * (count - 1 - len(against))]
    factories = [load_bot(one, seed) for one in specs]
    results = []
    with LocalRunner(chosen, given, on_error=OnError(on_error)) as runner, progress(matches, "matches") as step:
        for number in range(matches):
            order = rotated(count, number)
            result = runner.play(
                [factories[which] for which in order],
                [specs[which] for which in order],
                f"local-{number}",
                match_seed(seed, number),
            )
            results.append((order.index(0), result))
            if not (as_json or quiet) and matches <= 20:
                say(_line(order.index(0), result))
            step()
    _summary(chosen, specs, results, as_json)


def the_game(game_id: str | None) -> str:
    """The id of the game that was named. Raises a usage error when none was."""
    if game_id is not None:
        return game(game_id).id
    raise click.UsageError(f"say which game with --game: {', '.join(GAMES)}")


def _line(seat: int, result: LocalResult) -> str:
    scores = ", ".join(f"{report.bot} {score:+d}" for report, score in zip(result.seats, result.scores, strict=True))
    forfeited = result.result.forfeited_seat
    why = f" (seat {forfeited} forfeited: {result.result.forfeit_cause})" if forfeited is not None else ""
    return f"{result.match_id}: seat {seat}: {scores}{why}"


def _summary(game_id: str, specs: list[str], results: list[tuple[int, LocalResult]], as_json: bool) -> None:
    own = [result.scores[seat] for seat, result in results]
    placements = [(seat, result.result.placements or ()) for seat, result in results]
    best = [places.count(1) for seat, places in placements if places and places[seat] == 1]
    won, drawn = best.count(1), len(best) - best.count(1)
    lost = len(results) - won - drawn
    reports = [result.seats[seat] for seat, result in results]
    refused, errors = sum(one.refused for one in reports), sum(one.errors for one in reports)
    slowest = max(one.slowest_ms for one in reports)
    if as_json:
        print_json(
            {
                "game": game_id,
                "bot": specs[0],
                "against": specs[1:],
                "matches": len(results),
                "won": won,
                "drawn": drawn,
                "lost": lost,
                "score": sum(own),
                "refused": refused,
                "errors": errors,
                "slowest_ms": round(slowest, 3),
                "scores": [list(result.scores) for _, result in results],
                "seats": [seat for seat, _ in results],
            }
        )
    else:
        say(
            f"{specs[0]} against {', '.join(specs[1:])}: {counted(len(results), 'match', 'matches')} of {game_id}, "
            f"{won} won, {drawn} drawn, {lost} lost, score {sum(own):+d}; slowest decision {seconds(slowest)}"
        )
    if refused or errors:
        told = counted(refused, "answer was", "answers were"), counted(errors, "exception was", "exceptions were")
        raise Failure(f"{told[0]} refused, {told[1]} raised")
