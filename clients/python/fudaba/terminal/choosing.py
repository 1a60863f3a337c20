"""The person's decision, the moves to choose from, and the answer in flight."""

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
    """The relation of a decision to the one before it."""

    NEW = 0
    AGAIN = 1
    """The same decision, repeated after a lost connection."""
    STILL = 2
    """The same standing decision after others have moved. Its legal moves may have changed."""


@final
class Choosing:
    """See the module. Without a decision, there is nothing to choose."""

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
        """Whether an answer is wanted and none is in flight."""
        return self.decision is not None and not self.sent

    def put(self, decision: PutDecision, view: Any, renderer: Renderer) -> Put:
        """Takes a decision with the present view. A new decision has no answer in flight."""
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
        """Drops the decision."""
        self.decision = self._moves = None
        self.sent = self._sent_id = ""

    def forget_closed(self, closed: Collection[str]) -> None:
        """Drops the decision if it is closed, or if the one is that it replaced."""
        if self.decision is not None and (self.decision.id in closed or self._sent_id in closed):
            self.forget()

    def narrow(self, typed: str) -> None:
        """Keeps only the moves that fit the typed text."""
        self.fitting = self._moves.fitting(typed) if self._moves is not None else []

    def counted(self, typed: str) -> str:
        """Returns the number of moves, and the number that fit, in words."""
        total = len(self)
        if not typed.strip():
            return f"{total} moves" if total != 1 else "one move"
        return f"{len(self.fitting)} of {total} moves"

    def send(self, choice: OfferedMove, decision: PutDecision) -> None:
        """Notes that a move is in flight as the answer to a decision."""
        self.sent, self._sent_id = choice.text, decision.id

    def take_back(self, decision_id: str) -> None:
        """Notes that an answer to this decision was refused. Another one may be chosen."""
        if self._sent_id == decision_id:
            self.sent = self._sent_id = ""

    def overtaken(self, decision_id: str) -> bool:
        """Returns whether another decision was put while the answer to this one was in flight."""
        if self._sent_id != decision_id or self.decision is None or self.decision.id == decision_id:
            return False
        self.sent = ""
        return True
