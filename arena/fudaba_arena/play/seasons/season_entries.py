"""The entries of a season: read from the store, changed there, and frozen when the season ends."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import final

from fudaba_arena.play.seasons.block_chooser import catch_up, entrant_after
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.store import Store
from fudaba_arena.store.tournaments.entries import ENTER, FREEZE, RESUME, Entries, EntryChange
from fudaba_arena.tournament.definition import Owned

__all__ = ["SeasonEntries"]


@final
class SeasonEntries:
    """The entries of one season. All operations raise `StoreUnavailable`."""

    def __init__(
        self, name: str, store: Store, state: Callable[[], ScheduledTournament], changed: Callable[[], Awaitable[None]]
    ) -> None:
        """`state` is the season as known now. `changed` is called whenever its entries change."""
        self._name = name
        self._store = store
        self._state = state
        self._changed = changed

    async def change(self, make: Callable[[Entries], Sequence[EntryChange]]) -> None:
        """Changes the entries. `make` returns the changes, given the known entries, and may raise to refuse."""
        while True:
            await self.catch_up()
            known = self._state().stored.entries
            changes = make(known)
            if not changes:
                return
            if await self._store.progress.change_entries(self._name, len(known.changes), changes):
                for change in changes:
                    if change.kind in {ENTER, RESUME} and (entrant := entrant_after(known, change)):
                        await self._store.readmit(self._name, entrant)
                await self.catch_up()
                return

    async def note_owner(self, bot: str, owned: Owned) -> None:
        """Assigns a bot to an account, and shows it so for its whole past."""
        await self._store.progress.note_owner(self._name, bot, owned)
        self._state().note_owner(bot, owned)
        await self._changed()

    async def note_deleted(self, account: str, pseudonym: str) -> None:
        """Drops the extension of a deleted account, and its name and reasons from the past."""
        await self._store.progress.note_deleted(self._name, account, pseudonym)
        self._state().note_deleted(account, pseudonym)
        await self._changed()

    async def freeze(self) -> None:
        """Freezes entries and versions. The rest of the season is its final."""
        now_ms = int(time.time() * 1000)
        await self.change(lambda known: [EntryChange(FREEZE, now_ms)] if known.frozen_ms is None else [])

    @property
    def due(self) -> bool:
        """Whether the time to freeze the entries has come."""
        season, stored = self._state().tournament.season, self._state().stored
        over = season is not None and 0 < season.ends_ms <= time.time() * 1000
        return over and stored.entries.frozen_ms is None and not stored.closed

    async def catch_up(self) -> None:
        """Takes in the stored changes of entries, whoever made them, and announces them."""
        if await catch_up(self._state(), self._store):
            await self._changed()
