"""Machines whose wall clocks are set while matches go on: no deadline moves, and no time in a log goes back."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from fudaba.v1 import record_pb2
from soak.chaos.clocks import Clock, compile_shim
from tests.support.patience import until
from tests.support.service.bots import play_match
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import Organiser, kinds
from tests.support.service.processes import RedisServer, Service
from tests.support.service.windows import one_deal

WINDOW_MS: Final = 300
MATCH_COUNT: Final = 4
JUMP_SECONDS: Final = 120.0
FORWARD: Final = pytest.mark.nightly("the same of each clock set back, so that either of the two is ahead of the other")
"""Seconds."""


class Machines(NamedTuple):
    """A service and its Redis, each with a wall clock of its own."""

    organiser: Organiser
    clocks: dict[str, Clock]


@pytest.fixture
async def machines(
    folder: Path, need_tool: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Machines]:
    need_tool("gcc")
    library = compile_shim(folder)
    assert library is not None
    clocks = {name: Clock(folder / f"{name}.clock", library) for name in ("redis", "service")}
    place = folder / "redis"
    place.mkdir()
    async with contextlib.AsyncExitStack() as stack:
        with monkeypatch.context() as patch:
            for name, setting in clocks["redis"].environment.items():
                patch.setenv(name, setting)
            redis = stack.enter_context(RedisServer(place)).start()
        service = stack.enter_context(Service(folder, "--redis", redis.url))
        await asyncio.to_thread(service.start, environment=clocks["service"].environment)
        stack.callback(lambda: assert_no_fault(service))
        yield Machines(await stack.enter_async_context(Organiser(service.address, service.token)), clocks)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("whose", "jump"),
    [
        pytest.param("redis", JUMP_SECONDS, id="redis-forward", marks=FORWARD),
        pytest.param("redis", -JUMP_SECONDS, id="redis-back"),
        pytest.param("service", JUMP_SECONDS, id="service-forward", marks=FORWARD),
        pytest.param("service", -JUMP_SECONDS, id="service-back"),
    ],
)
async def test_when_a_clock_is_set_windows_close_as_if_it_had_not_been_and_time_never_goes_back(
    machines: Machines, whose: str, jump: float
) -> None:
    organiser = machines.organiser
    entrants = await organiser.entrant(), await organiser.entrant()
    matches = [
        await organiser.match(*entrants, game="tashot", options=one_deal(WINDOW_MS), seed=bytes([5 + n]) * 32)
        for n in range(MATCH_COUNT)
    ]
    players = organiser.by_chance(*entrants)
    began = time.monotonic()
    playing = asyncio.ensure_future(play_match(*players, matches=MATCH_COUNT))
    for step in range(3):
        decided = sum(len(journal.decisions) for journal in players[0].journals.values())
        await until(
            lambda decided=decided: (
                playing.done()  # type: ignore[misc]  # mypy cannot infer a lambda with a default
                or sum(len(journal.decisions) for journal in players[0].journals.values()) > decided + 2
            ),
            "play after a jump",
        )
        machines.clocks[whose].set(jump if step % 2 == 0 else 0.0)
    await playing
    lasted_ms = (time.monotonic() - began) * 1000
    for match_id in matches:
        record = await organiser.record(match_id)
        assert set(kinds(record)) <= {"ready", "move", "referee"}
        check_times(record, lasted_ms)


def check_times(record: record_pb2.MatchRecord, lasted_ms: float) -> None:
    """Checks that time in a log never goes back, and that no more of it passes than did: a jump is none of it."""
    times = [entry.at_ms for entry in record.log]
    assert all(a <= b for a, b in pairwise(times))
    assert times[-1] - times[0] < lasted_ms + JUMP_SECONDS * 1000 / 2
