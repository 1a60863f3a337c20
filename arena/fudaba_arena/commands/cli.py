"""`fudaba arena`."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fudaba.cli.challenge import compare
from fudaba.cli.connection import Connection, arena_or_folder_options, connection_options
from fudaba.cli.output import say, say_text
from fudaba_arena.commands.annulment_commands import annul, annulments, undo_annulment
from fudaba_arena.commands.options import (
    EXIT_CODES,
    accept_risk_option,
    data_options,
    exit_with,
    reading_options,
    telling_errors,
)
from fudaba_arena.commands.runtimes import runtimes
from fudaba_arena.commands.serve_command import serve
from fudaba_arena.commands.worker_command import worker
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba_arena.commands.reading import Reading

__all__ = ["arena"]


@click.group(epilog=EXIT_CODES)
def arena() -> None:
    """Play tournaments between bots, and show their standings.

    \b
    Examples:
      fudaba arena check spring.toml
      fudaba arena run spring.toml
      fudaba arena standings --json
    """


for of_annulling in (annul, annulments, undo_annulment):
    arena.add_command(of_annulling)
arena.add_command(compare)
arena.add_command(runtimes)
arena.add_command(serve)
arena.add_command(worker)


@arena.command(epilog=EXIT_CODES, short_help="Check a tournament file.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--dry-run", is_flag=True, help="Also show how long the tournament takes, and who meets whom.")
@click.option("--json", "as_json", is_flag=True, help="Print the plan of --dry-run as JSON.")
@click.option("--ladder", "of_ladder", is_flag=True,
              help="Read FILE as a ladder's. Needed where none of its keys belongs to ladders alone.")  # fmt: skip
@telling_errors
def check(file: Path, dry_run: bool, as_json: bool, of_ladder: bool) -> None:
    """Check a tournament FILE, or a ladder's, and summarise what would be played. Nothing is started.

    \b
    Examples:
      fudaba arena check spring.toml
      fudaba arena check spring.toml --dry-run
      fudaba arena check open.toml
    """
    from fudaba.cli.output import as_dict, print_json
    from fudaba.cli.plan import plan_text
    from fudaba_arena.api.messages.definition_messages import plan
    from fudaba_arena.schedule.forecast import forecast
    from fudaba_arena.schedule.planning import source_schedule
    from fudaba_arena.schedule.wording import planned
    from fudaba_arena.tournament.file import read_source
    from fudaba_arena.tournament.season import Span

    source, now_ms = read_source(file), int(time.time() * 1000)
    if of_ladder or source.describes_ladder:
        if dry_run or as_json:
            raise click.UsageError("a ladder chooses its blocks during the season; leave --dry-run and --json out")
        ladder = replace(source, hosted=True, span=Span()).read_new(now_ms)
        games = " and ".join(game.game for game in ladder.games)
        say(f"{file} is right: a ladder of {games} with {counted(len(ladder.bots), 'bot')} of its own")
        return
    tournament = source.read_new(now_ms)
    schedule = source_schedule(tournament, source)
    if as_json:
        print_json(as_dict(plan(forecast(tournament, schedule))))
        return
    say(f"{file} is right: {counted(len(tournament.bots), 'bot')}, {planned(schedule)}")
    if dry_run:
        say_text(plan_text(plan(forecast(tournament, schedule))))


@arena.command(epilog=EXIT_CODES, short_help="Play a tournament, or resume it.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@connection_options
@data_options
@click.option("--metrics", envvar="FUDABA_ARENA_METRICS", show_envvar=True, metavar="HOST:PORT",
              help="Serve Prometheus metrics at this address, under /metrics; overrides the file's `metrics`."
              )  # fmt: skip
@click.option("--retry-parked", is_flag=True,
              help="Try parked blocks again, and let withdrawn bots play again.")  # fmt: skip
@click.option("--close", "close_after", is_flag=True,
              help="End the tournament after this run even if blocks are parked, and reveal its master.")  # fmt: skip
@click.option("--grace", type=click.FloatRange(0, 3600), default=10.0, show_default=True, metavar="SECONDS",
              help="How long matches in play may take to end after a stop.")  # fmt: skip
@click.option("--service-id", default="", metavar="ID",
              help="The id of the new service, if the service has lost its data. Everything in this data folder is "
              "then played on the new one.")  # fmt: skip
@accept_risk_option
@telling_errors
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
    accept_risk: tuple[str, ...],
) -> None:
    """Play the tournament of FILE to its end, or resume it where the last run stopped.

    Needs the organiser's token. Stop it with Ctrl-C (twice: at once); the same command continues. Progress goes to
    standard error, the ladder to standard output.

    \b
    Example:
      FUDABA_TOKEN=... fudaba arena run spring.toml --server 127.0.0.1:7710
    """
    from fudaba_arena.commands.run import RunOptions, play_tournament
    from fudaba_serving.process import open_files

    open_files.raise_limit()
    options = RunOptions(
        file=file,
        data=data,
        redis=redis,
        metrics=metrics,
        retry_parked=retry_parked,
        close=close_after,
        grace_seconds=grace,
        service_id=service_id,
        accept_risk=accept_risk,
    )
    exit_with(play_tournament(connection, options))


@arena.command(epilog=EXIT_CODES, short_help="Show a tournament's standings.")
@reading_options
@click.option("--game", metavar="GAME", help="Show only one table: a game's, or `overall`.")
@click.option("--json", "form", flag_value="json", help="Print JSON.")
@click.option("--csv", "form", flag_value="csv", help="Print CSV.")
@telling_errors
def standings(reading: Reading, game: str | None, form: str | None) -> None:
    """Show the standings of the tournament of FILE, or of the only one in the folder or arena, even during play.

    A tournament of several games has overall standings, and a table for each game.

    \b
    Examples:
      fudaba arena standings
      fudaba arena standings spring.toml --game napoleon
      fudaba arena standings --arena 127.0.0.1:7711 --tournament spring
    """
    from fudaba_arena.commands.reports import show_standings

    exit_with(show_standings(reading, game or "", form or "table"))


@arena.command(epilog=EXIT_CODES, short_help="List a tournament's matches, or its void blocks.")
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--void", is_flag=True, help="List the void blocks instead, each with its cause.")
@telling_errors
def matches(reading: Reading, as_json: bool, void: bool) -> None:
    """List the matches of a tournament that have a result, in the order of the schedule.

    An arena shows the results of a block still in play to the organiser only.

    \b
    Examples:
      fudaba arena matches
      fudaba arena matches spring.toml --void
    """
    from fudaba_arena.commands.reports import show_matches, show_voids

    exit_with((show_voids if void else show_matches)(reading, as_json=as_json))


@arena.command(epilog=EXIT_CODES, short_help="List a tournament's blocks.")
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@telling_errors
def blocks(reading: Reading, as_json: bool) -> None:
    """List the blocks of a tournament that have begun or are parked, by number.

    \b
    Examples:
      fudaba arena blocks
      fudaba arena blocks --arena 127.0.0.1:7711 --tournament spring
    """
    from fudaba_arena.commands.reports import show_blocks

    exit_with(show_blocks(reading, as_json=as_json))


@arena.command(epilog="Exit codes: 0 done; 1 failed; 2 wrong usage.", short_help="Show what organisers did.")
@data_options
@arena_or_folder_options
@click.option(
    "--after", type=click.IntRange(0), default=0, metavar="NUMBER", help="Show only the actions after this one."
)
@click.option(
    "--search", default="", metavar="TEXT", help="Show only actions with this text in their name, author or object."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@telling_errors
def actions(
    data: Path, redis: str | None, connection: Connection | None, after: int, search: str, as_json: bool
) -> None:
    """Show what organisers changed in a standing arena, oldest first: who created, steered, annulled and entered what.

    An arena shows this to the organiser only. `fudaba account actions` shows what organisers changed in the service.

    \b
    Examples:
      fudaba arena actions --arena 127.0.0.1:7711
      fudaba arena actions --data ~/fudaba/arena --after 120 --json
    """
    from fudaba_arena.commands.actions import show_actions

    exit_with(show_actions(connection, data, redis, after, search, as_json=as_json))


@arena.command(epilog="Exit codes: 0 done; 1 failed; 2 wrong usage.", short_help="List an arena's workers.")
@data_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@telling_errors
def workers(data: Path, redis: str | None, as_json: bool) -> None:
    """List the workers of an arena: what each plays now, how much it can play, and why it plays nothing.

    A `stopped` worker plays nothing because bots lost time there; it resumes by itself once they no longer do. A `dead`
    worker has been silent for too long; an hour later it leaves the list.

    \b
    Examples:
      fudaba arena workers --data ~/fudaba/arena
      fudaba arena workers --redis rediss://redis.example.org/0
    """
    from fudaba_arena.commands.worker_list import show_workers

    exit_with(show_workers(data, redis, as_json=as_json))


@arena.command(epilog="Exit codes: 0 done; 1 failed; 2 wrong usage.", short_help="Show the state of an arena.")
@data_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@telling_errors
def status(data: Path, redis: str | None, as_json: bool) -> None:
    """Show the state of an arena's tournaments, and which of them were restored from a backup older than the service.

    \b
    Examples:
      fudaba arena status --data ~/fudaba/arena
      fudaba arena status --redis rediss://redis.example.org/0 --json
    """
    from fudaba_arena.commands.status import show_status

    exit_with(show_status(data, redis, as_json=as_json))


@arena.command(
    epilog="Exit codes: 0 everything can be read; 1 something cannot be read, or the command failed; 2 wrong usage.",
    short_help="List stored items that cannot be read.",
)
@data_options
@click.option("--put-aside", default="", metavar="NAME",
              help="Remove this unreadable tournament or submission from all lists, and keep its data. A block is "
              "handed out again."
              )  # fmt: skip
@click.option("--take-back", default="", metavar="NAME",
              help="List it again, once it can be read; a tournament is then played on."
              )  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@telling_errors
def unreadable(data: Path, redis: str | None, put_aside: str, take_back: str, as_json: bool) -> None:
    """List the stored items that this release cannot read, and why.

    An item is a tournament, a submission, or a block handed out to a worker. The arena goes on without it, and logs it
    once. It reads the item again as soon as it can.

    \b
    Examples:
      fudaba arena unreadable --data ~/fudaba/arena
      fudaba arena unreadable --data ~/fudaba/arena --put-aside spring
      fudaba arena unreadable --data ~/fudaba/arena --put-aside "submission s-1"
      fudaba arena unreadable --data ~/fudaba/arena --take-back spring
    """
    from fudaba_arena.commands.unreadable import show_unreadable

    exit_with(show_unreadable(data, redis, put_aside, take_back, as_json=as_json))


@arena.command(epilog=EXIT_CODES, short_help="Write everything public about a tournament.")
@reading_options
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="The file to write.  [default: standard output]")  # fmt: skip
@telling_errors
def export(reading: Reading, output: Path | None) -> None:
    """Write a tournament's definition, blocks, deals and results as JSON Lines, so that anyone can check them.

    A season of a ladder is a tournament, too: open.1 is the first of `open`. Until it is over, its master and seeds are
    left out. How bots are started (commands and variables) is never written.

    \b
    Examples:
      fudaba arena export spring.toml --output spring.jsonl
      fudaba arena export --arena 127.0.0.1:7711 --tournament open.1 --output open.jsonl
    """
    from fudaba_arena.commands.audit import write_export

    exit_with(write_export(reading, output))


def _bytes32(_: click.Context, __: click.Parameter, value: str | None) -> bytes | None:
    """Returns the 32 bytes that 64 hexadecimal digits denote."""
    if value is None:
        return None
    try:
        found = bytes.fromhex(value.strip())
    except ValueError:
        raise click.BadParameter(f"{value} is not written in hexadecimal digits") from None
    if len(found) != 32:
        raise click.BadParameter(f"it has {counted(len(found), 'byte')}; write 32, as 64 hexadecimal digits")
    return found


@arena.command(
    epilog="Exit codes: 0 everything is right; 1 something is wrong, or the file is not an export; 2 wrong usage.",
    short_help="Check every deal of an export.",
)
@click.argument("export_file", metavar="EXPORT", type=click.Path(dir_okay=False, exists=True, allow_dash=True))
@click.option("--master", callback=_bytes32, metavar="HEX",
              help="The tournament's master, if the export lacks it.")  # fmt: skip
@click.option("--commitment", callback=_bytes32, metavar="HEX",
              help="The commitment that was public before the first match.")  # fmt: skip
@click.option("--records", type=click.Path(path_type=Path, file_okay=False, exists=True), metavar="FOLDER",
              help="A folder of match records, as `fudaba record get` writes them, to replay as well.")  # fmt: skip
@click.option("--seeds", type=click.Path(path_type=Path, dir_okay=False, exists=True), metavar="EXPORT",
              help="The export of the season that seeded a knockout: its best bots have to be the seeds.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@telling_errors
def verify(
    export_file: str,
    master: bytes | None,
    commitment: bytes | None,
    records: Path | None,
    seeds: Path | None,
    as_json: bool,
) -> None:
    """Check EXPORT (`-`: standard input), as `fudaba arena export` writes it: every seed, deal, seat, result, rating.

    Needs no service and no store. Until the master is open, the command lists what cannot be checked yet. Without
    --commitment it shows the export's own commitment. Compare that with the published one: anyone who could change
    the export could change its commitment too.

    \b
    Example:
      fudaba arena verify spring.jsonl --commitment 04720ec6309181142a88cb866eff465f0e9d01afa26094d5bb3c8adf9542e878
    """
    from fudaba_arena.commands.audit import verify_export

    sys.exit(verify_export(export_file, master, commitment, records, seeds, as_json=as_json))
