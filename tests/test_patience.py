"""A wait that fails shows how things stand at its end, not how they stood when it began."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.arena import running
from tests.support.patience import pause_seconds
from tests.support.service import processes


def test_a_wait_in_vain_shows_what_was_said_meanwhile() -> None:
    said: list[str] = []

    def looked() -> bool:
        said.append("a line")
        return False

    with pytest.raises(AssertionError, match=r"it serves: \['a line'\]"):
        running.wait_until(looked, lambda: f"it serves: {said}", seconds=0)


def test_so_does_one_of_a_service_and_one_in_an_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    def looked() -> bool:
        said.append("a line")
        return False

    async def looked_at() -> bool:
        return looked()

    for module in (running, processes):
        monkeypatch.setattr(module, "PATIENCE", 0)
    with pytest.raises(AssertionError, match=r"it serves: \['a line'\]"):
        processes.wait_until(looked, lambda: f"it serves: {said}")
    said.clear()
    with pytest.raises(AssertionError, match=r"it serves: \['a line'\]"):
        asyncio.run(processes.until(looked, lambda: f"it serves: {said}"))
    said.clear()
    with pytest.raises(AssertionError, match=r"it serves: \['a line'\]"):
        asyncio.run(running.until(looked_at, lambda: f"it serves: {said}"))


def test_the_longer_a_test_waits_the_less_often_it_looks_and_never_seldom() -> None:
    pauses = [pause_seconds(waited) for waited in (0, 0.1, 0.5, 1, 10, 300)]
    assert pauses == sorted(pauses)
    assert 0 < pauses[0] < pauses[2] < pauses[-1] == pauses[-2] <= 0.2
