"""Callers cannot use up the files that the service itself needs."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from fudaba.v1 import catalog_pb2, catalog_pb2_grpc
from fudaba_serving.process.open_files import for_connections
from tests.support.descriptors import MAX_FILES, connected
from tests.support.descriptors import open_files as open_files_of
from tests.support.patience import PATIENCE, until
from tests.support.service.bots import Bot, by_chance, play_match
from tests.support.service.organiser import Organiser
from tests.support.service.processes import FUDABA, Service, free_port

HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
"""How a client begins a connection: with empty settings."""
ACKNOWLEDGED = bytes([0, 0, 0, 4, 1, 0, 0, 0, 0])


@contextlib.contextmanager
def limited(folder: Path, soft: int, hard: int, *more: str) -> Iterator[Service]:
    """Yields a service that is started under a limit."""
    with Service(folder) as service:
        options = " ".join(("--data", str(service.data), "--listen", service.listen, *more))
        command = f"ulimit -S -n {soft} && ulimit -H -n {hard} && exec {FUDABA} serve {options}"

        def start(*_: object, **__: object) -> None:
            service.launch(["bash", "-c", command])

        service.try_start = start  # type: ignore[method-assign]  # how it is started is all that differs
        yield service.start()


def open_files(service: Service) -> int:
    return open_files_of(service.pid)


def idle(address: str, count: int) -> contextlib.AbstractContextManager[list[socket.socket]]:
    """Connections of clients that ask for nothing."""
    return connected(address, count, HELLO + ACKNOWLEDGED, PATIENCE)


def taken(connections: list[socket.socket]) -> list[bool]:
    """Returns whether each is served: the service says hello, or ends it."""
    answers = []
    for connection in connections:
        try:
            answers.append(bool(connection.recv(1)))
        except ConnectionResetError:
            answers.append(False)
    return answers


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_idle_connections_leave_the_service_its_files_and_others_an_answer(folder: Path) -> None:
    with limited(folder, MAX_FILES, MAX_FILES) as service:
        assert f"may have {MAX_FILES} files open, so it accepts {MAX_FILES // 2} connections" in service.log
        async with Organiser(service.address, service.token) as organiser:
            entrants = [await organiser.entrant(), await organiser.entrant()]
            match_id = await organiser.match(*entrants)
            await organiser.get(match_id)
            bots = [Bot(service.address, entrant.token, by_chance) for entrant in entrants]
            playing = asyncio.ensure_future(play_match(*bots))
            await until(lambda: all(bot.journals for bot in bots), "the bots are there")
            with idle(service.address, 2 * MAX_FILES) as connections:
                served = await asyncio.to_thread(taken, connections)
                assert 0 < sum(served) < MAX_FILES // 2
                assert open_files(service) < MAX_FILES - 20
                # A record is written and read, and a new match is played, anyway.
                await playing
                assert (await organiser.record(match_id)).log
                # Who comes new is told at once.
                async with grpc.aio.insecure_channel(service.address) as channel:
                    stub = catalog_pb2_grpc.CatalogServiceStub(channel)
                    with pytest.raises(grpc.aio.AioRpcError) as refused:
                        await stub.ListGames(catalog_pb2.ListGamesRequest(), timeout=PATIENCE)
                    assert refused.value.code() == grpc.StatusCode.UNAVAILABLE
            # The room is there again when they have gone.
            async with grpc.aio.insecure_channel(service.address) as channel:
                stub = catalog_pb2_grpc.CatalogServiceStub(channel)
                assert (
                    await stub.ListGames(catalog_pb2.ListGamesRequest(), timeout=PATIENCE, wait_for_ready=True)
                ).games
        assert "Too many open files" not in service.log
        assert service.terminate() == 0, service.log


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.exhaustive
def test_a_service_raises_the_soft_limit_as_far_as_it_may(folder: Path) -> None:
    hard = min(5_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    with limited(folder, 256, hard) as service:
        limits = Path(f"/proc/{service.pid}/limits").read_text()
        line = next(line for line in limits.splitlines() if line.startswith("Max open files"))
        assert line.split()[3] == str(hard)
        assert "files open" not in service.log


def test_an_arena_raises_the_soft_limit_too(folder: Path) -> None:
    script = "from fudaba_serving.process import open_files; print(open_files.raise_limit())"
    hard = min(5_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    command = f"ulimit -S -n 256 && ulimit -H -n {hard} && exec {sys.executable} -c '{script}'"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout == f"{hard}\n"


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_idle_connections_to_both_ports_together_leave_the_service_its_files(folder: Path) -> None:
    seats = f"127.0.0.1:{free_port()}"
    with (
        limited(folder, MAX_FILES, MAX_FILES, "--seats-listen", seats) as service,
        idle(service.address, MAX_FILES // 2) as connections,
        idle(seats, MAX_FILES // 2) as more,
    ):
        assert f"it accepts {MAX_FILES // 4} connections at once at each of its ports" in service.log
        served = await asyncio.to_thread(taken, [*connections, *more])
        assert 0 < sum(served[: len(connections)]) <= MAX_FILES // 4
        assert 0 < sum(served[len(connections) :]) <= MAX_FILES // 4
        assert open_files(service) < MAX_FILES - 20


@pytest.mark.parametrize(("files", "connections"), [(1024, 896), (200, 100), (65_536, 65_408)])
def test_most_files_are_for_callers(files: int, connections: int) -> None:
    assert for_connections(files) == connections
    assert for_connections(files, ports=2) == connections // 2, "both together take no more"
