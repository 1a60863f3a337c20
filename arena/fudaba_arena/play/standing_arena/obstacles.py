"""Obstacles to playing a tournament: which are expected, and which pass by themselves."""

from __future__ import annotations

import logging
import secrets
from typing import Final

from fudaba.errors import ServiceError
from fudaba_arena.errors import ArenaError
from fudaba_arena.play.service.registration import NotRegistered
from fudaba_arena.store.store import StoreUnavailable
from fudaba_arena.tournament.file import BadTournament

__all__ = ["EXPECTED", "expected_in", "logged_fault", "passes"]

log = logging.getLogger(__name__)

EXPECTED: Final = (ArenaError, BadTournament, NotRegistered, ServiceError, StoreUnavailable)
"""The expected errors that can stop a tournament. `str()` describes the obstacle."""


def expected_in(error: Exception) -> Exception | None:
    """Returns the first error of a group if all of its errors are expected; None otherwise."""
    if isinstance(error, ExceptionGroup):
        expected, rest = error.split(EXPECTED)
        return None if rest is not None or expected is None else expected_in(expected.exceptions[0])
    return error if isinstance(error, EXPECTED) else None


def passes(error: Exception) -> bool:
    """Returns whether an obstacle passes by itself: the service or the store is away."""
    return isinstance(error, StoreUnavailable) or (isinstance(error, ServiceError) and error.retryable)


def logged_fault(error: Exception, name: str) -> str:
    """Logs an unexpected error in the named thing. Returns the organiser's message, which says where it is logged."""
    number = secrets.token_hex(4)
    log.error("fault %s in %s", number, name, exc_info=error)
    return f"a fault of the arena, logged as {number}"
