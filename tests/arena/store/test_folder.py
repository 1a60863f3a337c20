"""An arena's data folder."""

from __future__ import annotations

import shutil
from pathlib import Path

from fudaba_arena.store.folder import open_to_play
from tests.support.service.processes import short_folder


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
