"""`fudaba arena`."""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import Callable, Coroutine
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from fudaba.cli.connection import Connection, arena_or_folder_options, connection_options, on_command_line
from fudaba.cli.failures import Failure, failed
from fudaba.cli.moments import MOMENT
from fudaba.cli.output import say, say_text
from fudaba.errors import FudabaError
from fudaba_arena.commands.runtimes import runtimes
from fudaba_arena.commands.serving import serve
from fudaba_arena.commands.working import worker
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba_arena.commands.reading import Reading

__all__ = ["arena"]

_CODES: Final = (
    "Exit codes: 0 done and complete; 1 failed, stopped, or not complete; "
    "2 wrong usage, or mistakes in the tournament file."
)


def _data_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that name the arena's store."""
    data = click.option(
        "--data",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("fudaba-arena"),
        show_default=True,
        envvar="FUDABA_ARENA_DATA",
        show_envvar=True,
        help="The arena's folder: its store and the bots' logs.",
    )
    redis = click.option(
        "--redis",
        envvar="FUDABA_ARENA_REDIS",
        show_envvar=True,
        metavar="URL",
        help="A Redis 7 or Valkey server for the results. Without it the arena runs one of its own.",
    )
    return data(redis(function))


def _told(function: Callable[..., Any]) -> Callable[..., Any]:
    """Tells expected errors in one line, and the mistakes of a file in a line each."""

    @functools.wraps(function)
    def telling(*args: Any, **kwargs: Any) -> Any:
        from fudaba_arena.errors import ArenaError
        from fudaba_arena.play.registration import NotRegistered
        from fudaba_arena.store.results import StoreUnavailable
        from fudaba_arena.tournament.file import BadTournament

        try:
            return function(*args, **kwargs)
        except BadTournament as error:
            say_text(str(error), err=True)
            sys.exit(2)
        except (ArenaError, NotRegistered, StoreUnavailable) as error:
            raise Failure(str(error)) from error
        except FudabaError as error:
            raise failed(error) from error
        except BaseExceptionGroup as group:
            expected = _first(group)
            if expected is None:
                raise
            raise expected from group

    return telling


def _first(group: BaseExceptionGroup[BaseException]) -> Failure | None:
    """The expected error in a group; None when there is another one among them."""
    from fudaba_arena.errors import ArenaError
    from fudaba_arena.store.results import StoreUnavailable

    expected, rest = group.split((ArenaError, StoreUnavailable, FudabaError))
    if rest is not None or expected is None:
        return None
    error: BaseException = expected
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return failed(error) if isinstance(error, FudabaError) else Failure(str(error))


def _run(work: Coroutine[Any, Any, int]) -> None:
    sys.exit(asyncio.run(work))


@click.group(epilog=_CODES)
def arena() -> None:
    """Play tournaments between bots, and show their standings.

    \b
    Examples:
      fudaba arena check spring.toml
      fudaba arena run spring.toml
      fudaba arena standings --json
    """


arena.add_command(runtimes)
arena.add_command(serve)
arena.add_command(worker)


@arena.command(epilog=_CODES, short_help="Check a tournament file.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--dry-run", is_flag=True, help="Say also how long it takes, and who meets whom.")
@click.option("--json", "as_json", is_flag=True, help="Print what --dry-run says as JSON.")
@_told
def check(file: Path, dry_run: bool, as_json: bool) -> None:
    """Check a tournament FILE, and say what would be played. Nothing is started.

    \b
    Examples:
      fudaba arena check spring.toml
      fudaba arena check spring.toml --dry-run
    """
    from fudaba.cli.output import as_dict, print_json
    from fudaba.cli.plan import plan_text
    from fudaba_arena.front.messages import plan
    from fudaba_arena.schedule.forecast import forecast
    from fudaba_arena.schedule.planning import source_schedule
    from fudaba_arena.schedule.wording import planned
    from fudaba_arena.tournament.file import read_source

    source = read_source(file)
    tournament = source.read()
    schedule = source_schedule(tournament, source)
    if as_json:
        print_json(as_dict(plan(forecast(tournament, schedule))))
        return
    say(f"{file} is right: {counted(len(tournament.bots), 'bot')}, {planned(schedule)}")
    if dry_run:
        say_text(plan_text(plan(forecast(tournament, schedule))))


