"""`fudaba restore --dry-run`: it says what going back would lose, and changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fudaba_service.store import keys
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.service.backups.commands import early_form, everything, fudaba
from tests.support.service.organiser import StoreView

NOTHING = {"records": 0, "begun_later": 0, "set_back": 0, "played_again": 0, "bots": 0, "accounts": 0, "files": 0}


def dry_run(file: Path, data: Path) -> dict[str, Any]:
    changes: dict[str, Any] = json.loads(fudaba("restore", file, "--dry-run", "--data", data, "--json"))["dry_run"]
    return changes


def counts(changes: dict[str, Any]) -> dict[str, int]:
    return {name: changes[name] for name in NOTHING}


def test_it_says_what_a_folder_in_use_has_that_the_backup_lacks(folder: Path, data: Path) -> None:
    with EmbeddedValkey(data / "store", appendfsync="always") as server:
        view = StoreView(server.url)
        view.client.set(keys.SERVICE, "this")
        view.client.zadd("fudaba:{03}:live", {"m-5": 1, "m-6": 1})
        view.client.hset(keys.BOTS, "old", b"")
        fudaba("backup", folder / "b", "--data", data)
        assert counts(dry_run(folder / "b", data)) == NOTHING | {"set_back": 2}
        view.client.zrem("fudaba:{03}:live", "m-6")
        view.client.zadd("fudaba:{04}:live", {"m-7": 1})
        view.client.hset(keys.BOTS, mapping={"new": b"", "newer": b""})
        view.client.hset(keys.ACCOUNTS, "author", b"")
        for name in ("m-6", "m-8"):
            (data / "archive" / "ab" / f"{name}.fudaba").write_bytes(b"over")
        (data / "notes.txt").write_text("mine")
        before = everything(data / "archive")
        changes = dry_run(folder / "b", data)
        said = fudaba("restore", folder / "b", "--dry-run", "--data", data)
        assert everything(data / "archive") == before
        assert view.client.hlen(keys.BOTS) == 3
        view.client.close()
    assert "in use" in changes["refusal"]
    assert not changes["other_service"]
    assert counts(changes) == {
        "records": 1, "begun_later": 1, "set_back": 1, "played_again": 1, "bots": 2, "accounts": 1, "files": 1
    }  # fmt: skip
    assert "1 record, 1 other file" in said
    assert "1 live match, 2 bots, 1 account" in said


def test_a_backup_of_another_service_is_named(folder: Path, data: Path) -> None:
    for name in ("one", "two"):
        with EmbeddedValkey(data / "store", appendfsync="always") as server:
            view = StoreView(server.url)
            view.client.set(keys.SERVICE, name)
            view.client.close()
        fudaba("backup", folder / name, "--data", data)
    assert dry_run(folder / "one", data)["other_service"] == "two"
    assert "of another service" in fudaba("restore", folder / "one", "--dry-run", "--data", data)
    assert dry_run(folder / "two", data)["other_service"] == ""


def test_into_a_new_folder_nothing_is_lost_and_none_is_made(folder: Path, file: Path) -> None:
    changes = dry_run(file, folder / "new")
    assert changes["refusal"] == ""
    assert counts(changes) == NOTHING
    assert not (folder / "new").exists()
    assert "would write it" in fudaba("restore", file, "--dry-run", "--data", folder / "new")


def test_what_cannot_be_compared_is_refused(folder: Path, data: Path, file: Path) -> None:
    (folder / "cut").write_bytes(file.read_bytes()[:-200])
    assert "cut short" in fudaba("restore", folder / "cut", "--dry-run", "--data", data, status=1)
    (folder / "both").mkdir()
    (folder / "both" / "service").symlink_to(data)
    assert "not alike" in fudaba("restore", file, "--dry-run", "--data", folder / "both", status=1)
    assert "--data" in fudaba("restore", file, "--dry-run", status=2)


def test_a_folder_stands_for_its_newest_backup_unless_they_are_of_different_data_folders(
    folder: Path, data: Path
) -> None:
    kept, arena = folder / "kept", folder / "arena"
    kept.mkdir()
    first, second, third, fourth = (kept / f"fudaba-2026010{day}T040000Z.tar.zst" for day in range(1, 5))
    first.write_bytes(b"damaged")
    fudaba("backup", second, "--data", data)
    (data / "notes.txt").write_text("mine")
    fudaba("backup", third, "--data", data)
    said = json.loads(fudaba("restore", kept, "--dry-run", "--data", data, "--json"))
    assert Path(said["path"]) == third
    fudaba("restore", kept, "--data", folder / "restored")
    assert (folder / "restored" / "notes.txt").exists()
    arena.mkdir()
    (arena / "service.id").write_text("this\n")
    with EmbeddedValkey(arena / "store", appendfsync="always"):
        pass
    fudaba("backup", fourth, "--data", arena)
    early_form(fourth)
    before = everything(kept)
    for words in (["--dry-run", "--data", arena], ["--data", folder / "new"]):
        said = fudaba("restore", kept, *words, status=1)
        assert f"{fourth.name} (of arena, service this)" in said
        assert f"{third.name} (of service, service unknown)" in said
        assert second.name not in said
    assert not (folder / "new").exists()
    assert everything(kept) == before
    fourth.write_bytes(b"damaged")
    # It may be of the data folders to go back to.
    assert "cut short" in fudaba("restore", kept, "--data", folder / "new", status=1)
