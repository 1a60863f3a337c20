"""Backups of a Redis that a URL names: one database of it, as an embedded store, or nothing."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis as redis_py

from fudaba_service.store import keys
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.service.backups.commands import fudaba
from tests.support.service.processes import RedisServer

VALUES_COUNT = 3000
VALUE_BYTES = 1000


@pytest.fixture
def data(folder: Path) -> Path:
    """Returns the data folder of a service whose store is elsewhere."""
    (folder / "data" / "archive").mkdir(parents=True)
    return folder / "data"


def test_the_database_of_the_url_is_backed_up_and_no_other(folder: Path, data: Path, redis: RedisServer) -> None:
    url = redis.url.removesuffix("/0")
    for number, name in ((0, "zero"), (2, "two"), (5, "five")):
        with contextlib.closing(redis_py.Redis.from_url(f"{url}/{number}")) as client:
            client.set("name", name)
            client.set(keys.SERVICE, name)
            client.set("gone soon", name, ex=3600)
    for number, expected in ((0, b"zero"), (2, b"two")):
        fudaba("backup", folder / f"b-{number}", "--data", data, "--redis", f"{url}/{number}")
        fudaba("restore", folder / f"b-{number}", "--data", folder / f"new-{number}")
        with (
            EmbeddedValkey(folder / f"new-{number}" / "store") as server,
            contextlib.closing(redis_py.Redis.from_url(server.url)) as client,
        ):
            assert client.get("name") == expected
            assert client.ttl("gone soon") > 0
            assert set(client.info("keyspace")) == {"db0"}


def test_the_restored_store_can_be_the_folder_of_a_redis_again(folder: Path, data: Path, redis: RedisServer) -> None:
    with redis.client() as client:
        client.rpush("list", *range(VALUES_COUNT))
        client.set(keys.SERVICE, "this")
    fudaba("backup", folder / "b", "--data", data, "--redis", redis.url)
    fudaba("restore", folder / "b", "--data", folder / "new")
    with RedisServer(folder / "new" / "store", name="second").start() as second, second.client() as client:
        assert client.llen("list") == VALUES_COUNT


def test_the_stores_of_a_service_and_of_its_arena_are_in_one_backup(folder: Path, redis: RedisServer) -> None:
    for part in ("service", "arena"):
        (folder / "both" / part).mkdir(parents=True)
    url = redis.url.removesuffix("/0")
    for number, name in ((0, "service"), (1, "arena")):
        with contextlib.closing(redis_py.Redis.from_url(f"{url}/{number}")) as client:
            client.set("name", name)
    with contextlib.closing(redis_py.Redis.from_url(f"{url}/0")) as client:
        client.set(keys.SERVICE, "this")
    stores = "--redis", f"{url}/0", "--arena-redis", f"{url}/1"
    fudaba("backup", folder / "b", "--data", folder / "both", *stores)
    fudaba("restore", folder / "b", "--data", folder / "new")
    for part in ("service", "arena"):
        with (
            EmbeddedValkey(folder / "new" / part / "store") as server,
            contextlib.closing(redis_py.Redis.from_url(server.url)) as client,
        ):
            assert client.get("name") == part.encode()


def test_a_part_whose_store_is_not_named_is_not_left_out_silently(folder: Path, redis: RedisServer) -> None:
    both = folder / "both"
    for part in ("service", "arena"):
        (both / part / "archive").mkdir(parents=True)
    for given, missing in (("--redis", "--arena-redis"), ("--arena-redis", "--redis")):
        assert f"with {missing}," in fudaba("backup", folder / "b", "--data", both, given, redis.url, status=1)
    assert not (folder / "b").exists()
    fudaba("backup", folder / "b", "--data", both, "--without-store")


def test_a_folder_of_an_arena_is_backed_up_with_its_own_store(folder: Path, redis: RedisServer) -> None:
    """As where the service's URL is in the environment: its store would take the place of the arena's."""
    arena, named = folder / "arena-data", ("--redis", redis.url)
    (arena / "archive").mkdir(parents=True)
    (arena / "service.id").write_text("this\n")
    with redis.client() as client:
        client.set(keys.SERVICE, "this")
    assert "with --arena-redis" in fudaba("backup", folder / "b", "--data", arena, *named, status=1)
    with (
        EmbeddedValkey(arena / "store", appendfsync="always") as server,
        contextlib.closing(redis_py.Redis.from_url(server.url)) as client,
    ):
        client.set("name", "arena")
    fudaba("backup", folder / "b", "--data", arena, *named)
    fudaba("restore", folder / "b", "--data", folder / "new")
    with (
        EmbeddedValkey(folder / "new" / "store") as server,
        contextlib.closing(redis_py.Redis.from_url(server.url)) as client,
    ):
        assert client.get("name") == b"arena"
        assert client.get(keys.SERVICE) is None


def test_a_redis_of_another_part_is_refused(folder: Path, data: Path, redis: RedisServer) -> None:
    said = fudaba("backup", folder / "b", "--data", data, "--redis", redis.url, status=1)
    assert "no service has used it" in said
    with redis.client() as client:
        client.set(keys.SERVICE, "this")
    (data / "service.id").write_text("this\n")
    said = fudaba("backup", folder / "b", "--data", data, "--arena-redis", redis.url, status=1)
    assert "it has the store of a service" in said
    assert not (folder / "b").exists()


def test_a_redis_that_sends_no_snapshot_is_refused_and_leaves_nothing(
    folder: Path, data: Path, redis: RedisServer
) -> None:
    with redis.client() as client:
        client.acl_setuser("default", enabled=True, nopass=True, commands=["-sync"])
    said = fudaba("backup", folder / "b", "--data", data, "--redis", redis.url, status=1)
    assert "sends no snapshot" in said
    assert "--without-store" in said
    redis.kill()
    assert "sends no snapshot" in fudaba("backup", folder / "b", "--data", data, "--redis", redis.url, status=1)
    assert "not the URL of a Redis" in fudaba("backup", folder / "b", "--data", data, "--redis", "nonsense", status=1)
    assert not (folder / "b").exists()
    assert not list(folder.glob(".fudaba-*"))


def test_a_snapshot_that_is_cut_off_is_refused_and_leaves_nothing(folder: Path, data: Path, redis: RedisServer) -> None:
    with redis.client() as client:
        client.mset({f"value-{number}": b"x" * VALUE_BYTES + bytes([number % 256]) for number in range(VALUES_COUNT)})
    with cut_after(redis.port, 20_000) as port:
        url = f"redis://127.0.0.1:{port}/0"
        said = fudaba("backup", folder / "b", "--data", data, "--redis", url, status=1)
    assert "before the snapshot's end" in said
    assert not (folder / "b").exists()
    assert not list(folder.glob(".fudaba-*"))


@contextlib.contextmanager
def cut_after(port: int, byte_count: int) -> Iterator[int]:
    """Yields the port of a connection to a server that ends after so many bytes of its answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def carry() -> None:
            client, _ = listener.accept()
            with client, socket.create_connection(("127.0.0.1", port)) as server:
                forth = threading.Thread(target=forward, args=(client, server), daemon=True)
                forth.start()
                left = byte_count
                while left > 0 and (piece := server.recv(left)):
                    client.sendall(piece)
                    left -= len(piece)
                client.shutdown(socket.SHUT_RDWR)
                forth.join()

        carrying = threading.Thread(target=carry, daemon=True)
        carrying.start()
        yield listener.getsockname()[1]
        carrying.join()


def forward(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := source.recv(4096):
            target.sendall(piece)
