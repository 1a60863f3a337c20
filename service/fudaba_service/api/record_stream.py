"""Sends many records at once, for MatchService.StreamRecords."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Final, final

from fudaba.v1 import errors_pb2, matches_pb2, record_pb2
from fudaba_service.archive import DamagedRecord, IndexQuery, listed_as
from fudaba_service.refusals import Refused
from fudaba_service.sessions.host import Host
from fudaba_service.sessions.listing import Viewer, showing_to
from fudaba_service.sessions.replays import Payer
from fudaba_serving.grpc.pages import Pages

__all__ = ["PAGES", "RecordStream"]

log = logging.getLogger(__name__)

PAGES: Final = Pages("records")
_MAX_RECORDS_PER_CALL: Final = 1000
"""The number of records that one call sends. The call pays for them when it arrives."""
_MATCHES_PER_PAGE: Final = 100
_EVENTS_PER_PAGE: Final = 200
"""The number of events, sent at once, that cost as much as a page of the list, or as a record beyond those of a full
call.
"""
_NO_RECORD: Final = frozenset({
    errors_pb2.REASON_MATCH_NOT_FOUND, errors_pb2.REASON_MATCH_EXPIRED, errors_pb2.REASON_MATCH_NOT_OVER,
    errors_pb2.REASON_MATCH_OPEN, errors_pb2.REASON_MATCH_OVER,
})  # fmt: skip


@final
class RecordStream:
    """The records that one call sends: of finished matches that the caller may see."""

    def __init__(self, host: Host, viewer: Viewer, payer: Payer) -> None:
        self._host = host
        self._payer = payer
        self._viewer = viewer

    async def named(self, match_ids: list[str]) -> AsyncIterator[matches_pb2.StreamRecordsResponse]:
        """Finds the matches with these ids. Refuses more than a call may send."""
        if len(match_ids) > _MAX_RECORDS_PER_CALL:
            raise Refused.malformed(
                f"match_ids has {len(match_ids)} entries; at most {_MAX_RECORDS_PER_CALL} are allowed"
            )
        for match_id in match_ids:
            record = await self._record(match_id)
            if record is not None:
                yield matches_pb2.StreamRecordsResponse(record=record)

    async def wanted(
        self, wanted: IndexQuery, after: str, until: str
    ) -> AsyncIterator[matches_pb2.StreamRecordsResponse]:
        """Finds the wanted matches between two places of lists, at most as many as a call may send."""
        sent, pages = 0, 0
        while True:
            pages += 1
            if pages > _MAX_RECORDS_PER_CALL // _MATCHES_PER_PAGE:
                self._payer.charge(_EVENTS_PER_PAGE)  # of many that are left out
            matches, last = await self._host.listing.page(wanted, after, until, _MATCHES_PER_PAGE, self._viewer)
            for match in matches:
                record = await self._record(match.header.match_id) if _is_over(match) else None
                if record is None:
                    continue
                after = listed_as(match.header.match_id, match.header.create_time.ToMilliseconds())
                end = not last and match is matches[-1]
                yield matches_pb2.StreamRecordsResponse(
                    record=record, next_page_token="" if end else PAGES.token(after)
                )
                sent += 1
                if sent == _MAX_RECORDS_PER_CALL:
                    return
            if not last:
                return
            after = last

    async def _record(self, match_id: str) -> record_pb2.MatchRecord | None:
        """Returns a record that the caller may see; None if the match has none or is hidden."""
        try:
            record = await self._host.register.record(match_id)
        except Refused as refused:
            if refused.reason in _NO_RECORD:
                return None
            if isinstance(refused.__cause__, DamagedRecord):
                log.warning("left out of many: %s", refused)
                return None
            raise
        # In this order: a match is hidden before it exists.
        showing = await showing_to(self._viewer, self._host.store, record.header)
        return None if showing.hidden else record


def _is_over(match: matches_pb2.Match) -> bool:
    return match.state in {matches_pb2.MATCH_STATE_FINISHED, matches_pb2.MATCH_STATE_ABORTED}
