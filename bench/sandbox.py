"""Measures the cost of the sandbox for a submitted bot, beside the same program without a sandbox in the same run. See
scripts/bench sandbox.

It uses a real service. It measures starts of Python, and of a bot with the kit; the processor time of a match of two
instant bots, for its processes and the relay; a match of every game, one after the other; and the time of a
submission's check, with an arena and a worker.
"""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import click

from bench.service_process import service
from fudaba.client import Endpoint
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.programs.program import Program
from fudaba_arena.programs.reading_runtimes import read_runtimes
from fudaba_arena.programs.runtimes import Runtime
from fudaba_arena.programs.seats import SeatRun
from fudaba_arena.programs.trial_match import NoLog
from fudaba_arena.programs.worker_file import WorkerFile
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.sandbox import Job, Sandbox
from fudaba_arena.submissions.manifest import Manifest
from fudaba_arena.tournament.limits import Limits
from fudaba_games.registry import GAMES

BOT = """
import fudaba

class Player(fudaba.Bot):
    instant = True

    def choose(self, decision):
        return 0

fudaba.run(Player)
"""
_CLOCK = record_pb2.Clock(move_ms=60_000, bank_ms=60_000, start_ms=60_000, max_timeouts=3, max_illegal=10)


@dataclass(frozen=True)
class Setting:
    """A measured case, with its tools."""

    sandbox: Sandbox
    service: ServiceClient
    program: Program
    runtime: Runtime
    folder: Path


@asynccontextmanager
async def setting() -> AsyncIterator[Setting]:
    """Yields a service with its own sandbox."""
    sandbox = Bubblewrap.open()
    with (
        tempfile.TemporaryDirectory() as place,
        service(Path(place) / "service") as served,
    ):
        client = ServiceClient(Endpoint(f"127.0.0.1:{served.port}", served.token), print)
        folder = Path(place) / "bot"
        folder.mkdir()
        (folder / "bot.py").write_text(BOT)
        manifest = Manifest("bench", tuple(GAMES), "python", ("python3", "bot.py"))
        program = Program("bench", "bench", "bot.tar.gz", "", manifest)
        await client.create_bot("bench", "", "1")
        try:
            runtimes = await read_runtimes(sandbox, WorkerFile())
            yield Setting(sandbox, client, program, runtimes.for_manifest(manifest), folder)
        finally:
            await client.close()
            await sandbox.close()


async def _bare(command: list[str], env: dict[str, str]) -> asyncio.subprocess.Process:
    null = asyncio.subprocess.DEVNULL
    return await asyncio.create_subprocess_exec(*command, env=env, stdin=null, stdout=null, stderr=null)


async def starts(setup: Setting, runs: int, code: str) -> list[tuple[float, float]]:
    """Returns the seconds from the start of a Python program to its end, sandboxed and bare."""
    pairs = []
    env, command = setup.runtime.env, ["python3", "-c", code]
    for _ in range(runs):
        begin = time.perf_counter()
        ending = await setup.sandbox.start(Job(command=command, read_only=setup.runtime.shown, env=env)).wait()
        middle = time.perf_counter()
        process = await _bare([sys.executable, *command[1:]], dict(os.environ))
        await process.wait()
        pairs.append((middle - begin, time.perf_counter() - middle))
        if ending.code != 0 or process.returncode != 0:
            raise RuntimeError(f"a program failed: {ending}, {process.returncode}")
    return pairs


