"""The budget of a search: a number of tries, or a time."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Final, final

__all__ = ["DEFAULT", "Budget", "Spending"]

DEFAULT: Final = "0.2s"
_TEXT: Final = re.compile(r"0*(?:([0-9]{1,9})|([0-9]{1,6}(?:\.[0-9]{1,6})?)s)")
_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]*)?s?")
_MAX_CHARS_SHOWN: Final = 40
"""The number of characters of a text that an error message quotes."""


@final
class Budget:
    """`iterations` tries, or `seconds` of time; the other one is 0."""

    def __init__(self, iterations: int = 0, seconds: float = 0.0) -> None:
        self.iterations = iterations
        self.seconds = seconds

    @classmethod
    def parse(cls, text: str) -> Budget:
        """Reads `500` (tries) or `0.5s` (seconds). Raises `ValueError`."""
        found = _TEXT.fullmatch(text)
        budget = cls(int(found[1] or 0), float(found[2] or 0)) if found else cls()
        if not budget.iterations and not budget.seconds:
            limits = ", from 1 to 999,999,999 tries or 0.000001s to 999999s" if _NUMBER.fullmatch(text) else ""
            given = text if len(text) <= _MAX_CHARS_SHOWN else text[:_MAX_CHARS_SHOWN] + "…"
            raise ValueError(
                f"a search's budget is a number of tries, as 500, or a time, as 0.5s{limits}; not {given!r}"
            )
        return budget

    def begin(self, most_seconds: float = 0.0, clock: Callable[[], float] = time.monotonic) -> Spending:
        """Begins to spend the budget, within `most_seconds` unless that is 0."""
        seconds = min(self.seconds or most_seconds, most_seconds) if most_seconds else self.seconds
        return Spending(self.iterations, seconds, clock)


@final
class Spending:
    """A budget during use."""

    def __init__(self, iterations: int, seconds: float, clock: Callable[[], float]) -> None:
        self._iterations = iterations
        self._clock = clock
        self._began = clock()
        self._seconds = seconds
        self.spent = 0
        """The number of tries that were made."""

    def take(self) -> bool:
        """Takes another try. Returns False when the budget is spent."""
        if self.share() >= 1.0:
            return False
        self.spent += 1
        return True

    def share(self) -> float:
        """Returns the spent share of the budget, from 0 to slightly above 1."""
        tries = self.spent / self._iterations if self._iterations else 0.0
        return max(tries, (self._clock() - self._began) / self._seconds) if self._seconds else tries

    def late(self) -> bool:
        """Returns whether the time is over, even for a try in progress."""
        return self._seconds > 0.0 and self._clock() - self._began >= self._seconds
