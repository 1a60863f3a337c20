"""The options that name a service, and option types that several commands share."""

from __future__ import annotations

import functools
import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, final

import click

from fudaba.address import DEFAULT_ADDRESS, DEFAULT_ARENA
from fudaba.cli.empty_names import refuse_empty_names
from fudaba.errors import BadAddress
from fudaba.text_files import NotText, read_text
from fudaba_games.game import BadOption, OptionValue
from fudaba_games.registry import GAMES

if TYPE_CHECKING:
    from fudaba.client import Client

__all__ = [
    "Connection",
    "anonymous_connection_options",
    "arena_options",
    "arena_or_folder_options",
    "connection_options",
    "game_options",
    "on_command_line",
    "parse_pairs",
]


@final
@dataclass(frozen=True, slots=True)
class Connection:
    """The address of the service, and the caller's token."""

    server: str
    token: str
    tls: bool
    ca_cert: str
    token_file: str = ""
    """The file from which the token was read, if the command line names one."""

    def client(self) -> Client:
        """Returns a client. Raises `BadAddress`."""
        from fudaba.client import Client

        return Client(self.server, self.token, tls=self.tls, ca_cert=self.ca_cert)

    def command(self, *words: str, own: bool = False, to: Literal["server", "arena"] = "server") -> str:
        """Returns a shell command for the same service or arena. It never contains a token.

        `own`: the command is for this connection's user and names the token's file again; others have their own tokens.
        """
        where = ["fudaba", *words]
        usual = {"server": DEFAULT_ADDRESS, "arena": DEFAULT_ARENA}[to]
        # `fudaba arena` reads a folder unless it is told of an arena.
        if self.server != usual or f"FUDABA_{to.upper()}" in os.environ or words[:1] == ("arena",):
            where += [f"--{to}", self.server]
        if self.tls:
            where.append("--tls")
        if self.ca_cert:
            where += ["--ca-cert", self.ca_cert]
        if own and self.token_file:
            where += ["--token-file", self.token_file]
        return shlex.join(where)


def connection_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of a connection. The command gets them as one argument, `connection`."""
    return _server(_secured(function))


def anonymous_connection_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `connection_options` without the token's: no token is read, whatever the environment says."""

    @functools.wraps(function)
    def with_connection(*args: Any, server: str, tls: bool, ca_cert: str, **rest: Any) -> Any:
        refuse_empty_names()
        return function(*args, connection=Connection(server, "", tls, ca_cert), **rest)

    return _server(_tls(with_connection))


def _server(function: Callable[..., Any]) -> Callable[..., Any]:
    server = click.option("--server", default=DEFAULT_ADDRESS, show_default=True, envvar="FUDABA_SERVER",
                          show_envvar=True, metavar="ADDRESS", help="The service's address: HOST:PORT, or "
                                                                    "unix:/path/to/socket.")  # fmt: skip
    return server(function)


def arena_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `connection_options` for a standing arena."""
    return _arena(DEFAULT_ARENA)(_secured(function))


def arena_or_folder_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `arena_options` to commands that read a folder if no arena is named; then `connection` is None."""
    return _arena(None)(_secured(function))


def _arena(default: str | None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    help_text = "The arena: HOST:PORT, or unix:/path/to/socket." + ("" if default else " Without it, a folder is read.")
    return click.option("--arena", "server", default=default, show_default=bool(default), envvar="FUDABA_ARENA",
                        show_envvar=True, metavar="ADDRESS", help=help_text)  # fmt: skip


def _secured(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options for token and TLS; takes those of the address as `server`."""

    @click.option("--token", default="", envvar="FUDABA_TOKEN", show_envvar=True,
                  help="The token. On a shared machine, set the variable instead: others can see command lines."
                  )  # fmt: skip
    @click.option("--token-file", type=click.Path(path_type=Path), envvar="FUDABA_TOKEN_FILE", show_envvar=True,
                  help="A file that holds the token.")  # fmt: skip
    @_tls
    @functools.wraps(function)
    def with_connection(
        *args: Any, server: str | None, token: str, token_file: Path | None, tls: bool, ca_cert: str, **rest: Any
    ) -> Any:
        refuse_empty_names()
        if server is None:
            return function(*args, connection=None, **rest)
        file = str(token_file) if on_command_line("token_file") else ""
        connection = Connection(server, _token(token, token_file), tls, ca_cert, file)
        return function(*args, connection=connection, **rest)

    return with_connection


def _tls(function: Callable[..., Any]) -> Callable[..., Any]:
    ca_cert = click.option("--ca-cert", default="", envvar="FUDABA_CA_CERT", show_envvar=True, metavar="FILE",
                           help="A PEM file with the certificate authority to trust; implies --tls.")  # fmt: skip
    tls = click.option("--tls", is_flag=True, envvar="FUDABA_TLS", show_envvar=True, help="Use TLS.")
    return tls(ca_cert(function))


def on_command_line(*names: str) -> list[str]:
    """Returns which of these parameters were given as options, not by the environment or defaults."""
    context = click.get_current_context()
    return [name for name in names if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE]


def _token(token: str, token_file: Path | None) -> str:
    """Returns the token.

    An option takes precedence over the environment, and then the token itself over the file. Raises `BadAddress`.
    """
    given = on_command_line("token", "token_file")
    if len(given) > 1:
        raise click.UsageError("--token and --token-file are both given; give one")
    if token_file is not None and (given == ["token_file"] or not (token or given)):
        return _from_file(token_file)
    return token


def _from_file(path: Path) -> str:
    try:
        token = read_text(path).strip()
    except OSError as error:
        raise BadAddress(f"the token file {path} cannot be read: {error.strerror}") from None
    except NotText as error:
        raise BadAddress(f"the token file {path} cannot be read: {error}") from None
    if not token:
        raise BadAddress(f"the token file {path} is empty")
    return token


def parse_pairs(pairs: tuple[str, ...], label: str) -> dict[str, str]:
    """Parses `name=value` texts into a mapping. Raises a usage error that calls them `label`."""
    parsed: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise click.UsageError(f"{label} is written NAME=VALUE, not {pair!r}")
        if name in parsed:
            raise click.UsageError(f"{label} {name!r} is given twice")
        parsed[name] = value
    return parsed


def game_options(game_id: str, pairs: tuple[str, ...]) -> dict[str, OptionValue]:
    """Parses the game options of `--option name=value`. Raises `BadOption` for a game that this release knows."""
    given = parse_pairs(pairs, "--option")
    known = GAMES.get(game_id)
    if known is None:  # a newer service may host it
        return {name: _guess(value) for name, value in given.items()}
    defaults = {option.name: option.default for option in known.options}
    typed: dict[str, OptionValue] = {}
    for name, value in given.items():
        typed[name] = _typed(name, value, defaults[name]) if name in defaults else value
    known.resolve_options(typed)
    return typed


def _guess(value: str) -> OptionValue:
    if value in {"true", "false"}:
        return value == "true"
    return int(value) if value.removeprefix("-").isdecimal() else value


def _typed(name: str, value: str, default: OptionValue) -> OptionValue:
    if isinstance(default, bool):
        if value in {"true", "false", "on", "off"}:  # the rules pages say on and off
            return value in {"true", "on"}
        raise BadOption(f"option {name!r} is true or false: write {name}=true or {name}=false, not {name}={value}")
    # What is not a number is refused by the option itself, with the numbers that it takes.
    return int(value) if isinstance(default, int) and value.removeprefix("-").isdecimal() else value
