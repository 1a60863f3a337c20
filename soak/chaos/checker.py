"""Finds the faults of a match from its clients' notes and the final records alone."""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

from fudaba import records
from fudaba.v1 import game_pb2, play_pb2, record_pb2
from soak.chaos.evidence import Charge, Count, Evidence, Finding
from soak.chaos.journal import Decided, SeatJournal, bare
from soak.chaos.time_jumps import Jump, largest_jump

__all__ = ["TOLERANCE_SECONDS", "check", "largest_charge"]

TOLERANCE_SECONDS: Final = 0.25
"""The seconds by which a decision may have cost more than its client measured."""
_MAX_LOST_SECONDS: Final = 1.0
"""The seconds before a fault that loses writes, in which acknowledged moves may be lost with it."""
LATE_SECONDS: Final = 1.0
"""The contract's limit for a replica that puts a decision late because its seat answers at another replica."""
_WRONG: Final = ("NOT_YOUR", "MATCH_NOT_FOUND", "MATCH_OPEN", "MALFORMED", "ILLEGAL", "TOKEN", "FAILED_PRECONDITION")
"""Reasons for which no answer to a put decision may be refused."""
_LOST_HISTORY: Final = ("MATCH_NOT_FOUND", "NOT_YOUR_DECISION", "NOT_YOUR_MATCH")
"""Refusals that tell a seat that its decisions were lost. If the beginning of its match was lost, no event is left to
rewind to; and while one replica still plays on the old store, only the other one refuses. On a stream, a match that
nobody knows is refused as one without a seat for the bot.
"""

_OPEN: Final = "MATCH_OPEN"


def check(evidence: Evidence) -> list[Finding]:
    """Returns all faults."""
    return _Check(evidence).run()


def largest_charge(evidence: Evidence) -> Charge:
    """Returns the largest charge in a match: a decision beyond its client's measurement, or a jump of shared time."""
    largest = Charge(0.0, evidence.match_id, "")
    raw = next((record for record in evidence.records.values() if isinstance(record, bytes)), None)
    if raw is None:
        return largest
    record = record_pb2.MatchRecord.FromString(raw)
    jump = _jump(evidence, record)
    if jump.seconds > 0:
        largest = Charge(jump.seconds, evidence.match_id, jump.text, jump.since, jump.until)
    by_seat = {journal.seat: journal for journal in evidence.journals}
    for entry in record.log:
        kind, journal = entry.WhichOneof("what"), by_seat.get(entry.seat)
        if kind not in {"move", "timeout"} or journal is None:
            continue
        decided, measured, spare = _measured(evidence, journal, entry)
        seconds = entry.spent.bot_us / 1e6 - measured - spare
        if seconds > largest.seconds:
            text = f"{_spent(entry, kind)}; {measured:.3f} s as its client measured, and {spare:.3f} s its own"
            during = (0.0, evidence.ended) if decided is None else (decided.received, decided.closed)
            largest = Charge(seconds, evidence.match_id, text, *during)
    return largest


def _measured(
    evidence: Evidence, journal: SeatJournal, entry: record_pb2.LogEntry
) -> tuple[Decided | None, float, float]:
    """Returns a client's account of a decision, its measured seconds, and the further seconds that are its own."""
    entries = journal.decided.get(entry.decision_id, [])
    decided = max(entries, key=lambda candidate: candidate.measured, default=None)
    spare = evidence.spare.get((entry.seat, entry.decision_id), 0.0)
    spare += LATE_SECONDS if decided is not None and decided.elsewhere else 0.0
    return decided, decided.measured if decided is not None else 0.0, spare


