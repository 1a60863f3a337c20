"""Makes ratings with intervals from results. `fudaba_arena.ladder.ratings` describes the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, sqrt
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from fudaba.intervals import quantile
from fudaba_arena.ladder.ratings.design import Design, Floats
from fudaba_arena.ladder.ratings.fixed_strengths import ELO_PER_LOGIT, FixedStrengths
from fudaba_arena.ladder.ratings.model import solve
from fudaba_arena.ladder.ratings.results import BlockResult, Results
from fudaba_arena.ladder.ratings.sandwich import Robust

__all__ = [
    "BadField",
    "Estimate",
    "ExpectedShare",
    "Fit",
    "Rated",
    "Rating",
    "SeatAdvantage",
    "components",
    "fit",
    "rate",
    "records_of",
]

_FALSE_ALARM_SHARE: Final = 0.01
"""The probability that a field in which nothing changes has a marked bot."""
_MIN_BLOCKS: Final = 20
"""The number of a bot's blocks below which nothing is said about changes."""
_MAX_RATINGS_TOGETHER: Final = 512
"""The number of ratings whose errors are found together. It bounds the memory."""
MODEL_BLOCKS: Final = 2
"""The model's own variance counts as this many blocks beside the observed ones."""


@final
class BadField(ValueError):
    """A setting of the fit that makes no sense. `str()` names it, and says what to use instead."""


@final
@dataclass(frozen=True, slots=True)
class ExpectedShare:
    """The share, 0 to 1, that ratings predict against virtual opponents, and its interval."""

    share: float
    low: float
    high: float


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
    points: int | None
    """The sum of its scores; None over several games, whose scores cannot be added up."""
    component: int
    """Ratings can be compared between bots of the same component only; 0 is the largest."""
    changes: bool = False
    """Whether its play changes with time: the halves of the season differ by more than chance explains."""
    expected: ExpectedShare | None = None
    """The share that the rating stands for, over several games that are combined by shares."""

    @property
    def half(self) -> float:
        """Half the width of the interval."""
        return self.high - self.rating


@final
@dataclass(frozen=True, slots=True)
class SeatAdvantage:
    """The advantage of a seat over the mean of the seats, in Elo points."""

    seat: int
    advantage: float
    low: float
    high: float


@final
@dataclass(frozen=True, slots=True)
class Fit:
    """Ratings from a set of results."""

    ratings: tuple[Rating, ...]
    """The ratings, best first; equal ratings are ordered by name."""
    seats: tuple[SeatAdvantage, ...]
    """The advantages of the seats, by seat; empty without results."""
    deal_luck: float
    """The standard deviation of a deal's value to one seat against another, in Elo points, as estimated from matches
    that played the same deal; 0 if there were none.
    """
    spread: float
    """The spread of scores between two even bots in a match, as root mean square, in points of the game. It is the unit
    of a game's ratings. 0 without results, or over several games.
    """
    confidence: float
    """The share of intervals that contain the true value, for example 0.95."""

    def __getitem__(self, bot: str) -> Rating:
        """Returns the rating of a bot. Raises `KeyError`."""
        for rating in self.ratings:
            if rating.bot == bot:
                return rating
        raise KeyError(bot)


@final
@dataclass(frozen=True, slots=True)
class Estimate:
    """A difference of ratings, in Elo points."""

    value: float
    variance: float
    degrees: float
    """The degrees of freedom of the variance."""
    between_halves: float = 0.0
    """The difference between the halves of the season, in standard errors."""

    def half(self, confidence: float) -> float:
        """Returns half the interval."""
        return sqrt(self.variance) * quantile((1 + confidence) / 2, self.degrees)

    def changes(self, chance: float) -> bool:
        """Returns whether the halves differ by more than they do with this probability if nothing changes."""
        return abs(self.between_halves) > quantile(1 - chance / 2, self.degrees)


