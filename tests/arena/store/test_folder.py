"""An arena's data folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fudaba_arena.errors import ArenaError
from fudaba_arena.store.folder import open_to_play
from tests.support.service.processes import RedisServer, short_folder


async def owner(folder: Path) -> str:
    async with open_to_play(folder, None, print) as home:
        return home.owner


async def test_an_arena_stays_who_it_is_and_a_copy_of_its_folder_is_another_one() -> None:
    with short_folder() as place:
        first = await owner(place / "one")
        assert await owner(place / "one") == first
        shutil.copytree(place / "one", place / "two")
        assert await owner(place / "two") != first
        (place / "one").rename(place / "moved")
        assert await owner(place / "moved") == first


async def test_a_url_with_tls_that_leads_to_a_port_without_says_so() -> None:
    with short_folder() as place, RedisServer(place) as redis:
        url = redis.start().url.replace("redis://", "rediss://")
        with pytest.raises(ArenaError, match=r"talks without TLS there: write redis:// instead of rediss://$"):
            async with open_to_play(place / "data", url, print):
                pass
