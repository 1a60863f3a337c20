"""A service, a standing arena and workers: processes started by their commands, and the CPU time of each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import redis

from bench.processes import cpu_seconds
from fudaba.client import Client
from fudaba.v1 import arena_pb2

PROGRAM = "from fudaba.cli import main; main()"
_TICKS = os.sysconf("SC_CLK_TCK")
_CALL_TIMEOUT_SECONDS = 300.0
_STOP_TIMEOUT_SECONDS = 30.0


@dataclass(frozen=True)
class Cpu:
    """CPU time in seconds, by user; or the average of a number of such."""

    arena: float = 0.0
    workers: float = 0.0
    """The workers, with their canaries."""
    bots: float = 0.0
    """The bots that workers started."""
    service: float = 0.0
    stores: float = 0.0
    """The Redis of the service and that of the arena."""

    def __sub__(self, other: Cpu) -> Cpu:
        return Cpu(*(a - b for a, b in zip(self._all(), other._all(), strict=True)))

    def __truediv__(self, number: float) -> Cpu:
        return Cpu(*(part / number for part in self._all()))

    def _all(self) -> tuple[float, ...]:
        return self.arena, self.workers, self.bots, self.service, self.stores


class Standing:
    """All of these processes, in one folder that is removed afterwards."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = f"unix:{folder}/s"
        self.arena_address = f"unix:{folder}/a"
        self.arena_token = folder / "arena.token"
        self._token = folder / "organiser.token"
        self.workers: list[subprocess.Popen[bytes]] = []
        tokens = ["--organiser-token-file", str(self._token), "--arena-token-file", str(self.arena_token)]
        self.service = self._start("serves on", "serve", "--data", str(folder / "service"),
                                   "--listen", self.address, *tokens)  # fmt: skip
        where = ["--data", str(folder / "arena"), "--listen", self.arena_address, "--commands", str(folder)]
        self.arena = self._start("serves on", "arena", "serve", "--workers", *where, *self._whom())

    @property
    def token(self) -> str:
        """The organiser's token."""
        return self._token.read_text().strip()

    def add_worker(self, *options: str) -> None:
        """Starts another worker, which never stops for being slow. Returns when it plays."""
        where = ["--data", str(self.folder / "arena"), "--commands", str(self.folder), "--grace", "0", "--late", "3600"]
        self.workers.append(self._start("plays as", "arena", "worker", *where, *self._whom(), *options))

    def stop_workers(self) -> None:
        """Ends all workers."""
        for worker in self.workers:
            _end(worker)
        self.workers.clear()

    def stop(self) -> None:
        """Ends everything."""
        self.stop_workers()
        _end(self.arena)
        _end(self.service)

    def create(self, definition: str, *, ladder: bool = False) -> None:
        """Creates a tournament or a ladder, which the arena then plays."""
        with Client(self.arena_address, self.token) as client:
            if ladder:
                client.arena.CreateLadder(
                    arena_pb2.CreateLadderRequest(definition=definition), timeout=_CALL_TIMEOUT_SECONDS
                )
            else:
                client.arena.CreateTournament(
                    arena_pb2.CreateTournamentRequest(definition=definition), timeout=_CALL_TIMEOUT_SECONDS
                )

    def close(self, tournament: str) -> None:
        """Ends a tournament. Its matches in play are aborted."""
        with Client(self.arena_address, self.token) as client:
            client.arena.CloseTournament(
                arena_pb2.CloseTournamentRequest(tournament=tournament), timeout=_CALL_TIMEOUT_SECONDS
            )

    def pause_ladder(self, season: str) -> None:
        """Pauses a ladder. Returns once nothing of its season is in play."""
        with Client(self.arena_address, self.token) as client:
            request = arena_pb2.PauseLadderRequest(ladder=season.rpartition(".")[0])
            client.arena.PauseLadder(request, timeout=_CALL_TIMEOUT_SECONDS)
        wait_until(lambda: not self.players(season))

    def resume_ladder(self, season: str) -> None:
        """Resumes a ladder."""
        with Client(self.arena_address, self.token) as client:
            request = arena_pb2.ResumeLadderRequest(ladder=season.rpartition(".")[0])
            client.arena.ResumeLadder(request, timeout=_CALL_TIMEOUT_SECONDS)

    def closed_bots(self, tournament: str, begin: int) -> list[set[str]]:
        """Returns the players of each match of the closed blocks from a place in their sequence on."""
        with self.store() as store:
            lines = cast("list[bytes]", store.lrange(f"fudaba-arena:{{{tournament}}}:closed", begin, -1))
        went = (json.loads(line.split(b"\t")[0].split(b" ", 3)[3]) for line in lines)
        return [{bot.partition("@")[0] for bot in match[1]} for block in went for match in block]

    def played(self, tournament: str) -> int:
        """Returns the number of closed blocks. It asks the store, so the arena has no work."""
        with self.store() as store:
            return int(store.llen(f"fudaba-arena:{{{tournament}}}:closed"))

    def waiting(self) -> int:
        """Returns the number of blocks that wait in the queue for a worker."""
        with self.store() as store:
            store.select(1)
            return sum(int(store.llen(f"fudaba-arena:{name}")) for name in ("blocks", "blocks-with-commands"))

    def players(self, tournament: str) -> set[object]:
        """Returns the workers that play a block of a tournament, while they show signs of life."""
        stem = f"fudaba-arena:{{{tournament}}}"
        with self.store() as store:
            leases = [store.get(f"{stem}:lease:{int(number)}") for number in store.smembers(f"{stem}:handed-out")]
        return {worker for worker in leases if worker is not None}

    def kill_oldest_worker(self) -> float:
        """Kills the worker that was added first, as a power cut would. Returns the monotonic time."""
        worker = self.workers.pop(0)
        moment = time.monotonic()
        worker.kill()
        worker.wait()
        return moment

    def cpu(self) -> Cpu:
        """Returns the CPU time used so far."""
        children = _children()
        used = dict.fromkeys(("workers", "bots", "stores"), 0.0)
        for owner in (self.service, self.arena):
            used["stores"] += sum(map(cpu_seconds, children.get(owner.pid, ())))
        for worker in self.workers:
            used["workers"] += cpu_seconds(worker.pid)
            used["bots"] += _ended_cpu_seconds(worker.pid)
            for child in children.get(worker.pid, ()):
                if b"workers.canary" in _command(child):
                    used["workers"] += cpu_seconds(child)
                else:
                    used["bots"] += _total_cpu_seconds(child, children)
        return Cpu(arena=cpu_seconds(self.arena.pid), service=cpu_seconds(self.service.pid), **used)

    def _whom(self) -> list[str]:
        return ["--server", self.address, "--token-file", str(self.arena_token)]

    @contextmanager
    def store(self) -> Iterator[redis.Redis]:
        """Yields the arena's store."""
        url = (self.folder / "arena" / "store.url").read_text().strip()
        with redis.Redis.from_url(url, single_connection_client=True) as store:
            yield store

    def _start(self, ready: str, *words: str) -> subprocess.Popen[bytes]:
        log = self.folder / f"{len(list(self.folder.glob('*.log')))}.log"
        env = {name: value for name, value in os.environ.items() if not name.startswith("FUDABA_")}
        with log.open("wb") as output:
            process = subprocess.Popen([sys.executable, "-c", PROGRAM, *words], stdout=output, stderr=output, env=env)
        wait_until(lambda: process.poll() is not None or ready in log.read_text())
        if process.poll() is not None:
            raise RuntimeError(f"`fudaba {' '.join(words)}` ended: {log.read_text()}")
        return process