def fit(
    results: Iterable[BlockResult],
    *,
    bots: Iterable[str] = (),
    win_margin: float = 2.0,
    anchor: str | None = None,
    anchor_rating: float = 1500.0,
    confidence: float = 0.95,
    virtual_draws: float = 1.0,
    fixed: FixedStrengths | None = None,
) -> Fit:
    """Returns the ratings of all bots in `results`, which are of one game, and in `bots`.

    `win_margin` is the greatest possible difference of two seats' scores in a match, if there is one (2 for a match of
    one deal with scores +1 and -1). Larger differences count as this one. `anchor` names the bot whose rating is
    `anchor_rating`; without it, that is the zero of `fixed`, or the field's mean. Raises `BadResults` or `BadField`.
    """
    rated = rate(results, bots=bots, win_margin=win_margin, virtual_draws=virtual_draws, fixed=fixed)
    return rated.fit(anchor=anchor, anchor_rating=anchor_rating, confidence=confidence)


def rate(
    results: Results | Iterable[BlockResult],
    *,
    bots: Iterable[str] = (),
    win_margin: float = 2.0,
    virtual_draws: float = 1.0,
    fixed: FixedStrengths | None = None,
) -> Rated:
    """Solves the equations of `fit`, before an anchor and a confidence are chosen. `Results` already include the bots'
    names. `fixed` gives the strengths of some bots, and with them zero and unit of the ratings.
    """
    if not 0 < win_margin < inf:
        raise BadField(f"win_margin is {win_margin}; it is a difference of scores above 0")
    if not 0 < virtual_draws < inf:
        raise BadField(
            f"virtual_draws is {virtual_draws}; it must be above 0, since otherwise a bot that wins "
            "everything has no finite rating"
        )
    packed_results = results if isinstance(results, Results) else Results.from_blocks(results, bots)
    return Rated(packed_results, win_margin, virtual_draws, fixed)


