"""Measures the cost and the waiting times of moves, as curves. See scripts/bench curves.

It uses the same servers and the same compiled client as `scripts/bench load`, and prints tables and, for
docs/measurements.md, charts for Mermaid.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import Final

import click

from bench.load import FULL, Servers, servers
from bench.rows import Skipped, progress

_PER_STREAM: Final = (1, 2, 5, 10, 25, 50)
"""The number of matches for each of two streams."""
_LOADS: Final = (0.1, 0.25, 0.5, 0.75, 0.9)
"""The loads, as shares of the peak of moves per second."""


async def _costs(both: Servers, runs: int, seconds: float, *, batches: bool) -> list[float]:
    """Returns the cost of a move with a number of matches for each stream, in round trips of the echo."""
    found = []
    for each in _PER_STREAM:
        load = replace(FULL, matches=each * FULL.streams, batches=batches)
        ratios = []
        for run in range(runs):
            progress(f"{each} matches for each stream", run, runs)
            played, cost = await both.played(load, seconds)
            _, echo = await both.echoed(played, seconds)
            ratios.append(cost / echo)
        found.append(median(ratios))
    return found


async def _waits(both: Servers, runs: int, seconds: float) -> tuple[list[float], list[float]]:
    """Returns the p99 of the time from an answer to the next decision, at shares of the peak, and that of the echo's
    round trips at the same rates, in ms.
    """
    peak = median([(await both.played(FULL, seconds))[0].rate for _ in range(runs)])
    ours, theirs = [], []
    for part in _LOADS:
        pairs = []
        for run in range(runs):
            progress(f"{part:.0%} of peak", run, runs)
            played, _ = await both.played(FULL, seconds, part * peak)
            echoed, _ = await both.echoed(played, seconds, part * peak)
            pairs.append((played.wait.p99, echoed.wait.p99))
        ours.append(median(pair[0] for pair in pairs))
        theirs.append(median(pair[1] for pair in pairs))
    return ours, theirs


def _shown(axis: str, places: Sequence[str], unit: str, lines: Sequence[tuple[str, Sequence[float]]]) -> str:
    """Returns a table and a chart of it."""
    table = [f"| {axis} | {' | '.join(places)} |", f"| --- |{' --- |' * len(places)}"]
    table += [f"| {name} | {' | '.join(f'{value:.2f}' for value in values)} |" for name, values in lines]
    quoted = ", ".join(f'"{place}"' for place in places)
    chart = [
        "```mermaid",
        "xychart-beta",
        f'    x-axis "{axis}" [{quoted}]',
        f'    y-axis "{unit}"',
        *(f"    line [{', '.join(f'{value:.2f}' for value in values)}]" for _, values in lines),
        "```",
    ]
    return "\n".join([*table, "", *chart, ""])


async def _measured(runs: int, seconds: float) -> str:
    async with servers() as both:
        together = await _costs(both, runs, seconds, batches=True)
        alone = await _costs(both, runs, seconds, batches=False)
        ours, theirs = await _waits(both, runs, seconds)
    names = ("batches", "one message each")
    per_stream = list(map(str, _PER_STREAM))
    loads = [f"{part:.0%}" for part in _LOADS]
    return "\n".join(
        [
            _shown(
                "matches for each stream",
                per_stream,
                "echoes of CPU a move",
                [*zip(names, (together, alone), strict=True)],
            ),
            _shown("part of peak", loads, "p99, ms", [("answer → next decision", ours), ("echo", theirs)]),
        ]
    )


@click.command(epilog="Median of the runs. Needs Go and two cores; let nothing else run meanwhile.")
@click.option("--runs", type=click.IntRange(min=1), default=3, show_default=True, help="Runs of each point.")
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), default=2.0, show_default=True, help="Length of one run."
)
def main(runs: int, seconds: float) -> None:
    """Measure the CPU time of a move against matches for each stream, and latency against load."""
    try:
        shown = asyncio.run(_measured(runs, seconds))
    except Skipped as reason:
        raise click.ClickException(str(reason)) from None
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    print(shown)


if __name__ == "__main__":
    main()
