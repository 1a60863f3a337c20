"""Clocks that are wrong: leases run out by the store's time alone, and who is too far from it is not started."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from redis import Redis

from soak.chaos.clocks import Clock, compile_shim
from tests.support.arena.commands.tournaments import PLAYER, RANDOM, STEADY, bot, head
from tests.support.arena.nodes import check_whole, node
from tests.support.arena.running import Service, environment, gated, waits_at
from tests.support.arena.standing import Arena
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import FUDABA, RedisServer

NeedTool = Callable[[str], Path]
HEARTBEATS = "fudaba-arena:__heartbeats__"
HOUR_MS = 3_600_000


@pytest.mark.exhaustive
def test_a_dead_worker_that_the_engine_takes_for_alive_keeps_no_block(
    hosted: Service, arena: Arena, redis: RedisServer
) -> None:
    gate = arena.folder / "hour"
    with node(hosted, arena, "ahead") as ahead:
        waiting = bot("hourly", PLAYER, env=gated(gate))
        arena.create(head("ahead", blocks=1, attempts=50) + STEADY.replace("steady", "plain", 1) + waiting)
        wait_until(lambda: waits_at(gate), "a decision is open")
        ahead.die()
        # As a worker of an earlier release has it whose clock is ahead: dead in an hour.
        with Redis.from_url(redis.url.removesuffix("/0") + "/1") as queue:
            assert queue.exists(HEARTBEATS)
            for worker, at_ms in queue.zrange(HEARTBEATS, 0, -1, withscores=True):
                queue.zadd(HEARTBEATS, {worker: at_ms + HOUR_MS})
    gate.touch()
    with node(hosted, arena, "healthy"):
        check_whole(arena, "ahead")


@pytest.mark.parametrize("offset", [-3600, pytest.param(3600, marks=pytest.mark.nightly("the same an hour behind"))])
@pytest.mark.exhaustive
def test_a_worker_whose_clock_is_an_hour_wrong_is_not_started(
    hosted: Service, redis: RedisServer, tmp_path: Path, need_tool: NeedTool, offset: int
) -> None:
    need_tool("gcc")
    token = tmp_path / "token"
    token.write_text(hosted.arena_token)
    words: list[object] = ["arena", "worker", "--server", hosted.address, "--token-file", token, "--redis", redis.url]
    words += ["--logs", tmp_path / "logs", "--programs", tmp_path / "programs"]
    done = shifted(tmp_path, offset, *words)
    check_told(done.stderr, "worker", offset)
    assert "NTP" in done.stderr
    assert done.returncode == 1


@pytest.mark.exhaustive
def test_an_arena_whose_clock_is_an_hour_wrong_is_not_started(
    hosted: Service, redis: RedisServer, tmp_path: Path, need_tool: NeedTool
) -> None:
    need_tool("gcc")
    file, token = tmp_path / "t.toml", tmp_path / "token"
    file.write_text(head("late") + STEADY + RANDOM)
    token.write_text(hosted.arena_token)
    words = ["arena", "run", file, "--server", hosted.address, "--token-file", token, "--redis", redis.url]
    done = shifted(tmp_path, -3600, *words, "--data", tmp_path / "data")
    check_told(done.stderr, "arena", -3600)
    assert done.returncode == 1


def check_told(stderr: str, program: str, offset: int) -> None:
    """Checks that it says how wrong the clock is. On a busy machine a look at another clock takes its time."""
    way = "ahead of" if offset > 0 else "behind"
    found = re.search(rf"the clock of this {program} is (\d+) s {way} the one of the arena's store", stderr)
    assert found is not None, stderr
    assert abs(int(found[1]) - abs(offset)) < PATIENCE


def shifted(folder: Path, offset: int, *words: object) -> subprocess.CompletedProcess[str]:
    """Returns what a command of `fudaba` says whose wall clock is some seconds ahead or behind."""
    clock = Clock(folder / "offset", compile_shim(folder))
    clock.set(offset)
    command, env = [str(FUDABA), *map(str, words)], environment() | clock.environment
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE, env=env)
