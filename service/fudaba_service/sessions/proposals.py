"""The possible additions to a match's log: each function makes a request for `Session.submit`."""

from __future__ import annotations

import time
from typing import Any, Final

from fudaba.codec import GameCodec
from fudaba.v1 import errors_pb2, matches_pb2, play_pb2, record_pb2
from fudaba_games.game import Game, IllegalMove, MalformedMove, Timer
from fudaba_games.match import DecisionClosed, MatchOver, NotYourDecision, OpenDecision
from fudaba_service.refusals import Refused, refusal_of
from fudaba_service.sessions.changes import Proposal, Propose
from fudaba_service.sessions.match_copy import MatchCopy
from fudaba_service.sessions.time_spent import Spent
from fudaba_service.sessions.written_entries import answered

__all__ = ["MAX_NOTE_BYTES", "abort", "answer", "chosen", "confirm_in_step", "ready", "resign", "settle"]

MAX_NOTE_BYTES: Final = 1024
"""The size of a note in UTF-8."""
# With `max_illegal` 0 a seat never forfeits for illegal answers; its log still must not grow without end.
_MAX_ILLEGAL_KEPT: Final = 100


def answer(seat: int, message: play_pb2.Answer, received: float) -> Propose:
    """Returns a seat's answer to a decision; `received` is the monotonic time of its arrival."""

    def propose(copy: MatchCopy) -> Proposal:
        replay = copy.replay
        decision_id = message.decision_id
        if message.note:
            _check_note(message.note)
        decision = replay.match.open(seat)
        found = decision
        if decision is not None and decision.id != decision_id:
            found = replay.match.find(seat, decision_id)
        if decision is None or found is None or not replay.started:
            return _answered_already(copy, seat, decision_id)
        # What came before a timer had ended waited here for us.
        late = copy.clocks.overdue_timer(time.monotonic() - received) if replay.timers else None
        if late is not None and late.closing:
            refused = refusal_of(DecisionClosed(f"decision {decision_id} is closed: the time for it is over"))
            return Proposal([_fire(copy, late)], refusal=refused)
        spent = copy.clocks.spent(seat, received)
        if spent.bot * 1e6 > replay.budget_us(seat):
            proposal = _timeout(copy, seat, decision, spent)
            proposal.refusal = refusal_of(DecisionClosed(f"decision {decision_id} is closed: its time ran out"))
            return proposal
        try:
            move = _legal(copy, found, message)
        except (MalformedMove, IllegalMove) as error:
            return _illegal(copy, seat, decision_id, refusal_of(error))
        at_ms = copy.now_ms()
        busy_ms = replay.busy_until_ms[seat] - at_ms
        if busy_ms > 0 and replay.game.pause_ms(replay.match.state, move):
            return Proposal(busy=(seat, busy_ms / 1000))
        return Proposal((), answered(replay.codec, seat, decision_id, move, at_ms, spent), message.note)

    return propose


def _check_note(note: str) -> None:
    """Refuses an answer whose note is too long."""
    size = len(note.encode())
    if size > MAX_NOTE_BYTES:
        message = f"the note has {size} bytes; answer again with one of at most {MAX_NOTE_BYTES}, or without one"
        raise Refused(errors_pb2.REASON_NOTE_TOO_LONG, message)


def _answered_already(copy: MatchCopy, seat: int, decision_id: str) -> Proposal:
    """Judges an answer to another decision than the open one: it was stored before, or is refused.

    Neither is certain before the log has been read. Another replica may have put the decision, or rewound the match
    after the store lost a tail that is still in this copy.
    """
    replay = copy.replay
    if not replay.playable:
        raise MatchOver("the match is over: the service has another version of its rules now")
    if replay.match.answered(seat, decision_id) is not None:
        if decision_id not in replay.timed_out:
            return Proposal(stored=(seat, decision_id), unsure=True)
        closed = DecisionClosed(f"decision {decision_id} is closed: its time ran out and the default move was played")
        return Proposal(refusal=refusal_of(closed), unsure=True)
    if not replay.started and not replay.over:
        return Proposal(refusal=_not_begun("wait for an update with a decision"), unsure=True)
    try:
        replay.match.decision(seat, decision_id)
    except NotYourDecision as error:
        what_now = f"{error}. If it was put to you, the match was rolled back: look at your seat again"
        refused = refusal_of(NotYourDecision(what_now))
        return Proposal(refusal=refused, unsure=replay.match.may_be_asked(seat, decision_id))
    except (DecisionClosed, MatchOver) as late:  # mypyc gives a name one type in a function
        return Proposal(refusal=refusal_of(late), unsure=True)
    raise RuntimeError(f"decision {decision_id} is open")  # the caller has looked


