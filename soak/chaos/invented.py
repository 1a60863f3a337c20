"""A made-up match that was never on a service, with its record and its bots' messages, for tests of the checker."""

from __future__ import annotations

from typing import Final

from fudaba.codec import option_to_proto
from fudaba.replay import Replay
from fudaba.v1 import play_pb2, record_pb2
from fudaba_games.registry import GAMES
from fudaba_games.shuffle import commitment
from soak.chaos.evidence import Evidence
from soak.chaos.journal import SeatJournal

__all__ = ["invented", "record_in"]

_SEED: Final = bytes(32)
_SALT: Final = bytes(16)
_BEGAN_MS: Final = 1_700_000_000_000
_BEGAN_SECONDS: Final = 100.0
"""The time when it began, by the client's clock."""
_THINKING_SECONDS: Final = 0.02


def invented(game: str = "naga") -> Evidence:
    """Returns a whole match without a fault: each seat plays its last legal move, 20 ms after it was asked."""
    match_id, rules = "m-1", GAMES[game]
    header = record_pb2.MatchHeader(
        match_id=match_id,
        game=game,
        rules_version=rules.rules_version,
        options={name: option_to_proto(value) for name, value in rules.resolve_options({}).items()},
        players=[record_pb2.Player(bot=f"p{seat}", version="1") for seat in range(rules.min_seats)],
        clock=record_pb2.Clock(move_ms=5_000, max_timeouts=1),
        commitment=commitment(_SALT, _SEED, match_id),
    )
    header.create_time.FromMilliseconds(_BEGAN_MS - 1)
    telling = _Telling(Replay(header, _SEED))
    for seat in range(rules.min_seats):
        telling.store(record_pb2.LogEntry(seat=seat, ready=record_pb2.Ready()))
    while not telling.replay.over:
        telling.answer()
    record = record_pb2.MatchRecord(header=header, salt=_SALT, seed=_SEED, log=telling.log, end=telling.replay.end())
    raw = record.SerializeToString(deterministic=True)
    where: dict[str, bytes | str] = {"replica-0": raw, "replica-1": raw, "archive": raw}
    return Evidence(match_id, game, frozenset(), telling.journals, where, [], telling.now + 1.0, seats=rules.min_seats)


def record_in(evidence: Evidence) -> record_pb2.MatchRecord:
    """Returns the record of the evidence, which tests change and put back everywhere."""
    raw = evidence.records["archive"]
    assert isinstance(raw, bytes)
    return record_pb2.MatchRecord.FromString(raw)


class _Telling:
    """Stores entries and notifies the seats, like a service without any disturbance."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.now = _BEGAN_SECONDS
        self.log: list[record_pb2.LogEntry] = []
        self.journals = [SeatJournal(replay.header.match_id, f"p{seat}") for seat in range(replay.seats)]
        self._put: list[play_pb2.Decision | None] = [None] * replay.seats

    def store(self, entry: record_pb2.LogEntry) -> None:
        """Adds an entry now, and notifies everybody."""
        entry.at_ms = _BEGAN_MS + int((self.now - _BEGAN_SECONDS) * 1000)
        self.log.append(entry)
        self.replay.apply(entry)
        self.now += 0.005
        for seat, journal in enumerate(self.journals):
            self._tell(seat, journal, entry)

    def answer(self) -> None:
        """Answers for the first seat that owes a decision."""
        decision = self.replay.match.open_decisions()[0]
        seat, index = decision.seat, len(decision.legal) - 1
        journal = self.journals[seat]
        self.now += _THINKING_SECONDS
        decided = journal.latest(decision.id)
        assert decided is not None
        decided.ready = decided.ready or self.now
        answer = play_pb2.Answer(match_id=journal.match_id, decision_id=decision.id, index=index)
        journal.answered(decided, answer, self.now, 0)
        entry = record_pb2.LogEntry(seat=seat, decision_id=decision.id)
        self.replay.codec.move_to_proto(decision.legal[index], entry.move)
        self.now += 0.005
        entry.spent.bot_us = int((self.now - decided.received) * 1e6)
        self.store(entry)

    def _tell(self, seat: int, journal: SeatJournal, entry: record_pb2.LogEntry) -> None:
        match = self.replay.match
        update = play_pb2.SeatUpdate(match_id=journal.match_id, seat=seat)
        if not self.replay.started:
            return
        for event in match.shown(seat)[len(journal.events) :]:
            self.replay.codec.event_to_proto(event, update.events.add())
        update.seen = len(match.shown(seat))
        if entry.HasField("move") and entry.seat == seat:
            update.accepted.append(entry.decision_id)
        decision = match.open(seat)
        if decision is not None and decision.id not in journal.decided:
            update.decision.decision_id = decision.id
            update.decision.legal_count = len(decision.legal)
        if self.replay.over:
            update.over.CopyFrom(self.replay.end())
        journal.take(update, self.now, 0)
