"""A store that has lost all that it had is noticed, and not begun anew unasked."""

from __future__ import annotations

import asyncio
from typing import Any, cast, final

import pytest

from fudaba.client import Endpoint
from fudaba_arena.errors import ArenaError
from fudaba_arena.play.service import one_service
from fudaba_arena.play.service.one_service import OneService
from fudaba_arena.store.data_folder import DataFolder, open_to_play
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE
from tests.support.service.processes import RedisServer

EMPTY = r"the arena's store is empty, .* delete .*/service.id"


@final
class Known:
    """A service that says who it is."""

    endpoint = Endpoint("unix:/nowhere", "")

    async def service_id(self, seconds: float) -> str:
        del seconds
        return "first"


def check_of(home: DataFolder, moved_to: str = "") -> OneService:
    return OneService(home, cast(Any, Known()), moved_to, print)


async def test_an_arena_does_not_go_on_with_a_store_that_came_back_empty_unless_it_is_to_begin_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(one_service, "_POLL_SECONDS", 0.01)
    with short_folder() as place, RedisServer(place) as redis:
        url = redis.start().url
        async with open_to_play(place / "data", url, print) as home:
            await check_of(home).check()
            with redis.client() as client:
                client.flushall()
            with pytest.raises(ArenaError, match=EMPTY):
                await asyncio.wait_for(check_of(home).watch(checked=True), PATIENCE)
        async with open_to_play(place / "data", url, print) as home:
            with pytest.raises(ArenaError, match=EMPTY):
                await check_of(home).check()
            assert await home.store.service.noted() == ""
            with pytest.raises(ArenaError, match=EMPTY):  # the option may be set for good
                await check_of(home, moved_to="first").check()
            home.service_note.unlink()
            await check_of(home, moved_to="first").check()
            assert await home.store.service.noted() == "first"
            await check_of(home).check()