def resign(seat: int) -> Propose:
    """Returns a seat's resignation."""

    def propose(copy: MatchCopy) -> Proposal:
        if copy.replay.over or not copy.replay.playable:
            raise MatchOver("the match is over")
        if not copy.replay.started:
            return Proposal(refusal=_not_begun("there is nothing to give up"), unsure=True)
        return Proposal([_forfeit(copy, seat, record_pb2.FORFEIT_CAUSE_RESIGNED)])

    return propose


def _not_begun(what_now: str) -> Refused:
    return Refused(errors_pb2.REASON_NOT_YOUR_DECISION, f"the match has not begun; {what_now}")


def confirm_in_step(_: MatchCopy) -> Proposal:
    """Returns a request that changes nothing. When it is answered, this copy has been in step with the log."""
    return Proposal(unsure=True)


def ready(seat: int) -> Propose:
    """Returns the proposal to note that a seat's bot is present."""

    def propose(copy: MatchCopy) -> Proposal:
        if copy.replay.over or seat in copy.replay.ready:
            return Proposal()
        return Proposal([record_pb2.LogEntry(seat=seat, ready=record_pb2.Ready(), at_ms=copy.now_ms())])

    return propose


def abort(message: str) -> Propose:
    """Returns the organiser's request to end the match without a result."""

    def propose(copy: MatchCopy) -> Proposal:
        if copy.replay.over:
            return Proposal()
        abort_message = record_pb2.Abort(cause=record_pb2.ABORT_CAUSE_ORGANISER, message=message)
        return Proposal([record_pb2.LogEntry(abort=abort_message, at_ms=copy.now_ms())])

    return propose


def settle(copy: MatchCopy) -> Proposal:
    """Returns a request that closes one overdue item, if there is any, or a match whose rules this release lacks."""
    replay = copy.replay
    if replay.over or not replay.playable:
        return Proposal() if replay.over else Proposal([_rules_changed(copy)])
    now_ms, now = copy.now_ms(), time.monotonic()
    if not replay.started:
        return Proposal() if now_ms < copy.clocks.start_deadline_ms else _not_started(copy, now_ms)
    timer = copy.clocks.overdue_timer()
    if timer is not None:
        return Proposal([_fire(copy, timer)])
    for decision in replay.match.open_decisions():
        spent = copy.clocks.spent(decision.seat, now)
        if (spent.bot - copy.clocks.grace(decision.seat)) * 1e6 > replay.budget_us(decision.seat):
            return _timeout(copy, decision.seat, decision, spent)
    return Proposal()


def _not_started(copy: MatchCopy, now_ms: int) -> Proposal:
    """Gives up a match whose bots have not all connected, unless the missing ones only have no room for it yet."""
    replay, clocks = copy.replay, copy.clocks
    missing = [seat for seat in range(replay.seats) if seat not in replay.ready]
    if not clocks.knows_who_waits:
        return Proposal(absent=missing)
    absent = clocks.absent(missing)
    if not absent:
        return Proposal()
    names = ", ".join(copy.players[seat] for seat in absent)
    abort_message = record_pb2.Abort(cause=record_pb2.ABORT_CAUSE_NO_SHOW, message=f"did not connect in time: {names}")
    if absent != missing:
        abort_message.absent_seats.extend(absent)
    return Proposal([record_pb2.LogEntry(seat=absent[0], abort=abort_message, at_ms=now_ms)])


