"""Measures the cost of playing the next sitting of a deal on another host. See scripts/bench hosts."""

from __future__ import annotations

import json
import math
import os
import shlex
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from statistics import median
from typing import cast

import click

from bench.arena import tournament
from bench.standing import PROGRAM, Standing, standing, wait_until
from fudaba.client import Client
from fudaba.v1 import accounts_pb2, arena_pb2, bots_pb2

_BOT_COUNT = 4
_SEAT_COUNT = 8
"""The number of seats of all workers together. Bots sleep, so seats are the shared resource, not the machine."""
_SLEEP_SECONDS = 0.2
_WARM_UP_SECONDS = 5.0
_BOT = f"""\
import asyncio, fudaba

class Sleeper(fudaba.Bot):
    async def choose(self, _):
        await asyncio.sleep({_SLEEP_SECONDS})
        return 0

fudaba.run(Sleeper)
"""
_MANIFEST = 'name = "NAME"\ngames = ["naga"]\nlanguage = "python"\nstart = ["python3", "bot.py"]\n'
_ROOM = ("--cores", "64", "--blocks", "8")
_CASES = {
    "one worker": [("a", _SEAT_COUNT)],
    "two of one host": [("a", _SEAT_COUNT // 2), ("a", _SEAT_COUNT // 2)],
    "two of two hosts": [("a", _SEAT_COUNT // 2), ("b", _SEAT_COUNT // 2)],
}
"""The hosts of the workers, and the seats of each. On a single host no block is handed on, as in earlier releases."""


def _submit(arena: Standing, number: int) -> tuple[str, str]:
    """Returns the name and the token of a bot with its own author, submitted and accepted."""
    name = f"sleeper-{number}"
    with Client(arena.address, arena.token) as client:
        author = client.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name=f"author-{number}"))
    with Client(arena.address, author.token) as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name=name))
    folder = arena.folder / name
    folder.mkdir()
    (folder / "bot.py").write_text(_BOT)
    (folder / "bot.toml").write_text(_MANIFEST.replace("NAME", name))
    known = {"FUDABA_ARENA": arena.arena_address, "FUDABA_SERVER": arena.address, "FUDABA_TOKEN": author.token}
    words = [sys.executable, "-c", PROGRAM, "bot", "submit", str(folder), "--bot", name]
    done = subprocess.run(words, env=os.environ | known, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{shlex.join(words[2:])}: {done.stdout}{done.stderr}")
    return name, author.token


def _hosts(arena: Standing) -> dict[bytes, str]:
    """Returns the host of each worker."""
    with arena.store() as store:
        said = cast("dict[bytes, bytes]", store.hgetall("fudaba-arena:worker-hosts"))
    return {name: json.loads(raw)["host"] for name, raw in said.items()}


def _apart(arena: Standing, season: str, begin: int) -> tuple[int, int]:
    """Returns the number of blocks closed from a place on, and how many of them were played on two hosts."""
    hosts = _hosts(arena)
    with arena.store() as store:
        lines = cast("list[bytes]", store.lrange(f"fudaba-arena:{{{season}}}:closed", begin, -1))
    found: Counter[bool] = Counter()
    for line in lines:
        workers = {name for name in hosts if name in line}
        found[len({hosts[name] for name in workers}) > 1] += 1
    return found.total(), found[True]


def _measure(arena: Standing, season: str, seconds: float) -> tuple[float, float]:
    """Returns blocks per minute, and the share of them whose sittings were on two hosts."""
    ladder = arena_pb2.ResumeLadderRequest(ladder=season.rpartition(".")[0])
    with Client(arena.arena_address, arena.token) as client:
        client.arena.ResumeLadder(ladder)
    before = arena.played(season)
    wait_until(lambda: arena.played(season) > before)
    time.sleep(_WARM_UP_SECONDS)
    begin, began = arena.played(season), time.monotonic()
    time.sleep(seconds)
    blocks, took = arena.played(season) - begin, time.monotonic() - began
    total, apart = _apart(arena, season, begin)
    arena.pause_ladder(season)
    return 60 * blocks / took, apart / max(1, total)


@click.command()
@click.option("--runs", type=click.IntRange(min=1), default=5, show_default=True)
@click.option(
    "--seconds", type=click.FloatRange(min=1), default=60.0, show_default=True, help="Length of each case in a run."
)
def main(runs: int, seconds: float) -> None:
    """Measure how many blocks of submitted bots one worker plays, two of one host, and two of two hosts, in turn.

    Takes about twenty minutes: for each of --runs, three times --seconds and half a minute more.
    """
    found: dict[str, list[tuple[float, float]]] = {case: [] for case in _CASES}
    with standing() as arena:
        arena.add_worker(*_ROOM, "--host", "a")
        entered = [_submit(arena, number) for number in range(_BOT_COUNT)]
        season, text = tournament("", concurrency=_SEAT_COUNT, ladder=True)
        arena.create(text, ladder=True)
        arena.pause_ladder(season)
        for name, token in entered:
            with Client(arena.arena_address, token) as client:
                client.arena.EnterLadder(arena_pb2.EnterLadderRequest(ladder=season.rpartition(".")[0], bot=name))
        arena.stop_workers()
        for _ in range(runs):
            for case, workers in _CASES.items():
                for place, (host, seats) in enumerate(workers):
                    programs = str(Path(arena.folder) / f"programs-{place}")
                    arena.add_worker(*_ROOM, "--host", host, "--bots", str(seats), "--programs", programs)
                found[case].append(_measure(arena, season, seconds))
                arena.stop_workers()
                print(f"{case}: {found[case][-1][0]:.1f} blocks/min, {found[case][-1][1]:.0%} on two hosts", flush=True)
    print("\n| workers | blocks a minute | beside two of one host | deals on two hosts |\n| --- | --- | --- | --- |")
    for case, measured in found.items():
        ratios = [
            rate / yardstick if yardstick else math.nan
            for (rate, _), (yardstick, _) in zip(measured, found["two of one host"], strict=True)
        ]
        rate, apart = (median(values) for values in zip(*measured, strict=True))
        print(f"| {case} | {rate:.1f} | {median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f}) | {apart:.0%} |")
    print(f"\nmedian of {runs} runs of {seconds:g} s of each; load at the end: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
