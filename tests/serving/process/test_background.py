"""A background task outlives an error that nobody foresaw."""

from __future__ import annotations

import asyncio
import logging

import pytest

from fudaba_serving.process import background
from fudaba_serving.process.background import restarted


async def test_an_unexpected_error_is_logged_and_counted_and_the_task_begins_again(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_FIRST_PAUSE_SECONDS", 0.0)
    begun: list[int] = []
    failures: list[int] = []

    async def work() -> None:
        begun.append(len(begun))
        if len(begun) < 3:
            raise KeyError("unforeseen")

    with caplog.at_level(logging.ERROR):
        await restarted("notes", work, lambda: failures.append(len(begun)))
    assert (begun, failures) == ([0, 1, 2], [1, 2]), "a task that returns is over"
    for record in caplog.records:
        assert "unexpected error in the background task 'notes'; restarting it in 0 s" in record.getMessage()
        assert record.exc_info is not None
    assert len(caplog.records) == 2


async def test_pauses_grow_to_a_bound_and_shrink_after_a_sound_run(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    sleep = asyncio.sleep

    async def slept(seconds: float) -> None:
        pauses.append(seconds)
        await sleep(0)

    async def work() -> None:
        if len(pauses) == 7:
            monkeypatch.setattr(background, "_SOUND_SECONDS", 0.0)
        if len(pauses) < 9:
            raise ValueError

    monkeypatch.setattr(asyncio, "sleep", slept)
    await restarted("notes", work)
    assert pauses == [1, 2, 4, 8, 16, 30, 30, 1, 1]
    assert len(caplog.records) == 9


async def test_a_task_that_is_cancelled_ends() -> None:
    task = asyncio.create_task(restarted("notes", asyncio.Event().wait))  # type: ignore[arg-type]  # it never returns
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
