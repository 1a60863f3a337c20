"""Annulments and their sum: which blocks no longer count, or count without some groups.

Annulments are numbered from 1, and are only added. An undoing is an annulment, too. They are entries of the sequence of
closed blocks: each records after how many of these it was noted. So anything computed from results follows from a point
of that sequence, the number of its entries up to there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Self, final

import numpy as np

from fudaba_arena.forms import known_fields
from fudaba_arena.store.sealed.derived_values import Ints

__all__ = ["Annulment", "TakenBack", "noted_after", "taken_back", "undone"]


@final
@dataclass(frozen=True, slots=True)
class Annulment:
    """Closed blocks that no longer count, and the reason. They stay in the sequence."""

    blocks: tuple[int, ...]
    """The numbers of the blocks; for an undoing, those of the undone annulment."""
    reason: str
    """The organiser's reason."""
    at_ms: int = 0
    bots: tuple[str, ...] = ()
    """The versions whose groups are annulled in these blocks; empty for all groups."""
    undoes: int = 0
    """The number of the annulment that it undoes; 0 for one that annuls."""
    disqualifies: str = ""
    """The bot of the ladder that it disqualifies, whose versions are `bots`; empty for any other annulment. As long as
    it holds, it takes back all blocks of theirs, also those that are closed after it, and of each match only what they
    did: the others' results against each other count.
    """
    after: int | None = None
    """The number of blocks that were closed when it was noted; None until then, and for an annulment of an earlier
    release.
    """

    def line(self) -> str:
        """Writes it in its stored form, without `after`, which the store knows."""
        values = {name: value for name, value in asdict(self).items() if name != "after"}
        return json.dumps(values, separators=(",", ":"))

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        """Reads a stored annulment."""
        values = known_fields(cls, json.loads(line), "an annulment")
        return cls(**values | {"blocks": tuple(values["blocks"]), "bots": tuple(values.get("bots", ()))})


@final
@dataclass(frozen=True, slots=True)
class TakenBack:
    """The part of a block that the annulments in force take back."""

    whole: bool
    """Whether the whole block is taken back."""
    bots: frozenset[str]
    """If not, the matches with one of these bots are taken back."""
    struck: frozenset[str]
    """The disqualified bots, whose results are taken back, and nobody else's."""
    latest: Annulment
    """The last annulment of the block."""


def undone(annulments: Sequence[Annulment]) -> dict[int, int]:
    """Maps the number of each undone annulment to the number of its undoing."""
    return {annulment.undoes: number for number, annulment in enumerate(annulments, 1) if annulment.undoes}


def taken_back(annulments: Sequence[Annulment]) -> Mapping[int, TakenBack]:
    """Sums a whole sequence of annulments, by block number."""
    found: dict[int, TakenBack] = {}
    over = undone(annulments)
    for number, annulment in enumerate(annulments, 1):
        if annulment.undoes or number in over:
            continue
        for block in annulment.blocks:
            before = found.get(block)
            whole = not annulment.bots or (before is not None and before.whole)
            bots, struck = (before.bots, before.struck) if before is not None else (frozenset(), frozenset())
            if annulment.disqualifies:
                struck |= frozenset(annulment.bots)
            else:
                bots |= frozenset(annulment.bots)
            found[block] = TakenBack(whole, bots, struck, annulment)
    return found


def noted_after(
    annulments: Sequence[Annulment], closed_ms: Ints, place: Callable[[int], int | None]
) -> tuple[int, ...]:
    """Returns the number of blocks of a sequence after which each annulment stands.

    `closed_ms` has the time when each block was closed, and `place` returns the place of a block, from 0. Annulments of
    an earlier release stand where their time puts them, but none before a block that it takes back, or before an
    earlier annulment.
    """
    latest_ms = np.maximum.accumulate(closed_ms) if len(closed_ms) else closed_ms
    found: list[int] = []
    for annulment in annulments:
        after = annulment.after
        if after is None:
            taken = [at + 1 for at in map(place, annulment.blocks) if at is not None]
            after = max([int(np.searchsorted(latest_ms, annulment.at_ms, side="right")), *taken])
        found.append(min(len(closed_ms), max([after, *found[-1:]])))
    return tuple(found)
