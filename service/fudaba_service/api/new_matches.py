"""Creates matches, one or many at a time: checks, counts and stores the fixed part of each request."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from typing import Final, NamedTuple, final

from fudaba.codec import option_to_proto, options_from_proto
from fudaba.v1 import errors_pb2, matches_pb2, record_pb2
from fudaba_games.game import SALT_BYTES, SEED_BYTES
from fudaba_games.registry import game
from fudaba_games.shuffle import commitment
from fudaba_service.accounts.bots import Bots
from fudaba_service.accounts.invitation_codes import new_code
from fudaba_service.accounts.limits import Limits
from fudaba_service.accounts.owner import Owner
from fudaba_service.api.casual_play import CasualMatches
from fudaba_service.api.guard import refusal_for
from fudaba_service.api.idempotency import DEFAULT_CLOCK, HOUR_MS, ExistingMatch, request_fingerprint
from fudaba_service.api.quota import (
    count_new_match,
    give_back,
    give_back_for_account,
    reserve,
    reserve_for_account,
    reserve_record,
)
from fudaba_service.api.seat_requests import NewSeats, check_bots_request, seating
from fudaba_service.api.showing import check_hidden
from fudaba_service.archive import NEW_MATCH_ID
from fudaba_service.refusals import Refused, check_text, store_full
from fudaba_service.sessions.host import Host
from fudaba_service.sessions.match_copy import MatchCopy
from fudaba_service.sessions.open_matches import INVITATION, OpenMatch
from fudaba_service.store import MatchGone

__all__ = ["NewMatches"]

_WEEK_MS: Final = 7 * 24 * HOUR_MS
_MAX_TEXT_CHARS: Final = 200
_MAX_MATCHES_PER_CALL: Final = 100
"""The number of matches that one call may create. The contract states it."""
_MATCHES_PER_BATCH: Final = 10
"""The number of matches that share their round trips to the store. Other work gets its turn between two groups."""


@final
class _Planned(NamedTuple):
    """A match to be created."""

    request: matches_pb2.CreateMatchRequest
    caller: Owner
    header: record_pb2.MatchHeader
    seats: NewSeats
    seed: bytes
    salt: bytes
    joined_by_ms: int
    """The time by which its seats must be taken, in ms."""

    @property
    def match_id(self) -> str:
        """The id."""
        return self.header.match_id


@final
class NewMatches:
    """See the module."""

    def __init__(self, host: Host, limits: Limits, bots: Bots) -> None:
        self._host = host
        self._limits = limits
        self._bots = bots
        self._casual = CasualMatches(host, bots)

    async def create_all(
        self, requests: Sequence[matches_pb2.CreateMatchRequest], caller: Owner
    ) -> list[matches_pb2.CreateMatchesResult]:
        """Handles requests as if they came one after the other. Refuses an empty list, and too many requests."""
        if not 1 <= len(requests) <= _MAX_MATCHES_PER_CALL:
            raise Refused.malformed(f"requests has {len(requests)} entries; 1 to {_MAX_MATCHES_PER_CALL} are allowed")
        # A caller with quotas is counted match by match, and so is refused in the order of the requests.
        together = _MATCHES_PER_BATCH if caller.organises else 1
        results: list[matches_pb2.CreateMatchesResult] = []
        while len(results) < len(requests):
            group = _with_distinct_ids(requests[len(results) : len(results) + together])
            results += await asyncio.gather(*[self._result(request, caller) for request in group])
        return results

    async def _result(self, request: matches_pb2.CreateMatchRequest, caller: Owner) -> matches_pb2.CreateMatchesResult:
        try:
            return matches_pb2.CreateMatchesResult(created=await self.create(request, caller))
        except Exception as error:  # noqa: BLE001  # a fault in one match must not hide the outcome of the others
            refused = refusal_for(error)
        self._host.metrics.refusals.labels(refused.name).inc()
        refusal = matches_pb2.CreateMatchRefusal(
            reason=refused.name, code=refused.code, message=str(refused), metadata=refused.metadata
        )
        return matches_pb2.CreateMatchesResult(refusal=refusal)

    async def create(self, request: matches_pb2.CreateMatchRequest, caller: Owner) -> matches_pb2.CreateMatchResponse:
        """Creates a match, or finds the one that the same request created before."""
        if not caller.organises:
            check_bots_request(request, caller)
        planned = await self._planned(request, caller)
        known = await self._known(planned.match_id) if request.match_id else None
        if known is None and await self._create(planned):
            held = self._host.live.held(planned.match_id)  # by its house bots
            if planned.seats.complete and held is None:
                return _waiting(planned)
        else:
            await self._repeat(planned, known or await self._known(planned.match_id))
        return await self._found(planned)

    async def _planned(self, request: matches_pb2.CreateMatchRequest, caller: Owner) -> _Planned:
        header, seats = await self._header(request, caller)
        seed = request.seed or secrets.token_bytes(SEED_BYTES)
        salt = secrets.token_bytes(SALT_BYTES)
        header.commitment = commitment(salt, seed, header.match_id)
        joined_by_ms = self._host.store.now_ms() + (0 if seats.complete else request.join_ms or HOUR_MS)
        return _Planned(request, caller, header, seats, seed, salt, joined_by_ms)

    async def _repeat(self, planned: _Planned, known: ExistingMatch | None) -> None:
        """Completes what the first attempt may have left undone. Refuses a request that is not a repetition."""
        if known is None:
            return  # a match that has gone took the id just now; the next request for the id says so
        if not known.made_by(planned.request, planned.caller, planned.header):
            raise Refused(
                errors_pb2.REASON_MATCH_EXISTS,
                f"there is another match with the id {planned.match_id}; choose another id, or ask again as before",
            )
        if not await self._host.open_matches.find(planned.match_id):
            # The first try may have come no further than the store.
            await self._host.creation.offer_again(known.header)

    async def _found(self, planned: _Planned) -> matches_pb2.CreateMatchResponse:
        """Returns the message about a match that exists."""
        match_id = planned.match_id
        response = matches_pb2.CreateMatchResponse(match=await self._host.register.match(match_id))
        open_match = None if planned.seats.complete else await self._host.open_matches.find(match_id)
        if open_match is not None:
            for seat, code in enumerate(open_match.codes):
                if code:
                    response.invitation_codes.add(seat=seat, code=code)
        return response

    async def _create(self, planned: _Planned) -> bool:
        """Creates a match. Returns False if its id is taken. Refuses a bot or an account that has created too many."""
        await self._host.maintenance.check_may_create()
        if not self._host.store.takes_matches:
            raise store_full(
                "the store is nearly full, and its last memory is kept for the existing matches: nothing was created, "
                "try again later; the service's operator can give Redis more memory (maxmemory)"
            )
        caller, match_id = planned.caller, planned.match_id
        account = "" if caller.organises else caller.account
        reserved = counted = created = False
        casual: list[str] = []
        limits = None if caller.organises else await self._limits.for_account(account)
        if account and limits is not None:
            counted = await reserve_for_account(self._host, account, match_id, limits.unfinished_matches)
        try:
            reserved = not caller.organises and await reserve(
                self._host, caller.player, planned.header, planned.joined_by_ms
            )
            if limits is not None:
                casual = await self._casual.reserve(planned.header, caller)
                if account:
                    await reserve_record(self._host, account, match_id, limits.records)
                await count_new_match(self._host, caller, limits.matches_per_hour)
            created = await self._begin(planned)
        except Refused:
            await self._give_back(planned, casual, reserved=reserved, counted=counted)
            raise
        if not created:
            known = await self._known(match_id)
            if known is None or not known.made_by(planned.request, caller, planned.header):
                await self._give_back(planned, casual, reserved=reserved, counted=counted)
        return created

    async def _give_back(self, planned: _Planned, casual: list[str], *, reserved: bool, counted: bool) -> None:
        """Gives back the quotas of a match that was not created. `casual` has the places that casual play took."""
        await self._casual.give_back(planned.match_id, casual)
        if reserved:
            await give_back(self._host, planned.caller.player, planned.header)
        if counted:
            await give_back_for_account(self._host, planned.caller.account, planned.match_id)

    async def _begin(self, planned: _Planned) -> bool:
        """Creates a match, at once or when its seats are taken. Returns False if its id is taken."""
        request, caller, header, seats, seed, salt, joined_by_ms = planned
        fingerprint = request_fingerprint(request, caller, header.players)
        if seats.complete:
            return await self._host.creation.create(
                header,
                seed,
                salt,
                fingerprint,
                hidden=request.hidden,
                delay_ms=request.show_delay_ms,
                concealed=request.concealed,
            )
        codes = [new_code() if kind == INVITATION else "" for kind in seats.kinds]
        creator = "" if caller.organises else caller.player
        open_match = OpenMatch(
            header, seed, salt, seats.kinds, joined_by_ms, codes, creator, request.hidden, fingerprint=fingerprint
        )
        return await self._host.open_matches.create(open_match, request.show_delay_ms)

    async def _header(
        self, request: matches_pb2.CreateMatchRequest, caller: Owner
    ) -> tuple[record_pb2.MatchHeader, NewSeats]:
        """Reads and checks the fixed part of a request. Refuses a match that cannot be played."""
        match_id = request.match_id or f"m-{secrets.token_hex(8)}"
        if not NEW_MATCH_ID.fullmatch(match_id):
            raise Refused.malformed(
                f"match_id {match_id[:80]!r}: 1 to 80 of a-z, A-Z, 0-9, `.`, `_` and `-`, of which the first is a "
                "letter or a digit"
            )
        check_text("label", request.label, _MAX_TEXT_CHARS)
        if request.seed and len(request.seed) != SEED_BYTES:
            raise Refused.malformed(f"seed has {len(request.seed)} bytes; send {SEED_BYTES}, or none for a random one")
        if request.join_ms > _WEEK_MS:
            raise Refused.malformed(
                f"join_ms is {request.join_ms}; at most {_WEEK_MS}, a week, is allowed, and 0 for an hour"
            )
        check_hidden(request)
        found = game(request.game)
        found.check_seats(len(request.seats or request.players))
        options = found.resolve_options(options_from_proto(request.options))
        seats = await seating(request, caller, self._bots)
        for field in ("names_hidden", "concealed"):
            if getattr(request, field) and not seats.complete:
                raise Refused.malformed(f"{field} is set, but a seat is open: name the bot of every seat")
        header = record_pb2.MatchHeader(
            match_id=match_id,
            game=found.id,
            rules_version=found.rules_version,
            options={name: option_to_proto(value) for name, value in options.items()},
            players=seats.players,
            clock=_clock(request.clock) if request.HasField("clock") else DEFAULT_CLOCK,
            label=request.label,
            # A bot that invites another one plays with it, and does not pass before all others.
            unlisted=request.unlisted or (not caller.organises and INVITATION in seats.kinds),
            names_hidden=request.names_hidden,
        )
        header.create_time.FromMilliseconds(self._host.store.now_ms())
        return header, seats

    async def _known(self, match_id: str) -> ExistingMatch | None:
        """Returns an existing match."""
        open_match = await self._host.open_matches.find(match_id)
        if open_match is not None:
            return ExistingMatch(open_match.header, open_match.seed, open_match.fingerprint)
        found: MatchCopy | record_pb2.MatchRecord | None
        try:
            found = (await self._host.live.session(match_id)).copy
        except MatchGone:
            found = await self._host.register.archived(match_id)
        if found is None:
            await self._host.register.refuse_expired(match_id)
            return None
        return ExistingMatch(found.header, found.seed, await self._host.store.matches.fingerprint(match_id))


def _waiting(planned: _Planned) -> matches_pb2.CreateMatchResponse:
    """Returns the message about a match that was just created, without asking the store."""
    match = matches_pb2.Match(
        header=planned.header,
        state=matches_pb2.MATCH_STATE_WAITING,
        hidden=planned.request.hidden,
        show_delay_ms=planned.request.show_delay_ms,
    )
    return matches_pb2.CreateMatchResponse(match=match)


def _with_distinct_ids(requests: Sequence[matches_pb2.CreateMatchRequest]) -> list[matches_pb2.CreateMatchRequest]:
    """Returns the first requests up to one that repeats an earlier id, which must find that match."""
    found: list[matches_pb2.CreateMatchRequest] = []
    for request in requests:
        if request.match_id and any(request.match_id == other.match_id for other in found):
            break
        found.append(request)
    return found


def _clock(clock: record_pb2.Clock) -> record_pb2.Clock:
    if not 1 <= clock.move_ms <= HOUR_MS:
        raise Refused.malformed(f"clock.move_ms is {clock.move_ms}; 1 to {HOUR_MS} is allowed")
    for field in ("increment_ms", "bank_ms", "start_ms"):
        if getattr(clock, field) > HOUR_MS:
            raise Refused.malformed(f"clock.{field} is {getattr(clock, field)}; at most {HOUR_MS} is allowed")
    return clock
