"""Whatever dies between an arena and its workers: each match has one result, no bot is charged, no process is left."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from redis import Redis

from fudaba.v1 import arena_pb2
from tests.support.arena.commands.tournaments import PATIENT_CLOCK, PLAYER, STEADY, bot, head
from tests.support.arena.nodes import Node, check_whole, node
from tests.support.arena.running import Service, gated, runs, waits_at
from tests.support.arena.standing import Arena, standing
from tests.support.arena.workers.losses import causes
from tests.support.patience import wait_until
from tests.support.service.processes import RedisServer


def begin(arena: Arena, name: str, blocks: int = 2) -> Path:
    """Returns a tournament whose matches begin, and end once a file exists; its path. Of its bots one is a command.

    Each match starts a process, which is what most of a test's CPU goes to.
    """
    gate = arena.folder / f"{name}.gate"
    waiting = bot(f"waiting-{name}", PLAYER, env=gated(gate))
    text = head(name, blocks=blocks, concurrency=2, attempts=50, clock=PATIENT_CLOCK) + STEADY + waiting
    arena.create(text.replace('"steady"\nbuiltin', f'"steady-{name}"\nbuiltin'))
    return gate


def playing(gate: Path, *nodes: Node) -> None:
    """Returns when these nodes have bots, of which some have a decision to answer."""
    wait_until(lambda: waits_at(gate) and all(worker.bots() for worker in nodes), "the nodes play")


@pytest.mark.nightly(
    "`test_clocks.py` has another worker play what a dead one had, as have matches that ran on without their bots below"
)
def test_what_a_dead_worker_had_is_played_by_another(hosted: Service, arena: Arena) -> None:
    with node(hosted, arena, "dead") as dead:
        gate = begin(arena, "killed")
        playing(gate, dead)
        bots = dead.bots()
        dead.die()
        wait_until(lambda: not any(map(runs, bots)), "its bots end with it")
        gate.touch()
        with node(hosted, arena, "heir") as heir:
            check_whole(arena, "killed")
    played = {match["worker"] for match in arena.json("arena", "matches", "--tournament", "killed")}
    assert heir.name in played
    assert played <= {dead.name, heir.name}
    assert causes(arena, "killed") <= {arena_pb2.VOID_CAUSE_WORKER_LOST}


@pytest.mark.exhaustive
def test_matches_that_ran_on_without_their_bots_are_played_again_on_new_deals(hosted: Service, arena: Arena) -> None:
    gate = arena.folder / "gate"
    with node(hosted, arena, "gone") as gone:
        waiting = bot("waiting", PLAYER, env=gated(gate))
        arena.create(head("alone", blocks=1, attempts=50) + "[clock]\nmove_ms = 1000\n" + STEADY + waiting)
        wait_until(lambda: waits_at(gate), "a decision is open")
        gone.die()
    gate.touch()
    with node(hosted, arena, "back"):
        over = check_whole(arena, "alone")
    assert over.progress.blocks_void
    assert causes(arena, "alone") == {arena_pb2.VOID_CAUSE_WORKER_LOST}


@pytest.mark.nightly("nor is one charged whose matches ran on without it, above")
def test_a_bot_that_is_slow_to_be_there_again_is_not_charged_for_that(hosted: Service, arena: Arena) -> None:
    gate = arena.folder / "there"
    with node(hosted, arena, "fallen") as fallen:
        waiting = bot("starting", PLAYER, env=gated(gate))
        clock = "[clock]\nmove_ms = 9000\nbank_ms = 0\nmax_timeouts = 1\n"
        arena.create(head("started", blocks=1, attempts=50) + clock + STEADY + waiting)
        wait_until(lambda: waits_at(gate), "a decision is open")
        fallen.die()
    with node(hosted, arena, "follower"):
        wait_until(lambda: arena.get("started").progress.blocks_void, "its block is void")
        gate.touch()
        over = check_whole(arena, "started")
    assert over.progress.blocks_void
    assert causes(arena, "started") == {arena_pb2.VOID_CAUSE_WORKER_LOST}


@pytest.mark.nightly(
    "in `test_blocks.py` a worker whose lease has run out begins nothing, and `store/test_results.py`"
    " stores a result once, however often it comes"
)
def test_a_worker_that_was_cut_off_and_comes_back_stores_nothing_twice(hosted: Service, arena: Arena) -> None:
    with node(hosted, arena, "frozen") as frozen:
        gate = begin(arena, "cut-off", blocks=4)
        playing(gate, frozen)
        stopped = frozen.freeze()
        gate.touch()
        with node(hosted, arena, "awake"):
            wait_until(lambda: arena.get("cut-off").progress.blocks_counted >= 2, "the other one plays on")
            for pid in stopped:
                os.kill(pid, signal.SIGCONT)
            check_whole(arena, "cut-off")
            assert frozen.process.poll() is None, frozen.output


@pytest.mark.exhaustive
def test_a_redis_that_dies_under_load_costs_time_and_no_result(
    hosted: Service, arena: Arena, redis: RedisServer
) -> None:
    with node(hosted, arena, "loaded") as worker:
        gate = begin(arena, "redis-died")
        playing(gate, worker)
        redis.kill()
        gate.touch()  # results come while it is gone
        redis.start()
        check_whole(arena, "redis-died")


@pytest.mark.exhaustive
def test_what_the_queue_has_lost_is_sent_again(hosted: Service, arena: Arena, redis: RedisServer) -> None:
    gate = begin(arena, "queue-lost", blocks=1)
    gate.touch()
    with Redis.from_url(redis.url.removesuffix("0") + "1") as queue:
        wait_until(lambda: queue.hlen("fudaba-arena:blocks-with-commands.msgs"), "blocks are in the queue")
        queue.flushdb()
    with node(hosted, arena, "sweeper"):
        check_whole(arena, "queue-lost")


@pytest.mark.exhaustive
def test_a_worker_that_is_stopped_leaves_the_rest_to_others_and_a_killed_arena_finds_it(
    hosted: Service, arena: Arena
) -> None:
    with node(hosted, arena, "leaving", "--grace", "0") as leaving:
        gate = begin(arena, "left")
        playing(gate, leaving)
        assert leaving.stop() == 0
        assert not leaving.bots()
    gate.touch()
    arena.kill()
    with node(hosted, arena, "staying"):
        arena.start()
        check_whole(arena, "left")
    assert causes(arena, "left") <= {arena_pb2.VOID_CAUSE_STOPPED}


@pytest.mark.exhaustive
def test_a_tournament_that_is_closed_is_played_nowhere_when_its_master_is_open(hosted: Service, arena: Arena) -> None:
    with node(hosted, arena, "closing") as worker:
        playing(begin(arena, "closed"), worker)
        assert arena.command("tournament", "close", "closed").returncode == 0
        assert arena.get("closed").master
        assert all(match.HasField("end") for match in hosted.matches("closed").values())
        wait_until(lambda: not [pid for pid in worker.bots() if _plays_one_match(pid)], "its bots end")


@pytest.mark.nightly("another worker takes it back above, and `test_taking_back.py` has an arena that takes it back")
def test_an_arena_that_plays_itself_again_takes_back_what_workers_had(hosted: Service) -> None:
    with standing(hosted, "--workers") as arena:
        with node(hosted, arena, "was") as was:
            gate = begin(arena, "back-home")
            playing(gate, was)
            gate.touch()
            arena.kill()
            arena.options = ()
            arena.start()
            check_whole(arena, "back-home")
        assert causes(arena, "back-home") <= {arena_pb2.VOID_CAUSE_STOPPED}


def _plays_one_match(pid: int) -> bool:
    try:
        return b"player.py" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False  # gone
