"""A Redis with a replica and a Sentinel that watches them: real processes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, final

import redis

from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import Process, RedisServer, free_port

MASTER: Final = "fudaba"
"""The Sentinel's name for the master."""
_SETTINGS: Final = """\
sentinel monitor {master} 127.0.0.1 {port} 1
sentinel down-after-milliseconds {master} 3600000
sentinel config-epoch {master} {failovers}
"""
"""The settings of a Sentinel that takes no server for dead: on a busy machine a healthy server may be silent for
long."""

PATIENT: Final = f"from fudaba_serving.redis import sentinel; sentinel._ASK_SECONDS = {PATIENCE}; "
"""The code that a service runs first to wait for the Sentinel, however busy the machine is."""


@final
class Watched:
    """The servers. At first `servers[0]` is the master."""

    def __init__(self, servers: list[RedisServer], port: int) -> None:
        self.servers = servers
        self.port = port
        """The Sentinel's."""

    @property
    def url(self) -> str:
        return f"redis+sentinel://127.0.0.1:{self.port}/{MASTER}/0"

    def fail_over(self) -> None:
        """Kills the master as soon as the replica has all that it has; returns when the replica has its place."""
        master, replica = self.servers
        wait_until(lambda: _offset(replica) >= _offset(master), "the replica")
        master.kill()
        with self.sentinel() as sentinel:
            wait_until(lambda: _has_failed_over(sentinel, replica.port), "the failover")

    def name_the_replica(self) -> None:
        """Promotes the replica, and lets the Sentinel name it, while the old master still takes writes."""
        master, replica = self.servers
        wait_until(lambda: _offset(replica) >= _offset(master), "the replica")
        with replica.client() as client:
            client.replicaof("NO", "ONE")
        with self.sentinel() as sentinel:
            sentinel.sentinel_remove(MASTER)
            sentinel.sentinel_monitor(MASTER, "127.0.0.1", replica.port, 1)

    @contextlib.contextmanager
    def sentinel(self) -> Iterator[Any]:
        """Yields a client of the Sentinel."""
        with contextlib.closing(redis.Redis(port=self.port, decode_responses=True)) as client:
            yield client


@contextlib.contextmanager
def watching(folder: Path, master: RedisServer, failovers: int = 0) -> Iterator[tuple[Process, int]]:
    """Yields a Sentinel and its port: it names a server the master, after this number of failovers."""
    settings, port = folder / f"sentinel-{master.port}.conf", free_port()
    settings.write_text(_SETTINGS.format(master=MASTER, port=master.port, failovers=failovers))
    with Process(folder, f"sentinel-{master.port}") as sentinel:
        sentinel.launch([str(master.executable), str(settings), "--sentinel", "--port", str(port)])
        wait_until(lambda: _answers(port), lambda: f"the Sentinel answers: {sentinel.log}")
        yield sentinel, port


@contextlib.contextmanager
def watched(folder: Path) -> Iterator[Watched]:
    """Starts them; they have ended when the block is left."""
    with contextlib.ExitStack() as stack:
        servers: list[RedisServer] = []
        for name in ("master", "replica"):
            (folder / name).mkdir()
            options = ["--repl-diskless-sync-delay", "0"]
            if servers:
                options += ["--replicaof", "127.0.0.1", str(servers[0].port)]
            servers.append(stack.enter_context(RedisServer(folder / name, *options, name=name)).start())
        wait_until(lambda: _replication(servers[1])["master_link_status"] == "up", "the replica")
        sentinel, port = stack.enter_context(watching(folder, servers[0]))
        pair = Watched(servers, port)
        wait_until(lambda: _knows_the_replica(pair, sentinel), "the Sentinel")
        yield pair


def _answers(port: int) -> bool:
    with contextlib.closing(redis.Redis(port=port)) as client, contextlib.suppress(redis.ConnectionError):
        return bool(client.ping())
    return False


def _has_failed_over(sentinel: Any, port: int) -> bool:
    """Returns whether a replica has become the master; asks for that until the Sentinel has heard enough of the
    replica."""
    if sentinel.sentinel_get_master_addr_by_name(MASTER) == ("127.0.0.1", port):
        return True
    with contextlib.suppress(redis.ResponseError):  # NOGOODSLAVE, or INPROG
        sentinel.execute_command("SENTINEL", "FAILOVER", MASTER)
    return False


def _knows_the_replica(pair: Watched, process: Process) -> bool:
    assert process.running, process.log
    with pair.sentinel() as sentinel, contextlib.suppress(redis.RedisError):
        return bool(sentinel.sentinel_slaves(MASTER))
    return False


def _replication(server: RedisServer) -> dict[str, Any]:
    with server.client() as client:
        view: Any = client
        return dict(view.info("replication"))


def _offset(server: RedisServer) -> int:
    found = _replication(server)
    return int(found.get("slave_repl_offset", found["master_repl_offset"]))
