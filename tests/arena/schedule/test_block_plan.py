"""Which block is opened next, and when one is given up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba_arena.schedule.block_plan import BlockPlan
from fudaba_arena.schedule.blocks import Block
from fudaba_arena.schedule.fault_counts import parked_causes, void_counts
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.closed_block import ClosedBlock, VoidBlock
from tests.support.arena.schedule.states import state, stored


def open_all(plan: BlockPlan) -> list[Block]:
    opened = []
    while (block := plan.open_next()) is not None:
        opened.append(block)
    return opened


def test_what_was_left_for_want_of_a_bot_is_played_when_it_is_let_in_again() -> None:
    tournament = state(3, concurrency=3)
    plan = BlockPlan(tournament)
    tournament.stored.withdrawn["bot-0"] = "it did not connect"
    tournament.note_withdrawn()
    [played] = open_all(plan)
    plan.close(played)
    plan.readmit()
    assert open_all(plan) == []
    tournament.readmit("bot-0")
    plan.readmit()
    plan.shown_up(["bot-0", "bot-1", "bot-2"])
    assert sorted(block.number for block in (played, *open_all(plan))) == [
        block.number for block in tournament.schedule
    ]
    assert open_all(plan) == []


def test_what_has_not_begun_waits_for_who_is_not_here_and_holds_up_nobody_else() -> None:
    tournament = state(3, concurrency=3)
    plan, away = BlockPlan(tournament), {"bot-0"}
    plan.away = away.__contains__
    [played] = open_all(plan)
    assert played.bots == ("bot-1", "bot-2")
    assert plan.busy() == {"bot-1", "bot-2"}
    plan.shown_up(played.bots)
    plan.close(played)
    assert [plan.waits_for(block) for block in plan.held_up] == [["bot-0"], ["bot-0"]]
    plan.readmit()
    assert open_all(plan) == []
    assert plan.busy() == set()
    away.clear()
    plan.readmit()
    plan.shown_up(["bot-0"])
    assert sorted(block.number for block in (played, *open_all(plan))) == [
        block.number for block in tournament.schedule
    ]


def test_what_has_begun_goes_on_whoever_is_here() -> None:
    tournament = state(2, concurrency=3)
    tournament.stored.created.add(tournament.schedule.block(0).matches[0].match_id)
    plan = BlockPlan(tournament)
    plan.away = lambda _: True
    assert [block.number for block in open_all(plan)] == [0]


def void(block: int, slot: int, cause: str, *bots: str) -> ClosedBlock:
    return ClosedBlock(block, slot, "naga", void=VoidBlock(block, slot, cause, "x", bots))


@pytest.mark.exhaustive
@given(
    bots=st.integers(2, 6),
    seats=st.sampled_from([2, 2, 3, 5]),
    concurrency=st.integers(1, 9),
    stateless=st.booleans(),
    data=st.data(),
)
def test_every_block_is_opened_once_within_the_limit(
    bots: int, seats: int, concurrency: int, stateless: bool, data: st.DataObject
) -> None:
    tournament = state(max(bots, seats), stateless, blocks=2, seats=seats, concurrency=concurrency)
    plan = BlockPlan(tournament)
    seen: list[int] = []
    while True:
        seen += [block.number for block in open_all(plan)]
        assert len(plan.open) <= 2 * concurrency
        if not plan.open:
            break
        over = plan.open[data.draw(st.integers(0, len(plan.open) - 1))]
        plan.shown_up(over.bots)
        plan.close(over)
    assert sorted(seen) == sorted(block.number for block in tournament.schedule)


def test_a_bot_that_was_not_seen_yet_is_in_one_block_at_a_time() -> None:
    plan = BlockPlan(state(4, blocks=5, concurrency=100))
    assert len(open_all(plan)) == 2
    plan.shown_up(["bot-0", "bot-1", "bot-2"])
    open_all(plan)
    assert sum("bot-3" in block.bots for block in plan.open) == 1
    assert len(plan.open) > 10
    plan.shown_up(["bot-3"])
    open_all(plan)
    assert len(plan.open) == len(plan._state.schedule)


def test_an_absent_bot_is_tried_in_one_block_at_a_time_again() -> None:
    tournament = state(2, blocks=10, concurrency=100)
    plan = BlockPlan(tournament)
    plan.shown_up(["bot-0", "bot-1"])
    first = open_all(plan)[0]
    assert len(plan.open) == 10
    for block in list(plan.open):
        plan.close(block)
    plan.absent(["bot-1"])
    tournament.close(void(first.number, first.slot, "no_show", "bot-1"))
    plan.replace(first)
    assert open_all(plan) == [tournament.schedule.replacement(first)] == plan.open


def test_what_workers_have_is_opened_first_and_once() -> None:
    tournament = state(4, blocks=2, concurrency=100)
    tournament.stored.handed_out.update([7, 3])
    plan = BlockPlan(tournament)
    plan.shown_up(["bot-0", "bot-1", "bot-2", "bot-3"])
    opened = [block.number for block in open_all(plan)]
    assert opened[:2] == [3, 7]
    assert sorted(opened) == sorted(block.number for block in tournament.schedule)


def test_what_workers_had_and_became_void_is_played_again_once() -> None:
    tournament = state(2, blocks=2, concurrency=100)
    tournament.stored.handed_out.add(0)
    plan = BlockPlan(tournament)
    had = plan.open_next()  # and no more, for want of room
    assert had is not None
    plan.close(had)
    tournament.close(void(had.number, had.slot, "worker_lost"))
    plan.replace(had)
    [again] = open_all(plan)  # its bots were not seen yet
    assert again == tournament.schedule.replacement(had)
    plan.shown_up(again.bots)
    plan.close(again)
    tournament.close(ClosedBlock(again.number, again.slot, "naga"))
    assert open_all(plan) == [tournament.schedule.block(1)]


def test_what_workers_had_and_was_taken_back_before_it_was_opened_is_played_again_once() -> None:
    tournament = state(2, blocks=2, concurrency=100)
    tournament.stored.handed_out.add(0)
    plan = BlockPlan(tournament)
    had = tournament.schedule.block(0)
    tournament.close(void(had.number, had.slot, "stopped"))
    [again] = open_all(plan)  # its bots were not seen yet
    assert again == tournament.schedule.replacement(had)
    plan.shown_up(again.bots)
    assert open_all(plan) == [tournament.schedule.block(1)]


def test_a_withdrawn_bot_takes_its_groups_with_it_and_leaves_the_others() -> None:
    tournament = state(6, seats=5)
    tournament.stored.withdrawn["bot-3"] = "gone"
    tournament.note_withdrawn()
    left = [block for block in tournament.unfinished() if not tournament.parked(block)]
    assert [block.bots for block in left] == [("bot-0", "bot-1", "bot-2", "bot-4", "bot-5")]
    assert len(tournament.parked_blocks) == 5


def test_a_block_is_parked_after_its_attempts_and_a_pardon_gives_as_many_again() -> None:
    tournament = state(2, blocks=1, attempts=2)
    first = tournament.schedule.block(0)
    second, third = tournament.schedule.replacement(first), tournament.schedule.block(2)
    tournament.close(void(0, 0, "no_show", "bot-0"))
    assert not tournament.parked(second)
    tournament.close(void(1, 0, "lost"))
    assert tournament.parked(third)
    assert tournament.parked_blocks == [third]
    assert not tournament.complete
    assert parked_causes(tournament) == {2: ["bot-0 did not connect", "the service lost a match"]}
    tournament.stored.pardons = 1
    again = ScheduledTournament(tournament.tournament, tournament.stored)
    assert again.parked_blocks == []
    assert void_counts(tournament) == {"naga": {"bot-0": 1, "bot-1": 0}}


def test_blocks_that_are_void_by_nobodys_fault_count_as_no_attempt() -> None:
    tournament = state(2, blocks=1, attempts=1)
    for number, cause in enumerate(["stopped", "away", "rules_changed", "stopped"]):
        tournament.close(void(number, 0, cause))
    assert not tournament.parked(tournament.schedule.block(4))
    tournament.close(void(4, 0, "organiser"))
    assert tournament.parked(tournament.schedule.block(5))


def test_a_block_of_withdrawn_bots_alone_is_parked() -> None:
    tournament = state(3, blocks=1)
    tournament.stored.withdrawn["bot-0"] = "gone"
    assert sorted(block.bots for block in tournament.unfinished() if not tournament.parked(block)) == [
        ("bot-1", "bot-2")
    ]


def test_two_runs_of_one_file_have_different_match_ids() -> None:
    first, other = state(2), stored()
    other.master = bytes(31) + b"x"
    again = ScheduledTournament(first.tournament, other)
    assert first.id != again.id
    assert first.id.startswith("t-")
    assert first.commitment.startswith(first.id.removeprefix("t-"))
