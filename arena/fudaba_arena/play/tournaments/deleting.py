"""Deletes a ladder without counting blocks. Its name is free again."""

from __future__ import annotations

from typing import final

from fudaba_arena.errors import ArenaError
from fudaba_arena.play.matches.taking_back import settle_closed, take_back
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.play.tournaments.claim import CLAIM_SECONDS
from fudaba_arena.schedule.blocks import Block
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.data_folder import DataFolder

__all__ = ["LadderPlayed", "delete_season"]


@final
class LadderPlayed(Exception):
    """Blocks of a ladder count, or have counted, so it cannot be deleted."""


async def delete_season(state: ScheduledTournament, ladder: str, home: DataFolder, service: ServiceClient) -> None:
    """Ends the matches in play of a ladder's first season, which is no longer played here, and deletes the ladder.

    Raises `LadderPlayed`, `ArenaError` if another arena plays it, `ServiceError`, `StoreUnavailable`.
    """
    name, store = state.tournament.name, home.store
    if not await store.steering.claim(name, home.owner, CLAIM_SECONDS):
        raise ArenaError(f"another arena plays {name}; delete it there, or stop that one first")

    async def release(block: Block) -> None:
        await service.release([match.match_id for match in block.matches])
        await store.open_blocks.store_released(name, block.number)

    await take_back(state, store, service)
    await settle_closed(state, service, release)
    if state.stored.blocks.counted:
        raise LadderPlayed(ladder)
    for match_id in sorted(state.stored.created):
        await service.abort(match_id, "its ladder is deleted")
    await service.release(sorted(state.stored.created))
    await store.announcements.forget_ladder(ladder)
    await store.listing.forget_ladder(ladder, name)
