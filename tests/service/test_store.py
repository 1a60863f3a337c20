"""What the service asks of its store, of every store: Valkey and Redis, with both ways of writing to disk."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from fudaba_service.store import Answer, Appended, MatchGone, Premiere, Showing, Store, StoredMatch, keys, match_keys
from fudaba_service.store.keys import BUCKETS_COUNT
from tests.support.patience import until
from tests.support.service.processes import RedisServer
from tests.support.service.proxy import Proxy
from tests.support.service.stores import HOUR_MS, STORED, append, created, emptied, log, new_id, opened


@pytest.fixture
async def store(server: RedisServer) -> AsyncIterator[Store]:
    """Yields an empty store."""
    async with emptied(server) as opened_store:
        yield opened_store


# --- matches


async def test_a_match_is_created_once_and_loaded_as_it_was_stored(store: Store) -> None:
    match_id = new_id()
    raw = StoredMatch(b"h\0\xff", b"\0" * 32, b"\xff" * 16, [])
    assert await store.matches.create(match_id, 1000, 2000, raw)
    assert not await store.matches.create(match_id, 1000, 2000, STORED)
    assert await store.matches.load(match_id, follow=True) == raw
    assert await store.matches.state(match_id) == (b"h\0\xff", 1)
    assert match_id in await store.index.live()
    assert await store.index.overdue(1999) == []
    assert await store.index.overdue(2000) == [match_id]
    await store.index.postpone(match_id, 1999, 9000)
    assert await store.index.overdue(2000) == [match_id], "it was not overdue yet: somebody has moved it"
    await store.index.postpone(match_id, 2000, 5000)
    assert await store.index.overdue(4999) == []


async def test_a_match_that_is_not_there_is_said_to_be_gone(store: Store) -> None:
    match_id = new_id()
    with pytest.raises(MatchGone):
        await store.matches.load(match_id, follow=True)
    assert await append(store, match_id, [], b"a") == 0
    assert await store.matches.state(match_id) is None
    await store.index.postpone(match_id, HOUR_MS, 1)
    assert await store.index.overdue(HOUR_MS) == []


async def test_entries_are_appended_in_order_and_only_to_the_log_that_the_caller_knows(store: Store) -> None:
    match_id = await created(store)
    assert await append(store, match_id, [], b"a", b"b") == 1
    assert await append(store, match_id, [b"a", b"b"], b"\0\r\n", state=b"2") == 1
    assert await log(store, match_id) == [b"a", b"b", b"\0\r\n"]
    assert await store.matches.state(match_id) == (b"header", 2)


@pytest.mark.parametrize(
    ("known", "answer"),
    [
        ([], [3, b"a", b"b", b"c"]),
        ([b"a"], [3, b"b", b"c"]),
        ([b"a", b"b"], [3, b"c"]),
        ([b"x"], -1),
        ([b"a", b"b", b"x"], -1),
        ([b"a", b"b", b"c", b"d"], -1),
    ],
)
async def test_a_log_that_the_caller_does_not_know_is_not_changed_and_its_rest_is_told(
    store: Store, known: list[bytes], answer: Answer
) -> None:
    match_id = await created(store, b"a", b"b", b"c")
    assert await append(store, match_id, known, b"e") == answer
    assert await log(store, match_id) == [b"a", b"b", b"c"]


async def test_of_two_appends_to_the_same_log_one_wins_and_the_other_is_told_the_winners(
    server: RedisServer, store: Store
) -> None:
    match_id = await created(store, b"a")
    async with opened(server.url, "two") as other:
        answers = await asyncio.gather(append(store, match_id, [b"a"], b"one"), append(other, match_id, [b"a"], b"two"))
    entries = await log(store, match_id)
    assert len(entries) == 2
    assert sorted(answers, key=str) == [1, [2, entries[1]]]


async def test_appends_of_many_matches_in_one_batch_each_get_their_own_answer(store: Store) -> None:
    matches = [await created(store, b"a") for _ in range(50)]
    gone = new_id()
    answers = await asyncio.gather(
        *[append(store, m, [b"a"] if n % 3 else [], f"{n}".encode(), b"x" * n) for n, m in enumerate(matches)],
        append(store, gone, [b"a"], b"b"),
    )
    assert answers == [1 if n % 3 else [1, b"a"] for n in range(50)] + [0]
    for n, match_id in enumerate(matches):
        assert await log(store, match_id) == ([b"a", f"{n}".encode(), b"x" * n] if n % 3 else [b"a"])


async def test_other_replicas_that_follow_a_match_are_told_of_new_entries_and_the_author_is_not(
    server: RedisServer, store: Store
) -> None:
    match_id, other_match = await created(store), await created(store)
    heard: dict[str, list[str | list[Appended]]] = {"one": [], "two": []}

    async def hear(listener: Store) -> None:
        async for news in listener.replicas.listen():
            heard[listener.replica].append(news)

    async with opened(server.url, "two") as two:
        listening = [asyncio.create_task(hear(s)) for s in (store, two)]
        await until(lambda: heard["one"] and heard["two"])
        await store.matches.load(match_id, follow=True)
        await two.matches.load(match_id, follow=True)
        await two.matches.load(other_match, follow=False)
        await append(store, match_id, [], b"a", b"b")
        await append(store, match_id, [b"a", b"b"], b"c\x00")
        await append(store, other_match, [], b"a")
        await store.replicas.tell("hello all")
        await until(lambda: all("hello all" in news for news in heard.values()))
        for task in listening:
            task.cancel()
        await asyncio.gather(*listening, return_exceptions=True)
    assert heard["one"] == ["", "hello all"]
    first, second = Appended(match_id, 0, b"", [b"a", b"b"]), Appended(match_id, 2, b"b", [b"c\x00"])
    assert heard["two"] == ["", [first], [second], "hello all"]


async def test_a_finished_match_leaves_the_store_and_its_id_stays_taken(server: RedisServer, store: Store) -> None:
    match_id = await created(store, b"a", b"b")
    await store.index.offer(match_id, ["x/1", "y/1"])
    await store.matches.load(match_id, follow=True)
    assert await store.matches.finish(match_id, ["x/1", "y/1"], 2, b"b") == 1
    assert await store.matches.finish(match_id, ["x/1", "y/1"], 2, b"b") == 0
    with pytest.raises(MatchGone):
        await store.matches.load(match_id, follow=True)
    assert await append(store, match_id, [b"a", b"b"], b"c") == 0
    assert not await store.matches.create(match_id, 1, 1, STORED)
    assert match_id not in await store.index.live()
    assert await store.index.overdue(10**15) == []
    assert await store.index.matches_of("x/1") == []
    with server.client() as client:
        left: Any = client.keys(f"*{match_id}*")
    assert left == [match_keys(match_id).gone.encode()]


@pytest.mark.parametrize(("length", "tail"), [(1, b"a"), (2, b"x"), (3, b"b")])
async def test_a_match_whose_log_is_not_the_archived_one_stays_in_the_store(
    store: Store, length: int, tail: bytes
) -> None:
    match_id = await created(store, b"a", b"b")
    assert await store.matches.finish(match_id, [], length, tail) == -1
    assert await log(store, match_id) == [b"a", b"b"]
    assert match_id in await store.index.live()


async def test_matches_spread_over_all_buckets_are_all_found(store: Store) -> None:
    matches = {await created(store) for _ in range(8 * BUCKETS_COUNT)}
    assert set(await store.index.live()) == matches
    assert set(await store.index.overdue(store.now_ms() + 2 * HOUR_MS)) == matches


async def test_offers_are_kept_for_each_bot_and_withdrawn(store: Store) -> None:
    await store.index.offer("m2", ["x/1", "y/1"])
    await store.index.offer("m1", ["x/1"])
    assert await store.index.matches_of("x/1") == ["m1", "m2"]
    assert await store.index.matches_of("y/1") == ["m2"]
    assert await store.index.withdraw_offers("m2", ["x/1"])
    assert await store.index.matches_of("x/1") == ["m1"]


async def test_hidden_matches_are_known_until_they_are_released_once(store: Store) -> None:
    await store.index.hide("m1", "a")
    await store.index.hide("m2", "b")
    assert await store.index.hidden(["m1", "m2", "m3"]) == [True, True, False]
    assert await store.index.release(["m1", "m3"]) == 1
    assert await store.index.release(["m1"]) == 0
    assert await store.index.release([]) == 0
    assert await store.index.hidden(["m1", "m2"]) == [False, True]
    assert await store.index.hidden([]) == []


async def test_a_match_is_kept_back_as_long_as_any_attempt_at_its_creation_keeps_it_back(store: Store) -> None:
    async def hidden() -> bool:
        return (await store.index.hidden(["m1"]))[0]

    await store.index.unhide("m1", "a")
    for attempt in ("a", "b", "a"):
        await store.index.hide("m1", attempt)
    await store.index.unhide("m1", "a")
    await store.index.unhide("m1", "c")
    assert await hidden()
    await store.index.unhide("m1", "b")
    assert not await hidden()
    await store.index.hide("m1", "a")
    assert await store.index.release(["m1"]) == 1
    await store.index.hide("m1", "b")
    await store.index.unhide("m1", "b")
    assert not await hidden(), "an attempt from before the release keeps it back"


VISIBLE = Showing(hidden=False, delay_ms=0)


async def test_what_was_released_before_is_hidden_by_no_later_premiere(store: Store) -> None:
    now_ms = store.now_ms()
    await store.index.hide("m1", "a", 5)
    await store.index.hide("m2", "b")
    assert await store.index.showings(["m1", "m2", "m3"]) == [
        Showing(hidden=True, delay_ms=5),
        Showing(hidden=True, delay_ms=0),
        VISIBLE,
    ]
    assert await store.index.release(["m1", "m2"], {"m1": Premiere(7, now_ms + HOUR_MS)}) == 2
    assert await store.index.showings(["m1", "m2"]) == [Showing(hidden=True, delay_ms=7, premiere=True), VISIBLE]
    later = {name: Premiere(9, now_ms + HOUR_MS) for name in ("m1", "m2")}
    assert await store.index.release(["m1", "m2"], later) == 0
    assert await store.index.showings(["m1", "m2"]) == [Showing(hidden=True, delay_ms=7, premiere=True), VISIBLE]


async def test_what_has_been_shown_to_its_end_is_visible_and_forgotten(store: Store) -> None:
    await store.index.hide("m1", "a", 5)
    assert await store.index.release(["m1"], {"m1": Premiere(5, store.now_ms() - 1)}) == 1
    assert await store.index.showings(["m1"]) == [VISIBLE]
    await store.index.hide("m2", "a", 5)
    await store.index.unhide("m2", "a")
    assert await store.index.showings(["m2"]) == [VISIBLE]


async def test_what_an_earlier_release_kept_back_stays_so_when_an_attempt_at_its_creation_fails(
    store: Store, server: RedisServer
) -> None:
    with server.client() as client:
        client.sadd(keys.HIDDEN, "m1")
        await store.index.hide("m1", "a")
        await store.index.unhide("m1", "a")
        assert await store.index.hidden(["m1"]) == [True]
        assert await store.index.release(["m1"]) == 1
        assert not client.exists(keys.HIDDEN, keys.HIDING)


# --- bots and tokens


async def test_an_invitation_is_taken_once_and_says_how_long_it_would_have_been_valid(store: Store) -> None:
    await store.accounts.put_invitation("digest", HOUR_MS)
    assert 0 < await store.accounts.take_invitation("digest") <= HOUR_MS
    assert await store.accounts.take_invitation("digest") == 0
    assert await store.accounts.take_invitation("another") == 0


async def test_bots_are_swapped_only_when_nobody_else_did_it_before(store: Store) -> None:
    assert await store.bots.get("x") is None
    assert await store.bots.swap("x", None, b"1")
    assert not await store.bots.swap("x", None, b"2")
    assert not await store.bots.swap("x", b"0", b"2")
    assert not await store.bots.swap("x", None, b"1")  # what is there already is not this caller's
    assert await store.bots.swap("x", b"1", b"\xff2")
    assert await store.bots.get("x") == b"\xff2"
    assert await store.bots.swap("a", None, b"3")
    assert list((await store.bots.all()).values()) == [b"3", b"\xff2"]


async def test_tokens_are_known_by_their_digest_until_they_are_dropped(store: Store) -> None:
    await store.tokens.put("d1", b"one", 0)
    await store.tokens.put("d2", b'{"account": "ann"}', 0)
    assert await store.tokens.find("d1") == (b"one", b"")
    assert await store.tokens.find("d2") == (b'{"account": "ann"}', b"")
    assert await store.tokens.find("d3") is None
    assert await store.tokens.all() == {"d1": b"one", "d2": b'{"account": "ann"}'}
    await store.tokens.used("d1", 5, "10.0.0.1")
    await store.tokens.used("d3", 5, "10.0.0.1")
    assert await store.tokens.uses(["d1", "d2", "d3"]) == [(5, "10.0.0.1"), (0, ""), (0, "")]
    assert await store.tokens.drop(["d1", "d3"]) == 1
    assert await store.tokens.drop([]) == 0
    assert await store.tokens.find("d1") is None
    assert await store.tokens.uses(["d1"]) == [(0, "")]


async def test_a_token_that_expired_long_ago_is_forgotten_when_others_are_made(store: Store) -> None:
    now_ms = store.now_ms()
    await store.tokens.put("long ago", b"one", now_ms - 2 * 24 * HOUR_MS)
    await store.tokens.put("just now", b"two", now_ms - 1)
    await store.tokens.put("new", b"three", now_ms + HOUR_MS)
    assert set(await store.tokens.all()) == {"just now", "new"}


async def test_a_token_is_replaced_once(store: Store) -> None:
    await store.tokens.put("old", b"one", 0)
    assert await store.tokens.replace("old", "new", b"one", 0, "")
    assert await store.tokens.replace("old", "new", b"one", 0, "")  # sent again after a lost reply
    assert not await store.tokens.replace("old", "newer", b"one", 0, "")
    assert set(await store.tokens.all()) == {"new"}


# --- replicas


async def test_all_replicas_share_the_stores_clock(store: Store) -> None:
    before, there, after = time.time() * 1000, store.now_ms(), time.time() * 1000
    assert before - 1_000 < there < after + 1_000


async def test_an_answer_that_was_long_on_its_way_does_not_put_the_clock_back(store: Store, proxy: Proxy) -> None:
    async with opened(f"redis://{proxy.address}/0", "two") as far:
        proxy.delay = 1.0
        await far.replicas.beat()
        before, there, after = store.now_ms(), far.now_ms(), store.now_ms()
        assert before - 500 < there < after + 500
