"""The work of `fudaba arena worker`, from its start to its stop. It follows the arena's store when that moves."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from fudaba.cli.connection import Connection
from fudaba.cli.output import say, say_error
from fudaba.client import Endpoint
from fudaba.errors import FudabaError, ServiceError
from fudaba.safe_text import safe_quoting
from fudaba_arena.errors import ArenaError
from fudaba_arena.metrics import Metrics
from fudaba_arena.sandbox.leftovers import sweep
from fudaba_arena.store.data_folder import noted_url
from fudaba_arena.store.store import StoreUnavailable
from fudaba_arena.workers.logs import LogsKept
from fudaba_arena.workers.worker import Settings, check_scope, store_is_of, working
from fudaba_serving.process.metrics_server import serve_metrics

__all__ = ["work"]

log = logging.getLogger("fudaba_arena")

_POLL_SECONDS: Final = 0.5


async def work(
    connection: Connection, redis: str | None, data: Path | None, listen: str | None, given: dict[str, Any]
) -> int:
    """Works until stopped. Returns the command's exit code.

    `redis` is the URL of the store; without it, `data` is the folder of an arena with its own store. `listen` is the
    address of the metrics, and `given` has the other `Settings`.
    """
    stopped, hurry = asyncio.Event(), asyncio.Event()

    def stop() -> None:
        (hurry if stopped.is_set() else stopped).set()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    metrics = Metrics()
    kept = LogsKept(given.pop("log_days"), given.pop("log_megabytes"))
    end_metrics = serve_metrics(listen, metrics.registry) if listen else lambda: None
    try:
        while not stopped.is_set():
            settings = Settings(redis=redis or _found(data), logs_kept=kept, **given)
            await _until_moved(connection, settings, metrics, data, stopped, hurry)
    except (ArenaError, FudabaError, StoreUnavailable) as error:
        say_error(str(error))
        return 1
    finally:
        end_metrics()
    return 0


def _sweep() -> None:
    """Removes what sandboxes of workers that died on this host have left."""
    try:
        for name in sweep():
            say(f"removed what the sandboxes of {name}, which died, have left")
    except OSError as error:
        say(f"what the sandboxes of a worker that died have left cannot be removed: {error}", err=True)


async def _until_moved(
    connection: Connection,
    settings: Settings,
    metrics: Metrics,
    data: Path | None,
    stopped: asyncio.Event,
    hurry: asyncio.Event,
) -> None:
    """Works until it is stopped, or until the arena's own store has moved."""
    endpoint = Endpoint(connection.server, connection.token, tls=connection.tls, ca_cert=connection.ca_cert)
    service_id = await _once_it_answers(endpoint, stopped)
    if service_id is None:
        return

    def goes_on() -> bool:
        return not stopped.is_set() and (data is None or _newest_url(data) in {"", settings.redis})

    waits = False
    while goes_on() and not await store_is_of(settings.redis, service_id, connection.server):
        if not waits:
            say("waiting for the arena, which has not announced its service yet")
            waits = True
        await _pause(stopped)
    if not goes_on():
        return
    _sweep()
    async with working(settings, endpoint, metrics, lambda line: log.info("%s", safe_quoting(line))) as running:
        say(f"fudaba arena worker plays as {running.name}")
        sys.stdout.flush()
        hurrying = asyncio.create_task(_hurry(hurry, running.hurry))
        while goes_on():
            await _pause(stopped)
        say("stopping" if stopped.is_set() else "the arena's store has moved")
        sys.stdout.flush()
    hurrying.cancel()


def _newest_url(data: Path) -> str:
    """Returns the noted URL of the store; empty if there is none, or if this process can open no file just now."""
    try:
        return noted_url(data)
    except OSError:
        return ""


async def _once_it_answers(endpoint: Endpoint, stopped: asyncio.Event) -> str | None:
    """Returns the service's id once it answers; None if the worker is stopped first.

    Raises `ArenaError` and `ServiceError` for an error that waiting does not end.
    """
    waits = False
    while not stopped.is_set():
        try:
            return await check_scope(endpoint)
        except ServiceError as error:
            if not error.retryable:
                raise
            if not waits:
                say(f"the service at {endpoint.address} is away ({error}); nothing is played until it answers")
                sys.stdout.flush()
                waits = True
        await _pause(stopped)
    return None


async def _pause(stopped: asyncio.Event) -> None:
    """Waits a while, or less if the worker is stopped."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_POLL_SECONDS):
            await stopped.wait()


async def _hurry(hurry_wanted: asyncio.Event, hurry: asyncio.Event) -> None:
    await hurry_wanted.wait()
    hurry.set()


def _found(data: Path | None) -> str:
    """Returns the current location of the store of an arena's folder. Raises `ArenaError`."""
    url = noted_url(data) if data is not None else ""
    if not url:
        raise ArenaError(
            f"no arena with a store of its own runs in {data}; start `fudaba arena serve --workers --data {data}`"
            " first, or give --redis if it has one elsewhere"
        )
    return url
