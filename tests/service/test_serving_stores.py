"""`fudaba serve` and stores that it cannot use."""

from __future__ import annotations

import asyncio
import contextlib
import socketserver
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fudaba_service.metrics.service_metrics import Metrics
from fudaba_service.settings import Settings
from fudaba_service.startup.stores import OpenedStores, open_stores
from tests.support.service.processes import RedisServer, Service, free_port
from tests.support.service.serving import works
from tests.support.serving.valkey import check_ended_if_given_up_while_it_starts


def test_a_store_that_is_not_there_is_refused_with_its_address(folder: Path) -> None:
    port = free_port()
    with Service(folder, "--redis", f"redis://127.0.0.1:{port}/0") as service:
        said = service.refuses_to_start()
    assert "the store cannot be reached" in said
    assert str(port) in said


@pytest.mark.parametrize("url", ["nonsense", "http://127.0.0.1:1/", "redis://127.0.0.1:x/0"])
def test_what_is_no_url_of_a_store_is_refused(folder: Path, url: str) -> None:
    with Service(folder, "--redis", url) as service:
        assert f"{url} is not a URL of a Redis" in service.refuses_to_start()


@pytest.mark.exhaustive
def test_a_store_that_wants_a_password_is_refused_without_it_and_with_a_wrong_one(
    folder: Path, redis: RedisServer
) -> None:
    redis.password = "secret"
    redis.options = ("--requirepass", "secret")
    redis.terminate()
    redis.start()
    for url in (f"redis://127.0.0.1:{redis.port}/0", f"redis://:wrong@127.0.0.1:{redis.port}/0"):
        with Service(folder, "--redis", url) as service:
            said = service.refuses_to_start()
            assert "the store cannot be reached" in said
            assert "give the password in the URL" in said
            assert "wrong@" not in said
    with Service(folder, "--redis", redis.url) as service:
        service.start()
        assert "secret" not in service.log


@pytest.mark.exhaustive
def test_a_data_folder_on_a_disk_without_locks_serves_and_the_log_says_what_is_not_seen(
    folder: Path, redis: RedisServer
) -> None:
    none = "import errno, fcntl\ndef none(*_): raise OSError(errno.ENOLCK, 'No locks available')\nfcntl.flock = none\n"
    with Service(folder, "--redis", redis.url) as service:
        service.start(first=none)
        assert f"cannot find out whether {service.data} is a copy of a folder in use" in service.log
        assert service.terminate() == 0, service.log


async def test_a_store_that_is_full_or_read_only_refuses_the_start_and_works_afterwards(
    folder: Path, redis: RedisServer
) -> None:
    with redis.client() as client, Service(folder, "--redis", redis.url) as service:
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("maxmemory", "1kb")
        assert "memory" in await asyncio.to_thread(service.refuses_to_start)
        client.config_set("maxmemory", "0")
        client.slaveof("127.0.0.1", 1)
        assert "read only" in (await asyncio.to_thread(service.refuses_to_start)).replace("-", " ").lower()
        client.slaveof()
        await asyncio.to_thread(service.start)
        await works(service)


class OldRedis(socketserver.BaseRequestHandler):
    """Answers as a Redis of another age would; a real one cannot be had here."""

    def handle(self) -> None:
        while request := self.request.recv(65536):
            info = b"# Server\r\nredis_version:6.2.14\r\n"
            answer = b"$%d\r\n%b\r\n" % (len(info), info) if b"INFO" in request else b"+OK\r\n"
            self.request.sendall(answer * request.upper().count(b"*" if b"INFO" not in request else b"INFO"))


def test_a_store_that_is_too_old_is_refused_with_its_version(folder: Path) -> None:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), OldRedis) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            url = f"redis://127.0.0.1:{server.server_address[1]}/0?protocol=2"
            with Service(folder, "--redis", url) as service:
                said = service.refuses_to_start()
        finally:
            server.shutdown()
            thread.join()
    assert "Redis 7.0 or newer is needed" in said
    assert "6.2.14" in said


async def test_of_a_store_that_is_being_started_when_the_service_is_given_up_nothing_is_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextlib.asynccontextmanager
    async def opened() -> AsyncIterator[OpenedStores]:
        async with contextlib.AsyncExitStack() as stack:
            yield await open_stores(stack, Settings(data=folder / "data"), Metrics())

    await check_ended_if_given_up_while_it_starts(opened(), monkeypatch)
