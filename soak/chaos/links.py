"""The times when a fault of its own link cut a bot off. That time is the bot's own, and does not count as charged."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final, NamedTuple, final

__all__ = ["Away", "LinkFault", "LinkHistory"]

_AFTERMATH_SECONDS: Final = 1.0
"""The seconds after a fault of its link within which a stream may end because of it."""
_MAX_TRANSIT_SECONDS: Final = 3.5
"""The seconds that a decision may have been in flight before it was received."""


@dataclass
class LinkFault:
    """A fault of the link between bots and one replica."""

    replica: int
    start: float
    end: float


class Away(NamedTuple):
    """A bot without a stream, from the end of one at this replica to the welcome of the next."""

    replica: int
    start: float
    end: float


@final
@dataclass
class LinkHistory:
    """Faults of the links of all bots."""

    faults: list[LinkFault] = field(default_factory=list)

    def own(self, since: float, until: float, aways: list[Away]) -> float:
        """Returns how many seconds of a decision's time (received, closed) its bot's own link may have cost.

        `aways` are in chronological order.
        """
        since -= _MAX_TRANSIT_SECONDS
        spans = [(fault.start, fault.end) for fault in self.faults]
        during = aways[
            bisect_left(aways, since, key=attrgetter("end")) : bisect_left(aways, until, key=attrgetter("start"))
        ]
        spans += [(away.start, away.end) for away in during if self._by_link(away)]
        total, covered = 0.0, since
        for start, end in sorted(spans):
            begins, ends = max(start, covered), min(end, until)
            if ends > begins:
                total += ends - begins
                covered = ends
        # What was on its way is sent again only when the bot has noticed.
        struck = any(fault.start <= until and fault.end >= since for fault in self.faults)
        return total + (_AFTERMATH_SECONDS if struck else 0.0)

    def _by_link(self, away: Away) -> bool:
        return any(
            fault.replica == away.replica and fault.start - 0.1 <= away.start <= fault.end + _AFTERMATH_SECONDS
            for fault in self.faults
        )
