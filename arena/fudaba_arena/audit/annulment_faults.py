"""Checks the annulments of an export: entries of the sequence of closed blocks, which determine what counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fudaba_arena.audit.faults import ExportFault
from fudaba_arena.store.tournaments.entries import DISQUALIFY

__all__ = ["annulment_faults", "disqualification_faults", "point_faults"]

Line = Mapping[str, Any]


def annulment_faults(annulments: Sequence[Line], blocks: Mapping[int, Line]) -> Iterator[ExportFault]:
    """Checks each annulment by itself, and against the ones before it. `blocks` are the lines of blocks, by number."""
    before, undone = 0, set[int]()
    for number, line in enumerate(annulments, 1):
        name = f"annulment {number}"
        if line["number"] != number:
            yield ExportFault("ANNULMENT", f"annulment {line['number']} stands where {name} should")
        if not before <= line["after"] <= len(blocks):
            yield ExportFault("ANNULMENT", f"{name} cannot stand after block {line['after']} of the sequence")
        before = max(before, line["after"])
        if line["undoes"]:
            yield from _undoing_faults(name, line, annulments[: number - 1], undone)
            undone.add(line["undoes"])
            continue
        for block in line["blocks"]:
            if block in blocks and blocks[block].get("sequence", 0) > line["after"]:
                yield ExportFault("ANNULMENT", f"{name} takes it back before it was closed", block=block)


def _undoing_faults(name: str, line: Line, earlier: Sequence[Line], undone: set[int]) -> Iterator[ExportFault]:
    """Checks an annulment that undoes another."""
    other = line["undoes"]
    if other > len(earlier) or other in undone or earlier[other - 1]["undoes"]:
        yield ExportFault("ANNULMENT", f"{name} undoes {other}, which is no annulment that holds then")
    elif any(line.get(field, "") != earlier[other - 1].get(field, "") for field in ("blocks", "bots", "disqualifies")):
        yield ExportFault("ANNULMENT", f"{name} undoes {other}, and is of other blocks or bots")


def disqualification_faults(annulments: Sequence[Line], entries: Sequence[Line]) -> Iterator[ExportFault]:
    """Checks that what disqualifies a bot is of its versions, and that the entries say so, too."""
    versions: dict[str, set[str]] = {}
    judged = {line["bot"] for line in entries if line["change"] == DISQUALIFY}
    for line in entries:
        versions.setdefault(line["bot"], set()).add(f"{line['bot']}@{line['version']}")
    for number, line in enumerate(annulments, 1):
        bot = line.get("disqualifies", "")
        if bot and bot not in judged:
            yield ExportFault("ANNULMENT", f"annulment {number} disqualifies {bot}, and no change of the entries does")
        elif bot and not versions[bot].issuperset(line["bots"]):
            yield ExportFault("ANNULMENT", f"annulment {number} disqualifies {bot}, and is of others, too")


def point_faults(standings: Sequence[Line], point: int) -> Iterator[ExportFault]:
    """Checks the point of the sequence that the standings name: it must include all blocks and annulments of the
    export.
    """
    for line in standings:
        if line.get("point", point) != point:
            text = f"the table {line['ladder']} is of point {line['point']} of the sequence, which ends at {point}"
            yield ExportFault("STANDINGS", text)
