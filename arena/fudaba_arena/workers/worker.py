"""A worker: it takes blocks from the queue of an arena, and plays several at once."""

from __future__ import annotations

import asyncio
import math
import os
import secrets
import socket
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, final

from fudaba.client import AsyncClient, Endpoint
from fudaba.errors import ServiceError
from fudaba.v1 import accounts_pb2
from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.service.one_service import other_service
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.play.workers.block_queue import HEARTBEAT_SECONDS, BlockQueue
from fudaba_arena.play.workers.offers import Offers
from fudaba_arena.store.data_folder import connected
from fudaba_arena.store.store import Store, StoreUnavailable
from fudaba_arena.store.store_retry import store_retry
from fudaba_arena.store.workers.known_workers import (
    CONTENTS_SECONDS,
    PLAYING,
    STOPPED,
    Isolation,
    KnownWorker,
    address_of,
    profile_of,
)
from fudaba_arena.store.workers.runtimes import KnownRuntime
from fudaba_arena.workers import canary
from fudaba_arena.workers.blocks import Blocks
from fudaba_arena.workers.hosts import Hosts, this_host
from fudaba_arena.workers.logs import Logs, LogsKept
from fudaba_arena.workers.players import Players
from fudaba_arena.workers.sandbox_setup import SandboxSettings, sandboxed
from fudaba_arena.workers.submission_checker import SubmissionChecker
from fudaba_arena.workers.taking import Taking
from fudaba_arena.workers.timekeeping import LATE_SECONDS, Timekeeping
from fudaba_arena.workers.watch import Decisions, Watch

__all__ = ["Settings", "Worker", "check_scope", "store_is_of", "working"]

_ANSWER_TIMEOUT_SECONDS: Final = 20.0
_REPORT_INTERVAL_SECONDS: Final = 1.0
_LEAVE_TIMEOUT_SECONDS: Final = 5.0
_MAX_CHECKS_AT_ONCE: Final = max(2, os.cpu_count() or 1) + 1
"""The number of submissions that are checked at once: at least two of an account, since one that hangs takes little of
a core."""


@final
@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a worker."""

    redis: str
    """The arena's store."""
    logs: Path
    """The folder of the output of bots that it starts."""
    blocks: int
    """The number of blocks that it plays at once."""
    bots: int
    """The number of seats in which bots that it starts play at once."""
    cores: float
    """The number of cores that it has for submitted bots whose seats have some of their own."""
    commands: Path | None = None
    """The folder in which the commands of bots are started; None to take no blocks with such bots."""
    grace: float = 10.0
    """The time that matches in play may take to end when it is stopped, in seconds."""
    heartbeat_seconds: float = HEARTBEAT_SECONDS
    late_seconds: float = LATE_SECONDS
    """The time that a bot that answers at once elsewhere may take."""
    logs_kept: LogsKept = field(default_factory=LogsKept)
    sandbox: SandboxSettings | None = None
    """The sandbox in which it runs submitted bots; None for a worker that runs none."""
    host: str = ""
    """The name of its host: workers with the same name share caches. Empty for the name that the kernel gives."""

    @property
    def known_host(self) -> str:
        """The host on which it runs submitted bots; empty in pods of a cluster, which may be on any of its nodes."""
        in_pods = self.sandbox is not None and self.sandbox.pods is not None
        return self.host or ("" if in_pods else this_host())

    @property
    def bot_cores(self) -> float:
        """The number of cores for submitted bots; in pods those of a whole cluster, which shares them out."""
        return self.cores if self.sandbox is None or self.sandbox.pods is None else math.inf