def _rules_changed(copy: MatchCopy) -> record_pb2.LogEntry:
    """Returns the entry that ends a match whose rules this release lacks."""
    header, game = copy.header, copy.replay.game
    message = (
        f"it was played by version {header.rules_version} of the rules of {game.id}, and the service has version "
        f"{game.rules_version} now; a release with version {header.rules_version} verifies its record"
    )
    abort_message = record_pb2.Abort(cause=record_pb2.ABORT_CAUSE_RULES_CHANGED, message=message)
    return record_pb2.LogEntry(abort=abort_message, at_ms=copy.now_ms())


def _fire(copy: MatchCopy, timer: Timer) -> record_pb2.LogEntry:
    """Returns the referee's entry for a timer that has ended."""
    return record_pb2.LogEntry(referee=record_pb2.Referee(timer=timer.name), at_ms=copy.now_ms())


def chosen(
    game: Game[Any, Any, Any, Any],
    codec: GameCodec[Any, Any, Any],
    decision: OpenDecision[Any],
    message: play_pb2.Answer | matches_pb2.TriedMove,
) -> object:
    """Returns the move of an answer. Raises `MalformedMove`."""
    choice = message.WhichOneof("choice")
    if choice == "index":
        if message.index >= len(decision.legal):
            raise MalformedMove(f"index {message.index} is outside the list of {len(decision.legal)} legal moves")
        return decision.legal[message.index]
    if choice == "text":
        return game.text.parse_move(message.text)
    if choice == "move":
        played, sent = game.id, message.move.WhichOneof("game")
        if sent not in {None, played}:
            raise MalformedMove(f"the match is of {played}, and this is a move of {sent}; set Move.{played}")
        return codec.move_from_proto(message.move)
    raise MalformedMove("Answer.choice is not set; set move, text or index")


def _legal(copy: MatchCopy, found: OpenDecision[Any], message: play_pb2.Answer) -> object:
    """Returns the move of an answer. Raises `MalformedMove` or `IllegalMove`; `Refused` if another seat was faster."""
    move = chosen(copy.replay.game, copy.replay.codec, found, message)
    match = copy.replay.match
    try:
        match.game.check(match.state, found.seat, move)
    except IllegalMove as error:
        if found is not match.open(found.seat) and move in found.legal:
            raise Refused(errors_pb2.REASON_STALE, f"too late: {error}", error.rule) from error
        raise
    return move


def _timeout(copy: MatchCopy, seat: int, decision: OpenDecision[Any], spent: Spent) -> Proposal:
    replay = copy.replay
    move = decision.legal[0]
    entry = record_pb2.LogEntry(seat=seat, decision_id=decision.id, at_ms=copy.now_ms())
    replay.codec.move_to_proto(move, entry.timeout)
    spent.to_proto(entry.spent)
    entries = [entry]
    limit = copy.header.clock.max_timeouts
    if decision.required and limit and replay.timeouts[seat] + 1 >= limit and not _would_end(copy, seat, move):
        entries.append(_forfeit(copy, seat, record_pb2.FORFEIT_CAUSE_TIMEOUTS))
    return Proposal(entries)


def _would_end(copy: MatchCopy, seat: int, move: object) -> bool:
    """Returns whether a move itself ends the match, so that nothing is left to forfeit."""
    game, state = copy.replay.game, copy.replay.match.state.clone()
    game.apply(state, seat, move)
    return game.outcome(state) is not None


def _illegal(copy: MatchCopy, seat: int, decision_id: str, refused: Refused) -> Proposal:
    limit, so_far = copy.header.clock.max_illegal, copy.replay.illegal[seat]
    if not limit and so_far >= _MAX_ILLEGAL_KEPT:
        return Proposal(refusal=refused)
    illegal_answer = record_pb2.IllegalAnswer(reason=refused.name, message=str(refused)[:200])
    entries = [record_pb2.LogEntry(seat=seat, decision_id=decision_id, illegal=illegal_answer, at_ms=copy.now_ms())]
    if limit and so_far + 1 >= limit:
        entries.append(_forfeit(copy, seat, record_pb2.FORFEIT_CAUSE_ILLEGAL))
    return Proposal(entries, refusal=refused)


def _forfeit(copy: MatchCopy, seat: int, cause: record_pb2.ForfeitCause.ValueType) -> record_pb2.LogEntry:
    return record_pb2.LogEntry(seat=seat, forfeit=record_pb2.Forfeit(cause=cause), at_ms=copy.now_ms())
