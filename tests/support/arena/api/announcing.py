"""Uploads as the contract has them: announced, written in pieces, looked at."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from fudaba.errors import ServiceError
from fudaba.v1 import submissions_pb2 as pb
from tests.support.arena.api.ladders import call
from tests.support.arena.standing import Arena

PIECE_BYTES = 512 * 1024


def announce(arena: Arena, token: str | None, raw: bytes, **more: Any) -> pb.Submission:
    given: dict[str, Any] = {"bot": "ada", "file": "bot.tar.gz", "size": len(raw), "sha256": sha256(raw).digest()}
    answer: pb.CreateSubmissionResponse
    answer = call(arena, "CreateSubmission", pb.CreateSubmissionRequest(**(given | more)), token)
    return answer.submission


def write(arena: Arena, token: str | None, submission: pb.Submission, offset: int, content: bytes) -> int:
    request = pb.WriteSubmissionRequest(submission_id=submission.submission_id, offset=offset, content=content)
    answer: pb.WriteSubmissionResponse = call(arena, "WriteSubmission", request, token)
    return answer.received


def get(arena: Arena, token: str | None, submission: pb.Submission) -> pb.Submission:
    answer: pb.GetSubmissionResponse
    answer = call(arena, "GetSubmission", pb.GetSubmissionRequest(submission_id=submission.submission_id), token)
    return answer.submission


def refusal(call: Any, *given: Any, **more: Any) -> ServiceError:
    with pytest.raises(ServiceError) as info:
        call(*given, **more)
    return info.value
