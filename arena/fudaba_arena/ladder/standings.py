"""Standings: a fit and the results behind it as rows, for a table, JSON or CSV."""

from __future__ import annotations

import csv
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from io import StringIO
from math import isfinite
from typing import Final, final

import numpy as np

from fudaba.spreadsheets import safe_cell
from fudaba_arena.ladder.ratings import Fit, Rating, Results, pair_share

__all__ = ["Standing", "as_csv", "as_json", "ends_of", "shares_of", "standings"]

JsonValue = str | int | float | None | list["JsonValue"] | dict[str, "JsonValue"]

_RATING_DIGITS: Final = 2
"""The digits after the decimal point of ratings in JSON and CSV, far below any interval."""
_SHARE_DIGITS: Final = 4
_SHARES: Final = {"share", "expected_share", "expected_low", "expected_high"}


@final
@dataclass(frozen=True, slots=True)
class Standing:
    """A bot's row. Ratings are Elo points; `half`, `low` and `high` are of the fit's confidence, usually 95 %."""

    rank: int | None
    """The rank: 1 for the best rating; equal ratings share a rank. None for a bot that has not played or, over several
    games, has not played all of them.
    """
    bot: str
    version: str
    """The version; empty if none was given."""
    rating: float
    half: float
    """Half the width of the interval; infinite (null in JSON, empty in CSV) for a bot that nothing connects with
    another.
    """
    low: float
    high: float
    points: int | None
    """The sum of its scores; None over several games."""
    matches: int
    wins: int
    """The matches in which no seat scored as much as the bot, and those that others forfeited by absence while it was
    present.
    """
    draws: int
    """The matches in which it shared the best score."""
    losses: int
    """The matches in which another seat scored more."""
    share: float | None
    """The mean share of the available points that it took from each seat that it met, 0 to 1; 1/2 is even.

    Differences of scores count up to the game's `win_margin`. Over several games it is the mean of the games' shares;
    None without a match.
    """
    blocks: int
    voids: int
    """The number of void blocks that were attributed to it. They never count as a loss."""
    component: int
    """Ratings are comparable only between rows with the same number; 0 is the largest such set."""
    provisional: bool = False
    """Whether, in a season of a ladder, it has no rank yet because it has played too few blocks, or because its
    interval is too wide.
    """
    looks_like: str = ""
    """A bot of another owner whose name looks like this one's; empty for most bots."""
    idle: bool = False
    """Whether, in a season of a ladder, it has no rank because it has played no block for the ladder's number of
    days.
    """
    last_played_ms: int = 0
    """The time when its last counting block in a ladder's season was closed, in milliseconds since 1970; 0 if there is
    none.
    """
    entered_versions: int = 0
    """The number of versions of its bot that were entered in a ladder's season, this one included."""
    changes: bool = False
    """Whether its play changes with time, so that its interval may be too narrow; over several games, whether it does
    so in any of them.
    """
    expected_share: float | None = None
    """The share, 0 to 1, that its ratings predict against virtual opponents, over several games that are combined by
    shares; None elsewhere.
    """
    expected_low: float | None = None
    """The lower bound of the interval of `expected_share`; `expected_high` is the upper one."""
    expected_high: float | None = None
    disqualified_ms: int = 0
    """The time when its bot was disqualified, in milliseconds since 1970; 0 if it is not. Then it has no rank."""
    panel: bool = False
    """Whether it is a bot of the season's panel: its rating is fixed, `half` is the interval with which that was
    measured, and it has no rank.
    """


def standings(
    fit: Fit,
    ends: Mapping[str, Sequence[int]],
    *,
    shares: Mapping[str, float] | None = None,
    voids: Mapping[str, int] | None = None,
    versions: Mapping[str, str] | None = None,
) -> tuple[Standing, ...]:
    """Returns the rows of a fit, best first. Bots that nothing connects with others come last, since their ratings mean
    nothing.

    `ends` belong to the fit's results, see `ends_of`. `ends`, `shares`, `voids` and `versions` are indexed by the bots'
    names.
    """
    rated = [rating for rating in fit.ratings if isfinite(rating.half)]
    places = sorted(map(_place, rated))
    rows = []
    for rating in [*rated, *(rating for rating in fit.ratings if not isfinite(rating.half))]:
        wins, draws, losses = ends.get(rating.bot, (0, 0, 0))
        expected = rating.expected
        rows.append(
            Standing(
                rank=1 + bisect_left(places, _place(rating)) if isfinite(rating.half) else None,
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
                share=(shares or {}).get(rating.bot),
                blocks=rating.blocks,
                voids=(voids or {}).get(rating.bot, 0),
                component=rating.component,
                changes=rating.changes,
                expected_share=None if expected is None else expected.share,
                expected_low=None if expected is None else expected.low,
                expected_high=None if expected is None else expected.high,
            )
        )
    return tuple(rows)


