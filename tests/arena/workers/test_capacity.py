"""A bot is never in more matches at once than its tournament's file says, whoever plays, and whatever restarts."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from fudaba.client import Endpoint
from fudaba.v1 import bots_pb2
from fudaba_arena.metrics import Metrics
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.matches.by_workers import ByWorkers
from fudaba_arena.play.matches.ends import text_of_end
from fudaba_arena.play.matches.executor import AttemptFailed, AttemptLeft
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.play.workers.block_queue import BlockQueue
from fudaba_arena.play.workers.offers import Offers
from fudaba_arena.schedule.blocks import Block
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.leases.handed_out import Lease
from fudaba_arena.store.store import Store
from fudaba_arena.store.store_retry import store_retry
from tests.support.arena.commands.tournaments import RANDOM, STEADY, bot, head
from tests.support.arena.nodes import check_whole, node
from tests.support.arena.running import Service, environment
from tests.support.arena.schedule.states import state
from tests.support.arena.standing import Arena
from tests.support.arena.workers.listening import Heard
from tests.support.forked import Forked
from tests.support.patience import PATIENCE, until
from tests.support.service.processes import RedisServer

COUNTING = """\
import asyncio
import fudaba

playing = set()

class Counting(fudaba.Bot):
    def started(self, match):
        playing.add(match.id)
        print("playing", len(playing), flush=True)

    async def choose(self, decision):
        await asyncio.sleep(0.01)
        return 0

    def over(self, match):
        playing.discard(match.id)
"""


@pytest.mark.nightly("the tests below divide a bot's capacity among the blocks that are handed out")
def test_a_remote_bot_is_in_no_more_matches_than_its_capacity_with_two_workers(hosted: Service, arena: Arena) -> None:
    with hosted.client() as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name="narrow"))
        token = client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot="narrow")).token
    (arena.folder / "counting.py").write_text(COUNTING, encoding="utf-8")
    log = arena.folder / "counting.log"
    whose = environment() | {"FUDABA_SERVER": hosted.address, "FUDABA_TOKEN": token}
    process = Forked(["bot", "run", f"{arena.folder}/counting.py:Counting"], log, whose)
    try:
        narrow = bot("narrow", "remote = true", capacity="2")
        with node(hosted, arena, "one"), node(hosted, arena, "two"):
            arena.create(head("narrow", blocks=4, concurrency=16) + STEADY + RANDOM + narrow)
            check_whole(arena, "narrow")
    finally:
        process.kill()
        process.wait()
    at_once = [int(line.split()[1]) for line in log.read_text(encoding="utf-8").splitlines() if "playing " in line]
    assert at_once
    assert max(at_once) <= 2


class Handing:
    """An arena that hands blocks out, and nobody plays them."""

    def __init__(self, redis: RedisServer, hosted: Service, tournament_state: ScheduledTournament) -> None:
        metrics = Metrics()
        self.store, self.queue, self.tournament_state = Store(redis.url), BlockQueue(redis.url), tournament_state
        self.service = ServiceClient(Endpoint(hosted.address, hosted.arena_token), lambda _: None)
        retry = store_retry(lambda _: None, metrics)
        self.executor = ByWorkers(tournament_state, self.store, self.service, self.queue, retry, metrics, Offers())

    async def close(self) -> None:
        await self.queue.close()
        await self.service.close()
        await self.store.close()

    async def parts(self) -> dict[int, dict[str, int]]:
        """Returns how many matches at once each block that is handed out may take of each bot."""
        found = await self.store.handed_out.spec_texts(self.tournament_state.tournament.name)
        specs = {number: BlockSpec.read(text) for number, text in found.items()}
        return {
            number: {name: bot_spec.capacity for name, bot_spec in spec.bots.items()} for number, spec in specs.items()
        }


def named(name: str, bots: int, capacity: int) -> ScheduledTournament:
    tournament = state(bots, capacity=capacity)
    tournament.tournament = replace(tournament.tournament, name=name)
    return tournament


async def test_blocks_that_an_earlier_run_has_handed_out_keep_the_part_that_they_were_told(
    redis: RedisServer, hosted: Service
) -> None:
    tournament = named("parts", 4, capacity=3)
    bot_name = "bot-0"
    first, second, third = [block for block in tournament.schedule if bot_name in block.bots]

    async def play(order: list[Block]) -> dict[int, dict[str, int]]:
        handing = Handing(redis, hosted, tournament)
        async with handing.executor.opened(Heard()):
            playing = []
            for block in order:
                assert handing.executor.takes(block)
                playing.append(asyncio.ensure_future(handing.executor.play(block)))

            async def all_sent() -> bool:
                return len(await handing.parts()) == 2

            await until(all_sent, "they are handed out")
            parts = await handing.parts()
            assert not handing.executor.takes(third)
            handing.executor.hold()
            assert await asyncio.gather(*playing) == [AttemptLeft(), AttemptLeft()]
        await handing.close()
        return parts

    begun = await play([first, second])
    assert [begun[first.number][bot_name], begun[second.number][bot_name]] == [3, 1]
    assert await play([second, first]) == begun


async def test_the_capacity_that_a_failed_block_took_is_free_when_its_matches_are_over(
    redis: RedisServer, hosted: Service
) -> None:
    tournament = named("failed", 3, capacity=1)
    first, second, *_ = tournament.schedule
    handing = Handing(redis, hosted, tournament)
    await handing.store.begin("failed", {}, bytes(32))
    async with handing.executor.opened(Heard()):
        playing = asyncio.ensure_future(handing.executor.play(first))
        assert not handing.executor.takes(second)

        async def taken() -> bool:
            return isinstance(await handing.store.handed_out.take("failed", first.number, 0, "w", 600_000), Lease)

        await until(taken, "a worker has it")
        failed = AttemptFailed(first.matches[0].match_id, "lost")
        assert await handing.store.handed_out.end("failed", first.number, "w", text_of_end(failed))
        async with asyncio.timeout(PATIENCE):
            assert await playing == failed
        assert not handing.executor.takes(second), "its matches may still be played"
        async with asyncio.timeout(PATIENCE):
            await handing.executor.clear(first, "it is void")
        assert handing.executor.takes(second)
        handing.executor.hold()
    await handing.close()
