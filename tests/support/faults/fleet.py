"""Plays many matches of every game at once, between bots that note everything that they receive."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import Final, final

from fudaba.v1 import game_pb2, play_pb2, record_pb2
from fudaba_games.registry import GAMES
from tests.support.patience import PATIENCE, until
from tests.support.service import bots
from tests.support.service.bots import Bot
from tests.support.service.journal import Journal
from tests.support.service.organiser import Organiser

PLAYED: Final = tuple(name for name in ("naga", "napoleon") if name in GAMES)
"""The games of these matches."""
DEALS: Final = {"naga": 3, "napoleon": 1}
"""The number of deals that make a match long enough to be in its middle when something breaks."""
STRICT: Final = record_pb2.Clock(move_ms=10_000, start_ms=60_000, max_timeouts=1)
"""A bot that is charged for an outage of ours forfeits."""
LONGER_SECONDS: Final = 10.5
"""Seconds: more than any bot has for a move."""
BOT_COUNT: Final = 10
PACE_SECONDS: Final = 0.02
ACKNOWLEDGED: Final = play_pb2.Delivery(legal_moves=play_pb2.LEGAL_MOVE_FORMAT_COUNT, acknowledge=True)


@final
class Fleet:
    """Bots, and the matches between them."""

    def __init__(self, organiser: Organiser, players: list[Bot], matches: dict[str, str]) -> None:
        self.organiser = organiser
        self.players = players
        self.matches = matches
        """The game of each match, by its id."""
        self.playing: list[asyncio.Task[Bot]] = []

    @property
    def journals(self) -> list[Journal]:
        """The notes of every bot about every match."""
        return [journal for player in self.players for journal in player.journals.values()]

    def of_match(self, match_id: str) -> list[Journal]:
        """Returns what was written down of a match, by seat."""
        return sorted((j for j in self.journals if j.match_id == match_id), key=lambda journal: journal.seat)

    @property
    def acknowledged(self) -> int:
        """The number of answers that were acknowledged so far, those that were lost later included."""
        return sum(journal.acknowledged for journal in self.journals)

    @property
    def some_are_over(self) -> bool:
        """Whether the first matches are over."""
        return any(journal.over for journal in self.journals)

    def start(self) -> None:
        """Lets the bots play until all their matches are over."""
        for player, count in zip(self.players, self._seats(), strict=True):
            if count:
                self.playing.append(asyncio.ensure_future(player.play(count, patience=PATIENCE)))

    async def under_way(self, moves: int = 2) -> None:
        """Waits until every match has seen this many moves, and none is over."""
        await self._progress(dict.fromkeys(self.matches, 0), moves)
        assert not any(journal.over for journal in self.journals), "matches are too short for this test"

    async def goes_on(self) -> None:
        """Waits until every match that is not over has seen one more move."""
        await self._progress(self._moves(), 1)

    async def finish(self) -> None:
        """Plays to the end of all matches."""
        await asyncio.gather(*self.playing)

    async def _progress(self, since: Counter[str] | dict[str, int], moves: int) -> None:
        def moved() -> bool:
            for task in self.playing:
                if task.done():
                    task.result()
            now, over = self._moves(), {journal.match_id for journal in self.journals if journal.over is not None}
            return all(match_id in over or now[match_id] >= since[match_id] + moves for match_id in self.matches)

        await until(moved, "the progress of all matches")

    def _moves(self) -> Counter[str]:
        moves: Counter[str] = Counter()
        for journal in self.journals:
            moves[journal.match_id] += journal.acknowledged
        return moves

    def _seats(self) -> list[int]:
        """Returns how many matches each bot has a seat in."""
        seats = [GAMES[game].min_seats for game in self.matches.values()]
        counts = [0] * len(self.players)
        first = 0
        for number in seats:
            for seat in range(number):
                counts[(first + seat) % len(counts)] += 1
            first += number
        return counts


def options_of(game: str, length: int = 1) -> dict[str, game_pb2.OptionValue]:
    """Long enough matches; `length` times as long."""
    return {"deals": game_pb2.OptionValue(number=length * DEALS[game])}


@contextlib.asynccontextmanager
async def fleet_in_progress(
    organiser: Organiser,
    addresses: Sequence[str],
    matches: int,
    *,
    games: Sequence[str] = PLAYED,
    clock: record_pb2.Clock = STRICT,
    pace: float = PACE_SECONDS,
    length: int = 1,
) -> AsyncIterator[Fleet]:
    """This many matches of these games in turn, all of them under way.

    With several addresses the bots are spread over them; each goes to the next one when its connection is lost.
    """
    entrants = [await organiser.entrant() for _ in range(BOT_COUNT)]
    players = [
        Bot(_turned(addresses, n), e.token, bots.slow(pace, bots.by_index), delivery=ACKNOWLEDGED, chance=n)
        for n, e in enumerate(entrants)
    ]
    made: dict[str, str] = {}
    first = 0
    for number in range(matches):
        game = games[number % len(games)]
        seats = GAMES[game].min_seats
        at_table = [entrants[(first + seat) % BOT_COUNT] for seat in range(seats)]
        first += seats
        made[await organiser.match(*at_table, clock=clock, game=game, options=options_of(game, length))] = game
    fleet = Fleet(organiser, players, made)
    fleet.start()
    try:
        await fleet.under_way()
        yield fleet
    finally:
        for task in fleet.playing:
            task.cancel()
        await asyncio.gather(*fleet.playing, return_exceptions=True)


def _turned(addresses: Sequence[str], by: int) -> list[str]:
    start = by % len(addresses)
    return [*addresses[start:], *addresses[:start]]
