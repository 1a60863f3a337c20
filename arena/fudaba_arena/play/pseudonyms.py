"""Authors who delete their accounts: the service says so by the pseudonym that their bots then have, and the arena
forgets their names as well, in every season, also in those that are over.
"""

from __future__ import annotations

import asyncio
from typing import Final, final

from fudaba.errors import ServiceError
from fudaba_arena.play.hosting import Host
from fudaba_arena.store.entries import PSEUDONYM
from fudaba_arena.store.results import StoreUnavailable

__all__ = ["Pseudonyms"]

_EVERY_SECONDS: Final = 10.0
_PER_BOT_SECONDS: Final = 0.05
"""Asking for one bot costs the service a few tenths of a millisecond: thousands of entries, and it is still little."""


@final
class Pseudonyms:
    """Asks the service again and again whose the entered bots are."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def watch(self) -> None:
        """Goes on for ever. What is away now is asked in the next round."""
        while True:
            for name in self._host.owned_bots() if self._host.store.service.taken else ():
                try:
                    bot = await self._host.bot(name)
                    if bot is not None and bot.account.startswith(PSEUDONYM):
                        await self._host.rename_author(name, bot.account)
                except (ServiceError, StoreUnavailable):
                    break  # whoever plays says so
                await asyncio.sleep(_PER_BOT_SECONDS)
            await asyncio.sleep(_EVERY_SECONDS)
