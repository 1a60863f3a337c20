"""The messages that a seat of a match received and sent, with their times. The checker knows nothing else beside the
records.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple, final

from fudaba.v1 import play_pb2

__all__ = ["Decided", "Note", "SeatJournal", "bare"]

_MAX_NOTES: Final = 400


class Note(NamedTuple):
    """An observation or an action, by the client's monotonic clock."""

    at: float
    text: str


@final
@dataclass
class Decided:
    """A decision in one history. If it is put again after `rewound`, it is another decision."""

    decision_id: str
    received: float
    """The time when it was first received."""
    replica: int
    ready: float = 0.0
    """The time when the answer was ready to be written, with or without a stream; 0 before that."""
    written: float = 0.0
    """The time when it was first written."""
    choices: list[bytes] = field(default_factory=list)
    """Every answer that was sent: the serialised message without match and decision.

    Answers in flight when the match was rewound to before them may still arrive, and answer the same decision.
    """
    accepted: float = 0.0
    """The time when it was first reported stored."""
    stands: bytes = b""
    """The move that SubmitMove last reported as standing."""
    restated: float = 0.0
    """The time when SubmitMove reported another standing move than before."""
    timed_out: float = 0.0
    elsewhere: bool = False
    """Whether an answer went to another replica than the one that put the decision."""
    overtaken: int = 0
    """The number of answers that came too late, because another seat had moved."""
    refused: str = ""
    """The reason why an answer was finally refused."""
    closed: float = 0.0
    """The time when it ended for this seat: accepted, closed, or replaced by a newer one."""
    again: bool = False
    """Whether it was last put again although its answer had been accepted or finally refused, so that the seat must
    answer again.
    """

    @property
    def measured(self) -> float:
        """The seat's own measurement of its time."""
        return max(0.0, self.ready - self.received)


