"""A service of several processes: starts them together, keeps them running, stops them together."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import replace
from typing import Final, final

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric

from fudaba.cli.output import say
from fudaba.supervisor import Child, NotStarted
from fudaba_service.accounts.tokens import Tokens
from fudaba_service.metrics.service_metrics import Metrics
from fudaba_service.processes.line import Line, LineEnded, packed
from fudaba_service.processes.metrics_page import Counted, Families, MetricsPage, families, merged
from fudaba_service.processes.port import reserve
from fudaba_service.settings import Settings
from fudaba_service.startup.server import RunningService
from fudaba_service.startup.stores import open_stores
from fudaba_service.startup.tokens import make_tokens
from fudaba_service.store import CLOCK
from fudaba_serving.grpc.binding import CannotStart
from fudaba_serving.grpc.certificate import credentials
from fudaba_serving.process import open_files
from fudaba_serving.process.metrics_server import MetricsNotServed, serve_metrics
from fudaba_serving.process.tasks import BackgroundTasks, cancel

__all__ = ["StoppedEarly", "serve_several"]

log = logging.getLogger(__name__)

_SERVES: Final = re.compile(r"^fudaba serves on (\S+)$")
_PROGRAM: Final = (sys.executable, "-m", "fudaba_service.processes.replica")
"""The program. Its number is an argument, so that a list of processes shows it."""
_ANSWER_TIMEOUT_SECONDS: Final = 2.0
"""The time in which a process must send its metrics. For a frozen process, its last metrics count."""
_SCRAPE_TIMEOUT_SECONDS: Final = 30.0
_STOP_TIMEOUT_SECONDS: Final = 5.0
"""The time that a process may take to stop beyond the grace of its calls."""
_SUPERVISOR: Final = "0"


@final
class StoppedEarly(Exception):
    """The service was stopped before all of its processes served."""


@final
class _Replica:
    """One of the processes."""

    def __init__(
        self, number: int, settings: Settings, store_id: str, begins: asyncio.Event, tasks: BackgroundTasks
    ) -> None:
        self.counted = Counted()
        self.ready = asyncio.Event()
        """Set once it can begin to serve."""
        self._settings = settings
        self._store_id = store_id
        """The id of the store that all of them have: none of them ever takes another one, such as one that came back
        empty."""
        self._begins = begins
        self._tasks = tasks
        self._line: Line | None = None
        self._asked = 0
        self._answer: asyncio.Future[Families] | None = None
        self._asking = asyncio.Lock()
        self.child = Child(
            f"process {number}",
            lambda _: (*_PROGRAM, str(number)),
            _SERVES,
            _print_line,
            os.environ | {"PYTHONUNBUFFERED": "1"},
            # Without the process that supervises, and its store, there is nothing that it could end in good order.
            end_with=signal.SIGKILL,
            channel=self._started,
            hung_seconds=settings.hung_after,
        )

    def _started(self, end: socket.socket) -> None:
        self._tasks.spawn(self._talk(end))

    async def _talk(self, end: socket.socket) -> None:
        """Talks to the process from its start to its end."""
        line = await Line.over(end)
        try:
            about = {"level": logging.getLogger().level, "store_id": self._store_id}
            await line.send("settings", {"settings": packed(self._settings)} | about)
            await line.receive()
            self.ready.set()
            await self._begins.wait()
            await line.send("begin")
            self._line = line
            while True:
                _, (number, metrics) = await line.receive()
                if self._answer is not None and not self._answer.done() and number == self._asked:
                    self._answer.set_result(metrics)
        except LineEnded:
            return
        finally:
            if self._line is line:
                self._line = None
            self.counted.ended()
            line.close()

    async def ask(self) -> None:
        """Asks the process for its metrics, if it can answer."""
        async with self._asking:
            line = self._line
            if line is None:
                return
            self._asked += 1
            self._answer = asyncio.get_running_loop().create_future()
            try:
                async with asyncio.timeout(_ANSWER_TIMEOUT_SECONDS):
                    await line.send("metrics", self._asked)
                    latest = await self._answer
            except (LineEnded, TimeoutError):
                return
            if self._line is line:
                self.counted.latest = latest


def _print_line(name: str, line: str) -> None:
    """Writes a process's line into the common log."""
    if _SERVES.search(line):
        log.info("%s serves", name)
    else:
        say(f"{name} | {line}", err=True)


