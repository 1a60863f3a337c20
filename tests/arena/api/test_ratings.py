"""Histories of ratings: whoever asks for them, and however, costs the arena and others little."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, cast

import numpy as np
import pytest

from fudaba.v1 import arena_pb2
from fudaba_arena.api.published import Published
from fudaba_arena.api.ratings import Ratings
from fudaba_arena.ladder.ladders import block_results, ladders_of
from fudaba_arena.ladder.published import Points
from fudaba_arena.ladder.rater import Rater
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult
from fudaba_arena.store.store import Store
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.definition import BotEntry, Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.folders import short_folder
from tests.support.patience import until

BLOCK_COUNT = 230
GAMES = ("naga", "makkaik")


class Known(NamedTuple):
    """What ratings need of a tournament of the arena."""

    name: str
    state: ScheduledTournament


def played(blocks: int) -> ScheduledTournament:
    """Returns a tournament of two games of which so many blocks are closed; no two went alike."""
    stored = StoredTournament({}, bytes(32), ClosedBlocks(), {}, set(), set(), {}, {}, 3, 0, 0, False)
    bots = tuple(BotEntry(f"bot-{number}", "random", stateless=True) for number in range(6))
    games = tuple(TournamentGame(game, blocks=20, win_margin=40) for game in GAMES)
    state = ScheduledTournament(Tournament("t", games, bots), stored)
    go_on(state, 0, blocks)
    return state


def go_on(state: ScheduledTournament, begin: int, end: int, since_ms: int = 1_000) -> None:
    """Closes the blocks of these slots."""
    chance = np.random.default_rng(begin)
    for slot in range(begin, end):
        block = state.schedule.block(slot)
        results = tuple(
            MatchResult(match.match_id, slot, match.deal, match.bots, (score, -score), "", "", since_ms + slot)
            for match, score in zip(block.matches, chance.integers(-40, 41, len(block.matches)).tolist(), strict=True)
        )
        closed = ClosedBlock(slot, slot, block.game, results, len(results), at_ms=since_ms + slot)
        state.stored.blocks.add([closed.line()])


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    with short_folder() as place, EmbeddedValkey(place / "store") as server:
        opened = Store(server.url)
        yield opened
        await opened.close()


def ratings_of_arena(store: Store | None = None) -> Ratings:
    """Returns the ratings of an arena; without a store it publishes nothing for others."""
    return Ratings(Published(Rater(), None if store is None else store.published))


def hosted(state: ScheduledTournament) -> ArenaTournament:
    return cast("ArenaTournament", Known("t", state))


@pytest.mark.exhaustive
async def test_all_histories_are_of_the_same_few_points_however_they_are_asked_for() -> None:
    tournament, ratings = hosted(played(BLOCK_COUNT)), ratings_of_arena()
    points: set[int] = set()
    for every in (0, 1, 2, 3, 5, 7, 9, 11, 50, 77, 101, 229, 230, 10_000):
        history = await ratings.history(tournament, "naga", every)
        numbers = [point.blocks for point in history.points]
        assert history.every_blocks >= every
        assert numbers == [*range(history.every_blocks, BLOCK_COUNT, history.every_blocks), BLOCK_COUNT]
        points.update(numbers)
    assert len(points) <= 50
    exact = await ratings.history(tournament, "naga", 64)
    assert exact.every_blocks == 64


async def test_a_point_is_the_ladder_of_the_entries_up_to_it() -> None:
    state, ratings = played(40), ratings_of_arena()
    for game in (*GAMES, "overall"):
        history = await ratings.history(hosted(state), game, 16)
        assert [point.point for point in history.points] == [16, 32, 40]
        assert [point.published for point in history.points] == [True, True, True]
        for point in history.points:
            ladder = ladders_of(state, block_results(state, np.arange(point.blocks))).named()[game]
            assert {rating.bot: rating.rating for rating in point.ratings} == pytest.approx(
                {row.bot: row.rating for row in ladder.rows}, abs=0.006
            )
            assert point.time.ToMilliseconds() == 1_000 + point.blocks - 1


async def test_standings_do_not_wait_for_a_history() -> None:
    tournament, ratings = hosted(played(BLOCK_COUNT)), ratings_of_arena()
    await ratings.ladders(tournament)
    histories = [asyncio.create_task(ratings.history(tournament, "overall", every)) for every in (0, 9, 33)]
    await asyncio.sleep(0)
    ladders = await ratings.ladders(tournament)
    assert ladders.blocks == BLOCK_COUNT
    assert not any(task.done() for task in histories)
    answers = await asyncio.gather(*histories)
    assert [answer.every_blocks for answer in answers] == [8, 16, 64]


async def test_what_was_published_stays_when_blocks_are_annulled_and_the_next_points_are_without_them() -> None:
    state, ratings = played(20), ratings_of_arena()
    before = await ratings.history(hosted(state), "naga", 4)
    state.stored.blocks.hold([Annulment((0, 1, 2, 3), "wrong", 5, after=20)])
    go_on(state, 20, 31)
    for other in (ratings, ratings_of_arena()):  # one that published them then, and one that does so now
        after = await other.history(hosted(state), "naga", 4)
        assert [(point.point, point.blocks) for point in after.points] == [
            (4, 4), (8, 8), (12, 12), (16, 16), (20, 20), (24, 19), (28, 23), (32, 27),
        ]  # fmt: skip
        assert list(after.points[:5]) == list(before.points)
        expected = ladders_of(state, block_results(state, np.arange(4, 23))).named()["naga"]
        assert ratings_of(after, 19) == pytest.approx({row.bot: row.rating for row in expected.rows}, abs=0.006)


async def test_another_arena_reads_what_was_published_and_fits_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = played(40)
    first = await ratings_of_arena(store).history(hosted(state), "naga", 1)
    assert [found.point for found in await store.published.all("t")] == list(range(1, 40))
    monkeypatch.setattr("fudaba_arena.api.published.ladders_at", None)
    assert await ratings_of_arena(store).history(hosted(state), "naga", 1) == first


async def test_a_history_is_whole_though_points_leave_the_memory_while_it_is_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fudaba_arena.api.published._MAX_KNOWN_POINTS", 3)
    state, published = played(20), Published(Rater(), None)
    history = asyncio.create_task(Ratings(published).history(hosted(state), "naga", 1))
    while not history.done():
        await published.messages(state, "naga", [20])  # lets the surplus go
        await asyncio.sleep(0)
    assert [point.point for point in (await history).points] == list(range(1, 21))


def test_blocks_are_added_while_another_thread_looks_for_a_point_before_an_annulment() -> None:
    state = played(0)
    lines = [ClosedBlock(number, number, GAMES[0], (), 0, at_ms=number).line() for number in range(6_000)]
    state.stored.blocks.add(lines[:3_000])
    state.stored.blocks.hold([Annulment((0,), "wrong", 5, after=2_000)])
    over = threading.Event()

    def look() -> set[tuple[int, int]]:
        found = {Points(state.stored.blocks).lengths(2_500)}
        while not over.is_set():
            found.add(Points(state.stored.blocks).lengths(2_500))
        return found

    with ThreadPoolExecutor(1) as thread:
        looking = thread.submit(look)
        try:
            for line in lines[3_000:]:
                state.stored.blocks.add([line])
        finally:
            over.set()
    assert looking.result() == {(2_499, 1)}


async def test_the_newest_numbered_point_is_published_though_nobody_asks(store: Store) -> None:
    state = played(69)
    publishing = asyncio.create_task(Published(Rater(), store.published).run(lambda: [state]))
    found = await until(lambda: store.published.all("t"), "the newest point is published")
    publishing.cancel()
    assert [(point.point, point.blocks, point.newest) for point in found] == [(68, 68, (67, 1_067))]


async def test_what_a_season_shows_while_its_standings_are_frozen_is_not_stored(store: Store) -> None:
    shown = Ratings(Published(Rater(), store.published, stores=False))
    assert len((await shown.history(hosted(played(10)), "naga", 2)).points) == 5
    assert await store.published.all("t") == []


async def test_points_of_blocks_that_a_store_lost_are_found_anew_and_others_stay() -> None:
    ratings, state = ratings_of_arena(), played(20)
    before = await ratings.history(hosted(played(40)), "naga", 16)
    assert [point.point for point in (await ratings.history(hosted(state), "naga", 16)).points] == [16, 20]
    go_on(state, 20, 40, since_ms=2_000)
    after = await ratings.history(hosted(state), "naga", 16)
    assert ratings_of(after, 16) == ratings_of(before, 16)
    for number in (32, 40):
        expected = ladders_of(state, block_results(state, np.arange(number))).named()["naga"]
        assert ratings_of(after, number) == pytest.approx({row.bot: row.rating for row in expected.rows}, abs=0.006)
        assert ratings_of(after, number) != ratings_of(before, number)


def ratings_of(history: arena_pb2.GetRatingHistoryResponse, blocks: int) -> dict[str, float]:
    [point] = [candidate for candidate in history.points if candidate.blocks == blocks]
    return {rating.bot: rating.rating for rating in point.ratings}


@pytest.mark.parametrize("game", ["naga", "overall"])
async def test_without_blocks_there_is_no_history(game: str) -> None:
    history = await ratings_of_arena().history(hosted(played(0)), game, 7)
    assert not history.points


def forfeited() -> ScheduledTournament:
    """Returns a tournament of three blocks, the last of which was forfeited."""
    state = played(2)
    block = state.schedule.block(2)
    results = tuple(
        MatchResult(match.match_id, 2, match.deal, match.bots, (40, -40), match.bots[1], "timeouts")
        for match in block.matches
    )
    state.stored.blocks.add([ClosedBlock(2, 2, block.game, results, len(results)).line()])
    return state


async def test_forfeits_are_those_of_the_blocks_that_count_now() -> None:
    state, ratings = forfeited(), ratings_of_arena()
    assert await ratings.forfeits(hosted(played(2))) == []
    assert sum(forfeit.matches for forfeit in await ratings.forfeits(hosted(state))) == len(
        state.schedule.block(2).matches
    )
    state.stored.blocks.hold([Annulment((2,), "wrong", 5)])
    assert await ratings.forfeits(hosted(state)) == []


async def test_forfeits_of_blocks_that_a_store_lost_are_dropped() -> None:
    ratings = ratings_of_arena()
    assert await ratings.forfeits(hosted(forfeited()))
    assert await ratings.forfeits(hosted(played(3))) == []
