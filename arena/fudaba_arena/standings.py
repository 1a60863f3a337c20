"""Standings: a fit and the results behind it as rows, for a table, JSON or CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from io import StringIO
from math import isfinite
from typing import Final, final

from fudaba_arena.ratings import BlockResult, Fit, TableResult

__all__ = ["Standing", "as_csv", "as_json", "standings"]

JsonValue = str | int | float | None | list["JsonValue"] | dict[str, "JsonValue"]

_DIGITS: Final = 2
"""Digits after the point of ratings in JSON and CSV: far below any interval."""


@final
@dataclass(frozen=True, slots=True)
class Standing:
    """A bot's row. Ratings are Elo points; `half`, `low` and `high` are of the fit's confidence, usually 95 %."""

    rank: int | None
    """1 for the best rating; equal ratings share a rank. None for a bot that has not played; over several games, for
    one that has not played in all of them."""
    bot: str
    version: str
    """Empty where none was told."""
    rating: float
    half: float
    """Half the interval; infinite (null in JSON, empty in CSV) for a bot that nothing connects with another."""
    low: float
    high: float
    points: int | None
    """The sum of its scores; None over several games."""
    matches: int
    wins: int
    """Matches in which no seat scored as much as it."""
    draws: int
    """Matches in which it shared the best score."""
    losses: int
    blocks: int
    voids: int
    """Void blocks that were put down to it. They never count as a loss."""
    component: int
    """Ratings can be compared between rows with the same number only; 0 is the largest such set."""


def standings(
    fit: Fit,
    results: Iterable[BlockResult],
    *,
    voids: Mapping[str, int] | None = None,
    versions: Mapping[str, str] | None = None,
) -> tuple[Standing, ...]:
    """The rows of a fit, best first, and last those that nothing connects with another: their rating says nothing.

    `results` are those of the fit; `voids` and `versions` go by the bots' names.
    """
    counts = {rating.bot: [0, 0, 0] for rating in fit.ratings}
    for result in results:
        for table in result.tables:
            for seat, bot in enumerate(table.bots):
                counts[bot][_end(table, seat)] += 1
    rated = [rating for rating in fit.ratings if isfinite(rating.half)]
    rows = []
    for rating in [*rated, *(rating for rating in fit.ratings if not isfinite(rating.half))]:
        wins, draws, losses = counts[rating.bot]
        rows.append(
            Standing(
                rank=1 + sum(other.rating > rating.rating for other in rated) if isfinite(rating.half) else None,
                bot=rating.bot,
                version=(versions or {}).get(rating.bot, ""),
                rating=rating.rating,
                half=rating.half,
                low=rating.low,
                high=rating.high,
                points=rating.points,
                matches=rating.matches,
                wins=wins,
                draws=draws,
                losses=losses,
                blocks=rating.blocks,
                voids=(voids or {}).get(rating.bot, 0),
                component=rating.component,
            )
        )
    return tuple(rows)


def as_json(fit: Fit, rows: Sequence[Standing]) -> dict[str, JsonValue]:
    """Everything that followers of a ladder are told, ready for `json.dumps`."""
    return {
        "confidence": fit.confidence,
        "spread": _plain(fit.spread),
        "deal_luck": _plain(fit.deal_luck),
        "seats": [
            {
                "seat": seat.seat,
                "advantage": _plain(seat.advantage),
                "low": _plain(seat.low),
                "high": _plain(seat.high),
            }
            for seat in fit.seats
        ],
        "standings": [{name: _plain(value) for name, value in asdict(row).items()} for row in rows],
    }


def as_csv(ladders: Mapping[str, Sequence[Standing]]) -> str:
    """The rows of ladders by name as CSV with a header, lines ending in a newline."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["ladder", *(field.name for field in fields(Standing))])
    for name, rows in ladders.items():
        for row in rows:
            writer.writerow([name, *(_plain(value) for value in asdict(row).values())])
    return text.getvalue()


def _end(table: TableResult, seat: int) -> int:
    """0 for a win of the seat, 1 for a draw, 2 for a loss."""
    own = table.scores[seat]
    best = max(table.scores[:seat] + table.scores[seat + 1 :])
    return 0 if own > best else 1 if own == best else 2


def _plain(value: str | float | None) -> str | int | float | None:
    """The value as JSON has it: rounded, and None for what is not finite."""
    if isinstance(value, float):
        return round(value, _DIGITS) + 0.0 if isfinite(value) else None
    return value
