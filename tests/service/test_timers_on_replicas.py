"""Timers of a game's rules with two replicas on one Redis: what both could do happens once, at its time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from fudaba.codec import option_to_proto
from fudaba.replay import Replay
from fudaba.v1 import record_pb2
from tests.support.patience import until
from tests.support.service import bots
from tests.support.service.bots import Bot, Stream, play_match
from tests.support.service.in_progress import started
from tests.support.service.journal import Journal
from tests.support.service.organiser import PATIENT, Entrant, Organiser, StoreView, kinds, refused
from tests.support.service.players import shown
from tests.support.service.processes import RedisServer, Service
from tests.support.service.realtime import TEXTS, begun, both_have_an_ace, submit
from tests.support.service.windows import SEED, closed_windows, one_deal

LONG: Final = pytest.mark.nightly(
    "the same of Tashot; `test_windows.py` has the windows of Numbers Crush at one replica"
)


class Replicas(NamedTuple):
    """Two of them, with a caller at each, and two bots of which each has a home at another."""

    services: tuple[Service, Service]
    callers: tuple[Organiser, Organiser]
    entrants: tuple[Entrant, Entrant]

    def bots(self, pace: float = 0.0) -> list[Bot]:
        """Returns a bot for each entrant, with its own order of the replicas, playing by chance."""
        addresses = [service.address for service in self.services]
        return [
            Bot(addresses[n:] + addresses[:n], entrant.token, bots.slow(pace), chance=n)
            for n, entrant in enumerate(self.entrants)
        ]


@pytest.fixture
async def replicas(folder: Path, redis: RedisServer) -> AsyncIterator[Replicas]:
    with started(folder, redis, "one") as first, started(folder, redis, "two") as two:
        async with Organiser(first.address, first.token) as here, Organiser(two.address, first.token) as there:
            yield Replicas((first, two), (here, there), (await here.entrant(), await here.entrant()))


def check_journals(record: record_pb2.MatchRecord, match_id: str, players: list[Bot], *, standing: bool) -> None:
    """Every bot was told what the record shows its seat, and no decision was answered twice.

    A standing decision is put again and again; an answer to any of these is accepted, and the first one is made.
    """
    for seat, player in enumerate(players):
        journal = player.journals[match_id]
        assert journal.events == shown(record, seat)
        moves = [e.decision_id for e in record.log if e.seat == seat and e.HasField("move")]
        assert len(moves) == len(set(moves))
        assert standing or set(journal.accepted) <= set(moves)


@pytest.mark.parametrize("game", ["tashot", pytest.param("numbers_crush", marks=LONG)])
@pytest.mark.exhaustive
async def test_a_window_of_which_both_replicas_know_is_closed_once(replicas: Replicas, game: str) -> None:
    match_id = await replicas.callers[0].match(*replicas.entrants, game=game, options=one_deal(20), seed=SEED)
    players = replicas.bots()
    await play_match(*players)
    record = await replicas.callers[1].record(match_id)
    assert closed_windows(record) > 0
    check_journals(record, match_id, players, standing=False)
    assert [player.connections for player in players] == [1, 1]


@pytest.mark.exhaustive
async def test_a_window_is_closed_also_if_a_replica_is_killed_while_it_is_open(replicas: Replicas) -> None:
    match_id = await replicas.callers[1].match(*replicas.entrants, game="tashot", options=one_deal(60), seed=SEED)
    players = replicas.bots()
    playing = asyncio.ensure_future(play_match(*players))
    journal = players[1].journal(match_id)
    await until(lambda: playing.done() or has_discards(journal, 2), "the second discard")
    assert not playing.done()
    replicas.services[0].kill()
    await playing
    record = await replicas.callers[1].record(match_id)
    assert closed_windows(record) > 2
    check_journals(record, match_id, players, standing=False)
    assert [player.connections for player in players] == [2, 1]


REALTIME: Final = {"pace": option_to_proto("realtime"), "stuck_ms": option_to_proto(2000)}
TIMED: Final = {"tashot": one_deal(2000), "numbers_crush": one_deal(2000), "nerts": REALTIME}


@pytest.mark.exhaustive
@pytest.mark.parametrize("game", TIMED)
async def test_a_timer_of_a_killed_replica_rings_though_no_bot_comes_back_and_nobody_asks_for_the_match(
    replicas: Replicas, redis: RedisServer, game: str
) -> None:
    home, caller = replicas.services[0], replicas.callers[0]
    # Decisions may take an hour: all that another replica can be in time for is the timer.
    match_id = await caller.match(*replicas.entrants, game=game, clock=PATIENT, options=TIMED[game], seed=SEED)
    header = (await caller.get(match_id)).header
    store = StoreView(redis.url)
    playing = asyncio.ensure_future(play_match(*caller.by_chance(*replicas.entrants)))
    with contextlib.closing(store.client):
        stopped: list[bytes] = []

        def stopped_while_a_timer_runs() -> bool:
            home.freeze()
            stopped[:] = store.log(match_id)
            if timer_runs(header, stopped):
                return True
            home.thaw()
            return playing.done()

        await until(stopped_while_a_timer_runs, "a timer")
        assert not playing.done()
        home.kill()
        playing.cancel()
        # A match that is over is no longer in the store; without bots only the referee can have ended it.
        await until(lambda: not (log := store.log(match_id)) or fires(log[len(stopped) :]), "the end of the timer")


def timer_runs(header: record_pb2.MatchHeader, log: list[bytes]) -> bool:
    """Returns whether a timer runs at the end of a log."""
    replay = Replay(header, SEED)
    for raw in log:
        replay.apply(record_pb2.LogEntry.FromString(raw))
    return bool(replay.timers)


def fires(log: list[bytes]) -> bool:
    """Returns whether the referee has done something in this part of a log."""
    return any(record_pb2.LogEntry.FromString(raw).HasField("referee") for raw in log)


def has_discards(journal: Journal, count: int) -> bool:
    """Returns whether a seat has seen this many discards, by anybody."""
    return sum(event.tashot.WhichOneof("kind") == "discarded" for event in journal.events) >= count


async def test_a_place_that_two_want_at_two_replicas_is_the_firsts_and_the_other_one_comes_too_late(
    replicas: Replicas,
) -> None:
    match_id = await begun(replicas.callers[0], *replicas.entrants, seed=both_have_an_ace())
    first, two = (
        Stream(service.address, entrant.token)
        for service, entrant in zip(replicas.services, replicas.entrants, strict=True)
    )
    async with first, two:
        for stream in (first, two):
            await stream.hello(delivery=TEXTS)
        asked = [(await stream.decision()).decision for stream in (first, two)]
        aces = [next(text for text in decision.legal_texts if "found" in text) for decision in asked]
        calls = [
            submit(caller, entrant, match_id, decision.decision_id, text)
            for caller, entrant, decision, text in zip(replicas.callers, replicas.entrants, asked, aces, strict=True)
        ]
        # Both may start a foundation, each with its own id; the id of one is what the other one wanted.
        answers = await asyncio.gather(*calls, return_exceptions=True)
        failed = [place for place, answer in enumerate(answers) if isinstance(answer, BaseException)]
        assert len(failed) == 1
        late = failed[0]
        again = submit(replicas.callers[late], replicas.entrants[late], match_id, asked[late].decision_id, aces[late])
        await refused(again, "STALE", "too late")
    record = await replicas.callers[0].get(match_id)
    assert not record.HasField("end"), "a move that came too late costs nothing"


@pytest.mark.exhaustive
async def test_a_match_in_real_time_goes_on_at_the_other_replica_and_the_referee_acts_once(replicas: Replicas) -> None:
    match_id = await begun(replicas.callers[1], *replicas.entrants, hand_ms=10, stuck_ms=300)
    players = replicas.bots(0.01)
    playing = asyncio.ensure_future(play_match(*players))
    await until(
        lambda: playing.done() or all(len(player.journal(match_id).events) > 12 for player in players),
        "the middle of the match",
    )
    assert not playing.done()
    replicas.services[0].kill()
    await playing
    record = await replicas.callers[1].record(match_id)
    assert "referee" in kinds(record)
    assert record.end.HasField("outcome")
    check_journals(record, match_id, players, standing=True)