@arena.command(epilog=_CODES, short_help="Play a tournament, or resume it.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@connection_options
@_data_options
@click.option("--metrics", envvar="FUDABA_ARENA_METRICS", show_envvar=True, metavar="HOST:PORT",
              help="Serve Prometheus metrics there, at /metrics; takes precedence over the file's.")  # fmt: skip
@click.option("--retry-parked", is_flag=True,
              help="Give parked blocks further attempts, and let withdrawn bots play again.")  # fmt: skip
@click.option("--close", "close_after", is_flag=True,
              help="End the tournament after this run even if blocks are parked, and open its master.")  # fmt: skip
@click.option("--grace", type=click.FloatRange(0, 3600), default=10.0, show_default=True, metavar="SECONDS",
              help="When stopped: how long matches in play may take to end.")  # fmt: skip
@click.option("--service-id", default="", metavar="ID",
              help="Where the service has lost what it stored: the id of the new one, on which everything in this "
              "data folder is played from now on.")  # fmt: skip
@_told
def run(
    file: Path,
    connection: Connection,
    data: Path,
    redis: str | None,
    metrics: str | None,
    retry_parked: bool,
    close_after: bool,
    grace: float,
    service_id: str,
) -> None:
    """Play the tournament of FILE to its end, or resume it where the last run stopped.

    Needs the organiser's token. Stop it with Ctrl-C (twice: at once); the same command continues. Progress goes to
    standard error, the ladder to standard output.

    \b
    Example:
      FUDABA_TOKEN=... fudaba arena run spring.toml --server 127.0.0.1:7710
    """
    from fudaba import open_files
    from fudaba_arena.commands.run import RunOptions, play_tournament

    open_files.raise_limit()
    options = RunOptions(
        file=file,
        data=data,
        redis=redis,
        metrics=metrics,
        retry_parked=retry_parked,
        close=close_after,
        grace=grace,
        service_id=service_id,
    )
    _run(play_tournament(connection, options))


def _reading(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds what names a tournament and where it is read; the command gets it as one argument `reading`."""

    @_which
    @_data_options
    @arena_or_folder_options
    @functools.wraps(function)
    def reading(
        *args: Any,
        file: Path | None,
        name: str | None,
        data: Path,
        redis: str | None,
        connection: Connection | None,
        **rest: Any,
    ) -> Any:
        from fudaba_arena.commands.reading import Reading

        if connection is not None and (given := on_command_line("data", "redis")):
            raise click.UsageError(f"--arena and --{given[0]} are both given; read from one of them")
        return function(*args, reading=Reading(connection, data, redis, file, name), **rest)

    return reading


def _which(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds what names a stored tournament; the command gets it as `file` and `name`."""
    file = click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False, exists=True))
    name = click.option("--tournament", "name", help="Its name, when the folder has several and no FILE is given.")
    return file(name(function))


@arena.command(epilog=_CODES, short_help="Show a tournament's standings.")
@_reading
@click.option("--game", metavar="GAME", help="Show one table only: a game's, or `overall`.")
@click.option("--json", "form", flag_value="json", help="Print JSON.")
@click.option("--csv", "form", flag_value="csv", help="Print CSV.")
@_told
def standings(reading: Reading, game: str | None, form: str | None) -> None:
    """Show the standings of the tournament of FILE, or of the only one in the folder or arena; also while it is played.

    A tournament of several games has overall standings, and a table for each game.

    \b
    Examples:
      fudaba arena standings
      fudaba arena standings spring.toml --game napoleon
      fudaba arena standings --arena 127.0.0.1:7711 --tournament spring
    """
    from fudaba_arena.commands.reports import show_standings

    _run(show_standings(reading, game or "", form or "table"))


