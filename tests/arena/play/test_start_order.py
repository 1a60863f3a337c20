"""Which match is started next, in one process."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba_arena.play.attempts import Attempt, Attempts, StartOrder
from fudaba_arena.play.executor import Left
from fudaba_arena.play.spec import BlockSpec
from fudaba_arena.schedule.block_plan import BlockPlan
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.schedule.state import TournamentState
from tests.support.arena.schedule.states import state


def open_and_start(of: TournamentState, plan: BlockPlan, order: StartOrder) -> list[tuple[Attempt, PlannedMatch]]:
    """Opens blocks as long as there is room, and starts what fits."""
    started = []
    while True:
        while (one := order.start_next()) is not None:
            started.append(one)
        block = plan.open_next() if order.has_room else None
        if block is None:
            return started
        order.attempts.append(Attempt.at(BlockSpec.of(of, block)))


def test_matches_without_weight_need_no_room_and_too_heavy_ones_are_played_alone() -> None:
    of = state(4, blocks=1, concurrency=100)
    blocks = [BlockSpec.of(of, block) for block in of.schedule]
    free = StartOrder(1, lambda _, __: 0)
    free.attempts += [Attempt.at(spec) for spec in blocks]
    assert len([*iter(free.start_next, None)]) == sum(len(spec.matches) for spec in blocks)
    heavy = StartOrder(3, lambda _, __: 4)
    heavy.attempts += [Attempt.at(spec) for spec in blocks]
    assert len([*iter(heavy.start_next, None)]) == 1


async def test_an_attempt_that_is_dropped_before_its_first_match_takes_a_step_is_over_and_leaves_its_room() -> None:
    of = state(2, blocks=1)
    [block] = of.schedule
    order, one = StartOrder(100), Attempt.at(BlockSpec.of(of, block))

    async def play(_: Attempt, __: PlannedMatch) -> None:
        raise AssertionError("nothing is played")

    async with asyncio.TaskGroup() as tasks:
        attempts = Attempts(order, tasks, play)
        attempts.begin(one)
        assert order.taken == len(block.matches)
        await attempts.drop(one, Left())
    assert one.over.is_set()
    assert (order.taken, order.running, order.attempts) == (0, 0, [])


@pytest.mark.exhaustive
@given(
    bots=st.integers(2, 6),
    seats=st.sampled_from([2, 2, 3, 5]),
    concurrency=st.integers(1, 9),
    capacity=st.integers(0, 3),
    stateless=st.booleans(),
    data=st.data(),
)
def test_every_match_is_started_once_within_the_limits(
    bots: int, seats: int, concurrency: int, capacity: int, stateless: bool, data: st.DataObject
) -> None:
    of = state(max(bots, seats), stateless, capacity, blocks=2, seats=seats, concurrency=concurrency)
    plan, order = BlockPlan(of), StartOrder(concurrency)
    running: list[tuple[Attempt, PlannedMatch]] = []
    seen: list[str] = []
    while True:
        running += open_and_start(of, plan, order)
        assert len(running) == order.running <= concurrency
        busy = Counter(bot for _, match in running for bot in match.bots)
        assert not capacity or all(count <= capacity for count in busy.values())
        if not running:
            break
        one, match = running.pop(data.draw(st.integers(0, len(running) - 1)))
        seen.append(match.match_id)
        order.ended(one, match)
        plan.shown_up(match.bots)
        if not one.waiting and not one.running:
            order.attempts.remove(one)
            plan.close(of.schedule.block(one.spec.number))
    assert sorted(seen) == sorted(match.match_id for block in of.schedule for match in block.matches)
