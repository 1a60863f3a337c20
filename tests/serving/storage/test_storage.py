"""Files by name, in a folder or in an object store: a new one takes nobody's place, and nothing waits for ever."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from fudaba_serving.storage import urls as storage
from fudaba_serving.storage.urls import BadPlace, FolderStorage, Storage, StorageUnavailable, UrlStorage, storage_at
from tests.support.folders import short_folder
from tests.support.object_store import BUCKET, ObjectStore, environment
from tests.support.patience import PATIENCE
from tests.support.service.proxy import Proxy


@pytest.fixture(scope="module")
def objects() -> Iterator[ObjectStore]:
    for library in ("s3fs", "moto"):
        pytest.importorskip(library, reason="the archive's extra is not installed")
    with short_folder() as folder, ObjectStore(folder) as server:
        yield server.start()


@pytest.fixture
async def before(objects: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Proxy]:
    """Stands before the object store, which this process uses from now on."""
    async with Proxy(objects.port).run() as proxy:
        for name, value in environment(proxy.port).items():
            monkeypatch.setitem(os.environ, name, value)
        for name in ("_ANSWER_SECONDS", "_OPENING_SECONDS"):
            monkeypatch.setattr(storage, name, PATIENCE)
        yield proxy


@pytest.fixture(params=["folder", pytest.param("s3", marks=pytest.mark.exhaustive)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    if request.param == "folder":
        return storage_at(f"file://{tmp_path}/a%20folder")
    request.getfixturevalue("before")
    return storage_at(f"{BUCKET}/{secrets.token_hex(4)}")


@pytest.mark.exhaustive
async def test_files_are_created_replaced_read_listed_and_removed(place: Storage) -> None:
    await place.prepare()
    assert await place.read("ab/one.x") is None
    assert not await place.has("ab/one.x")
    assert await place.create("ab/one.x", b"1")
    assert not await place.create("ab/one.x", b"2")
    assert await place.has("ab/one.x")
    assert not await place.has("ab/other.x")
    assert await place.read("ab/one.x") == b"1"
    await place.put("ab/one.x", b"3")
    await place.put("cd/two.x", b"")
    await place.put("cd/three.y", b"y")
    await place.put("cd/.four.x", b"hidden")
    await place.put("upper.x", b"is not listed")
    assert await place.read_all(["cd/two.x", "cd/none.x", "ab/one.x"]) == [b"", None, b"3"]
    found = [name async for names in place.names(".x") for name in names]
    assert sorted(found) == ["ab/one.x", "cd/two.x"]
    for _ in range(2):
        await place.remove(["ab/one.x", "cd/none.x"])
    assert await place.read("ab/one.x") is None
    assert not await place.has("ab/one.x")
    assert [name async for names in place.names(".x") for name in names] == ["cd/two.x"]


async def test_of_many_who_create_a_file_at_once_one_does(place: Storage) -> None:
    made = await asyncio.gather(*[place.create("ab/one.x", b"%d" % number) for number in range(8)])
    assert sum(made) == 1
    assert await place.read("ab/one.x") == b"%d" % made.index(True)


@pytest.mark.exhaustive
async def test_an_object_store_that_does_not_answer_or_fails_is_unavailable_and_is_used_again_when_it_is_back(
    before: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = storage_at(f"{BUCKET}/{secrets.token_hex(4)}")
    await place.prepare()
    await place.put("ab/one.x", b"1")
    with monkeypatch.context() as patched:
        patched.setattr(storage, "_ANSWER_SECONDS", 0.5)
        before.freeze()
        for call in (
            place.read("ab/one.x"),
            place.has("ab/one.x"),
            place.put("ab/one.x", b"2"),
            place.create("ab/new.x", b""),
        ):
            with pytest.raises(StorageUnavailable, match="no answer within"):
                await call
        with pytest.raises(StorageUnavailable, match="cannot be listed"):
            [name async for name in place.names(".x")]
        with pytest.raises(StorageUnavailable, match="no answer within 1 seconds"):  # a large file has longer
            await place.put("ab/large.x", bytes(500_000))
    before.thaw()
    await place.put("ab/one.x", b"3")
    assert await place.read("ab/one.x") == b"3"


async def test_what_keeps_nothing_or_cannot_be_used_is_refused_with_what_to_do(tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason="the archive's extra is not installed")
    for url, words in (
        ("memory://here", "gone with the process"),
        ("file://elsewhere/folder", "another machine"),
        ("nonsense://here", "not known"),
    ):
        with pytest.raises(BadPlace, match=words):
            await storage_at(url).prepare()
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageUnavailable, match="is not a folder"):
        await storage_at(str(tmp_path / "file" / "below")).prepare()
    assert isinstance(storage_at(str(tmp_path)), FolderStorage)


@pytest.mark.exhaustive
async def test_a_storage_that_writes_over_files_is_refused(before: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    place = storage_at(f"{BUCKET}/{secrets.token_hex(4)}")
    write = storage._write

    async def careless(fs: object, path: str, content: bytes, mode: str) -> None:
        await write(fs, path, content, "overwrite")

    monkeypatch.setattr(storage, "_write", careless)
    with pytest.raises(BadPlace, match="conditional writes"):
        await place.prepare()


def test_a_password_in_a_url_is_not_told() -> None:
    place = UrlStorage("sftp://user:secret@host/path?key=hidden")
    assert place.where == "sftp://host/path"
    assert "secret" not in place.digest


def test_what_root_keeps_in_somebody_else_s_folder_is_theirs(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(tmp_path, 7710, 7710)
    assert asyncio.run(FolderStorage(tmp_path).create("ab/one.x", b"1"))
    assert {(path.stat().st_uid, path.stat().st_gid) for path in tmp_path.rglob("*")} == {(7710, 7710)}


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from typing import Any
from fudaba_serving.storage.folder import FolderStorage

os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(FolderStorage(Path(sys.argv[1])).put("ab/one.x", bytes(1_000)))
"""


