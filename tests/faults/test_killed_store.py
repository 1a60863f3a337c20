"""Redis is killed under many matches: what is promised then depends on how it writes to disk, and is kept."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fudaba.v1 import record_pb2
from fudaba_service.store import match_keys
from tests.support.faults.checker import check_nothing_lost
from tests.support.faults.fleet import LONGER_SECONDS, Fleet, fleet_in_progress
from tests.support.faults.scale import SCALE
from tests.support.patience import until
from tests.support.service.in_progress import started
from tests.support.service.organiser import Organiser, StoreView
from tests.support.service.processes import RedisServer, Service


@pytest.fixture
def everysec(folder: Path) -> Iterator[RedisServer]:
    """Yields a Redis of this test's own, as most people run it. It keeps one file of commands: none is rewritten."""
    place = folder / "redis"
    place.mkdir()
    with RedisServer(place, "--appendfsync", "everysec", "--auto-aof-rewrite-percentage", "0") as server:
        yield server.start()


@pytest.mark.exhaustive
async def test_with_appendfsync_always_a_killed_store_loses_nothing_and_puts_no_match_back(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service:
        async with (
            Organiser(service.address, service.token) as organiser,
            fleet_in_progress(organiser, [service.address], SCALE.matches) as fleet,
        ):
            for number in range(SCALE.rounds):
                redis.kill()
                await asyncio.sleep([LONGER_SECONDS, 0.2][number % 2])
                await asyncio.to_thread(redis.start)
                await fleet.goes_on()
            await check_nothing_lost(fleet, service.data / "archive")


@pytest.mark.exhaustive
async def test_an_embedded_store_that_is_killed_loses_nothing(folder: Path) -> None:
    with started(folder) as service:
        async with (
            Organiser(service.address, service.token) as organiser,
            fleet_in_progress(organiser, [service.address], SCALE.matches) as fleet,
        ):
            for _ in range(SCALE.rounds):
                view = StoreView(f"unix://{service.data}/store/valkey.sock")
                with contextlib.closing(view.client):
                    info: Any = view.client.info("server")
                os.kill(info["process_id"], signal.SIGKILL)
                await fleet.goes_on()
            # The machine went on, so what was written is there, on the disk or not.
            await check_nothing_lost(fleet, service.data / "archive")


@pytest.mark.parametrize("replicas", [1, pytest.param(2, marks=pytest.mark.exhaustive)])
async def test_with_everysec_the_matches_that_lost_a_tail_are_put_back_every_seat_is_told_and_nobody_else(
    folder: Path, everysec: RedisServer, replicas: int
) -> None:
    with contextlib.ExitStack() as stack:
        services = [stack.enter_context(started(folder, everysec, name)) for name in ("one", "two")[:replicas]]
        async with (
            Organiser(services[0].address, services[0].token) as organiser,
            fleet_in_progress(
                organiser, [service.address for service in services], SCALE.matches, length=SCALE.rounds
            ) as fleet,
        ):
            put_back: set[str] = set()
            for _ in range(SCALE.rounds):
                put_back |= await lose_a_tail(fleet, everysec, services)
                await fleet.goes_on()
                if fleet.some_are_over:
                    break  # their bots have left
            assert put_back
            await check_nothing_lost(fleet, services[0].data / "archive", put_back=put_back)
            rewound = {journal.match_id for journal in fleet.journals if journal.rewinds}
            assert rewound
            for match_id in rewound if replicas == 1 else ():  # a replica may not have known yet what was lost
                assert all(journal.rewinds for journal in fleet.of_match(match_id)), f"{match_id}: not every seat"


async def lose_a_tail(fleet: Fleet, redis: RedisServer, services: list[Service]) -> set[str]:
    """Kills Redis as a power cut does: what was written in the last moments is not on its disk.

    The services stand still meanwhile, so that it is known which matches lose something: these are returned.
    """
    [file] = (redis.folder / "appendonlydir").glob("*.incr.aof")
    on_disk = file.stat().st_size
    # The bots may hear late of what was written long before, so these moves are those that are not in the logs yet.
    stored = {match_id: decisions_in(log) for match_id, log in logs(redis, fleet).items()}
    known = {(journal.match_id, journal.seat): set(journal.accepted) for journal in fleet.journals}

    def newer_moves() -> int:
        return sum(
            len(set(journal.accepted) - known[journal.match_id, journal.seat] - stored[journal.match_id])
            for journal in fleet.journals
        )

    await until(lambda: newer_moves() >= len(fleet.matches), "more moves")
    for service in services:
        service.freeze()
    before = logs(redis, fleet)
    await asyncio.to_thread(redis.kill)
    # In the middle of a command, if that was written: while it is slow to sync, a store holds back what comes after,
    # and a file that is made longer ends in zeros, which no power cut leaves of an append.
    os.truncate(file, min(on_disk + 7, file.stat().st_size))
    await asyncio.to_thread(redis.start)
    after = logs(redis, fleet)
    for service in services:
        service.thaw()
    assert all(before[match_id][: len(log)] == log for match_id, log in after.items())
    return {match_id for match_id, log in after.items() if len(log) < len(before[match_id])}


def decisions_in(log: list[bytes]) -> set[str]:
    return {record_pb2.LogEntry.FromString(entry).decision_id for entry in log}


def logs(redis: RedisServer, fleet: Fleet) -> dict[str, list[bytes]]:
    with redis.client() as client:
        view: Any = client
        return {match_id: view.lrange(match_keys(match_id).log, 0, -1) for match_id in fleet.matches}
