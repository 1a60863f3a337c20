"""Workers during maintenance of the service: blocks that they have pause, and others may go on with them."""

from __future__ import annotations

from pathlib import Path

from fudaba.v1 import arena_pb2
from tests.support.arena.api.ladders import until
from tests.support.arena.commands.tournaments import PATIENT_CLOCK, PLAYER, STEADY, bot, finished, head
from tests.support.arena.maintenance import BEGUN, maintenance
from tests.support.arena.nodes import LIVES, check_whole, node
from tests.support.arena.running import Service, gated, waits_at
from tests.support.arena.standing import Arena
from tests.support.patience import PATIENCE


def seats_in_use(arena: Arena) -> int:
    """Returns how many seats the workers use, as they have reported."""
    workers = arena.calls().arena.ListWorkers(arena_pb2.ListWorkersRequest(), timeout=PATIENCE).workers
    return sum(worker.seats for worker in workers)


def test_a_worker_that_stops_during_maintenance_leaves_its_block_whole_to_another(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    player = bot("player", PLAYER, env=gated(gate))
    definition = head("rested", blocks=1, concurrency=1, clock=PATIENT_CLOCK, options="{ deals = 2 }")
    with node(hosted, arena, "early", *LIVES, "--bots", "2") as early:
        arena.create(definition + player + STEADY)
        until(arena, lambda: waits_at(gate), "a match is in play")
        with maintenance(hosted):
            until(arena, lambda: BEGUN in early.output, "the worker knows of the maintenance")
            gate.touch()
            until(arena, lambda: finished(hosted, "rested") == 1, "the match in play is played to its end")
            until(arena, lambda: not seats_in_use(arena), "no other match is tried")
            assert early.stop() == 0, early.output
            assert len(hosted.matches("rested")) == 1
        with node(hosted, arena, "later", *LIVES):
            assert check_whole(arena, "rested").progress.blocks_void == 0
