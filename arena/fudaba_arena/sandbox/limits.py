"""The limits of a run. They are those that a tournament's file sets, so that the table is there."""

from __future__ import annotations

from fudaba_arena.limits import MEGABYTE, BadLimit, Limit
from fudaba_arena.tournament.limits import LIMITS, Limits

__all__ = ["LIMITS", "MEGABYTE", "BadLimit", "Limit", "Limits"]
