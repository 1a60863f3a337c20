"""The errors of an arena beyond the service's refusals."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["ArenaError", "Say"]

Say = Callable[[str], None]
"""Tells people one line."""


class ArenaError(Exception):
    """The arena cannot go on. `str()` says why, and what to do."""
