"""The service's own refusals: of illegal answers, of texts, and of everything while the store is lost."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from google.protobuf.message import DecodeError

from fudaba.refusals import DOMAIN, Refused, refusal_of_fault
from fudaba.safe_text import fault_of
from fudaba.v1 import errors_pb2
from fudaba_games.game import BadOption, BadSeats, GameError, IllegalMove, MalformedMove, NoSuchTimer
from fudaba_games.match import DecisionClosed, MatchOver, NotYourDecision
from fudaba_games.registry import UnknownGame
from fudaba_serving.storage.forms import higher_form

__all__ = [
    "DOMAIN",
    "Refused",
    "check_form",
    "check_text",
    "parsed",
    "readable",
    "readable_rows",
    "refusal_of",
    "refusal_of_fault",
    "store_full",
    "store_lost",
]

_R = errors_pb2.Reason
T = TypeVar("T")
log = logging.getLogger(__name__)

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

_STORE_FULL_RETRY_SECONDS: Final = 30.0
"""The time to wait before trying again whether finished matches have made room."""


def store_full(why: str) -> Refused:
    """Returns the refusal of a request for which the store has no room."""
    return Refused(_R.REASON_STORE_FULL, why, retry_seconds=_STORE_FULL_RETRY_SECONDS)


def store_lost() -> Refused:
    """Returns the refusal of everything while the store is empty or another one."""
    return Refused(
        _R.REASON_STORE_LOST,
        "the service's store is empty, or another one than before: nothing was changed; try again once the organiser "
        "has brought its data back",
    )


def check_form(values: Mapping[str, Any], value_name: str) -> None:
    """Refuses a stored form that only a later release reads."""
    if refusal := higher_form(values, value_name):
        raise Refused(_R.REASON_STORED_UNREADABLE, f"{refusal}; nothing was changed: only the organiser can mend it")


@contextmanager
def readable(value_name: str) -> Iterator[None]:
    """Turns a reader's error about a malformed stored value into a refusal, which is not a fault."""
    try:
        yield
    except (AttributeError, DecodeError, LookupError, TypeError, ValueError) as error:
        raise Refused(
            _R.REASON_STORED_UNREADABLE,
            f"this release cannot read {value_name} as it is stored ({type(error).__name__}: {error}); nothing was"
            " changed: only the organiser can mend it, with a backup",
        ) from error


def parsed(parse: Callable[[bytes], T], raw: bytes, value_name: str) -> T:
    """Parses a stored message. Refuses a malformed one."""
    with readable(value_name):
        return parse(raw)


def readable_rows(parse: Callable[[bytes], T], raws: Mapping[str, bytes], kind_name: str) -> dict[str, T]:
    """Parses stored messages by name. A malformed one is left out and logged."""
    found = {}
    for name, raw in raws.items():
        try:
            found[name] = parsed(parse, raw, f"{kind_name} {name}")
        except Refused as refused:
            log.warning("it is left out of lists: %s", refused)
    return found


def check_text(field: str, text: str, most: int) -> None:
    """Refuses a text of more than `most` characters, and a text that is not safe to display."""
    if len(text) > most:
        raise Refused.malformed(f"{field} has {len(text)} characters; at most {most} are allowed")
    fault = fault_of(text)
    if fault:
        raise Refused.malformed(f"{field}: {fault}")


def refusal_of(error: GameError) -> Refused:
    """Returns the refusal for an error of the rules."""
    rule = error.rule if isinstance(error, IllegalMove) else ""
    return Refused(_GAME_ERRORS[type(error)], str(error), rule)
