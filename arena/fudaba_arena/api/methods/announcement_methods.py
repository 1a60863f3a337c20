"""The methods of ArenaService about announcements: see arena.proto."""

from __future__ import annotations

import re
import secrets
import time
from typing import Final, final

from fudaba.refusals import Refused
from fudaba.safe_text import fault_of
from fudaba.v1 import arena_pb2, errors_pb2
from fudaba_arena.api.actions import found_unchanged
from fudaba_arena.api.checks.finder import Finder
from fudaba_arena.api.guard import Context
from fudaba_arena.store.announcements.announcements import (
    MAX_ANNOUNCEMENTS_PER_DAY,
    Announcement,
    AnnouncementIdTaken,
    Announcements,
    TooManyAnnouncements,
)
from fudaba_serving.grpc.pages import Pages

__all__ = ["MAX_ANNOUNCEMENT_BYTES", "AnnouncementMethods"]

MAX_ANNOUNCEMENT_BYTES: Final = 2_000
"""The largest size of an announcement in UTF-8."""
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,24}")
_ID_BYTES: Final = 8
_PAGES: Final = Pages("announcements")


@final
class AnnouncementMethods:
    """The methods about announcements. arena.proto describes each of them."""

    def __init__(self, announcements: Announcements, finder: Finder) -> None:
        self._announcements = announcements
        self._finder = finder

    async def CreateAnnouncement(
        self, request: arena_pb2.CreateAnnouncementRequest, context: Context
    ) -> arena_pb2.CreateAnnouncementResponse:
        """See arena.proto."""
        _check_request(request)
        if request.ladder:
            await self._finder.newest_season(request.ladder)
        announcement_id = request.announcement_id or secrets.token_hex(_ID_BYTES)
        wanted = Announcement(announcement_id, request.ladder, request.text, int(time.time() * 1000))
        try:
            made = await self._announcements.create(wanted)
        except AnnouncementIdTaken:
            raise _exists(announcement_id) from None
        except TooManyAnnouncements as error:
            seconds = max(1.0, (error.retry_ms - wanted.at_ms) / 1000)
            raise Refused.quota(
                "announcements a day", MAX_ANNOUNCEMENTS_PER_DAY, "the arena", "come back later", seconds
            ) from None
        if (made.ladder, made.text) != (wanted.ladder, wanted.text):
            raise _exists(announcement_id)
        if made != wanted:
            found_unchanged()
        return arena_pb2.CreateAnnouncementResponse(announcement=_message(made))

    async def WithdrawAnnouncement(
        self, request: arena_pb2.WithdrawAnnouncementRequest, context: Context
    ) -> arena_pb2.WithdrawAnnouncementResponse:
        """See arena.proto."""
        withdrawn = await self._announcements.withdraw(request.announcement_id)
        if withdrawn is None:
            raise Refused(
                errors_pb2.REASON_ANNOUNCEMENT_NOT_FOUND,
                f"there is no announcement {request.announcement_id!r}; `fudaba ladder announcements` lists them",
            )
        return arena_pb2.WithdrawAnnouncementResponse(announcement=_message(withdrawn))

    async def ListAnnouncements(
        self, request: arena_pb2.ListAnnouncementsRequest, context: Context
    ) -> arena_pb2.ListAnnouncementsResponse:
        """See arena.proto."""
        if request.ladder:
            await self._finder.newest_season(request.ladder)
        shown = {
            f"{2**53 - made.at_ms:020d}:{made.announcement_id}": made
            for made in await self._announcements.newest_first()
            if not request.ladder or made.ladder in {"", request.ladder}
        }
        page, following = _PAGES.page(sorted(shown), request.page_size, request.page_token)
        return arena_pb2.ListAnnouncementsResponse(
            announcements=[_message(shown[place]) for place in page], next_page_token=following
        )


def _check_request(request: arena_pb2.CreateAnnouncementRequest) -> None:
    """Refuses an id or a text that no announcement may have."""
    if request.announcement_id and not _ID.fullmatch(request.announcement_id):
        raise Refused.malformed("announcement_id is 1 to 24 of a-z, A-Z, 0-9, '_' and '-'; leave it empty to get one")
    if not request.text.strip():
        raise Refused.malformed("text is empty; write the announcement")
    size = len(request.text.encode())
    if size > MAX_ANNOUNCEMENT_BYTES:
        raise Refused.malformed(f"text has {size} bytes; an announcement has at most {MAX_ANNOUNCEMENT_BYTES}")
    for number, line in enumerate(request.text.split("\n"), 1):
        if fault := fault_of(line):
            raise Refused.malformed(f"line {number} of text: {fault}")


def _exists(announcement_id: str) -> Refused:
    return Refused(
        errors_pb2.REASON_ANNOUNCEMENT_EXISTS,
        f"another announcement has the id {announcement_id}, or had it and was withdrawn; take another id",
    )


def _message(made: Announcement) -> arena_pb2.Announcement:
    found = arena_pb2.Announcement(announcement_id=made.announcement_id, ladder=made.ladder, text=made.text)
    found.time.FromMilliseconds(made.at_ms)
    return found
