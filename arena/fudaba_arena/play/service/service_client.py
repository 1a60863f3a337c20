"""The arena's calls to the service. Each is repeated until it is answered, since all of them are safe to repeat."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from typing import Any, Final, TypeVar, final

from fudaba.client import AsyncClient, Endpoint
from fudaba.errors import ServiceError
from fudaba.v1 import accounts_pb2, bots_pb2, catalog_pb2, matches_pb2, record_pb2
from fudaba_arena.errors import Say
from fudaba_arena.play.service.maintenance import InMaintenance, KnownMaintenance
from fudaba_arena.retry import Retry

__all__ = ["Present", "ServiceClient"]

T = TypeVar("T")
_ANSWER_TIMEOUT_SECONDS: Final = 20.0
_MAX_AWAIT_MS: Final = 20_000
_MAX_PAUSE_SECONDS: Final = 3.0
_FAULTS: Final = frozenset({"INTERNAL", "UNKNOWN", "DATA_LOSS"})
_MAX_FAULT_TRIES: Final = 8
_PREMIERE_LEAD_MS: Final = 30_000
"""The time between the end of a block and the premieres of its matches, so that people can come."""
_GONE: Final = frozenset({"MATCH_NOT_FOUND", "MATCH_EXPIRED"})
"""The reasons why the service has no match of an id: it never existed, or its record has expired."""
_MAINTENANCE: Final = "MAINTENANCE"
_MATCHES_PER_RELEASE: Final = 1000
_MATCHES_PER_PAGE: Final = 200
_BOTS_PER_CALL: Final = 200
"""The number of bots in one call. Each answer includes all versions of a bot."""


@final
@dataclass(frozen=True, slots=True)
class Present:
    """The service's answer about the presence of bots' versions, each as `BOT@VERSION`."""

    here: frozenset[str] = frozenset()
    """The bots that are connected and not paused, so that they could begin a match now."""
    paused: frozenset[str] = frozenset()
    suspended: frozenset[str] = frozenset()
    """The bots whose accounts are suspended."""
    holding_up: frozenset[str] = frozenset()
    """The paused bots for which matches wait. These matches begin when the bots are resumed."""

    def __or__(self, other: Present) -> Present:
        return Present(
            self.here | other.here,
            self.paused | other.paused,
            self.suspended | other.suspended,
            self.holding_up | other.holding_up,
        )

    def without(self, bot: str) -> Present:
        """Returns the answer without these bots."""
        known = self.here, self.paused, self.suspended, self.holding_up
        return Present(*(_versions_of_others(versions, bot) for versions in known))


def _named(versions: Iterable[bots_pb2.Presence]) -> frozenset[str]:
    return frozenset(f"{presence.bot}@{presence.version}" for presence in versions)


def _versions_of_others(versions: frozenset[str], bot: str) -> frozenset[str]:
    return frozenset(name for name in versions if name.partition("@")[0] != bot)


@final
class ServiceClient:
    """Calls that wait while the service is away. They raise `ServiceError` for an error that waiting cannot mend."""

    def __init__(self, endpoint: Endpoint, say: Say, failed: Callable[[ServiceError], None] = lambda _: None) -> None:
        self.endpoint = endpoint
        self.faulted_at = -inf
        """The time of its latest failure by a fault of its own or of the network, by the monotonic clock."""
        self.maintenance = KnownMaintenance()
        """The service's maintenance, as known from `watch_maintenance` and from refusals."""

        def failing(error: ServiceError) -> None:
            # A refusal for being too fast is no fault that could cut bots off.
            if error.retryable and error.code != "RESOURCE_EXHAUSTED":
                self.faulted_at = time.monotonic()
            failed(error)

        self._client = AsyncClient(endpoint.address, endpoint.token, tls=endpoint.tls, ca_cert=endpoint.ca_cert)
        self._retry = Retry("the service", ServiceError, say, failing, max_pause_seconds=_MAX_PAUSE_SECONDS)

    async def close(self) -> None:
        """Closes the connection."""
        await self._client.close()

    async def service_id(self, seconds: float) -> str:
        """Returns the service's id; empty if it does not tell. It does not wait for a service that is away."""
        answer = await self._client.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), timeout=seconds)
        return answer.service_id

    async def watch_maintenance(self, say: Say) -> None:
        """Keeps `maintenance` up to date until cancelled."""
        request = catalog_pb2.GetMaintenanceRequest()
        await self.maintenance.watch(
            lambda: self._client.catalog.GetMaintenance(request, timeout=_ANSWER_TIMEOUT_SECONDS), say
        )

    # --- catalogue and bots

    async def games(self) -> dict[str, catalog_pb2.Game]:
        """Returns the games that the service hosts, by id. Unlike the other calls, it does not wait for the service."""
        answer = await self._client.catalog.ListGames(catalog_pb2.ListGamesRequest(), timeout=_ANSWER_TIMEOUT_SECONDS)
        return {game.id: game for game in answer.games}

    async def has_account(self, name: str) -> bool:
        """Returns whether the service has an account with a name."""
        try:
            await self._call(self._client.accounts.GetAccount, accounts_pb2.GetAccountRequest(account=name))
        except ServiceError as error:
            if error.reason != "ACCOUNT_NOT_FOUND":
                raise
            return False
        return True

    async def bot(self, name: str) -> bots_pb2.Bot | None:
        """Returns a bot, or None if the service has none with that name."""
        request = bots_pb2.GetBotRequest(bot=name)
        try:
            return (await self._call(self._client.bots.GetBot, request)).bot
        except ServiceError as error:
            if error.reason == "BOT_NOT_FOUND":
                return None
            raise

    async def present(self, bots: Sequence[str]) -> Present:
        """Returns which versions of some bots could begin a match now, and which are paused."""
        found = Present()
        for begin in range(0, len(bots), _BOTS_PER_CALL):
            found |= await self._present(bots[begin : begin + _BOTS_PER_CALL])
        return found

    async def _present(self, bots: Sequence[str]) -> Present:
        request = bots_pb2.ListPresenceRequest(bots=bots, page_size=len(bots))
        try:
            answer = await self._call(self._client.bots.ListPresence, request)
        except ServiceError as error:
            if error.reason != "BOT_NOT_FOUND":
                raise
            half = len(bots) // 2  # a bot that the service has lost is not found; the others are
            return await self._present(bots[:half]) | await self._present(bots[half:]) if half else Present()
        return Present(
            here=_named(
                presence
                for presence in answer.presences
                if presence.connected and not presence.paused and not presence.suspended
            ),
            paused=_named(presence for presence in answer.presences if presence.paused),
            suspended=_named(presence for presence in answer.presences if presence.suspended),
            holding_up=_named(
                presence
                for presence in answer.presences
                if presence.paused and presence.waiting_matches and not presence.playing_matches
            ),
        )

    async def create_bot(self, name: str, author: str, version: str) -> None:
        """Registers a bot; an existing bot stays as it is."""
        request = bots_pb2.CreateBotRequest(name=name, author=author, version=version)
        try:
            await self._call(self._client.bots.CreateBot, request)
        except ServiceError as error:
            if error.reason != "BOT_EXISTS":
                raise

    async def create_version(self, name: str, version: str) -> None:
        """Adds a version; an existing version stays as it is."""
        await self._call(self._client.bots.CreateVersion, bots_pb2.CreateVersionRequest(bot=name, version=version))

    async def new_token(self, name: str, version: str) -> str:
        """Returns the one valid token of a version. Older tokens end, and with them the processes of an earlier run."""
        await self.revoke(name, version)
        request = bots_pb2.CreateTokenRequest(bot=name, version=version)
        return (await self._call(self._client.bots.CreateToken, request)).token

    async def revoke(self, name: str, version: str) -> None:
        """Ends every token of a version."""
        await self._call(self._client.bots.RevokeTokens, bots_pb2.RevokeTokensRequest(bot=name, version=version))

    # --- matches

    async def create_match(self, request: matches_pb2.CreateMatchRequest) -> matches_pb2.Match:
        """Creates a match, or returns the match that an equal request created before. Raises `InMaintenance`."""
        try:
            return (await self._call(self._client.matches.CreateMatch, request)).match
        except ServiceError as error:
            if error.reason != _MAINTENANCE:
                raise
            self.maintenance.note_refusal(error)
            raise InMaintenance(str(error)) from error

    async def create_match_after_maintenance(self, request: matches_pb2.CreateMatchRequest) -> matches_pb2.Match:
        """Does `create_match`, once no maintenance is under way."""
        while True:
            await self.maintenance.over()
            with suppress(InMaintenance):
                return await self.create_match(request)

    async def match(self, match_id: str) -> matches_pb2.Match | None:
        """Returns a match as it is now, or None if the service has none with that id."""
        try:
            return (
                await self._call(self._client.matches.GetMatch, matches_pb2.GetMatchRequest(match_id=match_id))
            ).match
        except ServiceError as error:
            if error.reason in _GONE:
                return None
            raise

    async def matches_of(self, label: str, since_ms: int) -> AsyncIterator[list[matches_pb2.Match]]:
        """Yields the matches with a label that were created at or after a time, page by page, newest first."""
        request = matches_pb2.ListMatchesRequest(label=label, page_size=_MATCHES_PER_PAGE)
        request.since.FromMilliseconds(since_ms)
        while True:
            answer = await self._call(self._client.matches.ListMatches, request)
            yield list(answer.matches)
            if not answer.next_page_token:
                return
            request.page_token = answer.next_page_token

    async def ended(self, match_id: str) -> matches_pb2.Match | None:
        """Waits until a match is over, however long that takes. Returns None if the service has none with that id."""
        request = matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=_MAX_AWAIT_MS)
        while True:
            try:
                match = (await self._call(self._client.matches.AwaitMatch, request)).match
            except ServiceError as error:
                if error.reason in _GONE:
                    return None
                raise
            if match.state in {matches_pb2.MATCH_STATE_FINISHED, matches_pb2.MATCH_STATE_ABORTED}:
                return match

    async def record(self, match_id: str) -> record_pb2.MatchRecord:
        """Returns the record of a finished match. Unlike the other calls, it is made only once."""
        request = matches_pb2.GetRecordRequest(match_id=match_id)
        answer = await self._client.matches.GetRecord(request, timeout=_ANSWER_TIMEOUT_SECONDS)
        return answer.record

    async def record_if_there(self, match_id: str) -> record_pb2.MatchRecord | None:
        """Returns the record of a finished match, as soon as the service answers.

        Returns None if the service has none with that id.
        """
        try:
            return (
                await self._call(self._client.matches.GetRecord, matches_pb2.GetRecordRequest(match_id=match_id))
            ).record
        except ServiceError as error:
            if error.reason in _GONE:
                return None
            raise

    async def abort(self, match_id: str, message: str) -> None:
        """Ends a match without a result. A match that is over or does not exist stays so."""
        request = matches_pb2.AbortMatchRequest(match_id=match_id, message=message[:200])
        try:
            await self._call(self._client.matches.AbortMatch, request)
        except ServiceError as error:
            if error.reason not in _GONE:
                raise

    async def abort_unbegun(self, match_id: str, message: str) -> None:
        """Ends a match that still waits for bots to connect. A match that has begun is played to its end."""
        match = await self.match(match_id)
        if match is not None and not match.HasField("start_time"):
            await self.abort(match_id, message)

    async def match_token(self, match_id: str, seat: int) -> str | None:
        """Returns a token for one seat of a match, valid until the match is over; None if it is over or does not
        exist.
        """
        request = accounts_pb2.CreateMatchTokenRequest(match_id=match_id, seat=seat)
        try:
            return (await self._call(self._client.accounts.CreateMatchToken, request)).token
        except ServiceError as error:
            if error.reason in {*_GONE, "MATCH_OVER"}:
                return None
            raise

    async def resign(self, match_id: str, token: str) -> None:
        """Resigns for the seat of a match token. A finished match stays as it is."""
        seat = AsyncClient(self.endpoint.address, token, tls=self.endpoint.tls, ca_cert=self.endpoint.ca_cert)
        try:
            await self._call(seat.matches.ResignMatch, matches_pb2.ResignMatchRequest(match_id=match_id))
        except ServiceError as error:
            if error.reason not in {*_GONE, "MATCH_OVER", "TOKEN_UNKNOWN", "TOKEN_EXPIRED"}:
                raise
        finally:
            await seat.close()

    async def release(self, match_ids: list[str], premiere_from_ms: int = 0) -> None:
        """Lets everybody see matches. Those that took at least `premiere_from_ms`, unless that is 0, are first shown to
        their end as if they were played now; see `ReleaseMatchesRequest`.
        """
        for begin in range(0, len(match_ids), _MATCHES_PER_RELEASE):
            request = matches_pb2.ReleaseMatchesRequest(
                match_ids=match_ids[begin : begin + _MATCHES_PER_RELEASE],
                premiere_from_ms=premiere_from_ms,
                premiere_lead_ms=_PREMIERE_LEAD_MS if premiere_from_ms else 0,
            )
            await self._call(self._client.matches.ReleaseMatches, request)

    async def _call(self, method: Callable[..., Awaitable[T]], request: Any) -> T:
        faults = 0
        seconds = _ANSWER_TIMEOUT_SECONDS + getattr(request, "wait_ms", 0) / 1000

        def pause_after(error: ServiceError) -> float | None:
            nonlocal faults
            faults += error.code in _FAULTS
            if not error.retryable or error.reason == _MAINTENANCE or faults >= _MAX_FAULT_TRIES:
                return None
            return error.retry_after or 0.0

        return await self._retry(lambda: method(request, timeout=seconds), pause_after)
