"""What the store promises of blocks that workers have, on every server that it may have."""

from __future__ import annotations

import asyncio
import json

from redis import Redis

from fudaba_arena.store.answers import key
from fudaba_arena.store.blocks.open_blocks import NoteOutcome
from fudaba_arena.store.leases.handed_out import Lease, NotTaken
from fudaba_arena.store.store import Store
from fudaba_arena.store.workers.known_workers import PLAYING, KnownWorker
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

WHAT = '{"matches": [{"match_id": "t-b0-a"}, {"match_id": "t-b0-b"}]}'
"""What is to be played, as far as the store looks into it."""
LONG_LEASE_MS = 600_000
"""A lease that does not run out in a test, in milliseconds."""


async def handed_out(store: Store, number: int = 0) -> None:
    await store.begin("t", DEFINITION, MASTER)
    await store.handed_out.hand_out("t", number, 0, 0, WHAT)


async def take(store: Store, worker: str, attempt: int = 0, lease_ms: int = LONG_LEASE_MS) -> Lease | NotTaken:
    return await store.handed_out.take("t", 0, attempt, worker, lease_ms)


async def test_one_worker_at_a_time_has_a_block(store: Store) -> None:
    await handed_out(store)
    leases = await asyncio.gather(*(take(store, f"w{number}") for number in range(8)))
    taken = [lease for lease in leases if isinstance(lease, Lease)]
    assert [(lease.spec_text, lease.begun, lease.last_ms) for lease in taken] == [(WHAT.encode(), 1, 0)]
    assert leases.count(NotTaken.HELD) == 7


async def test_a_worker_is_told_what_is_known_of_the_matches_of_a_block_that_it_takes(store: Store) -> None:
    await handed_out(store)
    first = await take(store, "w")
    assert isinstance(first, Lease)
    assert first.matches(0, IDS) == {}
    await store.open_blocks.store_result("t", 0, 0, RESULT)
    await store.open_blocks.store_created("t", 0, 0, IDS[1])
    assert await store.handed_out.end("t", 0, "w", None)
    second = await take(store, "other")
    assert isinstance(second, Lease)
    assert second.matches(0, IDS) == {IDS[0]: RESULT, IDS[1]: None}


async def test_when_a_worker_is_silent_another_has_its_block_and_the_first_one_has_lost_it(store: Store) -> None:
    await handed_out(store)
    first = await take(store, "silent", lease_ms=1)

    async def second() -> Lease | None:
        found = await take(store, "heir")
        return found if isinstance(found, Lease) else None

    heir = await until(second, "the lease runs out")
    assert isinstance(first, Lease)
    assert (heir.begun, heir.last_ms) == (2, first.now_ms)
    assert not await store.handed_out.keep([("t", 0)], "silent", LONG_LEASE_MS)
    assert not await store.handed_out.end("t", 0, "silent", "{}")
    assert await store.handed_out.keep([("t", 0)], "heir", LONG_LEASE_MS)
    assert (await store.handed_out.progress("t", [0]))[0].end is None


async def test_a_worker_that_is_late_keeps_what_nobody_took_meanwhile(store: Store) -> None:
    await handed_out(store)
    await take(store, "late", lease_ms=1)

    async def free() -> bool:
        return not (await store.handed_out.progress("t", [0]))[0].held

    await until(free, "the lease runs out")
    assert await store.handed_out.keep([("t", 0)], "late", LONG_LEASE_MS)
    assert await take(store, "other") is NotTaken.HELD


async def test_how_a_block_ended_is_noted_once_and_told_once(store: Store) -> None:
    await handed_out(store)
    await take(store, "w")
    assert await store.handed_out.end("t", 0, "w", '{"one": 1}')
    assert not await store.handed_out.end("t", 0, "w", '{"two": 2}')
    assert not await store.handed_out.keep([("t", 0)], "w", LONG_LEASE_MS)
    assert await take(store, "other") is NotTaken.OVER
    assert (await store.handed_out.progress("t", [0]))[0].end == '{"one": 1}'
    assert await store.handed_out.ended("t") == [0]
    assert await store.handed_out.ended("t") == []


async def test_a_block_that_was_left_is_begun_as_if_it_never_had_been(store: Store) -> None:
    await handed_out(store)
    await take(store, "w")
    assert await store.handed_out.end("t", 0, "w", None)
    again = await take(store, "other")
    assert isinstance(again, Lease)
    assert again.begun == 1


async def test_what_the_organiser_has_mended_is_begun_as_if_it_never_had_been(store: Store) -> None:
    await handed_out(store)
    for _ in range(4):
        lease = await take(store, "w")
        assert isinstance(lease, Lease)
        assert lease.begun == 1
        assert await store.handed_out.end("t", 0, "w", '{"fault": "no such folder"}')
        await store.handed_out.again("t", 0, WHAT)
        assert not await store.handed_out.end("t", 0, "w", '{"too": "late"}')
        assert not await store.handed_out.keep([("t", 0)], "w", LONG_LEASE_MS)


async def test_what_comes_late_of_an_attempt_that_was_reset_changes_nothing(store: Store) -> None:
    await handed_out(store)
    await take(store, "w")
    assert await store.open_blocks.store_result("t", 0, 0, RESULT) is NoteOutcome.STORED
    assert await store.open_blocks.store_closed("t", void(VOID, RESULT), 0, IDS)
    assert await store.open_blocks.store_result("t", 0, 0, OTHER) is NoteOutcome.LATE
    assert not await store.handed_out.keep([("t", 0)], "w", LONG_LEASE_MS)
    assert not await store.handed_out.end("t", 0, "w", "{}")
    assert await take(store, "other") is NotTaken.OVER
    await store.handed_out.hand_out("t", 0, 0, 0, WHAT)
    assert await store.handed_out.numbers("t") == set()
    assert (await loaded(store)).handed_out == set()


