"""The closed blocks of a season that is over leave the store, and whoever dies on the way loses and doubles none."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from fudaba_arena.errors import ArenaError
from fudaba_arena.store.answers import StoreUnavailable, key
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult
from fudaba_arena.store.store import Store
from fudaba_arena.store.tournaments import season_archive
from fudaba_arena.store.tournaments.season_archive import SeasonUnavailable
from fudaba_serving.redis.valkey import EmbeddedValkey
from fudaba_serving.storage import urls as storage
from tests.support.folders import short_folder
from tests.support.object_store import BUCKET, ObjectStore, environment
from tests.support.patience import PATIENCE

NAME = "open.1"
BLOCK_COUNT = 7


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with short_folder() as place, EmbeddedValkey(place / "store") as server:
        yield server.url


@pytest.fixture(autouse=True)
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file has few entries."""
    monkeypatch.setattr(season_archive, "_MAX_LINES_PER_FILE", 3)


@pytest.fixture
async def store(url: str, tmp_path: Path) -> AsyncIterator[Store]:
    """With a season of seven closed blocks."""
    opened = Store(url, tmp_path / "archive")
    await opened.connect()
    await opened.begin(NAME, {"game": "naga"}, bytes(32))
    await close(opened, *range(BLOCK_COUNT))
    yield opened
    await opened._redis.flushall()
    await opened.close()


async def close(store: Store, *blocks: int) -> None:
    """Closes blocks, of two matches each."""
    for block in blocks:
        results = [
            MatchResult(f"{NAME}-b{block}-{letter}", block, 0, bots, (block, -block), "", "", 1_700_000_000_000)
            for letter, bots in (("a", ("a", "b")), ("b", ("b", "a")))
        ]
        for result in results:
            await store.open_blocks.store_result(NAME, block, 0, result)
        closed = ClosedBlock(block, block, "naga", tuple(results), 2, at_ms=1_700_000_000_002)
        assert await store.open_blocks.store_closed(NAME, closed, 0, [result.match_id for result in results])


async def entries(store: Store) -> list[bytes]:
    """Returns the sequence, wherever it is, in its order."""
    stored = await store.load(NAME, keep_blocks=True)
    assert stored is not None
    assert stored.blocks.lines is not None
    assert stored.blocks.length == len(stored.blocks.lines) == stored.blocks.counted
    assert sum(stored.blocks.kinds().values()) + len(stored.blocks.annulled) == stored.blocks.length
    return list(stored.blocks.lines.values())


async def in_store(store: Store) -> int:
    return int(await store._redis.llen(key(NAME, "closed")))


def files(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "archive" / NAME).glob("*.zst"))


async def test_blocks_leave_the_store_once_and_read_as_before(store: Store, tmp_path: Path) -> None:
    await store.annulments.annul(NAME, Annulment((2,), "a reason"))
    before = await entries(store)
    assert len(before) == await in_store(store) == BLOCK_COUNT
    assert await store.archive.move(NAME) == BLOCK_COUNT
    assert await in_store(store) == 0
    assert await store.archive.move(NAME) == 0
    assert await entries(store) == before
    assert [name[:9] for name in files(tmp_path)] == ["000000001", "000000004", "000000007"]
    sums = await store.load(NAME)
    assert sums is not None
    assert (sums.blocks.counted, sums.blocks.matches) == (BLOCK_COUNT, 2 * (BLOCK_COUNT - 1))
    # Annulling goes on.
    await store.annulments.annul(NAME, Annulment((5,), "another one"))
    blocks = await _loaded(store)
    assert set(blocks.annulled) == {2, 5}
    assert blocks.annulled_after() == (BLOCK_COUNT, BLOCK_COUNT), "whether or not the blocks are in the store"


async def _loaded(store: Store) -> Any:
    stored = await store.load(NAME, keep_blocks=True)
    assert stored is not None
    return stored.blocks


