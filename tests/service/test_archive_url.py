"""An archive at a URL, with a real server of S3's protocol: kept, listed, made anew, and no match waits for it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shutil
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from fudaba import records
from fudaba.v1 import matches_pb2
from fudaba_serving.storage import urls as storage
from fudaba_serving.storage.urls import Storage, storage_at
from tests.support.object_store import BUCKET, ObjectStore, environment
from tests.support.patience import PATIENCE, until
from tests.support.service.bots import Bot, bearer, play_match
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.finished import finished
from tests.support.service.lists import ended, listed
from tests.support.service.noting import notes, noting
from tests.support.service.organiser import Organiser, StoreView, refused
from tests.support.service.processes import RedisServer, Service
from tests.support.service.proxy import Proxy
from tests.support.service.retention import OFTEN, none_listed
from tests.support.stream_servers import listening, port_of

PATIENT = f"from fudaba_serving.storage import urls as s; s._ANSWER_SECONDS = s._OPENING_SECONDS = {PATIENCE}; "
"""However slow the machine is, its object store answers in time."""
IMPATIENT = f"""
import pathlib, threading, time
from fudaba_serving.storage import urls as storage

def watch():
    while True:
        storage._ANSWER_SECONDS = 1 if pathlib.Path("FLAG").exists() else {PATIENCE}
        time.sleep(0.02)

storage._OPENING_SECONDS = {PATIENCE}
threading.Thread(target=watch, daemon=True).start()
"""
"""The same, but while there is a file FLAG: then it has a second for each answer."""

SLOW_DOWN = (
    b"HTTP/1.1 503 Slow Down\r\nContent-Type: application/xml\r\nConnection: close\r\nContent-Length: 87\r\n\r\n"
    b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
)
"""What an object store of S3's protocol answers to who asks too much."""


