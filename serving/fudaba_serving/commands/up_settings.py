"""The settings of `fudaba up`: its configuration file, and the command lines of its parts."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, final

import click

from fudaba.cli.output import say
from fudaba.heartbeat import HUNG_SECONDS
from fudaba.safe_text import safe_output
from fudaba.supervisor import ORGANISER_TOKEN_FILE, PROGRAM
from fudaba_serving.commands.config_file import ConfigTable, read_tables
from fudaba_serving.commands.data_folder import ARENA, SERVICE

__all__ = ["UpConfig", "UpSettings", "has_web", "read_config"]

_WEB: Final = ("fudaba_web", "connectrpc", "starlette", "uvicorn")
"""The packages that a gateway needs."""
_ARENA_TOKEN_FILE: Final = "arena.token"  # noqa: S105  # a file's name
_GUESTS: Final = "FUDABA_GUESTS"
_GATEWAY_TOKEN_FILE: Final = "gateway.token"  # noqa: S105  # a file's name
_TABLES: Final = {"serve": "serve", "arena": "arena serve", "worker": "arena worker", "web": "web"}
"""The tables of a configuration file, each with the command that it configures."""


@final
@dataclass(frozen=True, slots=True)
class UpConfig:
    """A configuration file that was read and found correct."""

    path: Path | None
    tables: Mapping[str, dict[str, Any]]


@final
@dataclass(frozen=True, slots=True)
class UpSettings:
    """The settings of the command line."""

    data: Path
    config: UpConfig
    listen: str | None
    arena_listen: str | None
    web_listen: str | None
    processes: int | None
    commands: Path | None
    json_logs: bool
    hung_after: float

    @property
    def token(self) -> Path:
        """The file of the organiser's token."""
        return self.data / ORGANISER_TOKEN_FILE

    @property
    def arena_token(self) -> Path:
        """The file of the arena's token."""
        return self.data / _ARENA_TOKEN_FILE

    @property
    def gateway_token(self) -> Path:
        """The file of the gateway's token."""
        return self.data / _GATEWAY_TOKEN_FILE

    def log(self, name: str, line: str) -> None:
        """Writes a line of a process to the log."""
        (_json_line if self.json_logs else _plain_line)(name, line)

    def service_command(self, address: str) -> list[str]:
        """Returns the command line of the service. `address` is where it has served before; empty at first."""
        words = [*PROGRAM, "serve", "--data", str(self.data / SERVICE), "--organiser-token-file", str(self.token)]
        words += ["--arena-token-file", str(self.arena_token), "--gateway-token-file", str(self.gateway_token)]
        if "serve" in self.config.tables:
            words += ["--config", str(self.config.path)]
        if "guests" not in self._table("serve") and _GUESTS not in os.environ:
            words.append("--guests")  # a visitor of the page can play at once
        if not self.token.exists() or not self.token.stat().st_size:
            words.append("--new-organiser-token")  # an earlier token, if there is one, is in nobody's hands
        if self.hung_after != HUNG_SECONDS:
            words += ["--hung-after", str(self.hung_after)]
        if self.processes is not None:
            words += ["--processes", str(self.processes)]
        listen = address or self.listen
        return [*words, *(["--listen", listen] if listen else [])]

    def arena_command(self, address: str, service: str) -> list[str]:
        """Returns the command line of the arena, for the address of the service."""
        given = self._table("arena") | (
            {"listen": address or self.arena_listen} if address or self.arena_listen else {}
        )
        return [*self._arena_words("serve", service), "--workers", *_words(given)]

    def worker_command(self, service: str) -> list[str]:
        """Returns the command line of the worker, for the address of the service."""
        return [*self._arena_words("worker", service), *_words(self._table("worker"))]

    def web_command(self, url: str, service: str, arena: str) -> list[str]:
        """Returns the command line of the gateway. `url` is where it has served before; empty at first."""
        listen = url.partition("//")[2].partition(",")[0] or self.web_listen
        given = self._table("web") | ({"listen": listen} if listen else {})
        words = ["--server", service, "--arena", arena, "--token-file", str(self.gateway_token)]
        return [*PROGRAM, "web", *words, *_words(given)]

    def _table(self, name: str) -> dict[str, Any]:
        """Returns a table of the configuration; an empty one if the file has none of that name."""
        return self.config.tables.get(name, {})

    def _arena_words(self, name: str, service: str) -> list[str]:
        words = [*PROGRAM, "arena", name, "--data", str(self.data / ARENA), "--token-file", str(self.arena_token)]
        words += ["--server", service]
        return [*words, *([] if self.commands is None else ["--commands", str(self.commands)])]


def _words(given: dict[str, Any]) -> list[str]:
    """Returns the settings of a table as words of a command line. A list repeats its option."""
    words: list[str] = []
    for name, values in given.items():
        for value in values if isinstance(values, list) else [values]:
            if value is not False:
                words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return words


def read_config(context: click.Context, _: click.Parameter, path: Path | None) -> UpConfig:
    """Reads the configuration file. Refuses it with all mistakes of its tables before anything starts."""
    if path is None:
        return UpConfig(None, {})
    tables = {name: _table(context, words) for name, words in _TABLES.items() if name != "web" or has_web()}
    return UpConfig(path, read_tables(path, {**dict.fromkeys(_TABLES), **tables}))


def _table(context: click.Context, words: str) -> ConfigTable | None:
    """Returns the table for a command; None if the command is not installed, which `up` itself refuses."""
    command: click.Command | None = context.find_root().command
    for word in words.split():
        command = command.get_command(context, word) if isinstance(command, click.Group) else None
    return None if command is None else ConfigTable(command, f"fudaba {words}")


def has_web() -> bool:
    """Returns whether the packages that a gateway needs are installed."""
    return all(find_spec(name) is not None for name in _WEB)


def _plain_line(name: str, line: str) -> None:
    say(f"{name:7} | {safe_output(line)}", err=True)


def _json_line(name: str, line: str) -> None:
    moment = datetime.now(UTC).isoformat(timespec="milliseconds")
    say(json.dumps({"time": moment, "process": name, "line": line}), err=True)
