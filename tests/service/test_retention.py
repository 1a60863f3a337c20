"""Records that are kept for so long, or so many of them: what is gone says until when it was kept."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fudaba.v1 import matches_pb2
from fudaba_service.archive import Archive, ArchiveIndex, IndexQuery
from tests.support.patience import until
from tests.support.service.archive_index import DAY_MS, kept, record
from tests.support.service.lists import ended, listed, record_of
from tests.support.service.organiser import refused
from tests.support.service.retention import keeping, none_listed

BEGINS_ANEW = ("--accept-risk", "empty-store")
"""The archive that the service finds is older than its store."""


async def test_the_newest_records_are_kept_and_the_others_say_until_when_they_were(folder: Path) -> None:
    async with keeping(folder, "--keep-records", "3") as (service, organiser):
        pair = await organiser.entrant(), await organiser.entrant()
        hidden = await ended(organiser, *pair, hidden=True)
        made = [await ended(organiser, *pair, match_id=f"kept-{number}") for number in range(6)]
        await none_listed(organiser, *made[:3])
        for match_id in made[:3]:
            assert not record_of(service, match_id)
            for call in (
                organiser.get(match_id),
                organiser.matches.GetRecord(matches_pb2.GetRecordRequest(match_id=match_id)),
                organiser.match(*pair, match_id=match_id),
            ):
                await refused(call, "MATCH_EXPIRED", f"match {match_id} and its record were kept until 20", "UTC")
        await refused(organiser.get("another"), "MATCH_NOT_FOUND")
        assert await listed(organiser) == [*made[:2:-1], hidden]
        for match_id in made[3:]:
            await organiser.record(match_id)
        # What is kept back belongs to a block in play, which needs it.
        await until(lambda: record_of(service, hidden), "the record of the hidden match")
        release = matches_pb2.ReleaseMatchesRequest(match_ids=[hidden])
        await organiser.matches.ReleaseMatches(release, metadata=organiser.metadata)
        await none_listed(organiser, hidden)
        assert not record_of(service, hidden)


async def test_records_go_after_so_many_days_and_a_month_without_any_goes_whole(folder: Path) -> None:
    now_ms = int(time.time() * 1000)
    archive = Archive(folder / "data" / "archive")
    made = [record(n, now_ms - age * DAY_MS, "a", "b") for n, age in enumerate((1, 29, 31, 100, 101))]
    await kept(archive, ArchiveIndex(archive), *made)
    notes = archive.path("m-3").with_name("m-3.notes")
    notes.write_bytes(b"")
    months = set((archive.folder / "index").glob("20*.sqlite"))
    async with keeping(folder, "--keep-days", "30", *BEGINS_ANEW) as (service, organiser):
        await none_listed(organiser, "m-2", "m-3", "m-4")
        assert await listed(organiser) == ["m-0", "m-1"]
        assert {path.stem for path in (service.data / "archive").glob("*/*.fudaba")} == {"m-0", "m-1"}
        assert not notes.exists()
        await until(lambda: len(set((archive.folder / "index").glob("20*.sqlite"))) < len(months), "a month's end")
        await refused(organiser.get("m-4"), "MATCH_EXPIRED")
    async with keeping(folder) as (_, organiser):
        assert await listed(organiser) == ["m-0", "m-1"]


async def test_a_month_that_goes_while_it_is_listed_or_emptied_is_an_empty_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ms = int(time.time() * 1000)
    archive = Archive(folder / "data" / "archive")
    made = [record(n, now_ms - age * DAY_MS, "a", "b") for n, age in enumerate((1, 100))]
    await kept(archive, index := ArchiveIndex(archive), *made)
    months = index._months.names()
    listed = await index.page(IndexQuery(), "", "~", 10)
    assert [match.header.match_id for _, match in listed] == ["m-0", "m-1"]
    # Another one takes the last match out of the older month, just as this one has seen that month's file.
    await ArchiveIndex(archive).remove(listed[1:], now_ms)
    monkeypatch.setattr(index._months, "names", lambda: months)
    assert await index.page(IndexQuery(), "", "~", 10) == listed[:1]
    assert await index.place_of(2) == ""
    await index.remove(listed[1:], now_ms)
    assert len(ArchiveIndex(archive)._months.names()) == 1


async def test_who_dies_while_records_are_removed_leaves_the_rest_to_be_removed(folder: Path) -> None:
    now_ms = int(time.time() * 1000)
    archive = Archive(folder / "data" / "archive")
    await kept(archive, index := ArchiveIndex(archive), *[record(n, now_ms - 50 * DAY_MS, "a", "b") for n in range(5)])
    # So far it came: noted, and some of the files are gone.
    await index.note_removal([f"m-{n}" for n in range(5)], now_ms - DAY_MS)
    await archive.remove(["m-1", "m-3"])
    async with keeping(folder, "--keep-days", "30", *BEGINS_ANEW) as (service, organiser):
        await none_listed(organiser, *[f"m-{n}" for n in range(5)])
        assert not list((service.data / "archive").glob("*/*.fudaba"))
        for number in range(5):
            await refused(organiser.get(f"m-{number}"), "MATCH_EXPIRED", f"match m-{number}")
