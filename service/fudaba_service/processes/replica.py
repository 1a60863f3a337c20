"""One of several processes of a service. Its line carries its settings and the command to begin."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from typing import final

from prometheus_client import CollectorRegistry

from fudaba.cli.output import say, say_error
from fudaba.supervisor import CHANNEL
from fudaba_service.archive import ArchiveUnavailable
from fudaba_service.processes.line import Line, LineEnded, unpacked
from fudaba_service.processes.metrics_page import families
from fudaba_service.startup.server import CannotStart, serve
from fudaba_service.store import StoreUnavailable
from fudaba_serving.process.runner import log_to_stderr, runner
from fudaba_serving.redis.valkey import FolderError, NoServerError, ServerFailedError

__all__ = ["main"]

log = logging.getLogger(__name__)


@final
class _StopsEarly(Exception):
    """The replica was stopped before it served."""


def main() -> None:
    """Serves until it is stopped, or its parent has ended. Its exit status is that of `fudaba serve`."""
    with runner() as loop:
        sys.exit(loop.run(_main()))


async def _main() -> int:
    stopped = asyncio.Event()  # whoever started it ends it, if that takes too long
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    end = socket.socket(fileno=int(os.environ.pop(CHANNEL)))
    end.set_inheritable(False)
    line = await Line.over(end)
    try:
        return await _serve(line, stopped)
    except (_StopsEarly, LineEnded):
        return 0
    except (CannotStart, StoreUnavailable, ArchiveUnavailable, FolderError, NoServerError, ServerFailedError) as error:
        say_error(str(error))
        return 1
    finally:
        line.close()


async def _serve(line: Line, stopped: asyncio.Event) -> int:
    _, setup = await line.receive()
    log_to_stderr(setup["level"])

    async def joins() -> None:
        await line.send("ready")
        begins, stops = asyncio.create_task(line.receive()), asyncio.create_task(stopped.wait())
        try:
            await asyncio.wait((begins, stops), return_when=asyncio.FIRST_COMPLETED)
            if not begins.done():
                raise _StopsEarly
            begins.result()
        finally:
            begins.cancel()
            stops.cancel()

    async with serve(unpacked(setup["settings"]), asyncio.Event(), joins, setup["store_id"]) as running:
        say(f"fudaba serves on {running.address}")
        sys.stdout.flush()
        answering = asyncio.create_task(_answer(line, running.registry))
        stops = asyncio.create_task(stopped.wait())
        await asyncio.wait((stops, answering, running.working), return_when=asyncio.FIRST_COMPLETED)
        stops.cancel()
        if answering.done() and answering.exception() is not None:
            log.critical("a fault; stopping", exc_info=answering.exception())
            return 1
        answering.cancel()
        if running.working.done():
            log.critical("a fault; stopping", exc_info=running.working.exception())
            return 1
    return 0


async def _answer(line: Line, registry: CollectorRegistry) -> None:
    """Sends the metrics on request, until the line ends."""
    while True:
        try:
            _, number = await line.receive()
            # In a thread, as where a process has a page of its own.
            await line.send("metrics", [number, await asyncio.to_thread(families, registry)])
        except LineEnded:
            return


if __name__ == "__main__":
    main()
