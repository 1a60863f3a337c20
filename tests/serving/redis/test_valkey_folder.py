"""The folder of the embedded server: one process at a time, one that can be written, paths of any kind."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fudaba_serving.process.folder_lock import CopiedFolderError
from fudaba_serving.redis.valkey import EmbeddedValkey, FolderError, FolderInUseError
from tests.support.patience import wait_until
from tests.support.serving.valkey import client, kill, parent_process, runs, wait_until_written


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
    with pytest.raises(FolderError, match=r"is not a folder\. Create that first"):
        EmbeddedValkey(folder / "deeper").start()
    assert not folder.exists()


def test_a_file_in_place_of_the_folder_is_refused_and_kept(folder: Path) -> None:
    folder.write_text("precious")
    with pytest.raises(FolderError, match=f"{folder} is not a folder"):
        EmbeddedValkey(folder).start()
    assert folder.read_text() == "precious"


def test_a_file_in_place_of_the_parent_is_refused(folder: Path) -> None:
    folder.write_text("precious")
    with pytest.raises(FolderError, match=r"is not a folder\. Create that first"):
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
            wait_until_written(connection)
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


def test_a_copy_of_a_folder_leaves_the_short_link_of_its_original_alone(folder: Path) -> None:
    long, copy = folder.parent / ("x" * 90), folder.parent / ("y" * 90)
    with EmbeddedValkey(long) as server:
        shutil.copytree(long, copy, ignore=shutil.ignore_patterns("*.sock"))
        with pytest.raises(CopiedFolderError):
            EmbeddedValkey(copy).start()
        with EmbeddedValkey(copy, reads=True) as read, client(read) as connection:
            assert connection.ping()
        with client(server) as connection:
            assert connection.ping()
