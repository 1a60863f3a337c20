"""The reasons for refusals by servers of the contract, and the only table that maps each reason to a status."""

from __future__ import annotations

import logging
import math
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple, final

import grpc
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from fudaba.v1 import errors_pb2, play_pb2

__all__ = ["DOMAIN", "Refused", "Violation", "refusal_of_fault"]

log = logging.getLogger(__name__)

DOMAIN: Final = "fudaba"
_MAX_MESSAGE_BYTES: Final = 800
_MIN_WAIT_WITH_TIME_SECONDS: Final = 60.0
"""A shorter wait is shown without its end, which has passed when people read it."""
_MAX_DETAIL_BYTES: Final = 3_000
"""The bytes for field violations that a header can hold beside the message."""

_R = errors_pb2.Reason
_CODES: Final[dict[errors_pb2.Reason.ValueType, int]] = {
    _R.REASON_MALFORMED: code_pb2.INVALID_ARGUMENT,
    _R.REASON_MALFORMED_MOVE: code_pb2.INVALID_ARGUMENT,
    _R.REASON_BAD_OPTION: code_pb2.INVALID_ARGUMENT,
    _R.REASON_BAD_PLAYERS: code_pb2.INVALID_ARGUMENT,
    _R.REASON_MESSAGE_TOO_LARGE: code_pb2.INVALID_ARGUMENT,
    _R.REASON_NOTE_TOO_LONG: code_pb2.INVALID_ARGUMENT,
    _R.REASON_SUBMISSION_TOO_LARGE: code_pb2.INVALID_ARGUMENT,
    _R.REASON_BAD_TOURNAMENT: code_pb2.INVALID_ARGUMENT,
    _R.REASON_GAME_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_MATCH_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_MATCH_EXPIRED: code_pb2.NOT_FOUND,
    _R.REASON_BOT_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_INVITATION_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_TOURNAMENT_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_LADDER_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_ENTRY_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_CHALLENGE_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_SUBMISSION_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_TOKEN_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_MAINTENANCE_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_ACCOUNT_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_ACCOUNT_EXISTS: code_pb2.ALREADY_EXISTS,
    _R.REASON_DISPLAY_NAME_TAKEN: code_pb2.ALREADY_EXISTS,
    _R.REASON_BOT_EXISTS: code_pb2.ALREADY_EXISTS,
    _R.REASON_MATCH_EXISTS: code_pb2.ALREADY_EXISTS,
    _R.REASON_ALREADY_SEATED: code_pb2.ALREADY_EXISTS,
    _R.REASON_TOURNAMENT_EXISTS: code_pb2.ALREADY_EXISTS,
    _R.REASON_LADDER_EXISTS: code_pb2.ALREADY_EXISTS,
    _R.REASON_CHALLENGE_EXISTS: code_pb2.ALREADY_EXISTS,
    _R.REASON_MAINTENANCE_ANNOUNCED: code_pb2.ALREADY_EXISTS,
    _R.REASON_SUBMISSION_EXISTS: code_pb2.ALREADY_EXISTS,
    _R.REASON_TOO_SLOW: code_pb2.FAILED_PRECONDITION,
    _R.REASON_ILLEGAL_MOVE: code_pb2.FAILED_PRECONDITION,
    _R.REASON_NOT_YOUR_DECISION: code_pb2.FAILED_PRECONDITION,
    _R.REASON_MATCH_OVER: code_pb2.FAILED_PRECONDITION,
    _R.REASON_MATCH_NOT_OVER: code_pb2.FAILED_PRECONDITION,
    _R.REASON_MATCH_HIDDEN: code_pb2.FAILED_PRECONDITION,
    _R.REASON_INVITATION_USED: code_pb2.FAILED_PRECONDITION,
    _R.REASON_NO_OPEN_SEAT: code_pb2.FAILED_PRECONDITION,
    _R.REASON_MATCH_OPEN: code_pb2.FAILED_PRECONDITION,
    _R.REASON_TOURNAMENT_CLOSED: code_pb2.FAILED_PRECONDITION,
    _R.REASON_TOURNAMENT_NOT_HOSTED: code_pb2.FAILED_PRECONDITION,
    _R.REASON_SEASON_FROZEN: code_pb2.FAILED_PRECONDITION,
    _R.REASON_SEASON_OPEN: code_pb2.FAILED_PRECONDITION,
    _R.REASON_LADDER_PLAYED: code_pb2.FAILED_PRECONDITION,
    _R.REASON_LADDER_EDITED: code_pb2.FAILED_PRECONDITION,
    _R.REASON_LADDER_FIXED: code_pb2.FAILED_PRECONDITION,
    _R.REASON_NO_DEADLINE: code_pb2.FAILED_PRECONDITION,
    _R.REASON_EXTENSION_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_ANNOUNCEMENT_EXISTS: code_pb2.ALREADY_EXISTS,
    _R.REASON_ANNOUNCEMENT_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_BOT_ABSENT: code_pb2.FAILED_PRECONDITION,
    _R.REASON_ENTRY_NOT_PLAYING: code_pb2.FAILED_PRECONDITION,
    _R.REASON_ENTRY_DISQUALIFIED: code_pb2.FAILED_PRECONDITION,
    _R.REASON_ENTRY_NOT_DISQUALIFIED: code_pb2.FAILED_PRECONDITION,
    _R.REASON_NOTHING_TO_ANNUL: code_pb2.FAILED_PRECONDITION,
    _R.REASON_STORED_UNREADABLE: code_pb2.FAILED_PRECONDITION,
    _R.REASON_SUBMISSION_OVER: code_pb2.FAILED_PRECONDITION,
    _R.REASON_SUBMISSION_INCOMPLETE: code_pb2.FAILED_PRECONDITION,
    _R.REASON_WRONG_OFFSET: code_pb2.FAILED_PRECONDITION,
    _R.REASON_WRONG_HASH: code_pb2.FAILED_PRECONDITION,
    _R.REASON_LOG_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_MEMORY_NOT_ALLOWED: code_pb2.FAILED_PRECONDITION,
    _R.REASON_DECISION_CLOSED: code_pb2.ABORTED,
    _R.REASON_SUPERSEDED: code_pb2.ABORTED,
    _R.REASON_STALE: code_pb2.ABORTED,
    _R.REASON_TOKEN_MISSING: code_pb2.UNAUTHENTICATED,
    _R.REASON_TOKEN_UNKNOWN: code_pb2.UNAUTHENTICATED,
    _R.REASON_TOKEN_EXPIRED: code_pb2.UNAUTHENTICATED,
    _R.REASON_ORGANISER_ONLY: code_pb2.PERMISSION_DENIED,
    _R.REASON_BOT_ONLY: code_pb2.PERMISSION_DENIED,
    _R.REASON_NOT_YOUR_MATCH: code_pb2.PERMISSION_DENIED,
    _R.REASON_WRONG_SCOPE: code_pb2.PERMISSION_DENIED,
    _R.REASON_NOT_YOURS: code_pb2.PERMISSION_DENIED,
    _R.REASON_ACCOUNT_SUSPENDED: code_pb2.PERMISSION_DENIED,
    _R.REASON_REGISTRATION_CLOSED: code_pb2.PERMISSION_DENIED,
    _R.REASON_ENTRY_CLOSED: code_pb2.PERMISSION_DENIED,
    _R.REASON_CASUAL_PLAY_CLOSED: code_pb2.PERMISSION_DENIED,
    _R.REASON_CHALLENGE_REFUSED: code_pb2.PERMISSION_DENIED,
    _R.REASON_QUOTA_EXCEEDED: code_pb2.RESOURCE_EXHAUSTED,
    _R.REASON_TOO_FAST: code_pb2.RESOURCE_EXHAUSTED,
    _R.REASON_NOT_READING: code_pb2.RESOURCE_EXHAUSTED,
    _R.REASON_BOT_BUSY: code_pb2.RESOURCE_EXHAUSTED,
    _R.REASON_TOO_MANY_MATCHES: code_pb2.RESOURCE_EXHAUSTED,
    _R.REASON_INTERNAL: code_pb2.INTERNAL,
    _R.REASON_STORE_UNAVAILABLE: code_pb2.UNAVAILABLE,
    _R.REASON_STORE_FULL: code_pb2.UNAVAILABLE,
    _R.REASON_STORE_LOST: code_pb2.UNAVAILABLE,
    _R.REASON_MAINTENANCE: code_pb2.UNAVAILABLE,
    _R.REASON_SHUTTING_DOWN: code_pb2.UNAVAILABLE,
    _R.REASON_ARCHIVE_UNAVAILABLE: code_pb2.UNAVAILABLE,
    _R.REASON_SERVICE_UNAVAILABLE: code_pb2.UNAVAILABLE,
}


