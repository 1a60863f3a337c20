"""Evidence of a match, changed so that the checker has something to find."""

from __future__ import annotations

from collections import Counter

from fudaba.v1 import record_pb2
from soak.chaos.checker import check
from soak.chaos.evidence import Count, Evidence
from soak.chaos.journal import Decided


def counts(evidence: Evidence) -> dict[Count, int]:
    """Returns how many findings there are of each count."""
    return dict(Counter(finding.counts_as for finding in check(evidence)))


def put_back(evidence: Evidence, record: record_pb2.MatchRecord, *where: str) -> None:
    """Changes the record, everywhere or somewhere."""
    for name in where or tuple(evidence.records):
        evidence.records[name] = record.SerializeToString(deterministic=True)


def a_decided(evidence: Evidence, seat: int = 0) -> Decided:
    """Returns a decision of a seat that was accepted."""
    return next(e[-1] for e in evidence.journals[seat].decided.values() if e[-1].accepted)


def entry_of(record: record_pb2.MatchRecord, decided: Decided, seat: int = 0) -> record_pb2.LogEntry:
    return next(e for e in record.log if e.seat == seat and e.decision_id == decided.decision_id)
