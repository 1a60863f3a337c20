"""Probabilities: of a share, of several together, and of many looks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import exp, inf, lgamma, log, log1p
from typing import Final

__all__ = ["MAX_SMALL_SHARE", "adjusted", "share_probability", "together"]

MAX_SMALL_SHARE: Final = 0.02
"""The greatest probability that counts as evidence where several are taken together."""
_MIN_PROBABILITY: Final = 1e-300


def share_probability(share: float, expected: float, trials: float) -> float:
    """Bounds the chance that `trials` have a share as great as this one, where `expected` is the true share: Chernoff's
    bound of a binomial share. Returns 1 for a share that is no greater.
    """
    if share <= expected or trials <= 0:
        return 1.0
    if expected <= 0:
        return _MIN_PROBABILITY
    divergence = share * log(share / expected)
    if share < 1:
        divergence += (1 - share) * (log1p(-share) - log1p(-expected))
    return max(_MIN_PROBABILITY, exp(-min(690.0, trials * divergence)))


def together(probabilities: Sequence[float]) -> float:
    """Returns the chance that the product of those probabilities that are small is as small as here, all of them being
    independent and uniform (the truncated product of Zaykin and others). 1 unless at least two are small.
    """
    small = [probability for probability in probabilities if probability <= MAX_SMALL_SHARE]
    if len(small) < 2:
        return 1.0
    count, log_product = len(probabilities), sum(map(log, small))
    total = 0.0
    for chosen in range(1, count + 1):
        ways = lgamma(count + 1) - lgamma(chosen + 1) - lgamma(count - chosen + 1)
        total += exp(ways + (count - chosen) * log1p(-MAX_SMALL_SHARE) + _log_product_below(log_product, chosen))
    return min(1.0, max(_MIN_PROBABILITY, total))


def _log_product_below(log_product: float, count: int) -> float:
    """Returns the logarithm of the chance that `count` of them are small, and their product as small as this one."""
    above = count * log(MAX_SMALL_SHARE) - log_product
    if above <= 0:
        return count * log(MAX_SMALL_SHARE)
    terms = [power * log(above) - lgamma(power + 1) for power in range(count)]
    most = max(terms, default=-inf)
    return log_product + most + log(sum(exp(term - most) for term in terms))


def adjusted(probabilities: Sequence[float], kinds: Sequence[str]) -> list[float]:
    """Returns for each probability the least false-discovery rate at which it is a discovery (Benjamini and Hochberg).

    Each kind of look has the same part of the false discoveries, however many looks it has (weights as by Genovese and
    others): a few looks are not drowned by the many of another kind.
    """
    count, sizes = len(probabilities), Counter(kinds)
    weighted = [
        probability * sizes[kind] * len(sizes) / count for probability, kind in zip(probabilities, kinds, strict=True)
    ]
    least, found = 1.0, [1.0] * count
    order = sorted(range(count), key=lambda at: weighted[at])
    for rank in range(count, 0, -1):
        at = order[rank - 1]
        least = min(least, weighted[at] * count / rank)
        found[at] = least
    return found
