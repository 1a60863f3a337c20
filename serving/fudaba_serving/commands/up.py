"""The command `fudaba up`: runs service, arena, worker and gateway on one machine."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Final

import click

from fudaba import forked_program
from fudaba.address import DEFAULT_ADDRESS, DEFAULT_ARENA, DEFAULT_WEB
from fudaba.cli import main
from fudaba.cli.failures import Failure
from fudaba.cli.output import say, say_error
from fudaba.errors import FudabaError
from fudaba.installing import how_to_install
from fudaba.supervisor import Child, NotStarted
from fudaba_serving.commands.hung_after import hung_after_option
from fudaba_serving.commands.process_count import PROCESSES
from fudaba_serving.commands.takeover import (
    TAKEOVER_REFUSED_STATUS,
    TakeoverListener,
    TakeoverRefused,
    check_unused,
    take_over,
)
from fudaba_serving.commands.up_settings import UpConfig, UpSettings, has_web, read_config

_ARENA_STOP_SECONDS: Final = 30.0
_SERVICE_STOP_SECONDS: Final = 20.0
_WEB_STOP_SECONDS: Final = 10.0
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


@click.command(
    epilog="Exit codes: 0 stopped, or handed over; 1 cannot start; 2 wrong usage; 3 did not take over: the running one "
    "goes on."
)
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
@click.option("--takeover", is_flag=True, envvar="FUDABA_UP_TAKEOVER", show_envvar=True,
              help="Take over from the `fudaba up` that runs with this data folder, if there is one: check that this "
              "release can take the data, have it stop its parts, and start.")  # fmt: skip
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
    takeover: bool,
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
      fudaba up --data ~/fudaba --takeover
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
    settings = UpSettings(
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
    sys.exit(asyncio.run(_up(settings, takeover=takeover)))


def _parts(settings: UpSettings) -> tuple[Child, Child, Child, Child]:
    """Returns the processes: service, arena, worker and gateway. None is started yet."""
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    hung = settings.hung_after
    service = Child(
        "service",
        settings.service_command,
        re.compile(r"^fudaba serves on (\S+)$"),
        settings.log,
        environment,
        hung_seconds=hung,
        main=main,
    )
    arena = Child(
        "arena",
        lambda address: settings.arena_command(address, service.address),
        re.compile(r"^fudaba arena serves on (\S+)$"),
        settings.log,
        environment,
        needs=[service],
        hung_seconds=hung,
        main=main,
    )
    worker = Child(
        "worker",
        lambda _: settings.worker_command(service.address),
        re.compile(r"^fudaba arena worker plays as (\S+)$"),
        settings.log,
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
        settings.log,
        environment,
        needs=[service, arena],
        hung_seconds=hung,
        main=main,
    )
    return service, arena, worker, web


async def _up(settings: UpSettings, *, takeover: bool) -> int:
    parts = _parts(settings)
    stop, hurry, ready = asyncio.Event(), asyncio.Event(), asyncio.Event()

    def stopped() -> None:
        (hurry if stop.is_set() else stop).set()

    def refusal() -> str:
        if stop.is_set():
            return "it is stopping already"
        return "" if ready.is_set() else "it has not served yet; try again once it says that it is up"

    def hand_over(asker: str) -> None:
        settings.log("up", f"hands over to {asker}")
        stop.set()

    listener = TakeoverListener(settings.data, refusal, hand_over)
    try:
        await _begin(settings, listener, parts[0], takeover=takeover)
    except TakeoverRefused as error:
        say_error(str(error))
        return TAKEOVER_REFUSED_STATUS if takeover else 1
    except FudabaError as error:
        say_error(str(error))
        return 1
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped)
    try:
        return await _run(settings, parts, stop, hurry, ready)
    finally:
        listener.close()


async def _begin(settings: UpSettings, listener: TakeoverListener, service: Child, *, takeover: bool) -> None:
    """Takes over from a running one, or checks that there is none. Raises `TakeoverRefused` and `FudabaError`."""
    if takeover:
        _load([service])  # before the running one stops
        began = time.monotonic()
        former = await take_over(settings.data)
        if former is not None:
            text = f"took over from process {former.get('pid')} of release {former.get('release')}"
            settings.log("up", f"{text} after {time.monotonic() - began:.1f} s")
    else:
        await check_unused(settings.data)
    try:
        await listener.start()
    except OSError as error:
        settings.log("up", f"cannot be taken over: no socket can be made in its folder ({error.strerror or error})")


async def _run(
    settings: UpSettings,
    parts: tuple[Child, Child, Child, Child],
    stop: asyncio.Event,
    hurry: asyncio.Event,
    ready: asyncio.Event,
) -> int:
    """Runs the parts until `stop` is set. Returns the exit status. `ready` is set once all of them serve."""
    service, arena, worker, web = parts
    after_arena = [worker, web] if has_web() else [worker]
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
        ready.set()
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


def _print_next_steps(settings: UpSettings, service: str, arena: str, web: str) -> None:
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
