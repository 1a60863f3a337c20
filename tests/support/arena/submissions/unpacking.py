"""Submissions that are unpacked, and those that are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from fudaba_arena.submissions.faults import BadSubmission
from fudaba_arena.submissions.limits import SubmissionLimits
from fudaba_arena.submissions.unpacking import Unpacked, unpack

LIMITS: Final = SubmissionLimits()


def opened(raw: bytes, into: Path, name: str = "upload", limits: SubmissionLimits = LIMITS) -> Unpacked:
    """Unpacks a submission, which lies beside the folder."""
    source = into.parent / "archive"
    source.write_bytes(raw)
    return unpack(source, name, into, limits)


def refused(raw: bytes, into: Path, name: str = "upload", limits: SubmissionLimits = LIMITS) -> BadSubmission:
    """Returns why a submission is refused. Nothing is left of it."""
    with pytest.raises(BadSubmission) as info:
        opened(raw, into, name, limits)
    assert [path.name for path in into.parent.iterdir()] == ["archive"]
    text = str(info.value)
    assert all(line.isprintable() for line in text.split("\n")), text
    return info.value
