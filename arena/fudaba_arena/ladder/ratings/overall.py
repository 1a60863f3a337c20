"""The ladder over several games. `fudaba_arena.ladder.ratings` says what it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, inf, log, sqrt
from typing import Final

from fudaba_arena.ladder.ratings.fit import Estimate, ExpectedShare, Fit, Rated, Rating
from fudaba_arena.ladder.ratings.fixed_strengths import ELO_PER_LOGIT

__all__ = ["expected_share", "overall", "rating_of_share"]

_BASE_POINTS: Final = 1500.0
_OPPONENTS: Final = tuple(range(-400, 801, 100))
"""The virtual opponents, in Elo points above zero: all are met equally often."""
_MAX_STEPS: Final = 100
_MIN_STEP_POINTS: Final = 1e-9
_MIN_SHARE: Final = 1e-12


def overall(games: Mapping[str, Rated], *, shares: bool = False, confidence: float = 0.95) -> Fit:
    """Returns each bot's rating over all games, against the mean of the bots that it can be compared with.

    It is the mean of the bot's ratings; with `shares`, the rating of a bot that everywhere takes the mean of the shares
    that these ratings predict against virtual opponents. Bots can be compared if in every game a chain of matches
    connects them; a bot that has not played in some game is therefore alone, with an infinite interval. The games'
    blocks are independent, so variances add up.
    """
    fits = [games[game] for game in sorted(games)]
    if len(fits) == 1:
        return fits[0].fit(confidence=confidence)
    ratings = []
    for number, members in enumerate(_comparable(fits)):
        above = [each.above(members) for each in fits] if len(members) > 1 else []
        for name in members:
            rating = _BASE_POINTS
            error = half = inf
            expected, changes = None, False
            if len(members) > 1:
                estimates = [of_game[name] for of_game in above]
                estimate = _of_shares(estimates) if shares else _mean(estimates)
                rating, error, half = _BASE_POINTS + estimate.value, sqrt(estimate.variance), estimate.half(confidence)
                changes = any(name in each.changing for each in fits)
                if shares:
                    expected = ExpectedShare(*(expected_share(estimate.value + by) for by in (0.0, -half, half)))
            records = [each.records[name] for each in fits if name in each.records]
            matches, blocks = sum(record.matches for record in records), sum(record.blocks for record in records)
            bounds = rating - half, rating + half
            ratings.append(Rating(name, rating, error, *bounds, matches, blocks, None, number, changes, expected))
    ratings.sort(key=lambda rating: (-rating.rating, rating.bot))
    return Fit(tuple(ratings), (), 0.0, 0.0, confidence)


def expected_share(above: float) -> float:
    """Returns the share, 0 to 1, that a bot this many points above zero takes from the virtual opponents on average."""
    return sum(map(_share, _differences(above))) / len(_OPPONENTS)


def rating_of_share(share: float) -> float:
    """Returns how far above zero a bot with this share, between 0 and 1, is."""
    share = min(max(share, _MIN_SHARE), 1 - _MIN_SHARE)
    above = 0.0
    # The odds of the share rise with the rating nearly as in a single match: Newton's steps never overshoot far.
    for _ in range(_MAX_STEPS):
        now = min(max(expected_share(above), _MIN_SHARE), 1 - _MIN_SHARE)
        step = (_logit(share) - _logit(now)) * now * (1 - now) / max(_slope(above), _MIN_SHARE)
        above += step
        if abs(step) < _MIN_STEP_POINTS:
            break
    return above


def _differences(above: float) -> list[float]:
    return [(above - opponent) / ELO_PER_LOGIT for opponent in _OPPONENTS]


def _share(logit: float) -> float:
    return 1 / (1 + exp(-logit)) if logit > 0 else exp(logit) / (1 + exp(logit))


def _logit(share: float) -> float:
    return log(share / (1 - share))


def _slope(above: float) -> float:
    """Returns by how much the expected share rises for a point of rating."""
    return sum(share * (1 - share) for share in map(_share, _differences(above))) / len(_OPPONENTS) / ELO_PER_LOGIT


def _comparable(fits: Sequence[Rated]) -> list[list[str]]:
    """Returns the sets of bots that are in the same component of every game, largest first."""
    places = [
        {name: number for number, members in enumerate(each.components) if len(members) > 1 for name in members}
        for each in fits
    ]
    sets: dict[tuple[int | str, ...], list[str]] = {}
    for name in sorted({name for each in fits for name in each.names}):
        sets.setdefault(tuple(place.get(name, name) for place in places), []).append(name)
    return sorted(sets.values(), key=lambda members: (-len(members), members))


def _mean(estimates: Sequence[Estimate]) -> Estimate:
    """Returns the mean of independent estimates."""
    value = sum(each.value for each in estimates) / len(estimates)
    return _combined(value, [1 / len(estimates)] * len(estimates), estimates)


def _of_shares(estimates: Sequence[Estimate]) -> Estimate:
    """Returns the rating whose expected share is the mean of the expected shares of independent estimates."""
    value = rating_of_share(sum(expected_share(each.value) for each in estimates) / len(estimates))
    slope = _slope(value)
    return _combined(value, [_slope(each.value) / slope / len(estimates) for each in estimates], estimates)


def _combined(value: float, weights: Sequence[float], estimates: Sequence[Estimate]) -> Estimate:
    """Returns a value that moves with independent estimates by these weights. Its degrees of freedom are by Welch and
    Satterthwaite.
    """
    parts = [weight**2 * each.variance for weight, each in zip(weights, estimates, strict=True)]
    variance = sum(parts)
    shares = sum(part**2 / each.degrees for part, each in zip(parts, estimates, strict=True))
    return Estimate(value, variance, variance**2 / shares if shares else inf)
