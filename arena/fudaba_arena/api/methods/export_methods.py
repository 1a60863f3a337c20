"""The method of ArenaService that exports a tournament, including its standings: see arena.proto."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final, final

from fudaba.refusals import Refused
from fudaba.v1 import arena_pb2, errors_pb2
from fudaba_arena.api.checks.finder import Finder
from fudaba_arena.api.export_lines import exported
from fudaba_arena.api.frozen_season import FrozenSeasons
from fudaba_arena.api.guard import Context, Doorkeeper
from fudaba_arena.api.streams import Streams
from fudaba_arena.play.standing_arena.tournament_registry import TournamentRegistry

__all__ = ["ExportMethods"]

_MAX_EXPORTS: Final = 2
"""The number of exports written at once. Each holds its whole tournament in memory."""
_MIN_PIECE_CHARS: Final = 100_000
_READ_TIMEOUT_SECONDS: Final = 30.0
"""The time that a reader may take for one part. Slower readers are cut off."""


@final
class ExportMethods:
    """The method that exports a tournament. arena.proto describes it."""

    def __init__(
        self, registry: TournamentRegistry, door: Doorkeeper, finder: Finder, frozen: FrozenSeasons, streams: Streams
    ) -> None:
        self._registry = registry
        self._door = door
        self._finder = finder
        self._frozen = frozen
        self._streams = streams
        self._exporting = asyncio.Semaphore(_MAX_EXPORTS)

    async def ExportTournament(
        self, request: arena_pb2.ExportTournamentRequest, context: Context
    ) -> AsyncIterator[arena_pb2.ExportTournamentResponse]:
        """See arena.proto."""
        organiser = await self._door.is_organiser(context)
        arena_tournament = await self._finder.tournament(request.tournament)
        self._frozen.check_shown(arena_tournament, organiser=organiser, answer="an export")
        state = arena_tournament.state
        if state.tournament.names_hidden and not state.stored.closed and not organiser:
            raise Refused(
                errors_pb2.REASON_ORGANISER_ONLY,
                f"an export says who plays the blocks of {arena_tournament.name} that are not over, and these names are"
                " hidden; export it when the season is closed",
            )
        if self._exporting.locked():
            raise Refused(
                errors_pb2.REASON_TOO_FAST,
                "the arena writes other exports; try again",
                retry_seconds=_READ_TIMEOUT_SECONDS,
            )
        async with self._exporting:
            state = await self._registry.stored(arena_tournament.name)  # a copy that nothing changes meanwhile
            lines = exported(state, await self._registry.store.published.all(arena_tournament.name))
            while part := await asyncio.to_thread(_part, lines):
                if self._streams.ending:
                    raise Refused(errors_pb2.REASON_SHUTTING_DOWN, "the arena is stopping; export it again")
                slow = asyncio.get_running_loop().call_later(_READ_TIMEOUT_SECONDS, _end_task, asyncio.current_task())
                yield arena_pb2.ExportTournamentResponse(lines=part)
                slow.cancel()


def _part(lines: Iterator[dict[str, Any]]) -> list[str]:
    """Returns the next lines of an export, as text; empty at its end."""
    part: list[str] = []
    size = 0
    while size < _MIN_PIECE_CHARS and (line := next(lines, None)) is not None:
        part.append(json.dumps(line, ensure_ascii=False))
        size += len(part[-1])
    return part


def _end_task(task: asyncio.Task[Any] | None) -> None:
    if task is not None:
        task.cancel()
