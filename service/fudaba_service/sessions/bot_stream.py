"""The interface of a bot's Play stream for the parts that give it seats and ends."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol

from fudaba_service.accounts.owner import Owner
from fudaba_service.refusals import Refused
from fudaba_service.sessions.replays import Payer
from fudaba_service.sessions.session import Session
from fudaba_service.store import Opening

__all__ = ["BotStream"]


class BotStream(Protocol):
    """A Play stream, as the roster uses it."""

    owner: Owner
    opening: Opening
    stream_id: str
    capacity: int
    """The number of matches that its bot plays at once; 0 for any number."""
    paused: bool
    pause_changes: int
    """The number of times that its bot has been paused or resumed through it."""
    payer: Payer
    """The payer for the archived matches that it names."""
    waiting: set[str]
    """The ids of its bot's matches that wait for room."""

    async def seat(self, session: Session, seat: int) -> None:
        """Gives the bot a seat."""

    def unfinished(self) -> list[str]:
        """Returns the matches whose end it has not seen and in which it has no seat now."""

    def tell_end(self, end: bytes) -> None:
        """Sends the end of a match (a SeatUpdate), unless this stream has already sent it."""

    def end(self, refused: Refused) -> None:
        """Ends the stream."""

    def recheck(self) -> Awaitable[object]:
        """Raises `Refused` if its token is no longer valid."""