@final
class Worker:
    """A worker that runs."""

    def __init__(
        self,
        name: str,
        settings: Settings,
        store: Store,
        blocks: Blocks,
        taking: Taking,
        watch: Watch,
        runtimes: tuple[KnownRuntime, ...],
        isolation: Isolation,
        hosts: Hosts,
    ) -> None:
        self.name = name
        """Unique among all workers of a store."""
        self._settings = settings
        self._store = store
        self._blocks = blocks
        self._taking = taking
        self._watch = watch
        self._runtimes = runtimes
        self._isolation = isolation
        self._hosts = hosts
        self._published = -math.inf
        """The time when it published their contents, by the monotonic clock."""
        self._tell = asyncio.Event()
        watch.changed = self._tell.set
        self.hurry = asyncio.Event()
        """Set to wait no longer for matches in play when it stops."""

    async def stop(self) -> None:
        """Plays to the end what is in play, for as long as the grace says, and leaves the rest to others."""
        self._blocks.hold()
        stopping = asyncio.create_task(self._taking.stop())
        hurried = asyncio.create_task(self.hurry.wait())
        await asyncio.wait((stopping, hurried), timeout=self._settings.grace, return_when=asyncio.FIRST_COMPLETED)
        hurried.cancel()
        await self._blocks.cut()
        await stopping

    async def leave(self) -> None:
        """Says that it is no more."""
        with suppress(StoreUnavailable, TimeoutError):  # the arena forgets this worker later, as if it were dead
            async with asyncio.timeout(_LEAVE_TIMEOUT_SECONDS):
                await self._store.workers.forget([self.name])
                await self._store.clocks.forget([self.name])

    async def tell(self) -> None:
        """Says how it is."""
        with suppress(StoreUnavailable):  # other users of the store report that it is away
            await self._publish()
            await self._store.workers.note(self._said())
            await self._store.clocks.note(self.name, await self._store.clocks.ahead())

    async def keep_telling(self) -> None:
        """Says for ever how it is."""
        while True:
            self._tell.clear()
            await self.tell()
            await self.look()
            with suppress(TimeoutError):
                async with asyncio.timeout(_REPORT_INTERVAL_SECONDS):
                    await self._tell.wait()

    async def look(self) -> None:
        """Looks which other workers there are, if it runs submitted bots."""
        if self._runtimes:
            await self._hosts.look()
            self._blocks.look()

    async def _publish(self) -> None:
        """Says what changes while it runs in nothing, now and then. Raises `StoreUnavailable`."""
        if self._published + CONTENTS_SECONDS / 4 < time.monotonic():
            await self._store.workers.publish(self.name, self._isolation, self._runtimes)
            self._published = time.monotonic()

    def _said(self) -> KnownWorker:
        return KnownWorker(
            self.name,
            STOPPED if self._watch.why else PLAYING,
            self._watch.why,
            self._blocks.count,
            self._settings.blocks,
            self._blocks.order.taken,
            self._settings.bots,
            self._settings.heartbeat_seconds,
            self._runtimes,
            commands=self._settings.commands is not None,
            isolation=self._isolation,
            host=self._settings.known_host,
            waiting=self._blocks.order.waiting,
        )


