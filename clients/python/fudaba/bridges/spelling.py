"""The legal moves of a decision, word by word."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any, Final, final

from fudaba.bridges.words import FIRST_DIGIT_ACTION, WAIT_ACTION, Words
from fudaba_games.registry import AnyGame

__all__ = ["MAX_MOVES_SPELLED", "DigitChoice", "WordChoice", "spelled"]

MAX_MOVES_SPELLED: Final = 20_000
"""The number of legal moves above which they are chosen by index, since making all texts would take seconds."""


@final
class WordChoice:
    """The remaining moves after some words of a move. Immutable.

    Words without an alternative are skipped: they need no action. Only a decision with a single legal move asks for
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
        """Whether a single move is left and at least one action was taken."""
        return self._high - self._low == 1 and bool(self.chosen)

    @property
    def move(self) -> Any:
        """The move once `done`; None means waiting."""
        return self._moves[self._low]

    def actions(self) -> list[int]:
        """Returns the possible next words, ascending."""
        rows, at, place = self._rows, self._low, self._place
        found: list[int] = []
        while at < self._high:
            action = rows[at][place]
            found.append(action)
            at = bisect_right(rows, action, at, self._high, key=lambda row: row[place])
        return found

    def take(self, action: int) -> WordChoice:
        """Narrows the choice by an action. Raises `ValueError` for an action that is not in `actions`."""
        rows, place = self._rows, self._place
        low = bisect_left(rows, action, self._low, self._high, key=lambda row: row[place])
        high = bisect_right(rows, action, low, self._high, key=lambda row: row[place])
        if low == high:
            raise ValueError(f"action {action} is not legal now; legal are {self.actions()}")
        return WordChoice(rows, self._moves, low, high, (*self.chosen, action))

    def spelling(self, move: Any) -> list[int]:
        """Returns the actions that choose a move from here; `move` is one of the remaining moves."""
        left = self
        row = self._rows[self._moves.index(move, self._low, self._high)]
        actions: list[int] = []
        while not left.done:
            action = row[left._place]
            actions.append(action)
            left = left.take(action)
        return actions


@final
class DigitChoice:
    """The remaining moves of a very long list, chosen by index in hexadecimal digits, the highest first. Immutable."""

    __slots__ = ("_left", "_legal", "_low", "_may_wait", "chosen")

    def __init__(self, legal: Sequence[Any], may_wait: bool, low: int, left: int, chosen: tuple[int, ...]) -> None:
        self._legal = legal
        self._may_wait = may_wait
        self._low = low
        """The first place that is possible after the digits so far; -1 for waiting."""
        self._left = left
        """The number of digits that are still missing."""
        self.chosen = chosen

    @property
    def done(self) -> bool:
        """Whether all digits are given."""
        return not self._left

    @property
    def move(self) -> Any:
        """The move once `done`; None means waiting."""
        return None if self._low < 0 else self._legal[self._low]

    def actions(self) -> list[int]:
        """Returns the possible next digits, ascending."""
        each = 16 ** (self._left - 1)
        digits = min(16, -((self._low - len(self._legal)) // each))
        waiting = [WAIT_ACTION] if self._may_wait and not self.chosen else []
        return [*waiting, *range(FIRST_DIGIT_ACTION, FIRST_DIGIT_ACTION + digits)]

    def take(self, action: int) -> DigitChoice:
        """Narrows the choice by an action. Raises `ValueError` for an action that is not in `actions`."""
        if action not in self.actions():
            raise ValueError(f"action {action} is not legal now; legal are {self.actions()}")
        chosen = (*self.chosen, action)
        if action == WAIT_ACTION:
            return DigitChoice(self._legal, self._may_wait, -1, 0, chosen)
        low = self._low + (action - FIRST_DIGIT_ACTION) * 16 ** (self._left - 1)
        return DigitChoice(self._legal, self._may_wait, low, self._left - 1, chosen)

    def spelling(self, move: Any) -> list[int]:
        """Returns the actions that choose a move from here; `move` is one of the remaining moves."""
        if move is None:
            return [WAIT_ACTION]
        digits = f"{self._legal.index(move) - self._low:0{self._left}x}"
        return [FIRST_DIGIT_ACTION + int(digit, 16) for digit in digits]


def spelled(game: AnyGame, words: Words, legal: Sequence[Any], may_wait: bool) -> WordChoice | DigitChoice:
    """Returns the choice among legal moves, and waiting if that is allowed."""
    if len(legal) > MAX_MOVES_SPELLED:
        return DigitChoice(legal, may_wait, 0, len(f"{len(legal) - 1:x}"), ())
    pairs = [(words.spell(game.text.format_move(move)), move) for move in legal]
    if may_wait:
        pairs.append(((WAIT_ACTION,), None))
    pairs.sort(key=lambda pair: pair[0])
    return WordChoice([row for row, _ in pairs], [move for _, move in pairs], 0, len(pairs), ())
