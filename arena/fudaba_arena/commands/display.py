"""Shows a run to people: a progress bar on a terminal, plain lines elsewhere. Everything goes to standard error."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from math import isfinite
from typing import Final, final

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from fudaba.cli.output import table
from fudaba.cli.rated_blocks import RATED_ON
from fudaba.safe_text import safe_quoting
from fudaba.v1 import arena_pb2
from fudaba_arena.ladder.ladders import OVERALL, Ladders, block_results, ladders_of
from fudaba_arena.ladder.lookalikes import marked
from fudaba_arena.ladder.standings import Standing
from fudaba_arena.metrics import Metrics
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_games.wording import counted

__all__ = ["Display", "Voice", "interval", "ladder_columns", "ladder_rows", "ladder_tables", "rating", "swiss_table"]

_POLL_SECONDS: Final = 0.25
_LINE_INTERVAL_SECONDS: Final = 5.0
_LADDER_INTERVAL_SECONDS: Final = 2.0
_MIN_PAUSE_PER_FIT: Final = 10
"""A fit may take at most one part in this many of the running time."""
_MAX_ROWS_SHOWN: Final = 5

_LOOKS_LIKE: Final = "looks like"
_LEFT: Final = ("bot", "version", _LOOKS_LIKE)


_CHANGES: Final = "changes"
"""The head of the column of bots whose play changes with time."""
_EXPECTED: Final = "expected"
"""The head of the column with the shares that ratings over several games predict."""
_ENDS: Final = ("wins", "draws", "losses", "share")


def ladder_columns(ladders: Ladders, name: str) -> list[str]:
    """Returns the headings of a ladder's columns. The overall ladder shows the rating in each game instead of the
    points.

    The column of look-alikes appears only if a name looks like another.
    """
    expected = [_EXPECTED] if any(row.expected_share is not None for row in ladders.named()[name].rows) else []
    middle = [*expected, *ladders.games] if name == OVERALL else ["points"]
    rows = ladders.named()[name].rows
    marks = [_LOOKS_LIKE] if any(row.looks_like for row in rows) else []
    marks += [_CHANGES] if any(row.changes for row in rows) else []
    return ["rank", "bot", "version", *marks, "rating", "± 95%", *middle, *_ENDS, "matches", "voids"]


def ladder_rows(ladders: Ladders, name: str) -> list[list[str]]:
    """Returns a ladder's cells."""
    columns = ladder_columns(ladders, name)
    marked, changing, expected = (head in columns for head in (_LOOKS_LIKE, _CHANGES, _EXPECTED))
    shared = Counter(row.rank for row in ladders.named()[name].rows)
    in_games = [{row.bot: rating(row) for row in ladder.rows} for ladder in ladders.games.values()]
    return [
        [
            "-" if row.rank is None else f"{row.rank}{'=' if shared[row.rank] > 1 else ''}",
            row.bot,
            row.version,
            *([row.looks_like] if marked else []),
            *(["with time" if row.changes else ""] if changing else []),
            rating(row),
            interval(row),
            *([share(row.expected_share)] if expected else []),
            *([ratings.get(row.bot, "-") for ratings in in_games] if row.points is None else [f"{row.points:+d}"]),
            *(str(number) for number in (row.wins, row.draws, row.losses)),
            share(row.share),
            str(row.matches),
            str(row.voids),
        ]
        for row in ladders.named()[name].rows
    ]


def ladder_tables(ladders: Ladders, only: str = "") -> str:
    """Returns the ladders, or one of them, as tables of text."""
    named = ladders.named()
    shown = [only] if only else [*named]
    return "\n\n".join(
        "\n".join(
            [
                *([name] if len(shown) > 1 else []),
                _table(ladder_columns(ladders, name), ladder_rows(ladders, name)),
                *([RATED_ON[named[name].rated_on]] if named[name].rated_on else []),
            ]
        )
        for name in shown
    )


def swiss_table(standings: arena_pb2.SwissStandings) -> str:
    """Returns the standings of a Swiss in one game, as a table of text. A shared rank is marked with `=`."""
    rows = [
        [
            f"{row.rank}{'=' if row.tied else ''}",
            row.bot,
            f"{row.victory_points:.3f}",
            str(row.rounds_played),
            str(row.byes),
        ]
        for row in standings.rows
    ]
    head = f"{standings.game}, {standings.rounds_begun} of {counted(standings.rounds, 'round')}\n"
    columns = ["rank", "bot", "victory points", "rounds", "byes"]
    if any(row.looks_like for row in standings.rows):
        columns.append(_LOOKS_LIKE)
        rows = [[*cells, row.looks_like] for cells, row in zip(rows, standings.rows, strict=True)]
    return head + _table(columns, rows)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return table(columns, rows, "".join("l" if column in _LEFT else "r" for column in columns))


