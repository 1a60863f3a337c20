"""MatchService: creating, following and ending matches, and their records."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, Final, final

from fudaba.v1 import errors_pb2, matches_pb2, matches_pb2_grpc, record_pb2
from fudaba_service.accounts.bots import Bots
from fudaba_service.accounts.limits import Limits
from fudaba_service.accounts.owner import Owner
from fudaba_service.api.guard import Context, Doorkeeper, first_of
from fudaba_service.api.match_filter import match_filter
from fudaba_service.api.move_trials import MoveTrials
from fudaba_service.api.new_matches import NewMatches
from fudaba_service.api.notes import own_notes
from fudaba_service.api.own_reach import CallersView
from fudaba_service.api.record_stream import PAGES as RECORD_PAGES
from fudaba_service.api.record_stream import RecordStream
from fudaba_service.api.showing import MatchShowing, hidden_match
from fudaba_service.api.tags import MatchTags
from fudaba_service.api.verifying import Verifier
from fudaba_service.api.watch_limits import Watchers
from fudaba_service.refusals import Refused, check_text
from fudaba_service.sessions import proposals
from fudaba_service.sessions.followers import Spectator
from fudaba_service.sessions.hidden_matches import no_match
from fudaba_service.sessions.host import Host
from fudaba_service.sessions.listing import show_own, showing_to, shown_to
from fudaba_service.sessions.open_matches import OpenMatch
from fudaba_service.sessions.submitting import change
from fudaba_service.store import MatchGone
from fudaba_serving.grpc.pages import Pages

__all__ = ["MatchServicer"]

_MAX_TEXT_CHARS: Final = 200
_MAX_WAIT_MS: Final = 60_000
_PAGES: Final = Pages("matches")


@final
class MatchServicer(matches_pb2_grpc.MatchServiceServicer):
    """See matches.proto."""

    def __init__(self, host: Host, limits: Limits, bots: Bots, door: Doorkeeper, watchers: Watchers) -> None:
        self._host = host
        self._new_matches = NewMatches(host, limits, bots)
        self._bots = bots
        self._door = door
        self._watchers = watchers
        self._verifier = Verifier()
        self._trials = MoveTrials(host)
        self._tags = MatchTags(host, bots)
        self._showing = MatchShowing(host)

    async def CreateMatch(
        self, request: matches_pb2.CreateMatchRequest, context: Context
    ) -> matches_pb2.CreateMatchResponse:
        """See matches.proto."""
        return await self._new_matches.create(request, await self._door.known(context))

    async def CreateMatches(
        self, request: matches_pb2.CreateMatchesRequest, context: Context
    ) -> matches_pb2.CreateMatchesResponse:
        """See matches.proto."""
        results = await self._new_matches.create_all(request.requests, await self._door.known(context))
        return matches_pb2.CreateMatchesResponse(results=results)

    async def JoinMatch(self, request: matches_pb2.JoinMatchRequest, context: Context) -> matches_pb2.JoinMatchResponse:
        """See matches.proto."""
        owner = await self._door.known(context)
        by = request.WhichOneof("by")
        if by is None:
            raise Refused.malformed("JoinMatchRequest.by is not set; set match_id or invitation_code")
        match_id, invited = request.match_id, None
        if by == "invitation_code":
            match_id, invited = await self._host.open_matches.invited(request.invitation_code)
        await self._check_found(match_id, context)
        seat = await self._host.open_matches.join(match_id, owner.bot_version, invited)
        match = await self._host.register.match(match_id)
        if seat is None:
            seat = _seat_taken(match, owner, invited)
        return matches_pb2.JoinMatchResponse(match=await shown_to(await self._viewer(context), match), seat=seat)

    async def ResignMatch(
        self, request: matches_pb2.ResignMatchRequest, context: Context
    ) -> matches_pb2.ResignMatchResponse:
        """See matches.proto."""
        owner = await self._door.known(context)
        session, seat = await self._host.register.seat(request.match_id, owner, self._door.payer)
        await change(session, proposals.resign(seat))
        match = await self._host.register.match(request.match_id)
        return matches_pb2.ResignMatchResponse(match=await shown_to(await self._viewer(context), match))

    async def GetMatch(self, request: matches_pb2.GetMatchRequest, context: Context) -> matches_pb2.GetMatchResponse:
        """See matches.proto."""
        await self._check_found(request.match_id, context)
        match = await self._host.register.match(request.match_id)
        return matches_pb2.GetMatchResponse(match=await self._shown(match, context))

    async def AwaitMatch(
        self, request: matches_pb2.AwaitMatchRequest, context: Context
    ) -> matches_pb2.AwaitMatchResponse:
        """See matches.proto."""
        if request.wait_ms > _MAX_WAIT_MS:
            raise Refused.malformed(f"wait_ms is {request.wait_ms}; at most {_MAX_WAIT_MS} is allowed")
        await self._check_found(request.match_id, context)
        try:
            session = await self._host.register.current(request.match_id)
        except MatchGone:
            await self._joined(request.match_id, request.wait_ms / 1000, context)  # open, archived, or unknown
        else:
            over = asyncio.Event()
            async with self._waiting(context) as ended:
                forget = session.audience.when_over(over.set)
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
        wanted, after, until = await match_filter(request, await self._door.owner(context), self._bots)
        if request.page_token:
            after = max(after, _PAGES.place(request.page_token))
        viewer = await self._viewer(context)
        matches, last = await self._host.listing.page(wanted, after, until, _PAGES.size(request.page_size), viewer)
        await self._tags.show(matches, await self._door.owner(context))
        return matches_pb2.ListMatchesResponse(matches=matches, next_page_token=_PAGES.token(last) if last else "")

    async def AbortMatch(
        self, request: matches_pb2.AbortMatchRequest, context: Context
    ) -> matches_pb2.AbortMatchResponse:
        """See matches.proto."""
        check_text("message", request.message, _MAX_TEXT_CHARS)
        caller = await self._door.known(context)
        open_match = await self._host.open_matches.find(request.match_id)
        if not caller.organises and (open_match is None or not await self._created(caller, open_match)):
            raise Refused(
                errors_pb2.REASON_ORGANISER_ONLY,
                "this call needs the organiser's token, not a bot's; a bot may only call off open matches of its own",
            )
        if open_match is not None:
            cause = record_pb2.ABORT_CAUSE_ORGANISER if caller.organises else record_pb2.ABORT_CAUSE_CALLED_OFF
            await self._host.open_matches.close(request.match_id, cause)
        try:
            session = await self._host.live.session(request.match_id)
            await change(session, proposals.abort(request.message))
        except MatchGone:
            pass  # over and archived, or unknown: `match` tells which
        return matches_pb2.AbortMatchResponse(match=await self._host.register.match(request.match_id))

    async def _created(self, caller: Owner, open_match: OpenMatch) -> bool:
        """Returns whether the caller, or a bot of the caller's account, created a match."""
        if caller.plays or not open_match.creator:
            return open_match.creator == caller.player
        return await self._bots.account_of(open_match.creator.partition("/")[0]) == caller.account

    async def ReleaseMatches(
        self, request: matches_pb2.ReleaseMatchesRequest, context: Context
    ) -> matches_pb2.ReleaseMatchesResponse:
        """See matches.proto."""
        return matches_pb2.ReleaseMatchesResponse(released_count=await self._showing.release(request))

    async def WatchMatch(self, request: matches_pb2.WatchMatchRequest, context: Context) -> AsyncIterator[Any]:
        """See matches.proto."""
        owner, payer = await self._door.owner(context), self._door.payer
        with self._watchers.counted(owner, self._door.address(context)) as watch:
            await self._check_found(request.match_id, context)
            async for open_match in self._while_open(request.match_id, context):
                yield open_match
            session = await self._host.register.session_or_end(request.match_id, payer)
            # In this order: a match is hidden before it exists.
            showing = await showing_to(await self._viewer(context), self._host.store, session.copy.header)
            if showing.hidden and not showing.delay_ms:
                raise hidden_match(request.match_id)
            payer.charge(len(session.copy.replay.match.shown(None)) - request.seen)
            async with self._waiting(context) as ended:
                if showing.hidden:
                    with self._host.metrics.streams.labels("match").track_inprogress():
                        shown = self._showing.shown_later(session, showing, request.seen, watch, ended)
                        async with aclosing(shown):
                            async for raw in shown:
                                yield raw
                    return
                ended.add_done_callback(lambda end: watch.end(end.result()))
                spectator = Spectator(request.seen, watch.wake)
                session.audience.watch(spectator)
                try:
                    with self._host.metrics.streams.labels("match").track_inprogress():
                        while True:
                            message = await watch.next_message(lambda: session.audience.tell_spectator(spectator))
                            yield message.raw
                            if message.last and session.copy.is_over:
                                return
                finally:
                    session.audience.unwatch(spectator)

    async def _while_open(self, match_id: str, context: Context) -> AsyncIterator[matches_pb2.WatchMatchResponse]:
        """Reports each bot that takes a seat of a match, until all are taken. Ends the call if the match is given up
        before that.
        """
        last_match = None
        async with self._waiting(context) as ended:
            while (open_match := await self._host.open_matches.find(match_id)) is not None:
                match = matches_pb2.Match()
                open_match.fill_match(match)
                await self._check_shown(match.header, context)
                if match != last_match:
                    last_match = match
                    yield matches_pb2.WatchMatchResponse(match=match)
                await first_of(self._host.open_matches.change(match_id, _MAX_WAIT_MS / 1000), ended)

    async def _joined(self, match_id: str, seconds: float, context: Context) -> None:
        """Waits until a match with open seats begins or is given up, or until the time is over."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        async with self._waiting(context) as ended:
            while (left := until - loop.time()) > 0:
                open_match = await self._host.open_matches.find(match_id)
                if open_match is None or open_match.closed:
                    return
                await first_of(self._host.open_matches.change(match_id, left), ended)

    async def GetRecord(self, request: matches_pb2.GetRecordRequest, context: Context) -> matches_pb2.GetRecordResponse:
        """See matches.proto."""
        await self._check_found(request.match_id, context)
        record = await self._host.register.record(request.match_id)
        await self._check_shown(record.header, context)
        return matches_pb2.GetRecordResponse(record=record)

    async def StreamRecords(
        self, request: matches_pb2.StreamRecordsRequest, context: Context
    ) -> AsyncIterator[matches_pb2.StreamRecordsResponse]:
        """See matches.proto."""
        records = RecordStream(self._host, await self._viewer(context), self._door.payer)
        if request.match_ids:
            if len(request.ListFields()) > 1:
                raise Refused.malformed("match_ids is set, so no other field may be")
            sent = records.named(list(request.match_ids))
        else:
            wanted, after, until = await match_filter(request, await self._door.owner(context), self._bots)
            if request.page_token:
                after = max(after, RECORD_PAGES.place(request.page_token))
            sent = records.wanted(wanted, after, until)
        async with self._waiting(context) as ended:
            while (response := await first_of(anext(sent, None), ended)) is not None:
                yield response

    async def StreamPositions(
        self, request: matches_pb2.StreamPositionsRequest, context: Context
    ) -> AsyncIterator[Any]:
        """See matches.proto."""
        owner, payer = await self._door.owner(context), self._door.payer
        with self._watchers.counted(owner, self._door.address(context)) as watch:
            await self._check_found(request.match_id, context)
            record = await self._host.register.record(request.match_id)
            await self._check_shown(record.header, context)
            seat, seats = request.seat if request.HasField("seat") else None, len(record.header.players)
            if seat is not None and seat >= seats:
                raise Refused.malformed(f"seat is {seat}; match {request.match_id} has {seats} seats, from 0")
            responses = await self._host.register.replays.positions(record, seat, payer)
            payer.charge(len(record.log))
            for response in responses:
                yield await watch.pass_on(response)

    async def TryMoves(self, request: matches_pb2.TryMovesRequest, context: Context) -> matches_pb2.TryMovesResponse:
        """See matches.proto."""
        await self._check_found(request.match_id, context)
        record = await self._host.register.record(request.match_id)
        await self._check_shown(record.header, context)
        return await self._trials.after(request, record, self._door.payer)

    async def GetInvitation(
        self, request: matches_pb2.GetInvitationRequest, context: Context
    ) -> matches_pb2.GetInvitationResponse:
        """See matches.proto."""
        match_id, seat = await self._host.open_matches.invited(request.invitation_code)
        open_match = await self._host.open_matches.find(match_id)
        match = await self._shown(await self._host.register.match(match_id), context)
        taken = match.header.players[seat].bot != ""  # also of one that was given up: its state says that
        inviter = "" if open_match is None else open_match.creator.partition("/")[0]
        return matches_pb2.GetInvitationResponse(match=match, seat=seat, taken=taken, inviter=inviter)

    async def GetNotes(self, request: matches_pb2.GetNotesRequest, context: Context) -> matches_pb2.GetNotesResponse:
        """See matches.proto."""
        await self._check_found(request.match_id, context)
        match = await self._host.register.match(request.match_id)
        await self._check_shown(match.header, context)
        return await own_notes(self._host, self._bots, await self._door.known(context), match)

    async def SetMatchTags(
        self, request: matches_pb2.SetMatchTagsRequest, context: Context
    ) -> matches_pb2.SetMatchTagsResponse:
        """See matches.proto."""
        await self._check_found(request.match_id, context)
        match = await self._host.register.match(request.match_id)
        await self._check_shown(match.header, context)
        await self._tags.put(match, request.tags, await self._door.known(context))
        await show_own(match, await self._viewer(context), self._host.store)
        return matches_pb2.SetMatchTagsResponse(match=match)

    async def VerifyRecord(
        self, request: matches_pb2.VerifyRecordRequest, context: Context
    ) -> matches_pb2.VerifyRecordResponse:
        """See matches.proto."""
        return matches_pb2.VerifyRecordResponse(faults=await self._verifier.faults(request.record))

    @asynccontextmanager
    async def _waiting(self, context: Context) -> AsyncIterator[asyncio.Future[Refused]]:
        """Counts a call that waits for news. The future's result is the reason for its end, such as the end of its
        token.
        """
        owner = await self._door.owner(context)
        with self._host.roster.call(owner, lambda: self._door.recheck(context)) as ended:
            # The token may have been revoked before this call was known to be there.
            await self._door.recheck(context)
            yield ended

    async def _shown(self, match: matches_pb2.Match, context: Context) -> matches_pb2.Match:
        """Returns a match as the caller may see it."""
        viewer = await self._viewer(context)
        await self._tags.show([match], await self._door.owner(context))
        await show_own(match, viewer, self._host.store)
        return await shown_to(viewer, match)

    async def _check_found(self, match_id: str, context: Context) -> None:
        """Refuses those who do not find a concealed match, as if it did not exist."""
        [showing] = await self._host.store.index.showings([match_id])
        viewer = await self._viewer(context)
        if showing.concealed and not viewer.sees_all:
            match = await self._host.register.match(match_id)
            if not await viewer.own_seats(match.header):
                raise no_match(match_id)

    async def _check_shown(self, header: record_pb2.MatchHeader, context: Context) -> None:
        """Refuses those to whom a match is hidden."""
        if (await showing_to(await self._viewer(context), self._host.store, header)).hidden:
            raise hidden_match(header.match_id)

    async def _viewer(self, context: Context) -> CallersView:
        return CallersView(self._bots, await self._door.owner(context))


def _seat_taken(match: matches_pb2.Match, owner: Owner, invited: int | None) -> int:
    """Returns a bot's seat in a match that has begun. Refuses if it has none."""
    for seat, player in enumerate(match.header.players):
        if (player.bot, player.version) == owner.bot_version and invited in {None, seat}:
            return seat
    if match.HasField("end") and invited is None:
        raise Refused(errors_pb2.REASON_MATCH_OVER, f"match {match.header.match_id} is over")
    if invited is not None:
        raise Refused(errors_pb2.REASON_INVITATION_USED, "this invitation code was used by another bot")
    raise Refused(
        errors_pb2.REASON_NO_OPEN_SEAT, f"every seat of match {match.header.match_id} is taken; see the open matches"
    )
