"""The stored tournament that a command refers to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fudaba_arena.errors import ArenaError
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.data_folder import open_to_read
from fudaba_arena.store.store import Store
from fudaba_arena.tournament.definition import stored_tournament
from fudaba_arena.tournament.file import read_tournament

__all__ = ["chosen_tournament", "state_in", "stored_state"]


@asynccontextmanager
async def stored_state(
    data: Path, redis: str | None, file: Path | None, name: str | None, *, keep_blocks: bool = False
) -> AsyncIterator[ScheduledTournament]:
    """Yields the selected tournament. `keep_blocks` is as in `Store.load`. Raises `ArenaError`."""
    async with open_to_read(data, redis) as store:
        yield await state_in(store, file, name, keep_blocks=keep_blocks)


async def state_in(
    store: Store, file: Path | None, name: str | None, *, keep_blocks: bool = False
) -> ScheduledTournament:
    """Returns the selected tournament of a store. Raises `ArenaError`."""
    chosen = await chosen_tournament(store, file, name)
    stored = await store.load(chosen, keep_blocks=keep_blocks)
    if stored is None:
        names = ", ".join(await store.listing.names()) or "none yet"
        raise ArenaError(f"there is no tournament {chosen} in this store; it has: {names}")
    return ScheduledTournament(stored_tournament(chosen, stored.definition, stored.attempts), stored)


async def chosen_tournament(store: Store, file: Path | None, name: str | None) -> str:
    """Returns the name of the selected tournament. Raises `ArenaError`, `BadTournament`."""
    if file is not None:
        return read_tournament(file).name
    if name:
        return name
    names = await store.listing.names()
    if len(names) != 1:
        raise ArenaError(
            f"name the tournament, with its FILE or --tournament: {', '.join(names) or 'there is none yet'}"
        )
    return names[0]
