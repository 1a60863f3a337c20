"""Looks up whether the thing that a path of the page names exists, by what service and arena tell anybody.

Opening a link makes the gateway ask, so these questions are bounded: a call costs its caller as much as any call, an
answer is kept for a while, and the gateway waits for a limited number at once, few of them for a single host. A thing
without an answer in time counts as present: the page itself then finds out.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, final

from connectrpc.errors import ConnectError
from google.protobuf.message import Message
from grpc import StatusCode, aio

from fudaba.v1 import arena_pb2, bots_pb2, catalog_pb2, matches_pb2, submissions_pb2
from fudaba_games.registry import GAMES
from fudaba_serving.grpc.hosts import CLIENT_ADDRESS, client_of
from fudaba_serving.grpc.policy import contract
from fudaba_web.participants import Participants
from fudaba_web.upstreams import Upstreams

__all__ = ["TIMEOUT_SECONDS", "Lookup", "Lookups", "Presence"]

TIMEOUT_SECONDS: Final = 1.0
"""The time in seconds that service and arena have to answer. No document waits longer."""
_MISSING_SECONDS: Final = 5.0
"""The time for which a missing thing is taken to be still missing."""
_THERE_SECONDS: Final = 60.0
_MAX_KEPT: Final = 2_000
"""The number of answers that are kept; the least recently used one goes first."""
_MAX_AWAITED: Final = 32
"""The number of paths that are looked up at once."""
_MAX_AWAITED_BY_HOST: Final = 4
"""The number of them that are looked up for a single host: the service slows hosts that ask too much."""
_MAX_NAME_CHARS: Final = 100
"""The length, in characters, of the longest name or id."""
_MISSING_CODES: Final = frozenset({StatusCode.NOT_FOUND, StatusCode.INVALID_ARGUMENT})
"""The codes of refusals of a call that has nothing but a name: it does not exist, or the name is impossible."""


class Presence(Enum):
    """Whether the thing at a path exists, as far as that is known."""

    THERE = "there"
    MISSING = "missing"
    UNKNOWN = "unknown"
    """It is not known: the answer did not come in time, or the caller may not know."""


@final
@dataclass(frozen=True, slots=True)
class Lookup:
    """The result of looking at a path."""

    presence: Presence
    answer: Message | None = None
    """The service's answer about a match."""


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
"""The requests for the thing at a path, made from the names in the path."""
_BOT: Final = ("bots", "")
"""No single call says whether a bot exists. No call says so of an author either: an author who has left, or enters
nothing, is on no list.
"""
_METHODS: Final = {method.input_type.full_name: method for service in contract() for method in service.methods}
_OWN: Final = "submissions"
"""The things that only their author and the organiser may see."""


@final
class Lookups:
    """Looks up what paths name."""

    def __init__(
        self,
        upstreams: Upstreams,
        now: Callable[[], float] = time.monotonic,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        """`now` returns the time in seconds. No caller waits longer than `timeout_seconds`."""
        self._upstreams = upstreams
        self._now = now
        self._timeout_seconds = timeout_seconds
        self._participants = Participants(upstreams, now)
        self._kept: OrderedDict[tuple[str, ...], tuple[float, Lookup]] = OrderedDict()
        self._awaited: Counter[str] = Counter()

    async def find(self, parts: tuple[str, ...], address: str, token: str | None = "") -> Lookup:
        """Returns what is at a path of the page, given by its parts, for a client at an address. `token` is the
        client's, which shows its own things. It is empty if the client is not signed in, and None if another site may
        have made the request.
        """
        pattern = next((pattern for pattern in (*_REQUESTS, _BOT) if _fits(pattern, parts)), ())
        names = tuple(part for part, fixed in zip(parts, pattern, strict=False) if not fixed)
        if not names or (parts[0] == "games" and names[0] in GAMES):
            return _THERE
        if max(map(len, names)) > _MAX_NAME_CHARS:
            return _MISSING
        host = client_of(((CLIENT_ADDRESS, address),)) if address else ""
        if parts[0] == _OWN:
            return await self._bounded(self._own(_REQUESTS[pattern](*names), address, token), host)
        if pattern == _BOT:
            return await self._bounded(self._bot(parts, address, host, token), host)
        found = self._kept_at(parts)
        if found is None:
            found = await self._bounded(self._public(parts, _REQUESTS[pattern](*names), address), host)
        return found

    async def _bounded(self, asking: Coroutine[Any, Any, Lookup], host: str) -> Lookup:
        """Waits for an answer for a limited time, if not too many wait already."""
        if self._awaited[host] >= _MAX_AWAITED_BY_HOST or self._awaited.total() >= _MAX_AWAITED:
            asking.close()
            return _UNKNOWN
        self._awaited[host] += 1
        try:
            return await asyncio.wait_for(asking, self._timeout_seconds)
        except TimeoutError:
            return _UNKNOWN
        finally:
            self._awaited[host] -= 1
            self._awaited += Counter()  # drops hosts for which no lookup waits

    async def _public(self, parts: tuple[str, ...], request: Message, address: str) -> Lookup:
        """Looks up a thing that everybody may see."""
        found = self._kept_at(parts)
        if found is None:
            found = await self._asked(request, address)
            self._keep(parts, found)
        return found

    async def _bot(self, parts: tuple[str, ...], address: str, host: str, token: str | None) -> Lookup:
        """Looks up a bot. It exists for everybody if it takes part in something or has played, and for its author in
        any case.

        The content of the lists is never kept here: the lists are already as old as they may be.
        """
        name = parts[1]
        listed = await self._participants.has(name, host, address)
        if listed:
            return _THERE
        found = await self._public(parts, matches_pb2.ListMatchesRequest(bot=name, page_size=1), address)
        if found.presence is not Presence.MISSING or listed is None:
            return found if found.presence is Presence.THERE else _UNKNOWN
        return found if token == "" else await self._own(bots_pb2.GetBotRequest(bot=name), address, token)

    async def _own(self, request: Message, address: str, token: str | None) -> Lookup:
        """Looks up a thing that only its owner may see."""
        return await self._asked(request, address, token) if token else _UNKNOWN

    async def _asked(self, request: Message, address: str, token: str = "") -> Lookup:
        """Calls service or arena."""
        try:
            answer = await self._call(request, address, token)
        except (ConnectError, LookupError):  # no valid token looks like this; or there is no arena
            return _UNKNOWN
        except aio.AioRpcError as error:
            is_not_own = isinstance(request, bots_pb2.GetBotRequest) and error.code() is StatusCode.PERMISSION_DENIED
            return _MISSING if is_not_own or error.code() in _MISSING_CODES else _UNKNOWN
        if isinstance(answer, matches_pb2.ListMatchesResponse) and not answer.matches:
            return _UNKNOWN if answer.next_page_token else _MISSING  # a page may be empty while others are not
        return Lookup(Presence.THERE, answer if isinstance(answer, matches_pb2.GetMatchResponse) else None)

    async def close(self) -> None:
        """Ends all lookups."""
        await self._participants.close()

    async def _call(self, request: Message, address: str, token: str = "") -> Any:
        method = _METHODS[request.DESCRIPTOR.full_name]
        headers = {"authorization": f"Bearer {token}"} if token else {}
        metadata = self._upstreams.metadata(method, request, headers, address)
        return await self._upstreams.unary(method)(request, metadata=metadata, timeout=self._timeout_seconds)

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
    """Returns whether a path fits a pattern, in which an empty part stands for any name."""
    return len(pattern) == len(parts) and all(
        part == fixed or (part and not fixed) for part, fixed in zip(parts, pattern, strict=True)
    )
