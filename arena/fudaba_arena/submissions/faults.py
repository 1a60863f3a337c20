"""The reasons why a submission is refused."""

from __future__ import annotations

from enum import StrEnum
from typing import final

from fudaba_arena.errors import ArenaError

__all__ = ["BadSubmission", "Fault", "damaged", "too_much"]


@final
class Fault(StrEnum):
    """The fault of a submission, for programs. The names stay as they are."""

    FORMAT = "format"
    """It is no archive that is known, and no source file."""
    DAMAGED = "damaged"
    """The archive is cut off or broken, or something stands behind its end."""
    SIZE = "size"
    """It is over a limit: of bytes, files, or the length and depth of a path."""
    NAME = "name"
    """A name leads out of the folder, or cannot be shown, or there are two of it."""
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
    """The workers failed, and not the bot. Submit it again."""
    QUOTA = "quota"
    """Its account has built as long, or uploaded and built as much, as it may in a day. Submit it again later."""


@final
class BadSubmission(ArenaError):
    """A submission that is refused. `str()` says why and what to do; of mistakes in a file it has a line for each."""

    def __init__(self, fault: Fault, text: str) -> None:
        super().__init__(text)
        self.fault = fault


def damaged(why: str) -> BadSubmission:
    """Returns the message for what is not right in an archive."""
    return BadSubmission(Fault.DAMAGED, f"the archive is cut off or broken: {why}; pack it again")


def too_much(excess: str) -> BadSubmission:
    """Returns the message for an archive that exceeds a limit."""
    return BadSubmission(Fault.SIZE, f"the archive {excess}; leave out what the bot does not need")
