"""A match on two replicas, one of which reaches Redis over a proxy, and what is charged for its decisions."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import final

from fudaba.v1 import record_pb2
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.in_progress import started
from tests.support.service.organiser import Organiser, kinds
from tests.support.service.processes import RedisServer, Service
from tests.support.service.proxy import Proxy
from tests.support.service.rewinds import Seat


@final
class Duel:
    """A match on two replicas. `mine` is at the far one, which reaches Redis over a proxy; `other` is at the near one.

    It is `other` who moves first; then `mine` has a decision.
    """

    def __init__(self, near: Service, far: Service, proxy: Proxy, organiser: Organiser, seats: list[Seat]) -> None:
        self.near, self.far, self.proxy, self.organiser = near, far, proxy, organiser
        self.mine, self.other = seats
        self.answered = 0.0
        """When the answer of `mine` had been stored."""

    async def other_moves(self) -> None:
        """The decision of `mine`, and no other, is open from now on."""
        await self.other.decide(index=2)
        await self.other.decide(index=4)

    async def connect(self, address: str = "") -> None:
        """`mine` connects again, at the near replica unless another is named."""
        self.mine.address = address or self.near.address
        await self.mine.connect()

    async def spent(self) -> record_pb2.Spent:
        """Answers the decision of `mine` at once; how the time until then was spent."""
        decision = await self.mine.decide(index=4)
        self.answered = time.monotonic()
        await asyncio.gather(self.mine.to_the_end(), self.other.to_the_end())
        record = await self.organiser.record(self.mine.journal.match_id)
        assert set(kinds(record)) == {"ready", "move"}
        return next(e.spent for e in record.log if e.decision_id == decision.decision_id and e.seat == 0)


def charged(spent: record_pb2.Spent) -> float:
    """How many seconds of it the bot pays for."""
    return spent.bot_us / 1e6


def whole(spent: record_pb2.Spent) -> float:
    """How many seconds it is. Where the machine is busy, part of a bot's time is the server's."""
    return (spent.bot_us + spent.server_us + spent.network_us) / 1e6


@contextlib.asynccontextmanager
async def duel_on(
    folder: Path, redis: RedisServer, clock: record_pb2.Clock, address: str = "far"
) -> AsyncIterator[Duel]:
    """`address` is where `mine` is at first."""
    async with contextlib.AsyncExitStack() as stack:
        near = stack.enter_context(started(folder, redis, "near"))
        proxy = await stack.enter_async_context(Proxy(redis.port).run())
        url = f"redis://127.0.0.1:{proxy.port}/0"
        far = stack.enter_context(Service(folder, "--redis", url, name="far", data=folder / "data"))
        stack.callback(lambda: assert_no_fault(far))
        await asyncio.to_thread(far.start)
        organiser = await stack.enter_async_context(Organiser(near.address, near.token))
        entrants = await organiser.entrant(), await organiser.entrant()
        match_id = await organiser.match(*entrants, clock=clock)
        first = far if address == "far" else near
        seats = [Seat(s.address, e, match_id) for s, e in zip((first, near), entrants, strict=True)]
        for seat in seats:
            await seat.connect()
            stack.push_async_callback(seat.leave)
        while seats[1].due is None:
            await seats[1].hear()
        yield Duel(near, far, proxy, organiser, seats)
