"""The reasons why a ladder plays nothing: each has a cause with its details, for programs, and a sentence, for
people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final, final

from fudaba_arena.schedule.wording import is_are
from fudaba_games.wording import counted

__all__ = ["IdleCause", "IdleReason"]


class IdleCause(StrEnum):
    """The causes, with the values of `IdleCause` in the contract."""

    PAUSED = "paused"
    STALLED = "stalled"
    NOT_BEGUN = "not_begun"
    ELSEWHERE = "elsewhere"
    STARTING = "starting"
    ASKING_PRESENCE = "asking_presence"
    NOBODY_ENTERED = "nobody_entered"
    ALL_PAUSED = "all_paused"
    TOO_FEW_BOTS = "too_few_bots"
    BLOCK_BEGINS = "block_begins"
    BOT_BUSY = "bot_busy"
    FINAL_PLAYED = "final_played"
    ALL_CERTAIN = "all_certain"
    SHARES_REACHED = "shares_reached"
    EXTENSION_OPEN = "extension_open"
    CHECKS_OPEN = "checks_open"
    MAINTENANCE = "maintenance"


@final
@dataclass(frozen=True, slots=True)
class IdleReason:
    """A cause with its details. Details that do not apply keep their defaults. `str()` is for people."""

    cause: IdleCause
    ladder: str = ""
    """The ladder that is paused."""
    begins_ms: int = 0
    """The time when the season begins, in milliseconds since 1970."""
    ends_ms: int = 0
    """The time when the maintenance ends, in milliseconds since 1970."""
    game: str = ""
    bot: str = ""
    """The entrant, `BOT@VERSION`."""
    bots_needed: int = 0
    bots_found: int = 0
    different_authors: bool = False
    """Whether bots of one author may not meet."""
    some_absent: bool = False
    """Whether some entries are absent, so that the reason applies only to the others."""
    withdrawn: tuple[str, ...] = ()
    blocks: int = 0
    narrow: float = 0.0
    """Half an interval, in Elo points."""

    def __str__(self) -> str:
        return _SENTENCES[self.cause](self)


def _paused(reason: IdleReason) -> str:
    return f"it is paused; its organiser resumes it with `fudaba ladder resume {reason.ladder}`"


def _not_begun(reason: IdleReason) -> str:
    return f"the season begins at {_moment(reason.begins_ms)}"


def _maintenance(reason: IdleReason) -> str:
    return f"no block begins before the service's maintenance is over, at {_moment(reason.ends_ms)} at the latest"


def _moment(at_ms: int) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _too_few(reason: IdleReason) -> str:
    bots = "bots of different authors" if reason.different_authors else "bots"
    here, withdrawn = "here" if reason.some_absent else "entered", reason.withdrawn
    but = f", but for {' and '.join(withdrawn)}, who {is_are(len(withdrawn))} withdrawn," if withdrawn else ""
    return (
        f"a match of {reason.game} needs {reason.bots_needed} {bots}, and of those who are {here}{but} there "
        f"{is_are(reason.bots_found)} {reason.bots_found}"
    )


def _bot_busy(reason: IdleReason) -> str:
    return f"{reason.bot} needs a block of {reason.game}, and has to play another one first"


def _final_played(reason: IdleReason) -> str:
    return f"everybody {'who is here ' if reason.some_absent else ''}has played the final"


def _all_certain(reason: IdleReason) -> str:
    here = "that is here " if reason.some_absent else ""
    blocks = counted(reason.blocks, "block")
    return f"every entry {here}has played {blocks} or more, and has an interval of ± {reason.narrow:g} or less"


def _shares_reached(reason: IdleReason) -> str:
    return (
        f"{reason.bot} needs a block of {reason.game}, and has played as much with those who are free as pair_share and"
        " author_share allow; the others play"
    )


_SENTENCES: Final[Mapping[IdleCause, Callable[[IdleReason], str]]] = {
    IdleCause.PAUSED: _paused,
    IdleCause.STALLED: lambda _: "something stops it that its organiser can see",
    IdleCause.NOT_BEGUN: _not_begun,
    IdleCause.ELSEWHERE: lambda _: "another arena on the same store plays it",
    IdleCause.STARTING: lambda _: "the arena is about to play it",
    IdleCause.ASKING_PRESENCE: lambda _: "the service is being asked which bots are here",
    IdleCause.NOBODY_ENTERED: lambda _: "nobody is entered",
    IdleCause.ALL_PAUSED: lambda _: "everybody who is entered is paused",
    IdleCause.TOO_FEW_BOTS: _too_few,
    IdleCause.BLOCK_BEGINS: lambda reason: f"a block of {reason.game} is about to begin",
    IdleCause.BOT_BUSY: _bot_busy,
    IdleCause.FINAL_PLAYED: _final_played,
    IdleCause.ALL_CERTAIN: _all_certain,
    IdleCause.SHARES_REACHED: _shares_reached,
    IdleCause.EXTENSION_OPEN: lambda _: "the final waits for an author who has a later deadline",
    IdleCause.CHECKS_OPEN: lambda _: "the final waits for submissions that were uploaded in time and are being checked",
    IdleCause.MAINTENANCE: _maintenance,
}
