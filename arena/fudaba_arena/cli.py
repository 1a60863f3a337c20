"""`fudaba arena`."""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final

import click

from fudaba.cli._connection import Connection, connection_options
from fudaba.cli._group import Failure, failed
from fudaba.cli._output import say, say_text
from fudaba.errors import FudabaError

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
        from fudaba_arena.store import StoreUnavailable
        from fudaba_arena.tournament import BadTournament

        try:
            return function(*args, **kwargs)
        except BadTournament as error:
            say_text(str(error), err=True)
            sys.exit(2)
        except (ArenaError, StoreUnavailable) as error:
            raise Failure(str(error)) from error
        except FudabaError as error:
            raise failed(error) from error
        except BaseExceptionGroup as group:
            raise _first(group) from group

    return telling


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The expected error in a group; the group itself when there is another one among them."""
    from fudaba_arena.errors import ArenaError
    from fudaba_arena.store import StoreUnavailable

    expected, rest = group.split((ArenaError, StoreUnavailable, FudabaError))
    if rest is not None or expected is None:
        return group
    error: BaseException = expected
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return failed(error) if isinstance(error, FudabaError) else Failure(str(error))


def _run(work: Coroutine[Any, Any, int]) -> None:
    sys.exit(asyncio.run(work))


@click.group(epilog=_CODES)
def arena() -> None:
    """Play tournaments between bots, and show their ladders.

    \b
    Examples:
      fudaba arena check spring.toml
      fudaba arena run spring.toml
      fudaba arena standings --json
    """


@arena.command(epilog=_CODES, short_help="Check a tournament file.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@_told
def check(file: Path) -> None:
    """Check a tournament FILE, and say what would be played. Nothing is started.

    \b
    Example:
      fudaba arena check spring.toml
    """
    from fudaba_arena.tournament import read_tournament
    from fudaba_arena.wording import counted, planned

    tournament = read_tournament(file)
    schedule = tournament.schedule(tournament.name)
    say(f"{file} is right: {counted(len(tournament.bots), 'bot')}, {planned(schedule)}")


@arena.command(epilog=_CODES, short_help="Play a tournament, or go on with it.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@connection_options
@_data_options
@click.option("--metrics", envvar="FUDABA_ARENA_METRICS", show_envvar=True, metavar="HOST:PORT",
              help="Serve Prometheus metrics there, at /metrics; goes before the file's.")  # fmt: skip
@click.option("--retry-parked", is_flag=True,
              help="Give parked blocks further attempts, and let withdrawn bots play again.")  # fmt: skip
@click.option("--close", "close_after", is_flag=True,
              help="End the tournament after this run even if blocks are parked, and open its master.")  # fmt: skip
@click.option("--grace", type=click.FloatRange(0, 3600), default=10.0, show_default=True, metavar="SECONDS",
              help="When stopped: how long matches in play may take to end.")  # fmt: skip
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
) -> None:
    """Play the tournament of FILE to its end, or go on with it where the last run stopped.

    Needs the organiser's token. Stop it with Ctrl-C (twice: at once); the same command continues. Progress goes to
    standard error, the ladder to standard output.

    \b
    Example:
      FUDABA_TOKEN=... fudaba arena run spring.toml --server 127.0.0.1:7710
    """
    from fudaba_arena.session import RunOptions, play_tournament

    options = RunOptions(
        file=file, data=data, redis=redis, metrics=metrics, retry_parked=retry_parked, close=close_after, grace=grace
    )
    _run(play_tournament(connection, options))


def _which(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds what names a stored tournament; the command gets it as `file` and `name`."""
    file = click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False, exists=True))
    name = click.option("--tournament", "name", help="Its name, when the folder has several and no FILE is given.")
    return file(name(function))


@arena.command(epilog=_CODES, short_help="Show a tournament's ladders.")
@_which
@_data_options
@click.option("--game", metavar="GAME", help="Show one ladder only: a game's, or `overall`.")
@click.option("--json", "form", flag_value="json", help="Print JSON.")
@click.option("--csv", "form", flag_value="csv", help="Print CSV.")
@_told
def standings(
    file: Path | None, name: str | None, data: Path, redis: str | None, game: str | None, form: str | None
) -> None:
    """Show the ladders of the tournament of FILE, or of the only one in the folder; also while it is played.

    A tournament of several games has an overall ladder and one for each game.

    \b
    Examples:
      fudaba arena standings
      fudaba arena standings spring.toml --game napoleon
    """
    from fudaba_arena.reports import show_standings

    _run(show_standings(data, redis, file, name, game or "", form or "table"))


@arena.command(epilog=_CODES, short_help="List a tournament's matches, or its void blocks.")
@_which
@_data_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--void", is_flag=True, help="List the void blocks instead, and why they are void.")
@_told
def matches(file: Path | None, name: str | None, data: Path, redis: str | None, as_json: bool, void: bool) -> None:
    """List the matches of a tournament that have a result, in the order of the schedule.

    \b
    Examples:
      fudaba arena matches
      fudaba arena matches spring.toml --void
    """
    from fudaba_arena.reports import show_matches, show_voids

    _run((show_voids if void else show_matches)(data, redis, file, name, as_json=as_json))
