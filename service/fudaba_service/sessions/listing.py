"""Lists of matches, newest first: open and live ones from the store, all others from the archive's index."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Final, Protocol, final

from fudaba.v1 import errors_pb2, matches_pb2, record_pb2
from fudaba_service.archive import ArchiveIndex, ArchiveUnavailable, IndexQuery, Listed, listed_as, time_of
from fudaba_service.refusals import Refused
from fudaba_service.sessions.hidden_matches import hide_names, note_showing
from fudaba_service.sessions.open_matches import OpenMatches
from fudaba_service.sessions.register import Register
from fudaba_service.store import Showing, Store

__all__ = ["Listing", "Viewer", "show_own", "showing_to", "shown_to"]

_MATCHES_PER_BATCH: Final = 16
_MAX_MATCHES_EXAMINED: Final = 1000
"""The total number of live matches that one call examines, and of archived ones that it leaves out."""
_MIN_ROWS_AFTER_LEFT_OUT: Final = 100
"""The number of archived matches that are read at once after some were left out, since many more may follow."""


class Viewer(Protocol):
    """The caller who asks for a list."""

    @property
    def sees_all(self) -> bool:
        """Whether the caller may see hidden matches."""

    async def finds(self, matches: Sequence[matches_pb2.Match]) -> list[bool]:
        """Returns whether each match is on this caller's lists. Unlisted ones are on few lists."""

    async def own_seats(self, header: record_pb2.MatchHeader) -> set[int]:
        """Returns the seats of the caller, or of the bots of the caller's account, in a match."""


