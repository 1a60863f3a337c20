"""The kept announcements: the newest ones, and a bounded number in a day."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest

from fudaba_arena.store.announcements.announcements import (
    MAX_ANNOUNCEMENTS_KEPT,
    MAX_ANNOUNCEMENTS_PER_DAY,
    Announcement,
    Announcements,
    TooManyAnnouncements,
)
from fudaba_arena.store.data_folder import open_to_play

DAY_MS: Final = 24 * 3_600_000
BEGIN_MS: Final = 1_800_000_000_000


@pytest.fixture
async def announcements(tmp_path: Path) -> AsyncIterator[Announcements]:
    async with open_to_play(tmp_path, None, print) as folder:
        yield folder.store.announcements


def numbered(number: int, at_ms: int) -> Announcement:
    return Announcement(f"news-{number}", "", f"the text {number}", at_ms)


async def test_a_day_has_room_for_so_many_also_if_they_are_withdrawn(announcements: Announcements) -> None:
    for number in range(MAX_ANNOUNCEMENTS_PER_DAY):
        await announcements.create(numbered(number, BEGIN_MS + number))
        await announcements.withdraw(f"news-{number}")
    late = numbered(MAX_ANNOUNCEMENTS_PER_DAY, BEGIN_MS + 1_000)
    with pytest.raises(TooManyAnnouncements) as refused:
        await announcements.create(late)
    assert refused.value.retry_ms == BEGIN_MS + DAY_MS
    in_time = numbered(MAX_ANNOUNCEMENTS_PER_DAY, refused.value.retry_ms)
    assert await announcements.create(in_time) == in_time
    assert await announcements.newest_first() == [in_time]


async def test_the_oldest_make_room_for_the_newest(announcements: Announcements) -> None:
    made = [numbered(number, BEGIN_MS + number * DAY_MS) for number in range(MAX_ANNOUNCEMENTS_KEPT + 3)]
    for announcement in made:
        await announcements.create(announcement)
    assert await announcements.newest_first() == made[:2:-1]


async def test_an_announcement_that_cannot_be_read_hides_no_other(announcements: Announcements) -> None:
    made = await announcements.create(numbered(1, BEGIN_MS))
    await announcements._redis.hset("fudaba-arena:{.announcements}:all", "torn", "{")
    assert await announcements.newest_first() == [made]
