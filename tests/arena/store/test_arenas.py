"""Which arenas use a store."""

from __future__ import annotations

import logging

import pytest

from fudaba_arena.store.arenas import arenas
from fudaba_arena.store.arenas.arenas import Arenas
from fudaba_arena.store.store import Store
from fudaba_serving.process import background
from tests.support.folders import short_folder
from tests.support.patience import until
from tests.support.service.processes import RedisServer


async def test_an_arena_is_known_again_after_an_error_that_nobody_foresaw(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(arenas, "_NOTE_INTERVAL_SECONDS", 0.01)
    monkeypatch.setattr(background, "_FIRST_PAUSE_SECONDS", 0.01)
    note = Arenas._note
    with short_folder() as place, RedisServer(place) as redis:
        store = Store(redis.start().url)
        async with store.arenas.noted("me"):

            async def fails(*_: object) -> None:
                monkeypatch.setattr(Arenas, "_note", note)
                with redis.client() as client:
                    client.flushall()
                raise RuntimeError("unforeseen")

            monkeypatch.setattr(Arenas, "_note", fails)

            async def is_known_again() -> bool:
                return bool(caplog.records) and "me" in await store.arenas.all()

            with caplog.at_level(logging.ERROR):
                await until(is_known_again, "it says again that it is there")
        await store.close()
    [record] = caplog.records
    assert "unexpected error in the background task 'arena_note'" in record.getMessage()
