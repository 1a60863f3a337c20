"""What the builds of an account may use in a day: time, and bytes, which count as uploaded ones do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fudaba_arena.store.data_folder import open_to_play
from fudaba_arena.store.store import Store
from fudaba_arena.store.submissions.build_use import BuildQuotaUsed
from fudaba_arena.store.submissions.submissions import Quota, TooMuch

_NOW_MS = 1_700_000_000_000
_DAY_MS = 24 * 3_600_000
_MAX_BUILD_MS = 900


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """With room for 1,000 bytes and 1,000 ms in a day."""
    async with open_to_play(tmp_path, None, print) as home:
        await home.store.build_use.set_quota(1_000, 1_000)
        yield home.store


async def begin(store: Store, build: str, now_ms: int, account: str = "ann") -> tuple[int, int, int] | None:
    """Begins a build; returns the figures if it may not begin."""
    try:
        await store.build_use.begin(account, build, now_ms, _MAX_BUILD_MS)
    except BuildQuotaUsed as error:
        return error.used, error.most, error.free_ms
    return None


async def charge(store: Store, build: str, size: int, now_ms: int) -> tuple[int, int, int] | None:
    """Keeps what a build made; returns the figures if it may not be kept."""
    try:
        await store.build_use.charge("ann", build, size, now_ms)
    except BuildQuotaUsed as error:
        return error.used, error.most, error.free_ms
    return None


async def test_builds_of_an_account_take_so_long_in_a_day_and_those_of_others_are_not_held_up(store: Store) -> None:
    for number, took_ms in enumerate((700, 200, 600)):
        assert await begin(store, f"{number}", _NOW_MS + number) is None
        await store.build_use.end("ann", f"{number}", took_ms)
    assert await begin(store, "3", _NOW_MS + 10) == (1_500, 1_000, _NOW_MS + _DAY_MS)
    assert await begin(store, "3", _NOW_MS + 10, "ben") is None
    assert await begin(store, "3", _NOW_MS + _DAY_MS - 1) is not None
    assert await begin(store, "3", _NOW_MS + _DAY_MS) is None


async def test_a_build_that_goes_on_counts_and_one_whose_worker_died_for_the_longest_time(store: Store) -> None:
    assert await begin(store, "dead", _NOW_MS) is None
    assert await begin(store, "dead", _NOW_MS + 500) is None, "who asks twice has one build"
    assert await begin(store, "0", _NOW_MS + 500) is None
    await store.build_use.end("ann", "0", 99)
    assert await begin(store, "1", _NOW_MS + 5_000) is None
    await store.build_use.end("ann", "1", 1)
    assert await begin(store, "2", _NOW_MS + 5_000) == (1_000, 1_000, _NOW_MS + _DAY_MS)


async def test_where_no_build_is_allowed_none_ever_is(store: Store) -> None:
    await store.build_use.set_quota(1_000, 0)
    assert await begin(store, "0", _NOW_MS) == (0, 0, 0)


async def test_what_a_build_makes_counts_among_the_bytes_of_uploads_and_not_as_an_upload(store: Store) -> None:
    async def upload(submission_id: str, size: int, now_ms: int) -> tuple[str, int] | None:
        until_ms, quota = now_ms + 1, Quota(2, 1_000)
        try:
            await store.submissions.create(
                submission_id,
                "ada",
                "ann",
                "what",
                b"same",
                now_ms=now_ms,
                expires_ms=until_ms,
                size=size,
                payer="ann",
                quota=quota,
            )
        except TooMuch as error:
            return error.quota, error.retry_ms
        return None

    assert await upload("one", 100, _NOW_MS) is None
    for _ in range(2):
        assert await charge(store, "one.1", 600, _NOW_MS + 1) is None
    assert await charge(store, "two.1", 400, _NOW_MS + 2) == (700, 1_000, _NOW_MS + _DAY_MS)
    assert await charge(store, "two.1", 1_001, _NOW_MS + 2) == (700, 1_000, 0)
    assert await upload("two", 400, _NOW_MS + 3) == ("bytes", _NOW_MS + _DAY_MS)
    assert await upload("two", 300, _NOW_MS + 3) is None
    assert await upload("three", 1, _NOW_MS + 4) == ("uploads", _NOW_MS + _DAY_MS)


async def test_a_build_is_paid_for_once_however_many_workers_die_at_it(store: Store) -> None:
    for attempt in range(1, 4):
        assert await begin(store, f"one.{attempt}", _NOW_MS + attempt * 2_000) is None, "each may begin"
    assert await begin(store, "two.1", _NOW_MS + 6_100) is None, "100 ms of 1,000 are used: two workers died for nobody"
    await store.build_use.end("ann", "one.1", 999_999)
    assert await begin(store, "one.2", _NOW_MS + 6_200) is None, "a worker that has lost it changes nothing"
    await store.build_use.end("ann", "two.1", 700)
    await store.build_use.end("ann", "one.3", 299)
    assert await begin(store, "three.1", _NOW_MS + 6_300) is None
    await store.build_use.end("ann", "three.1", 1)
    assert await begin(store, "four.1", _NOW_MS + 6_300) == (1_000, 1_000, _NOW_MS + 6_000 + _DAY_MS)
    assert await begin(store, "one.4", _NOW_MS + 6_300) is None, "what the one before took is not paid for"


async def test_what_a_build_makes_counts_once_however_many_workers_die_before_it_is_noted(store: Store) -> None:
    for attempt, size in ((1, 600), (2, 600), (3, 700)):
        assert await charge(store, f"one.{attempt}", size, _NOW_MS + attempt) is None
    assert await charge(store, "one.1", 999, _NOW_MS + 4) is None, "a worker that has lost it changes nothing"
    assert await charge(store, "two.1", 301, _NOW_MS + 5) == (700, 1_000, _NOW_MS + 3 + _DAY_MS)
    assert await charge(store, "two.1", 300, _NOW_MS + 5) is None


async def test_nothing_is_paid_for_where_the_arena_has_given_up(store: Store) -> None:
    assert await begin(store, "one.3", _NOW_MS) is None
    assert await charge(store, "one.3", 1_000, _NOW_MS) is None
    await store.build_use.forgive("ann", "one")
    await store.build_use.forgive("ann", "on")
    assert await begin(store, "two.1", _NOW_MS + 900) is None
    assert await charge(store, "two.1", 1_000, _NOW_MS) is None
    await store.build_use.forgive("ann", "tw")
    assert await charge(store, "three.1", 1, _NOW_MS) == (1_000, 1_000, _NOW_MS + _DAY_MS), "of others all counts"
