"""The targets of faults: a service, an arena, workers and two Redis, each a separate process, with a proxy in every
link.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Final, NamedTuple, final

from soak.chaos.proxy import Proxy
from soak.chaos.supervised import Supervised, thaw
from soak.chaos.topology import RedisNode
from tests.support.service.processes import FUDABA, free_port

__all__ = ["HEARTBEAT_SECONDS", "Link", "Machines", "Size"]

HEARTBEAT_SECONDS: Final = 3.0
"""The seconds after which a silent worker counts as dead."""
_GRACE_SECONDS: Final = 3
_WAIT_SECONDS: Final = 240.0


class Size(NamedTuple):
    """The numbers of machines and bots."""

    workers: int = 2
    blocks: int = 3
    """The number of blocks that a worker plays at once."""
    bots: int = 6
    """The number of seats that bots of a worker play at once."""


class Link(NamedTuple):
    """A connection that can be cut, by the parts that it joins."""

    name: str
    proxy: Proxy


@final
class Machines:
    """All processes and proxies of one ladder."""

    def __init__(self, folder: Path, size: Size) -> None:
        self.folder = folder
        self.size = size
        self.store = RedisNode(folder, "store", "always", None, mounts=False)
        """The service's Redis."""
        self.queue = RedisNode(folder, "queue", "always", None, mounts=False)
        """The Redis of the arena and its workers: results in database 0, the queue in database 1."""
        self.service_port = free_port()
        self.arena_port = free_port()
        self.organiser_token = folder / "organiser.token"
        self.arena_token = folder / "arena.token"
        self.commands = folder / "commands"
        """The folder in which commands of bots are started."""
        self.submissions = folder / "arena" / "submissions"
        """The folder where the arena keeps submissions."""
        self.commands.mkdir(parents=True)
        self.links: list[Link] = []
        self.workers: list[Supervised] = []
        self.service: Supervised
        self.arena: Supervised

    @property
    def service_address(self) -> str:
        """The address on which the service listens, without its proxy."""
        return f"127.0.0.1:{self.service_port}"

    @property
    def arena_address(self) -> str:
        """The address where the arena listens."""
        return f"127.0.0.1:{self.arena_port}"

    @property
    def queue_url(self) -> str:
        """The Redis of arena and workers, past all proxies."""
        return f"redis://127.0.0.1:{self.queue.port}/0"

    @property
    def bots_address(self) -> str:
        """The address to which the authors' own bots connect."""
        return self._link("bots and service").proxy.address

    @property
    def processes(self) -> list[Supervised]:
        """All its processes."""
        return [self.store.process, self.queue.process, self.service, self.arena, *self.workers]

    def _link(self, name: str) -> Link:
        return next(link for link in self.links if link.name == name)

    @contextlib.asynccontextmanager
    async def run(self) -> AsyncIterator[Machines]:
        """Starts everything, and keeps it running until the block is left."""
        async with contextlib.AsyncExitStack() as stack:
            for node in (self.store, self.queue):
                node.process.start()
                stack.push_async_callback(node.process.kill)
            await wait(self._redis_answer, "Redis answers")
            await self._open_links(stack)
            self.service = self._part("service", self._serve(), "fudaba serves on ")
            self.arena = self._part("arena", self._arena(), "arena serves on ")
            self.workers = [
                self._part(f"worker-{number}", self._worker(number), "plays as ") for number in range(self.size.workers)
            ]
            for process in (self.service, self.arena, *self.workers):
                stack.push_async_callback(_end, process)
                process.start()
                await wait(_serves(process), f"{process.name} serves", process.tail)
            watching = [asyncio.create_task(process.watch()) for process in self.processes]
            stack.push_async_callback(cancel, watching)
            yield self

    async def _open_links(self, stack: contextlib.AsyncExitStack) -> None:
        links = {"service and store": self.store.port, "arena and queue": self.queue.port}
        links |= {"arena and service": self.service_port, "bots and service": self.service_port}
        for number in range(self.size.workers):
            links |= {f"worker-{number} and queue": self.queue.port, f"worker-{number} and service": self.service_port}
        for name, port in links.items():
            self.links.append(Link(name, await stack.enter_async_context(Proxy(port).run())))

    def _part(self, name: str, options: list[str], says: str) -> Supervised:
        return Supervised(self.folder / "logs", name, lambda: [str(FUDABA), *options], {}, lambda log: says in log)

    def _redis(self, name: str) -> str:
        return f"redis://{self._link(name).proxy.address}/0"

    def _serve(self) -> list[str]:
        return [
            "serve", "--data", str(self.folder / "service"), "--listen", self.service_address,
            "--redis", self._redis("service and store"),
            "--organiser-token-file", str(self.organiser_token), "--arena-token-file", str(self.arena_token),
        ]  # fmt: skip

    def _arena(self) -> list[str]:
        return [
            "arena", "serve", "--workers", "--data", str(self.folder / "arena"), "--listen", self.arena_address,
            "--server", self._link("arena and service").proxy.address, "--token-file", str(self.arena_token),
            "--redis", self._redis("arena and queue"), "--commands", str(self.commands), "--grace", str(_GRACE_SECONDS),
        ]  # fmt: skip

    def _worker(self, number: int) -> list[str]:
        name = f"worker-{number}"
        return [
            "arena", "worker", "--server", self._link(f"{name} and service").proxy.address,
            "--redis", self._redis(f"{name} and queue"), "--token-file", str(self.arena_token),
            "--logs", str(self.folder / name), "--commands", str(self.commands), "--heartbeat", str(HEARTBEAT_SECONDS),
            "--blocks", str(self.size.blocks), "--bots", str(self.size.bots), "--grace", str(_GRACE_SECONDS),
            "--submissions", str(self.submissions), "--programs", str(self.folder / name / "programs"), "--host", name,
        ]  # fmt: skip

    async def _redis_answer(self) -> bool:
        return all([await node.answers() for node in (self.store, self.queue)])

    async def heal(self) -> None:
        """Ends all obstacles: everything runs, and every link works."""
        for link in self.links:
            link.proxy.heal()
        for process in self.processes:
            thaw(process)
            if not process.wanted:
                process.start()
        await wait(self._redis_answer, "Redis answers")


async def wait(
    condition: Callable[[], Awaitable[bool]], awaited: str, why: Callable[[], str] = str, seconds: float = _WAIT_SECONDS
) -> None:
    """Waits until the condition holds. Raises RuntimeError if it never does."""
    until = time.monotonic() + seconds
    while not await condition():
        if time.monotonic() > until:
            raise RuntimeError(f"{awaited}: that never came true. {why()}")
        await asyncio.sleep(0.1)


async def cancel(tasks: list[asyncio.Task[None]]) -> None:
    """Cancels tasks that would otherwise never end."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _end(process: Supervised) -> None:
    thaw(process)
    await process.kill()


def _serves(process: Supervised) -> Callable[[], Awaitable[bool]]:
    async def serves() -> bool:
        return process.serving

    return serves
