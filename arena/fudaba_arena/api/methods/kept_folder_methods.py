"""The methods of ArenaService by which authors see and empty the kept folders of their bots: see arena.proto."""

from __future__ import annotations

import time
from typing import final

from fudaba.v1 import submissions_pb2
from fudaba_arena.api.checks.finder import Finder, season_of
from fudaba_arena.api.guard import Context, Doorkeeper
from fudaba_arena.store.bots.kept_folders import FolderOwner
from fudaba_arena.store.store import Store

__all__ = ["KeptFolderMethods"]


@final
class KeptFolderMethods:
    """The methods about kept folders. arena.proto describes each of them."""

    def __init__(self, store: Store, door: Doorkeeper, finder: Finder) -> None:
        self._store = store
        self._door = door
        self._finder = finder

    async def ListKeptFolders(
        self, request: submissions_pb2.ListKeptFoldersRequest, context: Context
    ) -> submissions_pb2.ListKeptFoldersResponse:
        """See arena.proto."""
        bot = await self._finder.own_bot(request.bot, await self._door.caller(context))
        response = submissions_pb2.ListKeptFoldersResponse()
        for (ladder, version), kept_folder in sorted((await self._store.kept_folders.all(bot.name)).items()):
            if request.version in {"", version}:
                folder = response.folders.add(
                    ladder=ladder, version=version, size=kept_folder.size, files=kept_folder.files
                )
                folder.update_time.FromMilliseconds(kept_folder.at_ms)
        return response

    async def EmptyKeptFolder(
        self, request: submissions_pb2.EmptyKeptFolderRequest, context: Context
    ) -> submissions_pb2.EmptyKeptFolderResponse:
        """See arena.proto."""
        bot = await self._finder.own_bot(request.bot, await self._door.caller(context))
        version = await self._finder.version(bot, request.version)
        whose = FolderOwner(season_of(await self._finder.newest_season(request.ladder)).ladder, bot.name, version)
        emptied = await self._store.kept_folders.empty(whose, time.time_ns() // 1_000_000)
        return submissions_pb2.EmptyKeptFolderResponse(emptied=emptied)