@asynccontextmanager
async def working(settings: Settings, service: Endpoint, metrics: Metrics, say: Say) -> AsyncIterator[Worker]:
    """Yields a worker until the block is left; then it stops in order. Raises `ArenaError`, `ServiceError`."""
    name = f"{socket.gethostname()}-{secrets.token_hex(4)}"
    async with AsyncExitStack() as stack:
        store = await connected(stack, settings.redis)
        client = ServiceClient(service, say, lambda _: metrics.service_errors.inc())
        stack.push_async_callback(client.close)
        await client.games()
        logs = Logs(settings.logs, settings.logs_kept)
        runs = None
        if settings.sandbox is not None:
            runs = await stack.enter_async_context(sandboxed(settings.sandbox, store, client, settings.bots, say))
        if runs is not None:
            metrics.show_programs(runs.cache.total_bytes, runs.cache.most_bytes)
        players = Players(client, logs, settings.commands, metrics, say, runs.bots if runs is not None else None)
        stack.push_async_callback(players.close)
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        retry = store_retry(say, metrics)
        kept = Timekeeping(settings.late_seconds)
        look = Decisions(client, kept).look
        queue = BlockQueue(settings.redis, settings.heartbeat_seconds)
        stack.push_async_callback(queue.close)
        hosts = Hosts(settings.known_host, Offers(store.workers), queue, say)
        bots, cores, heartbeat = settings.bots, settings.bot_cores, settings.heartbeat_seconds
        blocks = Blocks(name, store, client, players, retry, metrics, tasks, bots, cores, heartbeat, look, hosts)
        known = tuple(runtime.known() for runtime in runs.runtimes.known) if runs is not None else ()
        taking = _taking(settings, blocks, known)
        watch = Watch(blocks, taking, kept, metrics, say)
        if runs is not None:
            runs.bots.broken = watch.broken
        isolation = runs.isolation if runs is not None else Isolation()
        worker = Worker(name, settings, store, blocks, taking, watch, known, isolation, hosts)
        singing = canary.watch(_plain_environment(), settings.logs / "canary.log", watch.noted, say)
        stack.push_async_callback(worker.leave)
        await worker.tell()
        await worker.look()
        stack.push_async_callback(_end, tasks.create_task(worker.keep_telling()))
        taking.start()
        stack.push_async_callback(worker.stop)
        beside = [singing, watch.run(), logs.keep_sweeping(say)]
        if runs is not None:
            meets = {needs for runtime in known for needs in runtime.meets}
            trial, lease_ms = (runs.trial, runs.folders), int(heartbeat * 1000)
            checker = SubmissionChecker(name, store, client, *trial, meets, retry, lease_ms, say, _MAX_CHECKS_AT_ONCE)
            beside.append(checker.run())
        for work in beside:
            stack.push_async_callback(_end, tasks.create_task(work))
        yield worker


def _taking(settings: Settings, blocks: Blocks, runtimes: tuple[KnownRuntime, ...]) -> Taking:
    """Returns what takes from the queue the blocks that this worker can play, and plays them."""
    loop = asyncio.get_running_loop()

    def play_block(tournament: str, number: int, attempt: int) -> None:
        """Runs in a thread of Dramatiq's, which waits for the block."""
        asyncio.run_coroutine_threadsafe(blocks.play(tournament, number, attempt), loop).result()

    profile = profile_of(runtimes) if runtimes else ""
    return Taking(
        settings.redis,
        settings.heartbeat_seconds,
        settings.blocks,
        play_block,
        commands=settings.commands is not None,
        profile=profile,
        address=address_of(profile, settings.known_host) if runtimes else "",
    )


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])


def _plain_environment() -> dict[str, str]:
    """Returns the environment without what is for this worker alone."""
    return {name: value for name, value in os.environ.items() if not name.startswith("FUDABA_")}


async def check_scope(service: Endpoint) -> str:
    """Checks that a worker's token is one for arenas. Returns which service this is, empty where it does not tell.

    Raises `ArenaError`, and `ServiceError` for a token of nobody, or where the service does not answer.
    """
    client = AsyncClient(service.address, service.token, tls=service.tls, ca_cert=service.ca_cert)
    try:
        async with asyncio.timeout(_ANSWER_TIMEOUT_SECONDS):
            found = await client.accounts.WhoAmI(accounts_pb2.WhoAmIRequest())
    except TimeoutError as error:
        raise ServiceError("DEADLINE_EXCEEDED", f"the service at {service.address} does not answer") from error
    finally:
        await client.close()
    if found.token.scope != accounts_pb2.TOKEN_SCOPE_ARENA:
        raise ArenaError(
            "a worker takes a token of scope arena, and no other: an organiser makes one with `fudaba token create "
            "--scope arena`"
        )
    return found.service_id


async def store_is_of(redis: str, service_id: str, address: str) -> bool:
    """Returns whether the store is of this service; False as long as no arena has said whose it is, or it is away.

    Raises `ArenaError` when it is another service's.
    """
    if not service_id:
        return True  # a service of an earlier release does not give an id
    try:
        async with AsyncExitStack() as stack:
            store = await connected(stack, redis)
            await store.clocks.check("this worker")
            noted = await store.service.noted()
    except StoreUnavailable:
        return False
    if noted not in {"", service_id}:
        raise ArenaError(
            f"{other_service(noted, service_id, address)}. Name the arena's service with --server, or the --redis of"
            " the arena that plays on this one"
        )
    return bool(noted)