async def test_a_closed_block_is_handed_out_no_more(store: Store) -> None:
    await handed_out(store)
    await store.open_blocks.store_result("t", 0, 0, RESULT)
    assert await store.handed_out.known("t", 0, IDS) == {IDS[0]: RESULT}
    await store.open_blocks.store_created("t", 0, 0, IDS[1])
    assert await store.handed_out.known("t", 0, IDS) == {IDS[0]: RESULT, IDS[1]: None}
    assert (await loaded(store)).handed_out == {0}
    await store.open_blocks.store_result("t", 0, 0, OTHER)
    assert await store.open_blocks.store_closed("t", counting(0, RESULT, OTHER), 0, IDS)
    assert await store.handed_out.progress("t", [0]) == {}
    assert (await loaded(store)).handed_out == set()


async def test_nobody_takes_a_block_of_a_tournament_that_is_not_played(store: Store) -> None:
    await handed_out(store)
    for wanted in ("paused", "closed"):
        await store.steering.want("t", wanted)
        assert await take(store, "w") is NotTaken.PAUSED
    await store.steering.want("t", "playing")
    await store.close_tournament("t")
    assert await take(store, "w") is NotTaken.PAUSED


async def test_a_block_is_taken_back_as_long_as_nobody_has_begun_it(store: Store) -> None:
    await handed_out(store)
    assert await store.handed_out.recall("t", 0)
    assert await take(store, "w") is NotTaken.OVER
    assert await store.handed_out.numbers("t") == set()
    await handed_out(store)
    await take(store, "w")
    assert not await store.handed_out.recall("t", 0)
    await store.handed_out.end("t", 0, "w", None)
    assert not await store.handed_out.recall("t", 0)


async def test_a_block_that_is_handed_on_is_another_worker_s_as_if_it_had_not_been_begun(store: Store) -> None:
    await handed_out(store)
    await take(store, "w")
    await store.open_blocks.store_result("t", 0, 0, RESULT)
    assert await store.handed_out.hand_on("t", 0, "w", "host-a", "to-others/1")
    progress = (await store.handed_out.progress("t", [0]))[0]
    assert (progress.held, progress.worker, progress.host) == (False, "", "host-a")
    assert (progress.message, progress.end) == ("to-others/1", None)
    assert not await store.handed_out.keep([("t", 0)], "w", LONG_LEASE_MS)
    assert not await store.handed_out.end("t", 0, "w", "{}")
    other = await take(store, "other")
    assert isinstance(other, Lease)
    assert (other.begun, other.handed_on) == (1, True)
    assert other.matches(0, IDS) == {IDS[0]: RESULT}
    assert not await store.handed_out.recall("t", 0)


async def test_only_the_worker_that_has_a_block_hands_it_on_and_once(store: Store) -> None:
    await handed_out(store)
    assert not await store.handed_out.hand_on("t", 0, "w", "host-a", "lost/1")
    await take(store, "w")
    assert not await store.handed_out.hand_on("t", 0, "thief", "host-a", "lost/1")
    assert await store.handed_out.hand_on("t", 0, "w", "host-a", "to-others/1")
    assert not await store.handed_out.hand_on("t", 0, "w", "host-a", "again/1")
    assert (await store.handed_out.progress("t", [0]))[0].message == "to-others/1"
    await take(store, "other")
    assert await store.handed_out.end("t", 0, "other", "{}")
    assert not await store.handed_out.hand_on("t", 0, "other", "host-b", "late/1")


async def test_who_takes_a_block_from_a_dead_worker_does_not_take_it_for_handed_on(store: Store) -> None:
    """Nobody knows what the dead one had in play. It may have been one of an earlier release, which leaves the mark."""
    await handed_out(store)
    await take(store, "w")
    await store.handed_out.hand_on("t", 0, "w", "host-a", "to-others/1")
    with Redis.from_url(store.url) as client:
        mark = client.hget(key("t", "block:0"), "handed_on")
        assert isinstance(await take(store, "dead", lease_ms=1), Lease)
        client.hset(key("t", "block:0"), "handed_on", mark or b"")

    async def heir() -> Lease | None:
        found = await take(store, "heir")
        return found if isinstance(found, Lease) else None

    found = await until(heir, "the lease runs out")
    assert isinstance(found, Lease)
    assert (found.begun, found.handed_on) == (2, False)
    assert found.last_ms > 0


async def test_of_each_worker_it_is_known_on_which_host_it_is_and_an_earlier_release_reads_the_rest(
    store: Store,
) -> None:
    worker = KnownWorker("w", PLAYING, "", 0, 8, 0, 8, 15.0, host="rack-1", waiting=3)
    await store.workers.note(worker)
    [found] = await store.workers.all()
    assert (found.host, found.waiting) == ("rack-1", 3)
    with Redis.from_url(store.url) as client:
        said = client.hget("fudaba-arena:workers", "w")
        assert isinstance(said, bytes)
        assert not {"host", "waiting"} & json.loads(said.partition(b"\n")[2]).keys()
        client.delete("fudaba-arena:worker-hosts")  # as one of an earlier release, which says nothing of it
    [found] = await store.workers.all()
    assert (found.host, found.waiting, found.address) == ("", 0, "")
    await store.workers.forget(["w"])
    assert await store.workers.all() == []
