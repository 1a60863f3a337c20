"""A worker: it takes blocks from the queue of an arena, and plays several at once."""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

import dramatiq

from fudaba.client import AsyncClient, Endpoint
from fudaba.v1 import accounts_pb2
from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.matches import store_retry
from fudaba_arena.play.queue import ACTOR, COMMANDS, HEARTBEAT_SECONDS, QUEUE, BlockQueue
from fudaba_arena.play.service import ServiceClient
from fudaba_arena.store.folder import connected
from fudaba_arena.workers.blocks import Blocks
from fudaba_arena.workers.players import Players

__all__ = ["Settings", "Worker", "check_scope", "working"]

_WAKE_MS: Final = 100
"""How often it looks into an empty queue at least."""
_STOP_MS: Final = 60_000
_ANSWER_SECONDS: Final = 20.0


@final
@dataclass(frozen=True, slots=True)
class Settings:
    """How one worker runs."""

    redis: str
    """The arena's store."""
    logs: Path
    """The folder of the output of bots that it starts."""
    blocks: int
    """How many blocks it plays at once."""
    bots: int
    """In how many seats bots that it starts play at once."""
    commands: Path | None = None
    """The folder in which the commands of bots are started; None to take no blocks with such bots."""
    grace: float = 10.0
    """How long matches in play may take to end when it is stopped, in seconds."""
    heartbeat_seconds: float = HEARTBEAT_SECONDS


@final
class Worker:
    """A worker that runs."""

    def __init__(self, name: str, blocks: Blocks, taking: dramatiq.Worker, grace: float) -> None:
        self.name = name
        """Unique among all workers of a store."""
        self._blocks = blocks
        self._taking = taking
        self._grace = grace
        self.hurry = asyncio.Event()
        """Set to wait no longer for matches in play when it stops."""

    async def stop(self) -> None:
        """Plays to the end what is in play, for as long as the grace says, and leaves the rest to others."""
        self._blocks.hold()
        stopping = asyncio.create_task(asyncio.to_thread(self._taking.stop, _STOP_MS))
        hurried = asyncio.create_task(self.hurry.wait())
        await asyncio.wait((stopping, hurried), timeout=self._grace, return_when=asyncio.FIRST_COMPLETED)
        hurried.cancel()
        await self._blocks.cut()
        await stopping


@asynccontextmanager
async def working(settings: Settings, service: Endpoint, metrics: Metrics, say: Say) -> AsyncIterator[Worker]:
    """A worker until the block is left; then it stops in order. Raises `ArenaError`, `ServiceError`."""
    name = f"{socket.gethostname()}-{secrets.token_hex(4)}"
    loop = asyncio.get_running_loop()
    async with AsyncExitStack() as stack:
        store = await connected(stack, settings.redis)
        client = ServiceClient(service, say, lambda _: metrics.service_errors.inc())
        stack.push_async_callback(client.close)
        await client.games()
        players = Players(client, settings.logs, settings.commands, metrics, say)
        stack.push_async_callback(players.close)
        queue = BlockQueue(settings.redis, settings.heartbeat_seconds)
        stack.push_async_callback(queue.close)
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        retry = store_retry(say, metrics)
        blocks = Blocks(name, store, client, players, retry, metrics, tasks, settings.bots, settings.heartbeat_seconds)

        def play_block(tournament: str, number: int, attempt: int) -> None:
            """Runs in a thread of Dramatiq's, which waits for the block."""
            asyncio.run_coroutine_threadsafe(blocks.play(tournament, number, attempt), loop).result()

        worker = Worker(name, blocks, _taking(queue, settings, play_block), settings.grace)
        stack.push_async_callback(worker.stop)
        yield worker


def _taking(queue: BlockQueue, settings: Settings, play_block: Callable[[str, int, int], None]) -> dramatiq.Worker:
    """Dramatiq's worker, which has started. It takes no more than it plays."""
    dramatiq.actor(actor_name=ACTOR, queue_name=QUEUE, broker=queue.broker)(play_block)
    if settings.commands is not None:
        queue.broker.declare_queue(COMMANDS)
    taking = dramatiq.Worker(queue.broker, worker_threads=settings.blocks, worker_timeout=_WAKE_MS)
    taking.queue_prefetch = settings.blocks
    taking.start()
    return taking


async def check_scope(service: Endpoint) -> None:
    """Checks that a worker's token is one for arenas. Raises `ArenaError`, and `ServiceError` for one of nobody."""
    client = AsyncClient(service.address, service.token, tls=service.tls, ca_cert=service.ca_cert)
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            found = await client.accounts.WhoAmI(accounts_pb2.WhoAmIRequest())
    except TimeoutError as error:
        raise ArenaError(f"the service at {service.address} does not answer") from error
    finally:
        await client.close()
    if found.token.scope != accounts_pb2.TOKEN_SCOPE_ARENA:
        raise ArenaError(
            "a worker wants a token of scope arena, and never more than that: an organiser makes one with `fudaba token"
            " create --scope arena`"
        )
