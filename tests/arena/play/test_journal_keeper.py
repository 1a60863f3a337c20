"""What changes in a tournament is noted in its journal once, and wakes those that wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fudaba_arena.play.standing_arena import journal_keeper
from fudaba_arena.play.standing_arena.journal_keeper import JournalKeeper
from fudaba_arena.play.tournaments.followed_tournament import stored_state
from fudaba_arena.play.tournaments.journal import Journal
from fudaba_arena.store.store import Store
from fudaba_arena.tournament.definition import BotEntry, Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE

NAME = "cup"


class Shown:
    """A stored tournament, in the state that a test wants its followers to see."""

    def __init__(self, store: Store, keeper: JournalKeeper) -> None:
        self.store = store
        self.keeper = keeper
        self.state_name = "playing"

    async def noted(self) -> list[tuple[str, str | int]]:
        return [(change.kind, change.subject) for change in await self.keeper.journal.after(0, 100)]


@pytest.fixture
async def shown(tmp_path: Path) -> AsyncIterator[Shown]:
    with short_folder() as place, EmbeddedValkey(place / "store") as server:
        store = Store(server.url, tmp_path / "archive")
        bots = tuple(BotEntry(bot, command=("bot",)) for bot in "ab")
        await store.begin(NAME, Tournament(NAME, (TournamentGame("naga"),), bots).definition(), bytes(32))
        state = await stored_state(store, NAME)
        assert state is not None
        made = Shown(store, JournalKeeper(Journal(NAME, store), lambda: state, lambda: made.state_name))
        yield made
        await store.close()


async def test_a_noted_change_wakes_those_that_wait_for_more_than_they_know(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_keeper, "STALE_SECONDS", PATIENCE)
    await shown.keeper.note()
    waiting = asyncio.create_task(shown.keeper.news_after(shown.keeper.journal.length))
    await asyncio.sleep(0)
    shown.state_name = "paused"
    await shown.keeper.note()
    async with asyncio.timeout(PATIENCE / 2):
        await waiting
    assert await shown.noted() == [("state", "playing"), ("state", "paused")]
    async with asyncio.timeout(PATIENCE / 2):
        await shown.keeper.news_after(1)


async def test_a_stir_is_reported_once(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_keeper, "STALE_SECONDS", 0.0)
    assert not await shown.keeper.stirred()
    shown.keeper.stir()
    assert [await shown.keeper.stirred(), await shown.keeper.stirred()] == [True, False]


async def test_what_others_changed_is_noted_when_a_full_store_has_room_again(shown: Shown) -> None:
    await shown.keeper.note_of_others(changed=False)
    assert await shown.noted() == [("state", "playing")], "it may have changed before it was known here"
    shown.state_name = "closed"
    await shown.keeper.note_of_others(changed=False)
    assert len(await shown.noted()) == 1, "nobody has changed anything"
    await shown.store._redis.config_set("maxmemory", 1)
    await shown.keeper.note_of_others(changed=True)
    assert len(await shown.noted()) == 1
    await shown.store._redis.config_set("maxmemory", 0)
    await shown.keeper.note_of_others(changed=False)
    assert await shown.noted() == [("state", "playing"), ("state", "closed")]
