"""Follows the owners of ladders' bots: authors rename and delete their accounts, and give bots away.

Every season, even a finished one, shows each bot ever entered under its author's present name. So nobody can take a
name under which another author's results are still shown. For a deleted account, it shows only the pseudonym, and
nothing of an extension of its deadline.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from contextlib import suppress
from typing import Final, final

from fudaba.errors import ServiceError
from fudaba_arena.play.standing_arena.tournament_registry import TournamentRegistry
from fudaba_arena.store.store import StoreUnavailable
from fudaba_arena.store.tournaments.entries import PSEUDONYM
from fudaba_arena.tournament.definition import Owned

__all__ = ["ShownAuthors"]

_PSEUDONYM_BYTES: Final = 4
_POLL_SECONDS: Final = 10.0
_POLL_SECONDS_PER_BOT: Final = 0.05
"""The interval per entered bot. One request costs the service a few tenths of a millisecond, so even thousands of
entries cost little.
"""
_MIN_MISSED_SECONDS: Final = 60.0
"""The time for which the service has to lack an account before it counts as deleted, since that cannot be undone. A
service that was restored from a backup may lack accounts until the operator restores a later one.
"""


@final
class ShownAuthors:
    """Asks the service repeatedly who owns the entered bots."""

    def __init__(self, registry: TournamentRegistry) -> None:
        self._registry = registry
        self._missed_since: dict[str, float] = {}
        """Since when the service lacks accounts with extensions, by the monotonic clock."""

    async def watch(self) -> None:
        """Asks until cancelled. If it could not ask about something, it does so in the next round."""
        while True:
            if self._registry.store.service.taken:
                with suppress(ServiceError, StoreUnavailable):  # whoever plays says so
                    await self._look()
            await asyncio.sleep(_POLL_SECONDS)

    async def _look(self) -> None:
        """Asks about each bot and each account with an extension once."""
        for name in self._owned_bots():
            bot = await self._registry.bot(name)
            if bot is not None:
                await self._note_owner(name, Owned(bot.author, bot.account))
            await asyncio.sleep(_POLL_SECONDS_PER_BOT)
        for account in self._extended_accounts():
            if await self._registry.has_account(account):
                self._missed_since.pop(account, None)
            elif time.monotonic() - self._missed_since.setdefault(account, time.monotonic()) >= _MIN_MISSED_SECONDS:
                await self._note_deleted(account)
                del self._missed_since[account]
            await asyncio.sleep(_POLL_SECONDS_PER_BOT)

    def _owned_bots(self) -> list[str]:
        """Returns the sorted bots of accounts that were ever entered in a season, or have a submission to be entered,
        without those of deleted accounts.
        """
        seasons = self._registry.seasons()
        return sorted({bot for season in seasons for bot in season.state.stored.entries.owners()})

    async def _note_owner(self, bot: str, owned: Owned) -> None:
        """Assigns a bot to an account in all seasons. The kept folders of a deleted account's bot are removed."""
        if owned.account.startswith(PSEUDONYM):
            await self._registry.store.kept_folders.forget(bot, int(time.time() * 1000))
        for season in self._registry.seasons():
            if season.state.stored.entries.owners().get(bot, owned) != owned:
                await season.entered.note_owner(bot, owned)

    def _extended_accounts(self) -> list[str]:
        """Returns the sorted accounts that ever had an extension, without those that are known to be deleted."""
        seasons = self._registry.seasons()
        return sorted({account for season in seasons for account in season.state.stored.entries.ever_extended})

    async def _note_deleted(self, account: str) -> None:
        """Drops the extensions of a deleted account in all seasons, with its name and their reasons."""
        pseudonym = f"{PSEUDONYM}{secrets.token_hex(_PSEUDONYM_BYTES)}"
        for season in self._registry.seasons():
            if account in season.state.stored.entries.ever_extended:
                await season.entered.note_deleted(account, pseudonym)