async def test_a_folder_that_may_not_be_read_is_no_reason_not_to_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lost+found").mkdir()
    scan = os.scandir

    def refused(path: Any) -> Any:  # the tests may run as root, who may read everything
        if Path(path).name == "lost+found":
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refused)
    place = storage_at(str(tmp_path))
    await place.prepare()
    await place.put("ab/one.x", b"1")
    assert await place.read("ab/one.x") == b"1"


@pytest.mark.parametrize("when", ["at start", "at a write"])
def test_what_a_killed_process_has_left_half_written_goes_by_age_and_nothing_else(tmp_path: Path, when: str) -> None:
    assert subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False).returncode == -signal.SIGKILL
    folder = tmp_path / "ab"
    [left] = [path for path in folder.iterdir() if path.name.startswith(".new-")]
    (folder / ".0_earlier").write_bytes(b"of a release that named them without a word")
    (folder / ".0earlier").write_bytes(b"of a release that named them without a word")
    (folder / ".new-sameage").write_bytes(b"is being written")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".gitsomes").write_bytes(b"somebody else's")
    (folder / ".new-afolder").mkdir()
    (folder / "one.x").write_bytes(b"1")
    kept = {path for path in tmp_path.rglob("*") if path not in {left, folder / ".0earlier"}}
    for path in [*kept, left, folder / ".0earlier"]:
        if path.name != ".new-sameage":
            os.utime(path, (0, 0))
    place = storage_at(str(tmp_path))
    if when == "at start":
        asyncio.run(place.prepare())
    else:
        asyncio.run(place.put("ab/one.x", b"2"))
    assert {*tmp_path.rglob("*")} == kept
    os.utime(folder / ".new-sameage", (0, 0))
    asyncio.run(place.put("ab/one.x", b"3"))
    assert (folder / ".new-sameage").exists(), "nobody looks again at each write"
