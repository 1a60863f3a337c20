"""The findings in an export."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

__all__ = ["ExportFault", "Report"]


@final
@dataclass(frozen=True, slots=True)
class ExportFault:
    """One fault in an export."""

    code: str
    """Stable: COMMITMENT, MASTER, DEFINITION, BLOCK, BLOCK_MISSING, BLOCK_SEED, DEAL_SEED, DEAL_MISSING, MATCH,
    MATCH_MISSING, SEATS, RESULT, DIGEST, ORDER, END, RECORD, ROUND, ENTRY, CHOSEN, ANNULMENT, STANDINGS, SEEDS."""
    text: str
    """A description of the fault, for people."""
    block: int | None = None
    deal: int | None = None
    match_id: str | None = None

    def __str__(self) -> str:
        where = [f"block {self.block}"] if self.block is not None else []
        where += [f"deal {self.deal}"] if self.deal is not None else []
        where += [f"match {self.match_id}"] if self.match_id is not None else []
        return f"{', '.join(where)}: {self.text}" if where else self.text


@final
@dataclass(slots=True)
class Report:
    """The checks that were made, and the faults that they found."""

    tournament: str = ""
    commitment: str = ""
    blocks: int = 0
    deals: int = 0
    matches: int = 0
    results_digest: str = ""
    records: int = 0
    """The number of match records that were also replayed."""
    rated: int = 0
    """The number of ladders whose standings were recomputed from the results."""
    published: int = 0
    """The number of points of the sequence whose published ratings were recomputed."""
    rated_on: dict[str, str] = field(default_factory=dict)
    """For a season whose final has been played, the blocks that each ladder is rated on: `season`, `final` or
    `mixed`.
    """
    unchecked: list[str] = field(default_factory=list)
    """The checks that cannot be made yet, each with the reason."""
    faults: list[ExportFault] = field(default_factory=list)