@arena.command(epilog=_CODES, short_help="List a tournament's matches, or its void blocks.")
@_reading
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--void", is_flag=True, help="List the void blocks instead, and why they are void.")
@_told
def matches(reading: Reading, as_json: bool, void: bool) -> None:
    """List the matches of a tournament that have a result, in the order of the schedule.

    An arena shows the results of a block still in play to the organiser only.

    \b
    Examples:
      fudaba arena matches
      fudaba arena matches spring.toml --void
    """
    from fudaba_arena.commands.reports import show_matches, show_voids

    _run((show_voids if void else show_matches)(reading, as_json=as_json))


@arena.command(epilog=_CODES, short_help="List a tournament's blocks.")
@_reading
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@_told
def blocks(reading: Reading, as_json: bool) -> None:
    """List the blocks of a tournament that have begun or are parked, by number.

    \b
    Examples:
      fudaba arena blocks
      fudaba arena blocks --arena 127.0.0.1:7711 --tournament spring
    """
    from fudaba_arena.commands.reports import show_blocks

    _run(show_blocks(reading, as_json=as_json))


@arena.command(epilog=_CODES, short_help="Annul blocks that were played.")
@_reading
@click.option("--block", "blocks", type=click.IntRange(0), multiple=True, metavar="NUMBER",
              help="This block; repeatable.")  # fmt: skip
@click.option(
    "--bot", default="", metavar="NAME", help="The blocks in which this bot's version played; in a season BOT@VERSION."
)
@click.option("--worker", default="", metavar="NAME",
              help="The blocks of which this worker played a match; or any worker of this machine.")  # fmt: skip
@click.option("--since", type=MOMENT, metavar="DATE", help="The blocks that ended then (UTC) or later: 2026-05-01, "
              "2026-05-01T12:30:00, or with a zone.")  # fmt: skip
@click.option("--until", type=MOMENT, metavar="DATE", help="The blocks that ended before then (UTC).")
@click.option("--reason", required=True, metavar="TEXT", help="Why; everybody can see it.")
@_told
def annul(
    reading: Reading,
    blocks: tuple[int, ...],
    bot: str,
    worker: str,
    since: datetime | None,
    until: datetime | None,
    reason: str,
) -> None:
    """Annul the blocks that count and fit every option given. They are not played again, and cannot be restored.

    They stay listed, with the reason; ratings and standings leave them out. A standing arena does so at once, be it
    told by --arena, which needs the organiser's token, or in its folder. A run in progress does so once it is started
    again.

    \b
    Examples:
      fudaba arena annul --block 12 --reason "the network failed"
      fudaba arena annul spring.toml --bot far-away --until 2026-05-01 --reason "it ran another version"
      fudaba arena annul --tournament open.1 --worker far --since 2026-05-01 --reason "its clock was wrong"
      fudaba arena annul --arena 127.0.0.1:7711 --tournament spring --block 12 --reason "the network failed"
    """
    from fudaba_arena.commands.annul import annul_anywhere
    from fudaba_arena.store.annulling import Which

    which = Which(blocks, bot, since, until, worker)
    _run(annul_anywhere(reading, which, reason))


