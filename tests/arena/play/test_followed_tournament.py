"""A state that replaces the known one keeps what was edited since it was read."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.play.standing_arena.season_edits import SeasonEdits
from fudaba_arena.play.tournaments.beginning import begin, close_for_good
from fudaba_arena.play.tournaments.followed_tournament import stored_state
from fudaba_arena.store.store import Store
from fudaba_arena.tournament.definition import stored_tournament
from fudaba_arena.tournament.file import Source
from fudaba_arena.tournament.season import Span
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.arena.hosting import alone
from tests.support.folders import short_folder

SEASON = "open.1"
FILE = """\
name = "open"
game = "naga"

[season]
begins = 2100-01-01T00:00:00Z

[[bots]]
name = "first"
builtin = "first"
"""


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    with short_folder() as place, EmbeddedValkey(place / "store") as server:
        opened = Store(server.url)
        yield opened
        await opened.close()


async def test_a_freeze_holds_in_a_state_that_was_read_just_before_it(store: Store, tmp_path: Path) -> None:
    arena = alone(store, tmp_path)
    source = Source(FILE, "definition", None, hosted=True, span=Span())
    await store.steering.store_source(SEASON, FILE)
    begun = await begin(source.read(), store)
    season = ArenaTournament(arena, begun, source, "paused")
    read_before = await stored_state(store, SEASON)
    assert read_before is not None

    assert await SeasonEdits(season, store, arena.service).freeze(None)
    season._followed.take(read_before)

    now_ms = int(time.time() * 1000)
    definition = season.state.tournament.season
    assert definition is not None
    assert definition.standings_frozen(now_ms)
    assert stored_tournament(SEASON, season.state.stored.definition, 1).edits == season.state.tournament.edits
    await arena.service.close()


async def test_an_edit_stored_just_before_play_begins_is_no_obstacle(store: Store, tmp_path: Path) -> None:
    await store.service.take("")
    arena = alone(store, tmp_path)
    text = FILE.replace("2100", "2020")
    source = Source(text, "definition", None, hosted=True, span=Span())
    await store.steering.store_source(SEASON, text)
    begun = await begin(source.read(), store)
    season = ArenaTournament(arena, begun, source, "playing")
    read_elsewhere = await stored_state(store, SEASON)
    assert read_elsewhere is not None
    elsewhere = ArenaTournament(arena, read_elsewhere, source, "playing")

    assert await SeasonEdits(elsewhere, store, arena.service).freeze(None)
    assert await season._attempt(1.0) == 0.0, "it tries again at once"

    assert season.obstacle is None
    assert season.state.tournament.edits == elsewhere.state.tournament.edits
    await arena.service.close()


async def test_standings_of_a_closed_season_open_in_a_state_that_was_read_just_before_it(
    store: Store, tmp_path: Path
) -> None:
    arena = alone(store, tmp_path)
    source = Source(FILE, "definition", None, hosted=True, span=Span())
    await store.steering.store_source(SEASON, FILE)
    begun = await begin(source.read(), store)
    season = ArenaTournament(arena, begun, source, "paused")
    edits = SeasonEdits(season, store, arena.service)
    assert await edits.freeze(None)
    await close_for_good(season.state, store)
    read_before = await stored_state(store, SEASON)
    assert read_before is not None

    assert await edits.open()
    season._followed.take(read_before)
    await season._take_steering()

    definition = season.state.tournament.season
    assert definition is not None
    assert not definition.standings_frozen(int(time.time() * 1000))
    await arena.service.close()
