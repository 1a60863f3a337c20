"""The watch over leases: for how long blocks wait for a worker that could take them."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from fudaba_arena.store.leases.handed_out import Progress
from fudaba_arena.store.store import Store
from fudaba_arena.store.workers.known_workers import PLAYING, KnownWorker
from fudaba_serving.redis.valkey import EmbeddedValkey
from soak.chaos.schedule import Fault
from soak.chaos.striking import Struck
from soak.season.following import SEASON
from soak.season.leases import LeaseWatch, Unleased, latest_change
from tests.support.patience import until

WAITS, HELD, ENDED = Progress(None, False, "m"), Progress(None, True, "m"), Progress("played", False, "m")


def test_a_block_waits_while_nobody_has_a_lease_and_a_worker_has_room() -> None:
    unleased = Unleased()
    for _ in range(3):
        unleased.saw(0.5, {1: WAITS, 2: HELD, 3: ENDED}, room=True)
    unleased.saw(0.5, {1: WAITS}, room=False)
    assert unleased.longest == {1: 1.5}
    unleased.saw(0.5, {1: HELD}, room=True)
    unleased.saw(0.5, {1: WAITS}, room=True)
    assert unleased.longest == {1: 1.5}, "its lease was lost, and its wait begins anew"


def test_a_wait_begins_anew_when_something_is_struck_and_a_busy_machine_is_no_wait() -> None:
    unleased = Unleased()
    unleased.saw(0.5, {1: WAITS}, room=True)
    unleased.interrupted()
    unleased.saw(60.0, {1: WAITS}, room=True)
    assert unleased.longest == {1: 1.0}


@pytest.mark.parametrize(
    ("kind", "counts"), [("worker-kill", True), ("queue-lost", True), ("cut-off", True), ("service-kill", False)]
)
def test_faults_of_what_leases_need_interrupt_waits(kind: str, counts: bool) -> None:
    fault = Fault(1, 0.0, kind, 0, 1.0, 0.5)
    assert latest_change([]) == 0.0
    assert latest_change([Struck(fault, 10.0)]) == (float("inf") if counts else 0.0), "while it is on"
    assert latest_change([Struck(fault, 10.0, 11.0)]) == (11.0 if counts else 0.0)


async def test_a_block_in_the_store_that_no_worker_takes_is_seen(tmp_path: Path) -> None:
    with EmbeddedValkey(tmp_path / "store") as server:
        store = Store(server.url, None)
        await store.connect()
        await store.workers.note(KnownWorker("idle", PLAYING, "", 0, 3, 0, 6, 3_600.0))
        await store.handed_out.hand_out(SEASON, 7, 7, 0, "a block", "message")
        await store.handed_out.hand_out(SEASON, 8, 8, 0, "a block", "message")
        watch = LeaseWatch(server.url)
        watching = asyncio.create_task(watch.watch())
        await until(lambda: watch.unleased.longest.keys() == {7, 8}, "both wait")
        await store.handed_out.take(SEASON, 7, 0, "idle", 3_600_000)
        first = watch.unleased.longest[8]
        await until(lambda: watch.unleased.longest[8] > first, "the other goes on waiting")
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching  # it closes its connections
        await store.close()
