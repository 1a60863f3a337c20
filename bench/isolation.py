"""Measures the cost of isolation, and prints the tables of docs/measurements.md. See scripts/bench isolation.

It needs a machine on which nothing else runs. It measures the cost of sealing for a start, a move and the blocks of an
hour; how often a bot that thinks runs out of time beside busy ones, and how long its decisions take beside bots that
ponder or are frozen; how much a bot that uses every clock leaves to others; and the cost of playing sittings on several
hosts. The part `blocks` of `scripts/bench` is not included: it times nothing, and may run beside anything.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import click

__all__ = ["MINUTES", "PARTS", "Part"]

MINUTES: Final = 12


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the benchmarks."""

    section: str
    """The section of docs/measurements.md with its table."""
    module: str
    arguments: tuple[str, ...]
    least: tuple[str, ...]
    """The arguments with which it does as little as possible."""
    seconds: int
    """Its duration on a quiet machine of two cores."""


PARTS: Final = (
    Part(
        "What sealing costs",
        "sealing",
        ("--runs", "30", "--blocks", "6"),
        ("--runs", "1", "--blocks", "1"),
        90,
    ),
    Part(
        "A bot that thinks beside busy ones: on a clock",
        "decisions",
        ("--clock", "--decisions", "40"),
        ("--clock", "--decisions", "4"),
        180,
    ),
    Part(
        "A bot that thinks beside busy ones: in matches",
        "decisions",
        ("--matches", "1"),
        ("--matches", "1"),
        90,
    ),
    Part(
        "A bot that uses every clock",
        "hog",
        ("--runs", "3", "--seconds", "15"),
        ("--runs", "1", "--seconds", "1"),
        170,
    ),
    Part(
        "More workers: several hosts",
        "hosts",
        ("--runs", "2", "--seconds", "12"),
        ("--runs", "1", "--seconds", "1"),
        180,
    ),
)


@click.command()
@click.option(
    "--least", is_flag=True, help="Do as little as possible, to see that everything runs; the figures mean nothing."
)
@click.option("--list", "only_list", is_flag=True, help="List what would be run, and how long it takes.")
@click.argument("parts", nargs=-1, type=click.Choice(sorted({part.module for part in PARTS})))
def main(parts: tuple[str, ...], *, least: bool, only_list: bool) -> None:
    """Measure all that isolation costs, or PARTS: as root, with bubblewrap and nothing else running.

    Takes about 12 minutes. A part that fails is named at the end, and the others are still measured.
    """
    chosen = [part for part in PARTS if not parts or part.module in parts]
    begin, failed = time.monotonic(), []
    load = os.getloadavg()[0]
    click.echo(f"{datetime.now(UTC).date()}, {os.cpu_count()} cores, load at the beginning {load:.1f}")
    for part in chosen:
        command = [f"bench.{part.module}", *(part.least if least else part.arguments)]
        click.echo(f"\n### {part.section}\n\n`python -m {' '.join(command)}`, some {part.seconds} s\n")
        if not only_list and subprocess.run([sys.executable, "-m", *command], check=False).returncode:
            failed.append(part.module)
    if not only_list:
        click.echo(f"\n{time.monotonic() - begin:.0f} s in all")
    if failed:
        raise click.ClickException(f"these parts failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
