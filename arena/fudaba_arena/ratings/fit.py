"""From results to ratings with intervals. What is modelled: see `fudaba_arena.ratings`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, log, sqrt
from typing import Final, final

import numpy as np

from fudaba_arena.ratings.model import Design, Floats, solve
from fudaba_arena.ratings.results import BlockResult, in_order
from fudaba_arena.ratings.sandwich import Robust, block_robust
from fudaba_arena.ratings.student import quantile

__all__ = ["BadField", "Fit", "Rating", "SeatAdvantage", "fit"]

ELO: Final = 400 / log(10)
"""Points of rating in a natural logit."""
MODEL_BLOCKS: Final = 2
"""The model's own variance counts as so many blocks beside the observed ones."""


@final
class BadField(ValueError):
    """A setting of the fit that makes no sense. `str()` says which, and what to do instead."""


@final
@dataclass(frozen=True, slots=True)
class Rating:
    """A bot's rating. Rating, error and interval are in Elo points."""

    bot: str
    rating: float
    standard_error: float
    """Infinite for a bot that nothing connects with another."""
    low: float
    high: float
    matches: int
    blocks: int
    points: int
    """The sum of its scores."""
    component: int
    """Ratings can be compared between bots of the same component only; 0 is the largest."""

    @property
    def half(self) -> float:
        """Half the width of the interval."""
        return self.high - self.rating


@final
@dataclass(frozen=True, slots=True)
class SeatAdvantage:
    """What sitting in a seat is worth against the mean of the seats, in Elo points."""

    seat: int
    advantage: float
    low: float
    high: float


@final
@dataclass(frozen=True, slots=True)
class Fit:
    """Ratings from a set of results."""

    ratings: tuple[Rating, ...]
    """Best first; equal ones by name."""
    seats: tuple[SeatAdvantage, ...]
    """By seat; empty without results."""
    deal_luck: float
    """Standard deviation of what the deal is worth to a seat against another, in Elo points, as far as tables that
    played the same deal show it; 0 when none did."""
    confidence: float
    """How often the intervals hold, for example 0.95."""

    def __getitem__(self, bot: str) -> Rating:
        """The rating of a bot. Raises `KeyError`."""
        for rating in self.ratings:
            if rating.bot == bot:
                return rating
        raise KeyError(bot)


def fit(
    results: Iterable[BlockResult],
    *,
    bots: Iterable[str] = (),
    win_margin: float = 2.0,
    anchor: str | None = None,
    anchor_rating: float = 1500.0,
    confidence: float = 0.95,
    virtual_draws: float = 1.0,
) -> Fit:
    """The ratings of everybody in `results` and `bots`.

    `win_margin` is the difference of two seats' scores that counts as a whole win: the greatest that a match can end
    with where there is one (2 for a match of one deal with scores +1 and -1). `anchor` names the bot whose rating is
    `anchor_rating`; without one the field's mean is. Raises `BadResults` or `BadField`.
    """
    _check(win_margin, confidence, virtual_draws)
    ordered = in_order(results)
    names = sorted({bot for result in ordered for table in result.tables for bot in table.bots} | set(bots))
    if anchor is not None and anchor not in names:
        raise BadField(f"the anchor {anchor!r} is not in the field; it has: {', '.join(names) or 'nobody'}")
    index = {name: place for place, name in enumerate(names)}
    seats = len(ordered[0].tables[0].bots) if ordered else 0
    design = Design.of(ordered, index, seats, win_margin, virtual_draws)
    solution = solve(design)
    inverse: Floats = np.linalg.inv(solution.information)
    spread = _Spread(inverse, block_robust(design, solution, inverse), confidence)
    records = _records(ordered, names)
    components = _components(ordered, names)
    ratings = []
    for number, members in enumerate(components):
        held = anchor if anchor in members else None
        contrasts = _contrasts(members, held, index, design.parameters)
        for name, contrast in zip(members, contrasts, strict=True):
            record = records[name]
            blocks = record.effective if held is None else min(record.effective, records[held].effective)
            error, half = spread.of(contrast, blocks) if len(members) > 1 else (inf, inf)
            rating = anchor_rating + ELO * float((contrast * solution.parameters).sum())
            low, high = rating - half, rating + half
            ratings.append(
                Rating(name, rating, error, low, high, record.matches, len(record.blocks), record.points, number)
            )
    ratings.sort(key=lambda rating: (-rating.rating, rating.bot))
    advantages = _advantages(solution.parameters, spread, len(names), _effective([len(r.tables) for r in ordered]))
    return Fit(tuple(ratings), advantages, ELO * sqrt(solution.luck_variance), confidence)


