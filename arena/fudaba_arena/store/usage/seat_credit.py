"""The network credits for the decisions of a seat, noted with the match's result and summed.

Credits are rounded before they are counted: to milliseconds below 20 ms, to multiples of 5 ms above. So there are fewer
than 80 different values, and a percentile of a million decisions is accurate to 2.5 ms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self, final

from fudaba.v1 import record_pb2

__all__ = ["SeatCredit", "credited_in", "percentile_ms"]

_FINE_MS: Final = 20
_STEP_MS: Final = 5


@final
@dataclass(frozen=True, slots=True)
class SeatCredit:
    """The network credit of one seat."""

    seat: int
    """The seat, from 0."""
    decisions: tuple[tuple[int, int], ...]
    """The number of decisions with each credit: pairs of milliseconds and decisions, smallest credit first."""

    def values(self) -> Sequence[int]:
        """Converts it to the stored JSON values."""
        return [self.seat, *(value for pair in self.decisions for value in pair)]

    @classmethod
    def from_values(cls, values: Sequence[Any]) -> Self:
        """Reads stored values."""
        seat, *pairs = values
        return cls(seat, tuple(zip(pairs[::2], pairs[1::2], strict=True)))


def credited_in(record: record_pb2.MatchRecord, seats: Iterable[int]) -> Iterator[SeatCredit]:
    """Sums the credits of some seats of a match. Seats without decisions are left out."""
    for seat in seats:
        counts = Counter(
            _rounded_ms(entry.spent.network_us)
            for entry in record.log
            if entry.seat == seat and entry.WhichOneof("what") in {"move", "timeout"}
        )
        if counts:
            yield SeatCredit(seat, tuple(sorted(counts.items())))


def percentile_ms(counts: Mapping[int, int], percent: int) -> int:
    """Returns the smallest credit, in milliseconds, that at least this percentage of the decisions do not exceed.

    `counts` has the number of decisions by credit, at least one in all.
    """
    left = -(-sum(counts.values()) * percent // 100)
    for credit_ms in sorted(counts):
        left -= counts[credit_ms]
        if left <= 0:
            return credit_ms
    raise ValueError("nothing was counted")


def _rounded_ms(credit_us: int) -> int:
    whole = round(credit_us / 1000)
    return whole if whole < _FINE_MS else _STEP_MS * round(credit_us / 1000 / _STEP_MS)
