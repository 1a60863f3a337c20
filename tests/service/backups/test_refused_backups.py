"""What is no whole backup, and what cannot be backed up or restored into, is refused and changes nothing."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import tarfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from fudaba_serving.redis.store_commands import StoreCopyError, check_commands
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.service.backups.commands import everything, fudaba
from tests.support.service.organiser import StoreView


def spoilt(folder: Path, file: Path, flaw: str) -> Path:
    """Returns a file that is no good backup."""
    content = bytearray(file.read_bytes())
    place = folder / f"{flaw}.tar.zst"
    if flaw == "flipped":
        content[len(content) // 2] ^= 0x10
    elif flaw == "cut":
        del content[-200:]
    elif flaw == "empty":
        content.clear()
    elif flaw == "text":
        content = bytearray(b"This is a letter.\n" * 100)
    elif flaw == "record":
        content = bytearray(zstandard.compress(b"\x0a\x03m-1" * 50))
    place.write_bytes(content)
    return place


@pytest.mark.parametrize(
    ("flaw", "words"),
    [
        ("flipped", "is damaged"),
        ("cut", "or was cut short"),
        ("empty", "is not a backup"),
        ("text", "is not a backup"),
        ("record", "is not a backup"),
    ],
)
def test_what_is_no_whole_backup_is_refused_and_leaves_nothing(folder: Path, file: Path, flaw: str, words: str) -> None:
    bad = spoilt(folder, file, flaw)
    before = everything(folder)
    for arguments in (("--check",), ("--data", folder / "new")):
        said = fudaba("restore", bad, *arguments, status=1)
        assert str(bad) in said
        assert words in said or "is not complete" in said
        assert "empty file" not in said
    assert everything(folder) == before
    assert not (folder / "new").exists()


def repack(folder: Path, file: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """Returns a backup with other files in it."""
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


def add_to_the_header(files: dict[str, bytes]) -> None:
    files["backup.json"] = json.dumps(json.loads(files["backup.json"]) | {"added_later": 1}).encode()
    lines = [line for line in files["SHA256SUMS"].decode().splitlines() if not line.endswith("backup.json")]
    lines.append(f"{hashlib.sha256(files['backup.json']).hexdigest()}  backup.json")
    files["SHA256SUMS"] = "".join(f"{line}\n" for line in lines).encode()


def test_a_backup_of_the_same_format_of_a_later_release_that_says_more_is_read(folder: Path, file: Path) -> None:
    later = repack(folder, file, add_to_the_header)
    assert json.loads(fudaba("restore", later, "--check", "--json"))["records"] == 2


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


def command(*words: str) -> bytes:
    """Returns a command as the store's files have it."""
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word.encode()) for word in words)


KEPT = command("SELECT", "0") + command("SET", "a", "1")
AOF = "data/store/appendonlydir/appendonly.aof.1.incr.aof"


def with_file(files: dict[str, bytes], name: str, content: bytes) -> None:
    """Puts a file in, with its checksum."""
    files[name] = content
    sums = files.pop("SHA256SUMS").decode().splitlines()
    sums = [line for line in sums if not line.endswith(f"  {name}")]
    sums.append(f"{hashlib.sha256(content).hexdigest()}  {name}")
    files["SHA256SUMS"] = "".join(f"{line}\n" for line in sums).encode()


@pytest.mark.parametrize(
    "bad",
    [
        command("MODULE", "LOAD", "/nowhere.so"),
        command("module", "load", "/nowhere.so"),
        command("REPLICAOF", "127.0.0.1", "1"),
        command("CONFIG", "SET", "maxmemory", "5mb"),
        command("EVAL", "redis.call('set', 'b', '2')", "0"),
        command("FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('f', function() end)"),
        command("DEBUG", "JMAP"),
        command("MULTI") + command("ACL", "SETUSER", "other", "on", "nopass") + command("EXEC"),
        b"*1" + 40 * b"$" + b"\r\n$5\r\nDEBUG\r\n",
        b"*01junk\r\n$7\r\nCOMMAND\r\n",
        b"*1\n$7\nCOMMAND\r\n",
        b"\0\0" + command("REPLICAOF", "127.0.0.1", "1"),
        b"#TS:1\r\n" + command("REPLICAOF", "127.0.0.1", "1"),
        b"REDIS0011\xff",
    ],
)
@pytest.mark.parametrize("behind", [b"", KEPT], ids=["at the end", "in the middle"])
def test_a_store_that_tells_the_server_anything_but_values_is_refused_before_a_server_reads_it(
    folder: Path, file: Path, bad: bytes, behind: bytes
) -> None:
    hostile = repack(folder, file, lambda files: with_file(files, AOF, KEPT + bad + behind))
    before = everything(folder)
    said = fudaba("restore", hostile, "--data", folder / "new", status=1)
    assert "the copy of the store cannot be loaded: appendonly.aof.1.incr.aof" in said
    assert everything(folder) == before


