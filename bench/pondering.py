"""Measures how much time constantly computing bots take from others' decisions, in real matches. See scripts/bench
decisions.

A bot that needs 0.3 s of processor time for each decision meets one that answers at once and then goes on computing.
Beside that match others are played, each between two bots that go on computing. If nobody may ponder, they are frozen
while they owe nothing. The time of a decision is what the service charged the bot, by the record. The clock is long, so
that the ratios are clear on a busy machine; the output says how many decisions took more than 2 s.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Final

import click

from bench.sandbox import Setting, new_match, setting
from fudaba.v1 import record_pb2
from fudaba_arena.programs.seats import SeatRun
from fudaba_arena.programs.trial_match import NoLog
from fudaba_arena.tournament.limits import Limits

_THINKS: Final = """
import time, fudaba

class Player(fudaba.Bot):
    def choose(self, decision):
        begin = time.process_time()
        while time.process_time() < begin + 0.3: pass
        return 0

fudaba.run(Player)
"""
_WAITS: Final = """
import fudaba

class Player(fudaba.Bot):
    def choose(self, decision): return 0

fudaba.run(Player)
"""
_BURNS: Final = f"""
import threading

def burn():
    while True: pass

threading.Thread(target=burn, daemon=True).start()
{_WAITS}
"""
_LATE_SECONDS: Final = 2.0
_CLOCK: Final = record_pb2.Clock(move_ms=60_000, start_ms=600_000, max_timeouts=1_000, max_illegal=10)
_SEVERAL: Final = (1, 4, 8)


@dataclass
class _Found:
    """The times of the thinking bot's decisions, in seconds; the number that took too long; the time of a wake-up."""

    took: list[float]
    late: int
    woken: float


async def _played(setup: Setting, number: int, folders: Sequence[Path], *, ponder: bool) -> tuple[str, list[SeatRun]]:
    """Plays one match. Returns its id, and the use of its seats."""
    match_id, tokens = await new_match(setup, "naga", number, b"", _CLOCK)
    runs = [
        SeatRun(
            setup.sandbox,
            setup.service.endpoint,
            setup.program,
            setup.runtime,
            folder,
            Limits(),
            NoLog(),
            ponder=ponder,
        )
        for folder in folders
    ]
    tasks = [asyncio.create_task(run.run(token)) for run, token in zip(runs, tokens, strict=True)]
    try:
        await setup.service.ended(match_id)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    return match_id, runs


async def _decisions(setup: Setting, number: int, others: int, folders: dict[str, Path], *, ponder: bool) -> _Found:
    """Returns the decisions of the thinking bot, whose opponent computes, beside matches of computing bots, until there
    are enough.
    """
    beside = [
        asyncio.create_task(_again(setup, 1_000 * number + 100 * pair + 1, [folders["burns"]] * 2, ponder=ponder))
        for pair in range(others // 2)
    ]
    opponent = folders["burns" if others else "waits"]
    try:
        match_id, runs = await _played(setup, 1_000 * number, [folders["thinks"], opponent], ponder=ponder)
    finally:
        for task in beside:
            task.cancel()
        if beside:
            await asyncio.wait(beside)
    record = await setup.service.record(match_id)
    if record is None:
        raise RuntimeError(f"the service has no record of {match_id}")
    own = [entry for entry in record.log if entry.seat == 0 and entry.WhichOneof("what") in {"move", "timeout"}]
    woken = max(run.pondering.thaw_seconds if run.pondering is not None else 0.0 for run in runs)
    took = [entry.spent.bot_us / 1e6 for entry in own]
    return _Found(took, sum(seconds > _LATE_SECONDS for seconds in took), woken)


async def _again(setup: Setting, number: int, folders: Sequence[Path], *, ponder: bool) -> None:
    """Plays matches one after another."""
    while True:
        await _played(setup, number, folders, ponder=ponder)
        number += 1


async def measure(matches: int) -> None:
    """Prints all results."""
    click.echo(
        f"| burners | they | load | decisions | over {_LATE_SECONDS:g} s | median, alone = 1 |"
        f" 99th percentile, alone = 1 | slowest waking |\n{'| --- ' * 8}|"
    )
    async with setting() as setup:
        folders = {}
        for name, code in (("thinks", _THINKS), ("waits", _WAITS), ("burns", _BURNS)):
            folders[name] = setup.folder.with_name(name)
            folders[name].mkdir()
            (folders[name] / "bot.py").write_text(code)
        number = 0
        for burners in _SEVERAL:
            found: dict[str, list[_Found]] = {}
            for _ in range(matches):
                for way, others, ponder in (("alone", 0, True), ("ponder", burners, True), ("frozen", burners, False)):
                    number += 1
                    found.setdefault(way, []).append(await _decisions(setup, number, others, folders, ponder=ponder))
            alone = [took for run in found.pop("alone") for took in run.took]
            for way, each in found.items():
                took = [seconds for run in each for seconds in run.took]
                ratios = median(took) / median(alone), quantiles(took, n=100)[-1] / quantiles(alone, n=100)[-1]
                click.echo(
                    f"| {burners} | {'are frozen' if way == 'frozen' else 'ponder'} | {os.getloadavg()[0]:.0f} |"
                    f" {len(took)} | {sum(run.late for run in each)} | {ratios[0]:.2f} | {ratios[1]:.2f} |"
                    f" {1000 * max(run.woken for run in each):.1f} ms |"
                )
    click.echo(f"\n{len(os.sched_getaffinity(0))} cores, {matches} matches of each kind.")
