"""What the arena's store promises, on every server that it may have."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from fudaba_arena.errors import ArenaError
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult, VoidBlock
from fudaba_arena.store.blocks.open_blocks import NoteOutcome
from fudaba_arena.store.sealed import sealed_lists
from fudaba_arena.store.store import Store, StoreUnavailable
from tests.support.arena.store.results import (
    DEFINITION,
    IDS,
    MASTER,
    OTHER,
    RESULT,
    VOID,
    counting,
    loaded,
    store,
    url,
    void,
)
from tests.support.patience import until

__all__ = ["store", "url"]


async def test_a_tournament_is_begun_once_and_keeps_its_first_definition_and_master(store: Store) -> None:
    assert await store.load("t") is None
    await store.begin("t", DEFINITION, MASTER)
    await store.begin("t", {"game": "other"}, bytes(32))
    stored = await store.load("t")
    assert stored is not None
    assert stored.definition == DEFINITION
    assert stored.master == MASTER
    assert (stored.results, stored.created, stored.unreleased, stored.blocks.length) == ({}, set(), set(), 0)
    assert (stored.withdrawn, stored.no_shows, stored.pardons, stored.alive_ms, stored.closed) == ({}, {}, 0, 0, False)
    assert await store.listing.names() == ("t",)


async def test_tournaments_of_one_store_do_not_touch_each_other(store: Store) -> None:
    for name in ("t", "u"):
        await store.begin(name, DEFINITION, MASTER)
    await store.open_blocks.store_result("t", 0, 0, RESULT)
    await store.open_blocks.store_closed("t", void(VOID), 0, IDS)
    await store.open_blocks.store_result("t", 1, 0, MatchResult("t-b1-a", 1, 0, ("a", "b"), (1, -1)))
    await store.withdraw("t", "b", "why")
    other = await loaded(store, "u")
    assert (other.results, other.blocks.void, other.withdrawn, other.no_shows) == ({}, {}, {}, {})
    assert await store.open_blocks.store_result("u", 0, 0, RESULT) is NoteOutcome.STORED
    assert await store.listing.names() == ("t", "u")


async def test_a_result_is_stored_once_however_often_and_by_how_many(store: Store) -> None:
    await store.begin("t", DEFINITION, MASTER)
    answers = await asyncio.gather(*(store.open_blocks.store_result("t", 0, 0, RESULT) for _ in range(20)))
    assert sorted(answer.value for answer in answers) == ["known"] * 19 + ["stored"]
    other = MatchResult("t-b0-a", 0, 0, ("a", "b"), (-1, 1))
    assert await store.open_blocks.store_result("t", 0, 0, other) is NoteOutcome.KNOWN
    assert (await loaded(store)).results == {"t-b0-a": RESULT}


async def test_a_match_of_a_withdrawn_bot_is_not_noted_and_its_result_still_is(store: Store) -> None:
    await store.begin("t", DEFINITION, MASTER)
    await store.withdraw("t", "b", "it ended again and again")
    assert await store.open_blocks.store_created("t", 0, 0, IDS[0], ["a", "b"]) is NoteOutcome.WITHDRAWN
    assert await store.open_blocks.store_created("t", 0, 0, IDS[1], ["a", "c"]) is NoteOutcome.STORED
    assert (await loaded(store)).created == {IDS[1]}
    assert await store.open_blocks.store_result("t", 0, 0, RESULT) is NoteOutcome.STORED
    assert (await loaded(store)).results == {IDS[0]: RESULT}


async def test_a_blocks_results_move_into_its_entry(store: Store) -> None:
    await store.begin("t", DEFINITION, MASTER)
    for result in (RESULT, OTHER):
        await store.open_blocks.store_result("t", 0, 0, result)
    closed = counting(0, RESULT, OTHER)
    assert await store.open_blocks.store_closed("t", closed, 0, IDS)
    stored = await loaded(store)
    assert list(stored.blocks.blocks()) == [closed]
    assert stored.blocks.lines == {0: closed.line()}
    assert (stored.results, stored.created, stored.unreleased) == ({}, set(), {0})
    assert (stored.blocks.counted, stored.blocks.matches, stored.blocks.filled(0)) == (1, 2, True)


async def test_a_block_without_all_its_results_is_not_counted(store: Store) -> None:
    await store.begin("t", DEFINITION, MASTER)
    await store.open_blocks.store_result("t", 0, 0, RESULT)
    await store.open_blocks.store_created("t", 0, 0, "t-b0-b")
    with pytest.raises(ValueError, match="block 0 is said to count, and a match of it has no result"):
        await store.open_blocks.store_closed("t", counting(0, RESULT, OTHER), 0, IDS)
    stored = await loaded(store)
    assert (stored.blocks.length, stored.results, stored.created) == (0, {"t-b0-a": RESULT}, set(IDS))
    left_out = ClosedBlock(0, 0, "naga", (RESULT,), 1)
    assert await store.open_blocks.store_closed("t", left_out, 0, IDS)
    assert list((await loaded(store)).blocks.blocks()) == [left_out]


async def test_what_comes_late_of_an_old_attempt_changes_nothing_and_is_told_so(store: Store) -> None:
    await store.begin("t", DEFINITION, MASTER)
    assert await store.open_blocks.store_result("t", 0, 0, RESULT) is NoteOutcome.STORED
    assert await store.open_blocks.store_closed("t", void(VOID), 0, IDS)
    before = await loaded(store)
    assert await store.open_blocks.store_result("t", 0, 0, OTHER) is NoteOutcome.LATE
    assert await store.open_blocks.store_created("t", 0, 0, "t-b0-b") is NoteOutcome.LATE
    assert not await store.open_blocks.store_closed("t", counting(0, RESULT, OTHER), 0, IDS)
    assert await loaded(store) == before
    assert list(before.blocks.blocks()) == [void(VOID, RESULT)]
    again = MatchResult("t-b2-a", 2, 0, ("a", "b"), (1, -1))
    assert await store.open_blocks.store_result("t", 0, 1, again) is NoteOutcome.STORED
    assert await store.open_blocks.store_closed("t", ClosedBlock(2, 0, "naga", (again,), 1), 1, ["t-b2-a"])
    assert await store.open_blocks.store_result("t", 0, 1, again) is NoteOutcome.LATE


@pytest.mark.exhaustive
async def test_more_blocks_than_a_page_are_all_read_in_the_order_in_which_they_were_closed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealed_lists, "_LINES_PER_PAGE", 500)
    await store.begin("t", DEFINITION, MASTER)
    results = [MatchResult(f"t-b{n}-a", n, 0, ("a", "b"), (1, -1)) for n in range(503)]
    for some in (results[begin : begin + 500] for begin in range(0, len(results), 500)):
        await asyncio.gather(*(store.open_blocks.store_result("t", result.block, 0, result) for result in some))
        await asyncio.gather(
            *(store.open_blocks.store_closed("t", counting(n.block, n), 0, [n.match_id]) for n in some)
        )
    stored = await loaded(store)
    assert [closed.results[0] for closed in stored.blocks.blocks()] == results
    assert (stored.blocks.length, stored.blocks.matches, len(stored.blocks.kinds())) == (503, 503, 1)
    brief = await store.load("t")
    assert brief is not None
    assert (brief.blocks.lines, brief.blocks.kinds()) == (None, stored.blocks.kinds())


async def test_a_block_is_counted_or_void_but_never_both(store: Store) -> None:
    await store.begin("t", DEFINITION, MASTER)
    result = MatchResult("t-b1-a", 1, 0, ("a", "b"), (1, -1))
    await store.open_blocks.store_result("t", 1, 0, result)
    assert await store.open_blocks.store_closed("t", counting(1, result), 0, ["t-b1-a"])
    assert not await store.open_blocks.store_closed("t", counting(1, result), 0, ["t-b1-a"])
    assert not await store.open_blocks.store_closed("t", void(VoidBlock(1, 1, "lost", "t-b1-a", ())), 0, ["t-b1-a"])
    answers = await asyncio.gather(*(store.open_blocks.store_closed("t", void(VOID), 0, IDS) for _ in range(10)))
    assert sorted(answers) == [0] * 9 + [2]
    stored = await loaded(store)
    assert (stored.blocks.length, stored.blocks.counted, stored.blocks.void) == (2, 1, {0: VOID})
    assert stored.blocks.attempts == {0: 1}


async def test_annulled_blocks_stay_and_add_nothing(store: Store) -> None:
    await store.begin("t", DEFINITION, MASTER)
    for number in range(3):
        result = MatchResult(f"t-b{number}-a", number, 0, ("a", "b"), (1, -1))
        await store.open_blocks.store_result("t", number, 0, result)
        await store.open_blocks.store_closed("t", counting(number, result), 0, [result.match_id])
    annulment = Annulment((0, 2), "it ran another\nversion", 1_700_000_000_003)
    await store.annulments.annul("t", annulment)
    stored = await loaded(store)
    noted = replace(annulment, after=3)
    assert stored.blocks.annulled == {0: noted, 2: noted}
    assert (stored.blocks.length, stored.blocks.counted, stored.blocks.matches) == (3, 3, 1)
    assert list(stored.blocks.kinds().values()) == [1]
    assert stored.blocks.filled(0)


async def test_what_is_loaded_has_every_annulment_that_was_noted_before_its_last_block(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.begin("t", DEFINITION, MASTER)
    read_parts = store._read_parts

    async def close(number: int) -> None:
        result = MatchResult(f"t-b{number}-a", number, 0, ("a", "b"), (1, -1))
        await store.open_blocks.store_result("t", number, 0, result)
        await store.open_blocks.store_closed("t", counting(number, result), 0, [result.match_id])

    async def change_and_read_parts(name: str) -> object:
        """Others annul a block and close the next one while the tournament is being loaded."""
        await store.annulments.annul("t", Annulment((0,), "why", 1_700_000_000_003))
        await close(1)
        return await read_parts(name)

    await close(0)
    monkeypatch.setattr(store, "_read_parts", change_and_read_parts)
    blocks = (await loaded(store)).blocks
    assert (blocks.length, blocks.annulled_after(), blocks.point) == (2, (1,), 3)


async def test_what_a_release_from_before_the_sequence_has_stored_is_refused_with_what_to_do(store: Store) -> None:
    await store.begin("t", DEFINITION, MASTER)
    await store._redis.hset("fudaba-arena:{t}:finished", "0", '["t-b0-a"]')
    with pytest.raises(ArenaError, match=r"tournament t was stored by an earlier release.*export it with that release"):
        await store.load("t")


async def test_no_shows_are_counted_once_a_block_until_the_bot_plays(store: Store) -> None:
    await store.begin("t", DEFINITION, MASTER)

    async def no_shows() -> dict[str, int]:
        return (await loaded(store)).no_shows

    for _ in range(3):
        await store.open_blocks.store_closed("t", void(VOID), 0, IDS)
    assert await no_shows() == {"b": 1}
    await store.open_blocks.store_closed("t", void(VoidBlock(2, 0, "no_show", "t-b2-a", ("b", "c"))), 1, ["t-b2-a"])
    await store.open_blocks.store_closed("t", void(VoidBlock(4, 0, "organiser", "t-b4-a", ("b",))), 2, ["t-b4-a"])
    assert await no_shows() == {"b": 2, "c": 1}
    await store.open_blocks.store_result("t", 1, 0, RESULT)
    assert await no_shows() == {"c": 1}


async def test_what_a_run_notes_is_there_for_the_next(store: Store) -> None:
    await store.begin("t", DEFINITION, MASTER)
    for _ in range(2):
        await store.open_blocks.store_created("t", 0, 0, "t-b0-a")
        await store.withdraw("t", "b", "it fell")
        await store.store_attempts("t", 5)
        await store.beat("t", 1234)
        await store.close_tournament("t")
    await store.open_blocks.store_closed("t", void(VoidBlock(3, 1, "lost", "t-b3-a", ())), 0, ["t-b3-a"])
    await store.open_blocks.store_closed("t", void(VoidBlock(4, 2, "lost", "t-b4-a", ())), 0, ["t-b4-a"])
    await store.open_blocks.store_released("t", 3)
    stored = await loaded(store)
    assert (stored.created, stored.unreleased, stored.withdrawn) == ({"t-b0-a"}, {4}, {"b": "it fell"})
    assert (stored.attempts, stored.alive_ms, stored.closed) == (5, 1234, True)


async def test_a_pardon_lets_withdrawn_bots_play_and_forgets_no_void_block(store: Store) -> None:
    await store.begin("t", DEFINITION, MASTER)
    await store.open_blocks.store_closed("t", void(VOID), 0, IDS)
    await store.withdraw("t", "b", "it fell")
    await store.pardon("t", ["b"])
    stored = await loaded(store)
    assert (stored.withdrawn, stored.no_shows, stored.pardons, stored.blocks.void) == ({}, {}, 1, {0: VOID})


async def test_one_arena_at_a_time_plays_a_tournament(store: Store) -> None:
    assert not await store.steering.claim("t", "one", 60)  # nobody has said yet whose the store is
    assert await store.service.take("some service") == "some service"
    assert await store.steering.claim("t", "one", 60)
    assert await store.steering.claim("t", "one", 60)
    assert not await store.steering.claim("t", "two", 60)
    await store.steering.disclaim("t", "two")
    assert not await store.steering.claim("t", "two", 60)
    await store.steering.disclaim("t", "one")
    assert await store.steering.claim("t", "two", 0.05)
    await until(lambda: store.steering.claim("t", "one", 60), "the claim runs out")


async def test_a_store_that_is_not_there_is_told_as_such(tmp_path: Path) -> None:
    store = Store(f"unix://{tmp_path}/none.sock")
    with pytest.raises(StoreUnavailable, match=r"the arena's store cannot be reached"):
        await store.connect()
    with pytest.raises(StoreUnavailable):
        await store.open_blocks.store_result("t", 0, 0, RESULT)
    await store.close()


async def test_a_cancelled_operation_ends_at_once_however_it_is_timed(store: Store) -> None:
    for turns in range(40):
        task = asyncio.create_task(store.beat("t", turns))
        for _ in range(turns):
            await asyncio.sleep(0)
        cancelled = task.cancel()
        await asyncio.wait([task])
        assert task.cancelled() == cancelled
