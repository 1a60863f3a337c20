"""Which match is started next, in one process."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba_arena.play.matches.attempts import Attempt, Attempts, StartOrder
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.matches.executor import AttemptLeft
from fudaba_arena.schedule.block_plan import BlockPlan
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.closed_block import MatchResult
from fudaba_arena.tournament.limits import BotLimits
from tests.support.arena.schedule.attempts import submitted_attempt
from tests.support.arena.schedule.states import state


def open_and_start(
    tournament_state: ScheduledTournament, plan: BlockPlan, order: StartOrder
) -> list[tuple[Attempt, PlannedMatch]]:
    """Opens blocks as long as there is room, and starts what fits."""
    started = []
    while True:
        while (begun := order.start_next()) is not None:
            started.append(begun)
        block = plan.open_next() if order.has_room else None
        if block is None:
            return started
        order.attempts.append(Attempt.at(BlockSpec.from_block(tournament_state, block)))


def test_matches_without_weight_need_no_room_and_too_heavy_ones_are_played_alone() -> None:
    tournament = state(4, blocks=1, concurrency=100)
    blocks = [BlockSpec.from_block(tournament, block) for block in tournament.schedule]
    free = StartOrder(1, lambda _, __: 0)
    free.attempts += [Attempt.at(spec) for spec in blocks]
    assert len([*iter(free.start_next, None)]) == sum(len(spec.matches) for spec in blocks)
    heavy = StartOrder(3, lambda _, __: 4)
    heavy.attempts += [Attempt.at(spec) for spec in blocks]
    assert len([*iter(heavy.start_next, None)]) == 1


def test_of_a_deal_that_submitted_bots_play_one_sitting_comes_after_the_other() -> None:
    """Of three deals, each of which is played twice, three sittings are played at once."""
    order, attempt = StartOrder(100), submitted_attempt(state(2, blocks=1, deals=3), "bot-0", "bot-1")
    order.attempts.append(attempt)
    first = [match for _, match in iter(order.start_next, None)]
    assert [match.deal for match in first] == [0, 1, 2]
    order.ended(attempt, first[1])
    [(_, again)] = [*iter(order.start_next, None)]
    assert (again.deal, again.bots) == (1, first[1].bots[::-1])


def test_the_sittings_come_apart_also_where_one_of_the_bots_was_submitted_attempt() -> None:
    order = StartOrder(100)
    order.attempts.append(submitted_attempt(state(2, blocks=1), "bot-1"))
    assert len([*iter(order.start_next, None)]) == 1


def test_so_do_those_of_a_block_whose_groups_share_its_deals() -> None:
    tournament = state(4, stateless=False, blocks=1)
    attempt, order = submitted_attempt(tournament, *tournament.entrants), StartOrder(100)
    order.attempts.append(attempt)
    started = Counter(match.deal for _, match in iter(order.start_next, None))
    assert set(started.values()) == {1}
    assert len(attempt.waiting) == len(attempt.spec.matches) - len(started)


def test_between_the_sittings_matches_of_other_blocks_come() -> None:
    tournament = state(2, blocks=1)
    order, sandboxed, remote = StartOrder(3), submitted_attempt(tournament, "bot-0"), submitted_attempt(tournament)
    order.attempts += [sandboxed, remote]
    assert [attempt for attempt, _ in iter(order.start_next, None)] == [sandboxed, remote, remote]


def with_cores(tournament_state: ScheduledTournament, per_seat: float) -> list[Attempt]:
    """Attempts at all blocks, whose bots were submitted and whose seats have so many cores; 0: they share them."""
    found = []
    for block in tournament_state.schedule:
        spec = BlockSpec.from_block(tournament_state, block)
        bots = {name: replace(bot, submission="s") for name, bot in spec.bots.items()}
        found.append(Attempt.at(replace(spec, bots=bots, limits=BotLimits(cores_per_seat=per_seat))))
    return found


@pytest.mark.parametrize(
    ("seats", "cores", "per_seat", "at_once"), [(2, 2, 1, 1), (2, 4, 1, 2), (2, 4, 0.5, 4), (5, 2, 1, 1), (2, 2, 0, 6)]
)
def test_so_many_matches_are_played_at_once_as_there_are_cores_for_their_seats(
    seats: int, cores: int, per_seat: float, at_once: int
) -> None:
    """One match at least: also one of five seats on two cores."""
    order = StartOrder(100, cores=cores)
    order.attempts += with_cores(state(max(4, seats), blocks=4, seats=seats), per_seat)
    started = [*iter(order.start_next, None)]
    assert len(started) == at_once if per_seat else len(started) > at_once
    order.ended(*started[0])
    assert order.start_next() is not None or not per_seat


def test_bots_whose_seats_share_cores_leave_those_alone_that_others_have() -> None:
    order = StartOrder(100, cores=2)
    [owner, *_], sharing = with_cores(state(2, blocks=1), 1.0), with_cores(state(4, blocks=1), 0.0)
    order.attempts += [owner, *sharing]
    [(attempt, match)] = [*iter(order.start_next, None)]
    assert attempt is owner
    owner.waiting.clear()
    order.ended(attempt, match)
    assert {begun for begun, _ in iter(order.start_next, None)} == {*sharing}


def test_a_match_that_waits_for_cores_goes_before_later_ones_and_remote_bots_need_none() -> None:
    order, remote = StartOrder(100, cores=2), submitted_attempt(state(2, blocks=1))
    [first, *_] = with_cores(state(2, blocks=1), 0.5)
    order.attempts.append(first)
    playing = order.start_next()
    assert playing is not None
    first.waiting.clear()
    [wide, *_], small = with_cores(state(5, blocks=1, seats=5), 1.0), with_cores(state(4, blocks=1), 0.5)
    order.attempts += [wide, *small, remote]
    assert {attempt for attempt, _ in iter(order.start_next, None)} == {remote}
    order.ended(*playing)
    assert [attempt for attempt, _ in iter(order.start_next, None)] == [wide]


def test_the_sittings_of_a_deal_stand_as_far_from_each_other_as_the_deals_of_the_block_allow() -> None:
    tournament = state(2, blocks=1, deals=3)
    assert [match.deal for match in submitted_attempt(tournament, "bot-0").waiting] == [0, 1, 2, 0, 1, 2]
    assert [match.deal for match in submitted_attempt(tournament).waiting] == [0, 0, 1, 1, 2, 2]


def test_a_match_of_another_block_comes_between_two_sittings_where_there_is_one() -> None:
    """One match is played at a time. At the end nothing is left that could come between."""
    tournament = state(5, blocks=1, seats=5)
    order, long, short = (
        StartOrder(1),
        submitted_attempt(tournament, *tournament.entrants),
        submitted_attempt(state(2, blocks=1), "bot-0"),
    )
    order.attempts += [long, short]
    played = []
    while (started := order.start_next()) is not None:
        played.append(started[0])
        order.ended(*started)
    assert played[:4] == [long, short, long, short]
    assert played[4:] == [long] * 18


def test_what_is_in_play_at_a_deal_comes_before_another_sitting_though_it_has_to_wait_for_room() -> None:
    """Somebody else has begun the second sitting, and there is no room for it yet."""
    tournament = state(2, blocks=1)
    attempt, other = submitted_attempt(tournament, "bot-0", "bot-1"), submitted_attempt(tournament)
    first, second = attempt.spec.matches
    attempt = Attempt.at(attempt.spec, going={second.match_id})
    weights = {second.match_id: 2, first.match_id: 1}
    order = StartOrder(2, lambda spec, match: weights[match.match_id] if spec is attempt.spec else 1)
    order.attempts += [other]
    started = order.start_next()
    assert started is not None
    order.attempts = [attempt]
    assert order.start_next() is None
    order.ended(*started)
    assert order.start_next() == (attempt, second)
    assert order.start_next() is None
    order.ended(attempt, second)
    assert order.start_next() == (attempt, first)


def test_of_two_sittings_that_were_both_in_play_one_is_played_after_the_other() -> None:
    spec = submitted_attempt(state(2, blocks=1), "bot-0").spec
    attempt, order = Attempt.at(spec, going={match.match_id for match in spec.matches}), StartOrder(100)
    order.attempts.append(attempt)
    started = [*iter(order.start_next, None)]
    assert [match for _, match in started] == [spec.matches[0]]
    order.ended(*started[0])
    assert order.start_next() == (attempt, spec.matches[1])


def test_nothing_is_begun_of_a_block_that_another_worker_may_play() -> None:
    attempt, order = submitted_attempt(state(2, blocks=1), "bot-0"), StartOrder(100)
    order.attempts.append(attempt)
    attempt.ours_until = 0.0
    assert order.start_next() is None
    attempt.ours_until = inf
    assert order.start_next() is not None


async def test_an_attempt_that_is_dropped_before_its_first_match_takes_a_step_is_over_and_leaves_its_room() -> None:
    tournament = state(2, blocks=1)
    [block] = tournament.schedule
    order, attempt = StartOrder(100), Attempt.at(BlockSpec.from_block(tournament, block))

    async def play(_: Attempt, __: PlannedMatch) -> None:
        raise AssertionError("nothing is played")

    async with asyncio.TaskGroup() as tasks:
        attempts = Attempts(order, tasks, play)
        attempts.begin(attempt)
        assert order.taken == len(block.matches)
        await attempts.drop(attempt, AttemptLeft())
    assert attempt.over.is_set()
    assert (order.taken, order.running, order.attempts) == (0, 0, [])


class AnotherHost:
    """One other host, which has room or not."""

    def __init__(self, to: str) -> None:
        self.to = to

    def can_play(self, _: BlockSpec) -> bool:
        return True

    def with_room(self, _: BlockSpec) -> str:
        return self.to


def test_further_sittings_wait_for_another_host_until_nothing_else_of_the_block_is_left() -> None:
    """Of two deals one has two sittings left to be played, the other all."""
    order, spec = StartOrder(1, others=AnotherHost("b")), submitted_attempt(state(2, deals=2), "bot-0").spec
    attempt = Attempt.at(spec, may_leave=True)
    order.attempts.append(attempt)
    for deal in (0, 1):
        [(_, match)] = [*iter(order.start_next, None)]
        assert match.deal == deal
        assert not attempt.between_sittings
        order.ended(attempt, match)
    assert order.start_next() is None
    assert attempt.between_sittings
    assert order.waiting == 0
    assert order.leaves_to(attempt) == "b"


def test_where_no_other_host_has_room_the_next_sittings_are_played_here() -> None:
    order, spec = StartOrder(100, others=AnotherHost("")), submitted_attempt(state(2), "bot-0").spec
    attempt = Attempt.at(spec, may_leave=True)
    order.attempts.append(attempt)
    [(_, first)] = [*iter(order.start_next, None)]
    order.ended(attempt, first)
    assert order.start_next() is None
    assert order.leaves_to(attempt) == ""
    [(_, second)] = [*iter(order.start_next, None)]
    assert second.bots == first.bots[::-1]


def test_what_was_in_play_when_a_block_was_taken_and_what_is_remote_is_not_for_another_host() -> None:
    spec = submitted_attempt(state(2), "bot-0").spec
    order, remote = StartOrder(100, others=AnotherHost("b")), submitted_attempt(state(2)).spec
    going = Attempt.at(spec, going={match.match_id for match in spec.matches}, may_leave=True)
    order.attempts += [going, Attempt.at(remote, may_leave=True)]
    started = [*iter(order.start_next, None)]
    assert len(started) == 3
    order.ended(*started[0])
    assert order.start_next() == (going, spec.matches[1])


def test_an_attempt_begins_with_the_results_that_others_have_stored() -> None:
    spec = submitted_attempt(state(2), "bot-0").spec
    first, second = spec.matches
    known = MatchResult(first.match_id, 0, 0, first.bots, (1, -1))
    attempt = Attempt.at(spec, results={first.match_id: known}, may_leave=True)
    assert [*attempt.waiting] == [second]
    assert attempt.results == {first.match_id: known}


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
    tournament = state(max(bots, seats), stateless, capacity, blocks=2, seats=seats, concurrency=concurrency)
    plan, order = BlockPlan(tournament), StartOrder(concurrency)
    running: list[tuple[Attempt, PlannedMatch]] = []
    seen: list[str] = []
    while True:
        running += open_and_start(tournament, plan, order)
        assert len(running) == order.running <= concurrency
        busy = Counter(bot for _, match in running for bot in match.bots)
        assert not capacity or all(count <= capacity for count in busy.values())
        if not running:
            break
        attempt, match = running.pop(data.draw(st.integers(0, len(running) - 1)))
        seen.append(match.match_id)
        order.ended(attempt, match)
        plan.shown_up(match.bots)
        if not attempt.waiting and not attempt.running:
            order.attempts.remove(attempt)
            plan.close(tournament.schedule.block(attempt.spec.number))
    assert sorted(seen) == sorted(match.match_id for block in tournament.schedule for match in block.matches)
