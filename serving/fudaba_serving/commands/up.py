"""The command `fudaba up`: runs service, arena, worker and gateway on one machine."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, final

import click

from fudaba import forked_program
from fudaba.address import DEFAULT_ADDRESS, DEFAULT_ARENA, DEFAULT_WEB
from fudaba.cli import main
from fudaba.cli.failures import Failure
from fudaba.cli.output import say, say_error
from fudaba.heartbeat import HUNG_SECONDS
from fudaba.installing import how_to_install
from fudaba.safe_text import safe_output
from fudaba.supervisor import PROGRAM, Child, NotStarted
from fudaba_serving.commands.config_file import ConfigTable, read_tables
from fudaba_serving.commands.data_folder import ARENA, SERVICE
from fudaba_serving.commands.hung_after import hung_after_option
from fudaba_serving.commands.process_count import PROCESSES

_ARENA_STOP_SECONDS: Final = 30.0
_SERVICE_STOP_SECONDS: Final = 20.0
_WEB_STOP_SECONDS: Final = 10.0
_WEB: Final = ("fudaba_web", "connectrpc", "starlette", "uvicorn")
"""The packages that a gateway needs."""
_TOKEN_FILE: Final = "organiser.token"  # noqa: S105  # a file's name
_ARENA_TOKEN_FILE: Final = "arena.token"  # noqa: S105  # a file's name
_GUESTS: Final = "FUDABA_GUESTS"
_GATEWAY_TOKEN_FILE: Final = "gateway.token"  # noqa: S105  # a file's name
LOADED: Final[Mapping[str, Sequence[str]]] = {
    "service": (
        "fudaba.bots",
        "fudaba.client",
        "fudaba_serving.grpc.binding",
        "fudaba_serving.grpc.guard",
        "fudaba_serving.grpc.listener",
        "fudaba_serving.grpc.reflection",
        "fudaba_serving.names.likeness",
        "fudaba_serving.process.metrics_server",
        "fudaba_serving.process.runner",
        "fudaba_serving.redis.action_list",
        "fudaba_serving.redis.pipelining",
        "fudaba_serving.redis.servers",
        "fudaba_serving.redis.valkey",
        "fudaba_serving.storage.urls",
        "grpc_health.v1._async",
        "uvloop",
        "zstandard",
    ),
    "arena": ("fudaba_arena.commands.cli", "fudaba_arena.api.server"),
    "worker": ("fudaba_arena.workers.worker",),
}
"""The modules that this process imports for the parts, which are its forks: those that several parts need, and those
that it has time for while it waits for the part before. The rest each part imports itself, at the same time as others.
"""
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
class _Settings:
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
        return self.data / _TOKEN_FILE

    @property
    def arena_token(self) -> Path:
        return self.data / _ARENA_TOKEN_FILE

    @property
    def gateway_token(self) -> Path:
        return self.data / _GATEWAY_TOKEN_FILE

    def service_command(self, address: str) -> list[str]:
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
        given = self._table("arena") | (
            {"listen": address or self.arena_listen} if address or self.arena_listen else {}
        )
        return [*self._arena_words("serve", service), "--workers", *_words(given)]

    def worker_command(self, service: str) -> list[str]:
        return [*self._arena_words("worker", service), *_words(self._table("worker"))]

    def web_command(self, url: str, service: str, arena: str) -> list[str]:
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
    tables = {name: _table(context, words) for name, words in _TABLES.items() if name != "web" or _has_web()}
    return UpConfig(path, read_tables(path, {**dict.fromkeys(_TABLES), **tables}))


def _table(context: click.Context, words: str) -> ConfigTable | None:
    """Returns the table for a command; None if the command is not installed, which `up` itself refuses."""
    command: click.Command | None = context.find_root().command
    for word in words.split():
        command = command.get_command(context, word) if isinstance(command, click.Group) else None
    return None if command is None else ConfigTable(command, f"fudaba {words}")


def _has_web() -> bool:
    """Returns whether the packages that a gateway needs are installed."""
    return all(find_spec(name) is not None for name in _WEB)


@click.command(epilog="Exit codes: 0 stopped, 1 cannot start, 2 wrong usage.")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), default=Path("fudaba-data"),
              show_default=True, envvar="FUDABA_UP_DATA", show_envvar=True,
              help="The folder for all data; created if its parent exists.")  # fmt: skip
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False, resolve_path=True), callback=read_config,
              envvar="FUDABA_UP_CONFIG", show_envvar=True,
              help="A TOML file of settings: table [serve] for `fudaba serve`, [arena] for `fudaba arena serve`, "
              "[worker] for `fudaba arena worker`, and [web] for `fudaba web`.")  # fmt: skip
@click.option(
    "--listen", metavar="ADDRESS", help=f"The address that the service listens on.  [default: {DEFAULT_ADDRESS}]"
)
@click.option(
    "--arena-listen", metavar="ADDRESS", help=f"The address that the arena listens on.  [default: {DEFAULT_ARENA}]"
)
@click.option(
    "--web-listen", metavar="HOST:PORT", help=f"The address that the gateway listens on.  [default: {DEFAULT_WEB}]"
)
@click.option(
    "--processes",
    type=PROCESSES,
    metavar="NUMBER|auto",
    help="Processes of the service; `auto` starts one for each core. See `fudaba serve --help`.  [default: 1]",
)
@click.option("--commands", type=click.Path(path_type=Path, file_okay=False, exists=True, resolve_path=True),
              metavar="FOLDER", help="Start the bots that tournaments give as commands, in this folder; see `fudaba "
              "arena serve --help`.")  # fmt: skip
@click.option("--json-logs", is_flag=True, help="Write the log as lines of JSON.")
@hung_after_option
def up(
    data: Path,
    config: UpConfig,
    listen: str | None,
    arena_listen: str | None,
    web_listen: str | None,
    processes: int | None,
    commands: Path | None,
    json_logs: bool,
    hung_after: float,
) -> None:
    """Run everything on this machine from one folder: a service, an arena, a worker that plays for the arena, and,
    where the extra `web` is installed, a gateway for browsers and scripts.

    A process that dies or hangs is started again; the log shows where a hung process stood. The log goes to standard
    error, with the name of a process before each line. The next steps go to standard output. Ctrl-C or SIGTERM stops
    the gateway, the worker, the arena and then the service. A second one stops them without waiting for matches.

    \b
    Examples:
      fudaba up --data ~/fudaba
      fudaba up --data ~/fudaba --processes auto
      fudaba up --data ~/fudaba --config fudaba.toml --json-logs
    """
    for extra in ("service", "arena"):
        if find_spec(f"fudaba_{extra}") is None:
            raise Failure(f"`fudaba up` needs the {extra}: {how_to_install('service', 'arena')}")
    data = data.expanduser().resolve()
    try:
        data.mkdir(mode=0o700, exist_ok=True)
    except FileNotFoundError:
        raise Failure(
            f"the folder {data} cannot be created: {data.parent} is not a folder; create that first"
        ) from None
    settings = _Settings(
        data,
        config,
        listen,
        arena_listen,
        web_listen,
        processes,
        commands,
        json_logs,
        hung_after,
    )
    sys.exit(asyncio.run(_up(settings)))


def _parts(settings: _Settings) -> tuple[Child, Child, Child, Child]:
    """Returns the processes: service, arena, worker and gateway. None is started yet."""
    line_format = _json_line if settings.json_logs else _plain_line
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    hung = settings.hung_after
    service = Child(
        "service",
        settings.service_command,
        re.compile(r"^fudaba serves on (\S+)$"),
        line_format,
        environment,
        hung_seconds=hung,
        main=main,
    )
    arena = Child(
        "arena",
        lambda address: settings.arena_command(address, service.address),
        re.compile(r"^fudaba arena serves on (\S+)$"),
        line_format,
        environment,
        needs=[service],
        hung_seconds=hung,
        main=main,
    )
    worker = Child(
        "worker",
        lambda _: settings.worker_command(service.address),
        re.compile(r"^fudaba arena worker plays as (\S+)$"),
        line_format,
        environment,
        # If this process is killed, the service and the arena stop, too: it would only wait for them to come back.
        end_with=signal.SIGKILL,
        needs=[service, arena],
        hung_seconds=hung,
        main=main,
    )
    web = Child(
        "web",
        lambda url: settings.web_command(url, service.address, arena.address),
        re.compile(r"^fudaba web serves on (\S.*)$"),  # the line may also say that there is no page
        line_format,
        environment,
        needs=[service, arena],
        hung_seconds=hung,
        main=main,
    )
    return service, arena, worker, web


async def _up(settings: _Settings) -> int:
    service, arena, worker, web = _parts(settings)
    after_arena = [worker, web] if _has_web() else [worker]
    stop, hurry = asyncio.Event(), asyncio.Event()

    def stopped() -> None:
        (hurry if stop.is_set() else stop).set()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped)
    keeping: list[asyncio.Task[None]] = []
    try:
        stages: Sequence[Sequence[Child]] = ([service], [arena], after_arena, [])
        for children, following in pairwise(stages):
            _load(children)
            keeping += [asyncio.create_task(child.keep()) for child in children]
            await asyncio.sleep(0)  # lets the tasks start their parts
            _load(following)
            for child in children:
                if not await _either(child.ready, stop, keeping):
                    return 0
        _print_next_steps(settings, service.address, arena.address, web.address)
        await _either(stop, stop, keeping)
    except NotStarted as error:
        say_error(str(error))
        return 2 if error.status == 2 else 1
    else:
        return 0
    finally:
        hurrying = asyncio.create_task(_hurry(hurry, worker, arena))
        await web.stop(_WEB_STOP_SECONDS)
        await worker.stop(_ARENA_STOP_SECONDS)
        await arena.stop(_ARENA_STOP_SECONDS)
        await service.stop(_SERVICE_STOP_SECONDS)
        hurrying.cancel()
        await asyncio.gather(*keeping, return_exceptions=True)


def _load(children: Sequence[Child]) -> None:
    """Imports what these import as they start, if they are forks of this process."""
    if forked_program.can_fork():
        forked_program.load(module for child in children for module in LOADED.get(child.name, ()))


async def _either(wanted: asyncio.Event, stop: asyncio.Event, keeping: Sequence[asyncio.Task[None]]) -> bool:
    """Waits until `wanted` or `stop` is set. Returns whether `stop` is not. Raises `NotStarted` for a child."""
    waiting = [asyncio.create_task(event.wait()) for event in (wanted, stop)]
    try:
        await asyncio.wait([*waiting, *keeping], return_when=asyncio.FIRST_COMPLETED)
        for task in keeping:
            if task.done():
                task.result()
        return not stop.is_set()
    finally:
        for waiter in waiting:
            waiter.cancel()


async def _hurry(hurry_wanted: asyncio.Event, *children: Child) -> None:
    await hurry_wanted.wait()
    for child in children:
        child.hurry()


def _print_next_steps(settings: _Settings, service: str, arena: str, web: str) -> None:
    exports = [f"export FUDABA_TOKEN_FILE={shlex.quote(str(settings.token))}"]
    if service != DEFAULT_ADDRESS:
        exports.append(f"export FUDABA_SERVER={shlex.quote(service)}")
    exports.append(f"export FUDABA_ARENA={shlex.quote(arena)}")
    say(
        "Fudaba is up. Ctrl-C stops it.",
        f"  service            {service}",
        f"  arena              {arena}",
        f"  for browsers       {web or 'nothing: that takes the extra fudaba[web]'}",
        f"  organiser's token  {settings.token}",
        "In another terminal:",
        *(f"  {line}" for line in exports),
        "  fudaba ladder new open.toml        # a ladder's file, to be edited",
        "  fudaba ladder create open.toml",
        "  fudaba ladder watch open",
        "  fudaba tournament --help           # tournaments, which end",
    )
    sys.stdout.flush()


def _plain_line(name: str, line: str) -> None:
    say(f"{name:7} | {safe_output(line)}", err=True)


def _json_line(name: str, line: str) -> None:
    moment = datetime.now(UTC).isoformat(timespec="milliseconds")
    say(json.dumps({"time": moment, "process": name, "line": line}), err=True)
