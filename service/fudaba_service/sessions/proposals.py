"""What may be added to a match's log, and when: each function makes a request for `Session.submit`."""

from __future__ import annotations

import time
from typing import Any, Final

from fudaba.v1 import errors_pb2, play_pb2, record_pb2
from fudaba_games.game import IllegalMove, MalformedMove, Timer
from fudaba_games.match import DecisionClosed, MatchOver, OpenDecision
from fudaba_service.refusals import Refused, refusal_of
from fudaba_service.sessions.changes import Answered, Proposal, Propose
from fudaba_service.sessions.clock import Spent
from fudaba_service.sessions.session import Session

__all__ = ["abort", "answer", "ready", "resign", "settle"]

# With `max_illegal` 0 a seat never forfeits for illegal answers; its log still must not grow without end.
_ILLEGAL_KEPT: Final = 100


def answer(seat: int, message: play_pb2.Answer, received: float) -> Propose:
    """A seat answers a decision; `received` is the monotonic time at which the answer arrived."""

    def propose(session: Session) -> Proposal:
        replay = session.replay
        decision_id = message.decision_id
        decision, put = replay.match.open(seat), replay.match.put(seat, decision_id)
        if decision is None or put is None or not replay.started:
            return _answered_already(session, seat, decision_id)
        late = session.clocks.overdue_timer()
        if late is not None and late.closing:
            refused = refusal_of(DecisionClosed(f"decision {decision_id} is closed: the time for it is over"))
            return Proposal([_ring(session, late)], refusal=refused)
        spent = session.clocks.spent(seat, received)
        if spent.bot * 1e6 > replay.budget_us(seat):
            proposal = _timeout(session, seat, decision, spent)
            proposal.refusal = refusal_of(DecisionClosed(f"decision {decision_id} is closed: its time ran out"))
            return proposal
        try:
            move = _legal(session, put, message)
        except (MalformedMove, IllegalMove) as error:
            return _illegal(session, seat, decision_id, refusal_of(error))
        at_ms = session.now_ms()
        busy_ms = replay.busy_until_ms[seat] - at_ms
        if busy_ms > 0 and replay.game.pause_ms(replay.match.state, move):
            return Proposal(busy=(seat, busy_ms / 1000))
        entry = record_pb2.LogEntry(seat=seat, decision_id=decision_id, at_ms=at_ms)
        replay.codec.move_to_proto(move, entry.move)
        bot_us = spent.to_proto(entry.spent)
        return Proposal((entry,), Answered(seat, decision_id, move, bot_us, at_ms))

    return propose


def _answered_already(session: Session, seat: int, decision_id: str) -> Proposal:
    """An answer to something else than the open decision: stored once before, or refused."""
    replay = session.replay
    if replay.match.answered(seat, decision_id) is not None:
        if decision_id not in replay.timed_out:
            session.acknowledge(seat, decision_id)
            return Proposal()
        raise DecisionClosed(f"decision {decision_id} is closed: its time ran out and the default move was played")
    if not replay.started and not replay.over:
        raise Refused(
            errors_pb2.REASON_NOT_YOUR_DECISION, "the match has not begun; wait for an update with a decision"
        )
    replay.match.decision(seat, decision_id)
    raise RuntimeError(f"decision {decision_id} is open")  # the caller has looked


def resign(seat: int) -> Propose:
    """A seat gives the match up."""

    def propose(session: Session) -> Proposal:
        if session.replay.over:
            raise MatchOver("the match is over")
        if not session.replay.started:
            raise Refused(errors_pb2.REASON_NOT_YOUR_DECISION, "the match has not begun; there is nothing to give up")
        return Proposal([_forfeit(session, seat, record_pb2.FORFEIT_CAUSE_RESIGNED)])

    return propose


def ready(seat: int) -> Propose:
    """A seat's bot is there."""

    def propose(session: Session) -> Proposal:
        if session.replay.over or seat in session.replay.ready:
            return Proposal()
        return Proposal([record_pb2.LogEntry(seat=seat, ready=record_pb2.Ready(), at_ms=session.now_ms())])

    return propose


def abort(message: str) -> Propose:
    """The organiser ends the match without a result."""

    def propose(session: Session) -> Proposal:
        if session.replay.over:
            return Proposal()
        what = record_pb2.Abort(cause=record_pb2.ABORT_CAUSE_ORGANISER, message=message)
        return Proposal([record_pb2.LogEntry(abort=what, at_ms=session.now_ms())])

    return propose


