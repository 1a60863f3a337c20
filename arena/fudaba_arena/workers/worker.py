"""A worker: it takes blocks from an arena's queue, and plays several at once."""

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
from fudaba_arena.workers.block_consumer import BlockConsumer
from fudaba_arena.workers.blocks import Blocks
from fudaba_arena.workers.hosts import Hosts, this_host
from fudaba_arena.workers.logs import Logs, LogsKept
from fudaba_arena.workers.players import Players
from fudaba_arena.workers.sandbox_setup import SandboxSettings, sandboxed
from fudaba_arena.workers.submission_checker import SubmissionChecker
from fudaba_arena.workers.timekeeping import LATE_SECONDS, Timekeeping
from fudaba_arena.workers.watch import Decisions, Watch

__all__ = ["Settings", "Worker", "check_scope", "store_is_of", "working"]

_ANSWER_TIMEOUT_SECONDS: Final = 20.0
_REPORT_INTERVAL_SECONDS: Final = 1.0
_LEAVE_TIMEOUT_SECONDS: Final = 5.0
_MAX_CHECKS_AT_ONCE: Final = max(2, os.cpu_count() or 1) + 1
"""The number of simultaneous checks: at least two for an account, since a hanging one uses little of a core."""


@final
@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a worker."""

    redis: str
    """The arena's store."""
    logs: Path
    """The folder for the output of the bots that it starts."""
    blocks: int
    """The number of blocks that it plays at once."""
    bots: int
    """The number of seats in which its bots play at once."""
    cores: float
    """The number of cores for submitted bots that have their own."""
    commands: Path | None = None
    """The folder in which the commands of bots start; None to take no blocks with such bots."""
    grace_seconds: float = 10.0
    """The time, in seconds, that matches in play may take when it is stopped."""
    heartbeat_seconds: float = HEARTBEAT_SECONDS
    late_seconds: float = LATE_SECONDS
    """The time that a bot that answers at once elsewhere may take here."""
    logs_kept: LogsKept = field(default_factory=LogsKept)
    sandbox: SandboxSettings | None = None
    """The sandbox for submitted bots; None for a worker that runs none."""
    host: str = ""
    """The name of its host. Workers with the same name share caches. Empty for the kernel's name."""

    @property
    def known_host(self) -> str:
        """The host on which it runs submitted bots; empty in pods of a cluster, which may be on any node."""
        in_pods = self.sandbox is not None and self.sandbox.pods is not None
        return self.host or ("" if in_pods else this_host())

    @property
    def bot_cores(self) -> float:
        """The number of cores for submitted bots. For pods, these are the cores of a whole cluster, which assigns
        them.
        """
        return self.cores if self.sandbox is None or self.sandbox.pods is None else math.inf


@final
class Worker:
    """A running worker."""

    def __init__(
        self,
        name: str,
        settings: Settings,
        store: Store,
        blocks: Blocks,
        consumer: BlockConsumer,
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
        self._consumer = consumer
        self._watch = watch
        self._runtimes = runtimes
        self._isolation = isolation
        self._hosts = hosts
        self._published = -math.inf
        """The monotonic time at which it published their contents."""
        self._tell = asyncio.Event()
        watch.changed = self._tell.set
        self.hurry = asyncio.Event()
        """Set to stop without waiting for matches in play."""

    async def stop(self) -> None:
        """Plays on for as long as the grace allows, and leaves the rest to others."""
        self._blocks.hold()
        stopping = asyncio.create_task(self._consumer.stop())
        hurried = asyncio.create_task(self.hurry.wait())
        await asyncio.wait(
            (stopping, hurried), timeout=self._settings.grace_seconds, return_when=asyncio.FIRST_COMPLETED
        )
        hurried.cancel()
        await self._blocks.cut()
        await stopping

    async def leave(self) -> None:
        """Reports that it has gone."""
        with suppress(StoreUnavailable, TimeoutError):  # the arena forgets this worker later, as if it were dead
            async with asyncio.timeout(_LEAVE_TIMEOUT_SECONDS):
                await self._store.workers.forget([self.name])
                await self._store.clocks.forget([self.name])

    async def tell(self) -> None:
        """Reports its state."""
        with suppress(StoreUnavailable):  # other users of the store report that it is away
            await self._publish()
            await self._store.workers.note(self._said())
            await self._store.clocks.note(self.name, await self._store.clocks.ahead())

    async def keep_telling(self) -> None:
        """Reports its state until cancelled."""
        while True:
            self._tell.clear()
            await self.tell()
            await self.refresh()
            with suppress(TimeoutError):
                async with asyncio.timeout(_REPORT_INTERVAL_SECONDS):
                    await self._tell.wait()

    async def refresh(self) -> None:
        """Looks for other workers, if it runs submitted bots."""
        if self._runtimes:
            await self._hosts.refresh()
            self._blocks.look_again()

    async def _publish(self) -> None:
        """Publishes at intervals what does not change while it runs. Raises `StoreUnavailable`."""
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
            stopped_by=self._watch.stopped_by,
        )


