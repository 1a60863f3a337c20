"""A stored tournament that others may change. Each reading adds only what is not known yet."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import Final, final

from fudaba_arena.forms import readable
from fudaba_arena.play.seasons.block_chooser import catch_up
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.closed_block import ClosedBlock
from fudaba_arena.store.store import Store, StoreUnavailable
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.definition import stored_tournament

__all__ = ["STALE_SECONDS", "FollowedTournament", "stored_state"]

STALE_SECONDS: Final = 1.0
"""The time for which changes by others may stay unseen."""
_MAX_SILENCE_MS: Final = 5_000


async def stored_state(
    store: Store, name: str, *, known: StoredTournament | None = None, keep_blocks: bool = False
) -> ScheduledTournament | None:
    """Returns a stored tournament; None if there is none with that name. `known` and `keep_blocks` are as in
    `Store.load`.

    Raises `StoreUnavailable`, `ArenaError`.
    """
    with readable(f"tournament {name}"):
        stored = await store.load(name, keep_blocks=keep_blocks, known=known)
        if stored is None:
            return None
        return ScheduledTournament(stored_tournament(name, stored.definition, stored.attempts), stored)


@final
class FollowedTournament:
    """A tournament. All operations that read raise `StoreUnavailable`."""

    def __init__(self, name: str, store: Store, state: ScheduledTournament, taken: Callable[[], None]) -> None:
        """`taken` is called whenever another state replaces the known one."""
        self._name = name
        self._store = store
        self._taken = taken
        self._looked = time.monotonic()
        self.state = state
        self.deleted = False
        """Whether it was found to be deleted; `was_deleted` looks."""

    @property
    def is_alive(self) -> bool:
        """Whether a process that plays it has lately noted in the store that it does."""
        return time.time() * 1000 - self.state.stored.alive_ms < _MAX_SILENCE_MS

    def take(self, state: ScheduledTournament) -> None:
        """Takes in a state that was just read from the store. Edits that were taken in meanwhile stay."""
        known = self.state
        if known.stored.master == state.stored.master and len(known.tournament.edits) > len(state.tournament.edits):
            state.amend(known.tournament)
            state.stored.definition = known.stored.definition
        self.state = state
        self._taken()

    async def was_deleted(self) -> bool:
        """Returns whether any arena on the store has deleted it. A ladder may be deleted while no block of it
        counts.
        """
        state = self.state
        if not self.deleted and state.tournament.season is not None and not state.stored.blocks.counted:
            self.deleted = not await self._store.has(self._name, state.stored.master)
        return self.deleted

    async def refresh(self) -> bool:
        """Reads it again if the last reading was long ago and it is not over. Returns whether it was read."""
        if self.state.stored.closed or time.monotonic() - self._looked < STALE_SECONDS:
            return False
        self._looked = time.monotonic()
        return await self.read_again()

    async def read_again(self) -> bool:
        """Reads what is not known of it yet. Returns whether it still exists."""
        found = await stored_state(self._store, self._name, known=self.state.stored)
        if found is not None:
            if found.tournament.season is not None:
                await catch_up(found, self._store)  # there is no await between this line and the change of state
            self.take(found)
        return found is not None

    async def closed_blocks(self, numbers: Collection[int]) -> dict[int, ClosedBlock]:
        """Reads the closed ones among some blocks."""
        blocks = self.state.stored.blocks
        places = [place for place in map(blocks.places.get, numbers) if place is not None]
        if blocks.lines is None:
            found = await self._store.sequence.blocks_at(self._name, places)
            if len(found) == len(places):
                return found
            state = await stored_state(self._store, self._name)
            if state is None or state.stored.blocks.lines is None:
                raise StoreUnavailable(f"the store has lost closed blocks of {self._name}")
            self.take(state)  # the blocks have left the store
            blocks = state.stored.blocks
        return {number: block for number in numbers if (block := blocks.block(number)) is not None}