def rating(row: Standing) -> str:
    """Returns a bot's rating as text; empty if nothing connects it with another bot."""
    return f"{row.rating:.0f}" if isfinite(row.half) else "-"


def share(part: float | None) -> str:
    """Returns a share, for people."""
    return "-" if part is None else f"{100 * part:.0f}%"


def interval(row: Standing) -> str:
    """Returns half the width of a bot's interval as text."""
    return f"{row.half:.0f}" if isfinite(row.half) else "-"


@final
class Voice:
    """Prints lines for people, above the progress bar if there is one."""

    def __init__(self) -> None:
        self.console = Console(stderr=True, highlight=False)

    def say(self, line: str) -> None:
        """Prints a line and what it quotes. A bot's output cannot control the terminal, nor pass for the arena's."""
        self.console.print(Text(safe_quoting(line)), soft_wrap=True)


@final
class Display:
    """Shows a run, and updates the metrics of its ladder."""

    def __init__(self, state: ScheduledTournament, metrics: Metrics, voice: Voice) -> None:
        self._state = state
        self._metrics = metrics
        self._voice = voice
        self._ladders: Ladders | None = None
        self._rated = 0
        self._rate_at = 0.0
        self._began = time.monotonic()
        self._counted_before = state.matches_counted
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("matches"),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=voice.console,
        )
        self._task = self._bar.add_task(state.tournament.name, total=state.schedule.matches, rate="")

    def shown(self) -> AbstractContextManager[object]:
        """Shows the bar while the context is open, on a terminal."""
        console = self._voice.console
        if not console.is_terminal:
            return nullcontext()
        return Live(console=console, refresh_per_second=4, transient=True, get_renderable=self._render)

    async def keep_up(self) -> None:
        """Follows the run until cancelled."""
        said_at = time.monotonic()
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            await self._rate()
            if not self._voice.console.is_terminal and time.monotonic() - said_at >= _LINE_INTERVAL_SECONDS:
                said_at = time.monotonic()
                self._voice.say(self._plain())

    async def _rate(self) -> None:
        """Rates again when there are new results, within a share of the running time."""
        now = time.monotonic()
        done = self._state.stored.blocks.point
        if done == self._rated or now < self._rate_at:
            return
        ladders = await asyncio.to_thread(ladders_of, self._state, block_results(self._state))
        self._ladders = marked(ladders, self._state.tournament.bots)
        self._rated = done
        took = time.monotonic() - now
        self._rate_at = now + max(_LADDER_INTERVAL_SECONDS, _MIN_PAUSE_PER_FIT * took)
        self._metrics.rated([row.half for row in self._rows])

    @property
    def _total(self) -> int:
        """The number of matches that count at the end. Even groups of a knockout add some."""
        return self._state.schedule.matches

    @property
    def _rows(self) -> tuple[Standing, ...]:
        return self._ladders.overall.rows if self._ladders is not None else ()

    def _speed(self) -> float:
        return (self._state.matches_counted - self._counted_before) / max(0.001, time.monotonic() - self._began)

    def _plain(self) -> str:
        done, speed = self._state.matches_counted, self._speed()
        parts = [f"{done}/{counted(self._total, 'match')}"]
        if done > self._counted_before:
            parts.append(f"{speed:.1f}/s")
            parts.append(f"{_span((self._total - done) / speed)} left")
        if void := self._state.stored.blocks.void:
            parts.append(counted(len(void), "void block"))
        top = [f"{row.bot} {row.rating:.0f}±{row.half:.0f}" for row in self._rows if isfinite(row.half)]
        if top:
            parts.append(f"top: {', '.join(top[:3])}")
        return ", ".join(parts)

    def _render(self) -> Group:
        self._bar.update(
            self._task, total=self._total, completed=self._state.matches_counted, rate=f"{self._speed():.1f}/s"
        )
        if self._ladders is None or not self._state.matches_counted:
            return Group(self._bar)
        name, *_ = self._ladders.named()
        ladder = Table(box=None, padding=(0, 2))
        columns = ladder_columns(self._ladders, name)
        shown = [place for place, column in enumerate(columns) if column not in _ENDS]  # narrow enough for a terminal
        for place in shown:
            ladder.add_column(columns[place], justify="left" if columns[place] in _LEFT else "right")
        for cells in ladder_rows(self._ladders, name)[:_MAX_ROWS_SHOWN]:
            ladder.add_row(*(cells[place] for place in shown))
        return Group(ladder, self._bar)


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
