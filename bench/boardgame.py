"""Measures durable Naga beside Naga on boardgame.io, whose matches are in memory. See scripts/bench boardgame.

The rules there are a port of ours in `bench/boardgame_io`. Before any measurement, both play the same matches and must
agree on the scores. There, Socket.IO and boardgame.io's own client carry the moves, with one connection for each seat;
here, Play carries them, with batches over two streams. Each server has its own core, and the clients, here together
with Redis, have another.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from bench.generator import generator
from bench.play import endless_matches
from bench.processes import children, cpu_seconds, pin
from bench.rows import Row, Skipped, progress, row, table
from bench.service_process import service
from fudaba_games.match import Match
from fudaba_games.naga.cards import cards_of
from fudaba_games.naga.values import Designate
from fudaba_games.registry import GAMES

__all__ = ["main", "scripts"]

_SOURCE: Final = Path(__file__).parent / "boardgame_io"
_SERVER, _CLIENT = 0, 1
"""The cores of the server and of the clients."""
_WARM_UP_SECONDS: Final = 1.0
_CONCURRENT_MATCHES: Final = 100
"""The number of simultaneous matches, on two streams."""


def scripts(number: int, deals: int, seed: int) -> list[dict[str, Any]]:
    """Returns a number of matches of random moves, in the form of `bench/boardgame_io/check.js`."""
    chance, game = random.Random(seed), GAMES["naga"]
    found = []
    for _ in range(number):
        shuffle = chance.randbytes(32)
        match: Match[Any, Any, Any, Any] = Match(game, 2, {"deals": deals, "first_dealer": 0}, shuffle)
        moves: list[dict[str, Any]] = []
        while match.outcome is None:
            decision = chance.choice(match.open_decisions())
            move = chance.choice(decision.legal)
            payload = {"place": move.place} if isinstance(move, Designate) else {"cards": cards_of(move.cards)}
            moves.append({"seat": decision.seat, **payload})
            match.play(decision.seat, move)
        found.append({
            "seed": shuffle.hex(), "deals": deals, "moves": moves, "scores": list(match.outcome.scores),
        })  # fmt: skip
    return found


def _installed() -> Path:
    """Returns a folder with boardgame.io, in the versions of the lock file."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        raise Skipped("it needs Node and npm")
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fudaba-bench" / "boardgame_io"
    lock = _SOURCE / "package-lock.json"
    known = folder / lock.name
    fresh = known.exists() and known.read_bytes() == lock.read_bytes() and (folder / "node_modules").exists()
    shutil.copytree(_SOURCE, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules"))
    if not fresh:
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder


@contextmanager
def _node(core: int, folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Yields a Node process on its own core, and the first line of its output."""
    process = subprocess.Popen(
        ["node", *arguments], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        if process.stdout is None:
            raise RuntimeError("the process has no output")
        pin(process.pid, core)
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def _asked(process: subprocess.Popen[str]) -> int:
    """Returns the number of moves that the server has taken so far."""
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the clients have no input or output")
    process.stdin.write("\n")
    process.stdin.flush()
    return int(process.stdout.readline())


def _theirs(folder: Path, matches: int, seconds: float) -> tuple[float, float]:
    """Returns moves per second on boardgame.io, and the server's CPU for each in microseconds."""
    with (
        _node(_SERVER, folder, "server.js") as (server, port),
        _node(_CLIENT, folder, "clients.js", port, str(matches)) as (clients, _),
    ):
        time.sleep(_WARM_UP_SECONDS)
        first, cpu, began = _asked(clients), cpu_seconds(server.pid), time.perf_counter()
        time.sleep(seconds)
        moves, spent = _asked(clients) - first, time.perf_counter() - began
        return moves / spent, (cpu_seconds(server.pid) - cpu) / max(1, moves) * 1e6


async def _ours(port: str, token: str, pid: int, seconds: float) -> tuple[float, float]:
    """Returns the same for our service."""
    async with endless_matches(port, token, _CONCURRENT_MATCHES, 2) as tokens:
        with generator(_CLIENT, kind="play", port=port, tokens=tokens, batches=True) as playing:
            await asyncio.sleep(_WARM_UP_SECONDS)
            playing.taken()
            cpu = cpu_seconds(pid)
            await asyncio.sleep(seconds)
            taken = playing.taken()
            return taken.rate, (cpu_seconds(pid) - cpu) / max(1, taken.units) * 1e6


def _measured(runs: int, seconds: float, matches: list[int]) -> list[Row]:
    if len(os.sched_getaffinity(0)) < 2:
        raise Skipped("it needs two cores, one for the server alone")
    folder, rows = _installed(), []
    checked = subprocess.run(
        ["node", "check.js"],
        check=False,
        cwd=folder,
        input=json.dumps(scripts(200, 9, 1)),
        text=True,
        capture_output=True,
    )
    if checked.returncode:
        raise click.ClickException(f"the port plays otherwise than we do:\n{checked.stdout}{checked.stderr}")
    click.echo(f"the port plays as we do: {checked.stdout.strip()}", err=True)
    with (
        tempfile.TemporaryDirectory() as data,
        service(Path(data)) as served,
    ):
        pin(served.pid, _SERVER)
        for store in children(served.pid):
            pin(store, _CLIENT)
        for number in matches:
            rates, cpu = [], []
            for run in range(runs):
                progress(f"Naga beside boardgame.io with {number} matches", run, runs)
                our_rate, our_cpu = asyncio.run(_ours(served.port, served.token, served.pid, seconds))
                their_rate, their_cpu = _theirs(folder, number, seconds)
                rates.append((our_rate, their_rate))
                cpu.append((our_cpu, their_cpu))
            yardstick = f"boardgame.io in memory, {number} matches"
            setup = f"{_CONCURRENT_MATCHES} matches, 2 streams with batches, durable"
            rows.append(row(f"Naga moves a second, {setup}", yardstick, "≥ 5", rates, "1/s"))
            rows.append(row(f"server CPU per Naga move, {setup}", yardstick, "≤ 0.2", cpu, "us"))
    return rows


@click.command()
@click.option("--runs", type=click.IntRange(1), default=7, show_default=True)
@click.option("--seconds", type=click.FloatRange(min=1), default=3.0, show_default=True, help="Length of one run.")
@click.option("--matches", default="20,100", show_default=True,
              help="Numbers of matches at once on boardgame.io, each in turn; separate them by commas.")  # fmt: skip
def main(runs: int, seconds: float, matches: str) -> None:
    """Measure moves a second of Naga, durable, beside Naga on boardgame.io, in memory.

    Example: scripts/bench boardgame --runs 3
    """
    try:
        rows = _measured(runs, seconds, [int(number) for number in matches.split(",")])
    except Skipped as reason:
        raise click.ClickException(str(reason)) from reason
    click.echo(table(rows))
    click.echo(f"\nMedian of {runs} runs of {seconds:g} s, load at the end {os.getloadavg()[0]:.0f}.")


if __name__ == "__main__":
    main(prog_name="scripts/bench boardgame")
