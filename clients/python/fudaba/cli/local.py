"""`fudaba match local`."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from fudaba.cli.clock import parse_clock
from fudaba.cli.connection import game_options
from fudaba.cli.failures import Failure
from fudaba.cli.output import print_json, say, say_text, seconds, table
from fudaba.cli.progress import progress
from fudaba.safe_text import safe_output
from fudaba.seatings import MAX_SEATS, seating_count
from fudaba_games import registry
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fudaba.intervals import MeanEstimate
    from fudaba.local_play.contestants import Contestant
    from fudaba.local_play.plan import PlannedMatch
    from fudaba.local_play.results import PlayedMatch
    from fudaba_games.game import OptionValue
    from fudaba_games.registry import AnyGame

_CONNECT_TIMEOUT_MS: Final = 30_000
_DEFAULT_DEALS: Final = 10


@click.command()
@click.argument("game")
@click.option("--bot", "bots", multiple=True, required=True, metavar="BOT",
              help="A bot that plays; repeatable. Give a command ('./new', 'node dist/main.js'), a folder with a "
              "bot.toml, a built-in bot (random, first, sensible, search-flat, search-tree:500) or a Python class "
              "(file.py:Class). With fewer bots than seats, the last one takes all other seats.")  # fmt: skip
@click.option("--deals", type=click.IntRange(1, 100_000), metavar="N",
              help="The number of deals, each played once in every order of the bots.  [default: "
              f"{_DEFAULT_DEALS}]")  # fmt: skip
@click.option("--matches", type=click.IntRange(1, 1_000_000), metavar="N",
              help="Play this many matches instead of --deals; the last deal may stay unfinished.")  # fmt: skip
@click.option(
    "--seats",
    type=click.IntRange(2, MAX_SEATS),
    help="The number of seats.  [default: as many as bots, or the fewest]",
)
@click.option(
    "--seed", type=int, help="A seed that repeats the same deals; in process, it also repeats the same random moves."
)
@click.option("--option", "pairs", multiple=True, metavar="NAME=VALUE", help="An option of the game; repeatable.")
@click.option("--clock", "clock_text", metavar="NAME=VALUE,...",
              help="As for `fudaba match create`; `start` is how long bots may take to connect.  [default: "
              "move=10s,bank=60s,start=30s,timeouts=3,illegal=10]")  # fmt: skip
@click.option("--at-once", type=click.IntRange(1, 1000), metavar="N",
              help="The number of matches played at once.  [default: 1 for every two processors]")  # fmt: skip
@click.option("--records", "folder", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER",
              help="The folder for records and the output of bots.  [default: a new one in `local-matches`]"
              )  # fmt: skip
@click.option("--in-process", is_flag=True,
              help="Play Python classes and built-in bots in this process: far faster, but without a clock and "
              "without records.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def local(
    game: str,
    bots: tuple[str, ...],
    deals: int | None,
    matches: int | None,
    seats: int | None,
    seed: int | None,
    pairs: tuple[str, ...],
    clock_text: str | None,
    at_once: int | None,
    folder: Path | None,
    in_process: bool,
    as_json: bool,
) -> None:
    """Play bots of any language against each other on this machine: no token, no set-up.

    The command starts a service. Each match starts every bot's command afresh, with FUDABA_SERVER and FUDABA_TOKEN in
    its environment, as on a ladder. A command that ends before its match is over forfeits it. A Python
    class does so when it raises an exception.

    Every deal is played in all orders of the bots, so that the luck of deal and seat cancels out. A deal is one
    observation for the 95% intervals.

    The exit code is 1 if a bot erred: it did not connect, ended, let its time run out, had an answer refused, or its
    own code failed at a decision. Each such bot is named, with the last lines of its output.

    \b
    Examples:
      fudaba match local naga --bot ./new --bot ./old
      fudaba match local naga --bot 'node dist/main.js' --bot sensible --deals 50 --seed 1
      fudaba match local napoleon --bot mybot.py:MyBot --bot sensible --clock move=1s,bank=10s
      fudaba match local naga --bot mybot.py:MyBot --bot random --matches 1000 --in-process --json
    """
    from fudaba.local_play.plan import planned

    rules = registry.game(game)
    options = game_options(game, pairs)
    playing = _contestants(bots, _seat_count(rules, len(bots), seats))
    plan = planned(len(playing), _match_count(deals, matches, len(playing)), seed)
    if in_process:
        _check_in_process(playing, {"clock": clock_text, "at-once": at_once, "records": folder})
    began = time.monotonic()
    played, kept = (
        _in_process(game, options, playing, plan, seed)
        if in_process
        else _on_service(game, options, playing, plan, clock_text, folder, at_once)
    )
    report = _Told(game, rules.resolve_options(options), seed, playing, played, kept, time.monotonic() - began)
    report.show(as_json=as_json)
    report.fail(len(plan))


def _seat_count(rules: AnyGame, bots: int, seats: int | None) -> int:
    """Returns how many seats a match has: as many as --seats says, else as bots, but no fewer than the game wants."""
    count = seats or max(bots if bots > 1 else rules.min_seats, rules.min_seats)
    rules.check_seats(count)
    if bots > count:
        raise click.UsageError(f"--bot names {counted(bots, 'bot')} for {counted(count, 'seat')}")
    return count


def _match_count(deals: int | None, matches: int | None, seats: int) -> int:
    """Returns how many matches are played: each deal in every order of the bots, unless --matches says how many."""
    if deals and matches:
        raise click.UsageError("--deals and --matches are both given; give one")
    return matches or (deals or _DEFAULT_DEALS) * seating_count(seats)


def _contestants(bots: tuple[str, ...], seats: int) -> tuple[Contestant, ...]:
    """Returns who plays, as --bot names them; the last one has all seats that are left."""
    from fudaba.local_play.contestants import BadContestant, contestants

    try:
        return contestants(bots, seats)
    except BadContestant as error:
        raise click.UsageError(f"--bot: {error}") from None


def _check_in_process(playing: Sequence[Contestant], on_service: Mapping[str, object]) -> None:
    """Refuses commands, and options that are for play on a service, with --in-process."""
    from fudaba.local_play.contestants import ContestantKind

    for name, value in on_service.items():
        if value is not None:
            raise click.UsageError(f"--{name} is for play on a service; leave it out, or --in-process")
    for bot in playing:
        if bot.kind is ContestantKind.COMMAND:
            raise click.UsageError(f"--in-process: {bot.spec!r} is a command; it plays without --in-process")


def _in_process(
    game: str,
    options: dict[str, OptionValue],
    bots: Sequence[Contestant],
    plan: Sequence[PlannedMatch],
    seed: int | None,
) -> tuple[list[PlayedMatch], None]:
    from fudaba.cli.logs import log_to_standard_error
    from fudaba.local_play.in_process import play_in_process

    log_to_standard_error(quiet=True)
    played: list[PlayedMatch] = []
    with progress(len(plan), "matches") as step:

        def after(played_match: PlayedMatch) -> None:
            played.append(played_match)
            step()

        play_in_process(game, options, bots, plan, seed=seed, after_each=after)
    return played, None


def _on_service(
    game: str,
    options: dict[str, OptionValue],
    bots: tuple[Contestant, ...],
    plan: Sequence[PlannedMatch],
    clock_text: str | None,
    folder: Path | None,
    at_once: int | None,
) -> tuple[list[PlayedMatch], Path]:
    from fudaba.cli import main  # it imports this module
    from fudaba.local_play.embedded import embedded_service
    from fudaba.local_play.on_service import Setting, play_on_service

    clock = parse_clock(clock_text or "move=10s")
    clock.start_ms = clock.start_ms or _CONNECT_TIMEOUT_MS
    kept = _folder(folder, game)
    setting = Setting(game, options, clock, bots, kept, at_once or max(1, (os.cpu_count() or 1) // 2))
    played: list[PlayedMatch] = []

    async def play() -> None:
        this = asyncio.current_task()
        assert this is not None  # noqa: S101 - it runs in one
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
        with progress(len(plan), "matches") as step:

            def after(played_match: PlayedMatch) -> None:
                played.append(played_match)
                step()

            async with embedded_service([game], main) as endpoint:
                await play_on_service(setting, endpoint, plan, after)

    try:
        asyncio.run(play())
    except asyncio.CancelledError:  # told to stop: as by Ctrl-C, nothing that was started stays
        raise KeyboardInterrupt from None
    return sorted(played, key=lambda finished_match: finished_match.match.match_id), kept


def _folder(given: Path | None, game: str) -> Path:
    """Returns the folder for records, made if it is not there. One that was given must have no records yet."""
    if given is not None:
        given.mkdir(mode=0o755, parents=True, exist_ok=True)
        if next(given.glob("*.fudaba"), None) is not None:
            raise Failure(f"{given} has records already; name another folder with --records")
        return given
    home = Path("local-matches")
    home.mkdir(exist_ok=True)
    name, number = f"{game}-{datetime.now():%Y%m%d-%H%M%S}", 1
    while True:
        made = home / (name if number == 1 else f"{name}-{number}")
        try:
            made.mkdir()
        except FileExistsError:
            number += 1
        else:
            return made


class _Told:
    """Writes the results of the matches."""

    def __init__(
        self,
        game: str,
        options: dict[str, OptionValue],
        seed: int | None,
        bots: Sequence[Contestant],
        played: Sequence[PlayedMatch],
        kept: Path | None,
        took: float,
    ) -> None:
        from fudaba.local_play import results

        self._game = game
        self._options = options
        self._seed = seed
        self._bots = bots
        self._played = played
        self._kept = kept
        self._took = took
        self._finished = [played_match for played_match in played if played_match.scores is not None]
        self._standings = results.standings(played, len(bots))
        self._seats = results.seat_points(played, len(bots))
        self._faults = results.faulty(played, len(bots))

    def show(self, *, as_json: bool) -> None:
        """Prints the results as JSON, or for people."""
        if as_json:
            print_json(self.as_dict())
        else:
            self.print()

    def print(self) -> None:
        """Prints a summary for people, and what went wrong to standard error."""
        options = ", ".join(f"{name}={str(value).lower()}" for name, value in self._options.items())
        seed = "no seed" if self._seed is None else f"seed {self._seed}"
        head = f"{self._game}: {counted(len(self._finished), 'match', 'matches')}, {seed}"
        say(f"{head}{'; ' + options if options else ''}")
        if self._finished:
            self._print_standings()
        for bot, _, where in self._faults:
            self._print_fault(self._bots[bot], where)

    def _print_standings(self) -> None:
        lengths = [played_match.moves for played_match in self._finished]
        moves = sum(lengths)
        say(
            f"{moves} moves in {self._took:.1f} s: {moves / self._took:,.0f} moves/s; moves a match: "
            f"{moves / len(lengths):.1f} ({min(lengths)} to {max(lengths)})"
        )
        rows = [
            [
                bot.label,
                *_points(standing.points),
                str(standing.won),
                str(standing.drawn),
                str(standing.lost),
                seconds(standing.slowest_ms),
            ]
            for bot, standing in zip(self._bots, self._standings, strict=True)
        ]
        head_row = ("bot", "points a match", "± 95%", "won", "drawn", "lost", "slowest decision")
        say_text(table(head_row, rows, "lrrrrrr"))
        rows = [[str(seat), *_points(points)] for seat, points in enumerate(self._seats)]
        say_text(table(("seat", "points a match", "± 95%"), rows, "lrr"))
        if self._kept is not None:
            first = self._kept / f"{self._finished[0].match.match_id}.fudaba"
            say(f"records are in {self._kept}; fudaba record show {first} shows one")

    def _print_fault(self, bot: Contestant, where: Sequence[tuple[Any, Any]]) -> None:
        played, fault = where[0]
        seat = played.match.order.index(self._bots.index(bot))
        times = sum(fault_found.count for _, fault_found in where)
        often = "" if times == 1 else f" ({counted(times, 'time')} in {counted(len(where), 'match', 'matches')})"
        say(f"{bot.label}: {played.match.match_id}, seat {seat}: {fault.text}{often}", err=True)
        seated = played.seats[seat]
        if fault.words:
            when = "what it printed then" if fault.when_ms else "its last lines"
            say(f"  {when} (more in {seated.log}):", *(f"    {safe_output(line)}" for line in fault.words), err=True)

    def fail(self, wanted: int) -> None:
        """Raises `Failure` if a bot erred."""
        if not self._faults:
            return
        names = ", ".join(dict.fromkeys(self._bots[bot].label for bot, _, _ in self._faults))
        some = f"; {len(self._finished)} of {wanted} matches were played" if len(self._finished) < wanted else ""
        raise Failure(f"not all went well with {names}{some}")

    def as_dict(self) -> dict[str, Any]:
        """Writes the same for programs."""
        moves = sum(finished_match.moves for finished_match in self._finished)
        return {
            "game": self._game,
            "matches": len(self._finished),
            "seed": self._seed,
            "options": self._options,
            "moves": moves,
            "seconds": self._took,
            "records": str(self._kept) if self._kept is not None else None,
            "bots": [
                {
                    "bot": bot.label,
                    "points": _estimate(standing.points),
                    "won": standing.won,
                    "drawn": standing.drawn,
                    "lost": standing.lost,
                    "slowest_ms": round(standing.slowest_ms, 3),
                }
                for bot, standing in zip(self._bots, self._standings, strict=True)
            ],
            "seats": [{"seat": seat, "points": _estimate(points)} for seat, points in enumerate(self._seats)],
            "results": [
                {
                    "match": played_match.match.match_id,
                    "bots": [self._bots[number].label for number in played_match.match.order],
                    "scores": list(played_match.scores) if played_match.scores is not None else None,
                    "moves": played_match.moves,
                }
                for played_match in self._played
            ],
            "faults": [self._fault(bot, kind, *each) for bot, kind, where in self._faults for each in where],
        }

    def _fault(self, bot: int, kind: str, played: Any, fault: Any) -> dict[str, Any]:
        seat = played.match.order.index(bot)
        seated = played.seats[seat]
        return {
            "bot": self._bots[bot].label,
            "match": played.match.match_id,
            "seat": seat,
            "kind": kind,
            "count": fault.count,
            "text": fault.text,
            "last_lines": list(fault.words),
            "log": seated.log or None,
        }


def _points(points: MeanEstimate | None) -> tuple[str, str]:
    if points is None:
        return "", ""
    return f"{_mean(points, 3):+.3f}", f"{points.half:.3f}" if points.half is not None else ""


def _mean(points: MeanEstimate, digits: int) -> float:
    """Returns the mean without the dust of sums that should be zero, and without a minus before a zero."""
    return round(points.value, digits) + 0.0


def _estimate(points: MeanEstimate | None) -> dict[str, float | None] | None:
    return {"mean": _mean(points, 9), "margin_95": points.half} if points is not None else None
