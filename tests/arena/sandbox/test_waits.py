"""What others take from a program's cores is seen, and what it takes from itself is not."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.cgroups import Group
from fudaba_arena.sandbox.waits import Spell, Waits, kept_from_cores
from tests.support.arena.sandbox.sandboxes import done, python

COMPUTES = """
import time
while time.process_time() < 0.6:
    pass
"""
BUSY = """
while True:
    pass
"""


@pytest.mark.parametrize(
    ("cores", "ran", "threads", "lost"),
    [
        (1.0, 0.05, [Spell(0.05, 0.15)], 0.15),
        (1.0, 0.2, [Spell(0.2, 0.0)], 0.0),
        (1.0, 0.0, [Spell(0.0, 0.0)] * 8, 0.0),
        # Two that always want to run, and get a quarter of a core together.
        (1.0, 0.05, [Spell(0.025, 0.175)] * 2, 0.15),
        # It had all that its limit allows, and waits since it has more threads than that.
        (1.0, 0.2, [Spell(0.05, 0.15)] * 4, 0.0),
        # Threads that all wake up at once, for a moment, and wait for each other alone.
        (1.0, 0.064, [Spell(0.001, 0.063)] * 64, 0.0),
        # A limit of a fifth of a core: it waits for most of the time by its limit, and got half of what it allows.
        (0.2, 0.02, [Spell(0.02, 0.18)], 0.02),
        (0.2, 0.04, [Spell(0.04, 0.16)], 0.0),
    ],
)
def test_a_program_is_kept_from_cores_by_others_alone(
    cores: float, ran: float, threads: list[Spell], lost: float
) -> None:
    span, found = kept_from_cores(0.2, cores, ran, threads)
    assert (span, found) == pytest.approx((0.2, lost))


def test_a_wait_that_began_before_the_latest_look_is_noted_from_its_beginning() -> None:
    assert kept_from_cores(0.2, 1.0, 0.0, [Spell(0.0, 2.0)]) == pytest.approx((2.0, 2.0))
    waits = Waits()
    waits.note(8.0, 10.0, 2.0)
    assert waits.lost(0.0, 20.0) == pytest.approx(2.0)
    assert waits.lost(9.5, 11.0) == pytest.approx(0.5)
    waits.note(9.0, 10.0, 1.0)
    assert waits.lost(9.0, 10.0) == pytest.approx(1.0), "never more than the time itself"
    assert waits.lost(10.0, 20.0) == 0.0


def test_the_threads_of_a_group_of_version_2_are_in_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "cgroup.threads").write_text("41\n42\n")
    assert list(Group("v2", {"cpu": tmp_path, "memory": tmp_path}).threads) == [41, 42]
    assert list(Group("v2", {"cpu": tmp_path / "gone"}).threads) == []


async def test_a_program_whose_core_others_use_has_lost_as_much_as_it_ran_or_more(bubblewrap: Bubblewrap) -> None:
    core = sorted(os.sched_getaffinity(0))[:1]
    if not bubblewrap.cgroups.pins:
        pytest.skip("NOT TESTED: this host cannot keep a program to a core")
    neighbours = [bubblewrap.start(python(BUSY, cores=core)) for _ in range(3)]
    try:
        waits, began = Waits(), time.monotonic()
        ending, _ = await done(bubblewrap.start(python(COMPUTES, cores=core, waits=waits)))
        lost = waits.lost(began, time.monotonic())
    finally:
        for neighbour in neighbours:
            await neighbour.kill()
    assert ending.usage.cpu is not None
    assert ending.usage.cpu < lost < ending.usage.wall
