"""Options and messages that the commands of `fudaba arena` share."""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final

import click

from fudaba.cli.connection import Connection, arena_or_folder_options, on_command_line
from fudaba.cli.empty_names import refuse_empty_names
from fudaba.cli.failures import Failure, failed
from fudaba.cli.output import say_text
from fudaba.errors import FudabaError
from fudaba_serving.commands.data_folder import ARENA, DataFolderPath

__all__ = ["EXIT_CODES", "accept_risk_option", "data_options", "exit_with", "reading_options", "telling_errors"]

EXIT_CODES: Final = (
    "Exit codes: 0 done and complete; 1 failed, stopped, or not complete; "
    "2 wrong usage, or mistakes in the tournament file."
)


def data_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that name the arena's store."""
    data = click.option(
        "--data",
        type=DataFolderPath(ARENA),
        default=Path("fudaba-arena"),
        show_default=True,
        envvar="FUDABA_ARENA_DATA",
        show_envvar=True,
        help="The data folder of the arena or of `fudaba up`, which holds the store and the bots' logs.",
    )
    redis = click.option(
        "--redis",
        envvar="FUDABA_ARENA_REDIS",
        show_envvar=True,
        metavar="URL",
        help="The URL of a Redis 7 or Valkey server for the results. Without it the arena runs a server of its own.",
    )
    return data(redis(function))


def accept_risk_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the option that accepts the risks of a Redis's settings."""
    return click.option(
        "--accept-risk",
        multiple=True,
        type=click.Choice(("maxmemory-policy", "replica")),
        envvar="FUDABA_ARENA_ACCEPT_RISK",
        show_envvar=True,
        help="Accept a risk and start: Redis is set up to lose data. The message that refuses the start names it.",
    )(function)


def telling_errors(function: Callable[..., Any]) -> Callable[..., Any]:
    """Prints each expected error as a line, and each mistake in a file on its own line."""

    @functools.wraps(function)
    def telling(*args: Any, **kwargs: Any) -> Any:
        from fudaba_arena.errors import ArenaError
        from fudaba_arena.play.service.registration import NotRegistered
        from fudaba_arena.store.store import StoreUnavailable
        from fudaba_arena.tournament.file import BadTournament

        refuse_empty_names()
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
    """Returns the expected error in a group; None if the group has any other error."""
    from fudaba_arena.errors import ArenaError
    from fudaba_arena.store.store import StoreUnavailable

    expected, rest = group.split((ArenaError, StoreUnavailable, FudabaError))
    if rest is not None or expected is None:
        return None
    error: BaseException = expected
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return failed(error) if isinstance(error, FudabaError) else Failure(str(error))


def exit_with(work: Coroutine[Any, Any, int]) -> None:
    """Runs a command to its end and exits with its return code."""
    sys.exit(asyncio.run(work))


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that name a tournament and its source. The command gets them as one argument, `reading`."""

    @_which
    @data_options
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
    """Adds the options that name a stored tournament. The command gets them as `file` and `name`."""
    file = click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False, exists=True))
    name = click.option(
        "--tournament", "name", help="The tournament's name, if the folder has several and no FILE is given."
    )
    return file(name(function))