@final
class Rated:
    """The solved equations of one game's results."""

    def __init__(
        self, results: Results, win_margin: float, virtual_draws: float, fixed: FixedStrengths | None = None
    ) -> None:
        self.names = results.names
        self._index = {name: place for place, name in enumerate(self.names)}
        self._seats = results.seats
        self._halves = {} if fixed is None else {name: fixed.halves[name] for name in fixed.above if name in self.names}
        """Half the interval of each bot whose strength is given."""
        design = Design.from_results(results, win_margin, virtual_draws, fixed)
        self._size = design.parameters
        self._solution = solve(design)
        self._robust = Robust(design, self._solution)
        self._above: dict[tuple[str, ...], Mapping[str, Estimate]] = {}
        self._win_margin = win_margin
        self.records = records_of(results)
        sizes: Counter[int] = Counter()
        for arrays in results.arrays:
            sizes[len(arrays.deals)] += int(arrays.times.sum())
        self._blocks = _effective(sizes)
        met = _met(results)
        given = [self._index[name] for name in self._halves]
        met[np.ix_(given, given)] = True  # their distances are known without any match
        self.components = components(met, self.names)
        """The bots that matches connect, largest component first."""

    def fit(self, *, anchor: str | None = None, anchor_rating: float = 1500.0, confidence: float = 0.95) -> Fit:
        """Returns the ratings in the form of `fit`. Raises `BadField`."""
        if not 0 < confidence < 1:
            raise BadField(f"confidence is {confidence}; it lies between 0 and 1, for example 0.95")
        if anchor is not None and anchor not in self.names:
            raise BadField(f"the anchor {anchor!r} is not in the field; it has: {', '.join(self.names) or 'nobody'}")
        ratings = []
        # Ratings of bots that no match connects cannot be compared: each component has its own mean, or the anchor.
        for number, members in enumerate(self.components):
            estimates = self.above(members, () if anchor is None or anchor not in members else [anchor])
            for name, estimate in estimates.items():
                error, half = (sqrt(estimate.variance), estimate.half(confidence)) if len(members) > 1 else (inf, inf)
                half = self._halves.get(name, half) if anchor is None else half
                rating, record = anchor_rating + estimate.value, self.records[name]
                counts = record.matches, record.blocks, record.points
                changes = name in self.changing
                ratings.append(Rating(name, rating, error, rating - half, rating + half, *counts, number, changes))
        ratings.sort(key=lambda rating: (-rating.rating, rating.bot))
        luck = self._solution.luck_variance / self._solution.noise.dispersion
        return Fit(tuple(ratings), self._advantages(confidence), ELO_PER_LOGIT * sqrt(luck), self._spread, confidence)

    @cached_property
    def changing(self) -> frozenset[str]:
        """The bots whose play changes with time: the halves of the season differ by more than chance explains.

        It first examines the field as a whole, so that a field in which nothing changes has no mark in 99 of 100 cases,
        and only then each bot by itself.
        """
        known = {
            name: estimate
            for members in self.components
            for name, estimate in self.above(members).items()
            if self.records[name].blocks >= _MIN_BLOCKS
        }
        if not any(each.changes(_FALSE_ALARM_SHARE / len(known)) for each in known.values()):
            return frozenset()
        return frozenset(name for name, each in known.items() if each.changes(_FALSE_ALARM_SHARE))

    @property
    def _spread(self) -> float:
        return self._win_margin * sqrt(self._solution.noise.dispersion) if self._seats else 0.0

    def above(self, names: Sequence[str], base: Sequence[str] = ()) -> Mapping[str, Estimate]:
        """Returns how far some bots are above the mean of `base`. Matches connect all of them.

        Without `base`, it is how far they are above the zero of the given strengths, or where none of them has one,
        above their own mean.
        """
        key = (*names, "", *base)
        if key not in self._above:
            fixed = not self._halves.keys().isdisjoint(names)
            self._above[key] = dict(self._above_base(names, base or (() if fixed else names)))
        return self._above[key]

    def _above_base(self, names: Sequence[str], base: Sequence[str]) -> Iterator[tuple[str, Estimate]]:
        for begin in range(0, len(names), _MAX_RATINGS_TOGETHER):
            some = names[begin : begin + _MAX_RATINGS_TOGETHER]
            contrasts = np.zeros((self._size, len(some)))
            if base:
                contrasts[[self._index[other] for other in base]] = -1 / len(base)
            contrasts[[self._index[name] for name in some], np.arange(len(some))] += 1
            of_base = [self.records[base[0] if len(base) == 1 else name].effective for name in some]
            blocks = [min(self.records[name].effective, other) for name, other in zip(some, of_base, strict=True)]
            yield from zip(some, self._estimates(contrasts, blocks), strict=True)

    def _estimates(self, contrasts: Floats, blocks: Sequence[float]) -> list[Estimate]:
        """Returns sums of the parameters, each with a column of `contrasts` as weights, from effective numbers of
        blocks.

        The degrees of freedom go by how unequally the blocks contribute to the robust variance: a mean of n squares
        with kurtosis k varies as chi squared with 2n / (k - 1) degrees does. A bot that rarely loses owes its whole
        variance to a few blocks.
        """
        found = self._robust.ratings(contrasts)
        columns = found.value, found.model_variance, found.variance, found.carried, found.between_halves
        estimates = []
        for held, value, model, robust, carried, between in zip(blocks, *(c.tolist() for c in columns), strict=True):
            # Two variances of the same contrast: the model's, which needs no data, and the sandwich's, which is right
            # for any data but rests on few blocks at first. They are pooled as if the model's came from `MODEL_BLOCKS`
            # blocks.
            observed = max(0.0, held - 1)
            variance = (MODEL_BLOCKS * model + observed * robust) / (MODEL_BLOCKS + observed)
            # `carried` is the sum of the squared parts that single blocks have in the robust variance: 1 / n for n
            # equal ones, and 1 when a single block has all of it.
            excess = carried - 1 / held if carried else 0.0
            degrees = MODEL_BLOCKS + min(observed, 2 / excess if excess > 0 else inf)
            estimates.append(Estimate(ELO_PER_LOGIT * value, ELO_PER_LOGIT**2 * max(0.0, variance), degrees, between))
        return estimates

    def _advantages(self, confidence: float) -> tuple[SeatAdvantage, ...]:
        advantages = []
        contrasts = np.zeros((self._size, self._seats))
        contrasts[len(self.names) :] = np.eye(self._seats) - 1 / max(1, self._seats)
        for seat, estimate in enumerate(self._estimates(contrasts, [self._blocks] * self._seats)):
            half = estimate.half(confidence)
            advantages.append(SeatAdvantage(seat, estimate.value, estimate.value - half, estimate.value + half))
        return tuple(advantages)


