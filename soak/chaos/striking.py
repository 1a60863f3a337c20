"""Applies the faults of a schedule to a topology, and records when each was active."""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, final

from redis.exceptions import RedisError

from soak.chaos.links import LinkFault, LinkHistory
from soak.chaos.proxy import DOWN_INDEX, UP_INDEX
from soak.chaos.schedule import KINDS, Fault
from soak.chaos.supervised import children, freeze, signal_process, thaw
from soak.chaos.topology import Replica, Topology

__all__ = ["LOSSY", "Striker", "Struck"]

LOSSY: Final = {
    "always": frozenset[str](),
    # A Redis that dies may not have written what it has acknowledged; one whose disk is full has not.
    "everysec": frozenset({"power-cut", "redis-kill", "redis-disk"}),
    "failover": frozenset({"failover"}),
    "sentinel": frozenset({"failover"}),
}
"""The faults after which acknowledged moves may be missing if their seats learn of it."""
_CLOCK_JUMP_SECONDS: Final = 120.0
_MAX_JUMP_SECONDS: Final = 3_600.0
_FAR_JUMP_SHARE: Final = 0.25
"""The share of clock jumps of up to an hour."""
_SLOW: Final = (0.1, 1.0)
"""The seconds that data take one way while Redis is slow, drawn anew every `_SLOW_STORE_SECONDS`."""
_SLOW_STORE_SECONDS: Final = 4.0
_START_TIMEOUT_SECONDS: Final = 60.0
_MEMORY: Final = "1mb"
_TRUNCATING_SECONDS: Final = 0.5
_MOMENT_SECONDS: Final = 0.05
"""The time between two moments of a span in which acknowledgements may be lost."""
_UNAVAILABLE: Final = (RedisError, OSError, TimeoutError)


@dataclass
class Struck:
    """A fault that was applied."""

    fault: Fault
    start: float
    end: float = 0.0
    """The time of its end; 0 while it is active."""
    left_out: str = ""
    """The reason why it was skipped, if it was."""
    detail: str = ""
    lost: float = 0.0
    """The latest time of an acknowledgement that it may have lost; 0 for `start`."""
    lost_since: float = 0.0
    """The time since which there were two masters, so that any acknowledgement until `lost` may have been lost; 0 for
    none.
    """

    @property
    def losses(self) -> list[float]:
        """The times up to which it may have lost acknowledgements: one, or one for each moment of a span."""
        last = self.lost or self.start
        moments = int((last - self.lost_since) / _MOMENT_SECONDS) + 1 if self.lost_since else 0
        return [*(self.lost_since + number * _MOMENT_SECONDS for number in range(moments)), last]


