"""Which bots and authors take part in something that everybody may see: no call of the contract tells that of one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, Final, final

from fudaba.v1 import arena_pb2, catalog_pb2
from fudaba_web.upstreams import Upstreams

__all__ = ["Participants"]

_MISSING_SECONDS: Final = 5.0
"""Seconds for which a name that was not listed is taken to be still missing: the lists are read no more often."""
_THERE_SECONDS: Final = 60.0
_READING_SECONDS: Final = 10.0
"""Seconds for reading all lists. Whoever waits for them gives up earlier, and the next one finds them read."""
_PAGE_SIZE: Final = 1_000
_ARENA: Final = arena_pb2.DESCRIPTOR.services_by_name["ArenaService"].methods_by_name
_LIST_GAMES: Final = catalog_pb2.DESCRIPTOR.services_by_name["CatalogService"].methods_by_name["ListGames"]


@final
class Participants:
    """The names in all ladders and tournaments, and of the house's bots, as they were read last."""

    def __init__(self, upstreams: Upstreams, now: Callable[[], float]) -> None:
        """`now` tells the time in seconds."""
        self._upstreams = upstreams
        self._now = now
        self._names: dict[str, set[str]] = {"bots": set(), "authors": set()}
        self._read_at = float("-inf")
        self._reading: asyncio.Task[None] | None = None

    async def has(self, kind: str, name: str, address: str) -> bool:
        """Whether `bots` or `authors` have a name. Whoever is at `address` pays for the lists, if they are read anew.

        Raises `AioRpcError`, and `TimeoutError` where service or arena do not answer.
        """
        listed = name in self._names[kind]
        if self._now() - self._read_at >= (_THERE_SECONDS if listed else _MISSING_SECONDS):
            if self._reading is None or self._reading.done():
                self._reading = asyncio.create_task(self._read(address))
                self._reading.add_done_callback(_take_failure)
            await asyncio.shield(self._reading)
        return name in self._names[kind]

    async def close(self) -> None:
        """Reads no further."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])

    async def _read(self, address: str) -> None:
        bots, authors = set[str](), set[str]()
        async with asyncio.timeout(_READING_SECONDS):
            games = await self._call(_LIST_GAMES, catalog_pb2.ListGamesRequest(), address)
            bots |= {house.name for game in games.games for house in game.house_bots}
            if self._upstreams.has(_ARENA["ListLadders"]):
                async for entrant in self._entrants(address):
                    bots.add(entrant.bot.partition("@")[0])
                    authors.add(entrant.author)
        self._names = {"bots": bots, "authors": authors - {""}}
        self._read_at = self._now()

    async def _entrants(self, address: str) -> AsyncIterator[Any]:
        token = None
        while token != "":
            request = arena_pb2.ListLaddersRequest(page_size=_PAGE_SIZE, page_token=token or "")
            ladders = await self._call(_ARENA["ListLadders"], request, address)
            for entrant in _of(ladder.tournament for ladder in ladders.ladders):
                yield entrant
            token = ladders.next_page_token
        token = None
        while token != "":
            asked = arena_pb2.ListTournamentsRequest(page_size=_PAGE_SIZE, page_token=token or "")
            tournaments = await self._call(_ARENA["ListTournaments"], asked, address)
            for entrant in _of(tournaments.tournaments):
                yield entrant
            token = tournaments.next_page_token

    async def _call(self, method: Any, request: Any, address: str) -> Any:
        metadata = self._upstreams.metadata(method, request, {}, address)
        return await self._upstreams.unary(method)(request, metadata=metadata)


def _of(tournaments: Iterable[arena_pb2.Tournament]) -> Iterable[arena_pb2.Entrant]:
    return (entrant for tournament in tournaments for entrant in tournament.definition.entrants)


def _take_failure(reading: asyncio.Task[None]) -> None:
    """Whoever waited was told; if nobody did, nobody misses it."""
    if not reading.cancelled():
        reading.exception()
