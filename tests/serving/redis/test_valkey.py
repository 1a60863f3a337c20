"""The embedded server, with real processes."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from fudaba_serving.redis import server_process, valkey
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.patience import PATIENCE, wait_until
from tests.support.serving.valkey import client, kill, parent_process, runs, wait_until_written


def test_a_started_server_answers_at_its_url_and_a_stopped_one_is_gone(folder: Path) -> None:
    server = EmbeddedValkey(folder)
    server.start()
    pid = server.pid
    assert pid is not None
    assert server.alive
    assert server.poll() is None
    with client(server) as connection:
        assert connection.ping()
    server.stop()
    assert server.pid is None
    assert not runs(pid)
    assert not server.socket_path.exists()
    assert server.poll() is None


def test_nobody_else_reaches_the_server(folder: Path) -> None:
    with EmbeddedValkey(folder) as server, client(server) as connection:
        assert connection.config_get("port") == {"port": "0"}
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE(server.socket_path.stat().st_mode) & 0o077 == 0


@pytest.mark.parametrize("appendfsync", ["everysec", "always"])
def test_writes_reach_the_disk_as_asked(folder: Path, appendfsync: Any) -> None:
    with EmbeddedValkey(folder, appendfsync=appendfsync) as server, client(server) as connection:
        assert connection.config_get("append*") == {
            "appendonly": "yes",
            "appendfsync": appendfsync,
            "appendfilename": "appendonly.aof",
            "appenddirname": "appendonlydir",
        }


def test_another_appendfsync_is_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match="`everysec` or `always`, not 'no'"):
        EmbeddedValkey(folder, appendfsync="no")  # type: ignore[arg-type]


def test_data_outlives_a_stop(folder: Path) -> None:
    with EmbeddedValkey(folder) as server, client(server) as connection:
        connection.set("kept", "yes")
    with EmbeddedValkey(folder) as server, client(server) as connection:
        assert connection.get("kept") == b"yes"


def test_a_killed_server_is_noticed_and_restarts_with_its_data_at_the_same_url(folder: Path) -> None:
    with EmbeddedValkey(folder) as server:
        url = server.url
        with client(server) as connection:
            connection.set("kept", "yes")
            wait_until_written(connection)
        kill(server)
        assert server.poll() == -signal.SIGKILL
        server.restart()
        assert server.alive
        assert server.poll() is None
        assert server.url == url
        with client(server) as connection:
            assert connection.get("kept") == b"yes"


def test_a_log_that_was_cut_by_a_crash_is_read_up_to_the_cut(folder: Path) -> None:
    with EmbeddedValkey(folder) as server, client(server) as connection:
        connection.set("kept", "yes")
        connection.set("cut", "0123456789")
        (written,) = folder.glob("appendonlydir/*.incr.aof")
        wait_until(lambda: b"0123456789" in written.read_bytes())  # a busy disk lets the log lag behind the answers
        kill(server)
        os.truncate(written, written.stat().st_size - 5)
        server.restart()
        with client(server) as after:
            assert after.get("kept") == b"yes"
            assert after.get("cut") is None


def test_starting_twice_is_starting_once_and_so_is_stopping(folder: Path) -> None:
    server = EmbeddedValkey(folder)
    server.stop()
    server.start()
    pid = server.pid
    server.start()
    server.restart()
    assert server.pid == pid
    server.stop()
    server.stop()
    server.start()
    server.stop()


def test_a_server_that_does_not_listen_to_the_request_to_stop_is_killed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_process, "_STOP_SECONDS", 0.2)
    with EmbeddedValkey(folder) as server:
        pid = server.pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
    assert not runs(pid)


async def test_it_is_usable_from_asyncio_and_outlives_the_thread_that_started_it(folder: Path) -> None:
    server = EmbeddedValkey(folder)
    starter = threading.Thread(target=server.start)
    starter.start()
    await asyncio.to_thread(starter.join)
    try:
        with client(server) as connection:
            connection.set("a", 1)
            await asyncio.sleep(0.1)
            assert connection.get("a") == b"1"
        assert server.alive
    finally:
        await asyncio.to_thread(server.stop)


async def test_whoever_waits_for_its_end_is_told_at_once_and_else_when_the_time_is_over(folder: Path) -> None:
    server = EmbeddedValkey(folder)
    await asyncio.to_thread(server.start)
    assert not await server.ended(0.01)
    waiting = asyncio.create_task(server.ended(PATIENCE))
    await asyncio.sleep(0)
    kill(server)
    assert await waiting
    assert await server.ended(PATIENCE)
    await asyncio.to_thread(server.stop)


def test_a_killed_parent_leaves_no_server_behind_and_the_folder_is_free_with_its_data(folder: Path) -> None:
    parent = parent_process(
        folder,
        "import socket\n"
        "s = socket.socket(socket.AF_UNIX); s.connect(str(server.socket_path)); s.sendall(b'SET kept yes\\r\\n')\n"
        "print(s.recv(100).decode().strip(), flush=True)\n"
        "time.sleep(600)",
    )
    with parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline().split()[0])
        assert parent.stdout.readline().strip() == "+OK"
        parent.kill()
    # At once: a server that is still ending keeps the folder until it has ended.
    with EmbeddedValkey(folder) as server, client(server) as connection:
        assert not runs(pid)
        assert connection.get("kept") == b"yes"


def test_a_parent_that_ends_without_stopping_it_leaves_no_server_behind(folder: Path) -> None:
    with parent_process(folder, "") as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline().split()[0])
    assert parent.returncode == 0
    wait_until(lambda: not runs(pid))


def test_an_interrupt_from_the_terminal_does_not_reach_the_server(folder: Path) -> None:
    with EmbeddedValkey(folder) as server:
        assert server.pid is not None
        assert os.getpgid(server.pid) != os.getpgid(0)


def test_a_large_log_is_put_aside_at_the_next_start(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(valkey, "_MAX_LOG_BYTES", 100)
    with EmbeddedValkey(folder) as server:
        log = server.log_path
    first = log.read_text()
    with EmbeddedValkey(folder):
        pass
    assert (folder / "valkey.log.1").read_text() == first
    assert log.read_text() != first