async def new_match(
    setup: Setting, game: str, number: int, seed: bytes, clock: record_pb2.Clock = _CLOCK
) -> tuple[str, list[str]]:
    """Returns the id of a new match, and the tokens of its seats. Without a seed, every second match has a deal of its
    own.
    """
    seats = (await setup.service.games())[game].min_seats
    request = matches_pb2.CreateMatchRequest(
        match_id=f"bench-{game}-{number}",
        game=game,
        players=[record_pb2.Player(bot="bench", version="1")] * seats,
        several_seats=True,
        clock=clock,
        seed=seed or (number // 2).to_bytes(32, "big"),  # the same deal in a sandbox and bare
    )
    await setup.service.create_match(request)
    tokens = [await setup.service.match_token(request.match_id, seat) for seat in range(seats)]
    return request.match_id, [token for token in tokens if token is not None]


async def sandboxed_match(setup: Setting, game: str, number: int, seed: bytes = b"") -> float:
    """Returns the CPU time of a match's processes and of this one, which relays, in seconds."""
    match_id, tokens = await new_match(setup, game, number, seed)
    before = _own()
    runs = [
        SeatRun(setup.sandbox, setup.service.endpoint, setup.program, setup.runtime, setup.folder, Limits(), NoLog())
        for _ in tokens
    ]
    tasks = [asyncio.create_task(run.run(token)) for run, token in zip(runs, tokens, strict=True)]
    await setup.service.ended(match_id)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    return sum(run.used.cpu for run in runs) + _own() - before


async def bare_match(setup: Setting, game: str, number: int, seed: bytes = b"") -> float:
    """Returns the same for the same programs without a sandbox, over a unix socket of the service's own machine."""
    match_id, tokens = await new_match(setup, game, number, seed)
    before, children = _own(), _children()
    processes = []
    for token in tokens:
        env = {**os.environ, "FUDABA_SERVER": setup.service.endpoint.address, "FUDABA_TOKEN": token}
        processes.append(await _bare([sys.executable, str(setup.folder / "bot.py")], env))
    await setup.service.ended(match_id)
    for process in processes:
        if process.returncode is None:
            process.kill()
        await process.wait()
    return _children() - children + _own() - before


def _own() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def timed(work: Awaitable[float]) -> float:
    """Returns the duration in seconds."""
    begin = time.perf_counter()
    await work
    return time.perf_counter() - begin


async def measure(runs: int) -> None:
    """Prints all results."""
    async with setting() as setup:
        for program, code in (
            ("Python", "pass"),
            ("a bot with the kit", "import fudaba, grpc; fudaba.run, fudaba.Bot"),
        ):
            pairs = await starts(setup, runs, code)
            added = median(ours - bare for ours, bare in pairs)
            ratio = median(ours / bare for ours, bare in pairs)
            click.echo(
                f"start of {program}: {1000 * median(ours for ours, _ in pairs):.0f} ms in a sandbox,"
                f" {1000 * median(bare for _, bare in pairs):.0f} ms bare: {1000 * added:+.0f} ms, {ratio:.2f} times"
            )
        for game in ("naga", "nerts"):
            ratios, ours_s, bare_s = [], [], []
            for number in range(runs):
                ours_s.append(await sandboxed_match(setup, game, 2 * number))
                bare_s.append(await bare_match(setup, game, 2 * number + 1))
                ratios.append(ours_s[-1] / bare_s[-1])
            times = f"{1000 * median(ours_s):.0f} ms in sandboxes with the relay, {1000 * median(bare_s):.0f} ms bare"
            spread = f"{median(ratios):.2f} times ({min(ratios):.2f}-{max(ratios):.2f})"
            click.echo(f"CPU of a match of {game}: {times}: {spread}")
        ratios = []
        for number in range(max(1, runs // 10)):
            ours = bare = 0.0
            for game in GAMES:
                first = 10_000 + 2 * number
                ours += await timed(sandboxed_match(setup, game, first))
                bare += await timed(bare_match(setup, game, first + 1))
            ratios.append(ours / bare)
            click.echo(f"a match of each game: {ours:.1f} s in sandboxes, {bare:.1f} s bare: {ratios[-1]:.2f} times")
        from bench import eligible  # needs what is above

        await eligible.measure(setup, max(1, runs // 5))


@click.command()
@click.option("--runs", default=20, show_default=True, type=click.IntRange(1))
def main(runs: int) -> None:
    """Measure what the sandbox costs: as root, with nothing else running."""
    if shutil.which("bwrap") is None:
        raise click.ClickException("this needs bubblewrap")
    asyncio.run(measure(runs))


if __name__ == "__main__":
    main()
