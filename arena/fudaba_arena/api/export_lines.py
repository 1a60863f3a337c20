"""A tournament's export, including its standings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fudaba_arena.audit.export import export
from fudaba_arena.ladder.ladders import block_results, ladders_of
from fudaba_arena.ladder.published import Points, is_numbered, ladders_at, published
from fudaba_arena.ladder.standings import as_json
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.tournaments.published_ratings import PublishedPoint

__all__ = ["exported", "published_line", "standings_lines"]

Line = dict[str, Any]


def exported(state: ScheduledTournament, published_points: Iterable[PublishedPoint] = ()) -> Iterator[Line]:
    """Returns the lines of the export of a state, with the ratings that were published up to then. Nobody may change
    the state meanwhile.
    """
    of_sequence = Points(state.stored.blocks)
    lines = (_published_line(found) for found in published_points if of_sequence.have(found))
    return export(state, standings_lines(state), lines)


def standings_lines(state: ScheduledTournament) -> Iterator[Line]:
    """Yields the standings, one line for each ladder.

    The first request computes them, which may take seconds.
    """
    for name, ladder in ladders_of(state, block_results(state)).named().items():
        yield {"ladder": name, **as_json(ladder.fit, ladder.rows, ladder.rated_on, names=False)}


def published_line(state: ScheduledTournament, point: int) -> Line | None:
    """Computes the line about the ratings at a point; None at a point at which nothing is published."""
    if not is_numbered(point) or point > state.stored.blocks.point:
        return None
    return _published_line(published(state.stored.blocks, ladders_at(state, point), point))


def _published_line(found: PublishedPoint) -> Line:
    tables = found.tables.items()
    return {
        "point": found.point,
        "blocks": found.blocks,
        "tables": [
            {"ladder": name, "ratings": [version._asdict() for version in versions]} for name, versions in tables
        ],
    }