@final
class Record:
    """A bot's points, matches and blocks."""

    def __init__(self) -> None:
        self.points = 0
        self.sizes: Counter[int] = Counter()
        """The number of blocks in which it played this many matches, by the number of matches."""

    @property
    def matches(self) -> int:
        """The number of matches that it played."""
        return sum(size * blocks for size, blocks in self.sizes.items())

    @property
    def blocks(self) -> int:
        """The number of blocks in which it played."""
        return self.sizes.total()

    @property
    def effective(self) -> float:
        """Returns the number of blocks of equal size that carry as much information on the variance as its blocks."""
        return _effective(self.sizes)


def _effective(sizes: Mapping[int, int]) -> float:
    """Returns the number of blocks of equal size that carry as much information on the variance as these blocks of
    several sizes.
    """
    squares = sum(size**2 * blocks for size, blocks in sizes.items())
    return sum(size * blocks for size, blocks in sizes.items()) ** 2 / squares if squares else 0.0


def records_of(results: Results) -> dict[str, Record]:
    """Counts each bot's points, matches and blocks."""
    field = len(results.names)
    records = [Record() for _ in range(field)]
    for arrays in results.arrays:
        points = np.zeros(field, np.int64)
        bots, scores = arrays.bots[:, arrays.seats], arrays.scores[:, arrays.seats]
        np.add.at(points, bots, arrays.times[:, None] * scores)
        # Each bot of each block once, with the matches that it played in it.
        in_blocks = np.sort(bots, axis=1)
        firsts = np.flatnonzero(np.diff(in_blocks, axis=1, prepend=-1))
        matches = np.diff(firsts, append=in_blocks.size)
        played = np.zeros((field, len(arrays.deals) + 1), np.int64)
        np.add.at(played, (in_blocks.ravel()[firsts], matches), arrays.times[firsts // in_blocks.shape[1]])
        for record, bot_points, sizes in zip(records, points.tolist(), played.tolist(), strict=True):
            record.points += bot_points
            record.sizes.update({size: times for size, times in enumerate(sizes) if times})
    return dict(zip(results.names, records, strict=True))


def _met(results: Results) -> NDArray[np.bool_]:
    """(bots, bots): whether two bots played a match together. Of each match it has the first of its seats' bots with
    each other bot, which is enough to connect them.
    """
    field = len(results.names)
    met = np.zeros((field, field), np.bool_)
    for arrays in results.arrays:
        for match, seats in enumerate(arrays.seats):
            bots = arrays.bots[:, match, seats]
            met[bots[:, :1], bots[:, 1:]] = True
    return met | met.T


def components(met: NDArray[np.bool_], names: Sequence[str]) -> list[list[str]]:
    """Returns the sets of bots that meetings connect, largest first; `met` (bots, bots) says which two met."""
    found: list[list[str]] = []
    left = np.ones(len(names), np.bool_)
    for begin in range(len(names)):
        if not left[begin]:
            continue
        members, added = np.zeros(len(names), np.bool_), np.array([begin])
        while len(added):
            members[added] = True
            added = np.flatnonzero(met[added].any(axis=0) & ~members)
        left &= ~members
        found.append([names[member] for member in np.flatnonzero(members).tolist()])
    return sorted(found, key=lambda component: (-len(component), component))
