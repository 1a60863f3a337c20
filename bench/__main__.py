"""Measures everything that docs/measurements.md records. See scripts/bench."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import click

from bench.arena import measure_arena
from bench.blocks import FIELDS, RATED_FIELDS, measure_blocks, measure_ratings
from bench.load import measure_durable, measure_latency, measure_load
from bench.loads import ECHO_STREAMS, Load
from bench.play import measure_echo, measure_play
from bench.processes import children, started
from bench.restart import measure_restarts
from bench.rows import Row, Skipped, progress, row, table
from bench.rules import COMPILED, fudaba_moves, spiel_moves, uno_moves
from bench.search import hearts_tries, tree_tries
from bench.service_process import service
from bench.starts import measure_starts
from bench.view import view_seconds
from fudaba_games.registry import GAMES

_LOADS = (
    Load("naga", 2, 20, 20, "≤ 2.0", "≥ 0.45"),
    Load("naga", 2, 100, 100, "≤ 2.0", "≥ 0.45"),
    Load("naga", 2, 100, 2, "≤ 2.0", "≥ 0.45"),
    Load("napoleon", 5, 20, 20, "≤ 2.5"),
    Load("naga", 2, 100, 2, "≤ 0.7", batches=True),
    Load("napoleon", 5, 20, 5, "≤ 1.2", batches=True),
)


async def _play(runs: int, seconds: float) -> Iterator[Row]:
    """Measures moves over Play, in turn with an echo of messages of the same size over as many streams."""
    rows: list[Row] = []
    with (
        tempfile.TemporaryDirectory() as data,
        service(Path(data)) as served,
        started("-m", "bench.echo_server") as (echo, echo_port),
    ):
        echo_cpu: list[float] = []
        for load in _LOADS:
            pairs = []
            for run in range(runs):
                progress(f"play of {load.game}, {load}", run, runs)
                play = await measure_play(
                    served.port, served.token, [served.pid], load.matches, load.streams, seconds, load.game, load.seats,
                    batches=load.batches,
                )  # fmt: skip
                bare = await measure_echo(
                    echo_port,
                    echo.pid,
                    load.echoes,
                    int(play.up),
                    int(play.down),
                    seconds,
                )
                pairs.append((play, bare))
            if load.echoes > 2:
                echo_cpu += [bare.cpu_us for _, bare in pairs]
            move = f"{load.game.capitalize()} move"
            cpu = [(play.cpu_us, bare.cpu_us) for play, bare in pairs]
            echo_of = f", {ECHO_STREAMS} streams" if load.batches else ""
            rows.append(row(f"server CPU per {move}, {load}", f"echo round trip{echo_of}", load.cpu, cpu, "us"))
            if load.rate is not None:
                rate = [(play.rate, bare.rate) for play, bare in pairs]
                rows.append(
                    row(f"{move}s a second, {load}", f"echo round trips a second{echo_of}", load.rate, rate, "1/s")
                )
    views = [view_seconds("naga", 2, 5000) * 1e6 for _ in range(runs)]
    pairs_of_views = list(zip(views, echo_cpu[:runs], strict=True))
    rows.append(row("view, built and serialised", "echo round trip's CPU", "≤ 0.15", pairs_of_views, "us"))
    return iter(rows)


def _rules(runs: int, seconds: float) -> Iterator[Row]:
    """Measures random play from dealt states."""
    for name, yardstick, wanted in _COMPILED_RULES if COMPILED else _plain_rules():
        pairs = []
        for run in range(runs):
            progress(f"random play of {name}", run, runs)
            theirs = uno_moves(seconds, run) if yardstick == "uno" else spiel_moves(yardstick, seconds, run)
            pairs.append((fudaba_moves(name, seconds, run), theirs))
        whose = "rlcard" if yardstick == "uno" else "OpenSpiel"
        form = "compiled" if COMPILED else "plain Python"
        yield row(f"{GAMES[name].name} random play, {form}", f"{whose} {yardstick}", wanted, pairs, "moves/s")


_QUICK = ("naga", "napoleon", "mokkaik", "nerts")
_COMPILED_RULES = (
    ("napoleon", "hearts", "≥ 1"),
    ("mokkaik", "hearts", "≥ 1"),
    ("numbers_crush", "crazy_eights", "≥ 0.3"),
    ("niekhi", "crazy_eights", "≥ 0.3"),
    ("houniek", "crazy_eights", "≥ 0.3"),
)
"""The game, the yardstick, and the goal."""


def _plain_rules() -> Iterator[tuple[str, str, str]]:
    for name in GAMES:
        yield name, "uno", "≥ 8" if name in _QUICK else "≥ 2"
    yield "napoleon", "hearts", "≥ 0.35"


def _search(runs: int, seconds: float) -> Iterator[Row]:
    """Measures tries of a tree search, from dealt positions."""
    pairs = []
    for run in range(runs):
        progress("tries of search-tree", run, runs)
        pairs.append((tree_tries(seconds, run), hearts_tries(seconds, run)))
    form = "compiled" if COMPILED else "plain Python"
    wanted = "≥ 3" if COMPILED else "≥ 1"
    yield row(f"Napoleon tries of search-tree, {form}", "OpenSpiel's MCTSBot in hearts", wanted, pairs, "1/s")


def _blocks(runs: int, seconds: float) -> Iterator[Row]:
    """Measures scores of blocks and errors of ratings. One field takes as long as all runs of another measurement."""
    for place, field in enumerate(FIELDS):
        progress(f"blocks of {field}", place, len(FIELDS))
        found = measure_blocks(field, runs * seconds)
        quantity = f"variance of a block's score, duplicate deals ({field}; {found.blocks:,} blocks)"
        bounds = [found.low, found.high]
        yield Row(
            quantity, "deals of their own", "≤ 1", found.ratio, bounds, found.duplicate, found.independent, "points²"
        )
    for place, field in enumerate(RATED_FIELDS):
        progress(f"seasons of {field}", place, len(RATED_FIELDS))
        errors = measure_ratings(field, runs * seconds)
        length = f"{errors.seasons} seasons of {errors.matches} matches"
        quantity = f"standard error of a rating, duplicate deals ({field}; {length})"
        bounds = [errors.low, errors.high]
        yield Row(quantity, "fresh deals", "≤ 1", errors.ratio, bounds, errors.apart, errors.fresh, "Elo")


async def _replicas(runs: int, seconds: float) -> Iterator[Row]:
    """Measures two replicas on one Redis, in turn with a single replica."""
    rows: list[Row] = []
    with (
        tempfile.TemporaryDirectory() as data,
        service(Path(data)) as first,
        service(Path(data), "--redis", first.redis_url) as second,
    ):
        # Match n has the bots 2n and 2n + 1; the streams go to these ports in turn.
        for where, ports in (
            ("bots spread as by chance: half of the matches have bots on both", "AAABBBBA"),
            ("every match has bots on both", "AB"),
        ):
            both = ",".join({"A": first.port, "B": second.port}[letter] for letter in ports)
            pairs = []
            for run in range(runs):
                progress(f"two replicas, {where}", run, runs)
                together = await measure_play(both, first.token, [first.pid, second.pid], 40, 40, seconds)
                alone = await measure_play(first.port, first.token, [first.pid, second.pid], 40, 40, seconds)
                pairs.append((together.cpu_us, alone.cpu_us))
            rows.append(
                row(f"CPU per Naga move of two replicas together, {where}", "one replica", "≤ 1.3", pairs, "us")
            )
    return iter(rows)


async def _processes(runs: int, seconds: float) -> Iterator[Row]:
    """Measures a service of two processes behind one port, in turn with a service of one process on its own store."""
    cpu, rates = [], []
    with (
        tempfile.TemporaryDirectory() as data,
        service(Path(data) / "two", "--processes", "2") as two,
        service(Path(data) / "one") as single,
    ):
        for run in range(runs):
            progress("two processes behind one port", run, runs)
            together = await measure_play(two.port, two.token, children(two.pid), 40, 40, seconds)
            alone = await measure_play(single.port, single.token, [single.pid], 40, 40, seconds)
            cpu.append((together.cpu_us, alone.cpu_us))
            rates.append((together.rate, alone.rate))
    setup = "two processes behind one port, 40 matches, 40 streams"
    return iter(
        [
            row(f"CPU per Naga move of {setup}", "one process", "≤ 1.3", cpu, "us"),
            row(f"Naga moves a second of {setup}", "one process", "≥ 1", rates, "1/s"),
        ]
    )


def _restart(runs: int, _: float) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as data:
        progress("restarts", 0, runs)
        restarts = asyncio.run(measure_restarts(Path(data), 50, runs))
    for moment, values, wanted in (
        ("until the new process serves", [r.serving for r in restarts], "≤ 3"),
        ("until the first move", [r.first_move for r in restarts], "≤ 3"),
        ("until every match has moved", [r.all_moved for r in restarts], "≤ 6"),
    ):
        seconds = [(value, 1.0) for value in values]
        yield row(f"SIGKILL of the service under 50 live matches, {moment}", "a second", wanted, seconds, "s")


_PARTS: dict[str, Callable[[int, float], Iterator[Row]]] = {
    "rules": _rules,
    "search": _search,
    "blocks": _blocks,
    "play": lambda runs, seconds: asyncio.run(_play(runs, seconds)),
    "load": lambda runs, seconds: asyncio.run(measure_load(runs, seconds)),
    "latency": lambda runs, seconds: asyncio.run(measure_latency(runs, seconds)),
    "durable": lambda runs, seconds: asyncio.run(measure_durable(runs, seconds)),
    "replicas": lambda runs, seconds: asyncio.run(_replicas(runs, seconds)),
    "processes": lambda runs, seconds: asyncio.run(_processes(runs, seconds)),
    "restart": _restart,
    "starts": lambda runs, _: measure_starts(runs),
}
_ON_REQUEST: dict[str, Callable[[int, float], Iterator[Row]]] = {"arena": measure_arena}
"""The parts that are measured only if they are named."""


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(sorted({*_PARTS, *_ON_REQUEST})))
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    default=7,
    show_default=True,
    help="Runs of each measurement; the median counts.",
)
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), default=3.0, show_default=True, help="Length of one run."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(parts: tuple[str, ...], runs: int, seconds: float, *, as_json: bool) -> None:
    """Measure, each number beside its yardstick in the same run. Without PARTS: everything."""
    rows: list[Row] = []
    skipped: list[str] = []
    for part in parts or _PARTS:
        try:
            rows += (_PARTS | _ON_REQUEST)[part](runs, seconds)
        except Skipped as reason:
            skipped.append(f"{part} is left out: {reason}")
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    for line in skipped:
        print(line, file=sys.stderr)
    if as_json:
        print(json.dumps([asdict(row) | {"reached": row.reached} for row in rows], indent=2))
        return
    print(table(rows))
    print(
        f"\nMedian of {runs} runs of {seconds:g} s; {os.cpu_count()} cores, Python {platform.python_version()}, ",
        end="",
    )
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"grpcio {version('grpcio')}, protobuf {version('protobuf')}. Load of the machine at the end: {load}.")


if __name__ == "__main__":
    main()
