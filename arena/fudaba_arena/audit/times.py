"""Compares the times when matches ended with those when their blocks were chosen and closed. A result that does not fit
belongs to another match.

The service's clock says when a match ended; the arena's clock says when a block was chosen and closed. A block is
closed as soon as its last match has ended, so all blocks of a season together show how far the clocks differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from statistics import median
from typing import Any, Final, final

__all__ = ["Times"]

_TOLERANCE_MS: Final = 10_000
_MIN_BLOCKS: Final = 5
"""The fewest blocks that show how far the clocks differ. Among fewer, a single wrong block would count for too much."""


@final
class Times:
    """The times in an export's lines."""

    def __init__(
        self,
        chosen: Iterable[Mapping[str, Any]],
        blocks: Mapping[int, Mapping[str, Any]],
        matches: Iterable[Mapping[str, Any]],
    ) -> None:
        self._chosen_ms = {line["slot"]: line["at_ms"] for line in chosen}
        """The time when the block of each slot of a ladder was chosen."""
        self._closed_ms = {number: line["closed_ms"] for number, line in blocks.items() if line.get("closed_ms")}
        ended_ms: dict[int, int] = {}
        for line in matches:
            if line["result"] is not None:
                ended_ms[line["block"]] = max(ended_ms.get(line["block"], 0), line["result"]["ended_ms"])
        ahead = [ended - self._closed_ms[number] for number, ended in ended_ms.items() if number in self._closed_ms]
        self._service_ahead_ms = median(ahead) if len(ahead) >= _MIN_BLOCKS else 0.0

    def faults(self, slot: int, number: int, ended_ms: int) -> Iterator[str]:
        """Checks the times when the matches of blocks ended."""
        ended = ended_ms - self._service_ahead_ms
        early = (self._chosen_ms.get(slot, 0) - ended) / 1000
        late = (ended - self._closed_ms.get(number, ended)) / 1000
        if early > _TOLERANCE_MS / 1000:
            yield f"it ended {early:.0f} s before its block was chosen: the result is that of another match"
        if late > _TOLERANCE_MS / 1000:
            yield f"it ended {late:.0f} s after its block was closed: the result is that of another match"
