"""The actions of a game: the words in the texts of its moves.

Training tools need a fixed number of actions. A list of all moves would be far too long (sets, runs and sums of cards),
and an index into the legal moves means something else in every position. So a move is chosen word by word, as it is
written: `commit`, `D7`, `A1`, `T3`. An action then means the same card in every position.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, final

from fudaba.bridges.exploring import positions
from fudaba_games.registry import game

__all__ = ["END_ACTION", "FIRST_DIGIT_ACTION", "WAIT_ACTION", "Words", "words_of"]

END_ACTION: Final = 0
"""The move has no more words."""
WAIT_ACTION: Final = 1
"""No move now, if the game does not wait for one."""
FIRST_DIGIT_ACTION: Final = 2
"""The first of sixteen hexadecimal digits, which spell a word that is not an action of its own."""
_FIRST_WORD_ACTION: Final = 18
_MAX_OWN_DIGITS: Final = 2
"""The number of digits up to which numbers are actions of their own."""
_MAX_SAMPLED_MOVES: Final = 12
"""The number of moves of a list that are searched for words."""


@final
class Words:
    """The actions of a game. `texts[action]` describes an action."""

    def __init__(self, words: Iterable[str]) -> None:
        self.texts: tuple[str, ...] = ("(end)", "(wait)", *(f"(hex {digit:x})" for digit in range(16)), *words)
        self._actions = {word: action for action, word in enumerate(self.texts) if action >= _FIRST_WORD_ACTION}

    def __len__(self) -> int:
        """Returns the number of actions, which are numbered from 0."""
        return len(self.texts)

    def spell(self, text: str) -> tuple[int, ...]:
        """Returns the actions of a move's text, with `END_ACTION`. No two texts have the same actions, and none is a
        prefix of another.

        A word that is not an action of its own is spelled: the hexadecimal digits of its UTF-8, and `END_ACTION`.
        """
        spelled: list[int] = []
        for word in text.split():
            action = self._actions.get(word)
            if action is None:
                spelled += [FIRST_DIGIT_ACTION + int(digit, 16) for digit in word.encode().hex()]
                spelled.append(END_ACTION)
            else:
                spelled.append(action)
        spelled.append(END_ACTION)
        return tuple(spelled)


@lru_cache(maxsize=64)
def words_of(game_id: str) -> Words:
    """Returns the actions of a game, the same for all numbers of seats and options: kinds of moves, then other words.

    Matches with fixed seeds find the words. A word that occurs in none of them is spelled, so every move remains
    possible. Numbers of three or more digits are spelled, too, since a game with bets has too many.
    """
    rules = game(game_id)
    found: set[str] = set()
    for seats in {rules.min_seats, rules.max_seats}:
        for state, seat, played in positions(rules, seats):
            if seat < 0:
                continue
            found.update(rules.text.format_move(played).split())
            legal = rules.legal_moves(state, seat)
            for place in range(0, len(legal), max(1, len(legal) // _MAX_SAMPLED_MOVES)):
                found.update(rules.text.format_move(legal[place]).split())
    kinds = rules.move_kinds
    words = found - set(kinds)
    return Words([*kinds, *sorted([word for word in words if not (word.isdecimal() and len(word) > _MAX_OWN_DIGITS)])])