@arena.command(epilog="Exit codes: 0 done; 1 failed; 2 wrong usage.", short_help="Show what organisers did.")
@_data_options
@arena_or_folder_options
@click.option("--after", type=click.IntRange(0), default=0, metavar="NUMBER", help="Only the actions after this one.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@_told
def actions(data: Path, redis: str | None, connection: Connection | None, after: int, as_json: bool) -> None:
    """Show what organisers changed in a standing arena, oldest first: who created, steered, annulled and entered what.

    An arena shows this to the organiser only. `fudaba account actions` shows what organisers changed in the service.

    \b
    Examples:
      fudaba arena actions --arena 127.0.0.1:7711
      fudaba arena actions --data ~/fudaba/arena --after 120 --json
    """
    from fudaba_arena.commands.actions import show_actions

    _run(show_actions(connection, data, redis, after, as_json=as_json))


@arena.command(epilog="Exit codes: 0 done; 1 failed; 2 wrong usage.", short_help="List an arena's workers.")
@_data_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@_told
def workers(data: Path, redis: str | None, as_json: bool) -> None:
    """List the workers of an arena: what each plays now, how much it can play, and why it plays nothing.

    One that is `stopped` plays nothing because bots lost time there; it goes on by itself once they do not. One that is
    `dead` has not been heard of for too long; an hour later it is no longer listed.

    \b
    Examples:
      fudaba arena workers --data ~/fudaba/arena
      fudaba arena workers --redis rediss://redis.example.org/0
    """
    from fudaba_arena.commands.workers import show_workers

    _run(show_workers(data, redis, as_json=as_json))


@arena.command(epilog=_CODES, short_help="Write everything public about a tournament.")
@_reading
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="The file to write.  [default: standard output]")  # fmt: skip
@_told
def export(reading: Reading, output: Path | None) -> None:
    """Write a tournament's definition, blocks, deals and results as JSON Lines, for whoever wants to check them.

    A season of a ladder is a tournament, too: open.1 is the first of `open`. Until it is over, its master and seeds are
    left out. How bots are started (commands and variables) is never written.

    \b
    Examples:
      fudaba arena export spring.toml --output spring.jsonl
      fudaba arena export --arena 127.0.0.1:7711 --tournament open.1 --output open.jsonl
    """
    from fudaba_arena.commands.audit import write_export

    _run(write_export(reading, output))


def _bytes32(_: click.Context, __: click.Parameter, value: str | None) -> bytes | None:
    """The 32 bytes that 64 hexadecimal digits stand for."""
    if value is None:
        return None
    try:
        found = bytes.fromhex(value.strip())
    except ValueError:
        raise click.BadParameter(f"{value} is not written in hexadecimal digits") from None
    if len(found) != 32:
        raise click.BadParameter(f"it has {len(found)} bytes; write 32, as 64 hexadecimal digits")
    return found


@arena.command(
    epilog="Exit codes: 0 everything is right; 1 something is wrong, or the file is not an export; 2 wrong usage.",
    short_help="Check every deal of an export.",
)
@click.argument("export_file", metavar="EXPORT", type=click.Path(dir_okay=False, exists=True, allow_dash=True))
@click.option("--master", callback=_bytes32, metavar="HEX",
              help="The tournament's master, if the export does not have it.")  # fmt: skip
@click.option("--commitment", callback=_bytes32, metavar="HEX",
              help="The commitment that was public before the first match.")  # fmt: skip
@click.option("--records", type=click.Path(path_type=Path, file_okay=False, exists=True), metavar="FOLDER",
              help="A folder of match records, as `fudaba record get` writes them, to replay too.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@_told
def verify(
    export_file: str, master: bytes | None, commitment: bytes | None, records: Path | None, as_json: bool
) -> None:
    """Check EXPORT (`-`: standard input), as `fudaba arena export` writes it: every seed, deal, seat, result, rating.

    Needs no service and no store. Before the master is open it says what cannot be checked yet. Without --commitment,
    the export's own commitment is shown, for you to compare with
    the published one: whoever could change the export could change that, too.

    \b
    Example:
      fudaba arena verify spring.jsonl --commitment 04720ec6309181142a88cb866eff465f0e9d01afa26094d5bb3c8adf9542e878
    """
    from fudaba_arena.commands.audit import verify_export

    sys.exit(verify_export(export_file, master, commitment, records, as_json=as_json))
