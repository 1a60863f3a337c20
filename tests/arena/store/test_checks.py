"""Whose submission is checked next: authors take turns."""

from __future__ import annotations

from pathlib import Path

from fudaba_arena.store.data_folder import open_to_play
from fudaba_arena.store.submissions.check_leases import Checks

_LEASE_MS = 600_000


async def taken(checks: Checks, worker: str = "w", most_of_one: int = 0) -> str:
    found = await checks.take(worker, _LEASE_MS, most_of_one=most_of_one)
    return found[0] if found is not None else ""


async def end(checks: Checks, submission: str) -> None:
    assert await checks.end(submission, "w", "over")


async def test_the_many_submissions_of_one_author_do_not_hold_up_those_of_another(tmp_path: Path) -> None:
    async with open_to_play(tmp_path, None, print) as home:
        checks = home.store.checks
        for number in range(5):
            await checks.add(f"ann-{number}", "so far", number, owner="ann")
        await checks.add("ben-0", "so far", 10, owner="ben")
        await checks.add("cas-0", "so far", 11, owner="cas")
        assert [await taken(checks) for _ in range(4)] == ["ann-0", "ben-0", "cas-0", "ann-1"]
        for number in range(1, 3):
            await checks.add(f"ben-{number}", "so far", 10 + number, owner="ben")
        # Whoever has fewest in check comes first; of those with as many, whoever has waited longest for a turn.
        await end(checks, "cas-0")
        assert await taken(checks) == "ben-1"
        for submission in ("ann-0", "ann-1", "ben-0", "ben-1"):
            await end(checks, submission)
        assert [await taken(checks) for _ in range(5)] == ["ann-2", "ben-2", "ann-3", "ann-4", ""]


async def test_one_at_a_time_authors_take_turns(tmp_path: Path) -> None:
    async with open_to_play(tmp_path, None, print) as home:
        checks = home.store.checks
        for number in range(3):
            await checks.add(f"ann-{number}", "so far", number, owner="ann")
        await checks.add("ben-0", "so far", 10, owner="ben")
        order = []
        while submission := await taken(checks):
            order.append(submission)
            await end(checks, submission)
        assert order == ["ann-0", "ben-0", "ann-1", "ann-2"]


async def test_a_worker_checks_so_many_of_one_author_at_once_and_keeps_room_for_others(tmp_path: Path) -> None:
    async with open_to_play(tmp_path, None, print) as home:
        checks = home.store.checks
        for number in range(5):
            await checks.add(f"ann-{number}", "so far", number, owner="ann")
        assert [await taken(checks, most_of_one=2) for _ in range(3)] == ["ann-0", "ann-1", ""]
        await checks.add("ben-0", "so far", 10, owner="ben")
        assert await taken(checks, most_of_one=2) == "ben-0"
        assert await taken(checks, most_of_one=2) == ""
        assert await taken(checks, "other", most_of_one=2) == "ann-2"
        await end(checks, "ann-0")
        assert await taken(checks, most_of_one=2) == "ann-3"
