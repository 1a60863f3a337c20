"""Measures everything that docs/performance.md records. See scripts/bench."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version

import click

from bench.play import measure_echo, measure_play
from bench.processes import started
from bench.rules import fudaba_moves, uno_moves
from bench.view import view_seconds


@dataclass
class Row:
    """One number, beside its yardstick."""

    what: str
    yardstick: str
    wanted: str
    ratio: float
    """Median of the runs' ratios."""
    runs: list[float]
    ours: float
    theirs: float
    unit: str

    @property
    def reached(self) -> bool:
        """Whether the number that is wanted was reached."""
        sign, number = self.wanted.split()
        return self.ratio <= float(number) if sign == "≤" else self.ratio >= float(number)


def _row(what: str, yardstick: str, wanted: str, pairs: list[tuple[float, float]], unit: str) -> Row:
    ratios = [a / b for a, b in pairs]
    ours, theirs = (statistics.median(values) for values in zip(*pairs, strict=True))
    return Row(what, yardstick, wanted, statistics.median(ratios), ratios, ours, theirs, unit)


async def _play(runs: int, seconds: float) -> Iterator[Row]:
    """Moves over Play, in turn with the echo of messages of the same size over the same number of streams."""
    rows: list[Row] = []
    with (
        tempfile.TemporaryDirectory() as data,
        started("-m", "bench.service_process", data) as (service, line),
        started("-m", "bench.echo_server") as (echo, echo_port),
    ):
        port, token, _ = line.split()
        echo_cpu: list[float] = []
        for matches, streams in ((20, 20), (100, 100), (100, 2)):
            pairs = []
            for run in range(runs):
                _progress(f"play, {matches} matches over {streams} streams", run, runs)
                play = await measure_play(port, token, service.pid, matches, streams, seconds)
                bare = await measure_echo(echo_port, echo.pid, streams, int(play.up), int(play.down), seconds)
                pairs.append((play, bare))
            if streams > 2:
                echo_cpu += [bare.cpu_us for _, bare in pairs]
            where = f"{matches} matches, {streams} streams"
            cpu = [(play.cpu_us, bare.cpu_us) for play, bare in pairs]
            rate = [(play.rate, bare.rate) for play, bare in pairs]
            rows.append(_row(f"server CPU per Naga move, {where}", "echo round trip", "≤ 2.0", cpu, "us"))
            rows.append(_row(f"Naga moves a second, {where}", "echo round trips a second", "≥ 0.45", rate, "1/s"))
    views = [view_seconds("naga", 2, 5000) * 1e6 for _ in range(runs)]
    pairs_of_views = list(zip(views, echo_cpu[:runs], strict=True))
    rows.append(_row("view, built and serialised", "echo round trip's CPU", "≤ 0.15", pairs_of_views, "us"))
    return iter(rows)


def _rules(runs: int, seconds: float) -> Iterator[Row]:
    pairs = []
    for run in range(runs):
        _progress("random play", run, runs)
        pairs.append((fudaba_moves("naga", 2, seconds, run), uno_moves(seconds, run)))
    yield _row("Naga random play, plain Python", "rlcard uno", "≥ 5", pairs, "moves/s")


def _progress(what: str, run: int, runs: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{what}: run {run + 1} of {runs}\033[K", end="", file=sys.stderr, flush=True)


def _table(rows: list[Row]) -> str:
    lines = [
        "| what | yardstick | reach | measured | ours | yardstick's | runs |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for r in rows:
        mark = "" if r.reached else " **missed**"
        spread = f"{min(r.runs):.2f}-{max(r.runs):.2f}"
        ours, theirs = (f"{value:,.0f}" if value >= 100 else f"{value:.1f}" for value in (r.ours, r.theirs))
        numbers = f"{r.ratio:.2f}{mark} | {ours} {r.unit} | {theirs} {r.unit} | {spread}"
        lines.append(f"| {r.what} | {r.yardstick} | {r.wanted} | {numbers} |")
    return "\n".join(lines)


_PARTS: dict[str, Callable[[int, float], Iterator[Row]]] = {
    "rules": _rules,
    "play": lambda runs, seconds: asyncio.run(_play(runs, seconds)),
}


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(sorted(_PARTS)))
@click.option("--runs", default=7, show_default=True, help="Runs of each; the median counts.")
@click.option("--seconds", default=3.0, show_default=True, help="Length of one run.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def main(parts: tuple[str, ...], runs: int, seconds: float, *, as_json: bool) -> None:
    """Measure, each number beside its yardstick in the same run. Without PARTS: everything."""
    rows = [row for part in parts or _PARTS for row in _PARTS[part](runs, seconds)]
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    if as_json:
        print(json.dumps([asdict(row) | {"reached": row.reached} for row in rows], indent=2))
        return
    print(_table(rows))
    print(
        f"\nMedian of {runs} runs of {seconds:g} s; {os.cpu_count()} cores, Python {platform.python_version()}, ",
        end="",
    )
    print(f"grpcio {version('grpcio')}, protobuf {version('protobuf')}.")


if __name__ == "__main__":
    main()
