"""Why the service refuses something, and the one table that maps each reason to a status."""

from __future__ import annotations

from typing import Final

import grpc
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from fudaba.v1 import errors_pb2, play_pb2
from fudaba_games.game import BadOption, BadSeats, GameError, IllegalMove, MalformedMove, NoSuchTimer
from fudaba_games.match import DecisionClosed, MatchOver, NotYourDecision
from fudaba_games.registry import UnknownGame

__all__ = ["DOMAIN", "Refused", "refusal_of"]

DOMAIN: Final = "fudaba"
_LONGEST: Final = 800

_R = errors_pb2.Reason
_CODES: Final[dict[errors_pb2.Reason.ValueType, int]] = {
    _R.REASON_MALFORMED: code_pb2.INVALID_ARGUMENT,
    _R.REASON_MALFORMED_MOVE: code_pb2.INVALID_ARGUMENT,
    _R.REASON_BAD_OPTION: code_pb2.INVALID_ARGUMENT,
    _R.REASON_BAD_PLAYERS: code_pb2.INVALID_ARGUMENT,
    _R.REASON_GAME_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_MATCH_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_BOT_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_INVITATION_NOT_FOUND: code_pb2.NOT_FOUND,
    _R.REASON_BOT_EXISTS: code_pb2.ALREADY_EXISTS,
    _R.REASON_MATCH_EXISTS: code_pb2.ALREADY_EXISTS,
    _R.REASON_ALREADY_SEATED: code_pb2.ALREADY_EXISTS,
    _R.REASON_ILLEGAL_MOVE: code_pb2.FAILED_PRECONDITION,
    _R.REASON_NOT_YOUR_DECISION: code_pb2.FAILED_PRECONDITION,
    _R.REASON_MATCH_OVER: code_pb2.FAILED_PRECONDITION,
    _R.REASON_MATCH_NOT_OVER: code_pb2.FAILED_PRECONDITION,
    _R.REASON_MATCH_WITHHELD: code_pb2.FAILED_PRECONDITION,
    _R.REASON_INVITATION_USED: code_pb2.FAILED_PRECONDITION,
    _R.REASON_NO_OPEN_SEAT: code_pb2.FAILED_PRECONDITION,
    _R.REASON_MATCH_OPEN: code_pb2.FAILED_PRECONDITION,
    _R.REASON_DECISION_CLOSED: code_pb2.ABORTED,
    _R.REASON_SUPERSEDED: code_pb2.ABORTED,
    _R.REASON_STALE: code_pb2.ABORTED,
    _R.REASON_TOKEN_MISSING: code_pb2.UNAUTHENTICATED,
    _R.REASON_TOKEN_UNKNOWN: code_pb2.UNAUTHENTICATED,
    _R.REASON_ORGANISER_ONLY: code_pb2.PERMISSION_DENIED,
    _R.REASON_BOT_ONLY: code_pb2.PERMISSION_DENIED,
    _R.REASON_NOT_YOUR_MATCH: code_pb2.PERMISSION_DENIED,
    _R.REASON_TOO_FAST: code_pb2.RESOURCE_EXHAUSTED,
    _R.REASON_NOT_READING: code_pb2.RESOURCE_EXHAUSTED,
    _R.REASON_TOO_MANY_MATCHES: code_pb2.RESOURCE_EXHAUSTED,
    _R.REASON_INTERNAL: code_pb2.INTERNAL,
    _R.REASON_STORE_UNAVAILABLE: code_pb2.UNAVAILABLE,
    _R.REASON_SHUTTING_DOWN: code_pb2.UNAVAILABLE,
    _R.REASON_ARCHIVE_UNAVAILABLE: code_pb2.UNAVAILABLE,
}

_GAME_ERRORS: Final[dict[type[GameError], errors_pb2.Reason.ValueType]] = {
    MalformedMove: _R.REASON_MALFORMED_MOVE,
    IllegalMove: _R.REASON_ILLEGAL_MOVE,
    BadOption: _R.REASON_BAD_OPTION,
    BadSeats: _R.REASON_BAD_PLAYERS,
    UnknownGame: _R.REASON_GAME_NOT_FOUND,
    NotYourDecision: _R.REASON_NOT_YOUR_DECISION,
    DecisionClosed: _R.REASON_DECISION_CLOSED,
    NoSuchTimer: _R.REASON_DECISION_CLOSED,
    MatchOver: _R.REASON_MATCH_OVER,
}

_STATUS_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}


class Refused(Exception):
    """A call, or a part of one, is refused. It has changed nothing. `str()` says what to do."""

    def __init__(
        self, reason: errors_pb2.Reason.ValueType, message: str, rule: str = "", retry_seconds: float = 0.0
    ) -> None:
        super().__init__(_clipped(message))
        self.reason = reason
        self.rule = rule
        self.retry_seconds = retry_seconds
        """When to try again at the earliest, if that is known."""

    @classmethod
    def malformed(cls, message: str) -> Refused:
        """A field that is missing, too long, out of range or unknown."""
        return cls(_R.REASON_MALFORMED, message)

    @property
    def name(self) -> str:
        """The reason as it stands in messages, without the enum's prefix."""
        return errors_pb2.Reason.Name(self.reason).removeprefix("REASON_")

    @property
    def code(self) -> int:
        """The google.rpc.Code of the reason."""
        return _CODES[self.reason]

    @property
    def status_code(self) -> grpc.StatusCode:
        """The gRPC status code of the reason."""
        return _STATUS_CODES[self.code]

    def status(self) -> grpc.Status:
        """The google.rpc.Status with its ErrorInfo, for `context.abort_with_status`."""
        info = error_details_pb2.ErrorInfo(reason=self.name, domain=DOMAIN)
        if self.rule:
            info.metadata["rule"] = self.rule
        status = status_pb2.Status(code=self.code, message=str(self))
        status.details.add().Pack(info)
        if self.retry_seconds:
            retry = error_details_pb2.RetryInfo()
            retry.retry_delay.FromMilliseconds(int(self.retry_seconds * 1000))
            status.details.add().Pack(retry)
        return rpc_status.to_status(status)

    def message(self, match_id: str = "", decision_id: str = "", *, still_open: bool = False) -> play_pb2.Refusal:
        """The same, for a stream that goes on."""
        return play_pb2.Refusal(
            match_id=match_id,
            decision_id=decision_id,
            reason=self.name,
            code=self.code,
            message=str(self),
            rule=self.rule,
            still_open=still_open,
        )


def _clipped(message: str) -> str:
    """A message may quote what was sent. It must fit into a header all the same, where a byte may take three."""
    raw = message.encode()
    if len(raw) <= _LONGEST:
        return message
    return f"{raw[: _LONGEST // 2].decode(errors='ignore')} … {raw[-_LONGEST // 2 :].decode(errors='ignore')}"


def refusal_of(error: GameError) -> Refused:
    """The refusal for an error of the rules."""
    rule = error.rule if isinstance(error, IllegalMove) else ""
    return Refused(_GAME_ERRORS[type(error)], str(error), rule)
