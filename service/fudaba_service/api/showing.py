"""Hidden matches: their delayed views, and their release."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Final, final

from fudaba.v1 import errors_pb2, matches_pb2
from fudaba_service.api.guard import first_of
from fudaba_service.archive import DamagedRecord
from fudaba_service.refusals import Refused
from fudaba_service.sessions.delayed_copy import DelayedCopy
from fudaba_service.sessions.followers import Spectator
from fudaba_service.sessions.host import Host
from fudaba_service.sessions.session import Session
from fudaba_service.sessions.watches import Watch
from fudaba_service.store import Premiere, Showing

__all__ = ["MatchShowing", "check_hidden", "hidden_match"]

_MAX_DELAY_MS: Final = 3_600_000
_MAX_PREMIERE_DELAY_MS: Final = 24 * 3_600_000
_MAX_LEAD_MS: Final = 3_600_000
_MAX_RELEASED: Final = 1000


def check_hidden(request: matches_pb2.CreateMatchRequest) -> None:
    """Refuses contradictions about what of a match is hidden."""
    if request.show_delay_ms > _MAX_DELAY_MS:
        raise Refused.malformed(
            f"show_delay_ms is {request.show_delay_ms}; at most {_MAX_DELAY_MS}, an hour, is allowed"
        )
    if request.show_delay_ms and not request.hidden:
        raise Refused.malformed("show_delay_ms is set, but hidden is not: a match that is not hidden is shown at once")
    if request.concealed and (not request.hidden or request.show_delay_ms):
        raise Refused.malformed(
            "concealed is set, but hidden is not, or show_delay_ms is: a match that others do not find is hidden, and"
            " not shown before its release"
        )
    if request.names_hidden and not request.hidden:
        raise Refused.malformed("names_hidden is set, but hidden is not: names are hidden as long as their match")


@final
class MatchShowing:
    """See the module."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def release(self, request: matches_pb2.ReleaseMatchesRequest) -> int:
        """Releases matches. Returns how many of them were hidden."""
        if len(request.match_ids) > _MAX_RELEASED:
            raise Refused.malformed(
                f"match_ids has {len(request.match_ids)} entries; at most {_MAX_RELEASED} are allowed"
            )
        if request.premiere_lead_ms > _MAX_LEAD_MS:
            raise Refused.malformed(
                f"premiere_lead_ms is {request.premiere_lead_ms}; at most {_MAX_LEAD_MS}, an hour, is allowed"
            )
        if request.premiere_lead_ms and not request.premiere_from_ms:
            raise Refused.malformed("premiere_lead_ms is set, but premiere_from_ms is not: no match has a premiere")
        premieres = {}
        if request.premiere_from_ms:
            found = [(match_id, await self._premiere(match_id, request)) for match_id in request.match_ids]
            premieres = {match_id: premiere for match_id, premiere in found if premiere is not None}
        return await self._host.store.index.release(request.match_ids, premieres)

    async def _premiere(self, match_id: str, request: matches_pb2.ReleaseMatchesRequest) -> Premiere | None:
        """Returns how a match is shown before it is released; None if it is visible at once."""
        try:
            match = await self._host.register.match(match_id)
        except Refused as refused:
            # What is merely out of reach now must not be shown at once, and for good: the caller tries again.
            if refused.reason == errors_pb2.REASON_ARCHIVE_UNAVAILABLE and not isinstance(
                refused.__cause__, DamagedRecord
            ):
                raise
            return None  # nobody can watch it
        if not match.HasField("end") or not match.HasField("start_time"):
            return None
        start_ms, end_ms = match.start_time.ToMilliseconds(), match.end.end_time.ToMilliseconds()
        if end_ms - start_ms < request.premiere_from_ms:
            return None
        delay_ms = match.show_delay_ms or self._host.store.now_ms() + request.premiere_lead_ms - start_ms
        return Premiere(delay_ms, end_ms + delay_ms) if delay_ms <= _MAX_PREMIERE_DELAY_MS else None

    async def shown_later(
        self, session: Session, showing: Showing, seen: int, watch: Watch, ended: asyncio.Future[Refused]
    ) -> AsyncGenerator[bytes, None]:
        """Yields the messages of WatchMatch about a match that is shown with a delay."""
        copy = DelayedCopy(session.copy, showing.delay_ms, premiere=showing.premiere)
        spectator, store = Spectator(seen, watch.wake), self._host.store
        while True:
            before = copy.replay
            await copy.advance(store.now_ms())
            if copy.replay is not before:
                spectator.rewind(0)
            message = spectator.tell(copy, {})
            if message is not None:
                yield await watch.pass_on(message.raw)
                if message.last:
                    return
            await first_of(asyncio.sleep(copy.wait_seconds(store.now_ms())), ended)


def hidden_match(match_id: str) -> Refused:
    """Returns the refusal of a match that only the organiser may see now."""
    return Refused(
        errors_pb2.REASON_MATCH_HIDDEN,
        f"match {match_id} is hidden until its block is over and it has been shown to its end",
    )
