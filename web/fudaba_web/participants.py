"""Finds the bots that take part in something that everybody may see: no call of the contract answers that for a single
bot.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, Final, final

from grpc import aio

from fudaba.v1 import arena_pb2, catalog_pb2
from fudaba_web.errors import reason_of, translated
from fudaba_web.upstreams import Upstreams

__all__ = ["Participants"]

_MISSING_SECONDS: Final = 5.0
"""The time in seconds for which a name that was not listed counts as missing: the lists are read no more often."""
_THERE_SECONDS: Final = 60.0
_READING_SECONDS: Final = 10.0
"""The time in seconds for reading all lists. A caller that waits for them gives up earlier, and the next caller finds
them read.
"""
_PAGE_SIZE: Final = 1_000
_ARENA: Final = arena_pb2.DESCRIPTOR.services_by_name["ArenaService"].methods_by_name
_LIST_GAMES: Final = catalog_pb2.DESCRIPTOR.services_by_name["CatalogService"].methods_by_name["ListGames"]


@final
class Participants:
    """The bots in all ladders and tournaments, and the house bots, as they were last read."""

    def __init__(self, upstreams: Upstreams, now: Callable[[], float]) -> None:
        """`now` returns the time in seconds."""
        self._upstreams = upstreams
        self._now = now
        self._bots: set[str] = set()
        self._read_at = float("-inf")
        self._valid_until = float("-inf")
        """The time until which a bot that was not listed counts as missing."""
        self._due_at = float("-inf")
        """The time before which the lists are not read for a bot that was not listed."""
        self._due_by_host: dict[str, float] = {}
        """Later times for hosts that called too often; other hosts do not wait for that."""
        self._reading: asyncio.Task[None] | None = None

    async def has(self, bot: str, host: str, address: str) -> bool | None:
        """Returns whether a bot takes part; None if that is not known at present. If the lists are read anew, the
        client at `address` pays for them; `host` is that address, or the network of one customer.
        """
        while self._is_due(bot, host):
            if self._reading is None or self._reading.done():
                self._reading = asyncio.create_task(self._read(host, address))
                self._reading.add_done_callback(_take_failure)
            await asyncio.shield(self._reading)
        if bot in self._bots:
            return True
        return False if self._now() < self._valid_until else None

    async def close(self) -> None:
        """Ends the reading."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])

    def _is_due(self, bot: str, host: str) -> bool:
        now = self._now()
        if now < max(self._due_at, self._due_by_host.get(host, self._due_at)):
            return False
        return bot not in self._bots or now - self._read_at >= _THERE_SECONDS

    async def _read(self, host: str, address: str) -> None:
        """Reads the lists, and records when they may be read again, even after a failure."""
        began = self._now()
        try:
            async with asyncio.timeout(_READING_SECONDS):
                bots = await self._listed(address)
        except (TimeoutError, aio.AioRpcError) as error:
            due_at = self._next_due(began)
            if isinstance(error, aio.AioRpcError) and reason_of(translated(error, "service")) == "TOO_FAST":
                later = {known: due for known, due in self._due_by_host.items() if due > self._now()}
                self._due_by_host = later | {host: due_at}
            else:
                self._due_at = due_at
        else:
            self._bots = bots
            self._read_at = self._now()
            self._due_at = self._valid_until = self._next_due(began)

    def _next_due(self, began: float) -> float:
        """Returns the time of the next reading: lists that take long to read are read less often."""
        return self._now() + max(_MISSING_SECONDS, self._now() - began)

    async def _listed(self, address: str) -> set[str]:
        games = await self._call(_LIST_GAMES, catalog_pb2.ListGamesRequest(), address)
        bots = {house.name for game in games.games for house in game.house_bots}
        if self._upstreams.has(_ARENA["ListLadders"]):
            bots |= {entrant.bot.partition("@")[0] async for entrant in self._entrants(address)}
        return bots

    async def _entrants(self, address: str) -> AsyncIterator[Any]:
        token = None
        while token != "":
            request = arena_pb2.ListLaddersRequest(page_size=_PAGE_SIZE, page_token=token or "")
            ladders = await self._call(_ARENA["ListLadders"], request, address)
            for entrant in _entrants_of(ladder.tournament for ladder in ladders.ladders):
                yield entrant
            token = ladders.next_page_token
        token = None
        while token != "":
            asked = arena_pb2.ListTournamentsRequest(page_size=_PAGE_SIZE, page_token=token or "")
            tournaments = await self._call(_ARENA["ListTournaments"], asked, address)
            for entrant in _entrants_of(tournaments.tournaments):
                yield entrant
            token = tournaments.next_page_token

    async def _call(self, method: Any, request: Any, address: str) -> Any:
        metadata = self._upstreams.metadata(method, request, {}, address)
        return await self._upstreams.unary(method)(request, metadata=metadata)


def _entrants_of(tournaments: Iterable[arena_pb2.Tournament]) -> Iterable[arena_pb2.Entrant]:
    return (entrant for tournament in tournaments for entrant in tournament.definition.entrants)


def _take_failure(reading: asyncio.Task[None]) -> None:
    """Takes the exception of a reading: a caller that waited has it, and no other needs it."""
    if not reading.cancelled():
        reading.exception()
