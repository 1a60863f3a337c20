"""What a worker does itself with what a stranger sent ends within a time."""

from __future__ import annotations

import threading

import pytest

from fudaba_arena.errors import ArenaError
from fudaba_arena.programs import host_steps
from fudaba_arena.programs.host_steps import host_step


async def test_it_brings_what_it_found_and_raises_what_went_wrong() -> None:
    assert await host_step("adding", int, "7", base=8) == 7
    with pytest.raises(ValueError, match="invalid literal"):
        await host_step("reading", int, "no number")


async def test_a_time_out_of_its_own_is_not_the_hosts() -> None:
    def late() -> None:
        raise TimeoutError("the disk")

    with pytest.raises(TimeoutError, match="the disk"):
        await host_step("reading", late)


async def test_what_does_not_end_is_the_hosts_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_steps, "HOST_STEP_SECONDS", 0.01)
    ended = threading.Event()
    try:
        with pytest.raises(ArenaError, match="reading it takes this host more than 0 s"):
            await host_step("reading it", ended.wait)
    finally:
        ended.set()
