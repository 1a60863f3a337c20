"""Finished matches: their records in the archive, an archive that cannot be written, and the lists of matches."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fudaba import records
from fudaba.v1 import matches_pb2
from fudaba_service.store import match_keys
from tests.support.folders import short_folder
from tests.support.patience import until
from tests.support.service.bots import play_match
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.finished import finished
from tests.support.service.organiser import Entrant, Organiser, StoreView, refused
from tests.support.service.processes import Service, free_port
from tests.support.service.scraping import scrape, settled


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with short_folder() as place:
        port = free_port()
        with Service(place, "--metrics", f"127.0.0.1:{port}") as running:
            running.metrics_port = port
            yield running.start()
            assert running.terminate() == 0
            assert_no_fault(running)


def archived(service: Service, match_id: str) -> list[Path]:
    return list((service.data / "archive").glob(f"*/{match_id}.fudaba"))


async def test_the_record_of_a_finished_match_is_a_file_that_verifies_and_leaves_the_store(
    service: Service, organiser: Organiser, store: StoreView
) -> None:
    match_id = await finished(organiser)
    await store.forgets(match_id)
    [path] = archived(service, match_id)
    record = records.read(path)
    assert record == await organiser.record(match_id)
    assert not [p for p in path.parent.iterdir() if p.name.startswith(".")]
    # What is left of a match in the store is small and known.
    left = {key for key in store.everything() if match_id.encode() in key}
    assert left == {match_keys(match_id).gone.encode()}


async def test_a_record_is_not_lost_while_the_archive_cannot_be_written(
    service: Service, organiser: Organiser, store: StoreView
) -> None:
    archive, aside = service.data / "archive", service.data / "aside"
    before = (await scrape(service))["fudaba_archive_failures_total"]
    archive.rename(aside)
    archive.write_text("not a folder")
    try:
        match_id = await finished(organiser)
        record = await organiser.record(match_id)
        assert (await organiser.get(match_id)).state == matches_pb2.MATCH_STATE_FINISHED
        assert store.log(match_id) == [entry.SerializeToString() for entry in record.log]
        await settled(service, "fudaba_archive_failures_total", before, other=True)
    finally:
        archive.unlink()
        aside.rename(archive)
    await until(lambda: archived(service, match_id), "the record in the archive")
    assert records.read(archived(service, match_id)[0]) == record
    await store.forgets(match_id)
    assert await organiser.record(match_id) == record
    assert f"match {match_id} is not archived yet, trying again" in service.log


async def test_a_damaged_record_is_said_to_be_unreadable_and_the_others_are_listed(
    service: Service, organiser: Organiser, store: StoreView
) -> None:
    match_id, other = await finished(organiser), await finished(organiser)
    await until(lambda: not {match_id, other} & store.matches, "the end of the matches in the store")
    [path] = archived(service, match_id)
    content = path.read_bytes()
    for damaged in (b"", b"rubbish", content[:-20]):
        path.write_bytes(damaged)
        for call in (
            organiser.get(match_id),
            organiser.matches.GetRecord(matches_pb2.GetRecordRequest(match_id=match_id)),
        ):
            await refused(call, "ARCHIVE_UNAVAILABLE", "not a record file")
        assert other in await listed(organiser)
    path.write_bytes(content)
    assert match_id in await listed(organiser)


async def listed(organiser: Organiser, size: int = 1000, **fields: object) -> list[str]:
    """Returns the ids of all matches, page by page."""
    found: list[str] = []
    token = ""
    while True:
        request = matches_pb2.ListMatchesRequest(page_size=size, page_token=token, **fields)  # type: ignore[arg-type]
        page = await organiser.matches.ListMatches(request)
        assert len(page.matches) <= size
        found += [match.header.match_id for match in page.matches]
        token = page.next_page_token
        if not token:
            return found


async def test_matches_are_listed_newest_first_and_by_state_live_and_finished_ones_alike(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    made = []
    for number in range(7):
        match_id = await organiser.match(*pair)
        if number % 3 == 1:
            request = matches_pb2.AbortMatchRequest(match_id=match_id)
            await organiser.matches.AbortMatch(request, metadata=organiser.metadata)
        made.append(match_id)
        await asyncio.sleep(0.002)
    newest_first = made[::-1]
    for size in (1, 2, 3, 100):
        assert [m for m in await listed(organiser, size) if m in made] == newest_first
        assert [m for m in await listed(organiser, size, game="naga") if m in made] == newest_first
        for entrant in pair:
            assert await listed(organiser, size, bot=entrant.name) == newest_first
    assert await listed(organiser, bot="nobody-of-this-name") == []
    aborted = [m for m in newest_first if made.index(m) % 3 == 1]
    waiting = [m for m in newest_first if m not in aborted]
    for size in (1, 100):
        for state, expected in (
            (matches_pb2.MATCH_STATE_ABORTED, aborted),
            (matches_pb2.MATCH_STATE_WAITING, waiting),
            (matches_pb2.MATCH_STATE_PLAYING, []),
        ):
            assert [m for m in await listed(organiser, size, state=state) if m in made] == expected


async def test_a_match_that_ends_between_two_pages_is_listed_once_and_hides_no_other(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    made = []
    for _ in range(6):
        made.append(await organiser.match(*pair))
        await asyncio.sleep(0.002)
    first = await organiser.matches.ListMatches(matches_pb2.ListMatchesRequest(page_size=3))
    assert [m.header.match_id for m in first.matches] == made[:2:-1]
    for match_id in (made[3], made[0], made[5]):
        request = matches_pb2.AbortMatchRequest(match_id=match_id)
        await organiser.matches.AbortMatch(request, metadata=organiser.metadata)
    await organiser.match(*pair)
    second = await organiser.matches.ListMatches(
        matches_pb2.ListMatchesRequest(page_size=3, page_token=first.next_page_token)
    )
    assert [m.header.match_id for m in second.matches] == made[2::-1]


async def test_waiting_for_a_match_ends_when_it_is_over_or_the_wait_is(
    organiser: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = await organiser.match(*pair)
    started = time.monotonic()
    request = matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=200)
    assert (await organiser.matches.AwaitMatch(request)).match.state == matches_pb2.MATCH_STATE_WAITING
    assert time.monotonic() - started >= 0.2
    waiting = asyncio.create_task(organiser.ended(match_id))
    await play_match(*organiser.by_chance(*pair))
    assert (await waiting).state == matches_pb2.MATCH_STATE_FINISHED
    assert (await organiser.ended(match_id)).end.HasField("outcome")


async def test_an_archive_that_was_lost_does_not_stop_the_service(folder: Path) -> None:
    with Service(folder) as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            match_id = await finished(organiser)
            view = StoreView(f"unix://{service.data}/store/valkey.sock")
            await view.forgets(match_id)
            view.client.close()
            assert archived(service, match_id)
            shutil.rmtree(service.data / "archive")
            await refused(organiser.get(match_id), "MATCH_NOT_FOUND")
            again = await finished(organiser)
            await organiser.record(again)
            assert await listed(organiser) == [again]
