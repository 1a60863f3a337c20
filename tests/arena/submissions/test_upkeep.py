"""What was refused is removed, and what was built of it, but for what is told of it; what is needed stays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from fudaba_arena.store.answers import StoreUnavailable, key
from fudaba_arena.store.contents import content_uses
from fudaba_arena.store.contents.content_uses import ContentUses
from fudaba_arena.store.store import Store
from fudaba_arena.store.submissions.submissions import SUBMISSIONS_TAG
from fudaba_arena.submissions.contents import ContentsUnavailable, KeptContents
from fudaba_arena.submissions.limits import SubmissionLimits
from fudaba_arena.submissions.submission_forms import ACCEPTED, CHECKING, REFUSED, Announced, CheckProgress
from fudaba_arena.submissions.upkeep import Upkeep
from fudaba_arena.submissions.uploads import Uploads
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.arena.submissions.archives import BOT, pack
from tests.support.folders import short_folder

ARCHIVE = pack("tar.gz", BOT)
DIGEST = sha256(ARCHIVE).hexdigest()
WHAT = f"{DIGEST}-python-3.11-0123"
BUILT = b"built" * 1_000
HOUR_MS = 3_600_000


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with short_folder() as place, EmbeddedValkey(place / "store") as server:
        yield server.url


class Arena:
    """One that checks with workers, of whom this is the only one; its time is set by the test."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store = store
        self.folder = folder
        self.now_ms = 1_700_000_000_000
        self.contents = KeptContents(str(folder / "submissions"))
        self.begin()

    def begin(self) -> None:
        """As after the process was killed."""
        self.upkeep = Upkeep(self.contents, self.store.content_uses)
        self.uploads = Uploads(
            self.store.submissions,
            self.folder / "spool",
            self.upkeep,
            SubmissionLimits(),
            print,
            lambda: self.now_ms,
            self.store.checks,
        )

    async def submit(self, submission_id: str, raw: bytes = ARCHIVE) -> None:
        """Puts a submission in check."""
        digest, until_ms = sha256(raw).hexdigest(), self.now_ms + 24 * HOUR_MS
        announced = Announced(submission_id, "ada", "alice", "bot.tar.gz", len(raw), digest, "", self.now_ms, until_ms)
        kept = self.store.submissions
        line, now_ms = announced.line(), self.now_ms
        await kept.create(
            submission_id, "ada", "alice", line, b"same", now_ms=now_ms, expires_ms=until_ms, size=len(raw)
        )
        await self.uploads.write(announced, 0, raw)
        assert (await self.uploads.finish(announced)).state == CHECKING

    async def build(self, content: bytes = BUILT, *, noted: bool = True) -> str:
        """The worker keeps what a build has made; its hash."""
        digest = sha256(content).hexdigest()
        await asyncio.to_thread((self.folder / "archive").write_bytes, content)
        await self.store.content_uses.begin_writing(digest, len(content), self.now_ms)
        await self.contents.put(self.folder / "archive", digest)
        if noted:
            await self.store.content_uses.note_built(WHAT, digest, self.now_ms)
        return digest

    def asked_for(self, digest: str) -> asyncio.Queue[str]:
        """Filled whenever it was asked for a content, and that was not there to be needed."""
        uses, asked = self.store.content_uses, asyncio.Queue[str]()
        use = uses._use

        async def noted(**fields: Any) -> int:
            may: int = await use(**fields)
            if not may and fields["args"][0] == digest:
                asked.put_nowait(digest)
            return may

        uses._use = noted  # type: ignore[assignment]  # it is called as a script is
        return asked

    async def end(self, *states: str) -> None:
        """The worker ends the checks of those that it takes, like this."""
        for state in states:
            needs = set((await self.store.checks.waiting()).values())
            taken = await self.store.checks.take("w", 60_000, needs)
            assert taken is not None
            forget_ms = None if state == ACCEPTED else self.now_ms + 24 * HOUR_MS
            assert await self.store.checks.end(taken[0], "w", CheckProgress(state).line(), forget_ms)

    async def sizes(self) -> list[int]:
        """Returns how large the files are that are kept, once what is not needed is removed."""
        await self.uploads.sweep()
        sizes = sorted(path.stat().st_size for path in (self.folder / "submissions").rglob("*") if path.is_file())
        assert self.upkeep.total_bytes == sum(sizes)
        return sizes


