"""Measures the cost of matches for an arena and its workers, and the gain from more workers. See scripts/bench
arena.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from statistics import median

import click

from bench.rows import Row, progress, row
from bench.standing import PROGRAM, Cpu, Standing, standing, wait_until

SLOT_COUNT = 1
"""The number of simultaneous blocks of a worker whose bots sleep; two cores are enough for four such workers."""
_TASK_COUNT = 2_000
_WARM_UP_SECONDS = 3.0
_MIN_BLOCKS = 20
"""The minimum number of blocks. A measurement takes longer than requested if these take longer."""
_NAMES = count()
_BOT = "import fudaba\nclass First(fudaba.Bot):\n    def choose(self, _):\n        return 0\nfudaba.run(First)\n"
_PARTS = ("overhead", "ladder", "workers", "cores", "recovery")
_HEARTBEAT_SECONDS = 5.0
"""The silence in seconds after which a worker counts as dead, in the measurement that kills one."""


def tournament(bots: str, *, deals: int = 1, concurrency: int = 256, ladder: bool = False) -> tuple[str, str]:
    """Returns the name and the definition of an endless tournament of Naga between these bots, or of a ladder."""
    name = f"bench-{next(_NAMES)}"
    table = f'name = "{name}"\nconcurrency = {concurrency}\ngame = "naga"\noptions = {{ deals = {deals} }}\n'
    if ladder:
        return f"{name}.1", f"{table}narrow = 0\n{bots}"
    return name, f"{table}blocks = 10000\n{bots}"


def built_in(kind: str, number: int = 4) -> str:
    """Returns the entries of a number of built-in bots of a kind."""
    return "".join(f'[[bots]]\nname = "{kind}-{index}"\nbuiltin = "{kind}"\n' for index in range(number))


def given(command: list[str], number: int = 4, stem: str = "given") -> str:
    """Returns the entries of a number of bots given as a command."""
    words = json.dumps(command)
    return "".join(
        f'[[bots]]\nname = "{stem}-{index}"\ncommand = {words}\nstateless = true\n' for index in range(number)
    )


def _warm_up(arena: Standing, name: str) -> None:
    before = arena.played(name)
    time.sleep(_WARM_UP_SECONDS)
    wait_until(lambda: arena.played(name) > before)


def costs(arena: Standing, name: str, seconds: float, least: int = _MIN_BLOCKS) -> tuple[Cpu, int]:
    """Returns the CPU time of each two-seat match of a tournament in play, and the number of blocks closed
    meanwhile.
    """
    begun, before, until = arena.played(name), arena.cpu(), time.monotonic() + seconds
    while time.monotonic() < until or arena.played(name) < begun + least:
        time.sleep(0.2)
    blocks, used = arena.played(name) - begun, arena.cpu() - before
    if not arena.waiting():
        raise RuntimeError("no block waited for the worker: the arena does not hand out enough of them")
    return used / (2 * blocks), blocks


def bare(arena: Standing, seconds: float) -> tuple[float, float]:
    """Returns the CPU time of a match's bare calls, and the CPU time of an empty task."""
    words = ["bench.bare_calls", arena.address, str(arena.arena_token), "8", str(seconds)]
    matches, used = _measured(words)
    [task] = _measured(
        ["bench.empty_tasks", (arena.folder / "arena" / "store.url").read_text().strip(), str(_TASK_COUNT)]
    )
    return used / matches, task


