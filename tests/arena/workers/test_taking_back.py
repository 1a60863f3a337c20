"""What workers have of a tournament that is closed is taken back."""

from __future__ import annotations

import asyncio
from pathlib import Path

from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.play.tournaments.followed_tournament import stored_state
from fudaba_arena.store.leases.handed_out import Lease
from fudaba_arena.store.store import Store
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlock
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.file import Source
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import Season
from tests.support.arena.hosting import alone
from tests.support.patience import until
from tests.support.service.processes import RedisServer


async def test_an_arena_that_stood_by_closes_what_another_one_has_chosen(redis: RedisServer, tmp_path: Path) -> None:
    store = Store(redis.url)
    await store.service.take("")
    arena = alone(store, tmp_path)
    tournament = Tournament("open.1", (TournamentGame("naga"),), (), season=Season("open"))
    await store.begin("open.1", tournament.definition(), bytes(32))
    before = await stored_state(store, "open.1")
    assert before is not None
    standing_by = ArenaTournament(arena, before, Source("", "definition", None, hosted=True), "paused")
    await store.progress.choose("open.1", 0, ChosenBlock("naga", (("a@1", "b@1"),), shared=False))
    await store.handed_out.hand_out("open.1", 0, 0, 0, '{"matches": []}')
    assert isinstance(await store.handed_out.take("open.1", 0, 0, "w", 600_000), Lease)
    running = asyncio.create_task(standing_by.run())
    closing = asyncio.create_task(standing_by.close())

    async def void() -> bool:
        assert standing_by.obstacle is None
        stored = await store.load("open.1")
        return stored is not None and 0 in stored.blocks.void

    await until(void, "the block that a worker has begun is void")
    for task in (running, closing):  # the service is to abort the block's matches, and there is none
        task.cancel()
    await asyncio.wait((running, closing))
    await arena.service.close()
    await store.close()
