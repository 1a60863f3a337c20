"""Encrypted backups: made without a key that reads them, restored and tested with it, and never readable on disk."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fudaba_service.store import keys
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.folders import paths_below
from tests.support.patience import PATIENCE
from tests.support.service.backups.commands import begin, everything, fudaba
from tests.support.service.in_progress import started
from tests.support.service.organiser import StoreView

SECRET = b"the hands of a live match"
DAY = "fudaba-2026010{day}T040000Z-{service}-{parts}.tar.zst.age"


@pytest.fixture
def identity(folder: Path, need_tool: Callable[[str], Path]) -> Path:
    """Returns the identity file of a new pair of keys, whose public key is in the file `recipient` beside it."""
    place = folder / "identity"
    subprocess.run([need_tool("age-keygen"), "-o", place], check=True, capture_output=True)
    found = subprocess.run([need_tool("age-keygen"), "-y", place], check=True, capture_output=True, text=True)
    (folder / "recipient").write_text(found.stdout)
    return place


@pytest.fixture
def recipient(identity: Path) -> str:
    """Returns the public key."""
    return identity.with_name("recipient").read_text().strip()


def test_what_was_encrypted_is_restored_with_the_identity_and_by_age_itself(
    folder: Path, data: Path, identity: Path, recipient: str
) -> None:
    (data / "notes.txt").write_bytes(SECRET)
    file = folder / "b.tar.zst.age"
    report = json.loads(fudaba("backup", file, "--data", data, "--encrypt-to", recipient, "--json"))
    assert report["records"] == 2
    assert not report["verified"]
    assert file.stat().st_mode & 0o777 == 0o600
    checked = json.loads(fudaba("restore", file, "--check", "--identity", identity, "--json"))
    assert checked == report | {"verified": True}
    fudaba("restore", file, "--data", folder / "new", "--identity", identity)
    assert (folder / "new" / "notes.txt").read_bytes() == SECRET
    plain = subprocess.run(["age", "-d", "-i", identity, file], check=True, capture_output=True).stdout
    (folder / "plain").write_bytes(plain)
    assert json.loads(fudaba("restore", folder / "plain", "--check", "--json"))["verified"]


def test_nothing_readable_is_ever_beside_an_encrypted_backup(
    folder: Path, data: Path, recipient: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of the backups may be on another machine."""
    kept, temporary = folder / "kept", folder / "temporary"
    kept.mkdir()
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    (data / "notes.txt").write_bytes(SECRET)
    seen: set[str] = set()
    link = os.link

    def look(made: Path, file: Path) -> None:
        seen.update(everything(kept))
        assert any(path.name == "appendonlydir" for path in paths_below(temporary))
        link(made, file)

    monkeypatch.setattr("fudaba_service.backup.making.os.link", look)
    fudaba("backup", kept, "--data", data, "--encrypt-to", recipient)
    assert {Path(name).name for name in seen} == {"backup"}
    [made] = everything(kept).values()
    assert made.startswith(b"age-encryption.org/v1\n")
    assert everything(temporary) == {}


def test_several_recipients_and_those_of_a_file_can_each_read_it(
    folder: Path, data: Path, identity: Path, need_tool: Callable[[str], Path]
) -> None:
    other = folder / "other"
    subprocess.run([need_tool("age-keygen"), "-o", other], check=True, capture_output=True)
    key = subprocess.run(["age-keygen", "-y", other], check=True, capture_output=True, text=True).stdout.strip()
    words = "--encrypt-to", folder / "recipient", "--encrypt-to", key
    assert "; verified" in fudaba("backup", folder / "b", "--data", data, *words, "--identity", other)
    for each in (identity, other):
        assert "verified" in fudaba("restore", folder / "b", "--check", "--identity", each)


def test_what_cannot_be_decrypted_says_why_and_restores_nothing(
    folder: Path, data: Path, identity: Path, recipient: str, need_tool: Callable[[str], Path]
) -> None:
    file, other, cut, changed = (folder / name for name in ("b.tar.zst.age", "other", "cut", "changed"))
    (data / "large").write_bytes(os.urandom(300_000))
    fudaba("backup", file, "--data", data, "--encrypt-to", recipient)
    subprocess.run([need_tool("age-keygen"), "-o", other], check=True, capture_output=True)
    content = file.read_bytes()
    changed.write_bytes(content[:-100_000] + bytes([content[-100_000] ^ 1]) + content[-99_999:])
    before = everything(folder)
    for size in (200, 100_000, len(content) - 1):
        cut.write_bytes(content[:size])
        said = fudaba("restore", cut, "--data", folder / "new", "--identity", identity, status=1)
        assert "cannot be decrypted" in said
        assert "cut short" in said
    for path, key, words in (
        (changed, identity, "the backup is damaged"),
        (file, other, "no identity matched any of the recipients; name the identity file"),
        (file, folder / "none", "No such file"),
        (file, data / "fudaba.toml", "cannot be decrypted"),
    ):
        assert words in fudaba("restore", path, "--data", folder / "new", "--identity", key, status=1)
    assert "name the identity file of a recipient with --identity" in fudaba("restore", file, "--check", status=1)
    assert "--identity" in fudaba("data", "check", file, status=1)
    cut.unlink()
    assert everything(folder) == before
    assert not (folder / "new").exists()


