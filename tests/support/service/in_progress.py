"""Services of a test's own, and matches in progress on them that must come through whatever happens."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from fudaba.v1 import game_pb2, play_pb2, record_pb2
from tests.support.patience import until
from tests.support.service import bots
from tests.support.service.bots import Bot, play_match
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import Organiser, kinds
from tests.support.service.players import shown
from tests.support.service.processes import RedisServer, Service, free_port

SHORT = record_pb2.Clock(move_ms=8_000, max_timeouts=1)
LONGER_SECONDS = 8.5
"""Seconds: more than SHORT allows for a move."""
LONG_MATCH = {"deals": game_pb2.OptionValue(number=4)}


@contextlib.contextmanager
def started(folder: Path, redis: RedisServer | None = None, name: str = "service") -> Iterator[Service]:
    """Yields a service of this test's own. With a Redis it is one of any number of replicas that share an archive.

    Without one its embedded store loses nothing that it has acknowledged.
    """
    options = ["--redis", redis.url] if redis is not None else ["--appendfsync", "always"]
    port = free_port()
    with Service(folder, *options, "--metrics", f"127.0.0.1:{port}", name=name, data=folder / "data") as service:
        service.metrics_port = port
        yield service.start()
        assert_no_fault(service)


class MatchInProgress:
    """A match between two bots, in progress."""

    def __init__(self, match_id: str, players: list[Bot], playing: asyncio.Task[None]) -> None:
        self.match_id = match_id
        self.players = players
        self.playing = playing

    @property
    def decided(self) -> int:
        """The number of decisions that have been put so far."""
        return sum(len(player.journal(self.match_id).decisions) for player in self.players)

    async def check(self, organiser: Organiser) -> record_pb2.MatchRecord:
        """Plays on to the end. Nobody paid, nothing acknowledged was lost, nothing was doubled."""
        await self.playing
        record = await organiser.record(self.match_id)
        assert set(kinds(record)) == {"ready", "move"}
        for seat, player in enumerate(self.players):
            journal = player.journals[self.match_id]
            assert journal.over == record.end
            assert journal.rewinds == 0
            assert journal.events == shown(record, seat)
            moves = [e.decision_id for e in record.log if e.seat == seat and e.HasField("move")]
            assert len(moves) == len(set(moves))
            assert set(journal.accepted) <= set(moves)
            assert journal.timed_out == []
        return record


@contextlib.asynccontextmanager
async def match_in_progress(
    organiser: Organiser, addresses: list[str], clock: record_pb2.Clock = SHORT, choose: bots.Choose | None = None
) -> AsyncIterator[MatchInProgress]:
    """Yields a long match, a few decisions old. Each bot has its own order of addresses, and is slow by default."""
    entrants = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(*entrants, clock=clock, options=LONG_MATCH)
    delivery = play_pb2.Delivery(legal_moves=play_pb2.LEGAL_MOVE_FORMAT_COUNT, acknowledge=True)
    players = [
        Bot(addresses[n:] + addresses[:n], e.token, choose or bots.slow(0.02), delivery=delivery, chance=n)
        for n, e in enumerate(entrants)
    ]
    playing = asyncio.create_task(play_match(*players))
    match = MatchInProgress(match_id, players, playing)
    await until(lambda: match.decided > 8 or playing.done(), "the beginning of the match")
    assert not playing.done()
    yield match
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)