@pytest.mark.parametrize(
    "bad",
    [
        b"*9999999999\r\n$3\r\nSET\r\n$1\r\nb\r\n",  # 75 GiB of room for words, and the start of a server never ends
        b"*1048577\r\n$3\r\nSET\r\n",
        b"*3\r\n$3\r\nSET\r\n$1\r\nb\r\n$9999999999\r\nx\r\n",
        b"*3\r\n$3\r\nSET\r\n$1\r\nb\r\n$536870913\r\nx\r\n",
        b"*-1\r\n",
        b"*0\r\n",
        b"*2\r\n$-1\r\n$1\r\na\r\n",
        b"SET b 2\r\n",
        b"CONFIG SET dir /tmp\r\n",
        b"REDIS0009\xfa\x09redis-ver\x055.0.0\xff" + bytes(8),
        command("MULTI") + command("MULTI") + command("SCRIPT", "LOAD", "while true do end") + command("EXEC"),
        command("EVALSHA", "a" * 40, "0"),
        command("FCALL", "f", "0"),
        command("FUNCTION", "RESTORE", "x"),
        command("CONFIG", "REWRITE"),
        command("CLIENT", "PAUSE", "999999999"),
        command("SUBSCRIBE", "x"),
        command("SORT", "a", "STORE", "b"),
        command("RESTORE", "b", "0", "x"),
        command("MIGRATE", "127.0.0.1", "1", "a", "0", "1"),
        command("SHUTDOWN"),
        command("SAVE"),
        command("BLPOP", "nothing", "0"),
    ],
)
@pytest.mark.parametrize("kind", ["incr.aof", "base.aof", "base.rdb"])
def test_no_file_of_a_store_has_room_made_or_scripts_run_or_is_of_another_kind(
    tmp_path: Path, bad: bytes, kind: str
) -> None:
    place = tmp_path / "appendonlydir" / f"appendonly.aof.1.{kind}"
    place.parent.mkdir()
    for behind in (b"", KEPT):
        place.write_bytes(KEPT + bad + behind)
        with pytest.raises(StoreCopyError, match="the copy of the store cannot be loaded"):
            check_commands(tmp_path)
    place.write_bytes(KEPT + command("SET", "b", "x" * 100))
    check_commands(tmp_path)


@pytest.mark.parametrize(
    "end",
    [
        command("MULTI") + command("SET", "b", "2"),
        command("MULTI") + command("MULTI") + command("SET", "a", "1") + command("EXEC") + command("EXEC"),
        command("EXEC"),
    ],
    ids=["one that does not end", "one in another", "an end of none"],
)
def test_transactions_that_are_none_change_nothing_of_a_store(folder: Path, file: Path, end: bytes) -> None:
    odd = repack(folder, file, lambda files: with_file(files, AOF, KEPT + end))
    fudaba("restore", odd, "--data", folder / "new")
    with EmbeddedValkey(folder / "new" / "store") as server:
        view = StoreView(server.url)
        assert (view.client.get("a"), view.client.get("b")) == (b"1", None)
        view.client.close()


@pytest.mark.parametrize(
    "end", [b"*", b"*3\r", b"*3\r\n$3\r\nSE", b"*2\r\n$3\r\nDEL\r\n$1\r\na\r", b"*3" + 9 * b"\0", 99 * b"\0"]
)
def test_a_store_with_a_torn_end_is_restored_without_it(folder: Path, file: Path, end: bytes) -> None:
    torn = repack(folder, file, lambda files: with_file(files, AOF, KEPT + end))
    fudaba("restore", torn, "--data", folder / "new")
    with EmbeddedValkey(folder / "new" / "store") as server:
        view = StoreView(server.url)
        assert view.client.get("a") == b"1"
        view.client.close()


@pytest.mark.parametrize("name", ["appendonly.aof", "dump.rdb", "appendonlydir/x/y.aof", "valkey.conf"])
def test_a_store_has_no_files_but_its_own(folder: Path, file: Path, name: str) -> None:
    more = repack(folder, file, lambda files: with_file(files, f"data/store/{name}", KEPT))
    assert "does not belong into one" in fudaba("restore", more, "--data", folder / "new", status=1)
    assert not (folder / "new").exists()


def test_what_is_restored_is_its_owners_alone_whatever_the_backup_says(folder: Path, file: Path) -> None:
    place = folder / "open.tar.zst"
    with (
        zstandard.open(file, "rb") as stream,
        tarfile.open(mode="r|", fileobj=stream) as tar,
        zstandard.open(place, "wb") as packed,
        tarfile.open(mode="w|", fileobj=packed) as other,
    ):
        for info in tar:
            info.mode, info.mtime = 0o7777, 10**14
            other.addfile(info, tar.extractfile(info))
    fudaba("restore", place, "--data", folder / "new")
    modes = {path.name: path.stat().st_mode & 0o7777 for path in (folder / "new").rglob("*") if path.is_file()}
    assert set(modes.values()) == {0o640}, modes
    assert (folder / "new" / "fudaba.toml").stat().st_mtime <= time.time()


@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_backup_of_a_few_bytes_takes_no_memory_by_the_gigabyte(folder: Path, file: Path, kind: bytes) -> None:
    with zstandard.open(file, "rb") as stream, tarfile.open(mode="r|", fileobj=stream) as tar:
        first = tar.next()
        assert first is not None
        reader = tar.extractfile(first)
        assert reader is not None
        header = reader.read()
    info = tarfile.TarInfo("SHA256SUMS")
    info.type, info.size = kind, 200_000_000
    place = folder / "bomb.tar.zst"
    made = zstandard.ZstdCompressor().compressobj()
    with place.open("wb") as packed:
        plain = io.BytesIO()
        with tarfile.open(mode="w", fileobj=plain) as tar:
            first.size = len(header)
            tar.addfile(first, io.BytesIO(header))
        packed.write(made.compress(plain.getvalue()[: 512 + -(-len(header) // 512) * 512]))
        packed.write(made.compress(info.tobuf(tarfile.GNU_FORMAT)))
        for _ in range(200):
            packed.write(made.compress(bytes(1_000_000)))
        packed.write(made.flush())
    tracemalloc.start()
    try:
        assert "is damaged" in fudaba("restore", place, "--check", status=1)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()
