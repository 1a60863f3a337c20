"""The errors of an arena, beside the service's refusals."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["ArenaError", "Say"]

Say = Callable[[str], None]
"""Prints one line for people."""


class ArenaError(Exception):
    """The arena cannot go on. `str()` says why, and what to do."""