@final
class Violation(NamedTuple):
    """One of several mistakes in a request."""

    field: str
    """The place: a field of the request, and in a text its line, as in `definition:12`."""
    description: str


class Refused(Exception):
    """A call, or a part of one, was refused. It has changed nothing. `str()` says what to do."""

    def __init__(
        self,
        reason: errors_pb2.Reason.ValueType,
        message: str,
        rule: str = "",
        retry_seconds: float = 0.0,
        violations: Sequence[Violation] = (),
    ) -> None:
        super().__init__(_clipped(message))
        self.reason = reason
        self.rule = rule
        self.retry_seconds = retry_seconds
        """The number of seconds after which to try again at the earliest, if that is known."""
        self.violations = tuple(violations)
        """All mistakes, if there are several."""
        self.metadata: dict[str, str] = {"rule": rule} if rule else {}
        """The other metadata of the ErrorInfo."""

    @classmethod
    def malformed(cls, message: str) -> Refused:
        """Returns the refusal of a field that is missing, too long, out of range or unknown."""
        return cls(_R.REASON_MALFORMED, message)

    @classmethod
    def quota(cls, quota: str, limit: int, whose: str, advice: str, retry_seconds: float = 0.0) -> Refused:
        """Returns the refusal for a used-up quota: which one, its size, its owner, its end if known, and what to do."""
        until = ""
        if retry_seconds >= _MIN_WAIT_WITH_TIME_SECONDS:
            again = datetime.now(UTC) + timedelta(seconds=math.ceil(retry_seconds))
            until = f" until {again:%Y-%m-%d %H:%M:%S} UTC"
        message = f"{whose} has its {limit} {quota}, and no more are allowed{until}: {advice}"
        refused = cls(_R.REASON_QUOTA_EXCEEDED, message, retry_seconds=retry_seconds)
        refused.metadata = {"quota": quota, "limit": str(limit), "whose": whose}
        return refused

    @property
    def name(self) -> str:
        """The reason in messages, without the enum's prefix."""
        return errors_pb2.Reason.Name(self.reason).removeprefix("REASON_")

    @property
    def code(self) -> int:
        """The google.rpc.Code of the reason."""
        return _CODES[self.reason]

    def status(self) -> grpc.Status:
        """Returns the google.rpc.Status with its ErrorInfo, for `context.abort_with_status`."""
        info = error_details_pb2.ErrorInfo(reason=self.name, domain=DOMAIN, metadata=self.metadata)
        status = status_pb2.Status(code=self.code, message=str(self))
        status.details.add().Pack(info)
        if self.retry_seconds:
            retry = error_details_pb2.RetryInfo()
            retry.retry_delay.FromMilliseconds(int(self.retry_seconds * 1000))
            status.details.add().Pack(retry)
        if self.violations:
            status.details.add().Pack(_bad_request(self.violations))
        return rpc_status.to_status(status)

    def message(self, match_id: str = "", decision_id: str = "", *, still_open: bool = False) -> play_pb2.Refusal:
        """Returns the same, for a stream that continues."""
        return play_pb2.Refusal(
            match_id=match_id,
            decision_id=decision_id,
            reason=self.name,
            code=self.code,
            message=str(self),
            rule=self.rule,
            still_open=still_open,
        )


