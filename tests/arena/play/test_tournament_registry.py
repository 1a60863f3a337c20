"""The tournaments of an arena are found whatever is in the way of some, and none is begun by an arena that stops."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from fudaba_arena.play.standing_arena import tournament_registry
from fudaba_arena.play.standing_arena.obstacles import Obstacle
from fudaba_arena.play.standing_arena.tournament_registry import TournamentRegistry
from fudaba_arena.play.tournaments.followed_tournament import stored_state
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.store import Store
from fudaba_arena.store.tournaments.season_archive import SeasonUnavailable
from fudaba_arena.tournament.definition import BotEntry, Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import Season
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.arena.hosting import alone
from tests.support.arena.store.results import IDS, OTHER, RESULT, counting
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE, until

SEASON = "open.1"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with short_folder() as place, EmbeddedValkey(place / "store") as server:
        yield server.url


@pytest.fixture
async def store(url: str, tmp_path: Path) -> AsyncIterator[Store]:
    opened = Store(url, tmp_path / "archive")
    await opened.connect()
    await opened.service.take("")
    yield opened
    await opened._redis.flushall()
    await opened.close()


@asynccontextmanager
async def hosting(store: Store, folder: Path) -> AsyncIterator[TournamentRegistry]:
    arena = alone(store, folder)
    registry = TournamentRegistry(arena, None)
    try:
        yield registry
    finally:
        await registry.leave()
        await arena.service.close()


async def begin(store: Store, name: str, source: str = "") -> None:
    """Begins a tournament, or a season that nobody has entered, as another arena does."""
    season = Season(name.partition(".")[0]) if name.endswith(".1") else None
    bots = tuple(BotEntry(bot, command=("bot",)) for bot in "ab") if season is None else ()
    if source:
        await store.steering.store_source(name, source)
    await store.begin(name, Tournament(name, (TournamentGame("naga"),), bots, season=season).definition(), bytes(32))


async def archived(store: Store, folder: Path, *seasons: str) -> Path:
    """Seasons whose only blocks were moved to the archive, which is away. Returns where it is."""
    for season in seasons or (SEASON,):
        await begin(store, season)
        for result in (RESULT, OTHER):
            await store.open_blocks.store_result(season, 0, 0, result)
        assert await store.open_blocks.store_closed(season, counting(0, RESULT, OTHER), 0, IDS)
        assert await store.archive.move(season) == 1
    return (folder / "archive").rename(folder / "away")


async def test_a_season_whose_archive_is_away_is_left_out_for_a_while_and_found_by_who_asks(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = await archived(store, tmp_path)
    async with hosting(store, tmp_path) as registry:
        await registry.open()
        away.rename(tmp_path / "archive")
        await registry.find_new()
        assert sum(registry.states().values()) == 0, "the files are not read again at once"
        assert await registry.find(SEASON) is not None
        assert sum(registry.states().values()) == 1
    (tmp_path / "archive").rename(away)
    monkeypatch.setattr(tournament_registry, "_UNAVAILABLE_SECONDS", 0.0)
    async with hosting(store, tmp_path) as registry:
        with pytest.raises(SeasonUnavailable):
            await registry.find(SEASON)
        away.rename(tmp_path / "archive")
        await registry.find_new()
        assert sum(registry.states().values()) == 1, "that while is over"


async def test_lists_never_try_again_what_could_not_be_read_and_looks_try_one_season_at_a_time(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournament_registry, "_UNAVAILABLE_SECONDS", 0.0)
    away = await archived(store, tmp_path, SEASON, "shut.1")
    tried: list[str] = []

    async def counted(store: Store, name: str) -> ScheduledTournament | None:
        tried.append(name)
        return await stored_state(store, name)

    monkeypatch.setattr(tournament_registry, "stored_state", counted)
    async with hosting(store, tmp_path) as registry:
        await registry.open()
        assert sorted(tried) == [SEASON, "shut.1"]
        tried.clear()
        await begin(store, "cup")
        for _ in range(2):
            assert [arena_tournament.name for arena_tournament in await registry.all()] == ["cup"]
        assert tried == ["cup"]
        tried.clear()
        await registry.find_new()
        assert len(tried) == 1
        away.rename(tmp_path / "archive")
        await registry.find_new()
        assert [arena_tournament.name for arena_tournament in await registry.all()] == ["cup", SEASON, "shut.1"]


async def test_a_season_that_is_slow_to_read_holds_up_no_other_tournament(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begin(store, SEASON)
    await begin(store, "cup")
    reading, there = asyncio.Event(), asyncio.Event()
    read = stored_state

    async def slow(store: Store, name: str) -> ScheduledTournament | None:
        if name == SEASON:
            reading.set()
            await there.wait()
        return await read(store, name)

    monkeypatch.setattr(tournament_registry, "stored_state", slow)
    async with hosting(store, tmp_path) as registry:
        finding = [asyncio.create_task(registry.find(SEASON)) for _ in range(2)]
        await reading.wait()
        assert await asyncio.wait_for(registry.find("cup"), PATIENCE) is not None
        assert not any(task.done() for task in finding)
        there.set()
        first, second = await asyncio.gather(*finding)
        assert first is second is not None, "it is read once"


async def test_an_arena_that_is_stopping_takes_up_nothing_and_shows_what_is_asked_for(
    store: Store, tmp_path: Path
) -> None:
    async with hosting(store, tmp_path) as registry:
        await begin(store, "early", "its definition")
        await registry.find_new()
        assert registry.unfinished() == ["early"]
        await registry.leave()
        await begin(store, "late", "its definition")
        await registry.find_new()
        assert registry.unfinished() == ["early"]
        tasks = asyncio.all_tasks()
        found = await registry.find("late")
        assert found is not None
        assert found.state.tournament.name == "late"
        assert asyncio.all_tasks() <= tasks, "nothing plays it"


async def test_what_is_played_elsewhere_is_shown_while_the_store_is_full_and_noted_once_there_is_room(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fudaba_arena.play.tournaments.followed_tournament.STALE_SECONDS", 0.0)
    await begin(store, "cup")
    async with hosting(store, tmp_path) as registry:
        arena_tournament = await registry.find("cup")
        assert arena_tournament is not None
        noted = arena_tournament.journal.length
        await store.withdraw("cup", "b", "it does not start")
        await store.close_tournament("cup")
        await store._redis.config_set("maxmemory", 1)
        try:
            assert await registry.find("cup") is arena_tournament
            assert await registry.all() == [arena_tournament]
            assert arena_tournament.state.stored.withdrawn == {"b": "it does not start"}
            assert arena_tournament.state_name == "closed"
            assert arena_tournament.journal.length == noted
        finally:
            await store._redis.config_set("maxmemory", 0)
        await registry.find("cup")
        changes = await arena_tournament.journal.after(noted, 10)
        assert {(change.kind, change.subject) for change in changes} == {("withdrawal", "b"), ("state", "closed")}


async def test_what_a_fault_kept_from_being_noted_is_noted_after_it(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begin(store, "cup", "its definition")
    await store.steering.want("cup", "paused")
    async with hosting(store, tmp_path) as registry:
        arena_tournament = await registry.find("cup")
        assert arena_tournament is not None
        note, faults = arena_tournament.journal.catch_up, list[str]()

        async def struck(state: ScheduledTournament, word: str) -> bool:
            if not faults:
                faults.append("a fault that nobody foresaw")
                raise RuntimeError(faults[0])
            return await note(state, word)

        monkeypatch.setattr(arena_tournament.journal, "catch_up", struck)
        arena_tournament.obstacle = Obstacle("a test")
        arena_tournament._keeper.stir()

        async def noted() -> bool:
            return arena_tournament.journal.state_name == "stalled"

        await until(noted, "the change is noted")
        assert faults
