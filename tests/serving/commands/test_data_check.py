"""`fudaba data check` on folders and files of every kind, sound, of a later release, and damaged."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from fudaba import records
from fudaba.v1 import record_pb2
from fudaba_arena.store.store import Store
from fudaba_games.registry import game
from fudaba_service.accounts.owner import Owner, Scope
from fudaba_service.store import keys
from fudaba_serving.process.folder_lock import FolderLock
from fudaba_serving.redis.append_only import FOLDER, MANIFEST
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.arena.audit.exports import MASTER, lines_of, played
from tests.support.folders import short_folder
from tests.support.service.backups.commands import fudaba

TOKEN = Owner(scope=Scope.BOT, bot="ann", version="1").pack()
RULES = game("naga").rules_version


def checked(path: Path, *options: str, status: int = 0) -> Any:
    return json.loads(fudaba("data", "check", path, "--json", *options, status=status))


def found(answer: Any, stored: str) -> list[Any]:
    return [form for part in answer["parts"] for form in part["stored"] if form["stored"] == stored]


def state_of(folder: Path) -> dict[str, tuple[int, int]]:
    """Returns size and time of change of every file and folder."""
    stats = {str(path): path.lstat() for path in (folder, *folder.rglob("*"))}
    return {name: (stat.st_size, stat.st_mtime_ns) for name, stat in stats.items()}


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """Yields a folder like that of `fudaba up`, which no process uses."""
    with short_folder() as folder:
        _make_service(folder / "up" / "service")
        _make_arena(folder / "up" / "arena")
        yield folder / "up"


def _make_service(place: Path) -> None:
    archive = place / "archive"
    (archive / "ab").mkdir(parents=True)
    (archive / "archive-id").write_text("0123\n")
    record = record_pb2.MatchRecord(header=record_pb2.MatchHeader(match_id="m-1"))
    (archive / "ab" / "m-1.fudaba").write_bytes(records.pack(record))
    (archive / "index").mkdir()
    with EmbeddedValkey(place / "store") as server, Redis.from_url(server.url) as client:
        client.hset(keys.TOKENS, "of-ann", TOKEN)
        _begin_match(client, "m-2", RULES)


def _begin_match(client: Any, match_id: str, rules: int) -> None:
    header = record_pb2.MatchHeader(match_id=match_id, game="naga", rules_version=rules)
    client.hset(keys.match_keys(match_id).meta, "header", header.SerializeToString())
    client.zadd(keys.match_keys(match_id).live, {match_id: 1})


def _make_arena(place: Path) -> None:
    place.mkdir(parents=True)
    lock = FolderLock(place)
    lock.acquire()
    lock.release()
    (place / "id").write_text("0123")
    with EmbeddedValkey(place / "store") as server:
        asyncio.run(_begin_tournament(server.url))


async def _begin_tournament(url: str) -> None:
    store = Store(url)
    await store.begin("spring", played().tournament.definition(), MASTER)
    await store.close()


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as place:
        yield place


@pytest.fixture
def up(folder: Path, made: Path) -> Path:
    return Path(shutil.copytree(made, folder / "up"))


def changed(store: Path, change: Callable[[Any], object]) -> None:
    """Changes values of a store that is stopped."""
    with EmbeddedValkey(store) as server, Redis.from_url(server.url) as client:
        change(client)


def test_a_folder_of_up_is_named_with_its_parts_its_forms_and_its_release(up: Path) -> None:
    answer = checked(up)
    assert (answer["kind"], answer["verdict"]) == ("the folder of `fudaba up`", "yes")
    assert [part["kind"] for part in answer["parts"]] == ["an arena's data", "a service's data"]
    assert {part["release"] for part in answer["parts"]} != {None}
    assert [(form["form"], form["count"]) for form in found(answer, "tokens")] == [("1", 1)]
    assert [(form["form"], form["reads"]) for form in found(answer, "live matches of naga")] == [(str(RULES),) * 2]
    assert [form["count"] for form in found(answer, "tournaments")] == [1]
    assert [form["count"] for form in found(answer, "records")] == [1]


def test_nothing_is_changed_and_servers_that_use_the_folder_are_named(up: Path) -> None:
    with EmbeddedValkey(up / "service" / "store"):
        before = state_of(up)
        answer = checked(up)
        assert state_of(up) == before
    assert [part["in_use_by"] is not None for part in answer["parts"]] == [False, True]
    assert str(os.getpid()) in answer["parts"][1]["in_use_by"]
    assert answer["verdict"] == "yes"


def test_a_value_of_a_later_release_is_no_with_both_forms(up: Path) -> None:
    later = json.dumps(json.loads(TOKEN) | {"form": 2})
    changed(up / "service" / "store", lambda client: client.hset(keys.TOKENS, "later", later))
    answer = checked(up, status=1)
    assert answer["verdict"] == "no"
    [wrong] = [form for form in found(answer, "tokens") if form["verdict"] == "no"]
    assert (wrong["form"], wrong["reads"], wrong["place"]) == ("2", "1", f"{keys.TOKENS} later")
    assert "stored in form 2, and this release reads forms up to 1" in wrong["text"]
    assert wrong["remedy"]


def test_a_tournament_of_a_later_release_marks_itself_alone(up: Path) -> None:
    key = "fudaba-arena:{spring}:entries"
    changed(up / "arena" / "store", lambda client: client.rpush(key, json.dumps({"form": 9})))
    answer = checked(up / "arena", status=1)
    assert [(form["place"], form["verdict"]) for form in found(answer, "tournaments")] == [
        ("spring", "no"), ("store", "yes"),
    ]  # fmt: skip


def test_a_damaged_value_is_damaged_with_its_place(up: Path) -> None:
    changed(up / "service" / "store", lambda client: client.hset(keys.TOKENS, "bad", b"{"))
    answer = checked(up / "service", status=1)
    assert answer["verdict"] == "damaged"
    assert [form["place"] for form in found(answer, "tokens") if form["verdict"] == "damaged"] == [f"{keys.TOKENS} bad"]


def test_a_match_under_other_rules_is_a_migration_that_is_said(up: Path) -> None:
    changed(up / "service" / "store", lambda client: _begin_match(client, "m-9", RULES + 1))
    answer = checked(up)
    assert answer["verdict"] == "after a migration"
    [form] = [form for form in found(answer, "live matches of naga") if form["verdict"] != "yes"]
    assert (form["form"], form["reads"], form["count"]) == (str(RULES + 1), str(RULES), 1)
    assert "without a result" in form["text"]


def test_an_index_of_another_format_is_a_migration(up: Path) -> None:
    months = up / "service" / "archive" / "index"
    with sqlite3.connect(months / "2026-01.sqlite") as database:
        database.execute("PRAGMA user_version = 7")
    answer = checked(up / "service")
    assert [(form["form"], form["reads"]) for form in found(answer, "archive's index")] == [("7", "1")]
    assert answer["verdict"] == "after a migration"


@pytest.mark.parametrize(
    "place",
    [
        "service/archive/archive-id",
        "service/archive/ab/m-1.fudaba",
        "service/archive/index/2026-01.sqlite",
        "arena/id",
        f"service/store/{FOLDER}/{MANIFEST}",
    ],
)
def test_an_empty_file_is_damaged_with_its_place(up: Path, place: str) -> None:
    (up / place).write_bytes(b"")
    answer = checked(up, status=1)
    assert answer["verdict"] == "damaged"
    wrong = [form for part in answer["parts"] for form in part["stored"] if form["verdict"] == "damaged"]
    assert any(str(up / place) in form["place"] + form["text"] for form in wrong)


@pytest.mark.parametrize("part", ["service", "arena"])
def test_a_store_with_garbage_in_it_is_damaged(up: Path, part: str) -> None:
    [file, *_] = [path for path in (up / part / "store" / FOLDER).glob("*.aof") if path.stat().st_size]
    content = bytearray(file.read_bytes())
    content[10:20] = b"garbage..."
    file.write_bytes(content)
    before = file.read_bytes()
    answer = checked(up / part, status=1)
    assert [(form["verdict"], form["place"]) for form in found(answer, "store")] == [
        ("damaged", str(up / part / "store"))
    ]
    assert file.read_bytes() == before


def test_a_store_that_was_cut_off_is_damaged_beside_its_noted_length(up: Path) -> None:
    store = up / "service" / "store"
    (store / "appendonly.length").write_text("appendonly.aof.1.incr.aof 999999999\n")
    answer = checked(up / "service", status=1)
    [form] = found(answer, "store")
    assert form["verdict"] == "damaged"
    assert "999999999" in form["text"]


def test_a_store_that_is_left_out_is_not_known(up: Path) -> None:
    answer = checked(up / "service", "--no-store", status=3)
    assert answer["verdict"] == "not seen"
    assert not found(answer, "tokens")


def test_an_archive_is_one_by_itself(up: Path) -> None:
    answer = checked(up / "service" / "archive")
    assert (answer["kind"], answer["verdict"]) == ("an archive of matches", "yes")


@pytest.fixture
def backup(up: Path, folder: Path) -> Path:
    file = folder / "backup.tar.zst"
    fudaba("backup", file, "--data", up)
    return file


def test_a_backup_is_verified_and_its_release_named(backup: Path) -> None:
    answer = checked(backup)
    assert (answer["kind"], answer["verdict"]) == ("a backup", "yes")
    assert answer["parts"][0]["release"]
    content = bytearray(backup.read_bytes())
    content[len(content) // 2] ^= 0x10
    backup.write_bytes(content)
    assert checked(backup, status=1)["verdict"] == "damaged"


def test_an_export_is_read_by_its_format(folder: Path) -> None:
    lines = lines_of(played())
    file = folder / "spring.jsonl"

    def write(first: dict[str, Any]) -> None:
        file.write_text("".join(f"{json.dumps(line)}\n" for line in [first, *lines[1:]]), encoding="utf-8")

    write(lines[0])
    answer = checked(file)
    assert (answer["kind"], answer["verdict"]) == ("an exported tournament or season", "yes")
    write(lines[0] | {"format": 2, "release": "9.9"})
    [form] = found(checked(file, status=1), "export")
    assert (form["verdict"], form["form"], form["reads"]) == ("no", "2", "1")
    assert "9.9" in form["remedy"]
    file.write_text("")
    assert checked(file, status=1)["verdict"] == "damaged"


def test_anything_else_is_nothing_of_ours(folder: Path) -> None:
    assert checked(folder, status=1) == {"kind": None, "verdict": None, "parts": []}
    assert "an empty folder" in fudaba("data", "check", folder, status=1)
    (folder / "letter.txt").write_text("dear")
    assert "nothing of Fudaba's" in fudaba("data", "check", folder, status=1)
    assert "there is no folder or file" in fudaba("data", "check", folder / "none", status=1)


def test_people_read_the_answer_in_the_last_line(up: Path) -> None:
    assert fudaba("data", "check", up).splitlines()[-1] == "yes: this release can take it"
