"""The waits between attempts to reach a service that is away."""

from __future__ import annotations

import random
from collections.abc import Iterator

__all__ = ["delays"]


def delays(first: float, longest: float, growth: float = 2.0) -> Iterator[float]:
    """Yields the seconds to wait before each new attempt, without end. Start again once the service has been reached.

    They grow from `first` to `longest`, each shortened by up to a half so that not all callers come back at once.
    """
    delay = first
    while True:
        yield delay * random.uniform(0.5, 1.0)  # noqa: S311 - spreads reconnections
        delay = min(longest, delay * growth)
