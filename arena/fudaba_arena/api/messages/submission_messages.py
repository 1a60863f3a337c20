"""Submissions as messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from fudaba.v1 import submissions_pb2
from fudaba_arena.submissions.faults import Fault
from fudaba_arena.submissions.stages import Outcome, Stage, following
from fudaba_arena.submissions.submission_forms import ACCEPTED, CHECKING, EXPIRED, REFUSED, Announced, CheckProgress

__all__ = ["pace", "submission"]

_STATES: Final[Mapping[str, submissions_pb2.SubmissionState.ValueType]] = {
    CHECKING: submissions_pb2.SUBMISSION_STATE_CHECKING,
    ACCEPTED: submissions_pb2.SUBMISSION_STATE_ACCEPTED,
    REFUSED: submissions_pb2.SUBMISSION_STATE_REFUSED,
    EXPIRED: submissions_pb2.SUBMISSION_STATE_EXPIRED,
}
_STAGES: Final[Mapping[Stage, submissions_pb2.SubmissionStage.ValueType]] = {
    Stage.UNPACK: submissions_pb2.SUBMISSION_STAGE_UNPACK,
    Stage.BUILD: submissions_pb2.SUBMISSION_STAGE_BUILD,
    Stage.START: submissions_pb2.SUBMISSION_STAGE_START,
    Stage.CONNECT: submissions_pb2.SUBMISSION_STAGE_CONNECT,
    Stage.MATCH: submissions_pb2.SUBMISSION_STAGE_MATCH,
    Stage.RESOURCES: submissions_pb2.SUBMISSION_STAGE_RESOURCES,
}
_FAULTS: Final[Mapping[Fault | None, submissions_pb2.SubmissionFault.ValueType]] = {
    None: submissions_pb2.SUBMISSION_FAULT_UNSPECIFIED,
    Fault.FORMAT: submissions_pb2.SUBMISSION_FAULT_FORMAT,
    Fault.DAMAGED: submissions_pb2.SUBMISSION_FAULT_DAMAGED,
    Fault.SIZE: submissions_pb2.SUBMISSION_FAULT_SIZE,
    Fault.NAME: submissions_pb2.SUBMISSION_FAULT_NAME,
    Fault.KIND: submissions_pb2.SUBMISSION_FAULT_KIND,
    Fault.MANIFEST: submissions_pb2.SUBMISSION_FAULT_MANIFEST,
    Fault.RUNTIME: submissions_pb2.SUBMISSION_FAULT_RUNTIME,
    Fault.BUILD: submissions_pb2.SUBMISSION_FAULT_BUILD,
    Fault.START: submissions_pb2.SUBMISSION_FAULT_START,
    Fault.CONNECT: submissions_pb2.SUBMISSION_FAULT_CONNECT,
    Fault.MATCH: submissions_pb2.SUBMISSION_FAULT_MATCH,
    Fault.LIMIT: submissions_pb2.SUBMISSION_FAULT_LIMIT,
    Fault.HOST: submissions_pb2.SUBMISSION_FAULT_HOST,
    Fault.QUOTA: submissions_pb2.SUBMISSION_FAULT_QUOTA,
}


def submission(
    announced: Announced, over: CheckProgress | None, received: int, version: str = "", *, taken: bool = False
) -> submissions_pb2.Submission:
    """Returns a submission as it is now.

    `over` is None while the submission is being uploaded. `taken` says that a worker has begun to check it.
    """
    submission_message = submissions_pb2.Submission(
        submission_id=announced.submission_id,
        bot=announced.bot,
        state=submissions_pb2.SUBMISSION_STATE_UPLOADING if over is None else _STATES[over.state],
        file=announced.file,
        size=announced.size,
        sha256=bytes.fromhex(announced.sha256),
        received=received if over is None or over.state == EXPIRED else announced.size,
        message=announced.message,
        version=version,
        stages=[_outcome(outcome) for outcome in over.outcomes] if over is not None else [],
    )
    submission_message.create_time.FromMilliseconds(announced.created_ms)
    if over is not None and over.state == CHECKING and over.manifest is not None and taken:
        stage, submission_message.current_game = following(over.manifest, over.outcomes) or (Stage.RESOURCES, "")
        submission_message.current_stage = _STAGES[stage]
    if over is None:
        submission_message.expire_time.FromMilliseconds(announced.expires_ms)
    return submission_message


def _outcome(outcome: Outcome) -> submissions_pb2.SubmissionOutcome:
    submission_outcome = submissions_pb2.SubmissionOutcome(
        stage=_STAGES[outcome.stage],
        passed=outcome.passed,
        output=outcome.output,
        fault=_FAULTS[outcome.fault],
        game=outcome.game,
    )
    submission_outcome.start_time.FromMilliseconds(outcome.at_ms)
    submission_outcome.duration.FromMilliseconds(outcome.took_ms)
    if outcome.slowest_ms:
        submission_outcome.pace.CopyFrom(pace(outcome))
    return submission_outcome


def pace(outcome: Outcome) -> submissions_pb2.Pace:
    """Returns how long the programs took in a match of a check."""
    pace_message = submissions_pb2.Pace(game=outcome.game)
    pace_message.start.FromMilliseconds(outcome.start_ms)
    pace_message.slowest_decision.FromMilliseconds(outcome.slowest_ms)
    pace_message.cpu.FromMilliseconds(outcome.cpu_ms)
    return pace_message