@asynccontextmanager
async def serve_several(
    settings: Settings, stopped: asyncio.Event, hurry: asyncio.Event
) -> AsyncIterator[RunningService]:
    """Runs a service of `settings.processes` processes until the context is left; then all of them stop gracefully.

    Once `hurry` is set, it does not wait for any of them. This process has the embedded store, makes the tokens and
    serves the metrics. Raises `CannotStart` and related errors, and `StoppedEarly` if `stopped` is set before all
    processes can serve: each may take long to reach a store that is away.
    """
    credentials(settings.tls_cert, settings.tls_key)
    open_files.raise_limit()
    metrics, begins = Metrics(), asyncio.Event()
    async with AsyncExitStack() as stack:
        stack.callback(metrics.follow_log())
        tasks = BackgroundTasks(lambda: metrics.task_error("processes"))
        opened = await open_stores(stack, settings, metrics)
        address = reserve(stack.enter_context(ExitStack()), settings.listen)
        seats = settings.seats_listen
        each = replace(
            settings,
            processes=1,
            listen=address,
            seats_listen=None if seats is None else reserve(stack.enter_context(ExitStack()), seats),
            redis=opened.redis_url,
            accept_risk=(*settings.accept_risk, CLOCK),  # a process that restarts is not the start of the service
            metrics=None,
            new_organiser_token=False,
            organiser_token_file=None,
            arena_token_file=None,
            gateway_token_file=None,
        )
        store_id = opened.store.service_id
        replicas = [_Replica(number + 1, each, store_id, begins, tasks) for number in range(settings.processes)]
        registry = CollectorRegistry()
        registry.register(MetricsPage(_asker(metrics, replicas)))
        if settings.metrics is not None:
            stack.callback(_page(settings.metrics, registry))
        stack.push_async_callback(tasks.cancel)
        working = asyncio.create_task(_keep(replicas))
        stack.push_async_callback(cancel, working)
        stack.push_async_callback(_stop, replicas, settings.grace_seconds, hurry)
        await _all(working, [replica.ready for replica in replicas], stopped)
        # Last of all that can fail: a token that was made is told. So from here on a stop waits until all serve.
        made = await make_tokens(settings, Tokens(opened.store, tasks))
        begins.set()
        await _all(working, [replica.child.ready for replica in replicas], asyncio.Event())
        yield RunningService(address, made, working, registry, opened.redis_url)


async def _keep(replicas: Sequence[_Replica]) -> None:
    """Keeps all of them running until they are stopped. Raises `CannotStart` if one cannot be started at first."""
    try:
        async with asyncio.TaskGroup() as keeping:
            for replica in replicas:
                keeping.create_task(replica.child.keep())
    except* NotStarted as group:
        names = sorted({error.name for error in group.exceptions if isinstance(error, NotStarted)})
        raise CannotStart(
            f"{' and '.join(names)} of the service ended before serving; what is said above in that name tells why"
        ) from group


async def _all(working: asyncio.Task[None], events: Sequence[asyncio.Event], stopped: asyncio.Event) -> None:
    """Waits for all events. Raises the error that ended the work before, or `StoppedEarly`."""
    waiting = [asyncio.create_task(event.wait()) for event in events]
    stops = asyncio.create_task(stopped.wait())
    try:
        for event_wait in waiting:
            await asyncio.wait((event_wait, working, stops), return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                working.result()
            if stops.done():
                raise StoppedEarly
    finally:
        await cancel(*waiting, stops)


async def _stop(replicas: Sequence[_Replica], grace_seconds: float, hurry: asyncio.Event) -> None:
    """Stops all processes at once, so that no bot moves from one stopping process to the next. Leaves none running."""
    hurried = asyncio.create_task(hurry.wait())
    stopping = asyncio.gather(
        *(stopped_replica.child.stop(2 * grace_seconds + _STOP_TIMEOUT_SECONDS) for stopped_replica in replicas)
    )
    try:
        await asyncio.wait((hurried, stopping), return_when=asyncio.FIRST_COMPLETED)
        if not stopping.done():
            for replica in replicas:
                replica.child.end()
        await stopping
    finally:
        await cancel(hurried)


def _asker(metrics: Metrics, replicas: Sequence[_Replica]) -> Callable[[], list[Metric]]:
    """Returns the function with which a scrape's thread asks all processes."""
    loop, own = asyncio.get_running_loop(), Counted()
    all_of_them = {_SUPERVISOR: own} | {str(number): replica.counted for number, replica in enumerate(replicas, 1)}

    async def asked() -> list[Metric]:
        await asyncio.gather(*(replica.ask() for replica in replicas))
        own.latest = families(metrics.registry)
        return list(merged(all_of_them))

    return lambda: asyncio.run_coroutine_threadsafe(asked(), loop).result(_SCRAPE_TIMEOUT_SECONDS)


def _page(listen: str, registry: CollectorRegistry) -> Callable[[], None]:
    try:
        return serve_metrics(listen, registry)
    except MetricsNotServed as error:
        raise CannotStart(str(error)) from error
