"""The sittings of a deal on several hosts: where they are played, and that nothing is lost between them."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.matches.ends import read_end
from fudaba_arena.play.matches.executor import AttemptFailed
from fudaba_arena.workers.hosts import this_host
from tests.support.arena.schedule.states import state
from tests.support.arena.workers.several_hosts import SeveralHosts, submitted
from tests.support.service.processes import RedisServer
from tests.support.sizes import some


def blocks(count: int, deals: int, seats: int = 2) -> list[BlockSpec]:
    tournament = state(seats, blocks=count, deals=deals, seats=seats)
    return [submitted(BlockSpec.from_block(tournament, block)) for block in tournament.schedule]


async def play(arena: SeveralHosts, chance: random.Random, deaths: int = 0) -> None:
    """Until all blocks are over. Any match may end next, any message come, and now and then a worker dies."""
    await arena.begin()
    while None in (ends := await arena.ends()).values():
        event = chance.random()
        if deaths and event < 0.1:
            deaths -= 1
            dead = chance.choice(arena.workers)
            await arena.kill(dead)
            await arena.add(dead.host)
        elif (event < 0.6 and arena.playing) or not await arena.deliver(chance):
            if arena.playing:
                arena.end_match(chance.choice(arena.playing))
            elif event > 0.9 and not arena.in_hand:  # or it would go to any host while it is handed on to another one
                await arena.send_again(chance)
        await asyncio.sleep(0.001)
        arena.refresh()
    assert len(ends) == len(arena.specs)


async def check_results(arena: SeveralHosts, *, all_count: bool) -> None:
    """Each match of a block that was played has one result, though several workers played it."""
    for number, end in (await arena.ends()).items():
        ending = read_end(end or "")
        assert not (all_count and isinstance(ending, AttemptFailed)), ending
        ids = [match.match_id for match in arena.specs[number].matches]
        known = await arena.store.handed_out.known("t", number, ids)
        if not isinstance(ending, AttemptFailed):
            assert all(known.get(match_id) is not None for match_id in ids)


async def run(url: str, folder: Path, specs: list[BlockSpec], hosts: list[str], seed: int, deaths: int) -> SeveralHosts:
    arena = SeveralHosts(url, folder, specs)
    try:
        for host in hosts:
            await arena.add(host)
        await play(arena, random.Random(seed), deaths)
        await check_results(arena, all_count=not deaths)
    finally:
        await arena.close()
    return arena


@settings(max_examples=some(120))
@given(
    seed=st.integers(0, 2**32),
    count=st.integers(1, 3),
    deals=st.integers(1, 3),
    hosts=st.lists(st.sampled_from("ABC"), min_size=1, max_size=4),
)
def test_the_next_sitting_at_a_deal_is_on_another_host_where_there_is_one(
    redis: RedisServer, tmp_path_factory: pytest.TempPathFactory, seed: int, count: int, deals: int, hosts: list[str]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    arena = asyncio.run(run(redis.url, folder, blocks(count, deals), hosts, seed, 0))
    assert len(arena.sat) == count * deals
    for sat in arena.sat.values():
        assert len(sat) == 2
        assert (sat[0] != sat[1]) is (len({*hosts}) > 1)


@settings(max_examples=some(120))
@given(
    seed=st.integers(0, 2**32),
    count=st.integers(1, 3),
    hosts=st.lists(st.sampled_from("AB"), min_size=1, max_size=3),
    deaths=st.integers(1, 5),
)
@pytest.mark.exhaustive
def test_whichever_workers_die_no_sitting_is_lost_or_played_beside_another_of_its_deal(
    redis: RedisServer, tmp_path_factory: pytest.TempPathFactory, seed: int, count: int, hosts: list[str], deaths: int
) -> None:
    """Dead workers may leave a block that is void; one that is said to be played has all of its results."""
    folder = tmp_path_factory.getbasetemp()
    asyncio.run(run(redis.url, folder, blocks(count, 2), hosts, seed, deaths))


def test_all_processes_under_one_kernel_are_on_one_host() -> None:
    assert this_host() == this_host() != ""