@final
class SeatJournal:
    """The client's side of a seat."""

    def __init__(self, match_id: str, bot: str, *, wants_events: bool = True) -> None:
        self.match_id = match_id
        self.bot = bot
        self.seat = -1
        self.wants_events = wants_events
        self.game = ""
        self.real_time = False
        self.events: list[bytes] = []
        self.seen = 0
        self.history = 0
        self.decided: dict[str, list[Decided]] = {}
        """The decisions of each id, one for each history."""
        self.open: Decided | None = None
        self.rewound: list[float] = []
        """The times of the messages `rewound` to it."""
        self.over: bytes | None = None
        self.over_at = 0.0
        self.unheard = True
        """Whether it has received nothing about the match, or only its end."""
        self.ends: list[bytes] = []
        """Every end that was reported to it, in any history."""
        self.contradictions: list[Note] = []
        """The messages that cannot be right, whatever the record says."""
        self.notes: list[Note] = []

    @property
    def so_far(self) -> play_pb2.Seen:
        """Returns the state that it reports when it reconnects."""
        return play_pb2.Seen(match_id=self.match_id, seen=self.seen, history=self.history)

    @property
    def progress(self) -> int:
        """A value that grows with all news."""
        return len(self.events) + len(self.decided) + (self.over is not None)

    def note(self, at: float, text: str) -> None:
        """Adds a line to the report's notes."""
        self.notes.append(Note(at, text))
        if len(self.notes) > _MAX_NOTES:
            del self.notes[: _MAX_NOTES // 2]

    def take(self, update: play_pb2.SeatUpdate, at: float, replica: int) -> Decided | None:
        """Notes an update. Returns the decision to answer now, if it puts one."""
        self.seat = int(update.seat)
        if self._tells_only_the_end(update):
            self._take_over(update.over.SerializeToString(deterministic=True), at, replica)
            return None
        self.unheard = False
        if update.HasField("started"):
            self.game = update.started.game
            options = update.started.options
            self.real_time = "pace" in options and options["pace"].choice == "realtime"
        if update.rewound or self._begins_again(update):
            self._rewind(update, at, replica)
        self._take_events(update, at, replica)
        self.seen, self.history = update.seen, update.history
        for decision_id in update.accepted:
            self.accepted(decision_id, at, f"accepted by replica {replica}")
        for decision_id in update.timed_out:
            self._timed_out(decision_id, at, replica)
        put = self._put(update.decision, at, replica) if update.HasField("decision") else None
        if update.HasField("over"):
            self._take_over(update.over.SerializeToString(deterministic=True), at, replica)
        return put

    def _tells_only_the_end(self, update: play_pb2.SeatUpdate) -> bool:
        """Returns whether an update only repeats the end of a match on a bot's next stream, in case the bot missed
        it.
        """
        alone = update.HasField("over") and not update.HasField("started") and not update.rewound
        return alone and not update.seen and (bool(self.events) or self.unheard)

    def _begins_again(self, update: play_pb2.SeatUpdate) -> bool:
        """Returns whether a match starts over whose end this bot knew, so that the bot did not report what it had
        seen.
        """
        return self.over is not None and update.HasField("started") and not update.HasField("over")

    def accepted(self, decision_id: str, at: float, channel: str, stands: bytes = b"") -> None:
        """Notes that the seat learned that an answer is stored."""
        entry = self.latest(decision_id)
        if entry is None:
            self._contradict(at, f"decision {decision_id} was accepted, and never put")
            return
        if not entry.accepted:
            entry.accepted = at
            self.note(at, f"{decision_id} {channel}")
        self._close(entry, at)
        if stands and entry.stands and stands != entry.stands:
            entry.restated = at
            self.note(at, f"{decision_id}: another move stands than was said before")
        entry.stands = stands or entry.stands

    def latest(self, decision_id: str) -> Decided | None:
        """Returns a decision in the latest history in which it was put."""
        entries = self.decided.get(decision_id)
        return entries[-1] if entries else None

    def closed(self, decision_id: str, at: float, why: str) -> None:
        """Notes that an answer was finally refused."""
        entry = self.latest(decision_id)
        if entry is not None:
            entry.refused = why
            self._close(entry, at)
        self.note(at, f"{decision_id} refused: {why}")

    def overtaken(self, entry: Decided, at: float) -> None:
        """Notes that an answer came too late, because another seat had moved. The next answer is not known yet."""
        entry.overtaken += 1
        entry.ready = 0.0
        self.note(at, f"{entry.decision_id} refused: STALE")

    def answered(self, entry: Decided, answer: play_pb2.Answer, at: float, replica: int) -> None:
        """Notes that an answer was written."""
        choice = bare(answer)
        if choice not in entry.choices:
            entry.choices.append(choice)
        entry.written = entry.written or at
        entry.elsewhere = entry.elsewhere or replica != entry.replica
        self.note(at, f"{entry.decision_id} answered to replica {replica}")

    def _rewind(self, update: play_pb2.SeatUpdate, at: float, replica: int) -> None:
        self.rewound.append(at)
        common = update.seen - len(update.events)
        self.note(at, f"rewound to event {common} of {len(self.events)}, by replica {replica}")
        del self.events[common:]
        self.over = None
        self.open = None
        # "Forget every decision and answer since": one that is put again under its id is asked anew.
        for entries in self.decided.values():
            if not entries[-1].closed:
                entries[-1].closed = at

    def _take_events(self, update: play_pb2.SeatUpdate, at: float, replica: int) -> None:
        if not self.wants_events:
            return
        reported = [event.SerializeToString(deterministic=True) for event in update.events]
        begins, before = update.seen - len(reported), len(self.events)
        known = self.events[begins : begins + len(reported)]
        if begins > before:
            self._contradict(at, f"events {before} to {begins - 1} were left out by replica {replica}")
            self.events.extend([b""] * (begins - before))
        elif known != reported[: len(known)]:
            text = (
                f"events from {begins} on were told otherwise before, replica {replica} says, and nothing was rewound"
            )
            self._contradict(at, text)
        elif update.seen < before:
            text = f"{before} events were told, {update.seen} now by replica {replica}, and nothing was rewound"
            self._contradict(at, text)
        # What was told stays told: one mistake is one finding.
        self.events[begins : begins + len(reported)] = reported

    def _contradict(self, at: float, text: str) -> None:
        self.contradictions.append(Note(at, text))
        self.note(at, text)

    def _put(self, decision: play_pb2.Decision, at: float, replica: int) -> Decided | None:
        entries = self.decided.setdefault(decision.decision_id, [])
        entry = entries[-1] if entries else None
        told_since = [moment for moment in self.rewound if entry is not None and moment > entry.received]
        if entry is None or told_since:
            entry = Decided(decision.decision_id, at, replica, choices=list(entry.choices) if entry else [])
            entries.append(entry)
        entry.again = bool(entry.closed and (entry.accepted or entry.refused))
        if entry.again:
            entry.closed = 0.0
        if self.open is not None and self.open is not entry:
            self._close(self.open, at)
        self.open = entry
        self.note(at, f"{entry.decision_id} put by replica {replica}, {decision.time_ms} ms left")
        return entry

    def _timed_out(self, decision_id: str, at: float, replica: int) -> None:
        self.note(at, f"{decision_id} timed out, says replica {replica}")
        entry = self.latest(decision_id)
        if entry is None:
            entry = Decided(decision_id, 0.0, replica)
            self.decided[decision_id] = [entry]
        entry.timed_out = entry.timed_out or at
        self._close(entry, at)

    def _take_over(self, end: bytes, at: float, replica: int) -> None:
        if self.over is not None and self.over != end:
            self._contradict(at, f"another end than before was told by replica {replica}, and nothing was rewound")
        if self.over is None:
            self.over_at = at
            self.note(at, f"over, says replica {replica}")
        self.over = end
        self.ends.append(end)
        if self.open is not None:
            self._close(self.open, at)
            self.open = None

    @staticmethod
    def _close(entry: Decided, at: float) -> None:
        entry.closed = entry.closed or at


def bare(answer: play_pb2.Answer) -> bytes:
    """Returns an answer's choice, without its decision."""
    copy = play_pb2.Answer()
    copy.CopyFrom(answer)
    copy.match_id = copy.decision_id = ""
    return copy.SerializeToString(deterministic=True)
