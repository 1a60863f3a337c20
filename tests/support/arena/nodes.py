"""Machines with a worker, on this one: each is a session of its own, which can die or be cut off as a whole."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from fudaba.v1 import arena_pb2
from tests.support.arena.running import Service, environment, runs
from tests.support.arena.standing import Arena
from tests.support.forked import Forked
from tests.support.patience import PATIENCE, wait_until

HEARTBEAT_SECONDS: Final = 2.0
"""Seconds after which a node that is silent counts as dead."""
LIVES: Final = "--heartbeat", str(PATIENCE)
"""Options of a node that a test does not kill: else it would count as dead where the machine keeps it waiting, and what
it has begun would be void."""
NEVER_LATE_SECONDS: Final = 3600
"""No node is stopped for slow bots, unless a test has it so: the machine may have much else to do."""


class Node:
    """A worker, with the bots that it starts."""

    def __init__(self, service: Service, arena: Arena, name: str, *options: str) -> None:
        self.folder = arena.folder / name
        self.folder.mkdir()
        self.log = self.folder / "log"
        token = self.folder / "token"
        token.write_text(service.arena_token)
        where = ["--server", service.address, "--token-file", str(token), "--logs", str(self.folder / "bots")]
        where += ["--programs", str(self.folder / "programs")]
        store = ["--redis", arena.redis] if arena.redis else ["--data", str(arena.folder / "data")]
        more = [
            "--heartbeat",
            str(HEARTBEAT_SECONDS),
            "--commands",
            str(arena.folder),
            "--late",
            str(NEVER_LATE_SECONDS),
            *options,
        ]
        self.process = Forked(["arena", "worker", *where, *store, *more], self.log, environment())

    @property
    def output(self) -> str:
        return self.log.read_text(encoding="utf-8") if self.log.exists() else ""

    def wait_until_it_plays(self) -> None:
        def plays() -> bool:
            assert self.process.poll() is None, self.output
            return "plays as" in self.output

        wait_until(plays, lambda: f"the worker plays: {self.output}")

    @property
    def name(self) -> str:
        """The arena's name for it, once it plays."""
        return self.output.partition("plays as ")[2].partition("\n")[0]

    def bots(self) -> list[int]:
        """Returns the processes of its bots."""
        return [pid for pid in self.children() if not _is_canary(pid)]

    def children(self) -> list[int]:
        """Returns the processes of its bots, and its canary."""
        found: list[int] = []
        for begun in Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            with suppress(OSError):  # gone
                found += map(int, begun.read_text().split())
        return [pid for pid in found if runs(pid)]

    def die(self) -> None:
        """Ends it as a power cut does; its bots are ended by the kernel."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def freeze(self) -> list[int]:
        """Stops all of its processes, until `thaw`. Returns their ids."""
        frozen = [self.process.pid, *self.children()]
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        return frozen

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(PATIENCE)


@contextmanager
def node(service: Service, arena: Arena, name: str, *options: str) -> Iterator[Node]:
    """Yields a node that plays; it and its bots are gone when the block is left."""
    started = Node(service, arena, name, *options)
    try:
        started.wait_until_it_plays()
        yield started
    finally:
        if started.process.poll() is None:
            os.kill(started.process.pid, signal.SIGCONT)
            started.die()
        wait_until(lambda: not started.children(), "its bots end with it")


def _is_canary(pid: int) -> bool:
    try:
        return b"fudaba_arena.workers.canary" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False  # gone


def check_whole(arena: Arena, name: str) -> arena_pb2.Tournament:
    """Checks that everything was played, each match that counts once, each block closed once, and no bot was
    charged."""
    over = arena.wait_for(name, arena_pb2.TOURNAMENT_STATE_CLOSED)
    assert over.progress.complete
    matches = arena.matches(name)
    counted = [match.match_id for match in matches if match.counting == arena_pb2.MATCH_COUNTING_COUNTED]
    assert len(counted) == len(set(counted)) == over.progress.matches_planned
    with arena.client("") as client:
        stream = client.arena.WatchTournament(arena_pb2.WatchTournamentRequest(tournament=name), timeout=PATIENCE)
        changes = [change for message in stream for change in message.changes]
    blocks = [change.block for change in changes if change.WhichOneof("change") == "block"]
    assert len({block.number for block in blocks}) == len(blocks)
    assert len(blocks) == over.progress.blocks_counted + over.progress.blocks_void
    assert not [block for block in blocks if block.absent_bots]
    assert not over.withdrawals
    return over
