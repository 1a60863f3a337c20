"""A worker that is started while the service is away."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.support.folders import short_folder
from tests.support.patience import until
from tests.support.service.organiser import Organiser
from tests.support.service.processes import FUDABA, Process, RedisServer, Service


async def test_a_worker_that_starts_while_the_service_is_away_waits_for_it(redis: RedisServer) -> None:
    with short_folder() as folder, Service(folder) as service, Process(folder, "worker") as worker:
        await asyncio.to_thread(service.start)
        async with Organiser(service.address, service.token) as organiser:
            token = (await organiser.token("arena")).token
        assert await asyncio.to_thread(service.terminate) == 0
        options = ["--server", service.address, "--redis", redis.url, "--logs", str(folder / "logs")]
        worker.launch([str(FUDABA), "arena", "worker", *options], {"FUDABA_TOKEN": token})
        await until(lambda: "is away" in worker.log or not worker.running)
        assert worker.running, worker.log
        assert f"the service at {service.address} is away" in worker.log
        await asyncio.to_thread(service.start)
        await until(lambda: "waiting for the arena" in worker.log or not worker.running)
        assert await asyncio.to_thread(worker.terminate) == 0, worker.log


async def test_a_worker_that_waits_for_the_service_can_be_stopped(redis: RedisServer, tmp_path: Path) -> None:
    options = ["--server", "127.0.0.1:9", "--redis", redis.url, "--logs", str(tmp_path / "logs")]
    with Process(tmp_path, "worker") as worker:
        worker.launch([str(FUDABA), "arena", "worker", *options], {"FUDABA_TOKEN": "fudaba_nobody"})
        await until(lambda: "is away" in worker.log or not worker.running)
        assert await asyncio.to_thread(worker.terminate) == 0, worker.log
