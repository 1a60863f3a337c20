"""Checks the lines about a season of a ladder: who entered it, and who was chosen for each slot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from fudaba_arena.audit.faults import ExportFault
from fudaba_arena.store.tournaments.entries import DISQUALIFY, ENTER, FREEZE, LEAVE, PAUSE, REINSTATE, RESUME

__all__ = ["season_faults", "sequence_faults"]

_CHANGES: Final = (ENTER, PAUSE, RESUME, LEAVE, FREEZE, DISQUALIFY, REINSTATE)

Line = Mapping[str, Any]


def season_faults(definition: Line, entries: Sequence[Line], chosen: Sequence[Line]) -> list[ExportFault]:
    """Returns the faults of these two kinds of lines, in the order of the export."""
    return [*_entry_faults(entries), *_chosen_faults(definition, entries, chosen)]


def sequence_faults(blocks: Sequence[Line]) -> Iterator[ExportFault]:
    """Returns the gaps in the numbers of closed blocks, which count from 1 in the order of closing."""
    there = sorted(line.get("sequence", 0) for line in blocks)
    missing = sorted(set(range(1, len(there) + 1)).difference(there))
    if missing:
        yield ExportFault("BLOCK_MISSING", f"of {len(there)} closed blocks none is number {missing[0]} of the sequence")


def _entry_faults(entries: Sequence[Line]) -> Iterator[ExportFault]:
    known: set[str] = set()
    frozen = False
    for number, line in enumerate(entries):
        change = line["change"]
        if line["number"] != number:
            yield ExportFault("ENTRY", f"change {line['number']} stands where change {number} should")
        if change not in _CHANGES:
            yield ExportFault("ENTRY", f"change {number} is {change}, which this release does not know")
        elif change == ENTER:
            known.add(line["bot"])
            if frozen and not (line.get("late", False) or line.get("in_time", False)):
                yield ExportFault("ENTRY", f"{line['bot']} is entered by change {number}, after versions were frozen")
            if not line["version"]:
                yield ExportFault("ENTRY", f"{line['bot']} is entered by change {number} without a version")
        elif change != FREEZE and line["bot"] not in known:
            yield ExportFault("ENTRY", f"change {number} is of {line['bot']}, which was not entered")
        frozen |= change == FREEZE


def _chosen_faults(definition: Line, entries: Sequence[Line], chosen: Sequence[Line]) -> Iterator[ExportFault]:
    seats = {game["game"]: game["seats"] for game in definition["games"]}
    entrants = {f"{line['bot']}@{line['version']}" for line in entries if line["change"] == ENTER}
    frozen, final = any(line["change"] == FREEZE for line in entries), False
    edits, known_edits = definition.get("edits", ()), 0
    for slot, line in enumerate(chosen):
        if line["slot"] != slot:
            yield ExportFault("CHOSEN", f"slot {line['slot']} stands where slot {slot} should")
        groups = line["groups"]
        bots = [bot for group in groups for bot in group]
        if line["game"] not in seats:
            yield ExportFault("CHOSEN", f"slot {slot} is of {line['game']}, which is not played")
        elif not groups or any(len(group) != seats[line["game"]] for group in groups):
            yield ExportFault("CHOSEN", f"slot {slot} has a group that is not of {seats[line['game']]}")
        if not line["shared"] and len(groups) > 1:
            yield ExportFault("CHOSEN", f"slot {slot} has {len(groups)} groups that do not share their deals")
        if len(set(bots)) != len(bots) or not entrants.issuperset(bots):
            yield ExportFault("CHOSEN", f"slot {slot} has a bot twice, or one that was not entered")
        if (final and not line["final"]) or (line["final"] and not frozen):
            yield ExportFault("CHOSEN", f"slot {slot} cannot be chosen then: the final is after versions were frozen")
        final |= line["final"]
        if not known_edits <= line.get("edits", 0) <= len(edits):
            yield ExportFault("CHOSEN", f"slot {slot} is chosen after {line.get('edits', 0)} edits, which cannot be")
        known_edits = max(known_edits, line.get("edits", 0))
