"""Numbers beside their yardsticks, and their tables."""

from __future__ import annotations

import statistics
import sys
from dataclasses import dataclass

__all__ = ["Row", "Skipped", "progress", "row", "table"]


class Skipped(Exception):
    """A part cannot be measured here. The text says why."""


@dataclass
class Row:
    """A number, beside its yardstick."""

    subject: str
    yardstick: str
    wanted: str
    ratio: float
    """The median of the runs' ratios."""
    runs: list[float]
    ours: float
    theirs: float
    unit: str

    @property
    def reached(self) -> bool:
        """Whether the goal was reached."""
        sign, number = self.wanted.split()
        return self.ratio <= float(number) if sign == "≤" else self.ratio >= float(number)


def row(label: str, yardstick: str, wanted: str, pairs: list[tuple[float, float]], unit: str) -> Row:
    """Returns a row from the measurements of each run: ours, and the yardstick's."""
    ratios = [a / b for a, b in pairs]
    ours, theirs = (statistics.median(values) for values in zip(*pairs, strict=True))
    return Row(label, yardstick, wanted, statistics.median(ratios), ratios, ours, theirs, unit)


def progress(label: str, run: int, runs: int) -> None:
    """Shows the present measurement on a terminal."""
    if sys.stderr.isatty():
        print(f"\r{label}: run {run + 1} of {runs}\033[K", end="", file=sys.stderr, flush=True)


def table(rows: list[Row]) -> str:
    """Returns rows as a table for docs/measurements.md."""
    lines = [
        "| what | yardstick | goal | measured | ours | yardstick's | runs |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for r in rows:
        mark = "" if r.reached else " **missed**"
        spread = f"{min(r.runs):.2f}-{max(r.runs):.2f}"
        ours, theirs = (f"{value:,.0f}" if value >= 100 else f"{value:.1f}" for value in (r.ours, r.theirs))
        numbers = f"{r.ratio:.2f}{mark} | {ours} {r.unit} | {theirs} {r.unit} | {spread}"
        lines.append(f"| {r.subject} | {r.yardstick} | {r.wanted} | {numbers} |")
    return "\n".join(lines)
