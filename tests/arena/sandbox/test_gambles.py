"""A bot that breaks its answers off, looks, and answers anew can neither take a move back nor win time by that."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

import pytest

from fudaba.replay import Replay
from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.relay import Relay
from fudaba_arena.tournament.limits import Limits
from tests.support.arena.sandbox.raw_calls import RawConnection, raw_connection
from tests.support.service.bots import Bot, by_chance
from tests.support.service.organiser import HOUR_MS, Organiser
from tests.support.sizes import some

pytestmark = pytest.mark.asyncio(loop_scope="module")

CLOCK = record_pb2.Clock(move_ms=HOUR_MS, bank_ms=HOUR_MS, start_ms=HOUR_MS, max_illegal=10)
WATCH, SUBMIT = (f"/fudaba.v1.PlayService/{name}" for name in ("WatchSeat", "SubmitMove"))
MIN_DECISIONS = some(12, least=5)
"""In so many of a match it gambles."""
MIN_TAKEN_BACK = 3
"""The number of answers after which another one was tried. Now and then an answer takes longer than all looks."""
LOOKS_PER_DECISION = 3
"""The number of times that it looks anew at each before it answers."""
ATTEMPTS_PER_CONNECTION = 4
"""The number of times that it tries each before it connects anew."""
PAUSES_SECONDS = (None, 0.0, 0.001, 0.003, 0.01)
"""The time for which an answer is left alone before it is broken off; None for in the same write."""


class Look(NamedTuple):
    """What a bot sees of its match that begins to watch it."""

    decision: play_pb2.Decision | None
    events: int
    over: bool


async def look(connection: RawConnection, match_id: str, stream: int) -> Look:
    """Returns the first news on a call that is broken off after that."""
    connection.call(stream, WATCH, play_pb2.WatchSeatRequest(match_id=match_id))
    async for message in connection.messages(stream):
        update = play_pb2.WatchSeatResponse.FromString(message).update
        connection.cancel(stream)
        decision = update.decision if update.HasField("decision") else None
        return Look(decision, update.seen, update.HasField("over"))
    raise AssertionError("nothing was told")


async def attempt(
    connection: RawConnection, match_id: str, decision: play_pb2.Decision, index: int, stream: int, pause: float | None
) -> None:
    """An answer that is broken off."""
    answer = play_pb2.Answer(match_id=match_id, decision_id=decision.decision_id, index=index)
    connection.call(stream, SUBMIT, play_pb2.SubmitMoveRequest(answer=answer), cancel=pause is None)
    if pause is not None:
        await asyncio.sleep(pause)
        connection.cancel(stream)


@asynccontextmanager
async def opponent(organiser: Organiser, match_id: str) -> AsyncIterator[None]:
    bot = Bot(organiser.address, await organiser.match_token(match_id, 1), by_chance)
    playing = asyncio.create_task(bot.play())
    yield
    playing.cancel()
    await asyncio.wait([playing])


class Gambler:
    """Tries each decision's first move, looks, and puts its last in the place of it; it writes down what it sees."""

    def __init__(self) -> None:
        self.tried = 0
        self.taken_back = 0
        self.shown: dict[str, set[int]] = {}
        """For each decision, how many events it has seen while it was still open."""
        self.looked_us: dict[str, int] = {}
        """For each decision, the microseconds from when it was told to the first attempt, in which it looked anew."""
        self.over = False

    async def play(self, relay: Relay, match_id: str) -> None:
        """Until the match is over, or enough decisions were made and tries taken back. Each connection is a round of
        looks and attempts.
        """
        while not self.over and (len(self.shown) < MIN_DECISIONS or self.taken_back < MIN_TAKEN_BACK):
            async with raw_connection(relay.path) as connection:
                seen = await look(connection, match_id, 1)
                self.over = seen.over
                if seen.decision is not None:
                    await self._gamble(connection, match_id, seen, seen.decision)

    async def _gamble(self, connection: RawConnection, match_id: str, seen: Look, decision: play_pb2.Decision) -> None:
        began, stream, after = time.monotonic(), 3, seen
        for _ in range(LOOKS_PER_DECISION):
            if not _is_open(decision, await look(connection, match_id, stream)):
                assert decision.decision_id in self.shown, "it was answered, and nobody had tried"
                return  # an answer of the connection before has reached the store after all
            stream += 2
        self.looked_us.setdefault(decision.decision_id, int((time.monotonic() - began) * 1e6))
        last = stream + 4 * ATTEMPTS_PER_CONNECTION
        while _is_open(decision, after) and stream < last:
            self.shown.setdefault(decision.decision_id, set()).add(after.events)
            await self._try(connection, match_id, decision, 0, stream)
            self.tried += 1
            after = await look(connection, match_id, stream + 2)
            stream += 4
        if not _is_open(decision, after) and decision.legal_count > 1:
            await self._try(connection, match_id, decision, decision.legal_count - 1, stream)
            self.taken_back += 1

    async def _try(
        self, connection: RawConnection, match_id: str, decision: play_pb2.Decision, index: int, stream: int
    ) -> None:
        pause = PAUSES_SECONDS[(self.tried + self.taken_back) % len(PAUSES_SECONDS)]
        await attempt(connection, match_id, decision, index, stream, pause)


def _is_open(decision: play_pb2.Decision, now: Look) -> bool:
    return now.decision is not None and now.decision.decision_id == decision.decision_id


@pytest.mark.parametrize("game", ["numbers_crush", "naga"])
@pytest.mark.exhaustive
async def test_an_answer_that_is_broken_off_is_no_try_that_can_be_taken_back(
    bubblewrap: Bubblewrap, organiser: Organiser, game: str
) -> None:
    entrants = [await organiser.entrant("gambler"), await organiser.entrant("other")]
    match_id = await organiser.match(*entrants, clock=CLOCK, game=game)
    token = await organiser.match_token(match_id, 0)
    relay = await Relay.open(organiser.endpoint, bubblewrap.new_socket(), Limits(), token)
    gambler = Gambler()
    try:
        async with opponent(organiser, match_id):
            await gambler.play(relay, match_id)
            if not gambler.over:
                abort = matches_pb2.AbortMatchRequest(match_id=match_id)
                await organiser.matches.AbortMatch(abort, metadata=organiser.metadata)
            record = await organiser.record(match_id)
    finally:
        await relay.close()
    assert gambler.taken_back >= MIN_TAKEN_BACK
    assert all(len(events) == 1 for events in gambler.shown.values()), "an open decision shows nothing of its outcome"
    replay, moves = Replay(record.header, record.seed), 0
    for entry in record.log:
        if entry.seat == 0 and entry.HasField("move"):
            decision = replay.match.open(0)
            assert decision is not None
            assert replay.codec.move_from_proto(entry.move) == decision.legal[0], "the first answer stands"
            spent = entry.spent.server_us + entry.spent.network_us + entry.spent.bot_us
            assert spent >= gambler.looked_us[entry.decision_id], "looking anew starts no clock anew"
            assert not entry.spent.network_us
            moves += 1
        replay.apply(entry)
    assert moves > 2
