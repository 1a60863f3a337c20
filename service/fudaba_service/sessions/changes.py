"""A change of a match: what a request would add to its log, and the reply.

`proposals` makes changes. A session judges them one after another, and stores them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fudaba.v1 import matches_pb2, record_pb2
from fudaba_service.refusals import Refused
from fudaba_service.sessions.match_copy import MatchCopy
from fudaba_service.sessions.written_entries import Answered
from fudaba_service.store import Answer, Append, note_field

__all__ = ["Proposal", "Propose", "Reply", "Request", "append_of"]


@dataclass(slots=True)
class Proposal:
    """The entries that a request would add to the log. Without any it changes nothing."""

    entries: Sequence[record_pb2.LogEntry] = ()
    answered: Answered | None = None
    """The only entry, if it is a seat's answer; there are no `entries` then."""
    note: str = ""
    """The seat's note about that answer; empty for none. It is stored beside the log."""
    refusal: Refused | None = None
    """The asker's answer once the entries are stored."""
    stored: tuple[int, str] | None = None
    """A seat, and the id of a decision that it has already answered. It gets the answer again. There are no entries."""
    busy: tuple[int, float] | None = None
    """A seat, and the seconds for which its hand is busy. Then the request is judged again. There are no entries."""
    absent: Sequence[int] = ()
    """Seats that were not taken in time. If their bots only have no room, the request is judged again."""
    unsure: bool = False
    """The copy may be behind the log, which is read first; the judgement after that stands. There are no entries."""


Propose = Callable[[MatchCopy], Proposal]
"""Judges the present state of a match, and returns what to add to its log. Raises `Refused` or `GameError`."""
Reply = Callable[[Refused | None], None]
"""The callback of a change. It gets None once the change is stored, or the refusal; exactly once."""
Request = tuple[Propose, Reply, int]
"""A requested change, the requester, and its number, which increases."""


def append_of(proposal: Proposal, copy: MatchCopy, keys: bytes, done: Callable[[Answer], None]) -> Append:
    """Returns the store's part of a proposal that was judged by this copy of the match.

    `done` gets the store's answer.
    """
    note, sender, state = (b"", b""), "", b""
    answered = proposal.answered
    if answered is not None:
        sender = copy.players[answered.seat]
        if proposal.note:
            note = proposal.note.encode(), note_field(answered.seat, answered.decision_id)
        entries = [answered.raw]
    else:
        entries = [entry.SerializeToString() for entry in proposal.entries]
        if copy.would_start(proposal.entries):
            state = b"%d" % matches_pb2.MATCH_STATE_PLAYING
    look_ms = copy.look_after_ms(proposal.entries, answered)
    length, basis = copy.replay.length, copy.basis
    return Append(copy.match_id, length, basis, entries, look_ms, state, done, keys, note, sender)
