"""The index of the archive: every record is found by bot, game, state, label and time, and never lost for good."""

from __future__ import annotations

import asyncio
import contextlib
import random
import shutil
import sqlite3
import threading
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fudaba.v1 import matches_pb2
from fudaba_service.archive import Archive, ArchiveIndex, ArchiveUnavailable, IndexQuery, places
from tests.support.service.archive_index import DAY_MS, kept, record

FINISHED, ABORTED = matches_pb2.MATCH_STATE_FINISHED, matches_pb2.MATCH_STATE_ABORTED
EVERYTHING = IndexQuery()
NOVEMBER = int(datetime(2026, 11, 1, tzinfo=UTC).timestamp() * 1000)


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "archive")


async def found(
    index: ArchiveIndex,
    wanted: IndexQuery = EVERYTHING,
    size: int = 1000,
    since: int | None = None,
    before: int | None = None,
) -> list[str]:
    """Returns the ids of all matches that are wanted, page by page."""
    after, until = places(since, before)
    ids: list[str] = []
    while page := await index.page(wanted, after, until, size):
        assert len(page) <= size
        ids += [match.header.match_id for _, match in page]
        after = page[-1].place
    return ids


@contextlib.asynccontextmanager
async def keeping(index: ArchiveIndex) -> AsyncIterator[None]:
    """Makes it anew when it is not whole, as the service does all the time."""
    task = asyncio.create_task(index.keep())
    yield
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def whole(archive: Archive) -> bool:
    return (archive.folder / "index" / "whole").exists()


async def made_anew(archive: Archive, index: ArchiveIndex) -> None:
    from tests.support.patience import until

    async with keeping(index):
        await until(lambda: whole(archive), "a whole index")


async def test_what_is_asked_for_is_found_newest_first_in_pages_of_any_size(archive: Archive) -> None:
    chance, index = random.Random(7), ArchiveIndex(archive)
    bots = [f"bot-{n}" for n in range(5)]
    made = [
        record(
            number,
            NOVEMBER + chance.randrange(-70 * DAY_MS, 40 * DAY_MS),
            *chance.sample(bots, 2),
            label=chance.choice(["", "spring", "autumn"]),
            scored=chance.random() < 0.8,
        )
        for number in range(120)
    ]
    await kept(archive, index, *made)
    assert len(list((archive.folder / "index").glob("*.sqlite"))) >= 4

    def expected(wanted: IndexQuery, since: int = 0, before: int = 10**13) -> list[str]:
        fitting = [
            (-kept_record.header.create_time.ToMilliseconds(), kept_record.header.match_id)
            for kept_record in made
            if since <= kept_record.header.create_time.ToMilliseconds() < before
            and wanted.game in {"", kept_record.header.game}
            and wanted.label in {"", kept_record.header.label}
            and wanted.state in {0, FINISHED if kept_record.end.HasField("outcome") else ABORTED}
            and (wanted.bots is None or wanted.bots & {p.bot for p in kept_record.header.players})
        ]
        return [match_id for _, match_id in sorted(fitting)]

    for wanted in (
        EVERYTHING,
        IndexQuery(game="naga"),
        IndexQuery(state=ABORTED, label="spring"),
        IndexQuery(bots=frozenset({"bot-1"})),
        IndexQuery(bots=frozenset({"bot-1", "bot-2", "nobody"}), game="namto", label="autumn"),
        IndexQuery(bots=frozenset()),
        IndexQuery(label="summer"),
    ):
        for size in (1, 7, 1000):
            assert await found(index, wanted, size) == expected(wanted)
        times = sorted(chance.choice(made).header.create_time.ToMilliseconds() for _ in range(2))
        assert await found(index, wanted, 7, *times) == expected(wanted, *times)
    assert expected(IndexQuery(bots=frozenset({"bot-1", "bot-2"}), game="namto", label="autumn"))


async def test_an_entry_that_is_made_twice_is_one(archive: Archive) -> None:
    kept_record = record(1, NOVEMBER, "a", "b")
    await kept(archive, ArchiveIndex(archive), kept_record, kept_record)
    await kept(archive, ArchiveIndex(archive), kept_record)
    assert await found(ArchiveIndex(archive), IndexQuery(bots=frozenset({"a", "b"}))) == ["m-1"]


async def test_replicas_write_one_index_at_the_same_time(archive: Archive) -> None:
    replicas = [ArchiveIndex(archive) for _ in range(3)]

    async def play(number: int) -> None:
        for match in range(number, 60, 3):
            await kept(archive, replicas[number], record(match, NOVEMBER + match, "a", "b"))

    await asyncio.gather(*[play(number) for number in range(3)])
    for index in replicas:
        assert await found(index) == [f"m-{n}" for n in reversed(range(60))]


