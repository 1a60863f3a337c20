"""The limits on the size of a submission: one table, with defaults and bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, final

from fudaba_arena.limits import MEGABYTE, Limit, LimitTable, limit, limits_of

__all__ = ["SUBMISSION_LIMITS", "SubmissionLimits"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionLimits(LimitTable):
    """The limits of one submission. Raises `BadLimit`."""

    packed: int = limit(64 * MEGABYTE, "size of what is uploaded", "bytes", 1_000, 4_000 * MEGABYTE)
    unpacked: int = limit(512 * MEGABYTE, "size of all its files together", "bytes", 1_000, 1_000_000 * MEGABYTE)
    files: int = limit(20_000, "files and folders in it", "files", 1, 60_000)
    path: int = limit(400, "length of a path in it", "bytes", 16, 4_000)
    depth: int = limit(32, "folders in a path, and its file", "levels", 2, 200)


SUBMISSION_LIMITS: Final[Mapping[str, Limit]] = limits_of(SubmissionLimits)
"""All limits by name, in the order of the table."""