class _Check:
    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._found: list[Finding] = []

    def run(self) -> list[Finding]:
        evidence = self._evidence
        if evidence.refused or not evidence.acknowledged:
            allowed = evidence.lossy and any(
                word in evidence.refused for word in ("NOT_FOUND", "MATCH_OVER", "NO_OPEN_SEAT")
            )
            self._add(
                Count.ALLOWED if allowed else Count.STUCK, f"it was not created: {evidence.refused or 'no answer'}"
            )
            return self._found
        if evidence.stood_still:
            gone = self._lost_altogether() or self._lost_a_joining()
            text = f"stood still for {evidence.stood_still:.0f} s while others went on"
            self._add(Count.ALLOWED if gone else Count.STUCK, text)
        self._check_told()
        record = self._one_record()
        if record is None:
            return self._found
        if self._check_record(record):
            seats = _Seats(record)
            for journal in evidence.journals:
                self._check_seat(record, seats, journal)
        self._check_times(record)
        self._check_shared_time(record)
        return self._found

    def _check_told(self) -> None:
        """Yields messages that cannot be right, whatever the record says."""
        evidence = self._evidence
        for _ in range(evidence.seats - len(evidence.journals)):
            lost = self._lost_a_joining() or self._lost_altogether()
            self._add(Count.ALLOWED if lost else Count.STUCK, "one of its bots was never told of the match")
        for journal in evidence.journals:
            for at, text in journal.contradictions:
                self._add(Count.DOUBLED, text, journal, since=at)
            for at in journal.rewound:
                if not self._may_be_lost(at):
                    self._add(Count.LOST, "was told `rewound`, and nothing had been lost", journal, since=at)

    def _add(
        self, count: Count, text: str, journal: SeatJournal | None = None, decided: Decided | None = None,
        recorded: str = "", since: float = 0.0, until: float = 0.0,
    ) -> None:  # fmt: skip
        seat, bot = (journal.seat, journal.bot) if journal is not None else (-1, "")
        until = until or since
        if decided is not None:
            since = decided.received or decided.timed_out
            until = decided.closed or since
        self._found.append(
            Finding(
                count, self._evidence.match_id, self._evidence.game, seat, bot,
                decided.decision_id if decided else "", text, recorded, since, until or self._evidence.ended,
            )
        )  # fmt: skip

    def _may_be_lost(self, before: float) -> bool:
        """Returns whether a fault before this time may have lost acknowledged moves."""
        return any(at <= before for at in self._evidence.lossy)

    def _lost_a_joining(self) -> bool:
        """Returns whether a match waits for a seat again, because the joining may have been lost."""
        evidence = self._evidence
        waits = any(isinstance(why, str) and why.startswith(_OPEN) for why in evidence.records.values())
        return (
            waits and evidence.joining > 0 and any(at >= evidence.joining - TOLERANCE_SECONDS for at in evidence.lossy)
        )

    def _lost_altogether(self) -> bool:
        """Returns whether a match is unknown everywhere, because its creation may have been lost."""
        evidence = self._evidence
        unknown = all(isinstance(why, str) and why.startswith("MATCH_NOT_FOUND") for why in evidence.records.values())
        return unknown and any(at >= evidence.created - TOLERANCE_SECONDS for at in evidence.lossy)

    def _lost_between(self, decided: Decided) -> bool:
        """Returns whether the match may have been lost while a decision was open, or as it was put."""
        return any(decided.received - _MAX_LOST_SECONDS <= at <= decided.closed for at in self._evidence.lossy)

    def _one_record(self) -> record_pb2.MatchRecord | None:
        """Returns the record, which must be the same everywhere."""
        there = {where: raw for where, raw in self._evidence.records.items() if isinstance(raw, bytes)}
        for where, why in self._evidence.records.items():
            if isinstance(why, str):
                lost = (bool(self._evidence.lossy) and why.startswith("MATCH_NOT_FOUND")) or self._lost_a_joining()
                self._add(Count.ALLOWED if lost else Count.STUCK, f"no record from {where}: {why}")
        if len(set(there.values())) > 1:
            self._add(Count.DOUBLED, f"not the same record from {', '.join(there)}")
        raw = there.get("archive") or next(iter(there.values()), None)
        return None if raw is None else record_pb2.MatchRecord.FromString(raw)

    def _check_record(self, record: record_pb2.MatchRecord) -> bool:
        """Checks the record. Returns whether it can be replayed for further checks."""
        faults = records.verify(record)
        for fault in faults:
            self._add(Count.DOUBLED, f"the record does not verify: {fault}")
        answered = Counter((entry.seat, entry.decision_id) for entry in record.log if entry.HasField("move"))
        for (seat, decision_id), times in answered.items():
            if times > 1:
                self._add(Count.DOUBLED, f"decision {decision_id} of seat {seat} has {times} moves")
        end = record.end
        if end.HasField("forfeited_seat"):
            cause = record_pb2.ForfeitCause.Name(end.forfeit_cause)
            self._add(Count.CHARGED, f"seat {end.forfeited_seat} forfeited: {cause}")
        elif not end.HasField("outcome"):
            cause = record_pb2.AbortCause.Name(end.abort_cause)
            lost = end.abort_cause == record_pb2.ABORT_CAUSE_LOST and bool(self._evidence.lossy)
            self._add(Count.ALLOWED if lost else Count.STUCK, f"ended without a result: {cause}")
        before = 0
        for number, entry in enumerate(record.log):
            if entry.at_ms < before:
                self._add(Count.DOUBLED, f"entry {number} is {before - entry.at_ms} ms before the one before it")
            before = entry.at_ms
        return not faults

    def _check_seat(self, record: record_pb2.MatchRecord, seats: _Seats, journal: SeatJournal) -> None:
        if journal.seat < 0:
            self._add(Count.STUCK, "was never told of the match", journal)
            return
        moves = seats.moves[journal.seat]
        for entries in journal.decided.values():
            for decided in entries:
                self._check_decided(journal, decided, seats)
        for decision_id in moves:
            if decision_id not in journal.decided:
                self._add(Count.DOUBLED, f"the record has a move for {decision_id}, which was never put", journal)
        self._check_events(record, seats, journal)

    def _check_decided(self, journal: SeatJournal, decided: Decided, seats: _Seats) -> None:
        stored = seats.moves[journal.seat].get(decided.decision_id)
        # That an answer was stored may be said after that it was lost, since replicas say the one and the other.
        told_at = [
            at
            for at in journal.rewound
            if at >= (decided.accepted or decided.written)
            or any(decided.written <= lost <= at for lost in self._evidence.lossy)
        ]
        # What was put in a history that was lost is refused so, and the seat is told.
        if decided.refused.startswith(_WRONG) and not (told_at and self._may_be_lost(told_at[-1])):
            lost = decided.refused.startswith(_LOST_HISTORY) and self._lost_between(decided)
            text = f"an answer was refused: {decided.refused}"
            self._add(Count.ALLOWED if lost else Count.LOST, text, journal, decided)
        if not decided.accepted:
            return
        if decided.restated and not self._may_be_lost(decided.restated):
            self._add(Count.DOUBLED, "SubmitMove said of two moves that they stand", journal, decided)
        if stored is None:
            if seats.answered(journal.seat, decided.decision_id):
                pass  # an earlier or later id of a decision in real time, whose first answer stands
            elif told_at and self._may_be_lost(told_at[-1]):
                self._add(Count.ALLOWED, "an accepted move is gone, and the seat was told", journal, decided)
            else:
                self._add(Count.LOST, "an accepted move is not in the record", journal, decided, "no entry")
        elif not told_at and not stored.fits(decided):
            sent = ", ".join(str(play_pb2.Answer.FromString(choice)).strip() for choice in decided.choices)
            text = f"the record has another move than was sent ({sent}) and accepted"
            self._add(Count.DOUBLED, text, journal, decided, stored.text)

    def _check_events(self, record: record_pb2.MatchRecord, seats: _Seats, journal: SeatJournal) -> None:
        shown = seats.shown[journal.seat]
        if journal.wants_events and journal.events != shown[: len(journal.events)]:
            same = next((n for n, (a, b) in enumerate(zip(journal.events, shown, strict=False)) if a != b), len(shown))
            self._add(
                Count.DOUBLED,
                f"was told another history than the record's, from event {same} of {len(shown)} on",
                journal, since=journal.over_at,
            )  # fmt: skip
        if journal.over is None:
            self._add(Count.STUCK, "was not told the end, neither on its stream nor on a new one", journal)
            return
        if journal.over != record.end.SerializeToString(deterministic=True):
            self._add(Count.DOUBLED, "was told another end than the record's", journal, since=journal.over_at)
        elif journal.wants_events and len(journal.events) < len(shown) and not journal.unheard:
            text = f"was told the end, and {len(journal.events)} of {len(shown)} events"
            self._add(Count.LOST, text, journal, since=journal.over_at)

    def _check_times(self, record: record_pb2.MatchRecord) -> None:
        by_seat = {journal.seat: journal for journal in self._evidence.journals}
        for entry in record.log:
            kind = entry.WhichOneof("what")
            if kind == "illegal":
                text = f"an answer was called illegal: {entry.illegal.reason} {entry.illegal.message}"
                self._add(Count.DOUBLED, text, by_seat.get(entry.seat))
            if kind not in {"move", "timeout"}:
                continue
            journal = by_seat.get(entry.seat)
            recorded = _spent(entry, kind)
            if journal is None:
                if kind == "timeout" and entry.seat in self._evidence.house:
                    self._add(Count.CHARGED, f"the time of a house bot in seat {entry.seat} ran out", recorded=recorded)
                continue
            decided, measured, spare = _measured(self._evidence, journal, entry)
            seconds = entry.spent.bot_us / 1e6
            if seconds > measured + TOLERANCE_SECONDS + spare:
                asked = "which was never put" if decided is None or not decided.received else f"in {measured:.3f} s"
                text = f"charged {seconds:.3f} s for a decision that was answered {asked} (and {spare:.3f} s to spare)"
                if kind == "timeout":
                    text = f"its time ran out: {text}"
                self._add(Count.CHARGED, text, journal, decided or Decided(entry.decision_id, 0, -1), recorded)

    def _check_shared_time(self, record: record_pb2.MatchRecord) -> None:
        jump = _jump(self._evidence, record)
        if jump.seconds > TOLERANCE_SECONDS:
            self._add(Count.CHARGED, jump.text, since=jump.since, until=jump.until)


