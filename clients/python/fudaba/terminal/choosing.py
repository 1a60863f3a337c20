"""The decision that is put to the person, the moves to choose from, and the answer that is on its way."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum
from typing import Any, final

from fudaba.terminal.choices import OfferedMove, OfferedMoves
from fudaba.terminal.person_seat import PutDecision
from fudaba.terminal.renderers import Renderer

__all__ = ["Choosing", "Put"]


@final
class Put(Enum):
    """What a decision is to the one that was put before it."""

    NEW = 0
    AGAIN = 1
    """The same one, put again after a lost connection."""
    STILL = 2
    """The same standing one, after others have moved: its legal moves may be others."""


@final
class Choosing:
    """See the module. Without a decision there is nothing to choose."""

    def __init__(self) -> None:
        self.decision: PutDecision | None = None
        self.fitting: list[OfferedMove] = []
        """The moves that fit what is typed."""
        self.sent = ""
        """The text of the answer that is on its way; empty for none."""
        self._sent_id = ""
        """The decision that was answered last; kept while that one stands, however often it is put anew."""
        self._moves: OfferedMoves | None = None
        self._view: Any = None

    def __len__(self) -> int:
        return len(self._moves) if self._moves is not None else 0

    @property
    def open(self) -> bool:
        """Whether an answer is wanted, and none is on its way."""
        return self.decision is not None and not self.sent

    def put(self, decision: PutDecision, view: Any, renderer: Renderer) -> Put:
        """Takes a decision that is put, with the view of that moment. What is sent for a new one is nothing yet."""
        before, before_view = self.decision, self._view
        self.decision, self._view = decision, view
        if before is not None and before.id == decision.id:
            return Put.AGAIN
        format_move = renderer.rules.text.format_move
        self._moves = OfferedMoves(decision.legal, format_move, lambda move: renderer.move(view, move))
        if before is not None and 0 != renderer.standing(before_view) == renderer.standing(view):
            return Put.STILL
        self.sent = self._sent_id = ""
        return Put.NEW

    def forget(self) -> None:
        """Takes the decision away."""
        self.decision = self._moves = None
        self.sent = self._sent_id = ""

    def forget_closed(self, closed: Collection[str]) -> None:
        """Takes the decision away if it is closed, or if the one is that it was put for anew."""
        if self.decision is not None and (self.decision.id in closed or self._sent_id in closed):
            self.forget()

    def narrow(self, typed: str) -> None:
        """Has only those moves fit that what is typed may mean."""
        self.fitting = self._moves.fitting(typed) if self._moves is not None else []

    def counted(self, typed: str) -> str:
        """Returns how many moves there are, and how many of them fit what is typed, in words."""
        total = len(self)
        if not typed.strip():
            return f"{total} moves" if total != 1 else "one move"
        return f"{len(self.fitting)} of {total} moves"

    def send(self, choice: OfferedMove, decision: PutDecision) -> None:
        """Notes that a move is on its way as the answer to a decision."""
        self.sent, self._sent_id = choice.text, decision.id

    def take_back(self, decision_id: str) -> None:
        """Notes that an answer to this decision was refused; another one may be chosen."""
        if self._sent_id == decision_id:
            self.sent = self._sent_id = ""

    def overtaken(self, decision_id: str) -> bool:
        """Returns whether another decision was put while the answer to this one was on its way. That may be chosen
        for then.
        """
        if self._sent_id != decision_id or self.decision is None or self.decision.id == decision_id:
            return False
        self.sent = ""
        return True
