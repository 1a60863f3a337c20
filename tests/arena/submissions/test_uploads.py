"""Uploads: pieces become a file, whoever is killed or cut off, and what is complete is checked and kept once."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from fudaba_arena.store.store import Store
from fudaba_arena.store.submissions.submissions import Quota, TooMuch
from fudaba_arena.submissions.contents import KeptContents
from fudaba_arena.submissions.faults import Fault
from fudaba_arena.submissions.limits import SubmissionLimits
from fudaba_arena.submissions.spool import SpoolFailed
from fudaba_arena.submissions.submission_forms import ACCEPTED, EXPIRED, REFUSED, Announced, CheckProgress
from fudaba_arena.submissions.upkeep import Upkeep
from fudaba_arena.submissions.uploads import (
    REFUSED_RETENTION_MS,
    UploadIncomplete,
    UploadOver,
    Uploads,
    WrongHash,
    WrongOffset,
)
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.arena.submissions.archives import BOT, Item, pack
from tests.support.folders import short_folder

ARCHIVE = pack("tar.gz", BOT)
DAY_MS = 24 * 3_600_000
QUOTA = Quota(3, 1_000)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with short_folder() as place, EmbeddedValkey(place / "store") as server:
        yield server.url


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    opened = Store(url)
    await opened.connect()
    yield opened
    await opened._redis.flushall()
    await opened.close()


class Clock:
    """A time that a test sets."""

    def __init__(self) -> None:
        self.ms = 1_700_000_000_000

    def __call__(self) -> int:
        return self.ms


@pytest.fixture
def clock() -> Clock:
    return Clock()


def begun(store: Store, folder: Path, clock: Clock) -> Uploads:
    """Returns the uploads of an arena with this folder."""
    upkeep = Upkeep(KeptContents(str(folder / "submissions")), store.content_uses)
    return Uploads(store.submissions, folder / "spool", upkeep, SubmissionLimits(), print, clock)


@pytest.fixture
async def uploads(store: Store, tmp_path: Path, clock: Clock) -> Uploads:
    opened = begun(store, tmp_path, clock)
    await opened.open()
    return opened


async def announce(uploads: Uploads, raw: bytes = ARCHIVE, submission_id: str = "one", **more: str) -> Announced:
    now_ms = uploads.now_ms()
    announced = Announced(
        submission_id, "ada", "alice", "bot.tar.gz", len(raw), sha256(raw).hexdigest(), "", now_ms, now_ms + DAY_MS
    )
    announced = replace(announced, **more)  # type: ignore[arg-type]  # texts
    await uploads.kept.create(
        announced.submission_id,
        announced.bot,
        announced.account,
        announced.line(),
        b"same",
        now_ms=now_ms,
        expires_ms=announced.expires_ms,
        size=announced.size,
    )
    return announced


async def upload(uploads: Uploads, announced: Announced, raw: bytes = ARCHIVE, piece: int = 100) -> None:
    for at in range(0, len(raw), piece):
        assert await uploads.write(announced, at, raw[at : at + piece]) == min(len(raw), at + piece)


def spooled(tmp_path: Path) -> list[str]:
    return [path.name for path in (tmp_path / "spool").iterdir()]


async def test_what_is_uploaded_in_pieces_is_checked_and_kept(uploads: Uploads, tmp_path: Path) -> None:
    announced = await announce(uploads)
    await upload(uploads, announced)
    over = await uploads.finish(announced)
    assert (over.state, [outcome.passed for outcome in over.outcomes]) == (ACCEPTED, [True])
    assert over.manifest is not None
    assert over.manifest.start == ("python3", "bot.py")
    assert await KeptContents(str(tmp_path / "submissions")).fetch(announced.sha256, tmp_path / "fetched")
    assert (tmp_path / "fetched").read_bytes() == ARCHIVE
    assert spooled(tmp_path) == []
    stored = await uploads.kept.get("one")
    assert stored is not None
    assert stored.over is not None
    assert CheckProgress.read(stored.over) == over
    assert await uploads.finish(announced) == over
    with pytest.raises(UploadOver):
        await uploads.write(announced, 0, ARCHIVE[:10])


async def test_what_is_refused_is_told_and_not_kept(uploads: Uploads, tmp_path: Path) -> None:
    raw = pack("zip", [*BOT, Item("../evil", b"x")])
    announced = await announce(uploads, raw)
    await upload(uploads, announced, raw)
    over = await uploads.finish(announced)
    assert (over.state, over.outcomes[0].fault, over.manifest) == (REFUSED, Fault.NAME, None)
    assert "leads out of the folder" in over.outcomes[0].output
    assert not await KeptContents(str(tmp_path / "submissions")).has(announced.sha256)
    assert spooled(tmp_path) == []


async def test_the_same_archive_by_another_author_is_kept_once(uploads: Uploads, tmp_path: Path) -> None:
    for submission_id, account in (("one", "alice"), ("two", "bob")):
        announced = await announce(uploads, submission_id=submission_id, account=account)
        await upload(uploads, announced)
        assert (await uploads.finish(announced)).state == ACCEPTED
    assert len([path for path in (tmp_path / "submissions").rglob("*") if path.is_file()]) == 1


async def test_pieces_may_be_sent_again_and_others_have_to_follow(uploads: Uploads) -> None:
    announced = await announce(uploads)
    assert await uploads.write(announced, 0, ARCHIVE[:100]) == 100
    assert await uploads.write(announced, 0, ARCHIVE[:100]) == 100
    assert await uploads.write(announced, 50, ARCHIVE[50:90]) == 100
    for offset, piece in ((101, b"x"), (0, b"other"), (50, ARCHIVE[50:120]), (100, bytes(len(ARCHIVE)))):
        with pytest.raises(WrongOffset) as info:
            await uploads.write(announced, offset, piece)
        assert info.value.received == uploads.received("one") == 100
    with pytest.raises(UploadIncomplete):
        await uploads.finish(announced)
    await uploads.write(announced, 100, ARCHIVE[100:])
    assert (await uploads.finish(announced)).state == ACCEPTED


async def test_of_two_who_write_the_same_piece_at_once_neither_doubles_it(uploads: Uploads) -> None:
    announced = await announce(uploads)
    for at in range(0, len(ARCHIVE), 50):
        piece = ARCHIVE[at : at + 50]
        assert set(await asyncio.gather(*[uploads.write(announced, at, piece) for _ in range(4)])) == {at + len(piece)}
    assert {over.state for over in await asyncio.gather(*[uploads.finish(announced) for _ in range(4)])} == {ACCEPTED}


async def test_an_upload_goes_on_after_the_arena_was_killed(
    uploads: Uploads, store: Store, tmp_path: Path, clock: Clock
) -> None:
    announced = await announce(uploads)
    await uploads.write(announced, 0, ARCHIVE[:100])
    (tmp_path / "spool" / "0123.unpacked" / "deep").mkdir(parents=True)  # as of one that was killed while it checked
    (tmp_path / "spool" / "0123").write_bytes(b"of a submission that is over")
    again = begun(store, tmp_path, clock)
    await again.open()
    assert len(spooled(tmp_path)) == 1
    assert again.received("one") == 100
    await again.write(announced, 100, ARCHIVE[100:])
    assert (await again.finish(announced)).state == ACCEPTED


async def test_who_goes_away_in_the_middle_of_a_check_finds_it_done(uploads: Uploads, tmp_path: Path) -> None:
    announced = await announce(uploads)
    await upload(uploads, announced)
    asked = asyncio.create_task(uploads.finish(announced))
    await asyncio.sleep(0)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    await uploads.close()
    stored = await uploads.kept.get("one")
    assert stored is not None
    assert stored.over is not None
    assert spooled(tmp_path) == []


async def test_what_has_another_hash_is_uploaded_again_from_its_beginning(uploads: Uploads, tmp_path: Path) -> None:
    announced = await announce(uploads)
    await upload(uploads, announced, bytes(len(ARCHIVE)))
    with pytest.raises(WrongHash) as info:
        await uploads.finish(announced)
    assert info.value.found == sha256(bytes(len(ARCHIVE))).hexdigest()
    assert (uploads.received("one"), spooled(tmp_path)) == (0, [])
    await upload(uploads, announced)
    assert (await uploads.finish(announced)).state == ACCEPTED


async def test_an_upload_that_is_not_finished_expires_and_is_forgotten_later(
    uploads: Uploads, clock: Clock, tmp_path: Path
) -> None:
    announced = await announce(uploads)
    finished = await announce(uploads, submission_id="two")
    await upload(uploads, finished)
    await uploads.finish(finished)
    await uploads.write(announced, 0, ARCHIVE[:100])
    clock.ms += DAY_MS - 1
    await uploads.sweep()
    assert uploads.received("one") == 100
    clock.ms += 1
    await uploads.sweep()
    assert spooled(tmp_path) == []
    stored = await uploads.kept.get("one")
    assert stored is not None
    assert stored.over is not None
    assert CheckProgress.read(stored.over) == CheckProgress(EXPIRED)
    for call in (uploads.write(announced, 0, b"x"), uploads.finish(announced)):
        with pytest.raises(UploadOver):
            await call
    clock.ms += REFUSED_RETENTION_MS
    await uploads.sweep()
    assert await uploads.kept.get("one") is None
    assert [submission_id for _, submission_id in await uploads.kept.ids("alice")] == ["two"]
    assert [submission_id for _, submission_id in await uploads.kept.ids(None)] == ["two"]


async def test_nothing_is_forgotten_of_a_submission_that_is_put_aside(uploads: Uploads, clock: Clock) -> None:
    await announce(uploads)
    clock.ms += DAY_MS
    await uploads.sweep()
    await uploads.kept.put_aside("one")
    clock.ms += REFUSED_RETENTION_MS
    await uploads.sweep()
    assert await uploads.kept.get("one") is not None
    assert await uploads.kept.aside() == ["one"]
    await uploads.kept.take_back("one", clock.ms)
    await uploads.sweep()
    assert await uploads.kept.get("one") is None


async def test_a_full_disk_loses_nothing(uploads: Uploads, tmp_path: Path) -> None:
    raw = pack("zip", [*BOT, Item("zeros", bytes(100_000))])  # small, until it is unpacked
    assert len(raw) < 2_000
    announced = await announce(uploads, raw)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, before[1]))
    try:
        assert await uploads.write(announced, 0, raw[:150]) == 150
        with pytest.raises(SpoolFailed, match="cannot keep what is uploaded: File too large"):
            await uploads.write(announced, 150, raw[150:400])
        assert uploads.received("one") == 150
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
        await uploads.write(announced, 150, raw[150:])
        with pytest.raises(SpoolFailed, match="File too large"):
            await uploads.finish(announced)
        assert len(spooled(tmp_path)) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (await uploads.finish(announced)).state == ACCEPTED


async def test_an_account_uploads_so_many_times_and_so_many_bytes_a_day(uploads: Uploads, clock: Clock) -> None:
    async def create(submission_id: str, size: int, payer: str = "alice", quota: Quota | None = QUOTA) -> None:
        await uploads.kept.create(
            submission_id,
            "ada",
            payer,
            "{}",
            b"",
            now_ms=clock.ms,
            expires_ms=clock.ms,
            size=size,
            payer=payer,
            quota=quota,
        )

    async def refused(submission_id: str, size: int, quota: Quota = QUOTA) -> tuple[str, int]:
        with pytest.raises(TooMuch) as info:
            await create(submission_id, size, quota=quota)
        assert await uploads.kept.get(submission_id) is None
        return info.value.quota, info.value.retry_ms

    first = clock.ms
    await create("a", 600)
    clock.ms += 1_000
    assert await refused("b", 401) == ("bytes", first + DAY_MS)
    assert await refused("b", 1_001) == ("bytes", 0)
    assert await refused("b", 1, Quota(0, 1_000)) == ("uploads", 0)
    await create("b", 300)
    await create("b", 300)  # the same again costs nothing
    await create("c", 100)
    assert await refused("d", 1) == ("uploads", first + DAY_MS)
    await create("d", 900, "bob")
    await create("e", 5_000, quota=None)
    clock.ms = first + DAY_MS + 1
    await create("f", 600)
