"""An arena's store whose memory is full is read as ever, on every server, and what makes room is done."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from fudaba_arena.store.answers import StoreFull
from fudaba_arena.store.bots.bot_logs import KeptLog
from fudaba_arena.store.store import Store
from fudaba_arena.store.tournaments.season_archive import SeasonArchive
from tests.support.arena.store.results import DEFINITION, IDS, MASTER, OTHER, RESULT, counting, loaded, store, url

__all__ = ["store", "url"]


@asynccontextmanager
async def full(store: Store) -> AsyncIterator[None]:
    """Makes the server refuse everything that may need memory."""
    await store._redis.config_set("maxmemory", 1)
    try:
        with pytest.raises(StoreFull):
            await store.withdraw("t", "c", "why")
        yield
    finally:
        await store._redis.config_set("maxmemory", 0)


async def begun(store: Store) -> None:
    """A tournament with a closed block, an open match and a withdrawn bot."""
    await store.begin("t", DEFINITION, MASTER)
    for result in (RESULT, OTHER):
        await store.open_blocks.store_result("t", 0, 0, result)
    assert await store.open_blocks.store_closed("t", counting(0, RESULT, OTHER), 0, IDS)
    await store.open_blocks.store_created("t", 1, 0, "t-b1-a")
    await store.withdraw("t", "b", "it does not start")
    await store.store_attempts("t", 3)


async def test_a_tournament_is_read_from_a_full_store(store: Store) -> None:
    await begun(store)
    before = await loaded(store)
    assert (before.withdrawn, before.attempts, before.created) == ({"b": "it does not start"}, 3, {"t-b1-a"})
    async with full(store):
        found = await loaded(store)
    assert found.blocks.lines == before.blocks.lines
    assert (found.withdrawn, found.attempts, found.created) == (before.withdrawn, before.attempts, before.created)


async def test_what_makes_room_in_a_full_store_is_done(store: Store, tmp_path: Path) -> None:
    await begun(store)
    archive = SeasonArchive(store._redis, tmp_path)
    async with full(store):
        assert await archive.move("t") == 1
    assert await archive.move("t") == 0


async def test_what_bots_said_and_which_version_a_submission_is_are_read_from_a_full_store(store: Store) -> None:
    for at_ms, match_id in enumerate(("early", "late"), 1_700_000_000_000):
        await store.bot_logs.keep("a", "1", KeptLog(match_id, at_ms, ("b@1",), "won"), "hello")
    await store.checks.set_version("submission", "a", "1")
    async with full(store):
        kept = await store.bot_logs.matches("a", "1")
        tried = await store.checks.submission_of("a", "1")
    assert kept == [
        KeptLog("late", 1_700_000_000_001, ["b@1"], "won"),
        KeptLog("early", 1_700_000_000_000, ["b@1"], "won"),
    ]
    assert tried == (True, "")
