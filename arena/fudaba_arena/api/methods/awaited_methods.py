"""The method of ArenaService about submissions that are to be entered: see arena.proto."""

from __future__ import annotations

from typing import Final, final

from fudaba.v1 import arena_pb2
from fudaba_arena.api.awaited_entries import AwaitedEntries
from fudaba_arena.api.checks.finder import Finder
from fudaba_arena.api.guard import Context, Doorkeeper
from fudaba_serving.grpc.pages import Pages

__all__ = ["AwaitedMethods"]

_PAGES: Final = Pages("awaited entries")


@final
class AwaitedMethods:
    """The method about submissions that are to be entered. arena.proto describes it."""

    def __init__(self, door: Doorkeeper, finder: Finder, awaited: AwaitedEntries) -> None:
        self._door = door
        self._finder = finder
        self._awaited = awaited

    async def ListAwaitedEntries(
        self, request: arena_pb2.ListAwaitedEntriesRequest, context: Context
    ) -> arena_pb2.ListAwaitedEntriesResponse:
        """See arena.proto."""
        caller = await self._door.caller(context)
        arena_tournament = await self._finder.newest_season(request.ladder)
        asked = {
            f"{awaited.asked.at_ms:020d}:{submission}": awaited
            for submission, awaited in arena_tournament.state.stored.entries.asked.items()
            if caller.organiser or (caller.account and caller.account == awaited.asked.account)
        }
        page, following = _PAGES.page(sorted(asked), request.page_size, request.page_token)
        found = [await self._awaited.message(arena_tournament, asked[name]) for name in page]
        return arena_pb2.ListAwaitedEntriesResponse(awaited=found, next_page_token=following)