def settle(session: Session) -> Proposal:
    """Closes one thing that is overdue, if anything is."""
    replay = session.replay
    if replay.over:
        return Proposal()
    now_ms, now = session.now_ms(), time.monotonic()
    if not replay.started:
        if now_ms < session.clocks.start_deadline_ms:
            return Proposal()
        absent = [seat for seat in range(replay.seats) if seat not in replay.ready]
        names = ", ".join(session.players[seat] for seat in absent)
        what = record_pb2.Abort(cause=record_pb2.ABORT_CAUSE_NO_SHOW, message=f"did not connect in time: {names}")
        return Proposal([record_pb2.LogEntry(seat=absent[0], abort=what, at_ms=now_ms)])
    timer = session.clocks.overdue_timer()
    if timer is not None:
        return Proposal([_ring(session, timer)])
    for decision in replay.match.open_decisions():
        spent = session.clocks.spent(decision.seat, now)
        if (spent.bot - session.clocks.grace(decision.seat)) * 1e6 > replay.budget_us(decision.seat):
            return _timeout(session, decision.seat, decision, spent)
    return Proposal()


def _ring(session: Session, timer: Timer) -> record_pb2.LogEntry:
    """The entry in which the referee does what a timer is for."""
    return record_pb2.LogEntry(referee=record_pb2.Referee(timer=timer.name), at_ms=session.now_ms())


def _chosen(session: Session, decision: OpenDecision[Any], message: play_pb2.Answer) -> object:
    """The move that an answer chooses. Raises `MalformedMove`."""
    choice = message.WhichOneof("choice")
    if choice == "index":
        if message.index >= len(decision.legal):
            raise MalformedMove(f"index {message.index} is outside the list of {len(decision.legal)} legal moves")
        return decision.legal[message.index]
    if choice == "text":
        return session.replay.game.parse_move(message.text)
    if choice == "move":
        return session.replay.codec.move_from_proto(message.move)
    raise MalformedMove("Answer.choice is not set; set move, text or index")


def _legal(session: Session, put: OpenDecision[Any], message: play_pb2.Answer) -> object:
    """The move that an answer chooses. Raises `MalformedMove` or `IllegalMove`; `Refused` if somebody was faster."""
    move = _chosen(session, put, message)
    match = session.replay.match
    try:
        match.game.check(match.state, put.seat, move)
    except IllegalMove as error:
        if put is not match.open(put.seat) and move in put.legal:
            raise Refused(errors_pb2.REASON_STALE, f"too late: {error}", error.rule) from error
        raise
    return move


def _timeout(session: Session, seat: int, decision: OpenDecision[Any], spent: Spent) -> Proposal:
    replay = session.replay
    move = decision.legal[0]
    entry = record_pb2.LogEntry(seat=seat, decision_id=decision.id, at_ms=session.now_ms())
    replay.codec.move_to_proto(move, entry.timeout)
    spent.to_proto(entry.spent)
    entries = [entry]
    limit = session.header.clock.max_timeouts
    if decision.required and limit and replay.timeouts[seat] + 1 >= limit and not _would_end(session, seat, move):
        entries.append(_forfeit(session, seat, record_pb2.FORFEIT_CAUSE_TIMEOUTS))
    return Proposal(entries)


def _would_end(session: Session, seat: int, move: object) -> bool:
    """Whether a move ends the match by itself, so that nothing is left to forfeit."""
    game, state = session.replay.game, session.replay.match.state.clone()
    game.apply(state, seat, move)
    return game.outcome(state) is not None


def _illegal(session: Session, seat: int, decision_id: str, refused: Refused) -> Proposal:
    limit, so_far = session.header.clock.max_illegal, session.replay.illegal[seat]
    if not limit and so_far >= _ILLEGAL_KEPT:
        return Proposal(refusal=refused)
    what = record_pb2.IllegalAnswer(reason=refused.name, message=str(refused)[:200])
    entries = [record_pb2.LogEntry(seat=seat, decision_id=decision_id, illegal=what, at_ms=session.now_ms())]
    if limit and so_far + 1 >= limit:
        entries.append(_forfeit(session, seat, record_pb2.FORFEIT_CAUSE_ILLEGAL))
    return Proposal(entries, refusal=refused)


def _forfeit(session: Session, seat: int, cause: record_pb2.ForfeitCause.ValueType) -> record_pb2.LogEntry:
    return record_pb2.LogEntry(seat=seat, forfeit=record_pb2.Forfeit(cause=cause), at_ms=session.now_ms())
