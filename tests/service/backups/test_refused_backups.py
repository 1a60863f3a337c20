"""What is no whole backup, and what cannot be backed up or restored into, is refused and changes nothing."""

from __future__ import annotations

import hashlib
import json
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from fudaba.valkey import EmbeddedValkey
from tests.support.service.backups.commands import everything, fudaba


def spoilt(folder: Path, file: Path, how: str) -> Path:
    """A file that is no good backup."""
    content = bytearray(file.read_bytes())
    place = folder / f"{how}.tar.zst"
    if how == "flipped":
        content[len(content) // 2] ^= 0x10
    elif how == "cut":
        del content[-200:]
    elif how == "empty":
        content.clear()
    elif how == "text":
        content = bytearray(b"This is a letter.\n" * 100)
    elif how == "record":
        content = bytearray(zstandard.compress(b"\x0a\x03m-1" * 50))
    place.write_bytes(content)
    return place


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("flipped", "is damaged"),
        ("cut", "or was cut short"),
        ("empty", "is not a backup"),
        ("text", "is not a backup"),
        ("record", "is not a backup"),
    ],
)
def test_what_is_no_whole_backup_is_refused_and_leaves_nothing(folder: Path, file: Path, how: str, words: str) -> None:
    bad = spoilt(folder, file, how)
    before = everything(folder)
    for arguments in (("--check",), ("--data", folder / "new")):
        said = fudaba("restore", bad, *arguments, status=1)
        assert str(bad) in said
        assert words in said or "is not complete" in said
        assert "empty file" not in said
    assert everything(folder) == before
    assert not (folder / "new").exists()


def repack(folder: Path, file: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """A backup with other files in it."""
    with zstandard.open(file, "rb") as stream, tarfile.open(mode="r|", fileobj=stream) as tar:
        files = {info.name: reader.read() for info in tar if (reader := tar.extractfile(info)) is not None}
    change(files)
    place = folder / "repacked.tar.zst"
    with zstandard.open(place, "wb") as stream, tarfile.open(mode="w|", fileobj=stream) as tar:
        for name, content in files.items():
            scratch = folder / "scratch"
            scratch.write_bytes(content)
            tar.add(scratch, name)
            scratch.unlink()
    return place


def change_a_record(files: dict[str, bytes]) -> None:
    files["data/archive/ab/m-1.fudaba"] = files["data/archive/ab/m-1.fudaba"][::-1]


def leave_one_out(files: dict[str, bytes]) -> None:
    del files["data/archive/ab/m-1.fudaba"]


def leave_the_sums_out(files: dict[str, bytes]) -> None:
    del files["SHA256SUMS"]


def spoil_the_sums(files: dict[str, bytes]) -> None:
    files["SHA256SUMS"] = b"no sums\n"


def climb_out(files: dict[str, bytes]) -> None:
    sums = files.pop("SHA256SUMS")
    files["data/../../escaped"] = b"!"
    files["SHA256SUMS"] = sums + f"{hashlib.sha256(b'!').hexdigest()}  data/../../escaped\n".encode()


def come_from_the_future(files: dict[str, bytes]) -> None:
    header = json.loads(files["backup.json"]) | {"format": 2, "release": "9.9"}
    files["backup.json"] = json.dumps(header).encode()


def garble_the_header(files: dict[str, bytes]) -> None:
    files["backup.json"] = b"[]"


def garble_the_store(files: dict[str, bytes]) -> None:
    name = "data/store/appendonlydir/appendonly.aof.1.incr.aof"
    files[name] = b"*1\r\n$9\r\nNONSENSE!\r\n" * 3
    lines = [line for line in files["SHA256SUMS"].decode().splitlines() if not line.endswith(name)]
    lines.append(f"{hashlib.sha256(files[name]).hexdigest()}  {name}")
    files["SHA256SUMS"] = "".join(f"{line}\n" for line in lines).encode()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (change_a_record, "the checksum of data/archive/ab/m-1.fudaba is wrong; take another backup"),
        (leave_one_out, "the checksum of data/archive/ab/m-1.fudaba is wrong"),
        (leave_the_sums_out, "is not complete: it ends before its checksums"),
        (spoil_the_sums, "its checksums cannot be read"),
        (climb_out, "'data/../../escaped' does not belong into one"),
        (come_from_the_future, "has format 2, and this release reads 1: use the release that made it (9.9)"),
        (garble_the_header, "its backup.json cannot be read"),
        (garble_the_store, "the copy of the store cannot be loaded"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_backup_that_was_changed_is_refused_and_leaves_nothing(
    folder: Path, file: Path, change: Callable[[dict[str, bytes]], None], words: str
) -> None:
    bad = repack(folder, file, change)
    before = everything(folder)
    assert words in fudaba("restore", bad, "--data", folder / "new", status=1)
    assert everything(folder) == before
    assert not (folder / "new").exists()


def test_a_folder_that_is_not_empty_or_in_use_is_not_restored_into(folder: Path, data: Path, file: Path) -> None:
    before = everything(data)
    assert "is not empty: it has archive" in fudaba("restore", file, "--data", data, status=1)
    (folder / "note").write_text("x")
    assert "is a file" in fudaba("restore", file, "--data", folder / "note", status=2)
    assert "is not a folder; create that first" in fudaba("restore", file, "--data", folder / "no" / "such", status=1)
    assert "with --data" in fudaba("restore", file, status=2)
    assert "there is no file" in fudaba("restore", folder / "nothing", "--data", folder / "new", status=1)
    assert everything(data) == before
    with EmbeddedValkey(data / "store"):
        assert "is in use by process" in fudaba("restore", file, "--data", data, status=1)
    shutil.rmtree(data)
    data.mkdir()
    (data / "lost+found").mkdir()
    fudaba("restore", file, "--data", data)
    assert sorted(path.name for path in data.iterdir()) == ["archive", "fudaba.toml", "lost+found", "store"]


def test_what_cannot_be_backed_up_is_told_and_nothing_is_made(folder: Path, data: Path, file: Path) -> None:
    before = everything(folder)
    assert f"{file} exists; name another file" in fudaba("backup", file, "--data", data, status=1)
    assert "there is no data folder" in fudaba("backup", folder / "b", "--data", folder / "no", status=1)
    assert "neither a store nor an archive" in fudaba("backup", folder / "b", "--data", data / "archive", status=1)
    assert "lies in the data folder" in fudaba("backup", data / "b", "--data", data, status=1)
    assert "is not a folder" in fudaba("backup", folder / "no" / "b", "--data", data, status=1)
    assert "--data" in fudaba("backup", folder / "b", status=2)
    assert everything(folder) == before
    manifest = data / "store" / "appendonlydir" / "appendonly.aof.manifest"
    manifest.write_text("file ../../id seq 1 type b\n")
    assert "list of the store's files cannot be read" in fudaba("backup", folder / "b", "--data", data, status=1)
    assert sorted(path.name for path in folder.iterdir()) == ["backup.tar.zst", "data"]
