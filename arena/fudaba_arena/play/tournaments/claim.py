"""The claim to a tournament: of the arenas that share a store, the one that has it plays the tournament."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Final, final

from fudaba_arena.errors import ArenaError
from fudaba_arena.store.data_folder import DataFolder
from fudaba_arena.store.store import StoreUnavailable
from fudaba_arena.store.store_retry import StoreRetry

__all__ = ["CLAIM_SECONDS", "Claim"]

CLAIM_SECONDS: Final = 15.0
"""The time for which a claim holds if it is not renewed."""
_BEAT_SECONDS: Final = 1.0


@final
class Claim:
    """An arena's claim to a tournament, by its name."""

    def __init__(self, name: str, folder: DataFolder, retry: StoreRetry) -> None:
        self._name = name
        self._folder = folder
        self._retry = retry

    async def begin(self) -> None:
        """Takes the claim. Raises `ArenaError` while another arena has it."""
        await self._take()
        await self._beat()

    async def keep(self) -> None:
        """Renews the claim until it is cancelled. Raises `ArenaError` if another arena has it."""
        while True:
            await asyncio.sleep(_BEAT_SECONDS)
            await self._retry(self._take)
            await self._beat()

    async def end(self) -> None:
        """Gives the claim up."""
        with contextlib.suppress(StoreUnavailable):  # it runs out by itself
            await self._folder.store.steering.disclaim(self._name, self._folder.owner)

    async def _take(self) -> None:
        if not await self._folder.store.steering.claim(self._name, self._folder.owner, CLAIM_SECONDS):
            player = await self._folder.store.arenas.player(self._name)
            raise ArenaError(
                f"{player} plays tournament {self._name} from the same Redis; stop that one first"
                f" (if it was killed, wait {CLAIM_SECONDS:g} s)"
            )

    async def _beat(self) -> None:
        """Notes that the tournament is being played."""
        now_ms = int(time.time() * 1000)
        await self._retry(lambda: self._folder.store.beat(self._name, now_ms))
