"""The reasons why a submission is refused."""

from __future__ import annotations

from enum import StrEnum
from typing import final

from fudaba_arena.errors import ArenaError

__all__ = ["BadSubmission", "Fault", "damaged", "too_much"]


@final
class Fault(StrEnum):
    """The fault of a submission, for programs. The names never change."""

    FORMAT = "format"
    """It is neither a known archive nor a source file."""
    DAMAGED = "damaged"
    """The archive is truncated or broken, or has data after its end."""
    SIZE = "size"
    """It exceeds a limit on bytes, files, or the length and depth of a path."""
    NAME = "name"
    """A name leads out of the folder, cannot be shown, or appears twice."""
    KIND = "kind"
    """Something in it is neither a file nor a folder: a link, a device."""
    MANIFEST = "manifest"
    """`bot.toml` is missing, or has mistakes."""
    RUNTIME = "runtime"
    """No worker has the runtime that it needs."""
    BUILD = "build"
    """Its build failed."""
    START = "start"
    """It cannot be started, or ended at once."""
    CONNECT = "connect"
    """It did not connect."""
    MATCH = "match"
    """It forfeited a match, or crashed in it."""
    LIMIT = "limit"
    """It went over a limit."""
    HOST = "host"
    """The workers failed, not the bot. Submit it again."""
    QUOTA = "quota"
    """Its account has used up its daily quota of builds or uploads. Submit it again later."""


@final
class BadSubmission(ArenaError):
    """A refused submission. `str()` says why and what to do; for mistakes in a file it has one line each."""

    def __init__(self, fault: Fault, text: str) -> None:
        super().__init__(text)
        self.fault = fault


def damaged(why: str) -> BadSubmission:
    """Returns the message about damage in an archive."""
    return BadSubmission(Fault.DAMAGED, f"the archive is cut off or broken: {why}; pack it again")


def too_much(excess: str) -> BadSubmission:
    """Returns the message for an archive that exceeds a limit."""
    return BadSubmission(Fault.SIZE, f"the archive {excess}; leave out what the bot does not need")
