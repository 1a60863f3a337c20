"""The legal moves of one decision, word by word."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Any, final

from fudaba.bridges.words import WAIT, Words
from fudaba_games.registry import AnyGame

__all__ = ["Choice", "spelled"]


@final
class Choice:
    """What is left to choose from, after some words of a move. Immutable.

    Words that leave no choice are passed over: they need no action. Only a decision with a single legal move asks for
    that move's first word.
    """

    __slots__ = ("_high", "_low", "_moves", "_place", "_rows", "chosen")

    def __init__(
        self, rows: list[tuple[int, ...]], moves: list[Any], low: int, high: int, chosen: tuple[int, ...]
    ) -> None:
        self._rows = rows
        """The actions of each move, sorted."""
        self._moves = moves
        self._low, self._high = low, high
        self.chosen = chosen
        """The actions that were taken."""
        place = 0
        if high - low > 1:
            first, last = rows[low], rows[high - 1]
            while first[place] == last[place]:
                place += 1
        self._place = place

    @property
    def done(self) -> bool:
        """Whether a single move is left, and at least one action was taken."""
        return self._high - self._low == 1 and bool(self.chosen)

    @property
    def move(self) -> Any:
        """The move, once `done`; None is waiting."""
        return self._moves[self._low]

    def actions(self) -> list[int]:
        """The next words there are, in ascending order."""
        rows, at, place = self._rows, self._low, self._place
        found: list[int] = []
        while at < self._high:
            action = rows[at][place]
            found.append(action)
            at = bisect_right(rows, action, at, self._high, key=lambda row: row[place])
        return found

    def take(self, action: int) -> Choice:
        """What is left after an action. Raises `ValueError` for one that is not among `actions`."""
        rows, place = self._rows, self._place
        low = bisect_left(rows, action, self._low, self._high, key=lambda row: row[place])
        high = bisect_right(rows, action, low, self._high, key=lambda row: row[place])
        if low == high:
            raise ValueError(f"action {action} is not legal now; legal are {self.actions()}")
        return Choice(rows, self._moves, low, high, (*self.chosen, action))

    def spelling(self, move: Any) -> list[int]:
        """The actions that choose a move from here on; `move` is one of those that are left."""
        left = self
        row = self._rows[self._moves.index(move, self._low, self._high)]
        actions: list[int] = []
        while not left.done:
            action = row[left._place]
            actions.append(action)
            left = left.take(action)
        return actions


def spelled(game: AnyGame, words: Words, legal: Iterable[Any], may_wait: bool) -> Choice:
    """The choice between legal moves, and waiting where that is allowed."""
    pairs = [(words.spell(game.format_move(move)), move) for move in legal]
    if may_wait:
        pairs.append(((WAIT,), None))
    pairs.sort(key=lambda pair: pair[0])
    return Choice([row for row, _ in pairs], [move for _, move in pairs], 0, len(pairs), ())
