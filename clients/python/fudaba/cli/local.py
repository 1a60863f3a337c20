"""`fudaba match local`."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from fudaba.cli._local_report import LocalReport
from fudaba.cli.clock import parse_clock
from fudaba.cli.connection import game_options
from fudaba.cli.failures import Failure
from fudaba.cli.progress import progress
from fudaba.seatings import MAX_SEATS, seating_count
from fudaba_games import registry
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from fudaba.local_play.contestants import Contestant
    from fudaba.local_play.plan import PlannedMatch
    from fudaba.local_play.results import PlayedMatch
    from fudaba.local_play.sequential_deals import SequentialDeals
    from fudaba_games.game import OptionValue
    from fudaba_games.registry import AnyGame

    _Play = Callable[[Iterable[PlannedMatch], Callable[[PlayedMatch], None]], Path | None]
    """Plays matches, and calls a function after each. Returns the folder of their records, if it has one."""

_CONNECT_TIMEOUT_MS: Final = 30_000
_DEFAULT_DEALS: Final = 10
_DEFAULT_TEST_DEALS: Final = 2_000
"""The deals after which a sequential test of a game of two seats ends; with more seats as many matches."""


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
@click.option("--sprt", is_flag=True,
              help="Test whether the first of two bots is better than the second, and stop as soon as the results "
              "decide. --deals is then the most.  [default: as many as have "
              f"{2 * _DEFAULT_TEST_DEALS:,} matches]")  # fmt: skip
@click.option("--bounds", metavar="LOW,HIGH",
              help="The bounds of --sprt, in normalised Elo.  [default: 0,30]")  # fmt: skip
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
    sprt: bool,
    bounds: str | None,
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

    With --sprt, a sequential test looks after every deal and stops when it can say whether the first bot is better than
    the second. docs/ratings.md says what its verdict promises.

    The exit code is 1 if a bot erred: it did not connect, ended, let its time run out, had an answer refused, or its
    own code failed at a decision. Each such bot is named, with the last lines of its output.

    \b
    Examples:
      fudaba match local naga --bot ./new --bot ./old
      fudaba match local naga --bot ./new --bot ./old --sprt --bounds 0,30
      fudaba match local naga --bot 'node dist/main.js' --bot sensible --deals 50 --seed 1
      fudaba match local napoleon --bot mybot.py:MyBot --bot sensible --clock move=1s,bank=10s
      fudaba match local naga --bot mybot.py:MyBot --bot random --matches 1000 --in-process --json
    """
    from fudaba.local_play.plan import planned

    rules = registry.game(game)
    options = game_options(game, pairs)
    playing = _contestants(bots, _seat_count(rules, len(bots), seats))
    test = _test(bots, matches, len(playing), bounds, sprt=sprt)
    if test is not None:
        deals = deals or 2 * _DEFAULT_TEST_DEALS // test.run.matches_per_block
    plan = planned(len(playing), _match_count(deals, matches, len(playing)), seed)
    if in_process:
        _check_in_process(playing, {"clock": clock_text, "at-once": at_once, "records": folder})
        play: _Play = partial(_in_process, game, options, playing, seed)
    else:
        play = partial(_on_service, game, options, playing, clock_text, folder, at_once)
    began = time.monotonic()
    played, kept = _played(plan, test, play)
    report = LocalReport(
        game, rules.resolve_options(options), seed, playing, played, kept, time.monotonic() - began, test
    )
    report.show(as_json=as_json)
    report.fail(len(played) if test is not None and test.decided else len(plan))


def _seat_count(rules: AnyGame, bots: int, seats: int | None) -> int:
    """Returns the number of seats: the value of --seats, or the number of bots, but at least the game's minimum."""
    count = seats or max(bots if bots > 1 else rules.min_seats, rules.min_seats)
    rules.check_seats(count)
    if bots > count:
        raise click.UsageError(f"--bot names {counted(bots, 'bot')} for {counted(count, 'seat')}")
    return count


