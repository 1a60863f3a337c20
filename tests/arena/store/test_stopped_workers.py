"""Why a worker is stopped, in numbers: noted by it, read by any release, and told to organisers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from redis.asyncio import Redis

from fudaba.v1 import arena_pb2
from fudaba_arena.api.messages.worker_messages import worker
from fudaba_arena.play.standing_arena.obstacles import StallCause
from fudaba_arena.schedule.idle_reasons import IdleCause
from fudaba_arena.store.data_folder import open_to_play
from fudaba_arena.store.workers.known_workers import LATE, STOPPED, KnownWorker, StopReason

LATENESS: Final = StopReason(LATE, 6, 40, 2.5)
SLOW: Final = KnownWorker("far-1", STOPPED, "bots lose time here", 0, 8, 0, 8, 15.0, stopped_by=LATENESS)


async def test_a_worker_says_why_it_is_stopped_where_an_earlier_release_does_not_look(tmp_path: Path) -> None:
    async with (
        open_to_play(tmp_path, None, print) as home,
        Redis.from_url(home.store.url, decode_responses=True) as redis,
    ):
        await home.store.workers.note(SLOW)
        [found] = await home.store.workers.all()
        assert found.stopped_by == LATENESS
        noted = str((await redis.hgetall("fudaba-arena:workers"))["far-1"])
        assert "stopped_by" not in json.loads(noted.partition("\n")[2])
        later = {"host": "", "waiting": 0, "stopped_by": {"cause": LATE, "of_a_later_release": 1}}
        await redis.hset("fudaba-arena:worker-hosts", "far-1", json.dumps(later))
        [found] = await home.store.workers.all()
        assert found.stopped_by == StopReason(LATE)
        await redis.hset("fudaba-arena:worker-hosts", "far-1", json.dumps({"host": "", "waiting": 0}))
        [found] = await home.store.workers.all()
        assert (found.stopped_by, found.why) == (StopReason(), "bots lose time here")


def test_organisers_are_told_why_a_worker_is_stopped_in_numbers_and_words() -> None:
    message = worker(SLOW, -1.5)
    assert (message.state, message.stop_cause) == (arena_pb2.WORKER_STATE_STOPPED, arena_pb2.WORKER_STOP_CAUSE_LATE)
    assert (message.late_seconds, message.seen_seconds, message.longest.ToTimedelta().total_seconds()) == (6, 40, 2.5)
    assert (message.message, message.clock_ahead.ToTimedelta().total_seconds()) == ("bots lose time here", -1.5)
    assert not worker(SLOW, None).HasField("clock_ahead")


def test_the_contract_has_each_cause_of_the_arena() -> None:
    for idle in IdleCause:
        assert arena_pb2.IdleCause.Value(f"IDLE_CAUSE_{idle.name}")
    assert len(arena_pb2.IdleCause.keys()) == len(IdleCause) + 1
    assert {f"STALL_CAUSE_{stall.name}" for stall in StallCause} == set(arena_pb2.StallCause.keys())
