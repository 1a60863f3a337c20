"""MatchService: creating, following and ending matches, and their records."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from typing import Final, final

from fudaba.codec import option_to_proto, options_from_proto
from fudaba.v1 import errors_pb2, matches_pb2, matches_pb2_grpc, record_pb2
from fudaba_games.game import SALT_BYTES, SEED_BYTES
from fudaba_games.registry import game
from fudaba_games.shuffle import commitment
from fudaba_service.accounts import Accounts, Owner
from fudaba_service.archive import MATCH_ID
from fudaba_service.front.asking import DEFAULT_CLOCK, HOUR_MS, Known, fingerprint
from fudaba_service.front.guard import Context, Doorkeeper, first_of
from fudaba_service.front.pages import Pages
from fudaba_service.front.seating import Seating, check_bots_request, check_makers_matches, seating
from fudaba_service.front.verifying import Verifier
from fudaba_service.refusals import Refused
from fudaba_service.sessions import proposals
from fudaba_service.sessions.followers import Spectator
from fudaba_service.sessions.host import Host
from fudaba_service.sessions.session import Session
from fudaba_service.sessions.tables import INVITATION, Table, new_code
from fudaba_service.store import MatchGone

__all__ = ["MatchServicer"]

_WEEK_MS: Final = 7 * 24 * HOUR_MS
_TEXT: Final = 200
_LONGEST_WAIT_MS: Final = 60_000
_RELEASED: Final = 1000
_PAGES: Final = Pages("matches")
# How many matches one call looks at: a filter that fits few of them must not read the whole archive.
_LOOKED_AT: Final = 1000


@final
class MatchServicer(matches_pb2_grpc.MatchServiceServicer):
    """See matches.proto."""

    def __init__(self, host: Host, accounts: Accounts, door: Doorkeeper) -> None:
        self._host = host
        self._accounts = accounts
        self._door = door
        self._verifier = Verifier()

    async def CreateMatch(
        self, request: matches_pb2.CreateMatchRequest, context: Context
    ) -> matches_pb2.CreateMatchResponse:
        """See matches.proto."""
        caller = await self._door.known(context)
        if not caller.organiser:
            check_bots_request(request, caller)
        header, seats = await self._header(request, caller)
        seed = request.seed or secrets.token_bytes(SEED_BYTES)
        salt = secrets.token_bytes(SALT_BYTES)
        header.commitment = commitment(salt, seed, header.match_id)
        known = await self._known(header.match_id) if request.match_id else None
        if known is None:
            if not caller.organiser:
                await check_makers_matches(self._host, caller.player, seats.players)
            if not await self._create(header, seed, salt, seats, caller, request):
                known = await self._known(header.match_id)
        if known is not None:
            if not known.made_by(request, caller, header):
                raise Refused(
                    errors_pb2.REASON_MATCH_EXISTS,
                    f"there is another match with the id {header.match_id}; choose another id, or ask again as before",
                )
            await self._host.tell_again(known.header)
        response = matches_pb2.CreateMatchResponse(match=await self._host.register.match(header.match_id))
        table = None if seats.complete else await self._host.tables.find(header.match_id)
        if table is not None:
            for seat, code in enumerate(table.codes):
                if code:
                    response.invitation_codes.add(seat=seat, code=code)
        return response

    async def _create(
        self,
        header: record_pb2.MatchHeader,
        seed: bytes,
        salt: bytes,
        seats: Seating,
        caller: Owner,
        request: matches_pb2.CreateMatchRequest,
    ) -> bool:
        """Creates a match, at once or once its seats are taken; False when its id is taken."""
        if not caller.organiser:
            await self._host.store.note_made(caller.player, header.match_id)
        asked = fingerprint(request, caller, header.players)
        if seats.complete:
            return await self._host.create(header, seed, salt, asked, withheld=request.withheld)
        codes = [new_code() if kind == INVITATION else "" for kind in seats.kinds]
        deadline_ms = self._host.now_ms() + (request.join_ms or HOUR_MS)
        creator = "" if caller.organiser else caller.player
        table = Table(header, seed, salt, seats.kinds, deadline_ms, codes, creator, request.withheld, asked=asked)
        return await self._host.tables.create(table)

    async def JoinMatch(self, request: matches_pb2.JoinMatchRequest, context: Context) -> matches_pb2.JoinMatchResponse:
        """See matches.proto."""
        owner = await self._door.bot(context)
        by = request.WhichOneof("by")
        if by is None:
            raise Refused.malformed("JoinMatchRequest.by is not set; set match_id or invitation_code")
        match_id, invited = request.match_id, None
        if by == "invitation_code":
            match_id, invited = await self._host.tables.invited(request.invitation_code)
        seat = await self._host.tables.join(match_id, owner, invited)
        match = await self._host.register.match(match_id)
        if seat is None:
            seat = _seat_taken(match, owner, invited)
        return matches_pb2.JoinMatchResponse(match=_without_result(match), seat=seat)

    async def ResignMatch(
        self, request: matches_pb2.ResignMatchRequest, context: Context
    ) -> matches_pb2.ResignMatchResponse:
        """See matches.proto."""
        owner = await self._door.bot(context)
        session = await self._host.register.session_or_end(request.match_id)
        seat = session.seat_of(owner.player)
        if seat is None:
            raise Refused(errors_pb2.REASON_NOT_YOUR_MATCH, f"{owner.player} has no seat in match {request.match_id}")
        await self._host.change(session, proposals.resign(seat))
        match = await self._host.register.match(request.match_id)
        return matches_pb2.ResignMatchResponse(match=_without_result(match))

    async def GetMatch(self, request: matches_pb2.GetMatchRequest, context: Context) -> matches_pb2.GetMatchResponse:
        """See matches.proto."""
        match = await self._host.register.match(request.match_id)
        return matches_pb2.GetMatchResponse(match=await self._shown(match, context))

    async def AwaitMatch(
        self, request: matches_pb2.AwaitMatchRequest, context: Context
    ) -> matches_pb2.AwaitMatchResponse:
        """See matches.proto."""
        if request.wait_ms > _LONGEST_WAIT_MS:
            raise Refused.malformed(f"wait_ms is {request.wait_ms}; at most {_LONGEST_WAIT_MS} is allowed")
        try:
            session = await self._host.session(request.match_id)
        except MatchGone:
            await self._joined(request.match_id, request.wait_ms / 1000)  # open, archived, or unknown
        else:
            over = asyncio.Event()
            forget = session.when_over(over.set)
            with self._host.roster.call() as ended:
                try:
                    async with asyncio.timeout(request.wait_ms / 1000):
                        await first_of(over.wait(), ended)
                except TimeoutError:
                    pass  # the answer then is the match as it is
                finally:
                    forget()
        match = await self._host.register.match(request.match_id)
        return matches_pb2.AwaitMatchResponse(match=await self._shown(match, context))

    async def ListMatches(
        self, request: matches_pb2.ListMatchesRequest, context: Context
    ) -> matches_pb2.ListMatchesResponse:
        """See matches.proto."""
        if request.state not in matches_pb2.MatchState.values():
            raise Refused.malformed(f"state is {request.state}; see the enum MatchState")
        if request.game:
            game(request.game)
        listed = await self._host.register.listed()
        names = list(listed)
        organiser = await self._door.is_organiser(context)
        size = min(request.page_size or 100, 1000)
        found, token = _PAGES.page(names, _LOOKED_AT, request.page_token)
        response = matches_pb2.ListMatchesResponse(next_page_token=token)
        for name in found:
            match = await self._host.register.listed_match(listed[name])
            if match is None or request.state not in {0, match.state} or request.game not in {"", match.header.game}:
                continue
            response.matches.append(match if organiser else _without_result(match))
            if len(response.matches) == size:
                response.next_page_token = _PAGES.token(name) if name != names[-1] else ""
                break
        return response

    async def AbortMatch(
        self, request: matches_pb2.AbortMatchRequest, context: Context
    ) -> matches_pb2.AbortMatchResponse:
        """See matches.proto."""
        _check_text("message", request.message)
        caller = await self._door.known(context)
        table = await self._host.tables.find(request.match_id)
        if not caller.organiser and (table is None or table.creator != caller.player):
            raise Refused(
                errors_pb2.REASON_ORGANISER_ONLY,
                "this call needs the organiser's token, not a bot's, except to call off an open match of one's own",
            )
        if table is not None:
            cause = record_pb2.ABORT_CAUSE_ORGANISER if caller.organiser else record_pb2.ABORT_CAUSE_CALLED_OFF
            await self._host.tables.close(request.match_id, cause)
        try:
            session = await self._host.session(request.match_id)
            await self._host.change(session, proposals.abort(request.message))
        except MatchGone:
            pass  # over and archived, or unknown: `match` tells which
        return matches_pb2.AbortMatchResponse(match=await self._host.register.match(request.match_id))

    async def ReleaseMatches(
        self, request: matches_pb2.ReleaseMatchesRequest, context: Context
    ) -> matches_pb2.ReleaseMatchesResponse:
        """See matches.proto."""
        await self._door.organiser(context)
        if len(request.match_ids) > _RELEASED:
            raise Refused.malformed(f"match_ids has {len(request.match_ids)} entries; at most {_RELEASED} are allowed")
        return matches_pb2.ReleaseMatchesResponse(released=await self._host.store.release(list(request.match_ids)))

    async def WatchMatch(
        self, request: matches_pb2.WatchMatchRequest, context: Context
    ) -> AsyncIterator[matches_pb2.WatchMatchResponse]:
        """See matches.proto."""
        spectator = Spectator(request.seen)
        async for open_match in self._while_open(request.match_id, context):
            yield open_match
        session = await self._host.register.session_or_end(request.match_id)
        # In this order: a match is withheld before it exists.
        await self._check_shown(request.match_id, context)
        session.spectators.append(spectator)
        spectator.announce(session)
        with self._host.metrics.streams.labels("match").track_inprogress(), self._host.roster.call() as ended:
            try:
                while True:
                    message = await first_of(spectator.queue.get(), ended)
                    yield message
                    if spectator.lagging:
                        raise Refused(
                            errors_pb2.REASON_NOT_READING, "the stream does not read; watch again from `seen`"
                        )
                    if message.HasField("match") and session.replay.over and spectator.queue.empty():
                        return
            finally:
                session.spectators.remove(spectator)

    async def _while_open(self, match_id: str, context: Context) -> AsyncIterator[matches_pb2.WatchMatchResponse]:
        """Tells who takes the seats of a match, until all are taken. Ends the call when it is given up before."""
        told = None
        with self._host.roster.call() as ended:
            while (table := await self._host.tables.find(match_id)) is not None:
                await self._check_shown(match_id, context)
                match = matches_pb2.Match()
                table.fill_match(match)
                if match != told:
                    told = match
                    yield matches_pb2.WatchMatchResponse(match=match)
                await first_of(self._host.tables.change(match_id, _LONGEST_WAIT_MS / 1000), ended)

    async def _joined(self, match_id: str, seconds: float) -> None:
        """Waits for what becomes of a match with seats to be taken: until it begins or is given up, or time is over."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        with self._host.roster.call() as ended:
            while (left := until - loop.time()) > 0:
                table = await self._host.tables.find(match_id)
                if table is None or table.closed:
                    return
                await first_of(self._host.tables.change(match_id, left), ended)

    async def GetRecord(self, request: matches_pb2.GetRecordRequest, context: Context) -> matches_pb2.GetRecordResponse:
        """See matches.proto."""
        record = await self._host.register.record(request.match_id)
        await self._check_shown(request.match_id, context)
        return matches_pb2.GetRecordResponse(record=record)

    async def VerifyRecord(
        self, request: matches_pb2.VerifyRecordRequest, context: Context
    ) -> matches_pb2.VerifyRecordResponse:
        """See matches.proto."""
        return matches_pb2.VerifyRecordResponse(faults=await self._verifier.faults(request.record))

    async def _header(
        self, request: matches_pb2.CreateMatchRequest, caller: Owner
    ) -> tuple[record_pb2.MatchHeader, Seating]:
        """What the request fixes, checked. Refuses what cannot be played."""
        match_id = request.match_id or f"m-{secrets.token_hex(8)}"
        if not MATCH_ID.fullmatch(match_id):
            raise Refused.malformed(f"match_id {match_id[:80]!r}: 1 to 80 of a-z, A-Z, 0-9, `.`, `_` and `-`")
        _check_text("label", request.label)
        if request.seed and len(request.seed) != SEED_BYTES:
            raise Refused.malformed(f"seed has {len(request.seed)} bytes; send {SEED_BYTES}, or none for a random one")
        if request.join_ms > _WEEK_MS:
            raise Refused.malformed(
                f"join_ms is {request.join_ms}; at most {_WEEK_MS}, a week, is allowed, and 0 for an hour"
            )
        found = game(request.game)
        found.check_seats(len(request.seats or request.players))
        options = found.resolve_options(options_from_proto(request.options))
        seats = await seating(request, caller, self._accounts)
        header = record_pb2.MatchHeader(
            match_id=match_id,
            game=found.id,
            rules_version=found.rules_version,
            options={name: option_to_proto(value) for name, value in options.items()},
            players=seats.players,
            clock=_clock(request.clock) if request.HasField("clock") else DEFAULT_CLOCK,
            label=request.label,
        )
        header.create_time.FromMilliseconds(self._host.now_ms())
        return header, seats

    async def _known(self, match_id: str) -> Known | None:
        """A match that is there already."""
        table = await self._host.tables.find(match_id)
        if table is not None:
            return Known(table.header, table.seed, table.asked)
        found: Session | record_pb2.MatchRecord | None
        try:
            found = await self._host.session(match_id)
        except MatchGone:
            found = await self._host.register.archived(match_id)
        if found is None:
            return None
        return Known(found.header, found.seed, await self._host.store.asked(match_id))

    async def _shown(self, match: matches_pb2.Match, context: Context) -> matches_pb2.Match:
        """A match as the caller may see it."""
        return match if await self._door.is_organiser(context) else _without_result(match)

    async def _check_shown(self, match_id: str, context: Context) -> None:
        """Refuses all but the organiser while a match is kept back."""
        [withheld] = await self._host.store.withheld([match_id])
        if withheld and not await self._door.is_organiser(context):
            raise Refused(errors_pb2.REASON_MATCH_WITHHELD, f"match {match_id} is kept back until its block is over")


