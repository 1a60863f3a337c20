"""What the arena's store promises, on every server that it may have."""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from fudaba.valkey import EmbeddedValkey
from fudaba_arena.store import MatchResult, Store, StoreUnavailable, VoidBlock
from tests.arena.running import until

DEFINITION = {"game": "naga", "blocks": 2, "bot a": {"version": "1"}}
MASTER = bytes(range(32))
RESULT = MatchResult("t-b0-a", 0, 0, ("a", "b"), (1, -1), "b", "timeouts", 1_700_000_000_000)
VOID = VoidBlock(0, 0, "no_show", "t-b0-a", ("b",), 1_700_000_000_000)


@pytest.fixture(scope="module", params=["embedded", "redis-server"])
def url(request: pytest.FixtureRequest, need_tool: Callable[[str], Path]) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="fudaba-test-") as place:
        if request.param == "embedded":
            with EmbeddedValkey(Path(place) / "store") as server:
                yield server.url
            return
        path = Path(place) / "redis.sock"
        command = [need_tool("redis-server"), "--port", "0", "--unixsocket", path, "--save", "", "--dir", place]
        with subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 60
            while not path.exists():
                assert time.monotonic() < deadline, "redis-server does not start"
                time.sleep(0.01)
            yield f"unix://{path}"
            process.terminate()


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    opened = Store(url)
    await opened.connect()
    yield opened
    await opened._redis.flushall()
    await opened.close()


async def test_a_tournament_is_begun_once_and_keeps_its_first_definition_and_master(store: Store) -> None:
    assert await store.load("t") is None
    await store.begin("t", DEFINITION, MASTER)
    await store.begin("t", {"game": "other"}, bytes(32))
    stored = await store.load("t")
    assert stored is not None
    assert stored.definition == DEFINITION
    assert stored.master == MASTER
    assert (stored.results, stored.finished, stored.void, stored.created, stored.released) == ({}, {}, {}, set(), set())
    assert (stored.withdrawn, stored.no_shows, stored.pardons, stored.alive_ms, stored.closed) == ({}, {}, 0, 0, False)
    assert await store.tournaments() == ("t",)


async def test_tournaments_of_one_store_do_not_touch_each_other(store: Store) -> None:
    for name in ("t", "u"):
        await store.begin(name, DEFINITION, MASTER)
    await store.store_result("t", RESULT)
    await store.store_void("t", VOID)
    await store.withdraw("t", "b", "why")
    other = await store.load("u")
    assert other is not None
    assert (other.results, other.void, other.withdrawn, other.no_shows) == ({}, {}, {}, {})
    assert await store.tournaments() == ("t", "u")


async def test_a_result_is_stored_once_however_often_and_by_how_many(store: Store) -> None:
    await store.begin("t", DEFINITION, MASTER)
    answers = await asyncio.gather(*(store.store_result("t", RESULT) for _ in range(20)))
    assert sorted(answers) == [False] * 19 + [True]
    other = MatchResult("t-b0-a", 0, 0, ("a", "b"), (-1, 1))
    assert not await store.store_result("t", other)
    stored = await store.load("t")
    assert stored is not None
    assert stored.results == {"t-b0-a": RESULT}
    assert await store._redis.xlen("fudaba-arena:{t}:results") == 1


async def test_more_results_than_a_page_are_all_read(store: Store) -> None:
    await store.begin("t", DEFINITION, MASTER)
    results = [MatchResult(f"t-b{n}-a", n, 0, ("a", "b"), (1, -1)) for n in range(2001)]
    await asyncio.gather(*(store.store_result("t", result) for result in results))
    stored = await store.load("t")
    assert stored is not None
    assert stored.results == {result.match_id: result for result in results}


async def test_a_block_is_finished_or_void_but_never_both(store: Store) -> None:
    await store.begin("t", DEFINITION, MASTER)
    assert await store.store_finished("t", 1, ["t-b1-a", "t-b1-b"])
    assert not await store.store_finished("t", 1, ["t-b1-a"])
    assert not await store.store_void("t", VoidBlock(1, 1, "lost", "t-b1-a", ()))
    assert await store.store_void("t", VOID)
    assert not await store.store_void("t", VoidBlock(0, 0, "lost", "t-b0-a", ()))
    assert not await store.store_finished("t", 0, ["t-b0-a"])
    stored = await store.load("t")
    assert stored is not None
    assert stored.finished == {1: ("t-b1-a", "t-b1-b")}
    assert stored.void == {0: VOID}


async def test_no_shows_are_counted_once_a_block_until_the_bot_plays(store: Store) -> None:
    await store.begin("t", DEFINITION, MASTER)

    async def no_shows() -> dict[str, int]:
        stored = await store.load("t")
        assert stored is not None
        return stored.no_shows

    for _ in range(3):
        await store.store_void("t", VOID)
    assert await no_shows() == {"b": 1}
    await store.store_void("t", VoidBlock(2, 0, "no_show", "t-b2-a", ("b", "c")))
    await store.store_void("t", VoidBlock(4, 0, "organiser", "t-b4-a", ("b",)))
    assert await no_shows() == {"b": 2, "c": 1}
    await store.store_result("t", RESULT)
    assert await no_shows() == {"c": 1}


async def test_what_a_run_notes_is_there_for_the_next(store: Store) -> None:
    await store.begin("t", DEFINITION, MASTER)
    for _ in range(2):
        await store.store_created("t", "t-b0-a")
        await store.store_released("t", 7)
        await store.withdraw("t", "b", "it fell")
        await store.store_attempts("t", 5)
        await store.beat("t", 1234)
        await store.close_tournament("t")
    stored = await store.load("t")
    assert stored is not None
    assert (stored.created, stored.released, stored.withdrawn) == ({"t-b0-a"}, {7}, {"b": "it fell"})
    assert (stored.attempts, stored.alive_ms, stored.closed) == (5, 1234, True)


async def test_a_pardon_lets_withdrawn_bots_play_and_forgets_no_void_block(store: Store) -> None:
    await store.begin("t", DEFINITION, MASTER)
    await store.store_void("t", VOID)
    await store.withdraw("t", "b", "it fell")
    await store.pardon("t")
    stored = await store.load("t")
    assert stored is not None
    assert (stored.withdrawn, stored.no_shows, stored.pardons, stored.void) == ({}, {}, 1, {0: VOID})


async def test_one_arena_at_a_time_plays_a_tournament(store: Store) -> None:
    assert await store.claim("t", "one", 60)
    assert await store.claim("t", "one", 60)
    assert not await store.claim("t", "two", 60)
    await store.disclaim("t", "two")
    assert not await store.claim("t", "two", 60)
    await store.disclaim("t", "one")
    assert await store.claim("t", "two", 0.05)
    await until(lambda: store.claim("t", "one", 60), "the claim runs out")


async def test_a_store_that_is_not_there_is_told_as_such(tmp_path: Path) -> None:
    store = Store(f"unix://{tmp_path}/none.sock")
    with pytest.raises(StoreUnavailable, match=r"the arena's store cannot be reached"):
        await store.connect()
    with pytest.raises(StoreUnavailable):
        await store.store_result("t", RESULT)
    await store.close()


async def test_a_cancelled_operation_ends_at_once_however_it_is_timed(store: Store) -> None:
    for turns in range(40):
        task = asyncio.create_task(store.beat("t", turns))
        for _ in range(turns):
            await asyncio.sleep(0)
        cancelled = task.cancel()
        await asyncio.wait([task])
        assert task.cancelled() == cancelled