@contextmanager
def standing() -> Iterator[Standing]:
    """Yields a service and an arena without workers, until the context is left."""
    with tempfile.TemporaryDirectory(prefix="fudaba-bench-", ignore_cleanup_errors=True) as place:
        arena = Standing(Path(place))
        try:
            yield arena
        finally:
            arena.stop()


def wait_until(condition: Callable[[], object]) -> None:
    """Waits until a condition is true."""
    deadline = time.monotonic() + _CALL_TIMEOUT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("what is measured does not begin")
        time.sleep(0.05)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _children() -> dict[int, list[int]]:
    """Returns the running processes, by parent."""
    found: dict[int, list[int]] = {}
    for place in Path("/proc").glob("[0-9]*"):
        fields = _fields(int(place.name))
        if fields:
            found.setdefault(int(fields[1]), []).append(int(place.name))
    return found


def _fields(pid: int) -> list[str]:
    """Returns the fields of /proc/PID/stat after the name; none if the process is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return []


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _ended_cpu_seconds(pid: int) -> float:
    """Returns the CPU time of a process's ended children."""
    fields = _fields(pid)
    return (int(fields[13]) + int(fields[14])) / _TICKS if fields else 0.0


def _total_cpu_seconds(pid: int, children: dict[int, list[int]]) -> float:
    """Returns the CPU time of a process with all its descendants."""
    fields = _fields(pid)
    own = sum(int(field) for field in fields[11:15]) / _TICKS if fields else 0.0
    return own + sum(_total_cpu_seconds(child, children) for child in children.get(pid, ()))
