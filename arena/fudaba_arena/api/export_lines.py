"""A tournament's export, including its standings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fudaba_arena.audit.export import export
from fudaba_arena.ladder.ladders import block_results, ladders_of
from fudaba_arena.ladder.standings import as_json
from fudaba_arena.schedule.state import ScheduledTournament

__all__ = ["exported", "standings_lines"]

Line = dict[str, Any]


def exported(state: ScheduledTournament) -> Iterator[Line]:
    """Returns the lines of the export of a state. Nobody may change the state meanwhile."""
    return export(state, standings_lines(state))


def standings_lines(state: ScheduledTournament) -> Iterator[Line]:
    """Yields the standings, one line for each ladder.

    The first request computes them, which may take seconds.
    """
    for name, ladder in ladders_of(state, block_results(state)).named().items():
        yield {"ladder": name, **as_json(ladder.fit, ladder.rows, ladder.rated_on, names=False)}
