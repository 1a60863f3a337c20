"""Applies the faults of a schedule to the machines of a ladder, and records when each was active."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, final

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from soak.chaos.proxy import DOWN_INDEX, UP_INDEX
from soak.chaos.schedule import Fault
from soak.chaos.striking import Struck
from soak.chaos.supervised import Supervised, freeze, thaw
from soak.season.catalogue import KINDS
from soak.season.machines import Machines

__all__ = ["Striker"]

_TRUNCATING_SECONDS: Final = 0.5
_QUEUE_DATABASE_NUMBER: Final = 1
"""The database of the queue."""


@final
class Striker:
    """Applies the faults. `began` is the monotonic time of the schedule's second 0."""

    def __init__(self, machines: Machines, tell: Callable[[str], None]) -> None:
        self._machines = machines
        self._tell = tell
        self.struck: list[Struck] = []
        self.began = time.monotonic()
        self._held: set[tuple[str, int]] = set()
        self._makers: dict[str, Callable[[Fault, Supervised], Awaitable[None]]] = {
            "kill": self._kill,
            "stop": self._stop,
            "freeze": self._freeze,
            "hang": self._hang,
        }

    @property
    def made(self) -> list[Struck]:
        """The faults that were applied."""
        return [strike for strike in self.struck if not strike.left_out]

    async def strike(self, faults: Sequence[Fault]) -> None:
        """Applies each of them at its time."""
        self.began = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for fault in faults:
                await asyncio.sleep(max(0.0, self.began + fault.at - time.monotonic()))
                group.create_task(self._make(fault))

    async def _make(self, fault: Fault) -> None:
        struck = Struck(fault, time.monotonic())
        self.struck.append(struck)
        held = KINDS[fault.kind].holds, fault.target
        if held in self._held:
            struck.left_out = "the one before it still goes on"  # stopping in good order takes as long as it takes
        else:
            self._held.add(held)
            try:
                await self._strike(fault, struck)
            finally:
                self._held.discard(held)
        struck.end = time.monotonic()
        note = f"left out: {struck.left_out}" if struck.left_out else struck.detail
        self._tell(f"{struck.start - self.began:8.3f} to {struck.end - self.began:8.3f}  {fault}  {note}".rstrip())

    async def _strike(self, fault: Fault, struck: Struck) -> None:
        part, _, manner = fault.kind.partition("-")
        if KINDS[fault.kind].on == "link":
            await self._link(fault, struck)
        elif fault.kind == "queue-lost":
            await self._lose_queue(struck)
        else:
            await self._makers[manner](fault, self._process(part, fault.target))

    def _process(self, part: str, target: int) -> Supervised:
        machines = self._machines
        parts = {
            "arena": machines.arena,
            "service": machines.service,
            "store": machines.store.process,
            "queue": machines.queue.process,
        }
        return machines.workers[target] if part == "worker" else parts[part]

    async def _kill(self, fault: Fault, process: Supervised) -> None:
        await process.kill()
        await asyncio.sleep(fault.seconds)
        process.start()

    async def _stop(self, fault: Fault, process: Supervised) -> None:
        await process.stop()
        await asyncio.sleep(fault.seconds)
        process.start()

    async def _freeze(self, fault: Fault, process: Supervised) -> None:
        freeze(process, whole=True)
        await asyncio.sleep(fault.seconds)
        thaw(process)

    async def _hang(self, fault: Fault, process: Supervised) -> None:
        freeze(process, whole=False)
        await asyncio.sleep(fault.seconds)
        thaw(process)

    async def _lose_queue(self, struck: Struck) -> None:
        port = self._machines.queue.port
        queue = Redis(port=port, db=_QUEUE_DATABASE_NUMBER, socket_timeout=3, retry=Retry(NoBackoff(), 0))
        async with queue:
            try:
                struck.detail = f"{await queue.dbsize()} keys lost"
                await queue.flushdb()
            except (RedisError, OSError):
                struck.left_out = "Redis did not take it"

    async def _link(self, fault: Fault, struck: Struck) -> None:
        link = self._machines.links[fault.target]
        proxy = link.proxy
        struck.detail = f"{link.name}, {len(proxy.connections)} connections"
        if fault.kind == "reset":
            proxy.reset()
        elif fault.kind == "truncate":
            proxy.truncate(int(fault.how * 400))
            await asyncio.sleep(_TRUNCATING_SECONDS)
            proxy.reset_truncated()
        elif fault.kind == "half-open":
            dropped = proxy.drop(UP_INDEX if fault.how < 0.5 else DOWN_INDEX)
            await asyncio.sleep(fault.seconds)
            for connection in dropped:
                connection.end(reset=True)
        elif fault.kind == "delay":
            proxy.delay(0.02 + 0.28 * fault.how)
            await asyncio.sleep(fault.seconds)
            proxy.heal()
        else:
            proxy.stall(UP_INDEX, DOWN_INDEX)
            await asyncio.sleep(fault.seconds)
            proxy.heal()
