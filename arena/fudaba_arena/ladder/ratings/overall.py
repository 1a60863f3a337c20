"""One ladder over several games. What it means: see `fudaba_arena.ladder.ratings`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, sqrt
from typing import Final

from fudaba_arena.ladder.ratings.fit import Estimate, Fit, Rated, Rating

__all__ = ["overall"]

_BASE_POINTS: Final = 1500.0


def overall(games: Mapping[str, Rated], *, confidence: float = 0.95) -> Fit:
    """Returns the mean of each bot's ratings in all games, against the mean of the bots that it can be compared with.

    Bots can be compared where in every game a chain of matches connects them; so a bot that has not played in some
    game is by itself, with an infinite interval. The games' blocks are independent, so variances add up.
    """
    fits = [games[game] for game in sorted(games)]
    if len(fits) == 1:
        return fits[0].fit(confidence=confidence)
    ratings = []
    for number, members in enumerate(_comparable(fits)):
        for name in members:
            rating = _BASE_POINTS
            error = half = inf
            if len(members) > 1:
                estimate = _mean([each.above(name, members) for each in fits])
                rating, error, half = _BASE_POINTS + estimate.value, sqrt(estimate.variance), estimate.half(confidence)
            records = [each.records[name] for each in fits if name in each.records]
            matches, blocks = sum(record.matches for record in records), sum(record.blocks for record in records)
            ratings.append(Rating(name, rating, error, rating - half, rating + half, matches, blocks, None, number))
    ratings.sort(key=lambda rating: (-rating.rating, rating.bot))
    return Fit(tuple(ratings), (), 0.0, 0.0, confidence)


def _comparable(fits: Sequence[Rated]) -> list[list[str]]:
    """Returns the bots that are in the same component of every game, largest set first."""
    places = [
        {name: number for number, members in enumerate(each.components) if len(members) > 1 for name in members}
        for each in fits
    ]
    sets: dict[tuple[int | str, ...], list[str]] = {}
    for name in sorted({name for each in fits for name in each.names}):
        sets.setdefault(tuple(place.get(name, name) for place in places), []).append(name)
    return sorted(sets.values(), key=lambda members: (-len(members), members))


def _mean(estimates: Sequence[Estimate]) -> Estimate:
    """Returns the mean of independent estimates; its degrees of freedom by Welch and Satterthwaite."""
    parts = [each.variance / len(estimates) ** 2 for each in estimates]
    variance = sum(parts)
    shares = sum(part**2 / each.degrees for part, each in zip(parts, estimates, strict=True))
    value = sum(each.value for each in estimates) / len(estimates)
    return Estimate(value, variance, variance**2 / shares if shares else inf)
