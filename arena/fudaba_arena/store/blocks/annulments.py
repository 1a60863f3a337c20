"""Annulments, and what those that hold come to: which blocks count no more, or without some groups.

Annulments are one sequence, numbered from 1, to which annulments are only added. What undoes one is an annulment, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Self, final

from fudaba_arena.forms import known_fields

__all__ = ["Annulment", "TakenBack", "taken_back", "undone"]


@final
@dataclass(frozen=True, slots=True)
class Annulment:
    """Blocks that were closed and do not count any more, and why. They stay in the sequence."""

    blocks: tuple[int, ...]
    """Their numbers; of one that undoes another, those of that."""
    reason: str
    """The organiser's words."""
    at_ms: int = 0
    bots: tuple[str, ...] = ()
    """The versions whose groups are annulled in these blocks; empty for all groups."""
    undoes: int = 0
    """The number of the annulment that it undoes; 0 for one that annuls."""

    def line(self) -> str:
        """Writes it in its stored form."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        """Reads what is stored."""
        values = known_fields(cls, json.loads(line), "an annulment")
        return cls(**values | {"blocks": tuple(values["blocks"]), "bots": tuple(values.get("bots", ()))})


@final
@dataclass(frozen=True, slots=True)
class TakenBack:
    """The part of a block that the annulments in force take back."""

    whole: bool
    """Whether all of it."""
    bots: frozenset[str]
    """Otherwise the matches in which one of these bots played."""
    latest: Annulment
    """The last annulment of it."""


def undone(annulments: Sequence[Annulment]) -> dict[int, int]:
    """Maps the number of each annulment that is undone to the number of what undid it."""
    return {annulment.undoes: number for number, annulment in enumerate(annulments, 1) if annulment.undoes}


def taken_back(annulments: Sequence[Annulment]) -> Mapping[int, TakenBack]:
    """Sums a whole sequence of annulments, by the number of the block."""
    found: dict[int, TakenBack] = {}
    over = undone(annulments)
    for number, annulment in enumerate(annulments, 1):
        if annulment.undoes or number in over:
            continue
        for block in annulment.blocks:
            before = found.get(block)
            whole = not annulment.bots or (before is not None and before.whole)
            bots = frozenset(annulment.bots) | (before.bots if before is not None else frozenset())
            found[block] = TakenBack(whole, bots, annulment)
    return found
