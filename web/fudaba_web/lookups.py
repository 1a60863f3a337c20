"""Whether what a path of the page names is there, as service and arena say it to anybody.

Whoever opens a link makes the gateway ask, so nobody can make it ask without end: a call costs its caller what any call
does, an answer is kept for a while, and only so many are awaited at once. What is not known in time counts as there:
the page itself then finds out.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, final

from connectrpc.errors import ConnectError
from google.protobuf.message import Message
from grpc import StatusCode, aio

from fudaba.v1 import arena_pb2, bots_pb2, catalog_pb2, matches_pb2, submissions_pb2
from fudaba_games.registry import GAMES
from fudaba_serving.grpc.policy import contract
from fudaba_web.participants import Participants
from fudaba_web.upstreams import Upstreams

__all__ = ["Lookup", "Lookups", "Presence"]

_TIMEOUT_SECONDS: Final = 1.0
"""Seconds for service and arena to answer. Nobody waits longer for a document."""
_MISSING_SECONDS: Final = 5.0
"""For so long, what was not there is taken to be still missing."""
_THERE_SECONDS: Final = 60.0
_MAX_KEPT: Final = 2_000
"""Answers that are kept; the one that was used least recently goes first."""
_MAX_AWAITED: Final = 32
"""Paths that are looked up at once."""
_MAX_NAME_CHARS: Final = 100
"""Characters of the longest name or id that anything here has."""
_MISSING_CODES: Final = frozenset({StatusCode.NOT_FOUND, StatusCode.INVALID_ARGUMENT})
"""Of refusals of a call that has nothing but a name: there is none, or nothing can be called so."""


class Presence(Enum):
    """What is known of it."""

    THERE = "there"
    MISSING = "missing"
    UNKNOWN = "unknown"
    """Nobody has said: the answer did not come in time, or the caller may not know."""


@final
@dataclass(frozen=True, slots=True)
class Lookup:
    """What was found at a path."""

    presence: Presence
    answer: Message | None = None
    """What the service said of a match."""


_THERE: Final = Lookup(Presence.THERE)
_MISSING: Final = Lookup(Presence.MISSING)
_UNKNOWN: Final = Lookup(Presence.UNKNOWN)


_REQUESTS: Final[Mapping[tuple[str, ...], Callable[..., Message]]] = {
    ("matches", ""): lambda match: matches_pb2.GetMatchRequest(match_id=match),
    ("embed", ""): lambda match: matches_pb2.GetMatchRequest(match_id=match),
    ("join", ""): lambda code: matches_pb2.GetInvitationRequest(invitation_code=code),
    ("games", ""): lambda game: catalog_pb2.GetGameRequest(game=game),
    ("ladders", ""): lambda ladder: arena_pb2.GetLadderRequest(ladder=ladder),
    ("ladders", "", "seasons", ""): lambda *season: arena_pb2.GetTournamentRequest(tournament=".".join(season)),
    ("tournaments", ""): lambda tournament: arena_pb2.GetTournamentRequest(tournament=tournament),
    ("submissions", ""): lambda submission: submissions_pb2.GetSubmissionRequest(submission_id=submission),
}
"""What asks for the thing at a path, of the names in it."""
_PARTICIPANTS: Final = (("bots", ""), ("authors", ""))
"""Of these no single call tells."""
_METHODS: Final = {method.input_type.full_name: method for service in contract() for method in service.methods}
_OWN: Final = "submissions"
"""What only its author and the organiser may know of."""


@final
class Lookups:
    """Looks up what paths name."""

    def __init__(self, upstreams: Upstreams, now: Callable[[], float] = time.monotonic) -> None:
        """`now` tells the time in seconds."""
        self._upstreams = upstreams
        self._now = now
        self._participants = Participants(upstreams, now)
        self._kept: OrderedDict[tuple[str, ...], tuple[float, Lookup]] = OrderedDict()
        self._awaited = 0

    async def find(self, path: str, address: str, token: str = "") -> Lookup:
        """What is at a path of the page, for somebody at an address. `token` is of whoever asks, if it is known: with
        it they see their own.
        """
        parts = tuple(path.strip("/").split("/"))
        pattern = next((pattern for pattern in (*_REQUESTS, *_PARTICIPANTS) if _fits(pattern, parts)), ())
        names = tuple(part for part, fixed in zip(parts, pattern, strict=False) if not fixed)
        if not names or (parts[0] == "games" and names[0] in GAMES):
            return _THERE
        if max(map(len, names)) > _MAX_NAME_CHARS:
            return _MISSING
        if parts[0] == _OWN:
            return await self._bounded(self._own(_REQUESTS[pattern](*names), address, token)) if token else _UNKNOWN
        found = self._kept_at(parts)
        if found is None:
            found = await self._bounded(self._public(pattern, names, address))
            self._keep(parts, found)
        if found.presence is Presence.MISSING and parts[0] == "bots" and token:
            return await self._bounded(self._own(bots_pb2.GetBotRequest(bot=names[0]), address, token))
        return found

    async def _bounded(self, asking: Coroutine[Any, Any, Lookup]) -> Lookup:
        """What is answered in time, if not too many wait already."""
        if self._awaited >= _MAX_AWAITED:
            asking.close()
            return _UNKNOWN
        self._awaited += 1
        try:
            return await asyncio.wait_for(asking, _TIMEOUT_SECONDS)
        except (TimeoutError, ConnectError, LookupError):  # not in time; no token can be this one; there is no arena
            return _UNKNOWN
        except aio.AioRpcError as error:
            return _MISSING if error.code() in _MISSING_CODES else _UNKNOWN
        finally:
            self._awaited -= 1

    async def _public(self, pattern: tuple[str, ...], names: tuple[str, ...], address: str) -> Lookup:
        """What everybody may know."""
        if pattern in _PARTICIPANTS:
            return _THERE if await self._participates(pattern[0], names[0], address) else _MISSING
        answer = await self._call(_REQUESTS[pattern](*names), address)
        return Lookup(Presence.THERE, answer if isinstance(answer, matches_pb2.GetMatchResponse) else None)

    async def _participates(self, kind: str, name: str, address: str) -> bool:
        if await self._participants.has(kind, name, address):
            return True
        if kind != "bots":
            return False
        played = await self._call(matches_pb2.ListMatchesRequest(bot=name, page_size=1), address)
        return bool(played.matches)

    async def _own(self, request: Message, address: str, token: str) -> Lookup:
        """What only those may know whose it is."""
        try:
            await self._call(request, address, token)
        except aio.AioRpcError as error:
            if error.code() is StatusCode.PERMISSION_DENIED and isinstance(request, bots_pb2.GetBotRequest):
                return _MISSING
            raise
        return _THERE

    async def close(self) -> None:
        """Looks nothing up any more."""
        await self._participants.close()

    async def _call(self, request: Message, address: str, token: str = "") -> Any:
        method = _METHODS[request.DESCRIPTOR.full_name]
        headers = {"authorization": f"Bearer {token}"} if token else {}
        metadata = self._upstreams.metadata(method, request, headers, address)
        return await self._upstreams.unary(method)(request, metadata=metadata, timeout=_TIMEOUT_SECONDS)

    def _kept_at(self, parts: tuple[str, ...]) -> Lookup | None:
        until, lookup = self._kept.get(parts, (0.0, None))
        if lookup is None or until <= self._now():
            return None
        self._kept.move_to_end(parts)
        return lookup

    def _keep(self, parts: tuple[str, ...], lookup: Lookup) -> None:
        if lookup.presence is Presence.UNKNOWN:
            return
        seconds = _MISSING_SECONDS if lookup.presence is Presence.MISSING else _THERE_SECONDS
        self._kept[parts] = (self._now() + seconds, lookup)
        self._kept.move_to_end(parts)
        while len(self._kept) > _MAX_KEPT:
            self._kept.popitem(last=False)


def _fits(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Whether a path has names where a pattern is empty, and is the same elsewhere."""
    return len(pattern) == len(parts) and all(
        part == fixed or (part and not fixed) for part, fixed in zip(parts, pattern, strict=True)
    )
