"""What a seat was told of a match and what it answered, written down as it comes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from fudaba.v1 import game_pb2, play_pb2, record_pb2


@final
@dataclass
class Journal:
    """What a seat was told of one match."""

    match_id: str
    seat: int = -1
    header: record_pb2.MatchHeader | None = None
    events: list[game_pb2.Event] = field(default_factory=list)
    seen: int = 0
    history: int = 0
    decisions: list[play_pb2.Decision] = field(default_factory=list)
    answers: dict[str, play_pb2.Answer] = field(default_factory=dict)
    """The first answer sent to each decision."""
    sent: dict[str, list[play_pb2.Answer]] = field(default_factory=dict)
    """All answers sent to each decision."""
    accepted: list[str] = field(default_factory=list)
    acknowledged: int = 0
    """How often an answer was acknowledged, those that were lost later included."""
    timed_out: list[str] = field(default_factory=list)
    refusals: list[play_pb2.Refusal] = field(default_factory=list)
    rewinds: int = 0
    over: record_pb2.MatchEnd | None = None
    updates: list[play_pb2.SeatUpdate] = field(default_factory=list)

    @property
    def so_far(self) -> play_pb2.Seen:
        """What a bot says when it comes back."""
        return play_pb2.Seen(match_id=self.match_id, seen=self.seen, history=self.history)

    def take(self, update: play_pb2.SeatUpdate, *, events: bool = True) -> None:
        """Writes an update down. Events must come without gaps and without repetition."""
        assert update.match_id == self.match_id
        assert self.seat in {-1, update.seat}
        self.seat = update.seat
        self.updates.append(update)
        if update.HasField("over") and not update.HasField("started") and not update.seen and not update.rewound:
            # How a match ended is told once more, and nothing else of it: whether this bot has heard it was not known.
            assert self.over is None or self.over == update.over
            self.over = update.over
            return
        anew = update.HasField("started") and update.events and len(update.events) == update.seen
        if self.over is not None and anew and not update.rewound:
            # A match that is over, and not yet put away, begins anew on a stream whose `hello` did not name it.
            assert (update.over, list(update.events)) == (self.over, self.events)
            return
        if update.rewound:
            self.rewinds += 1
            self.accepted.clear()
            self.decisions.clear()
            self.over = None
            del self.events[update.seen - len(update.events) :]
        self.events.extend(update.events)
        self.seen, self.history = update.seen, update.history
        if events:
            assert len(self.events) == update.seen
        if update.HasField("started"):
            self.header = update.started
        self.accepted += update.accepted
        self.acknowledged += len(update.accepted)
        self.timed_out += update.timed_out
        if update.HasField("decision"):
            self.decisions.append(update.decision)
        if update.HasField("over"):
            assert self.over is None or self.over == update.over
            self.over = update.over
