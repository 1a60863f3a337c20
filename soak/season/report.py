"""The findings of a search of a ladder, for people: each finding with the faults around it, and a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from fudaba_arena.store.blocks.closed_block import ClosedBlock
from soak.season.catalogue import KINDS
from soak.season.checker import Count, Finding
from soak.season.searching import Outcome

__all__ = ["failed", "summary", "text_of"]

_MAX_FAULT_AGE_MS: Final = 45_000
"""The milliseconds before a finding within which an ended fault may have caused it."""
_MAX_LOG_LINES: Final = 8


def failed(outcome: Outcome) -> bool:
    """Returns whether anything is wrong."""
    return bool(outcome.findings or outcome.ended or outcome.logged)


def text_of(outcome: Outcome, most: int | None = None) -> Iterator[str]:
    """Yields the findings, line by line; at most this many of each count."""
    for count in Count:
        found = [finding for finding in outcome.findings if finding.counts_as is count]
        for finding in found[:most]:
            yield from _finding(outcome, finding)
        if most is not None and len(found) > most:
            yield f"… and {len(found) - most} more {count.value}"
    for ended in outcome.ended:
        yield f"PROCESS {ended.name} {ended.how}, at {ended.at - outcome.began:.3f}; its log ends:"
        yield from (f"    {line}" for line in ended.log.splitlines()[-_MAX_LOG_LINES:])
    for line in outcome.logged[:most]:
        yield f"LOGGED {line}"


def _finding(outcome: Outcome, finding: Finding) -> Iterator[str]:
    subject = f" block {finding.block}" if finding.block >= 0 else ""
    at = (finding.at_ms - outcome.began_ms) / 1000
    when = f" at {at:.3f}" if finding.at_ms else ""
    yield f"{finding.counts_as.name}{subject}{when}: {finding.fault}"
    if finding.at_ms:
        for struck in outcome.struck:
            start, end = struck.start - outcome.began, struck.end - outcome.began
            if not struck.left_out and start <= at and end >= at - _MAX_FAULT_AGE_MS / 1000:
                yield f"    fault: {start:8.3f} to {end:8.3f}  {struck.fault}  {struck.detail}".rstrip()


def summary(outcome: Outcome) -> Iterator[str]:
    """Yields the table at the end, and the line of counts."""
    made = Counter(struck.fault.kind for struck in outcome.struck if not struck.left_out)
    left_out = Counter(struck.fault.kind for struck in outcome.struck if struck.left_out)
    yield "fault           made  left out"
    for kind in KINDS:
        if made[kind] or left_out[kind]:
            yield f"{kind:15} {made[kind]:4}  {left_out[kind]:8}"
    yield from _blocks([ClosedBlock.from_line(line) for line in outcome.evidence.lines])
    longest = max(outcome.evidence.unleased.values(), default=0.0)
    yield f"a block waited for a lease for {longest:.1f} s at most, while a worker had room and nothing was struck"
    yield f"{len(outcome.ended)} processes ended by themselves, {len(outcome.logged)} faults in logs"
    counts = Counter(finding.counts_as for finding in outcome.findings)
    yield f"{made.total()} faults, " + ", ".join(f"{counts[count]} {count.value}" for count in Count)


def _blocks(closed: Sequence[ClosedBlock]) -> Iterator[str]:
    counted = [block for block in closed if block.void is None]
    void = Counter(block.void.cause for block in closed if block.void is not None)
    games = Counter(block.game for block in counted)
    yield f"{len(counted)} blocks count, of {sum(block.counting for block in counted)} matches: " + ", ".join(
        f"{game} {number}" for game, number in sorted(games.items())
    )
    yield f"{void.total()} are void: " + (", ".join(f"{cause} {number}" for cause, number in void.items()) or "none")
