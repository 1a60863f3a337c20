"""Messages of a bot about matches in which it has no seat."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Protocol, final

from fudaba.v1 import errors_pb2
from fudaba_games.game import GameError
from fudaba_service.api.guard import refusal_for
from fudaba_service.api.told_ends import MAX_ENDED_MATCHES
from fudaba_service.archive import MATCH_ID
from fudaba_service.refusals import Refused
from fudaba_service.sessions.bot_stream import BotStream
from fudaba_service.sessions.host import Host
from fudaba_service.sessions.match_copy import no_seat
from fudaba_service.store import StoreUnavailable

__all__ = ["Strays"]

_MAX_STRAYS: Final = 1_000
"""The number of waiting messages of a stream."""


class Seats(BotStream, Protocol):
    """A Play stream that knows its seats."""

    player: str
    """Its bot's version, as `bot/version`."""

    def has_seat(self, match_id: str) -> bool:
        """Returns whether it has a seat in a match now."""

    def has_end(self, match_id: str) -> bool:
        """Returns whether it had a seat in a match and has sent the match's end."""


@final
class Strays:
    """A stream's messages about matches in which it has no seat. A seat may be on its way, or the match may be over."""

    def __init__(self, host: Host, stream: Seats, refuse: Callable[[str, str, Refused], None]) -> None:
        """`refuse` receives the match, the decision, and the refusal."""
        self.seated = asyncio.Event()
        """Set once the stream has its seats."""
        self._host = host
        self._stream = stream
        self._refuse = refuse
        # Each with its match, its decision, and what handles it again.
        self._waiting: asyncio.Queue[tuple[str, str, Callable[[], None]]] = asyncio.Queue(_MAX_STRAYS)
        self._archived: OrderedDict[str, Refused] = OrderedDict()

    def add(self, match_id: str, decision_id: str, again: Callable[[], None]) -> None:
        """Refuses a message at once, or keeps it until `sort` handles it `again`."""
        if self._stream.has_end(match_id):
            self._refuse(match_id, decision_id, _match_over())
        elif not MATCH_ID.fullmatch(match_id):
            self._refuse(match_id, decision_id, self._not_yours(match_id))
        elif self._waiting.full():
            message = f"{_MAX_STRAYS} messages about matches without a seat wait; answer your own decisions only"
            self._refuse(match_id, decision_id, Refused(errors_pb2.REASON_TOO_FAST, message))
        else:
            self._waiting.put_nowait((match_id, decision_id, again))

    async def join(self) -> None:
        """Waits until none is left."""
        await self._waiting.join()

    async def sort(self) -> None:
        """Handles the kept messages one by one, once the stream has its seats, until cancelled."""
        await self.seated.wait()
        while True:
            match_id, decision_id, again = await self._waiting.get()
            if self._in_or_over(match_id):
                again()
            elif (refused := await self._why_no_seat(match_id)) is not None:
                self._refuse(match_id, decision_id, refused)
            else:
                again()
            self._waiting.task_done()

    def _in_or_over(self, match_id: str) -> bool:
        return self._stream.has_seat(match_id) or self._stream.has_end(match_id)

    async def _why_no_seat(self, match_id: str) -> Refused | None:
        """Returns why the bot has no seat in a match; None if another replica gave it one."""
        if match_id in self._archived:
            return self._archived[match_id]
        stream = self._stream
        try:
            await self._host.roster.bring(stream, match_id)
            if self._in_or_over(match_id):
                return None
            record = await self._host.register.archived(match_id)
        except (Refused, GameError, StoreUnavailable) as error:
            return refusal_for(error)
        if record is None:
            return self._not_yours(match_id)
        players = [f"{p.bot}/{p.version}" for p in record.header.players]
        played = stream.player in players and stream.owner.match_id in {"", match_id}
        self._archived[match_id] = _match_over() if played else self._not_yours(match_id)
        if len(self._archived) > MAX_ENDED_MATCHES:
            self._archived.popitem(last=False)
        return self._archived[match_id]

    def _not_yours(self, match_id: str) -> Refused:
        held = self._host.live.held(match_id)
        return no_seat(self._stream.owner, match_id, held.copy.players if held is not None else ())


def _match_over() -> Refused:
    return Refused(errors_pb2.REASON_MATCH_OVER, "the match is over")