@pytest.fixture
async def arena(url: str, tmp_path: Path) -> AsyncIterator[Arena]:
    store = Store(url)
    await store.connect()
    opened = Arena(store, tmp_path)
    await opened.uploads.open()
    yield opened
    await store._redis.flushall()
    await store.close()


async def test_what_was_refused_goes_with_what_was_built_of_it_and_is_told_of(arena: Arena) -> None:
    await arena.submit("one")
    await arena.build()
    assert await arena.sizes() == [len(ARCHIVE), len(BUILT)]
    await arena.end(REFUSED)
    assert await arena.sizes() == []
    assert await arena.store.content_uses.built(WHAT) == ""
    kept = await arena.store.submissions.get("one")
    assert kept is not None
    assert kept.over is not None
    assert CheckProgress.read(kept.over).state == REFUSED


async def test_what_was_accepted_stays_also_when_others_of_the_same_bytes_are_refused(arena: Arena) -> None:
    for submission in ("one", "two", "three"):
        await arena.submit(submission)
    await arena.build()
    await arena.end(REFUSED, ACCEPTED)
    assert await arena.sizes() == [len(ARCHIVE), len(BUILT)]
    await arena.end(REFUSED)
    assert await arena.sizes() == [len(ARCHIVE), len(BUILT)]
    assert await arena.store.content_uses.built(WHAT) == sha256(BUILT).hexdigest()


async def test_an_arena_that_was_killed_in_between_removes_it_at_its_start(arena: Arena) -> None:
    await arena.submit("one")
    await arena.build()
    await arena.end(REFUSED)
    await arena.store.content_uses.release("one", DIGEST, arena.now_ms)
    assert len(await arena.store.content_uses.take_unneeded(arena.now_ms)) == 2
    arena.begin()
    await arena.uploads.open()
    assert await arena.sizes() == []


async def test_what_a_worker_that_died_has_written_for_nobody_goes_after_an_hour(arena: Arena) -> None:
    await arena.submit("one")
    await arena.build(noted=False)
    await arena.end(ACCEPTED)
    arena.now_ms += HOUR_MS - 1
    assert await arena.sizes() == [len(ARCHIVE), len(BUILT)]
    arena.now_ms += 1
    assert await arena.sizes() == [len(ARCHIVE)]


async def test_what_is_built_once_more_takes_the_place_of_what_was_lost(arena: Arena) -> None:
    await arena.submit("one")
    await arena.build()
    other = await arena.build(b"another build of the same")
    await arena.end(ACCEPTED)
    assert await arena.store.content_uses.built(WHAT) == other
    assert len(await arena.sizes()) == 3
    arena.now_ms += HOUR_MS
    assert await arena.sizes() == [len(b"another build of the same"), len(ARCHIVE)]


async def test_who_is_late_with_a_build_of_what_was_refused_leaves_nothing(arena: Arena) -> None:
    await arena.submit("one")
    await arena.end(REFUSED)
    assert await arena.sizes() == []
    await arena.build()
    assert await arena.sizes() == []


async def test_who_submits_what_is_removed_at_this_moment_has_it_kept(arena: Arena) -> None:
    await arena.submit("one")
    await arena.end(REFUSED)
    uses = arena.store.content_uses
    await uses.release("one", DIGEST, arena.now_ms)
    assert await uses.take_unneeded(arena.now_ms) == [DIGEST]
    asked = arena.asked_for(DIGEST)
    again = asyncio.create_task(arena.submit("two"))
    for _ in range(3):
        await asked.get()
        assert await uses.take_unneeded(arena.now_ms) == [DIGEST]
        assert not again.done()
    await arena.contents.remove([DIGEST])
    await uses.removed(DIGEST)
    await again
    assert await arena.sizes() == [len(ARCHIVE)]


