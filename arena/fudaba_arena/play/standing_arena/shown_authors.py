"""Follows whose the bots of ladders are: authors rename and delete their accounts, and give bots away.

Every season shows the bots that were ever entered under their author's name of today, also one that is over: so nobody
takes a name under which another one's results are still shown. Of a deleted account it shows the pseudonym alone.
"""

from __future__ import annotations

import asyncio
from typing import Final, final

from fudaba.errors import ServiceError
from fudaba_arena.play.standing_arena.tournament_registry import TournamentRegistry
from fudaba_arena.store.store import StoreUnavailable
from fudaba_arena.tournament.definition import Owned

__all__ = ["ShownAuthors"]

_POLL_SECONDS: Final = 10.0
_POLL_SECONDS_PER_BOT: Final = 0.05
"""Asking for one bot costs the service a few tenths of a millisecond: thousands of entries, and it is still little."""


@final
class ShownAuthors:
    """Asks the service again and again whose the entered bots are."""

    def __init__(self, registry: TournamentRegistry) -> None:
        self._registry = registry

    async def watch(self) -> None:
        """Goes on for ever. What is away now is asked in the next round."""
        while True:
            for name in self._registry.owned_bots() if self._registry.store.service.taken else ():
                try:
                    bot = await self._registry.bot(name)
                    if bot is not None:
                        await self._registry.note_owner(name, Owned(bot.author, bot.account))
                except (ServiceError, StoreUnavailable):
                    break  # whoever plays says so
                await asyncio.sleep(_POLL_SECONDS_PER_BOT)
            await asyncio.sleep(_POLL_SECONDS)
