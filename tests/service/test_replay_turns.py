"""Of many matches that are loaded at the same time, the one in which something happened last comes first."""

from __future__ import annotations

import asyncio

from fudaba.v1 import record_pb2
from fudaba_service.sessions.replay_turns import ReplayTurns
from tests.support.patience import PATIENCE


def log(*at_ms: int) -> list[bytes]:
    """Returns a log with entries of these times."""
    return [record_pb2.LogEntry(at_ms=time_ms).SerializeToString() for time_ms in at_ms]


async def come(turns: ReplayTurns, name: str, entries: list[bytes], arrived: list[str]) -> None:
    await turns.wait(entries)
    arrived.append(name)


async def test_a_match_that_was_just_made_comes_first_then_the_one_with_the_newest_entry() -> None:
    turns = ReplayTurns()
    arrived: list[str] = []
    logs = {"old": log(1, 2_000), "older": log(1_000), "new": [], "newest": log(1, 5_000), "newer": log(3_000)}
    async with asyncio.TaskGroup() as group:
        for name, entries in logs.items():
            group.create_task(come(turns, name, entries, arrived))
    assert arrived == ["new", "newest", "newer", "old", "older"]


async def test_one_that_comes_later_and_is_newer_overtakes_those_that_wait_and_all_come_in_the_end() -> None:
    turns = ReplayTurns()
    arrived: list[str] = []
    async with asyncio.TaskGroup() as group:
        for number in range(100):
            group.create_task(come(turns, str(number), log(number), arrived))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        group.create_task(come(turns, "late", log(1_000), arrived))
    assert 0 < arrived.index("late") < 50
    assert len(arrived) == 101


async def test_who_has_gone_takes_nobodys_turn() -> None:
    turns = ReplayTurns()
    arrived: list[str] = []
    gone = [asyncio.create_task(come(turns, "gone", log(9_000), arrived)) for _ in range(50)]
    stays = asyncio.create_task(come(turns, "stays", log(1), arrived))
    await asyncio.sleep(0)
    for task in gone:
        task.cancel()
    async with asyncio.timeout(PATIENCE):
        await stays
    assert arrived == ["stays"]
    async with asyncio.timeout(PATIENCE):
        await turns.wait([])