async def test_who_submits_what_cannot_be_removed_is_told_to_try_again_and_holds_nobody_up(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content_uses, "_MAX_REMOVAL_POLLS", 2)
    await arena.submit("one")
    await arena.end(REFUSED)
    with pytest.MonkeyPatch.context() as broken:
        broken.setattr(KeptContents, "remove", unavailable)
        with pytest.raises(ContentsUnavailable):
            await arena.uploads.sweep()
        with pytest.raises(StoreUnavailable, match="try again"):
            await arena.submit("two")
        await arena.submit("other", pack("zip", BOT))
    assert len(await arena.sizes()) == 1


async def unavailable(_: KeptContents, __: Collection[str]) -> None:
    raise ContentsUnavailable("the disk is read-only")


async def test_one_arena_at_a_time_removes(arena: Arena) -> None:
    await arena.submit("one")
    await arena.end(REFUSED)
    uses, other = arena.store.content_uses, ContentUses(arena.store._redis)
    await uses.release("one", DIGEST, arena.now_ms)
    assert await uses.take_unneeded(arena.now_ms) == [DIGEST]
    assert await other.take_unneeded(arena.now_ms) == []
    assert not await other.goes_on_removing()
    assert await uses.goes_on_removing()
    await arena.store._redis.delete(key(SUBMISSIONS_TAG, "removes"))  # it has stood still for long
    assert await other.take_unneeded(arena.now_ms) == [DIGEST]
    assert not await uses.goes_on_removing()


async def test_what_somebody_needs_by_now_is_not_removed(arena: Arena) -> None:
    await arena.submit("one")
    await arena.end(REFUSED)
    uses = arena.store.content_uses
    await uses.release("one", DIGEST, arena.now_ms)
    assert await uses.take_unneeded(arena.now_ms) == [DIGEST]
    await arena.store._redis.sadd(key(SUBMISSIONS_TAG, f"uses:{DIGEST}"), "two")
    assert await uses.take_unneeded(arena.now_ms) == []
    assert await arena.sizes() == [len(ARCHIVE)]


async def test_what_was_accepted_is_not_removed_by_a_refusal_that_comes_late(arena: Arena) -> None:
    await arena.submit("one")
    await arena.end(ACCEPTED)
    await arena.store.submissions.end("one", CheckProgress(REFUSED).line(), arena.now_ms)
    assert await arena.sizes() == [len(ARCHIVE)]
    assert await arena.store.submissions.lapsed(arena.now_ms) == set()


async def test_what_an_arena_of_an_earlier_release_has_accepted_since_is_needed(arena: Arena) -> None:
    await arena.submit("one")
    await arena.end(ACCEPTED)
    await arena.store._redis.delete(key(SUBMISSIONS_TAG, f"uses:{DIGEST}"))
    arena.begin()
    await arena.uploads.open()
    await arena.submit("two")
    await arena.end(REFUSED)
    assert await arena.sizes() == [len(ARCHIVE)]


async def test_what_earlier_releases_have_left_of_refused_ones_goes(arena: Arena) -> None:
    await arena.submit("one")
    await arena.submit("two", pack("zip", BOT))
    built = await arena.build()
    await arena.end(ACCEPTED, REFUSED)
    redis = arena.store._redis
    for part in (
        "refused",
        "unneeded",
        "sizes",
        "uses-noted",
        f"uses:{DIGEST}",
        f"uses:{built}",
        f"builds-of:{DIGEST}",
    ):
        await redis.delete(key(SUBMISSIONS_TAG, part))
    arena.begin()
    await arena.uploads.open()
    await arena.uploads.sweep()
    files = [path.name for path in (arena.folder / "submissions").rglob("*") if path.is_file()]
    assert sorted(files) == sorted([DIGEST, built])