def test_a_wrong_recipient_or_no_age_makes_no_backup(
    folder: Path, data: Path, file: Path, recipient: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = everything(folder)
    for wrong in ("age1wrong", "absent", data / "fudaba.toml"):
        said = fudaba("backup", folder / "b", "--data", data, "--encrypt-to", wrong, status=1)
        assert "cannot be encrypted" in said
    (folder / "forbidden" / "age").mkdir(parents=True)
    monkeypatch.setenv("PATH", str(folder / "forbidden"))
    said = fudaba("backup", folder / "b", "--data", data, "--encrypt-to", recipient, status=1)
    assert "Permission denied" in said
    monkeypatch.setenv("PATH", str(folder))
    said = fudaba("backup", folder / "b", "--data", data, "--encrypt-to", recipient, status=1)
    assert "install the package `age`" in said
    assert "verified" in fudaba("restore", file, "--check"), "what is not encrypted needs no `age`"
    assert everything(folder) == before


def test_a_disk_that_is_full_leaves_nothing_of_an_encrypted_backup(folder: Path, data: Path, recipient: str) -> None:
    (data / "large").write_bytes(os.urandom(2_000_000))
    before = everything(folder)
    with begin(folder / "b", "--data", data, "--encrypt-to", recipient, largest=1_000_000) as run:
        said = run.communicate(timeout=PATIENCE)[0]
    assert run.returncode == 1
    assert "the backup cannot be encrypted" in said
    assert "Traceback" not in said
    assert everything(folder) == before


async def test_the_newest_encrypted_backup_passes_its_test_and_is_stamped(
    folder: Path, identity: Path, recipient: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, temporary, stamp = folder / "kept", folder / "temporary", folder / "tested.json"
    kept.mkdir()
    temporary.mkdir()
    with started(folder) as service:
        pass
    monkeypatch.setenv("FUDABA_BACKUP_ENCRYPT_TO", recipient)
    monkeypatch.setenv("FUDABA_BACKUP_IDENTITY", str(identity))
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    made = json.loads(await asyncio.to_thread(fudaba, "backup", kept, "--data", service.data, "--json"))
    assert made["verified"]
    before = everything(kept)
    said = await asyncio.to_thread(fudaba, "restore", kept, "--test", "--stamp", stamp)
    assert "Restored and right" in said
    stamped = json.loads(stamp.read_text())
    assert (stamped["backup"], stamped["service"]) == (Path(made["path"]).name, made["service"])
    assert everything(kept) == before
    assert everything(temporary) == {}


def test_a_folder_keeps_encrypted_backups_of_each_kind_without_an_identity(
    folder: Path, data: Path, recipient: str
) -> None:
    kept = folder / "kept"
    kept.mkdir()
    with EmbeddedValkey(data / "store", appendfsync="always") as server:
        view = StoreView(server.url)
        view.client.set(keys.SERVICE, "ab12")
        view.client.close()
    made = Path(json.loads(fudaba("backup", kept, "--data", data, "--encrypt-to", recipient, "--json"))["path"])
    others = [
        DAY.format(day=day, service=service, parts=parts)
        for day, service, parts in ((1, "ab12", "service"), (2, "ab12", "arena"), (3, "cd34", "service"))
    ]
    others.append("fudaba-20260104T040000Z.tar.zst.age")
    for name in others:
        shutil.copy(made, kept / name)
    fudaba("backup", kept / "fudaba-20260105T040000Z.tar.zst", "--data", data)
    made.unlink()
    words = "--keep", 2, "--encrypt-to", recipient
    report = json.loads(fudaba("backup", kept, "--data", data, *words, "--json"))
    assert [Path(path).name for path in report["removed"]] == [others[0]]
    left = {path.name for path in kept.iterdir()}
    assert left == {*others[1:], "fudaba-20260105T040000Z.tar.zst", Path(report["path"]).name}


def test_a_folder_of_mixed_backups_is_refused_also_where_only_the_name_of_one_says_what_it_is_of(
    folder: Path, data: Path, file: Path
) -> None:
    kept = folder / "kept"
    kept.mkdir()
    shutil.copy(file, kept / "fudaba-20260105T040000Z.tar.zst")
    encrypted = DAY.format(day=1, service="cd34", parts="arena")
    (kept / encrypted).write_bytes(b"age-encryption.org/v1\n")
    said = fudaba("restore", kept, "--data", folder / "new", status=1)
    assert f"{encrypted} (of arena, service cd34)" in said
    assert not (folder / "new").exists()