def _without_result(match: matches_pb2.Match) -> matches_pb2.Match:
    """A match without what would tell of its block's deals while it is kept back: its label, how it ended."""
    if match.withheld:
        match.header.ClearField("label")
        match.ClearField("end")
    return match


def _seat_taken(match: matches_pb2.Match, owner: Owner, invited: int | None) -> int:
    """The seat that a bot has in a match which has begun. Refuses when it has none."""
    for seat, player in enumerate(match.header.players):
        if (player.bot, player.version) == owner and invited in {None, seat}:
            return seat
    if match.HasField("end") and invited is None:
        raise Refused(errors_pb2.REASON_MATCH_OVER, f"match {match.header.match_id} is over")
    if invited is not None:
        raise Refused(errors_pb2.REASON_INVITATION_USED, "this invitation code was used by another bot")
    raise Refused(
        errors_pb2.REASON_NO_OPEN_SEAT, f"every seat of match {match.header.match_id} is taken; see the open matches"
    )


def _check_text(field: str, text: str) -> None:
    if len(text) > _TEXT:
        raise Refused.malformed(f"{field} has {len(text)} characters; at most {_TEXT} are allowed")


def _clock(clock: record_pb2.Clock) -> record_pb2.Clock:
    if not 1 <= clock.move_ms <= HOUR_MS:
        raise Refused.malformed(f"clock.move_ms is {clock.move_ms}; 1 to {HOUR_MS} is allowed")
    for field in ("increment_ms", "bank_ms", "start_ms"):
        if getattr(clock, field) > HOUR_MS:
            raise Refused.malformed(f"clock.{field} is {getattr(clock, field)}; at most {HOUR_MS} is allowed")
    return clock