@final
class Striker:
    """Applies the faults. `began` is the monotonic time of the schedule's second 0."""

    def __init__(self, topology: Topology, tell: Callable[[str], None]) -> None:
        self._topology = topology
        self._tell = tell
        self.struck: list[Struck] = []
        self.links = LinkHistory()
        self.began = 0.0
        self._held: set[tuple[str, int]] = set()
        self._makers: dict[str, Callable[[Fault, Struck], Awaitable[None]]] = {
            "kill": self._kill,
            "restart": self._restart,
            "freeze": self._freeze,
            "rolling": self._rolling,
            "child-kill": self._child_kill,
            "child-freeze": self._child_freeze,
            "slow-store": self._slow_store,
            "clock": self._clock,
            "redis-kill": self._redis_kill,
            "redis-restart": self._redis_restart,
            "redis-freeze": self._redis_freeze,
            "redis-memory": self._redis_memory,
            "redis-disk": self._redis_disk,
            "redis-clock": self._redis_clock,
            "pubsub": self._pubsub,
            "power-cut": self._power_cut,
            "failover": self._failover,
            "archive-disk": self._archive_disk,
        }

    @property
    def count(self) -> int:
        """The number of applied faults."""
        return sum(not strike.left_out for strike in self.struck)

    def lossy(self) -> list[float]:
        """Returns the times of faults that may lose acknowledged moves, up to which acknowledgements may be lost."""
        kinds = LOSSY[self._topology.deployment]
        struck = [strike for strike in self.struck if strike.fault.kind in kinds and not strike.left_out]
        return [moment for strike in struck for moment in strike.losses]

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
        maker, held = self._makers.get(fault.kind, self._link), (KINDS[fault.kind].holds, fault.target)
        if held in self._held:
            struck.left_out = "the one before it still goes on"  # stopping in good order takes as long as it takes
        else:
            self._held.add(held)
            try:
                await maker(fault, struck)
            except _UNAVAILABLE:
                struck.left_out = struck.left_out or "Redis did not take it"
            finally:
                self._held.discard(held)
        struck.end = time.monotonic()
        note = f"left out: {struck.left_out}" if struck.left_out else struck.detail
        self._tell(f"{struck.start - self.began:8.3f} to {struck.end - self.began:8.3f}  {fault}  {note}".rstrip())

    def _replica(self, fault: Fault) -> Replica:
        return self._topology.replicas[fault.target]

    # --- replicas

    async def _kill(self, fault: Fault, _: Struck) -> None:
        process = self._replica(fault).process
        await process.kill()
        await asyncio.sleep(fault.seconds)
        process.start()

    async def _restart(self, fault: Fault, _: Struck) -> None:
        process = self._replica(fault).process
        await process.stop()
        await asyncio.sleep(fault.seconds)
        process.start()

    async def _freeze(self, fault: Fault, _: Struck) -> None:
        process = self._replica(fault).process
        freeze(process, whole=True)
        await asyncio.sleep(fault.seconds)
        thaw(process)

    async def _rolling(self, _: Fault, struck: Struck) -> None:
        """Restarts everything that no other fault holds, one after another, as for a new release."""
        restarted = []
        for replica in self._topology.replicas:
            held = ("process", replica.number)
            if held in self._held:
                continue
            self._held.add(held)
            try:
                await replica.process.stop()
                replica.process.start()
                until = time.monotonic() + _START_TIMEOUT_SECONDS
                while not replica.serves and time.monotonic() < until:  # noqa: ASYNC110 - it tells nobody
                    await asyncio.sleep(0.1)
            finally:
                self._held.discard(held)
            restarted.append(replica.name)
        struck.detail = f"{', '.join(restarted) or 'none'} restarted"

    def _child(self, fault: Fault, struck: Struck) -> int:
        """Returns the id of one process of a replica; 0 for none."""
        process = self._replica(fault).process
        found = sorted(children(process.process.pid)) if process.serving else []
        if len(found) < 2:
            struck.left_out = "the replica has no processes of its own now"
            return 0
        return found[int(fault.how * len(found))]

    async def _child_kill(self, fault: Fault, struck: Struck) -> None:
        if pid := self._child(fault, struck):
            signal_process(pid, signal.SIGKILL)

    async def _child_freeze(self, fault: Fault, struck: Struck) -> None:
        if pid := self._child(fault, struck):
            signal_process(pid, signal.SIGSTOP)
            await asyncio.sleep(fault.seconds)
            signal_process(pid, signal.SIGCONT)

    async def _slow_store(self, fault: Fault, struck: Struck) -> None:
        chance, until = random.Random(fault.how), time.monotonic() + fault.seconds
        while (left := until - time.monotonic()) > 0:
            for replica in self._topology.replicas:
                replica.store.delay(chance.uniform(*_SLOW))
            await asyncio.sleep(min(left, _SLOW_STORE_SECONDS))
        for replica in self._topology.replicas:
            replica.store.heal()
        struck.detail = f"for {fault.seconds:g} s"

    async def _clock(self, fault: Fault, struck: Struck) -> None:
        clock = self._replica(fault).clock
        struck.left_out = "" if clock.can_jump else "there is no compiler for the clock"
        clock.set(_jump(fault.how))
        struck.detail = f"now {clock.offset:+.1f} s"

    # --- Redis

    async def _redis_kill(self, fault: Fault, _: Struck) -> None:
        process = self._topology.primary.process
        await process.kill()
        await asyncio.sleep(fault.seconds)
        process.start()

    async def _redis_restart(self, fault: Fault, _: Struck) -> None:
        process = self._topology.primary.process
        await process.stop()
        await asyncio.sleep(fault.seconds)
        process.start()

    async def _redis_freeze(self, fault: Fault, _: Struck) -> None:
        process = self._topology.primary.process
        process.freeze()
        await asyncio.sleep(fault.seconds)
        process.thaw()

    async def _redis_memory(self, fault: Fault, _: Struck) -> None:
        node = self._topology.primary
        await node.tell("CONFIG", "SET", "maxmemory", _MEMORY)
        await asyncio.sleep(fault.seconds)
        await node.tell("CONFIG", "SET", "maxmemory", "0")

    async def _redis_disk(self, fault: Fault, struck: Struck) -> None:
        node = self._topology.primary
        if not node.disk.can_fill:
            struck.left_out = "no file system may be mounted"
            return
        node.process.may_end = True
        try:
            await asyncio.to_thread(node.disk.fill)
            await asyncio.sleep(fault.seconds)
        finally:
            node.disk.free()
            await asyncio.sleep(1.0)
            node.process.may_end = False

    async def _redis_clock(self, fault: Fault, struck: Struck) -> None:
        clock = self._topology.primary.clock
        struck.left_out = "" if clock.can_jump else "there is no compiler for the clock"
        clock.set(_jump(fault.how))
        struck.detail = f"now {clock.offset:+.1f} s"

    async def _pubsub(self, _: Fault, struck: Struck) -> None:
        struck.detail = f"{await self._topology.primary.tell('CLIENT', 'KILL', 'TYPE', 'pubsub')} ended"

    async def _power_cut(self, fault: Fault, struck: Struck) -> None:
        node = self._topology.primary
        await node.process.kill()
        struck.detail = f"{node.lose(fault.how, int(fault.how * 1000) % 50)} bytes lost"
        await asyncio.sleep(fault.seconds)
        node.process.start()

    async def _failover(self, fault: Fault, struck: Struck) -> None:
        follower = self._topology.follower
        if follower is None or not await follower.in_step():
            struck.left_out = "the replica of Redis is not in step yet"
            return
        first_dies = fault.how < 0.5
        await self._topology.failover(fault.seconds, first_dies=first_dies)
        struck.lost = self._topology.switched
        struck.lost_since = 0.0 if first_dies else struck.start
        struck.detail = f"{self._topology.primary.process.name} takes over"

    async def _archive_disk(self, fault: Fault, struck: Struck) -> None:
        disk = self._topology.archive
        if not disk.can_fill:
            struck.left_out = "no file system may be mounted"
            return
        await asyncio.to_thread(disk.fill)
        await asyncio.sleep(fault.seconds)
        disk.free()

    # --- links

    async def _link(self, fault: Fault, struck: Struck) -> None:
        of_bots = fault.kind.startswith("bot-")
        replica, kind = self._replica(fault), fault.kind.removeprefix("bot-")
        proxy = replica.bots if of_bots else replica.store
        own = LinkFault(replica.number, struck.start, struck.start + max(fault.seconds, _TRUNCATING_SECONDS) + 0.1)
        if of_bots:
            self.links.faults.append(own)
        direction = UP_INDEX if fault.how < 0.5 else DOWN_INDEX
        struck.detail = f"{len(proxy.connections)} connections"
        if kind in {"reset", "reset-idle"}:
            proxy.reset(idle=kind == "reset-idle")
        elif kind == "truncate":
            proxy.truncate(int(fault.how * 400))
            if of_bots:
                await asyncio.sleep(_TRUNCATING_SECONDS)
                proxy.reset_truncated()
        elif kind == "half-open":
            dropped = proxy.drop(direction)
            await asyncio.sleep(fault.seconds)
            for connection in dropped:
                connection.end(reset=True)
        elif kind == "delay":
            proxy.delay((0.02 + 0.28 * fault.how) if of_bots else (0.05 + 2.45 * fault.how**2))
            await asyncio.sleep(fault.seconds)
            proxy.heal()
        else:
            proxy.stall(*((UP_INDEX, DOWN_INDEX) if kind == "cut-off" else (direction,)))
            await asyncio.sleep(fault.seconds)
            proxy.heal()
        own.end = time.monotonic() + 0.1


def _jump(draw: float) -> float:
    """Returns a clock's new error in seconds: mostly up to two minutes, sometimes up to an hour."""
    far = draw < _FAR_JUMP_SHARE
    share = draw / _FAR_JUMP_SHARE if far else (draw - _FAR_JUMP_SHARE) / (1 - _FAR_JUMP_SHARE)
    return round((_MAX_JUMP_SECONDS if far else _CLOCK_JUMP_SECONDS) * (2 * share - 1), 1)
