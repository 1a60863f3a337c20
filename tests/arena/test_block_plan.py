"""Which match is started next, and when a block is given up."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fudaba_arena.block_plan import BlockPlan, OpenBlock
from fudaba_arena.blocks import Table
from fudaba_arena.game_entries import GameEntry
from fudaba_arena.state import TournamentState
from fudaba_arena.store import StoredTournament, VoidBlock
from fudaba_arena.tournament import BotEntry, Tournament


def stored() -> StoredTournament:
    return StoredTournament({}, bytes(32), {}, {}, {}, set(), set(), {}, {}, 3, 0, 0, False)


def state(
    bots: int = 4, memoryless: bool = True, capacity: int = 0, blocks: int = 1, seats: int = 2, **more: Any
) -> TournamentState:
    entries = [
        BotEntry(f"bot-{n}", command=("x",), memoryless=memoryless, capacity=capacity, cwd=Path()) for n in range(bots)
    ]
    games = (GameEntry("naga", seats=seats, blocks=blocks),)
    return TournamentState(Tournament("t", games, tuple(entries), **more), stored())


def start_all(plan: BlockPlan) -> list[tuple[OpenBlock, Table]]:
    started = []
    while (one := plan.start_next()) is not None:
        started.append(one)
    return started


def void(block: int, slot: int, cause: str, *bots: str) -> VoidBlock:
    return VoidBlock(block, slot, cause, "x", bots)


@given(
    bots=st.integers(2, 6),
    seats=st.sampled_from([2, 2, 3, 5]),
    concurrency=st.integers(1, 9),
    capacity=st.integers(0, 3),
    memoryless=st.booleans(),
    data=st.data(),
)
def test_every_match_is_started_once_within_the_limits(
    bots: int, seats: int, concurrency: int, capacity: int, memoryless: bool, data: st.DataObject
) -> None:
    of = state(max(bots, seats), memoryless, capacity, blocks=2, seats=seats, concurrency=concurrency)
    plan = BlockPlan(of)
    running: list[tuple[OpenBlock, Table]] = []
    seen: list[str] = []
    while True:
        running += start_all(plan)
        assert len(running) == plan.running <= concurrency
        busy = Counter(bot for _, table in running for bot in table.bots)
        assert not capacity or all(count <= capacity for count in busy.values())
        if not running:
            break
        one, table = running.pop(data.draw(st.integers(0, len(running) - 1)))
        seen.append(table.match_id)
        plan.ended(one, table)
        plan.shown_up(table.bots)
        for over in [block for block in plan.open if block.over]:
            plan.close(over)
    assert sorted(seen) == sorted(table.match_id for block in of.schedule for table in block.tables)


def test_a_bot_that_was_not_seen_yet_is_in_one_block_at_a_time() -> None:
    plan = BlockPlan(state(4, blocks=5, concurrency=100))
    started = start_all(plan)
    assert len(plan.open) == 2
    assert len(started) == 4
    plan.shown_up(["bot-0", "bot-1", "bot-2"])
    start_all(plan)
    assert sum("bot-3" in one.block.bots for one in plan.open) == 1
    assert len(plan.open) > 10
    plan.shown_up(["bot-3"])
    start_all(plan)
    assert len(plan.open) == len(plan._state.schedule)


def test_an_absent_bot_is_tried_in_one_block_at_a_time_again() -> None:
    of = state(2, blocks=10, concurrency=100)
    plan = BlockPlan(of)
    plan.shown_up(["bot-0", "bot-1"])
    one, table = start_all(plan)[0]
    assert len(plan.open) == 10
    for open_block in list(plan.open):
        plan.close(open_block)
    plan.absent(["bot-1"])
    of.stored.void[one.block.number] = void(one.block.number, one.block.slot, "no_show", "bot-1")
    plan.replace(one.block)
    assert table.match_id != start_all(plan)[0][1].match_id
    assert [block.block.number for block in plan.open] == [of.schedule.replacement(one.block).number]


def test_matches_of_withdrawn_bots_are_left_out_and_those_in_play_are_named() -> None:
    of = state(4, memoryless=False, blocks=1, concurrency=3)
    plan = BlockPlan(of)
    started = start_all(plan)
    assert {bot for _, table in started for bot in table.bots} == {"bot-0", "bot-1", "bot-2", "bot-3"}
    of.stored.withdrawn["bot-3"] = "gone"
    assert {table.match_id for _, table in plan.withdrawn()} == {
        table.match_id for _, table in started if "bot-3" in table.bots
    }
    assert all("bot-3" not in table.bots for one in plan.open for table in one.waiting)


def test_a_withdrawn_bot_takes_its_groups_with_it_and_leaves_the_others() -> None:
    of = state(6, seats=5)
    of.stored.withdrawn["bot-3"] = "gone"
    left = [block for block in of.unfinished() if not of.parked(block)]
    assert [block.bots for block in left] == [("bot-0", "bot-1", "bot-2", "bot-4", "bot-5")]
    assert len(of.parked_blocks) == 5


def test_a_block_is_parked_after_its_attempts_and_a_pardon_gives_as_many_again() -> None:
    of = state(2, blocks=1, attempts=2)
    first = of.schedule.block(0)
    second, third = of.schedule.replacement(first), of.schedule.block(2)
    of.stored.void[0] = void(0, 0, "no_show", "bot-0")
    assert not of.parked(second)
    of.stored.void[1] = void(1, 0, "lost")
    assert of.parked(third)
    assert of.parked_blocks == [third]
    assert not of.complete
    of.stored.pardons = 1
    assert of.parked_blocks == []
    assert of.voids() == {"naga": {"bot-0": 1, "bot-1": 0}}


def test_blocks_that_the_arena_itself_cut_off_count_as_no_attempt() -> None:
    of = state(2, blocks=1, attempts=1)
    for number, cause in enumerate(["stopped", "away", "stopped"]):
        of.stored.void[number] = void(number, 0, cause)
    assert not of.parked(of.schedule.block(3))
    of.stored.void[3] = void(3, 0, "organiser")
    assert of.parked(of.schedule.block(4))


def test_a_block_of_withdrawn_bots_alone_is_parked() -> None:
    of = state(3, blocks=1)
    of.stored.withdrawn["bot-0"] = "gone"
    assert sorted(block.bots for block in of.unfinished() if not of.parked(block)) == [("bot-1", "bot-2")]


def test_two_runs_of_one_file_have_different_match_ids() -> None:
    one, other = state(2), stored()
    other.master = bytes(31) + b"x"
    again = TournamentState(one.tournament, other)
    assert one.id != again.id
    assert one.id.startswith("t-")
    assert one.commitment.startswith(one.id.removeprefix("t-"))
