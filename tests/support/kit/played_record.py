"""Records of whole matches of any game, as a service would write them, with what each seat was shown."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fudaba.codec import option_to_proto
from fudaba.replay import Replay
from fudaba.v1 import game_pb2, record_pb2
from fudaba_games.game import OptionValue
from fudaba_games.match import OpenDecision
from fudaba_games.registry import game
from fudaba_games.shuffle import commitment

Choose = Callable[[OpenDecision[Any]], int]
"""The index of the move that is played."""


@dataclass
class Shown:
    """The facts that a seat was shown with a decision."""

    decision_id: str
    view: bytes
    legal: int
    seen: int


class Playing:
    """A match that is played and recorded."""

    def __init__(
        self, game_id: str, seats: int = 0, options: dict[str, OptionValue] | None = None, clock: str = ""
    ) -> None:
        rules = game(game_id)
        self.record = record_pb2.MatchRecord(seed=bytes(range(32)), salt=bytes(16))
        header = self.record.header
        header.match_id, header.game, header.rules_version = f"played-{game_id}", game_id, rules.rules_version
        for seat in range(seats or rules.min_seats):
            header.players.add(bot=f"bot-{seat}", version="1")
        for name, value in rules.resolve_options(options or {}).items():
            header.options[name].CopyFrom(option_to_proto(value))
        header.clock.move_ms, header.clock.bank_ms, header.clock.max_timeouts = 10_000, 60_000, 3
        header.commitment = commitment(self.record.salt, self.record.seed, header.match_id)
        header.create_time.FromMilliseconds(1_700_000_000_000)
        self.replay = Replay(header, self.record.seed)
        self.at_ms = 1_700_000_000_000
        self.shown: list[list[Shown]] = [[] for _ in range(self.replay.seats)]
        for seat in range(self.replay.seats):
            self.log(record_pb2.LogEntry(seat=seat, ready=record_pb2.Ready()))

    def log(self, entry: record_pb2.LogEntry) -> None:
        """Adds an entry."""
        self.at_ms += 1
        entry.at_ms = self.at_ms
        self.replay.apply(entry)
        self.record.log.append(entry)

    def move(self, decision: OpenDecision[Any], index: int) -> None:
        """Answers a decision."""
        self.shown[decision.seat].append(self._shown(decision))
        entry = record_pb2.LogEntry(seat=decision.seat, decision_id=decision.id)
        entry.spent.bot_us = 1500
        self.replay.codec.move_to_proto(decision.legal[index], entry.move)
        self.log(entry)

    def _shown(self, decision: OpenDecision[Any]) -> Shown:
        view = game_pb2.View()
        self.replay.codec.view_to_proto(self.replay.match.view(decision.seat), view)
        seen = len(self.replay.match.shown(decision.seat))
        return Shown(decision.id, view.SerializeToString(deterministic=True), len(decision.legal), seen)

    def play(self, choose: Choose, most: int = 100_000) -> record_pb2.MatchRecord:
        """Plays on to the end, or for this many moves, and returns the record."""
        match, moves = self.replay.match, 0
        while not self.replay.over and moves < most:
            due = match.open_decisions()
            if not due:
                timer = match.game.next_timer(match.state)
                assert timer is not None
                self.at_ms += timer.ms
                self.log(record_pb2.LogEntry(referee=record_pb2.Referee(timer=timer.name)))
                continue
            self.move(due[moves % len(due)], choose(due[moves % len(due)]))
            moves += 1
        return self.ended()

    def ended(self) -> record_pb2.MatchRecord:
        """Returns the record, with its end if the match is over."""
        if self.replay.over:
            self.record.end.CopyFrom(self.replay.end())
        return self.record


def by_chance(seed: int) -> Choose:
    """Moves at random, always the same."""
    chance = random.Random(seed)
    return lambda decision: chance.randrange(min(len(decision.legal), 50))


def first(_: OpenDecision[Any]) -> int:
    """Returns the default move."""
    return 0