def _jump(evidence: Evidence, record: record_pb2.MatchRecord) -> Jump:
    def may_be_stored_again(accepted: float) -> bool:
        return any(-TOLERANCE_SECONDS <= lost - accepted <= _MAX_LOST_SECONDS for lost in evidence.lossy)

    return largest_jump(record, evidence.journals, may_be_stored_again, evidence.outages)


def _spent(entry: record_pb2.LogEntry, kind: str) -> str:
    spent = entry.spent
    return (
        f"{kind} of {entry.decision_id} at {entry.at_ms}: bot {spent.bot_us / 1e6:.3f} s, "
        f"network {spent.network_us / 1e6:.3f} s, server {spent.server_us / 1e6:.3f} s"
    )


class _Stored(NamedTuple):
    """A move in the record, with all answers that choose it."""

    move: bytes
    answers: frozenset[bytes]
    text: str

    def fits(self, decided: Decided) -> bool:
        """Returns whether it is the move that was sent, and that SubmitMove confirmed."""
        if decided.stands and decided.stands != self.move:
            return False
        return any(choice in self.answers for choice in decided.choices)


class _Seats:
    """The facts in the record about each seat: its moves by decision, and every event that it may have been shown."""

    def __init__(self, record: record_pb2.MatchRecord) -> None:
        replay = records.replay(record)
        self.moves: list[dict[str, _Stored]] = [{} for _ in record.header.players]
        for entry in record.log:
            if entry.HasField("move"):
                move = replay.codec.move_from_proto(entry.move)
                put = replay.match.find(entry.seat, entry.decision_id)
                text = replay.game.text.format_move(move)
                answers = [play_pb2.Answer(text=text), play_pb2.Answer(move=entry.move)]
                if put is not None and move in put.legal:
                    answers.append(play_pb2.Answer(index=list(put.legal).index(move)))
                raw = entry.move.SerializeToString(deterministic=True)
                choices = frozenset(bare(answer) for answer in answers)
                self.moves[entry.seat][entry.decision_id] = _Stored(raw, choices, f"{entry.decision_id}: {text}")
            replay.apply(entry)
        self._match = replay.match
        self.shown: list[list[bytes]] = []
        for seat in range(len(record.header.players)):
            events = []
            # Before a match has begun nothing is shown, and some never begin.
            for event in replay.match.shown(seat) if replay.started else ():
                message = game_pb2.Event()
                replay.codec.event_to_proto(event, message)
                events.append(message.SerializeToString(deterministic=True))
            self.shown.append(events)

    def answered(self, seat: int, decision_id: str) -> bool:
        """Returns whether there is a move for a put decision, under its own id or another of its ids."""
        return self._match.answered(seat, decision_id) is not None
