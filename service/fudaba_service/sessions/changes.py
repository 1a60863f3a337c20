"""A change of a match: what somebody wants to add to its log, and what comes back.

`proposals` makes them, a session judges one after another and stores them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from fudaba.v1 import matches_pb2, record_pb2
from fudaba_service.refusals import Refused
from fudaba_service.sessions.match_copy import MatchCopy
from fudaba_service.store import Answer, Append, AppendKeys, note_field

__all__ = ["Answered", "Proposal", "Propose", "Reply", "Request", "append_of"]


class Answered(NamedTuple):
    """An entry with a seat's move, in parts: to read them out of the message again would take longer than the move."""

    seat: int
    decision_id: str
    move: Any  # the game's move; mypyc 2.4 fails on `object` in a named tuple
    bot_us: int
    at_ms: int


@dataclass(slots=True)
class Proposal:
    """The entries that a request wants to add to the log. Without entries it changes nothing."""

    entries: Sequence[record_pb2.LogEntry] = ()
    answered: Answered | None = None
    """The parts of the only entry, when that is a seat's answer."""
    note: str = ""
    """The seat's note about that answer; empty for none. It is stored with it, and not in the log."""
    refusal: Refused | None = None
    """The asker's answer once the entries are stored."""
    stored: tuple[int, str] | None = None
    """A seat, and the id of a decision that it has answered before: it gets the answer again. It has no entries."""
    busy: tuple[int, float] | None = None
    """A seat, and for how many seconds its hand is busy: then the request is judged again. It has no entries."""
    absent: Sequence[int] = ()
    """Seats that are not taken in time: whether their bots only have no room is looked up, then it is judged again."""
    unsure: bool = False
    """The copy may be behind the log, which is checked first; what is said after that stands. It has no entries."""


Propose = Callable[[MatchCopy], Proposal]
"""Judges a match as it is in its turn, and says what is to be added to its log. Raises `Refused` or `GameError`."""
Reply = Callable[[Refused | None], None]
"""The callback of a change. It gets None once the change is stored, or the refusal; exactly once."""
Request = tuple[Propose, Reply, int]
"""A change that was asked for, the asker, and its number: later ones have greater ones."""


def append_of(proposal: Proposal, copy: MatchCopy, keys: AppendKeys, done: Callable[[Answer], None]) -> Append:
    """Returns what the store gets for a proposal that was judged by this copy of the match, as it is now.

    `done` gets the store's answer.
    """
    move: object = None
    note, sender = (b"", b""), ""
    answered = proposal.answered
    if answered is not None:
        move = answered.move
        sender = copy.players[answered.seat]
        if proposal.note:
            note = proposal.note.encode(), note_field(answered.seat, answered.decision_id)
    entries = [entry.SerializeToString() for entry in proposal.entries]
    state = b"%d" % matches_pb2.MATCH_STATE_PLAYING if copy.would_start(proposal.entries) else b""
    look_ms = copy.look_after_ms(proposal.entries, move)
    length, basis = copy.replay.length, copy.basis
    return Append(copy.match_id, length, basis, entries, look_ms, state, done, keys, note, sender)
