"""Which cores bots run on."""

from __future__ import annotations

import os
from contextlib import ExitStack

import pytest

from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.cores import Cores
from tests.support.arena.sandbox.sandboxes import done, python

ESCAPE = """
import os
try:
    os.sched_setaffinity(0, range(1024))
except OSError as error:
    pass
print(*sorted(os.sched_getaffinity(0)))
"""
"""Tries to run elsewhere, and says where it may."""


def test_each_bot_has_a_core_of_its_own_where_a_worker_has_more_of_them_than_seats() -> None:
    cores = Cores(3, [0, 1, 2, 3])
    assert (cores.pins, cores.rest) == (True, [0])
    with ExitStack() as stack:
        own = [stack.enter_context(cores.taken(1.0)) for _ in range(3)]
        assert sorted(core for seat_cores in own for core in seat_cores) == [1, 2, 3]
        assert stack.enter_context(cores.taken(1.0)) == ()
    with cores.taken(0.5) as again:
        assert len(again) == 1


@pytest.mark.parametrize(("seats", "can_pin"), [(4, True), (32, True), (1, False)])
def test_elsewhere_all_bots_share_all_cores(seats: int, can_pin: bool) -> None:
    cores = Cores(seats, [0, 1, 2, 3], can_pin=can_pin)
    assert (cores.pins, cores.rest) == (False, [])
    with cores.taken(1.0) as own:
        assert own == ()


def test_bots_that_may_use_several_cores_share_those_that_are_nobody_s_own() -> None:
    cores = Cores(2, range(8))
    assert list(cores.rest) == [0, 1, 2, 3, 4, 5]
    with cores.taken(1.5) as own:
        assert own == ()


async def test_a_program_stays_on_the_cores_that_it_was_given(bubblewrap: Bubblewrap) -> None:
    cores = sorted(os.sched_getaffinity(0))
    if not bubblewrap.cgroups.pins or len(cores) < 2:
        pytest.skip("NOT TESTED: this host cannot keep a program to a core, or has only one")
    for core in cores[:2]:
        running = bubblewrap.start(python(ESCAPE, cores=[core]))
        _, said = await done(running)
        assert said == f"{core}\n"
        assert running.remains() == []
    _, said = await done(bubblewrap.start(python(ESCAPE)))
    assert said.split() == [str(core) for core in cores]
