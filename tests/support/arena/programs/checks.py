"""Reads the report of a check."""

from __future__ import annotations

from fudaba.v1 import submissions_pb2 as pb

STARTED = [("UNPACK", True), ("START", True), ("CONNECT", True)]
PLAYED = [("MATCH", True), ("RESOURCES", True)]
FAULT = {name.removeprefix("SUBMISSION_FAULT_"): number for name, number in pb.SubmissionFault.items()}


def refused(submission: pb.Submission, fault: str) -> str:
    """Returns what the author of a refused submission is told."""
    last = submission.stages[-1]
    assert (submission.state, last.passed, last.fault) == (pb.SUBMISSION_STATE_REFUSED, False, FAULT[fault]), submission
    return last.output