def _measured(words: list[str]) -> list[float]:
    done = subprocess.run([sys.executable, "-m", *words], stdout=subprocess.PIPE, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


@dataclass(frozen=True)
class Overhead:
    """The cost of a match, in seconds of CPU, beside the bare calls and an empty task for every two matches."""

    used: Cpu
    blocks: int
    calls: float
    task: float

    @property
    def ours(self) -> float:
        """What arena and worker use for a match."""
        return self.used.arena + self.used.workers

    @property
    def bare(self) -> float:
        """What the bare calls and half an empty task use."""
        return self.calls + self.task / 2


def overheads(runs: int, seconds: float, *, ladder: bool) -> Iterator[Overhead]:
    """Measures the cost of a match in an endless tournament, or in a ladder."""
    with standing() as arena:
        # A bot of a ladder is in few blocks at once: many of them, so that blocks wait.
        name, text = tournament(built_in("random", 24 if ladder else 4), ladder=ladder)
        arena.create(text, ladder=ladder)
        for _ in range(runs):
            arena.add_worker("--grace", "20")
            _warm_up(arena, name)
            used, blocks = costs(arena, name, seconds)
            arena.stop_workers()
            yield Overhead(used, blocks, *bare(arena, seconds))


def measure_arena(runs: int, seconds: float) -> Iterator[Row]:
    """Measures the cost of a match for arena and worker, as rows."""
    for kind, ladder in (("a tournament", False), ("a ladder", True)):
        progress(f"matches of {kind}", 0, runs)
        pairs = [(1000 * found.ours, 1000 * found.bare) for found in overheads(runs, seconds, ladder=ladder)]
        yield row(f"CPU of arena and worker for a match of {kind}", "bare calls and half a task", "≤ 2", pairs, "ms")


def overhead(runs: int, seconds: float, say: Callable[[str], None], *, ladder: bool) -> None:
    """Prints the cost of a match for arena and worker, beside the bare calls and an empty task for every two
    matches.
    """
    ratios: list[float] = []
    say("| matches | arena, ms | worker, ms | calls, ms | task, ms | ratio | bots, ms | service, ms | stores, ms |")
    say("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for found in overheads(runs, seconds, ladder=ladder):
        used = found.used
        ratios.append(found.ours / found.bare)
        times = [used.arena, used.workers, found.calls, found.task], [used.bots, used.service, used.stores]
        first, last = (" | ".join(f"{1000 * part:.2f}" for part in parts) for parts in times)
        say(f"| {2 * found.blocks} | {first} | {ratios[-1]:.2f} | {last} |")
    kind = "a ladder" if ladder else "a tournament"
    say(f"\n{kind}: median {median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f}), goal ≤ 2")


def cores(command: str, seconds: float, say: Callable[[str], None]) -> None:
    """Prints the CPU time of a match, by its players, and how many matches a core carries."""
    say("| bots | deals | worker and bots, ms | arena, ms | service, ms | stores, ms | matches a second and core |")
    say("| --- | --- | --- | --- | --- | --- | --- |")
    with standing() as arena:
        (arena.folder / "bot.py").write_text(_BOT, encoding="utf-8")
        kinds = {"built-in, random": built_in("random"), "built-in, sensible": built_in("sensible")}
        kinds["Python"] = given([sys.executable, "bot.py"])
        kinds |= {command: given(shlex.split(command))} if command else {}
        arena.add_worker("--grace", "20")
        for kind, bots in kinds.items():
            for deals in (1, 10):
                name, text = tournament(bots, deals=deals)
                arena.create(text)
                _warm_up(arena, name)
                used, _ = costs(arena, name, seconds, least=5)
                arena.close(name)
                all_of_it = sum(asdict(used).values())
                parts = used.workers + used.bots, used.arena, used.service, used.stores
                times = " | ".join(f"{1000 * part:.1f}" for part in parts)
                say(f"| {kind} | {deals} | {times} | {1 / all_of_it:.1f} |")


@contextmanager
def sleepers(arena: Standing, seconds: float = 0.05, number: int = 4, stem: str = "given") -> Iterator[str]:
    """Yields the entries of bots that sleep before each move, all played by one process."""
    tokens = arena.folder / f"{stem}.tokens"
    os.mkfifo(tokens)
    kept = os.open(tokens, os.O_RDWR)  # so that it never ends
    words = ["bot", "run", f"{Path(__file__).parent / 'sleeping.py'}:Sleeping", "--quiet", "--tokens", str(tokens)]
    env = os.environ | {"FUDABA_SERVER": arena.address, "SLEEP": str(seconds)}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield given(["/bin/sh", "-c", f"echo $FUDABA_TOKEN > {tokens}; exec sleep 3600"], number, stem)
    finally:
        process.kill()
        process.wait()
        os.close(kept)


def scaling(runs: int, seconds: float, say: Callable[[str], None]) -> None:
    """Prints how many blocks of sleeping bots four workers and one worker close per second."""
    ratios: list[float] = []
    options = ["--blocks", str(SLOT_COUNT), "--bots", str(8 * SLOT_COUNT)]
    say("| 1 worker, blocks/s | 4 workers, blocks/s | ratio | CPU of all with 1, cores | with 4, cores |")
    say("| --- | --- | --- | --- | --- |")
    with standing() as arena, sleepers(arena) as bots:
        for _ in range(runs):
            name, text = tournament(bots, concurrency=64)
            arena.create(text)
            rates, cores = [], []
            for workers in (1, 4):
                while len(arena.workers) < workers:
                    arena.add_worker(*options)
                _warm_up(arena, name)
                begun = time.monotonic()
                used, blocks = costs(arena, name, seconds)
                took = time.monotonic() - begun
                rates.append(blocks / took)
                cores.append(sum(asdict(used).values()) * 2 * blocks / took)
            arena.close(name)
            arena.stop_workers()
            ratios.append(rates[1] / rates[0])
            say(f"| {rates[0]:.2f} | {rates[1]:.2f} | {ratios[-1]:.2f} | {cores[0]:.2f} | {cores[1]:.2f} |")
    say(f"\nmedian {median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f}), goal ≥ 3.6")


def _back_in_play(arena: Standing, bots: str) -> float:
    """Returns the seconds from a worker's death until another worker has taken its block."""
    # One block at a time, which lasts longer than the measurement, so that the second worker has room for it.
    name, text = tournament(bots, deals=99, concurrency=2)
    arena.create(text)

    arena.add_worker("--heartbeat", str(_HEARTBEAT_SECONDS))
    wait_until(lambda: arena.players(name))
    first = arena.players(name)
    arena.add_worker("--heartbeat", str(_HEARTBEAT_SECONDS))
    time.sleep(_HEARTBEAT_SECONDS)  # the first one has shown signs of life by now
    begun = arena.kill_oldest_worker()
    wait_until(lambda: arena.players(name) - first)
    took = time.monotonic() - begun
    arena.close(name)
    arena.stop_workers()
    return took


def recovery(runs: int, say: Callable[[str], None]) -> None:
    """Prints how soon another worker plays the block of a killed one, beside their heartbeat."""
    ratios: list[float] = []
    say("| back in play after, s | heartbeat, s | ratio |")
    say("| --- | --- | --- |")
    with standing() as arena, sleepers(arena) as bots:
        for _ in range(runs):
            took = _back_in_play(arena, bots)
            ratios.append(took / _HEARTBEAT_SECONDS)
            say(f"| {took:.1f} | {_HEARTBEAT_SECONDS:.0f} | {ratios[-1]:.2f} |")
    say(f"\nmedian {median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f}), goal ≤ 1.5")


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(_PARTS))
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Runs of each measurement; the median counts.",
)
@click.option(
    "--seconds", type=click.FloatRange(min=1), default=10.0, show_default=True, help="Length of each measurement."
)
@click.option("--command", default="", help="For `cores`: a further bot, written as in a tournament file.")
def main(parts: tuple[str, ...], runs: int, seconds: float, command: str) -> None:
    """Measure the arena and its workers. Without PARTS: everything.

    `overhead` and `ladder` compare the cost of a match in a tournament and in a ladder with bare calls. `workers`
    compares how many blocks of sleeping bots four workers and one worker play. `cores` measures the CPU time of matches
    of built-in bots and of commands. `recovery` measures how soon the block of a killed worker is back in play.
    """

    def say(line: str) -> None:
        print(line, flush=True)

    for part in parts or _PARTS:
        if part == "workers":
            scaling(runs, seconds, say)
        elif part == "cores":
            cores(command, seconds, say)
        elif part == "recovery":
            recovery(runs, say)
        else:
            overhead(runs, seconds, say, ladder=part == "ladder")
        say("")


if __name__ == "__main__":
    main()