def _bad_request(violations: Sequence[Violation]) -> error_details_pb2.BadRequest:
    """Joins as many violations as fit into a header, and counts the rest."""
    bad_request, room = error_details_pb2.BadRequest(), _MAX_DETAIL_BYTES
    for number, violation in enumerate(violations):
        room -= len(violation.field.encode()) + len(violation.description.encode())
        if room < 0:
            bad_request.field_violations.add(field="", description=f"and {len(violations) - number} more")
            break
        bad_request.field_violations.add(field=violation.field, description=violation.description)
    return bad_request


def _clipped(message: str) -> str:
    """Clips a message, which may quote the request, so that it fits into a header, where a byte may take three."""
    raw = message.encode()
    if len(raw) <= _MAX_MESSAGE_BYTES:
        return message
    half = _MAX_MESSAGE_BYTES // 2
    return f"{raw[:half].decode(errors='ignore')} … {raw[-half:].decode(errors='ignore')}"


def refusal_of_fault(error: Exception, what_now: str = "", *, server: str = "service") -> Refused:
    """Logs an unforeseen error. The refusal for callers contains only its number in the log.

    `what_now` goes into the log. `server` is the faulty server, "service" or "arena".
    """
    number = secrets.token_hex(4)
    log.error("fault %s%s", number, f"; {what_now}" if what_now else "", exc_info=error)
    return Refused(_R.REASON_INTERNAL, f"a fault of the {server}, logged as {number}")