async def test_a_list_waits_for_a_month_that_is_just_being_made(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, goes_on = threading.Event(), threading.Event()
    connect = sqlite3.connect

    def connect_slowly(database_uri: str, **more: Any) -> sqlite3.Connection:
        database: sqlite3.Connection = connect(database_uri, **more)
        if "mode=rwc" in database_uri:  # the file is there now, and nobody has its lock
            made.set()
            goes_on.wait()
        return database

    monkeypatch.setattr(sqlite3, "connect", connect_slowly)
    writing = asyncio.create_task(kept(archive, ArchiveIndex(archive), record(0, NOVEMBER, "a", "b")))
    await asyncio.to_thread(made.wait)
    listing = asyncio.create_task(found(ArchiveIndex(archive)))
    await asyncio.wait([listing], timeout=0.5)  # a list that does not wait ends
    goes_on.set()
    await writing
    assert await listing == ["m-0"]


@pytest.mark.exhaustive
async def test_the_index_of_an_archive_that_had_none_is_made_from_its_records(archive: Archive) -> None:
    for number in range(250):
        assert await archive.write(record(number, NOVEMBER + number * DAY_MS // 5, "a", "b"))
    archive.path("m-7").write_bytes(b"rubbish")
    index = ArchiveIndex(archive)
    assert await found(index) == []
    await made_anew(archive, index)
    assert await found(index) == [f"m-{n}" for n in reversed(range(250)) if n != 7]


@pytest.mark.parametrize("damage", ["empty", "gone"])
async def test_a_month_that_is_empty_or_gone_is_no_month_without_matches(archive: Archive, damage: str) -> None:
    index = ArchiveIndex(archive)
    await kept(archive, index, *[record(number, NOVEMBER + number, "a", "b") for number in range(3)])
    await kept(archive, index, record(3, NOVEMBER - DAY_MS, "a", "b"))
    await made_anew(archive, index)
    month = archive.folder / "index" / "2026-11.sqlite"
    if damage == "empty":
        month.write_bytes(b"")
    else:
        month.unlink()
    with pytest.raises(ArchiveUnavailable, match=r"2026-11.sqlite (was set aside: it is empty|is gone); .* rebuilt"):
        await found(index)
    assert not whole(archive)
    await made_anew(archive, index)
    assert await found(index) == ["m-2", "m-1", "m-0", "m-3"]


@pytest.mark.parametrize("damage", ["empty", "gone"])
async def test_a_month_that_went_with_the_list_of_months_is_made_anew(archive: Archive, damage: str) -> None:
    index = ArchiveIndex(archive)
    await kept(archive, index, *[record(number, NOVEMBER + number, "a", "b") for number in range(3)])
    await kept(archive, index, record(3, NOVEMBER - DAY_MS, "a", "b"))
    await made_anew(archive, index)
    months = archive.folder / "index" / "months"
    (archive.folder / "index" / "2026-11.sqlite").unlink()
    if damage == "empty":
        months.write_bytes(b"")
    else:
        months.unlink()
    assert await found(index) == ["m-3"]
    assert not whole(archive)
    await made_anew(archive, index)
    assert await found(index) == ["m-2", "m-1", "m-0", "m-3"]
    assert set(months.read_text().split()) == {"2026-10", "2026-11"}
    assert whole(archive), "once"


async def test_a_list_of_months_that_was_lost_is_missed_although_a_new_month_was_written_since(
    archive: Archive,
) -> None:
    index = ArchiveIndex(archive)
    await kept(archive, index, *[record(number, NOVEMBER + number, "a", "b") for number in range(3)])
    await kept(archive, index, record(3, NOVEMBER - DAY_MS, "a", "b"))
    await made_anew(archive, index)
    (archive.folder / "index" / "2026-11.sqlite").unlink()
    (archive.folder / "index" / "months").unlink()
    await kept(archive, index, record(4, NOVEMBER + 31 * DAY_MS, "a", "b"))
    await found(index)
    assert not whole(archive)
    await made_anew(archive, index)
    assert await found(index) == ["m-4", "m-2", "m-1", "m-0", "m-3"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("damage", ["rubbish", "half", "another format"])
async def test_a_month_that_cannot_be_read_is_set_aside_and_made_anew(archive: Archive, damage: str) -> None:
    index = ArchiveIndex(archive)
    await kept(archive, index, *[record(number, NOVEMBER + number, "a", "b") for number in range(100)])
    await kept(archive, index, record(100, NOVEMBER - DAY_MS, "a", "b"))
    await made_anew(archive, index)
    month = archive.folder / "index" / "2026-11.sqlite"
    if damage == "another format":
        with contextlib.closing(sqlite3.connect(month)) as database:
            database.execute("PRAGMA user_version = 99")
    else:
        content = month.read_bytes()
        month.write_bytes(content[: len(content) // 2] if damage == "half" else b"rubbish" * 1000)
    async with keeping(index):
        with pytest.raises(ArchiveUnavailable, match=r"2026-11.sqlite was set aside: .* rebuilt"):
            await found(index)
        assert not whole(archive)
    await made_anew(archive, index)
    assert await found(index) == [f"m-{n}" for n in (*reversed(range(100)), 100)]
    assert (month.parent / ".2026-11.sqlite.unusable").exists()


async def test_an_index_that_cannot_be_written_is_said_to_be_so_and_takes_what_is_added_again(archive: Archive) -> None:
    index = ArchiveIndex(archive)
    await archive.prepare()
    (archive.folder / "index").write_text("no folder")
    kept_record = record(1, NOVEMBER, "a", "b")
    with pytest.raises(ArchiveUnavailable, match="index"):
        await index.add(kept_record)
    with pytest.raises(ArchiveUnavailable, match="index"):
        await found(index)
    (archive.folder / "index").unlink()
    await index.add(kept_record)
    assert await found(index) == ["m-1"]


async def test_an_archive_that_was_lost_has_nothing_in_its_index(archive: Archive) -> None:
    index = ArchiveIndex(archive)
    await kept(archive, index, record(1, NOVEMBER, "a", "b"))
    shutil.rmtree(archive.folder)
    assert await found(index) == []
    await kept(archive, index, record(2, NOVEMBER, "a", "b"))
    assert await found(index) == ["m-2"]
