"""A worker whose bots are kept from running is stopped, and what it had is played again; one with much to do is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from fudaba.v1 import arena_pb2
from tests.support.arena.commands.tournaments import PLAYER, SENSIBLE, bot, head
from tests.support.arena.nodes import Node, check_whole, node
from tests.support.arena.running import Service, gated
from tests.support.arena.standing import Arena
from tests.support.arena.workers.losses import causes
from tests.support.patience import wait_until
from tests.support.sizes import some

LATE_SECONDS = 0.3


@contextmanager
def faltering(worker_node: Node) -> Iterator[None]:
    """Yields what a node has started stands still most of the time, while the node itself runs."""
    over = threading.Event()

    def falter() -> None:
        while not over.is_set():
            stopped = worker_node.children()
            for pid in stopped:
                signalled(pid, signal.SIGSTOP)
            over.wait(2 * LATE_SECONDS)
            for pid in stopped:
                signalled(pid, signal.SIGCONT)
            over.wait(LATE_SECONDS / 4)

    thread = threading.Thread(target=falter)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def signalled(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return  # it has ended


def worker(arena: Arena, name: str) -> dict[str, Any]:
    """Returns what the arena lists of a worker."""
    listed = arena.json("arena", "workers", "--redis", arena.redis)["workers"]
    return next(row for row in listed if row["name"] == name)


def at_work(worker_row: dict[str, Any]) -> bool:
    """Returns whether a worker plays a block: on a busy machine it may have been stopped for a while."""
    return bool(worker_row["state"] == "playing" and worker_row["blocks"] > 0)


@pytest.mark.nightly(
    "`test_timekeeping.py` says who is slow, and in `test_watch.py` such a worker gives back what it has and stops"
)
def test_a_worker_whose_bots_are_kept_from_running_is_stopped_and_its_blocks_are_played_again(
    hosted: Service, arena: Arena
) -> None:
    gate = arena.folder / "gate"
    waiting = bot("waiting", PLAYER, env=gated(gate))
    text = head("faltering", blocks=2, concurrency=4, attempts=50) + "[clock]\nmove_ms = 3600000\n" + SENSIBLE + waiting
    with node(hosted, arena, "faltering", "--late", str(LATE_SECONDS)) as slow:
        arena.create(text)
        wait_until(lambda: in_play(hosted, "faltering"), "a match is in play")
        wait_until(lambda: at_work(worker(arena, slow.name)), "the worker plays")
        with faltering(slow):
            wait_until(lambda: worker(arena, slow.name)["state"] == "stopped", "it is stopped")
            shown = worker(arena, slow.name)
            assert "bots lose time" in shown["why"]
            wait_until(lambda: worker(arena, slow.name)["blocks"] == 0, "it gives back what it has")
            wait_until(lambda: f"worker {slow.name} is stopped: bots lose time" in arena.output, "the organiser hears")
            gate.touch()
            with node(hosted, arena, "swift"):
                over = check_whole(arena, "faltering")
    assert over.progress.blocks_void
    assert causes(arena, "faltering") == {arena_pb2.VOID_CAUSE_WORKER_SLOW}


def in_play(hosted: Service, name: str) -> list[str]:
    """Returns the matches of a tournament that have begun and are not over."""
    return [
        match_id
        for match_id, match in hosted.matches(name).items()
        if match.HasField("start_time") and not match.HasField("end")
    ]


@pytest.mark.nightly("`test_timekeeping.py` says who is slow, and who is only busy")
def test_a_worker_with_more_to_do_than_its_cores_can_plays_on(hosted: Service, arena: Arena) -> None:
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        with node(hosted, arena, "busy", "--late", "20") as running:
            arena.create(
                head("busy", blocks=some(6, least=2), concurrency=12) + SENSIBLE + bot("other", 'builtin = "sensible"')
            )
            check_whole(arena, "busy")
            assert worker(arena, running.name)["state"] == "playing"
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert causes(arena, "busy") == set()
