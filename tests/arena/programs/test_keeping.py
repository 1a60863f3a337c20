"""What a version keeps: the last match that took it says what it is, and nobody's death takes what was there before."""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from pathlib import Path

import pytest

from fudaba_arena.errors import ArenaError
from fudaba_arena.programs.folder_transfer import FolderTransfer, Held
from fudaba_arena.programs.host_steps import Scratch
from fudaba_arena.store.bots.kept_folders import FolderOwner
from fudaba_arena.store.store import Store
from fudaba_serving.storage import urls as storage
from tests.support.arena.store.results import store, url
from tests.support.object_store import BUCKET, ObjectStore, environment
from tests.support.patience import PATIENCE

__all__ = ["store", "url"]

ADA = FolderOwner("open", "ada", "2")


anywhere = pytest.mark.parametrize("place", ["folder", "s3"], indirect=True)


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Returns where submissions are."""
    if getattr(request, "param", "folder") == "folder":
        return str(tmp_path / "submissions")
    objects: ObjectStore = request.getfixturevalue("objects")
    for name, value in environment(objects.port).items():
        monkeypatch.setitem(os.environ, name, value)
    for name in ("_ANSWER_SECONDS", "_OPENING_SECONDS"):
        monkeypatch.setattr(storage, name, PATIENCE)
    return f"{BUCKET}/{secrets.token_hex(4)}"


class Clock:
    """The time, which a test may set forward."""

    def __init__(self) -> None:
        self.ahead_ms = 0

    def __call__(self) -> int:
        return int(time.time() * 1000) + self.ahead_ms

    def pass_hours(self, hours: int) -> None:
        self.ahead_ms += hours * 3_600_000


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def keeping(store: Store, place: str, clock: Clock) -> FolderTransfer:
    return FolderTransfer(place, store.kept_folders, clock)


class Matches:
    """Matches of a worker, each in a folder of its own."""

    def __init__(self, keeping: FolderTransfer, folder: Path) -> None:
        self._keeping = keeping
        self._folder = folder
        self._count = 0

    async def take(self, whose: FolderOwner = ADA, *, lasts: bool = True) -> Held:
        self._count += 1
        place = self._folder / str(self._count)
        place.mkdir()
        return await self._keeping.take(whose, f"m-{self._count}", Scratch(place), lasts=lasts)

    async def leave(self, held: Held, content: bytes) -> str:
        """The bot leaves this; what its author is told."""
        held.kept.archive.write_bytes(content)
        held.kept.size, held.kept.files = len(content), 1
        return await self._keeping.give_back(held)

    async def found(self, whose: FolderOwner = ADA) -> bytes:
        """Returns what the next match finds."""
        held = await self.take(whose, lasts=False)
        return held.kept.archive.read_bytes() if held.kept.archive.exists() else b""


@pytest.fixture
def matches(keeping: FolderTransfer, tmp_path: Path) -> Matches:
    return Matches(keeping, tmp_path)


@anywhere
@pytest.mark.exhaustive
async def test_the_next_match_finds_what_the_last_one_left(matches: Matches, store: Store) -> None:
    held = await matches.take()
    assert (held.kept.archive.exists(), held.kept.size, held.kept.files) == (False, 0, 0)
    for content in (b"first" * 1_000, b"second"):
        assert await matches.leave(held, content) == ""
        held = await matches.take()
        assert held.kept.archive.read_bytes() == content
        assert (held.kept.size, held.kept.files) == (len(content), 1)
    [(where, known)] = (await store.kept_folders.all("ada")).items()
    assert (where, known.size, known.files) == (("open", "2"), 6, 1)


async def test_each_version_keeps_something_else_in_each_ladder(matches: Matches) -> None:
    all_of_them = [
        FolderOwner(*words) for words in (("a", "ada", "1"), ("a", "ada", "2"), ("b", "ada", "1"), ("a", "eve", "1"))
    ]
    for owner in all_of_them:
        await matches.leave(await matches.take(owner), owner.field.encode() + owner.bot.encode())
    assert [await matches.found(whose) for whose in all_of_them] == [
        whose.field.encode() + whose.bot.encode() for whose in all_of_them
    ]


async def test_what_was_not_changed_is_not_written_again(matches: Matches, store: Store) -> None:
    await matches.leave(await matches.take(), b"same")
    before = await store.kept_folders.get(ADA)
    assert await matches.leave(await matches.take(), b"same") == ""
    assert await store.kept_folders.get(ADA) == before


async def test_a_worker_that_was_taken_for_dead_does_not_undo_what_came_later(matches: Matches) -> None:
    await matches.leave(await matches.take(), b"before")
    late = await matches.take()
    await matches.leave(await matches.take(), b"after")
    assert "another match has it" in await matches.leave(late, b"late")
    assert await matches.found() == b"after"


async def test_what_was_given_back_stays_when_its_match_says_so_again(
    matches: Matches, store: Store, keeping: FolderTransfer
) -> None:
    """As a worker does that has not heard the answer."""
    held = await matches.take()
    await matches.leave(held, b"kept")
    now = await store.kept_folders.get(ADA)
    assert not await store.kept_folders.give_back(ADA, held.match, now, 0)
    await keeping.tidy()
    assert await matches.found() == b"kept"


async def test_of_many_that_take_it_at_once_only_the_last_gives_something_back(matches: Matches) -> None:
    held = await asyncio.gather(*(matches.take() for _ in range(5)))
    refusals = await asyncio.gather(*(matches.leave(holder, holder.match.encode()) for holder in held))
    [last] = [holder for holder, why in zip(held, refusals, strict=True) if not why]
    assert await matches.found() == last.match.encode()


async def test_what_a_dying_worker_was_writing_is_removed_and_what_was_there_stays(
    matches: Matches, store: Store, place: str, keeping: FolderTransfer, clock: Clock
) -> None:
    await matches.leave(await matches.take(), b"before")
    await matches.take()
    # It dies when it has written the archive, before it says so.
    await store.kept_folders.begin_writing("kept/ada@2-lost.tar.zst", clock())
    await storage.storage_at(place).put("kept/ada@2-lost.tar.zst", b"half")
    assert await matches.found() == b"before"
    await keeping.tidy()
    assert len(await names(place)) == 2  # it may be on its way
    clock.pass_hours(2)
    await keeping.tidy()
    assert len(await names(place)) == 1
    assert await matches.found() == b"before"


@pytest.mark.exhaustive
@anywhere
async def test_what_is_replaced_is_removed(
    matches: Matches, store: Store, place: str, keeping: FolderTransfer, clock: Clock
) -> None:
    for number in range(3):
        await matches.leave(await matches.take(), str(number).encode())
    await matches.take()
    assert len(await names(place)) == 3
    await keeping.tidy()
    assert len(await names(place)) == 1
    assert await matches.found() == b"2"


async def test_what_a_copy_is_changed_to_is_not_kept_and_takes_the_folder_from_nobody(matches: Matches) -> None:
    await matches.leave(await matches.take(), b"kept")
    held = await matches.take()
    copy = await matches.take(lasts=False)
    assert copy.kept.archive.read_bytes() == b"kept"
    assert "counts in no ladder" in await matches.leave(copy, b"copied")
    assert await matches.leave(held, b"after") == ""
    assert await matches.found() == b"after"


async def test_a_folder_that_is_emptied_in_mid_match_stays_empty(matches: Matches, store: Store) -> None:
    await matches.leave(await matches.take(), b"before")
    held = await matches.take()
    assert await store.kept_folders.empty(ADA, 0)
    assert not await store.kept_folders.empty(ADA, 0)
    assert "was emptied meanwhile" in await matches.leave(held, b"after")
    assert await matches.found() == b""


async def test_of_a_bot_that_is_forgotten_nothing_is_left(
    matches: Matches, store: Store, keeping: FolderTransfer, place: str
) -> None:
    other = FolderOwner("open", "eve", "1")
    for owner in (ADA, FolderOwner("second", "ada", "3"), other):
        await matches.leave(await matches.take(owner), b"something")
    held = await matches.take()
    assert await store.kept_folders.forget("ada", 0) == 2
    assert await store.kept_folders.all("ada") == {}
    assert await matches.leave(held, b"after") != ""
    assert await matches.leave(await matches.take(), b"in a match that was planned before") != ""
    await keeping.tidy()
    assert [name for name in await names(place) if "eve" in name]
    assert await matches.found(other) == b"something"


async def test_what_is_damaged_or_gone_is_told_and_can_be_emptied(matches: Matches, store: Store, place: str) -> None:
    await matches.leave(await matches.take(), b"whole")
    known = await store.kept_folders.get(ADA)
    assert known is not None
    there = storage.storage_at(place)
    await there.put(known.name, b"no archive")
    with pytest.raises(ArenaError, match="what ada@2 keeps in open is damaged; bring it back from a backup"):
        await matches.take()
    await there.remove([known.name])
    with pytest.raises(ArenaError, match="what ada@2 keeps in open is not in "):
        await matches.take()
    await store.kept_folders.empty(ADA, 0)
    assert not (await matches.take()).kept.archive.exists()


async def names(place: str) -> list[str]:
    """Returns the archives that there are."""
    return [name async for some in storage.storage_at(place).names(".tar.zst") for name in some]
