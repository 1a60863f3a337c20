"""The targets of faults: replicas of the service on one Redis, or on two with replication, with a proxy in every
link.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import subprocess
import time
from collections import deque
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final, final

import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from soak.chaos.clocks import Clock
from soak.chaos.disks import Disk
from soak.chaos.proxy import Proxy
from soak.chaos.sentinel import Sentinel
from soak.chaos.supervised import Supervised, thaw
from tests.support.service.processes import FUDABA, free_port
from tests.support.service.servers import store_server

__all__ = ["RedisNode", "Replica", "Topology"]

_AOF_DISK_MB: Final = 128
_ARCHIVE_DISK_MB: Final = 96
_MAX_SIZE_SAMPLES: Final = 200
_SAMPLE_SECONDS: Final = 0.02
_START_TIMEOUT_SECONDS: Final = 60.0
_REPLICATION_LAG_SECONDS: Final = 0.3
"""The lag of the replica of Redis, in seconds."""
_MAX_FOLLOWING_SECONDS: Final = 2.0
"""The time after which no replica of the service writes to a master that a Sentinel has replaced. They follow within a
second; the rest is for a busy machine.
"""
_NO_CLIENT: Final = (RedisError, OSError, TimeoutError)


@final
class RedisNode:
    """A Valkey or Redis. `follows` is the port of its primary; 0 for none."""

    def __init__(self, folder: Path, name: str, fsync: str, library: Path | None, *, mounts: bool) -> None:
        self.disk = Disk(folder / name, _AOF_DISK_MB, mounts=mounts)
        self.clock = Clock(folder / f"{name}.clock", library)
        self.port = free_port()
        self.follows = 0
        self._fsync = fsync
        self.process = Supervised(
            folder / "logs", name, self._command, self.clock.environment, lambda log: "Ready to accept" in log
        )
        self.process.before_start = self._repair
        self.repairs = 0
        """The number of times that its file had to be repaired by hand before it started."""
        self._sizes: deque[tuple[float, Path, int]] = deque(maxlen=_MAX_SIZE_SAMPLES)

    def _command(self) -> list[str]:
        follows = ["--replicaof", f"127.0.0.1 {self.follows}"] if self.follows else []
        return [
            str(store_server()), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.disk.folder),
            "--save", "", "--appendonly", "yes", "--appendfsync", self._fsync, "--repl-diskless-sync-delay", "0",
            "--repl-timeout", "60", "--maxmemory-policy", "noeviction", *follows,
        ]  # fmt: skip

    @property
    def tail_file(self) -> Path | None:
        """The file to which it appends."""
        files = self.disk.folder.glob("appendonlydir/*.incr.aof")
        return max(files, key=lambda file: int(file.name.split(".")[-3]), default=None)

    async def sample(self) -> None:
        """Repeatedly notes the length of the file, for `power_cut`."""
        while True:
            await asyncio.sleep(_SAMPLE_SECONDS)
            file = self.tail_file
            if file is not None:
                with contextlib.suppress(OSError):
                    self._sizes.append((time.monotonic(), file, file.stat().st_size))

    def lose(self, seconds: float, torn: int) -> int:
        """Removes what was written in the last seconds, except some bytes. Returns the number of bytes."""
        file, since = self.tail_file, time.monotonic() - seconds
        if file is None:
            return 0
        known = [size for at, path, size in self._sizes if path == file and at <= since]
        if not known:
            return 0
        length = file.stat().st_size
        keep = min(length, known[-1] + torn)
        with file.open("r+b") as opened:
            opened.truncate(keep)
        return length - keep

    def _repair(self) -> None:
        """Repairs the file, as an operator does when Redis does not start because of it."""
        log = self.process.process.log
        if "-check-aof --fix" in log or "Bad file format" in log:
            self.repairs += 1
            manifest = next(self.disk.folder.glob("appendonlydir/*.manifest"), None)
            if manifest is not None:
                server = store_server()  # it is its own checker, under another name
                command = [server.name.replace("server", "check-aof"), "--fix", str(manifest)]
                subprocess.run(command, executable=server, input=b"y\n", capture_output=True, check=False)

    async def tell(self, *command: Any) -> Any:
        """Sends a command directly, without proxies. Raises RedisError or OSError."""
        client: Any = redis.asyncio.Redis(
            port=self.port, socket_timeout=3, socket_connect_timeout=3, retry=Retry(NoBackoff(), 0)
        )
        async with client:
            return await client.execute_command(*command)

    async def answers(self) -> bool:
        """Returns whether it answers now and is not loading."""
        try:
            return bool(await self.tell("PING"))
        except _NO_CLIENT:
            return False

    async def follows_now(self) -> bool:
        """Returns whether it reports itself as a replica."""
        try:
            info = await self.tell("INFO", "replication")
        except _NO_CLIENT:
            return False
        return isinstance(info, dict) and info.get("role") == "slave"

    async def in_step(self) -> bool:
        """Returns whether it follows a primary and has everything that was there when it began to follow."""
        try:
            info = await self.tell("INFO", "replication")
        except _NO_CLIENT:
            return False
        return isinstance(info, dict) and info.get("master_link_status") == "up"


@final
class Replica:
    """A `fudaba serve`, with a proxy to Redis and one for its bots."""

    def __init__(
        self, folder: Path, number: int, data: Path, store: Proxy, bots: Proxy, library: Path | None, url: str,
        processes: int,
    ) -> None:  # fmt: skip
        self.name = f"replica-{number}"
        self.number = number
        self.store = store
        self.bots = bots
        self.port = bots.target
        self.clock = Clock(folder / f"{self.name}.clock", library)
        self.token_file = folder / "organiser.token"
        options = [
            "--data", str(data), "--listen", f"127.0.0.1:{self.port}", "--redis", url,
            "--calls-per-second", "0", "--messages-per-second", "0", "--organiser-token-file", str(self.token_file),
            "--processes", str(processes),
            "--accept-risk", "time",  # clocks are set wrong while it runs, and it is started again
        ]  # fmt: skip
        self.process = Supervised(
            folder / "logs",
            self.name,
            lambda: [str(FUDABA), "serve", *options],
            self.clock.environment,
            lambda log: "fudaba serves on " in log,
        )

    @property
    def address(self) -> str:
        """Its own address, for callers that are not bots."""
        return f"127.0.0.1:{self.port}"

    @property
    def serves(self) -> bool:
        """Whether it has finished starting."""
        return self.process.running and "fudaba serves on " in self.process.process.log


@final
class Topology:
    """All processes and proxies of one deployment."""

    def __init__(
        self, folder: Path, deployment: str, replicas: int, library: Path | None, *, mounts: bool, processes: int = 1
    ) -> None:
        self.folder = folder
        self.deployment = deployment
        fsync = "everysec" if deployment == "everysec" else "always"
        names = ["redis-a", "redis-b"] if deployment in {"failover", "sentinel"} else ["redis-a"]
        self.nodes = [RedisNode(folder, name, fsync, library, mounts=mounts) for name in names]
        self.primary = self.nodes[0]
        self.archive = Disk(folder / "data", _ARCHIVE_DISK_MB, mounts=mounts)
        self.replicas: list[Replica] = []
        self.following = Proxy(self.primary.port)
        """The link from the replica of Redis to its primary."""
        self.switched = 0.0
        """The monotonic time of the last failover: after it no acknowledgement of the previous primary may count."""
        self.sentinel = Sentinel(folder, self.primary.port) if deployment == "sentinel" else None
        self._processes = processes
        self._count = replicas
        self._library = library

    @property
    def follower(self) -> RedisNode | None:
        """The replica of Redis, if there is one."""
        return next((node for node in self.nodes if node is not self.primary), None)

    @property
    def processes(self) -> list[Supervised]:
        """All its processes."""
        sentinels = [self.sentinel.process] if self.sentinel is not None else []
        return [*(node.process for node in self.nodes), *sentinels, *(replica.process for replica in self.replicas)]

    def bot_addresses(self) -> list[str]:
        """Returns the addresses for bots."""
        return [replica.bots.address for replica in self.replicas]

    @contextlib.asynccontextmanager
    async def run(self) -> AsyncIterator[Topology]:
        """Starts everything, and keeps it running until the context is left."""
        tasks: list[asyncio.Task[None]] = []
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(self._unmount)
            stack.push_async_callback(self._end)
            await stack.enter_async_context(self.following.run())
            for node in self.nodes:
                if node is not self.primary:
                    node.follows = self.following.port if self.sentinel is None else self.primary.port
                node.process.start()
            await self._wait(self._redis_ready, "Redis did not start")
            self.following.delay(_REPLICATION_LAG_SECONDS / 2)
            if self.sentinel is not None:
                self.sentinel.process.start()
                await self._wait(self.sentinel.knows_the_replica, "the Sentinel does not know both servers")
            for number in range(self._count):
                store, bots = Proxy(self.primary.port), Proxy(free_port())
                await stack.enter_async_context(store.run())
                await stack.enter_async_context(bots.run())
                url = f"redis://127.0.0.1:{store.port}/0" if self.sentinel is None else self.sentinel.url
                replica = Replica(
                    self.folder, number, self.archive.folder, store, bots, self._library, url, self._processes
                )
                self.replicas.append(replica)
                replica.process.start()
                await self._wait(lambda replica=replica: _done(replica.serves), f"{replica.name} did not start")
            tasks += [asyncio.create_task(process.watch()) for process in self.processes]
            tasks += [asyncio.create_task(node.sample()) for node in self.nodes]
            stack.push_async_callback(_cancel, tasks)
            yield self

    async def _redis_ready(self) -> bool:
        if not all([await node.answers() for node in self.nodes]):
            return False
        return self.follower is None or await self.follower.in_step()

    async def _wait(self, condition: Any, failure: str) -> None:
        until = time.monotonic() + _START_TIMEOUT_SECONDS
        while not await condition():
            if time.monotonic() > until:
                logs = "\n".join(process.process.log[-2000:] for process in self.processes)
                raise RuntimeError(f"{failure}:\n{logs}")
            await asyncio.sleep(0.05)

    async def failover(self, pause: float, *, first_dies: bool) -> None:
        """Promotes the replica of Redis. The old primary dies, and comes back as its replica."""
        old, new = self.primary, self.follower
        assert new is not None
        if self.sentinel is not None:
            await self._sentinel_fails_over(self.sentinel, old, new, pause, first_dies=first_dies)
            return
        if first_dies:
            await old.process.kill()
            self.switched = time.monotonic()
            for replica in self.replicas:
                replica.store.reset()
            await asyncio.sleep(pause)
        await new.tell("REPLICAOF", "NO", "ONE")
        self.primary, new.follows = new, 0
        for replica in self.replicas:
            replica.store.target = new.port
            replica.store.reset()
        if not first_dies:
            self.switched = time.monotonic()
            await asyncio.sleep(pause)
            await old.process.kill()
        self.following.reset()
        self.following.target = new.port
        old.follows = self.following.port
        old.process.start()

    async def _sentinel_fails_over(
        self, sentinel: Sentinel, old: RedisNode, new: RedisNode, pause: float, *, first_dies: bool
    ) -> None:
        """Fails over by Sentinel, from a server that has died or from a live one that becomes a replica."""
        if first_dies:
            await old.process.kill()
            self.switched = time.monotonic()
            await asyncio.sleep(pause)
        await self._wait(sentinel.begins_failover, "the Sentinel does not fail over")
        await self._wait(lambda: sentinel.has_failed_over(new.port), "the Sentinel has not failed over")
        self.primary, new.follows, old.follows = new, 0, new.port
        named = time.monotonic()
        if not first_dies:
            await self._wait(old.follows_now, "the old master was not made a replica")
            self.switched = min(time.monotonic(), named + _MAX_FOLLOWING_SECONDS)
        elif not old.process.running:
            old.process.start()

    async def heal(self) -> None:
        """Ends all obstacles: everything runs, and every link works. Wall clocks stay as they are."""
        for disk in (self.archive, *(node.disk for node in self.nodes)):
            disk.free()
        for replica in self.replicas:
            replica.store.heal()
            replica.bots.heal()
        for process in self.processes:
            thaw(process)
            if not process.wanted:
                process.start()
        await self._wait(self._writable, "Redis does not take anything")

    async def _writable(self) -> bool:
        try:
            await self.primary.tell("CONFIG", "SET", "maxmemory", "0")
            return bool(await self.primary.tell("SET", "soak", "1"))
        except _NO_CLIENT:
            return False

    def keep(self, into: Path) -> None:
        """Copies the contents of small disks, which disappear with this process."""
        for disk in (self.archive, *(node.disk for node in self.nodes)):
            if disk.can_fill:
                shutil.copytree(disk.folder, into / disk.folder.name, dirs_exist_ok=True)

    async def _end(self) -> None:
        for process in self.processes:
            thaw(process)
            await process.kill()

    def _unmount(self) -> None:
        for disk in (self.archive, *(node.disk for node in self.nodes)):
            disk.unmount()


async def _done(value: bool) -> bool:
    return value


async def _cancel(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
