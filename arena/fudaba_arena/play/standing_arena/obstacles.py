"""Obstacles to playing a tournament: which are expected, and which pass by themselves."""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, final

from fudaba.errors import ServiceError
from fudaba_arena.errors import ArenaError
from fudaba_arena.forms import BadStored
from fudaba_arena.play.service.registration import NotRegistered
from fudaba_arena.store.store import StoreUnavailable
from fudaba_arena.tournament.file import BadTournament

__all__ = ["EXPECTED", "FAULT", "Obstacle", "StallCause", "expected_in", "logged_fault", "obstacle", "passes"]

log = logging.getLogger(__name__)

EXPECTED: Final = (ArenaError, BadTournament, NotRegistered, ServiceError, StoreUnavailable)
"""The expected errors that can stop a tournament. `str()` describes the obstacle."""


FAULT: Final = "a fault of the arena"
"""The beginning of the text about an unforeseen error."""


class StallCause(StrEnum):
    """The causes, with the values of `StallCause` in the contract."""

    UNSPECIFIED = "unspecified"
    """Any other cause; only the text describes it."""
    PARKED = "parked"
    TOO_FEW_FOR_ROUND = "too_few_for_round"
    FILE = "file"
    BOTS = "bots"
    SERVICE = "service"
    UNREADABLE = "unreadable"
    FAULT = "fault"


@final
@dataclass(frozen=True, slots=True)
class Obstacle:
    """An obstacle to a tournament: in words, and as a cause with its details."""

    text: str
    cause: StallCause = StallCause.UNSPECIFIED
    parked: int = 0
    """The number of parked blocks."""
    blocks: int = 0
    """The number of all blocks."""
    round_number: int = 0
    """The round of a Swiss that cannot begin, from 1."""
    rounds: int = 0
    """The number of rounds."""
    fault: str = ""
    """The number of a fault in the log."""


_CAUSES: Final = (
    (NotRegistered, StallCause.BOTS),
    (BadTournament, StallCause.FILE),
    (BadStored, StallCause.UNREADABLE),
    (ServiceError, StallCause.SERVICE),
)


def obstacle(error: Exception) -> Obstacle:
    """Returns the obstacle for an expected error."""
    cause = next((cause for kind, cause in _CAUSES if isinstance(error, kind)), StallCause.UNSPECIFIED)
    return Obstacle(str(error), cause)


def expected_in(error: Exception) -> Exception | None:
    """Returns the first error of a group if all of its errors are expected; None otherwise."""
    if isinstance(error, ExceptionGroup):
        expected, rest = error.split(EXPECTED)
        return None if rest is not None or expected is None else expected_in(expected.exceptions[0])
    return error if isinstance(error, EXPECTED) else None


def passes(error: Exception) -> bool:
    """Returns whether an obstacle passes by itself: the service or the store is away."""
    return isinstance(error, StoreUnavailable) or (isinstance(error, ServiceError) and error.retryable)


def logged_fault(error: Exception, name: str) -> Obstacle:
    """Logs an unforeseen error in an object of this name. Returns the text for its organiser, which says where it is
    logged.
    """
    number = secrets.token_hex(4)
    log.error("fault %s in %s", number, name, exc_info=error)
    return Obstacle(f"{FAULT}, logged as {number}", StallCause.FAULT, fault=number)