async def test_who_dies_with_files_written_leaves_all_in_the_store_and_the_next_one_writes_the_same_files(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await entries(store)

    async def died(*_: Any) -> None:
        raise StoreUnavailable("killed")

    for count in (1, 3):  # with one file written, with all of them
        with monkeypatch.context() as patched:
            write, written = store.archive._write, [0]

            async def some(*args: Any, count: int = count, write: Any = write, written: Any = written) -> Any:
                written[0] += 1
                if written[0] > count:
                    await died()
                return await write(*args)

            patched.setattr(store.archive, "_write", some)
            patched.setattr(store.archive, "_put", died)
            with pytest.raises(StoreUnavailable):
                await store.archive.move(NAME)
        assert len(files(tmp_path)) == count
        assert await entries(store) == before
        assert await in_store(store) == BLOCK_COUNT
    names = files(tmp_path)
    assert await store.archive.move(NAME) == BLOCK_COUNT
    assert files(tmp_path) == names
    assert await entries(store) == before


async def test_who_dies_after_the_step_and_whose_store_loses_its_tail_doubles_nothing(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await entries(store)
    with monkeypatch.context() as patched:
        put = store.archive._put

        async def lost(*args: Any) -> None:
            await put(*args)
            raise StoreUnavailable("the answer was lost")

        patched.setattr(store.archive, "_put", lost)
        with pytest.raises(StoreUnavailable):
            await store.archive.move(NAME)
    assert (await in_store(store), await entries(store)) == (0, before)
    assert await store.archive.move(NAME) == 0
    names = files(tmp_path)
    # The store comes back as it was before the step.
    await store._redis.delete(key(NAME, "archived"))
    await store._redis.rpush(key(NAME, "closed"), *before)
    assert await entries(store) == before
    assert await store.archive.move(NAME) == BLOCK_COUNT
    assert (files(tmp_path), await entries(store)) == (names, before)


async def test_what_is_closed_meanwhile_or_later_is_kept_behind_the_rest(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        write = store.archive._write

        async def late(*args: Any) -> Any:
            await close(store, BLOCK_COUNT)
            return await write(*args)

        patched.setattr(store.archive, "_write", late)
        patched.setattr(season_archive, "_MAX_LINES_PER_FILE", 100)
        assert await store.archive.move(NAME) == 0
    assert await in_store(store) == BLOCK_COUNT + 1
    before = await entries(store)
    assert await store.archive.move(NAME) == BLOCK_COUNT + 1
    await close(store, BLOCK_COUNT + 1)
    after = await entries(store)
    assert after[:-1] == before
    assert await store.archive.move(NAME) == 1
    assert await entries(store) == after


async def test_who_reads_while_blocks_leave_the_store_reads_all_of_them(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await entries(store)
    read, moved = store.sequence.read, list[int]()

    async def late(name: str, blocks: ClosedBlocks, length: int) -> None:
        if not moved:
            moved.append(await store.archive.move(NAME))
        await read(name, blocks, length)

    monkeypatch.setattr(store.sequence, "read", late)
    assert await entries(store) == before
    assert moved == [BLOCK_COUNT]


async def test_two_arenas_that_move_a_season_at_once_move_it_once(store: Store, tmp_path: Path) -> None:
    before = await entries(store)
    moved = await asyncio.gather(*[store.archive.move(NAME) for _ in range(3)])
    assert sorted(moved) == [0, 0, BLOCK_COUNT]
    assert len(files(tmp_path)) == 3
    assert await entries(store) == before


async def test_a_file_that_is_damaged_or_missing_is_said_to_be_and_one_brought_elsewhere_is_found(
    store: Store, url: str, tmp_path: Path
) -> None:
    before = await entries(store)
    await store.archive.move(NAME)
    [first, *_] = sorted((tmp_path / "archive" / NAME).glob("*.zst"))
    content, second = first.read_bytes(), sorted((tmp_path / "archive" / NAME).glob("*.zst"))[1].read_bytes()
    for damaged in (b"", b"rubbish", content[:-5], second):
        first.write_bytes(damaged)
        with pytest.raises(ArenaError, match="is damaged"):
            await entries(store)
    first.unlink()
    with pytest.raises(SeasonUnavailable, match="has no file"):
        await entries(store)
    first.write_bytes(content)
    shutil.move(tmp_path / "archive", tmp_path / "elsewhere")
    other = Store(url, tmp_path / "archive", str(tmp_path / "elsewhere"))
    try:
        assert await entries(other) == before
    finally:
        await other.close()


async def test_an_archive_that_cannot_be_written_leaves_the_blocks_in_the_store(store: Store, tmp_path: Path) -> None:
    before = await entries(store)
    (tmp_path / "archive").write_text("not a folder")
    with pytest.raises(SeasonUnavailable, match="cannot be written"):
        await store.archive.move(NAME)
    assert (await in_store(store), await entries(store)) == (BLOCK_COUNT, before)
    (tmp_path / "archive").unlink()
    assert await store.archive.move(NAME) == BLOCK_COUNT
    assert await entries(store) == before


@pytest.mark.exhaustive
async def test_blocks_go_to_an_object_store_and_are_read_without_its_name_being_given(
    store: Store, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, objects: ObjectStore
) -> None:
    before = await entries(store)
    for name, value in environment(objects.port).items():
        monkeypatch.setitem(os.environ, name, value)
    for name in ("_ANSWER_SECONDS", "_OPENING_SECONDS"):
        monkeypatch.setattr(storage, name, PATIENCE)
    with_option = Store(url, tmp_path / "archive", f"{BUCKET}/{secrets.token_hex(4)}")
    await with_option.archive.prepare()
    assert await with_option.archive.move(NAME) == BLOCK_COUNT
    await with_option.close()
    assert not (tmp_path / "archive").exists()
    assert await entries(store) == before
    wrong = Store(url, tmp_path / "archive", "memory://here")
    with pytest.raises(ArenaError, match="gone with the process"):
        await wrong.archive.prepare()
    await wrong.close()