@pytest.fixture
def url(objects: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> str:
    """Returns a place in the object store, for this process too."""
    for name, value in environment(objects.port).items():
        monkeypatch.setitem(os.environ, name, value)
    for name in ("_ANSWER_SECONDS", "_OPENING_SECONDS"):
        monkeypatch.setattr(storage, name, PATIENCE)
    return f"{BUCKET}/{secrets.token_hex(4)}"


@contextlib.asynccontextmanager
async def running(
    folder: Path, url: str, *options: str, redis: RedisServer | None = None, port: int = 0, first: str = PATIENT
) -> AsyncIterator[tuple[Service, Organiser, StoreView]]:
    """Yields a service with its archive at the URL; `port` is where it looks for the object store."""
    folder.mkdir(exist_ok=True)  # noqa: ASYNC240  # a moment
    at_redis = [] if redis is None else ["--redis", redis.url]
    with Service(folder, "--archive", url, *at_redis, *options) as service:
        start = partial(service.start, environment=environment(port) if port else None, first=first)
        await asyncio.to_thread(start)  # a proxy runs here
        store = StoreView(f"unix://{service.data}/store/valkey.sock" if redis is None else redis.url)
        async with Organiser(service.address, service.token) as organiser:
            with contextlib.closing(store.client):
                yield service, organiser, store
        if port:  # aiohttp logs what becomes of requests that are given up
            assert " fault " not in service.log
        else:
            assert_no_fault(service)


def cut_each_after(proxy: Proxy, number: int | None) -> None:
    """Cuts each connection in the middle of a message, after so many bytes; None for none of them."""
    proxy.lifetime = None if number is None else lambda: number
    proxy.cut()


@contextlib.asynccontextmanager
async def overloaded() -> AsyncIterator[int]:
    """Yields the port of an object store that wants all its callers to come again later."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while await reader.read(65536):
                writer.write(SLOW_DOWN)
                await writer.drain()

    async with listening(answer) as server:
        yield port_of(server)


async def stored(place: Storage) -> list[str]:
    """Returns the ids of the matches whose records lie at a place."""
    return [name[3:].removesuffix(records.SUFFIX) async for names in place.names(records.SUFFIX) for name in names]


@pytest.mark.exhaustive
async def test_records_and_notes_lie_at_the_url_and_are_found_with_an_index_or_without(folder: Path, url: str) -> None:
    place = storage_at(url)
    async with running(folder, url) as (service, organiser, store):
        pair = await organiser.entrant(), await organiser.entrant()
        match_id = await organiser.match(*pair)
        await play_match(*[Bot(organiser.address, entrant.token, noting("seen")) for entrant in pair])
        others = [await ended(organiser, *pair, label="spring") for _ in range(3)]
        for ended_match in (match_id, *others):
            await store.forgets(ended_match)
        assert sorted(await stored(place)) == sorted([match_id, *others])
        record = await organiser.record(match_id)
        [content] = await place.read_all([name async for found in place.names(f"{match_id}.fudaba") for name in found])
        assert content is not None
        assert records.unpack(content) == record
        mine = await notes(organiser, match_id, pair[0].token)
        assert mine
        assert await listed(organiser, size=2) == [*others[::-1], match_id]
        assert not list((service.data / "archive").glob("??/*"))
        token = service.token
    shutil.rmtree(folder / "data" / "archive")
    async with running(folder, url) as (service, organiser, _):
        there = Organiser(service.address, token)
        async with there:
            indexes = service.data / "archive" / "index"
            await until(lambda: list(indexes.glob("*/whole")), "a whole index")
            assert await listed(there, size=2) == [*others[::-1], match_id]
            assert await listed(there, label="spring") == others[::-1]
            assert await there.record(match_id) == record
            assert await notes(there, match_id, pair[0].token) == mine


@pytest.mark.exhaustive
async def test_an_object_store_that_fails_costs_no_match_and_no_clock_and_gets_the_records_later(
    folder: Path, url: str, objects: ObjectStore
) -> None:
    flag = folder / "impatient"
    first = IMPATIENT.replace("FLAG", str(flag))
    async with (
        overloaded() as busy,
        Proxy(objects.port).run() as proxy,
        running(folder, url, port=proxy.port, first=first) as (service, organiser, store),
    ):
        before = await finished(organiser)
        await store.forgets(before)
        assert await organiser.record(before)
        hangs = proxy.freeze, proxy.thaw
        refuses = proxy.refuse, proxy.accept
        breaks_off = partial(cut_each_after, proxy, 300), partial(cut_each_after, proxy, None)
        is_overloaded = partial(proxy.switch, busy), partial(proxy.switch, objects.port)
        for strike, mend in (hangs, refuses, breaks_off, is_overloaded):
            flag.touch()
            strike()
            match_id = await finished(organiser)  # and nobody has lost time
            record = await organiser.record(match_id)
            assert record.end.outcome.scores
            assert {entry.WhichOneof("what") for entry in record.log} == {"ready", "move"}
            assert match_id in await listed(organiser)
            asked = organiser.matches.GetRecord(matches_pb2.GetRecordRequest(match_id=before))
            await refused(asked, "ARCHIVE_UNAVAILABLE", "cannot be read")
            await until(lambda: f"match {match_id} is not archived yet" in service.log, "the failure in the log")  # noqa: B023  # awaited here
            mend()
            flag.unlink()
            await store.forgets(match_id)
            assert await organiser.record(match_id) == record
        assert await organiser.record(before)


@pytest.mark.exhaustive
async def test_replicas_on_machines_of_their_own_list_each_others_matches_at_once(
    folder: Path, url: str, redis: RedisServer
) -> None:
    async with (
        running(folder / "one", url, redis=redis) as (_, here, store),
        running(folder / "two", url, redis=redis) as (two, there, _),
    ):
        there.metadata = here.metadata
        pair = await here.entrant(), await here.entrant()
        made: list[str] = []
        for number in range(6):
            made.insert(0, await ended((here, there)[number % 2], *pair))
            for at in (here, there):  # whether it is still in the store or not
                assert await listed(at, bot=pair[0].name) == made
        for match_id in made:
            await store.forgets(match_id)
            for at in (here, there):
                assert await listed(at, bot=pair[0].name, size=2) == made
                assert (await at.record(match_id)).header.match_id == match_id
        two.kill()
        made.insert(0, await ended(here, *pair))
        await store.forgets(made[0])
        # So much was archived while it was away that nobody tells of all of it any more.
        store.client.xtrim("fudaba:archived", maxlen=0)
        made.insert(0, await ended(here, *pair))
        await store.forgets(made[0])
        two.start()
        async with Organiser(two.address, "") as again:
            await until(lambda: "rebuilt from 8 records" in two.log, "an index made anew")
            assert await listed(again, bot=pair[0].name) == made


@pytest.mark.exhaustive
async def test_what_is_kept_no_longer_goes_from_the_url_at_every_replica(
    folder: Path, url: str, redis: RedisServer
) -> None:
    place, keep = storage_at(url), ("--keep-records", "2")
    async with (
        running(folder / "one", url, *keep, redis=redis, first=PATIENT + OFTEN) as (_, here, _),
        running(folder / "two", url, *keep, redis=redis, first=PATIENT + OFTEN) as (_, there, _),
    ):
        there.metadata = here.metadata
        pair = await here.entrant(), await here.entrant()
        made = [await ended(here, *pair) for _ in range(4)]
        for at in (here, there):
            await none_listed(at, *made[:2])
            await refused(at.get(made[0]), "MATCH_EXPIRED")
            assert await listed(at) == made[:1:-1]
        assert sorted(await stored(place)) == sorted(made[2:])


@pytest.mark.exhaustive
def test_a_service_does_not_start_with_an_archive_where_nothing_can_be_kept(folder: Path, url: str) -> None:
    with Service(folder) as service:
        for place, words in (
            ("memory://archive", "gone with the process"),
            ("nonsense://archive", "not known"),
            ("s3://no-such-bucket/x", "name a place that you may write to with --archive"),
        ):
            assert words in service.refuses_to_start("--archive", place)


@pytest.mark.exhaustive
async def test_records_may_lie_in_another_folder(folder: Path) -> None:
    other = folder / "other"
    with Service(folder, "--archive", f"file://{other}") as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            author = await organiser.entrant(), await organiser.entrant()
            match_id = await ended(organiser, *author)
            await until(lambda: list(other.glob(f"??/{match_id}.fudaba")), "the record")
            await until(lambda: list(other.glob("index/*.sqlite")), "the index")
            assert await listed(organiser, bearer(author[0].token)) == [match_id]
    (other / "archive-id").write_text("a third\n")
    with Service(folder, "--archive", str(other)) as service:
        assert "is not the archive of this store's records" in service.refuses_to_start()
