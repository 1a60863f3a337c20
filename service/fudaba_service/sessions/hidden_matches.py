"""Hidden matches: each is hidden from before its creation until it is released.

A match whose creation fails is no longer hidden. Its id may be needed again at that moment. So each attempt hides the
id under its own name, that of its salt, and removes only that.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Container
from contextlib import asynccontextmanager
from typing import final

from fudaba.v1 import errors_pb2, matches_pb2, record_pb2
from fudaba_service.refusals import Refused
from fudaba_service.store import Showing, Store, retry_until_answered
from fudaba_serving.process.tasks import BackgroundTasks

__all__ = ["CreationAttempt", "HiddenMatches", "hide_names", "no_match", "note_showing"]


def note_showing(match: matches_pb2.Match, showing: Showing) -> None:
    """Notes in the message about a match what the public may see of it."""
    match.hidden, match.show_delay_ms, match.premiere = showing.hidden, showing.delay_ms, showing.premiere
    if showing.concealed:
        match.header.unlisted = True


def no_match(match_id: str) -> Refused:
    """Returns the refusal of a match that does not exist, or that the caller does not find."""
    return Refused(errors_pb2.REASON_MATCH_NOT_FOUND, f"there is no match {match_id!r}")


def hide_names(header: record_pb2.MatchHeader, known_seats: Container[int]) -> None:
    """Removes the bots of all but the known seats from a header, if names are hidden in its match."""
    if header.names_hidden:
        for seat, player in enumerate(header.players):
            if seat not in known_seats:
                player.Clear()


@final
class CreationAttempt:
    """An attempt to create a match. Its maker sets the outcome."""

    def __init__(self) -> None:
        self.created: bool | None = None
        """Whether the store has the match from this attempt; None until it has answered."""


@final
class HiddenMatches:
    """Hides matches. `store.index` knows which ones are hidden."""

    def __init__(self, store: Store, tasks: BackgroundTasks) -> None:
        self._store = store
        self._tasks = tasks

    @asynccontextmanager
    async def attempt(
        self,
        match_id: str,
        salt: bytes,
        there: Callable[[], Awaitable[bool]],
        *,
        hidden: bool,
        delay_ms: int = 0,
        concealed: bool = False,
    ) -> AsyncIterator[CreationAttempt]:
        """Hides a match, if it is to be `hidden`, before the block creates it. `delay_ms` and `concealed` are as for
        `MatchIndex.hide`.

        `there` returns whether the store has, or has had, the match of this attempt. Raises `StoreUnavailable`.
        """
        attempt = CreationAttempt()
        try:
            if hidden:
                await self._store.index.hide(match_id, salt.hex(), delay_ms, concealed=concealed)
            yield attempt
        finally:
            if hidden and not attempt.created:
                unknown = attempt.created is None
                self._tasks.spawn(self._undo(match_id, salt, there if unknown else None, delay_ms, concealed))

    async def forget(self, match_id: str, salt: bytes) -> None:
        """Stops hiding a match that will never be created."""
        await self._store.index.unhide(match_id, salt.hex())

    async def _undo(
        self, match_id: str, salt: bytes, there: Callable[[], Awaitable[bool]] | None, delay_ms: int, concealed: bool
    ) -> None:
        """Stops hiding a match as soon as the store answers, unless the match exists after all."""

        async def once() -> None:
            if there is not None and await there():
                return
            await self.forget(match_id, salt)
            # The request that creates the match may have arrived late.
            if there is not None and await there():
                await self._store.index.hide(match_id, salt.hex(), delay_ms, concealed=concealed)

        await retry_until_answered(once)
