"""A folder that one process uses at a time. What its refusals say is tested with the server that uses it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import socket
import subprocess
import threading
from pathlib import Path

import pytest

from fudaba_serving.process.folder_lock import CopiedFolderError, FolderError, FolderInUseError, FolderLock, holder


def test_a_lock_is_held_from_acquire_to_release(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    held = [lock.held]
    lock.acquire()
    held.append(lock.held)
    lock.release()
    held.append(lock.held)
    assert held == [False, True, False]
    FolderLock(tmp_path).acquire()


def test_a_second_lock_is_refused_at_once_while_the_holder_runs(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    lock.acquire()
    with pytest.raises(FolderInUseError, match=f"process {os.getpid()}"):
        FolderLock(tmp_path).acquire(patience=3600)
    lock.release()


def test_several_hold_a_shared_lock_and_nobody_else_does_before_the_last_of_them_lets_go(tmp_path: Path) -> None:
    first, second = FolderLock(tmp_path, shared=True), FolderLock(tmp_path, shared=True)
    first.acquire()
    assert holder(tmp_path), "who looks is told of the only one"
    second.acquire()
    first.release()
    assert holder(tmp_path)
    with pytest.raises(FolderInUseError, match=f"process {os.getpid()}"):
        FolderLock(tmp_path).acquire()
    second.release()
    assert holder(tmp_path) is None
    FolderLock(tmp_path).acquire()


def test_a_shared_lock_waits_for_those_who_only_look_at_it(tmp_path: Path) -> None:
    former = FolderLock(tmp_path, shared=True)
    former.acquire()
    former.release()
    looking = os.open(tmp_path / "lock", os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_EX)
    closing = threading.Timer(0.1, os.close, [looking])
    closing.start()
    lock = FolderLock(tmp_path, shared=True)
    lock.acquire(patience=3600)
    lock.release()
    closing.join()


def test_the_folder_is_made_for_its_owner_only(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path / "new")
    lock.acquire()
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["lock"]
    lock.release()


def test_a_note_outlives_its_holder(tmp_path: Path) -> None:
    first = FolderLock(tmp_path)
    first.acquire()
    first.note = "a much longer note than the next"
    first.note = "clean this up: ü"
    first.release()
    second = FolderLock(tmp_path)
    second.acquire()
    assert second.note == "clean this up: ü"
    second.release()


@pytest.mark.parametrize("content", [b"", b'{"pid": 12', b"[1, 2]", b'{"pid": "x", "note": 3}', b"\xff\xfe"])
def test_a_lock_file_that_says_nothing_useful_is_no_obstacle(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "lock").write_bytes(content)
    lock = FolderLock(tmp_path)
    lock.acquire()
    assert lock.held
    lock.release()


def test_a_folder_in_place_of_the_lock_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    with pytest.raises(FolderError, match="lock cannot be written"):
        FolderLock(tmp_path).acquire()


def test_a_child_that_inherits_the_lock_holds_it_too(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path)
    lock.acquire()
    with subprocess.Popen(["sleep", "600"], pass_fds=[lock.fileno()]) as child:
        lock.release()
        other = FolderLock(tmp_path)
        with pytest.raises(FolderInUseError):
            other.acquire(patience=0)
        child.kill()
    other.acquire()
    other.release()


def test_a_lock_that_is_not_held_has_nothing_to_pass_on(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not held"):
        FolderLock(tmp_path).fileno()


def test_a_copy_of_a_folder_in_use_is_refused_and_both_are_named(tmp_path: Path) -> None:
    original, copy = copied(tmp_path)
    original.acquire()
    shutil.copytree(original.folder, copy, dirs_exist_ok=True)
    refusal = f"{copy} is a copy of {original.folder}, which is in use by process {os.getpid()} .*an empty folder"
    for _ in range(2):  # a refusal does not make it another folder
        with pytest.raises(CopiedFolderError, match=refusal):
            FolderLock(copy).acquire()
    original.release()


def test_a_copy_whose_original_is_free_is_used_and_said_once_to_be_one(tmp_path: Path) -> None:
    original, copy = copied(tmp_path)
    found = []
    for _ in range(2):
        lock = FolderLock(copy)
        lock.acquire()
        found.append(lock.copied_from)
        lock.release()
    assert found == [original.folder, None]
    original.acquire()
    FolderLock(copy).acquire()
    original.release()


def test_who_only_reads_a_copy_may_do_so_beside_its_original_and_it_stays_a_copy(tmp_path: Path) -> None:
    original, copy = copied(tmp_path)
    original.acquire()
    reading = FolderLock(copy, allow_copy=True)
    reading.acquire()
    reading.release()
    with pytest.raises(CopiedFolderError):
        FolderLock(copy).acquire()
    original.release()


def test_a_folder_that_was_moved_or_whose_place_another_one_has_is_no_copy(tmp_path: Path) -> None:
    original, copy = copied(tmp_path)
    original.folder.rename(tmp_path / "moved")
    other = FolderLock(original.folder)
    other.acquire()
    for folder in (tmp_path / "moved", copy):
        lock = FolderLock(folder)
        lock.acquire()
        assert lock.copied_from is None
        lock.release()
    other.release()


def test_a_folder_whose_original_was_removed_is_no_copy_of_what_takes_its_place(tmp_path: Path) -> None:
    original, copy = copied(tmp_path)
    shutil.rmtree(original.folder)
    other = FolderLock(original.folder)
    other.acquire()
    give_inode_of(other.folder, copy)
    lock = FolderLock(copy)
    lock.acquire()
    assert lock.copied_from is None
    lock.release()
    other.release()


def test_a_copy_of_a_folder_that_was_put_back_is_one(tmp_path: Path) -> None:
    original, copy = copied(tmp_path)
    original.folder.rename(tmp_path / "moved")
    shutil.copytree(tmp_path / "moved", original.folder)
    original.acquire()
    for folder in (tmp_path / "moved", copy):
        with pytest.raises(CopiedFolderError):
            FolderLock(folder).acquire()
    original.release()


@pytest.mark.parametrize("upgraded", [False, True])
def test_a_copy_of_an_earlier_releases_folder_in_use_is_refused(tmp_path: Path, upgraded: bool) -> None:
    original, copy = copied(tmp_path)
    for folder in (original.folder, copy):
        without_id(folder)
    original.acquire()
    if not upgraded:
        without_id(original.folder)
    with pytest.raises(CopiedFolderError):
        FolderLock(copy).acquire()
    original.release()


def test_a_folder_whose_original_is_out_of_reach_is_used(tmp_path: Path) -> None:
    original, copy = copied(tmp_path)
    without_id(copy)
    (original.folder / "lock").unlink()
    with socket.socket(socket.AF_UNIX) as unreadable, contextlib.chdir(original.folder):
        unreadable.bind("lock")  # a file that even root cannot open
    give_inode_of(original.folder, copy)
    lock = FolderLock(copy)
    lock.acquire()
    assert lock.copied_from is None
    lock.release()


def without_id(folder: Path) -> None:
    """Writes a folder's lock file as an earlier release did."""
    content = json.loads((folder / "lock").read_text())
    del content["id"]
    (folder / "lock").write_text(json.dumps(content))


def give_inode_of(other: Path, copy: Path) -> None:
    """Gives the original of a copy the inode that another file has now: file systems reuse inodes."""
    content = json.loads((copy / "lock").read_text())
    (copy / "lock").write_text(json.dumps(content | {"inode": (other / "lock").stat().st_ino}))


def copied(place: Path) -> tuple[FolderLock, Path]:
    """Returns the lock of a folder that was used, and a copy of that folder; nobody holds either."""
    original, copy = FolderLock(place / "original"), place / "copy"
    original.acquire()
    original.release()
    shutil.copytree(original.folder, copy)
    return original, copy