@asynccontextmanager
async def working(settings: Settings, service: Endpoint, metrics: Metrics, say: Say) -> AsyncIterator[Worker]:
    """Yields a worker until the context is left; then it stops in order. Raises `ArenaError`, `ServiceError`."""
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
        on_match_over = Decisions(client, kept).on_match_over
        queue = BlockQueue(settings.redis, settings.heartbeat_seconds)
        stack.push_async_callback(queue.close)
        hosts = Hosts(settings.known_host, Offers(store.workers), queue, say)
        bots, cores, heartbeat = settings.bots, settings.bot_cores, settings.heartbeat_seconds
        blocks = Blocks(
            name, store, client, players, retry, metrics, tasks, bots, cores, heartbeat, on_match_over, hosts
        )
        known = tuple(runtime.known() for runtime in runs.runtimes.known) if runs is not None else ()
        consumer = _block_consumer(settings, blocks, known)
        watch = Watch(blocks, consumer, kept, metrics, say)
        players.broken = watch.broken
        if runs is not None:
            runs.bots.broken = watch.broken
        isolation = runs.isolation if runs is not None else Isolation()
        stack.enter_context(client.maintenance.followed(blocks.look_again))
        worker = Worker(name, settings, store, blocks, consumer, watch, known, isolation, hosts)
        singing = canary.watch(_plain_environment(), settings.logs / "canary.log", watch.noted, say)
        stack.push_async_callback(worker.leave)
        await worker.tell()
        await worker.refresh()
        stack.push_async_callback(_end, tasks.create_task(worker.keep_telling()))
        consumer.start()
        stack.push_async_callback(worker.stop)
        beside = [singing, watch.run(), logs.keep_sweeping(say), client.watch_maintenance(say)]
        if runs is not None:
            meets = {needs for runtime in known for needs in runtime.meets}
            trial, lease_ms = (runs.trial, runs.folders), int(heartbeat * 1000)
            checker = SubmissionChecker(name, store, client, *trial, meets, retry, lease_ms, say, _MAX_CHECKS_AT_ONCE)
            beside.append(checker.run())
        for work in beside:
            stack.push_async_callback(_end, tasks.create_task(work))
        yield worker


def _block_consumer(settings: Settings, blocks: Blocks, runtimes: tuple[KnownRuntime, ...]) -> BlockConsumer:
    """Returns the taker of blocks, which takes from the queue the blocks that this worker can play."""
    loop = asyncio.get_running_loop()

    def play_block(tournament: str, number: int, attempt: int) -> None:
        """Plays a block. It runs in one of Dramatiq's threads, which waits for the block."""
        asyncio.run_coroutine_threadsafe(blocks.play(tournament, number, attempt), loop).result()

    profile = profile_of(runtimes) if runtimes else ""
    return BlockConsumer(
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
    """Returns the environment without the worker's own variables."""
    return {name: value for name, value in os.environ.items() if not name.startswith("FUDABA_")}


async def check_scope(service: Endpoint) -> str:
    """Checks that a worker's token has the scope of arenas. Returns the service's id, empty if it does not tell.

    Raises `ArenaError`, and `ServiceError` for an unknown token, or if the service does not answer.
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
    """Returns whether the store belongs to this service; False while no arena has noted that, or the store is away.

    Raises `ArenaError` if it belongs to another service.
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
