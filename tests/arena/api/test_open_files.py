"""Callers cannot use up the files that an arena itself needs; where it has none left, it goes on once it has some."""

from __future__ import annotations

import shutil
import sys
import time
from typing import Final

import pytest

from fudaba.v1 import arena_pb2
from tests.support.arena.commands.tournaments import PLAYER, STEADY, bot, head
from tests.support.arena.nodes import LIVES, check_whole, node
from tests.support.arena.running import Service, gated, waits_at
from tests.support.arena.standing import standing
from tests.support.descriptors import MAX_FILES, STARTS_WITH_FEW, connected, none_left, open_files
from tests.support.patience import PATIENCE, wait_until

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]
HELLO: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
"""How a client of gRPC begins a connection: with empty settings."""
NONE_LEFT_SECONDS: Final = 5.0


def test_idle_connections_leave_an_arena_its_files_and_what_it_plays_is_played(hosted: Service) -> None:
    with standing(hosted, first=STARTS_WITH_FEW) as arena:
        assert f"may have {MAX_FILES} files open, so it accepts {MAX_FILES // 2} connections" in arena.output
        gate = arena.folder / "gate"
        arena.create(head("crowded", blocks=2) + STEADY + bot("waiting", PLAYER, env=gated(gate)))
        wait_until(lambda: waits_at(gate), "a match is played")
        assert arena.get("crowded").state == arena_pb2.TOURNAMENT_STATE_PLAYING
        with connected(arena.address, 2 * MAX_FILES, HELLO, PATIENCE):
            wait_until(lambda: open_files(arena.process.pid) < MAX_FILES - 20, "the further ones are closed")
            gate.touch()
            wait_until(
                lambda: arena.get("crowded").state == arena_pb2.TOURNAMENT_STATE_CLOSED,
                "who called before still does, and the rest is played",
            )
        check_whole(arena, "crowded")
        assert "Too many open files" not in arena.output
        assert "Traceback" not in arena.output


def test_an_arena_and_a_worker_that_have_no_file_left_for_a_while_go_on_and_lose_nothing(hosted: Service) -> None:
    with standing(hosted, "--workers") as arena, node(hosted, arena, "crowded", *LIVES) as worker:
        gate = arena.folder / "gate"
        waiting = bot("waiting", PLAYER, env=gated(gate))
        arena.create(head("starved", blocks=3, concurrency=2, attempts=50) + STEADY + waiting)
        wait_until(lambda: waits_at(gate), "a match is played")
        with none_left(arena.process.pid, worker.process.pid):
            gate.touch()  # its match ends, and the next need files: programs, pipes, logs
            time.sleep(NONE_LEFT_SECONDS)  # there is nothing to wait for: that is how long it lasts
        check_whole(arena, "starved")
        assert arena.process.poll() is None
        assert worker.process.poll() is None
        assert "Traceback" not in arena.output
        assert "Traceback" not in worker.output


def test_a_worker_that_can_start_no_bot_stops_after_one_block_and_plays_again_once_it_can(hosted: Service) -> None:
    with standing(hosted, "--workers") as arena:
        folder = arena.folder / "commands"
        shutil.copytree(arena.folder, folder, ignore=lambda _, names: {name for name in names if name != "player.py"})
        with node(hosted, arena, "folder", *LIVES, "--commands", str(folder)) as worker:
            folder.rename(arena.folder / "elsewhere")
            arena.create(head("unfounded", blocks=2, concurrency=1) + STEADY + bot("player", PLAYER))
            wait_until(lambda: "this host cannot start bots" in worker.output, "the worker stops")
            (arena.folder / "elsewhere").rename(folder)
            over = check_whole(arena, "unfounded")
            assert "this host runs bots again; this worker plays again" in worker.output
            assert 1 <= over.progress.blocks_void <= 2