@final
class Listing:
    """See the module."""

    def __init__(self, store: Store, index: ArchiveIndex, register: Register, open_matches: OpenMatches) -> None:
        self._store = store
        self._index = index
        self._register = register
        self._open_matches = open_matches

    async def page(
        self, wanted: IndexQuery, after: str, until: str, most: int, viewer: Viewer
    ) -> tuple[list[matches_pb2.Match], str]:
        """Returns the next wanted matches between two places, as the caller may see them, and the place after which the
        next page begins, empty if there are no more. That place never contains the id of a match that the caller may
        not find, nor does it depend on archived ones. Refuses if the archive cannot be read.
        """
        # In this order: a match that ends in between is then in both, never in neither.
        live = await self._live(after, until)
        found: list[matches_pb2.Match] = []
        listed: dict[str, matches_pb2.Match | None] = {}
        examined, rows, last_found, page_end = 0, most, True, ""
        while True:
            ended, places, last = await self._next(wanted, live, after, until, rows, viewer)
            for number, place in enumerate(places):
                left_out = place in ended and ended[place] is None
                if len(found) == most and not left_out:
                    return found, page_end
                if examined >= _MAX_MATCHES_EXAMINED:
                    if last_found:
                        return found, after
                    if time_of(place) != time_of(after):
                        return found, time_of(place)
                if place not in ended and place not in listed:
                    unread = [at for at in places[number:] if at not in ended][: most - len(found)]
                    listed = await self._listed(live, unread, viewer)
                match = ended[place] if place in ended else listed[place]
                after, last_found = place, match is not None
                shown = None if match is None else await shown_to(viewer, match)
                if shown is not None and wanted.fits(shown):
                    found.append(shown)
                    examined, page_end = examined + (place not in ended), place
                else:
                    examined += 1
            if last == until:
                return found, ""
            after, last_found = last, last_found and last == after
            rows = max(most - len(found), _MIN_ROWS_AFTER_LEFT_OUT)

    async def _listed(
        self, live: dict[str, str], places: list[str], viewer: Viewer
    ) -> dict[str, matches_pb2.Match | None]:
        """Returns the first of these live matches. They share their round trips to the store.

        None stands for a match to leave out.
        """
        places = places[:_MATCHES_PER_BATCH]
        read = await asyncio.gather(*[self._register.listed_match(live[place]) for place in places])
        there = {place: match for place, match in zip(places, read, strict=True) if match is not None}
        return dict.fromkeys(places) | await self._found(viewer, there)

    async def _next(
        self, wanted: IndexQuery, live: dict[str, str], after: str, until: str, rows: int, viewer: Viewer
    ) -> tuple[dict[str, matches_pb2.Match | None], list[str], str]:
        """Returns archived matches by place, None for one to leave out; the next places in order; and the place up to
        which these are complete.
        """
        if wanted.tag:
            tagged = await self._store.tags.places(wanted.tagged_by, wanted.tag, after, until, _MAX_MATCHES_EXAMINED)
            ended = await self._ended(viewer, wanted, await self._archived(self._index.at(tagged)))
            there = [place for place in tagged if place in ended or place in live]
            return ended, there, tagged[-1] if len(tagged) == _MAX_MATCHES_EXAMINED else until
        archived = await self._archived(self._index.page(wanted, after, until, rows + 1))
        last = archived[-1].place if len(archived) > rows else until
        ended = await self._ended(viewer, wanted, archived)
        return ended, sorted({*ended, *(place for place in live if after < place <= last)}), last

    async def _live(self, after: str, until: str) -> dict[str, str]:
        """Returns the ids of the open and live matches between two places, by place."""
        created = await self._open_matches.created()
        created |= await self._store.index.live()
        places = {listed_as(match_id, int(at)): match_id for match_id, at in created.items()}
        return {place: match_id for place, match_id in places.items() if after < place < until}

    async def _archived(self, asked: Awaitable[list[Listed]]) -> list[Listed]:
        try:
            found = await asked
        except ArchiveUnavailable as error:
            raise Refused(errors_pb2.REASON_ARCHIVE_UNAVAILABLE, str(error)) from error
        showings = await self._store.index.showings([match.header.match_id for _, match in found])
        for (_, match), showing in zip(found, showings, strict=True):
            note_showing(match, showing)
        return found

    async def _ended(
        self, viewer: Viewer, wanted: IndexQuery, archived: list[Listed]
    ) -> dict[str, matches_pb2.Match | None]:
        """Returns archived matches by place; None for a match that the caller may not find by this query."""
        ended = await self._found(viewer, dict(archived))
        for place, match in ended.items():
            if match is not None and not wanted.fits(await shown_to(viewer, match)):
                ended[place] = None
        return ended

    async def _found(
        self, viewer: Viewer, matches: dict[str, matches_pb2.Match]
    ) -> dict[str, matches_pb2.Match | None]:
        """Reads these matches by place; None for one that the caller may not find."""
        finds = await viewer.finds([*matches.values()])
        await asyncio.gather(*(show_own(match, viewer, self._store) for match in matches.values()))
        return {place: match if seen else None for (place, match), seen in zip(matches.items(), finds, strict=True)}


async def showing_to(viewer: Viewer, store: Store, header: record_pb2.MatchHeader) -> Showing:
    """Returns what the caller may see of a match. Its players see all of it once it is released."""
    [showing] = await store.index.showings([header.match_id])
    if viewer.sees_all or (showing.premiere and await viewer.own_seats(header)):
        return Showing(hidden=False, delay_ms=0)
    return showing


async def show_own(match: matches_pb2.Match, viewer: Viewer, store: Store) -> None:
    """Notes that a released match of the caller's own is not hidden from the caller."""
    if match.premiere and not viewer.sees_all:
        note_showing(match, await showing_to(viewer, store, match.header))


async def shown_to(viewer: Viewer, match: matches_pb2.Match) -> matches_pb2.Match:
    """Returns a match as the caller may see it. Of a hidden one this leaves out how it ended.

    While its block is played it also leaves out what would reveal the block's deals, which is the label, and the bots
    that the caller may not know yet.
    """
    if match.hidden and not viewer.sees_all:
        if not match.premiere:
            match.header.ClearField("label")
            if match.header.names_hidden:
                hide_names(match.header, await viewer.own_seats(match.header))
        match.ClearField("end")
    return match
