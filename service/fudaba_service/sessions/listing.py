"""Lists of matches, newest first: the open and the live ones from the store, all others from the archive's index."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Final, final

from fudaba.v1 import errors_pb2, matches_pb2
from fudaba_service.archive import ArchiveIndex, ArchiveUnavailable, IndexQuery, Listed, listed_as
from fudaba_service.refusals import Refused
from fudaba_service.sessions.open_matches import OpenMatches
from fudaba_service.sessions.register import Register
from fudaba_service.store import Store

__all__ = ["Listing", "is_listed", "without_result"]

_MATCHES_PER_BATCH: Final = 16
_MAX_MATCHES_EXAMINED: Final = 1000
"""How many live matches one call looks at that are not wanted: each is a question to the store."""


@final
class Listing:
    """See the module."""

    def __init__(self, store: Store, index: ArchiveIndex, register: Register, open_matches: OpenMatches) -> None:
        self._store = store
        self._index = index
        self._register = register
        self._open_matches = open_matches

    async def page(
        self,
        wanted: IndexQuery,
        after: str,
        until: str,
        most: int,
        *,
        sees_all: bool,
        own: frozenset[str] = frozenset(),
    ) -> tuple[list[matches_pb2.Match], str]:
        """The next matches that are wanted, between two places, as the caller may see them; and the last place that was
        looked at, empty when there are no more. Refuses when the archive cannot be read. `own` are the caller's bots.
        """
        # In this order: a match that ends in between is then in both, never in neither.
        live = await self._live(after, until)
        found: list[matches_pb2.Match] = []
        listed: dict[str, matches_pb2.Match | None] = {}
        looks = 0
        while True:
            room = most - len(found)
            ended, looked_at, last = await self._next(wanted, live, after, until, room)
            for number, place in enumerate(looked_at):
                if len(found) == most or (looks == _MAX_MATCHES_EXAMINED and place not in ended):
                    return found, after
                match = ended.get(place)
                if match is None:
                    looks += 1
                    if place not in listed:
                        listed = await self._listed(live, [at for at in looked_at[number:] if at not in ended][:room])
                    match = listed[place]
                after = place
                if match is None or not (sees_all or is_listed(match, own)):
                    continue
                if wanted.fits(shown := match if sees_all else without_result(match)):
                    found.append(shown)
            if last == until:
                return found, ""
            after = last

    async def _listed(self, live: dict[str, str], places: list[str]) -> dict[str, matches_pb2.Match | None]:
        """The first of these live matches: those that share their round trips to the store."""
        places = places[:_MATCHES_PER_BATCH]
        found = await asyncio.gather(*[self._register.listed_match(live[place]) for place in places])
        return dict(zip(places, found, strict=True))

    async def _next(
        self, wanted: IndexQuery, live: dict[str, str], after: str, until: str, room: int
    ) -> tuple[dict[str, matches_pb2.Match], list[str], str]:
        """Archived matches by their places; the places that come next, in order; and up to where these are all."""
        if wanted.tag:
            tagged = await self._store.tags.places(wanted.tagged_by, wanted.tag, after, until, _MAX_MATCHES_EXAMINED)
            ended = dict(await self._archived(self._index.at(tagged)))
            there = [place for place in tagged if place in ended or place in live]
            return ended, there, tagged[-1] if len(tagged) == _MAX_MATCHES_EXAMINED else until
        archived = await self._archived(self._index.page(wanted, after, until, room + 1))
        last = archived[-1].place if len(archived) > room else until
        ended = dict(archived)
        return ended, sorted({*ended, *(place for place in live if after < place <= last)}), last

    async def _live(self, after: str, until: str) -> dict[str, str]:
        """The ids of the matches that are open or live, by their places between these two."""
        created = await self._open_matches.created()
        created |= await self._store.index.live()
        places = {listed_as(match_id, int(at)): match_id for match_id, at in created.items()}
        return {place: match_id for place, match_id in places.items() if after < place < until}

    async def _archived(self, asked: Awaitable[list[Listed]]) -> list[Listed]:
        try:
            found = await asked
        except ArchiveUnavailable as error:
            raise Refused(errors_pb2.REASON_ARCHIVE_UNAVAILABLE, str(error)) from error
        hidden = await self._store.index.hidden([match.header.match_id for _, match in found])
        for (_, match), flag in zip(found, hidden, strict=True):
            match.hidden = flag
        return found


def is_listed(match: matches_pb2.Match, own: frozenset[str]) -> bool:
    """Whether a match is on the lists of somebody with these bots."""
    return not match.header.unlisted or any(player.bot in own for player in match.header.players)


def without_result(match: matches_pb2.Match) -> matches_pb2.Match:
    """A match without what would tell of its block's deals while it is kept back: its label, how it ended."""
    if match.hidden:
        match.header.ClearField("label")
        match.ClearField("end")
    return match
