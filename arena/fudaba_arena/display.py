"""What people see of a run: a progress bar on a terminal, plain lines elsewhere. All on standard error."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from math import isfinite
from typing import Final, final

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from fudaba.cli._output import safe
from fudaba_arena.metrics import Metrics
from fudaba_arena.standings import Standing
from fudaba_arena.state import TournamentState
from fudaba_arena.wording import counted

__all__ = ["LADDER_COLUMNS", "Display", "Voice", "interval", "ladder_rows"]

_LOOK: Final = 0.25
_PLAIN_SECONDS: Final = 5.0
_LADDER_SECONDS: Final = 2.0
_LADDER_SHARE: Final = 10
"""A fit may take at most one part in so many of the time."""
_TOP: Final = 5

LADDER_COLUMNS: Final = ("rank", "bot", "version", "rating", "± 95%", "points", "matches", "voids")


def ladder_rows(rows: Sequence[Standing]) -> list[list[str]]:
    """The ladder's cells."""
    return [
        [
            "-" if row.rank is None else str(row.rank),
            row.bot,
            row.version,
            f"{row.rating:.0f}" if isfinite(row.half) else "-",  # nothing connects it with another
            interval(row),
            f"{row.points:+d}",
            str(row.matches),
            str(row.voids),
        ]
        for row in rows
    ]


def interval(row: Standing) -> str:
    """Half a bot's interval, for people."""
    return f"{row.half:.0f}" if isfinite(row.half) else "-"


@final
class Voice:
    """Tells people lines, above the bar if there is one."""

    def __init__(self) -> None:
        self.console = Console(stderr=True, highlight=False)

    def say(self, line: str) -> None:
        """Tells a line. What stands in it is shown as it is: a bot's output does not drive the terminal."""
        self.console.print(Text(safe(line)), soft_wrap=True)


@final
class Display:
    """Shows a run, and keeps the metrics of its ladder."""

    def __init__(self, state: TournamentState, metrics: Metrics, voice: Voice) -> None:
        self._state = state
        self._metrics = metrics
        self._voice = voice
        self._ladder: tuple[Standing, ...] = ()
        self._rated = -1
        self._rate_at = 0.0
        self._began = time.monotonic()
        self._counted_before = state.matches_counted
        self._total = state.schedule.matches
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("matches"),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=voice.console,
        )
        self._task = self._bar.add_task(state.tournament.name, total=self._total, rate="")

    def shown(self) -> AbstractContextManager[object]:
        """Shows the bar meanwhile, on a terminal."""
        console = self._voice.console
        if not console.is_terminal:
            return nullcontext()
        return Live(console=console, refresh_per_second=4, transient=True, get_renderable=self._render)

    async def keep_up(self) -> None:
        """Follows the run until cancelled."""
        told = time.monotonic()
        while True:
            await asyncio.sleep(_LOOK)
            await self._rate()
            if not self._voice.console.is_terminal and time.monotonic() - told >= _PLAIN_SECONDS:
                told = time.monotonic()
                self._voice.say(self._plain())

    async def _rate(self) -> None:
        """Rates anew when there are new results, but not all the time."""
        now = time.monotonic()
        done = self._state.matches_counted
        if done == self._rated or now < self._rate_at:
            return
        _, self._ladder = await asyncio.to_thread(self._state.ladder, self._state.block_results())
        self._rated = done
        took = time.monotonic() - now
        self._rate_at = now + max(_LADDER_SECONDS, _LADDER_SHARE * took)
        self._metrics.rated([row.half for row in self._ladder])

    def _speed(self) -> float:
        return (self._state.matches_counted - self._counted_before) / max(0.001, time.monotonic() - self._began)

    def _plain(self) -> str:
        done, speed = self._state.matches_counted, self._speed()
        parts = [f"{done}/{self._total} matches"]
        if done > self._counted_before:
            parts.append(f"{speed:.1f}/s")
            parts.append(f"{_span((self._total - done) / speed)} left")
        if self._state.stored.void:
            parts.append(counted(len(self._state.stored.void), "void block"))
        top = [f"{row.bot} {row.rating:.0f}±{row.half:.0f}" for row in self._ladder if isfinite(row.half)]
        if top:
            parts.append(f"top: {', '.join(top[:3])}")
        return ", ".join(parts)

    def _render(self) -> Group:
        self._bar.update(self._task, completed=self._state.matches_counted, rate=f"{self._speed():.1f}/s")
        if not self._state.matches_counted:
            return Group(self._bar)
        table = Table(box=None, padding=(0, 2))
        for column in LADDER_COLUMNS:
            table.add_column(column, justify="left" if column in {"bot", "version"} else "right")
        for cells in ladder_rows(self._ladder[:_TOP]):
            table.add_row(*cells)
        return Group(table, self._bar)


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
