"""The findings of a search, for people: each with everything known about it, and the line of counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from soak.chaos.checker import TOLERANCE_SECONDS
from soak.chaos.evidence import Count, Finding
from soak.chaos.searching import Outcome
from soak.chaos.striking import Struck

__all__ = ["failed", "summary", "text_of"]

_MAX_FINDINGS_SHOWN: Final = 12
_BEFORE_SECONDS: Final = 6.0
"""The seconds before a finding in which faults may have caused it."""
_AROUND_SECONDS: Final = 1.0
"""The seconds around it from which the client's notes are shown."""
_MAX_LOG_LINES: Final = 6
_VARIES: Final = re.compile(r"[0-9a-fx]{6,}|[-:,.0-9]{8,}")
"""The variable parts of log lines with the same meaning."""


def text_of(outcome: Outcome, most: int | None = _MAX_FINDINGS_SHOWN) -> Iterator[str]:
    """Yields the findings of one search, line by line, with at most this many of each count in full."""
    for count in Count:
        found = [finding for finding in outcome.findings if finding.counts_as is count]
        for finding in found[:most]:
            yield from _finding(outcome, finding)
        if most is not None and len(found) > most:
            yield f"… and {len(found) - most} more {count.value}"
    for ended in outcome.ended:
        yield f"PROCESS {ended.name} {ended.how}, at {ended.at - outcome.began:.3f}; its log ends:"
        yield from (f"    {line}" for line in ended.log.splitlines()[-_MAX_LOG_LINES:])
    kinds: dict[str, list[str]] = {}
    for line in outcome.logged:
        kinds.setdefault(_VARIES.sub("…", line.partition(": ")[2]), []).append(line)
    for lines in sorted(kinds.values(), key=len, reverse=True)[:most]:
        yield f"LOGGED {len(lines)} times: {lines[0]}"


def _largest(outcome: Outcome) -> str:
    """Returns the largest charge of a search, and the active faults."""
    charge = outcome.largest
    around = [
        str(strike.fault)
        for strike in outcome.struck
        if not strike.left_out and strike.start <= charge.until and strike.end >= charge.since - _BEFORE_SECONDS
    ]
    return (
        f"largest charge in {outcome.deployment}: {charge.seconds * 1000:.0f} ms, match {charge.match_id}: "
        f"{charge.recorded}; {', '.join(around[:_MAX_FINDINGS_SHOWN]) or 'no fault'}"
    )


def _finding(outcome: Outcome, finding: Finding) -> Iterator[str]:
    seat_text = f" seat {finding.seat} ({finding.bot})" if finding.seat >= 0 else ""
    decision_text = f" decision {finding.decision_id}" if finding.decision_id else ""
    subject = f"{outcome.deployment} match {finding.match_id} ({finding.game})"
    yield f"{finding.counts_as.name} {subject}{seat_text}{decision_text}: {finding.text}"
    if finding.recorded:
        yield f"    record: {finding.recorded}"
    if finding.seat >= 0 and finding.since:
        notes = outcome.journals.get((finding.match_id, finding.seat), [])
        for at, note in notes:
            if finding.since - _AROUND_SECONDS <= at <= finding.until + _AROUND_SECONDS:
                yield f"    client: {at - outcome.began:8.3f}  {note}"
    if finding.since:
        for struck in _on(outcome.struck, finding):
            detail = f"  {struck.detail}" if struck.detail else ""
            yield (
                f"    fault:  {struck.start - outcome.began:8.3f} to {struck.end - outcome.began:8.3f}  "
                f"{struck.fault}{detail}"
            )


def _on(struck: Sequence[Struck], finding: Finding) -> list[Struck]:
    """Returns the faults that were active, or had been shortly before.

    Wall clocks stay where the latest jump put them.
    """
    return [
        strike
        for strike in struck
        if not strike.left_out and strike.start <= finding.until and strike.end >= finding.since - _BEFORE_SECONDS
    ]


def failed(outcomes: Sequence[Outcome]) -> bool:
    """Returns whether anything is wrong."""
    bad = any(finding.counts_as is not Count.ALLOWED for outcome in outcomes for finding in outcome.findings)
    return bad or any(outcome.ended or outcome.logged for outcome in outcomes)


def summary(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yields the closing lines."""
    counts = Counter(finding.counts_as for outcome in outcomes for finding in outcome.findings)
    left_out = Counter(f"{strike.fault.kind}: {strike.left_out}" for outcome in outcomes for strike in outcome.left_out)
    for reason, times in left_out.items():
        yield f"left out {times} times: {reason}"
    repairs = sum(outcome.repairs for outcome in outcomes)
    if repairs:
        yield f"{repairs} times Redis did not start for its file, which was repaired by its own checker"
    matches, moves = sum(outcome.matches for outcome in outcomes), sum(outcome.moves for outcome in outcomes)
    ended, logged = sum(len(outcome.ended) for outcome in outcomes), sum(len(outcome.logged) for outcome in outcomes)
    yield f"{matches} matches, {moves} moves acknowledged"
    yield f"{counts[Count.ALLOWED]} lost as a failover, or a Redis that dies under everysec, was allowed to"
    yield f"{ended} processes ended by themselves, {logged} faults in logs"
    charged = [outcome for outcome in outcomes if outcome.largest.seconds > 0]
    yield from map(_largest, charged)
    most = max((outcome.largest.seconds for outcome in charged), default=0.0)
    yield (
        f"{sum(outcome.faults for outcome in outcomes)} faults, {counts[Count.LOST]} lost, "
        f"{counts[Count.DOUBLED]} doubled, {counts[Count.STUCK]} stuck, {counts[Count.CHARGED]} charged over "
        f"{TOLERANCE_SECONDS * 1000:.0f} ms (the largest: {most * 1000:.0f} ms)"
    )
