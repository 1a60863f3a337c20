"""Ends matches of blocks that will be played elsewhere or not at all, and finishes the work on closed blocks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.schedule.blocks import Block
from fudaba_arena.schedule.frozen_standings import frozen_out
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.closed_block import ClosedBlock, VoidBlock
from fudaba_arena.store.store import Store

__all__ = ["has_opened", "release_opened", "release_rest", "settle_closed", "take_back"]


async def settle_closed(
    state: ScheduledTournament, service: ServiceClient, release: Callable[[Block], Awaitable[None]]
) -> None:
    """Finishes the work of a process that died after closing blocks: ends the matches of void blocks, and releases
    all.
    """
    for number in sorted(state.stored.unreleased):
        block = state.schedule.block(number)
        if number in state.stored.blocks.void:
            await asyncio.gather(*(service.abort(match.match_id, "its block is void") for match in block.matches))
        await release(block)


async def take_back(state: ScheduledTournament, store: Store, service: ServiceClient) -> None:
    """Takes back the blocks that workers have. Those that have begun become void.

    None of their matches is in play when this returns.
    """
    for number in sorted(await store.handed_out.numbers(state.tournament.name)):
        state.stored.handed_out.discard(number)
        if await store.handed_out.recall(state.tournament.name, number):
            continue
        block = state.schedule.block(number)
        ids = [match.match_id for match in block.matches]
        now_ms = int(time.time() * 1000)
        void = VoidBlock(number, block.slot, "stopped", ids[0], (), now_ms)
        known = await store.handed_out.known(state.tournament.name, number, ids)
        results = tuple(result for result in known.values() if result is not None)
        closed = ClosedBlock(number, block.slot, block.game, results, void=void, at_ms=now_ms)
        await store.open_blocks.store_closed(state.tournament.name, closed, block.attempt, ids)
        state.close(closed)
        await asyncio.gather(*(service.abort(match_id, "its block is void") for match_id in ids))
        if state.hides_names(block.slot) or frozen_out(state, [number], now_ms):
            state.stored.unreleased.add(number)
        else:
            await _release(state, store, service, number)


async def release_rest(state: ScheduledTournament, store: Store, service: ServiceClient) -> None:
    """Releases the matches of void blocks of which no later attempt is played, whose names were hidden until now. Those
    that frozen standings hide stay hidden.
    """
    for number in _not_frozen_out(state):
        await _release(state, store, service, number)


def has_opened(state: ScheduledTournament) -> bool:
    """Returns whether matches are to be released that were hidden while the standings were frozen."""
    return bool(_opened(state))


async def release_opened(state: ScheduledTournament, store: Store, service: ServiceClient) -> None:
    """Releases the matches that were hidden while the standings were frozen, once they are open."""
    for number in _opened(state):
        await _release(state, store, service, number)


def _opened(state: ScheduledTournament) -> list[int]:
    return [number for number in _not_frozen_out(state) if not state.hides_names(state.schedule.block(number).slot)]


def _not_frozen_out(state: ScheduledTournament) -> list[int]:
    """Returns the unreleased blocks that frozen standings do not hide."""
    unreleased = state.stored.unreleased
    return sorted(unreleased - frozen_out(state, unreleased, int(time.time() * 1000)))


async def _release(state: ScheduledTournament, store: Store, service: ServiceClient, number: int) -> None:
    await service.release([match.match_id for match in state.schedule.block(number).matches])
    await store.open_blocks.store_released(state.tournament.name, number)
    state.stored.unreleased.discard(number)
