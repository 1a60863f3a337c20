"""Tracks when the bot of an open decision had no stream here, and how much of that was the service's fault.

A bot that connects waits until it has its seats: for the store, which may be slow. That time is the service's, apart
from a usual wait, so that nobody gains by reconnecting. Spans are in ms of the shared time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, final

__all__ = ["USUAL_WAIT_SECONDS", "Absences", "DelaySpan", "Wait", "covered_ms"]

USUAL_WAIT_SECONDS: Final = 0.05
"""The usual wait of a connecting bot for its seats. Any longer wait counts as the service's time."""


class Wait(NamedTuple):
    """The wait of a connecting bot. Times are monotonic, in seconds."""

    since: float
    until: float
    delay: float
    """The growth of the server's delay during the wait."""


class DelaySpan(NamedTuple):
    """A span of time, and the seconds of the server's delay in it."""

    start: int
    end: int
    delay: float

    def credit(self, ms: int) -> float:
        """Returns how many seconds of it to credit beyond the delay, if this many ms were the service's fault."""
        return max(0.0, min(ms / 1000, (self.end - self.start) / 1000 - self.delay))


def covered_ms(spans: Iterable[tuple[int, int]], since_ms: int, until_ms: int) -> int:
    """Returns how much of a span lies in other spans, which may overlap."""
    total, covered = 0, since_ms
    for start, end in sorted(spans):
        a, b = max(start, covered), min(end, until_ms)
        if b > a:
            total += b - a
            covered = b
    return total


@final
class Absences:
    """The absences of one seat, for one decision."""

    def __init__(self) -> None:
        self._waits: list[DelaySpan] = []
        self._absences: list[DelaySpan] = []
        self._left: tuple[int, float] | None = None

    def left(self, now_ms: int, delay: float) -> None:
        """Notes that the seat's last stream here has ended."""
        self._left = now_ms, delay

    def returned(self, now_ms: int, delay: float) -> None:
        """Notes that a stream has taken the seat, which had none here."""
        if self._left is not None:
            since_ms, before = self._left
            self._absences.append(DelaySpan(since_ms, now_ms, delay - before))
            self._left = None

    def waited(self, wait: Wait, now_ms: int, now: float) -> None:
        """Notes the wait of a stream before it took the seat."""
        start, end = (
            now_ms - int((now - wait.since - USUAL_WAIT_SECONDS) * 1000),
            now_ms - int((now - wait.until) * 1000),
        )
        if end > start:
            self._waits.append(DelaySpan(start, end, min(wait.delay, (end - start) / 1000)))

    def beyond(self, outages: Sequence[tuple[int, int]], since_ms: int) -> float:
        """Returns the seconds of waits since then that lie outside of these outages and of the server's delay."""
        total = 0.0
        for wait in self._waits:
            outside = covered_ms([*outages, wait[:2]], since_ms, wait.end) - covered_ms(outages, since_ms, wait.end)
            in_outages = (wait.end - wait.start - outside) / 1000
            total += max(0.0, outside / 1000 - max(0.0, wait.delay - in_outages))
        return total

    def within(self, outages: Sequence[tuple[int, int]], since_ms: int, now_ms: int, delay: float) -> float:
        """Returns the seconds of absences since then that lay in these outages or were waits, without the delay.

        `delay` is the server's delay until now.
        """
        absences = self._absences
        if self._left is not None:
            absences = [*absences, DelaySpan(self._left[0], now_ms, delay - self._left[1])]
        total, spans = 0.0, [*outages, *(wait[:2] for wait in self._waits)]
        for start, end, growth in [*absences, *self._waits_before(absences)]:
            absence = DelaySpan(max(start, since_ms), end, growth)
            total += absence.credit(covered_ms(spans, absence.start, end))
        return total

    def _waits_before(self, absences: Sequence[DelaySpan]) -> Iterator[DelaySpan]:
        """Yields the waits, or their parts, during which an older stream was still assumed to be there."""
        for wait in self._waits:
            end = min(
                [
                    wait.end,
                    *(absence.start for absence in absences if absence.start < wait.end and wait.start < absence.end),
                ]
            )
            if end > wait.start:
                yield DelaySpan(wait.start, end, wait.delay)
