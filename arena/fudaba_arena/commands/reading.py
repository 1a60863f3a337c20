"""The source that a reading command reads: a folder, or a standing arena."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import final

from fudaba.cli.connection import Connection
from fudaba_arena.api.export_lines import exported
from fudaba_arena.commands.named_tournament import state_in, stored_state
from fudaba_arena.commands.tournament_reports import ArenaReader, Lists, TournamentReport, from_state, lists_of
from fudaba_arena.errors import ArenaError
from fudaba_arena.store.data_folder import open_to_read
from fudaba_arena.tournament.file import read_tournament

__all__ = ["Reading"]


@final
@dataclass(frozen=True, slots=True)
class Reading:
    """A tournament to read, and its source."""

    connection: Connection | None
    """The arena; None for the folder."""
    data: Path
    redis: str | None
    file: Path | None
    """The file that names the tournament."""
    name: str | None
    """The tournament's name, if no file names it."""

    async def followed(self) -> TournamentReport:
        """Returns the tournament's report. Raises `ArenaError`, `ServiceError`."""
        if self.connection is None:
            async with stored_state(self.data, self.redis, self.file, self.name) as state:
                return from_state(state)
        reader = ArenaReader(self.connection)
        try:
            return await reader.followed(await self._named(reader))
        finally:
            await reader.close()

    async def lists(self) -> Lists:
        """Reads the tournament's blocks and matches. Raises `ArenaError`, `ServiceError`."""
        if self.connection is None:
            async with stored_state(self.data, self.redis, self.file, self.name, keep_blocks=True) as state:
                return lists_of(state)
        reader = ArenaReader(self.connection)
        try:
            return await reader.lists(await self._named(reader))
        finally:
            await reader.close()

    async def exported(self) -> AsyncIterator[str]:
        """Yields the lines of the tournament's export. Raises `ArenaError`, `ServiceError`."""
        if self.connection is None:
            async with open_to_read(self.data, self.redis) as store:
                state = await state_in(store, self.file, self.name, keep_blocks=True)
                for line in exported(state, await store.published.all(state.tournament.name)):
                    yield json.dumps(line, ensure_ascii=False)
            return
        reader = ArenaReader(self.connection)
        try:
            async for text in reader.exported(await self._named(reader)):
                yield text
        finally:
            await reader.close()

    async def chosen(self) -> str:
        """Returns the name of the selected tournament in an arena. Raises `ArenaError`, `ServiceError`."""
        if self.connection is None:
            raise ArenaError("name an arena")
        reader = ArenaReader(self.connection)
        try:
            return await self._named(reader)
        finally:
            await reader.close()

    async def _named(self, reader: ArenaReader) -> str:
        if self.file is not None:
            return read_tournament(self.file).name
        return self.name or await reader.only()