def _place(rating: Rating) -> float:
    """Returns a number that is less for a better rating. Ratings that look equal share a rank: beyond the shown digits
    they differ by the fit's rounding.
    """
    return -round(rating.rating, _RATING_DIGITS)


def ends_of(results: Results) -> dict[str, tuple[int, int, int]]:
    """Returns the number of matches that each bot won, drew and lost; see `Standing`."""
    ends = np.zeros((len(results.names), 3), np.int64)
    for arrays in results.arrays:
        scores = np.where(arrays.seats, arrays.scores, np.iinfo(np.int64).min)
        best = np.sort(scores, axis=2)[:, :, -2:]
        pairs = arrays.seats.sum(axis=1) * (arrays.seats.sum(axis=1) - 1) // 2
        played = np.array([len(met) for met in arrays.met]) == pairs
        # Who was there where others were away has won against these, and met nobody else.
        top, shared = best[:, :, 1:], (best[:, :, :1] == best[:, :, 1:]) & played[None, :, None]
        end = np.where(scores < top, 2, np.where(shared, 1, 0))
        np.add.at(ends, (arrays.bots[:, arrays.seats], end[:, arrays.seats]), arrays.times[:, None])
    return {name: (won, drawn, lost) for name, (won, drawn, lost) in zip(results.names, ends.tolist(), strict=True)}


def shares_of(results: Results, win_margin: float) -> dict[str, float]:
    """Returns each bot's share in the results of one game; see `Standing.share`."""
    sums, matches = np.zeros(len(results.names)), np.zeros(len(results.names), np.int64)
    for arrays in results.arrays:
        from_each = pair_share(arrays.scores[:, :, :, None], arrays.scores[:, :, None, :], win_margin)
        counts = np.zeros((len(arrays.met), results.seats, results.seats))
        for match, met in enumerate(arrays.met):
            first, other = np.array(met).T
            counts[match, first, other] = counts[match, other, first] = 1
        share = (from_each * counts).sum(axis=3)[:, arrays.seats] / counts.sum(axis=2)[arrays.seats]
        np.add.at(sums, arrays.bots[:, arrays.seats], arrays.times[:, None] * share)
        np.add.at(matches, arrays.bots[:, arrays.seats], arrays.times[:, None])
    played = zip(results.names, sums.tolist(), matches.tolist(), strict=True)
    return {bot: total / times for bot, total, times in played if times}


def as_json(fit: Fit, rows: Sequence[Standing], rated_on: str = "", *, names: bool = True) -> dict[str, JsonValue]:
    """Returns everything that followers of a ladder see, as values for `json.dumps`.

    `rated_on` says on which blocks a season with a final is rated, see `Ladder`; it is omitted if empty. `names`
    includes the similar names, which depend on the present owners and not on the results, and other fields that exports
    of earlier releases lack.
    """
    left_out = (
        set()
        if names
        else {"looks_like", "idle", "last_played_ms", "entered_versions", "changes", "disqualified_ms", "panel"}
    )
    return {
        **({"rated_on": rated_on} if rated_on else {}),
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
        "standings": [{key: cell for key, cell in _cells(row).items() if key not in left_out} for row in rows],
    }


def as_csv(ladders: Mapping[str, Sequence[Standing]]) -> str:
    """Returns the rows of ladders by name as CSV with a header. Lines end in a newline."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["ladder", *(field.name for field in fields(Standing))])
    for name, rows in ladders.items():
        for row in rows:
            cells = (name, *_cells(row).values())
            writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in cells])
    return text.getvalue()


def _cells(row: Standing) -> dict[str, JsonValue]:
    return {
        name: _plain(value, _SHARE_DIGITS if name in _SHARES else _RATING_DIGITS) for name, value in asdict(row).items()
    }


def _plain(value: str | float | None, digits: int = _RATING_DIGITS) -> str | int | float | None:
    """Returns the value for JSON: rounded, and None if it is not finite."""
    if isinstance(value, float):
        return round(value, digits) + 0.0 if isfinite(value) else None
    return value
