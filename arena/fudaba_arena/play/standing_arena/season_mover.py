"""Moves the closed blocks of finished seasons out of the arena's store."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final, final

from fudaba_arena.errors import ArenaError, Say
from fudaba_arena.play.standing_arena.tournament_registry import TournamentRegistry
from fudaba_arena.store.store import Store, StoreUnavailable
from fudaba_games.wording import counted

__all__ = ["SeasonMover"]

_POLL_SECONDS: Final = 5.0
_MAX_PAUSE_SECONDS: Final = 300.0
_DAY_MS: Final = 86_400_000


@final
class SeasonMover:
    """Moves each season once, as soon as it may. It tries again while the archive cannot be written."""

    def __init__(
        self, registry: TournamentRegistry, store: Store, after_days: int, say: Say, failed: Callable[[], None]
    ) -> None:
        """`failed` is called for each attempt that fails."""
        self._registry = registry
        self._store = store
        self._after_ms = after_days * _DAY_MS
        self._say = say
        self._failed = failed
        self._moved: set[str] = set()

    async def run(self) -> None:
        """Looks for such seasons until cancelled."""
        pause = _POLL_SECONDS
        while True:
            try:
                await self._look()
                pause = _POLL_SECONDS
            except (StoreUnavailable, ArenaError) as error:
                self._failed()
                self._say(f"blocks of seasons that are over stay in the store for now: {error}")
                pause = min(2 * pause, _MAX_PAUSE_SECONDS)
            await asyncio.sleep(pause)

    async def _look(self) -> None:
        for season in self._registry.seasons():
            due_ms = season.state.stored.alive_ms + self._after_ms
            if not season.state.stored.closed or season.name in self._moved or time.time() * 1000 < due_ms:
                continue
            count = await self._store.archive.move(season.name)
            self._moved.add(season.name)
            if count:
                blocks = counted(count, "closed block is", "closed blocks are")
                self._say(f"season {season.name} is over: its {blocks} in the archive")
