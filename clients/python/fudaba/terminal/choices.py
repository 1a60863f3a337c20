"""The list of legal moves, narrowed by typing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from rich.text import Text

from fudaba_games.game import GameError
from fudaba_games.registry import AnyGame

__all__ = ["MAX_SHOWN_MOVES", "OfferedMove", "OfferedMoves", "typed_move"]

MAX_SHOWN_MOVES: Final = 400
"""The number of moves in a list. Typing finds the others."""


@final
@dataclass(frozen=True, slots=True)
class OfferedMove:
    """A legal move as the list shows it."""

    move: Any
    text: str
    """The rulebook's text of the move."""
    shown: Text
    words: tuple[str, ...]
    """The lower-case words of both texts, for comparison with the typed text."""


@final
class OfferedMoves:
    """The legal moves of one decision."""

    def __init__(self, legal: Sequence[Any], text: Callable[[Any], str], shown: Callable[[Any], Text]) -> None:
        self._all = [_choice(move, text(move), shown(move)) for move in legal]

    def __len__(self) -> int:
        return len(self._all)

    def fitting(self, typed: str) -> list[OfferedMove]:
        """Returns the moves that fit the typed text, in the rulebook's order: each typed word begins a different word
        of the move.

        A move whose text equals the typed text is the only result.
        """
        wanted = typed.lower().split()
        exact = [choice for choice in self._all if choice.text.lower().split() == wanted]
        return exact or [choice for choice in self._all if _fits(wanted, choice.words)]


def typed_move(
    rules: AnyGame, legal: Sequence[Any], typed: str, why_not: Callable[[Any], str]
) -> tuple[OfferedMove | None, str]:
    """Returns the legal move that was typed although no listed text fits; or None, and the reason.

    It may be written in another way, or be missing from a list that was cut off. `why_not` has the rules' reason
    against a move, empty for none. For text that is not a move, the reason names the kinds that are due.
    """
    words = typed.split()
    try:
        move = rules.text.parse_move(typed)
    except GameError as error:
        if words and words[0] in {rules.text.move_kind(move) for move in legal}:
            return None, str(error)
        return None, f"it is not a move of {rules.name} now; one would be {rules.text.format_move(legal[0])!r}"
    if why := why_not(move):
        return None, why
    return _choice(move, rules.text.format_move(move), Text()), ""


def _choice(move: Any, text: str, shown: Text) -> OfferedMove:
    more = shown.plain.lower().split()
    words = text.lower().split()
    return OfferedMove(move, text, shown, (*words, *(word for word in more if word not in words)))


def _fits(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """Returns whether each wanted word begins a different one of the words. Longer words choose first."""
    left = list(words)
    for want in sorted(wanted, key=len, reverse=True):
        found = next((word for word in left if word.startswith(want)), None)
        if found is None:
            return False
        left.remove(found)
    return True