def _check(win_margin: float, confidence: float, virtual_draws: float) -> None:
    """Raises `BadField` for settings that make no sense."""
    if not 0 < win_margin < inf:
        raise BadField(f"win_margin is {win_margin}; it is a difference of scores above 0")
    if not 0 < confidence < 1:
        raise BadField(f"confidence is {confidence}; it lies between 0 and 1, for example 0.95")
    if not 0 < virtual_draws < inf:
        raise BadField(f"virtual_draws is {virtual_draws}; without some, who wins everything has no finite rating")


@final
class _Spread:
    """Errors and half intervals of contrasts of the parameters."""

    def __init__(self, model: Floats, robust: Robust, confidence: float) -> None:
        self._model = model
        self._robust = robust
        self._probability = (1 + confidence) / 2

    def of(self, contrast: Floats, blocks: float) -> tuple[float, float]:
        """Standard error and half interval in Elo points, from an effective number of blocks."""
        observed = max(0.0, blocks - 1)
        model = float(contrast @ self._model @ contrast)
        robust = float(contrast @ self._robust.covariance @ contrast)
        variance = (MODEL_BLOCKS * model + observed * robust) / (MODEL_BLOCKS + observed)
        error = ELO * sqrt(max(0.0, variance))
        return error, error * quantile(self._probability, MODEL_BLOCKS + min(observed, self._degrees(contrast, blocks)))

    def _degrees(self, contrast: Floats, blocks: float) -> float:
        """Degrees of freedom of the robust variance by how unequally the blocks contribute to it.

        A mean of n squares with kurtosis k varies as chi squared with 2n / (k - 1) degrees does. A bot that rarely
        loses owes its whole variance to a few blocks.
        """
        squares = (self._robust.moves @ contrast) ** 2
        total = float(squares.sum())
        excess = float((squares**2).sum()) / total**2 - 1 / blocks if total > 0 else 0.0
        return 2 / excess if excess > 0 else inf


@final
class _Record:
    """What a bot did."""

    def __init__(self) -> None:
        self.points = 0
        self.blocks: dict[int, int] = {}
        """Matches by block."""

    @property
    def matches(self) -> int:
        return sum(self.blocks.values())

    @property
    def effective(self) -> float:
        return _effective(list(self.blocks.values()))


def _effective(sizes: Sequence[int]) -> float:
    """How many blocks of equal size tell as much of the variance as blocks of these sizes."""
    return sum(sizes) ** 2 / sum(size**2 for size in sizes) if sizes else 0.0


def _records(results: Sequence[BlockResult], names: Sequence[str]) -> dict[str, _Record]:
    records = {name: _Record() for name in names}
    for result in results:
        for table in result.tables:
            for bot, score in zip(table.bots, table.scores, strict=True):
                records[bot].points += score
                records[bot].blocks[result.block] = records[bot].blocks.get(result.block, 0) + 1
    return records


def _components(results: Sequence[BlockResult], names: Sequence[str]) -> list[list[str]]:
    """The bots that matches connect, largest component first."""
    leader = {name: name for name in names}

    def find(name: str) -> str:
        while leader[name] != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    for result in results:
        for table in result.tables:
            for bot in table.bots[1:]:
                leader[find(bot)] = find(table.bots[0])
    members: dict[str, list[str]] = {}
    for name in names:
        members.setdefault(find(name), []).append(name)
    return sorted(members.values(), key=lambda component: (-len(component), component))


def _contrasts(members: Sequence[str], held: str | None, index: dict[str, int], parameters: int) -> list[Floats]:
    """What each member's rating is above the anchor, as weights of the parameters."""
    places = [index[name] for name in members]
    base = np.zeros(parameters)
    base[places if held is None else index[held]] = 1 / len(members) if held is None else 1.0
    contrasts: list[Floats] = []
    for place in places:
        contrast = -base
        contrast[place] += 1
        contrasts.append(contrast)
    return contrasts


def _advantages(parameters: Floats, spread: _Spread, bots: int, blocks: float) -> tuple[SeatAdvantage, ...]:
    seats = len(parameters) - bots
    advantages = []
    for seat in range(seats):
        contrast = np.zeros(len(parameters))
        contrast[bots:] = -1 / seats
        contrast[bots + seat] += 1
        advantage = ELO * float((contrast * parameters).sum())
        half = spread.of(contrast, blocks)[1]
        advantages.append(SeatAdvantage(seat, advantage, advantage - half, advantage + half))
    return tuple(advantages)