def _played(
    plan: Sequence[PlannedMatch], test: SequentialDeals | None, play: _Play
) -> tuple[list[PlayedMatch], Path | None]:
    """Plays the matches of a plan, or as many as a test needs. Returns their results, and the folder of their records,
    if there is one.
    """
    played: list[PlayedMatch] = []
    with progress(len(plan), "matches") as step:

        def after(played_match: PlayedMatch) -> None:
            played.append(played_match)
            if test is not None:
                test.note(played_match)
            step()

        kept = play(plan if test is None else test.until_decided(plan), after)
    if kept is not None:
        played.sort(key=lambda finished_match: finished_match.match.match_id)
    return played, kept


def _test(
    bots: Sequence[str], matches: int | None, seats: int, bounds: str | None, *, sprt: bool
) -> SequentialDeals | None:
    """Returns the sequential test that --sprt asks for; None without --sprt."""
    if not sprt:
        if bounds is not None:
            raise click.UsageError("--bounds belong to --sprt; give that as well")
        return None
    from fudaba.local_play.sequential_deals import SequentialDeals
    from fudaba.sequential import BadBounds, SequentialTest

    if len(bots) != 2:
        raise click.UsageError(f"--sprt compares two bots, and --bot names {counted(len(bots), 'bot')}; name two")
    if matches:
        raise click.UsageError("--sprt takes whole deals; give --deals instead of --matches")
    try:
        return SequentialDeals(SequentialTest.parse(bounds) if bounds is not None else SequentialTest(), seats)
    except BadBounds as error:
        raise click.UsageError(f"--bounds: {error}") from None


def _match_count(deals: int | None, matches: int | None, seats: int) -> int:
    """Returns the number of matches: the value of --matches, or each deal in every order of the bots."""
    if deals and matches:
        raise click.UsageError("--deals and --matches are both given; give one")
    return matches or (deals or _DEFAULT_DEALS) * seating_count(seats)


def _contestants(bots: tuple[str, ...], seats: int) -> tuple[Contestant, ...]:
    """Returns the contestants of --bot. The last one gets all remaining seats."""
    from fudaba.local_play.contestants import BadContestant, contestants

    try:
        return contestants(bots, seats)
    except BadContestant as error:
        raise click.UsageError(f"--bot: {error}") from None


def _check_in_process(playing: Sequence[Contestant], on_service: Mapping[str, object]) -> None:
    """Refuses commands, and options of play on a service, with --in-process."""
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
    seed: int | None,
    plan: Iterable[PlannedMatch],
    after: Callable[[PlayedMatch], None],
) -> None:
    """Plays in this process."""
    from fudaba.cli.logs import log_to_standard_error
    from fudaba.local_play.in_process import play_in_process

    log_to_standard_error(quiet=True)
    play_in_process(game, options, bots, plan, seed=seed, after_each=after)


def _on_service(
    game: str,
    options: dict[str, OptionValue],
    bots: tuple[Contestant, ...],
    clock_text: str | None,
    folder: Path | None,
    at_once: int | None,
    plan: Iterable[PlannedMatch],
    after: Callable[[PlayedMatch], None],
) -> Path:
    """Plays on a service that it starts. Returns the folder of the records."""
    from fudaba.cli import main  # it imports this module
    from fudaba.local_play.embedded import embedded_service
    from fudaba.local_play.on_service import Setting, play_on_service

    clock = parse_clock(clock_text or "move=10s")
    clock.start_ms = clock.start_ms or _CONNECT_TIMEOUT_MS
    kept = _folder(folder, game)
    setting = Setting(game, options, clock, bots, kept, at_once or max(1, (os.cpu_count() or 1) // 2))

    async def play() -> None:
        this = asyncio.current_task()
        assert this is not None  # noqa: S101 - it runs in one
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
        async with embedded_service([game], main) as endpoint:
            await play_on_service(setting, endpoint, plan, after)

    try:
        asyncio.run(play())
    except asyncio.CancelledError:  # told to stop: as by Ctrl-C, nothing that was started stays
        raise KeyboardInterrupt from None
    return kept


def _folder(given: Path | None, game: str) -> Path:
    """Returns the folder for records, and creates it if necessary. A given folder must not contain records yet."""
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
