"""The lines of a fair-play report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, final

__all__ = ["MAX_MATCHES", "Kind", "Line", "Look", "Report"]

MAX_MATCHES: Final = 100
"""The number of match ids of a line; the newest ones."""


@final
class Kind(StrEnum):
    """The comparisons that a line can make."""

    PAIR = "pair"
    """One entry takes more from another than the ratings of both predict."""
    ACCOUNT = "account"
    """The entries of one account, taken together, give to one entry, or take from it."""
    GATHERED = "gathered"
    """Several entries give to one."""
    FORFEITS = "forfeits"
    """Others forfeit against one entry in more of its blocks than they do against everybody."""
    VOIDS = "voids"
    """Blocks became void while an entry did worse in them than its rating predicts."""
    WORKER = "worker"
    """An entry does better in blocks that one worker's machine played than in others."""
    DEALS = "deals"
    """An entry does better on deals that another entry plays at another table."""


@final
@dataclass(frozen=True, slots=True)
class Line:
    """One finding."""

    kind: Kind
    game: str
    gaining: tuple[str, ...]
    """The entries that gain."""
    giving: tuple[str, ...]
    """The entries at whose expense they gain; for `DEALS` the entry at the other table. Empty for `VOIDS` and
    `WORKER`."""
    worker: str
    """For `WORKER` the machine; empty for blocks that the arena itself played, and for other kinds."""
    blocks: int
    share: float
    """The share, 0 to 1, that was taken; for `FORFEITS` the share of blocks in which an opponent forfeited."""
    expected: float
    """The expected share."""
    effect: float | None
    """The difference in Elo points; None for `FORFEITS`."""
    effect_error: float | None
    """Its standard error."""
    probability: float
    """The adjusted probability: the least false-discovery rate at which the line is reported."""
    matches: tuple[str, ...]
    """The ids of its newest matches, oldest first."""
    match_count: int
    """The number of all its matches."""


@final
@dataclass(frozen=True, slots=True)
class Look:
    """A comparison that was made."""

    kind: Kind
    probability: float
    """The chance that results stray as far by luck, of this comparison alone."""
    line: Callable[[], Line]
    """Makes its line, with this probability."""


@final
@dataclass(frozen=True, slots=True)
class Report:
    """The lines, least probable first."""

    lines: Sequence[Line]
    looks: int
    """The number of comparisons that were made."""
    blocks: int
    """The number of counting blocks that were looked at."""
