"""An arena on a Redis that Sentinels watch, over a failover: each result counts once, and no block is lost."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from fudaba_arena.play.workers.block_queue import BlockQueue, new_message
from fudaba_arena.store.answers import StoreUnavailable
from fudaba_serving.redis import sentinel
from tests.support.arena.commands.tournaments import (
    PATIENT_CLOCK,
    PLAYER,
    RANDOM,
    bot,
    finished,
    head,
)
from tests.support.arena.running import Arena, Service, gated, service, waits_at
from tests.support.patience import PATIENCE, until, wait_until
from tests.support.service.sentinels import watched


@pytest.fixture
def hosted() -> Iterator[Service]:
    with service() as running:
        yield running


@pytest.mark.exhaustive
def test_a_tournament_goes_on_over_a_failover_and_each_result_counts_once(hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    slow = bot("slow", PLAYER, env=gated(gate, free=3))
    arena = Arena(hosted, tmp_path, head("failover", blocks=4, clock=PATIENT_CLOCK) + RANDOM + slow)
    with watched(tmp_path) as pair:
        with arena.run("--redis", pair.url) as running:
            wait_until(lambda: finished(hosted, "failover") >= 2 and waits_at(gate), "play")
            running.process.send_signal(signal.SIGSTOP)  # else it would write after the replica has all
            try:
                pair.fail_over()
            finally:
                running.process.send_signal(signal.SIGCONT)
            gate.touch()
            assert running.wait() == 0, running.output
        redis = pair.servers[1].url
        counted = [match["match_id"] for match in arena.json("matches", "--redis", redis) if match["counts"] == "yes"]
        assert sorted(counted) == sorted(hosted.matches("failover"))
        assert len(counted) == 8
        assert arena.json("matches", "--void", "--redis", redis) == []


async def test_the_queue_of_blocks_follows_a_failover(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentinel, "_ASK_SECONDS", PATIENCE)
    with watched(tmp_path) as pair:
        queue = BlockQueue(pair.url)
        before, after = (new_message(commands=False) for _ in range(2))
        await queue.send(before, "t", 0, 1)
        await asyncio.to_thread(pair.fail_over)

        async def sent() -> bool:
            with contextlib.suppress(StoreUnavailable):
                await queue.send(after, "t", 1, 1)
                return True
            return False

        await until(sent, "the queue")
        assert await queue.lost([before, after]) == set()
        assert await queue.fetched([before, after]) == set()
        await queue.close()
