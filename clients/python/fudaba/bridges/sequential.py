"""A match in which one seat at a time is asked for one word at a time.

Decisions that are open at the same time form a round. Its seats are asked while the state stays the same, so none can
see another's choice. Then the moves are played, as far as earlier ones have left them legal. Each round begins with a
different seat, since the first may have an advantage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, final

from fudaba.bridges.spelling import DigitChoice, WordChoice, spelled
from fudaba.bridges.words import Words, words_of
from fudaba_games.game import PUBLIC, Chance, IllegalMove, OptionValue, Outcome, Shown
from fudaba_games.registry import AnyGame, game

__all__ = ["NOBODY", "SequentialMatch"]

NOBODY: Final = -1


class _Answer(NamedTuple):
    """A seat's choice in the round; a move of None means waiting."""

    seat: int
    move: Any
    chosen: tuple[int, ...]


_Past = tuple[Any, str] | None
"""The past events, newest first: linked pairs, shared by clones."""
_Taken = tuple[Any, int] | None
"""The past actions, in the same form."""


@final
class SequentialMatch:
    """A match of a game with complete options. `asked` is the seat to move, `NOBODY` when the match is over.

    `remember` says whether `history` is needed. A match is pickled as its seed and its actions, and replayed from them,
    since states of compiled rules cannot be pickled.
    """

    __slots__ = (
        "_answers",
        "_choice",
        "_options",
        "_pasts",
        "_public",
        "_queue",
        "_round",
        "_seed",
        "_taken",
        "_waiting",
        "asked",
        "game",
        "outcome",
        "remember",
        "seats",
        "state",
        "supposed",
        "words",
    )

    def __init__(
        self,
        game: AnyGame,
        seats: int,
        options: Mapping[str, OptionValue],
        words: Words,
        seed: bytes,
        remember: bool = False,
    ) -> None:
        self.game = game
        self.seats = seats
        self.words = words
        self.remember = remember
        self.supposed = False
        """Whether what is hidden from a seat was dealt anew; the actions so far then do not lead to this state."""
        self.outcome: Outcome | None = None
        self.asked = NOBODY
        self._round = -1
        self._queue: tuple[int, ...] = ()
        self._waiting: frozenset[int] = frozenset()
        self._answers: tuple[_Answer, ...] = ()
        self._choice: WordChoice | DigitChoice | None = None
        self._public: _Past = None
        self._pasts: list[_Past] = [None] * seats
        self._options, self._seed = dict(options), seed
        self._taken: _Taken = None
        self.state, events = game.new_match(seats, options, seed)
        self._happened(events)
        self._begin()

    def actions(self) -> list[int]:
        """Returns the legal actions of the seat to move, ascending; none when the match is over."""
        return [] if self._choice is None else self._choice.actions()

    def take(self, action: int) -> None:
        """Takes an action of the seat to move. Raises `ValueError` for an illegal one, and changes nothing."""
        if self._choice is None:
            raise ValueError("the match is over; nobody is asked")
        choice = self._choice.take(action)
        self._choice = choice
        self._taken = (self._taken, action)
        if choice.done:
            seat, move = self.asked, choice.move
            if self.remember:
                said = "(wait)" if move is None else self.game.text.format_move(move)
                self._pasts[seat] = (self._pasts[seat], f"> {said}")
            self._answers = (*self._answers, _Answer(seat, move, choice.chosen))
            self._ask_next()

    def spelling(self, move: Any) -> list[int]:
        """Returns the remaining actions of a legal move (None: waiting) of the seat to move."""
        if self._choice is None:
            raise ValueError("the match is over; nobody is asked")
        return self._choice.spelling(move)

    def chosen(self, seat: int) -> tuple[int, ...]:
        """Returns the actions of a seat in this round, which only the seat knows."""
        if seat == self.asked and self._choice is not None:
            return self._choice.chosen
        return next((answer.chosen for answer in self._answers if answer.seat == seat), ())

    def view(self, seat: int | None) -> Any:
        """Returns a seat's view (None: a spectator's), without its own choices of this round."""
        return self.game.view(self.state, seat)

    def history(self, seat: int | None) -> list[str]:
        """Returns what a seat (None: a spectator) was shown and did, oldest first. Needs `remember`."""
        past = self._public if seat is None else self._pasts[seat]
        lines: list[str] = []
        while past is not None:
            past, line = past
            lines.append(line)
        return lines[::-1]

    def clone(self) -> SequentialMatch:
        """Returns an equal match that shares nothing mutable with this one."""
        other = SequentialMatch.__new__(SequentialMatch)
        for name in SequentialMatch.__slots__:
            setattr(other, name, getattr(self, name))
        other.state = self.state.clone()
        other._pasts = list(self._pasts)
        return other

    def __deepcopy__(self, memo: dict[int, object]) -> SequentialMatch:
        return self.clone()

    def __reduce__(self) -> tuple[Callable[..., SequentialMatch], tuple[Any, ...]]:
        """Raises `ValueError` for a redealt match, to which no actions lead."""
        if self.supposed:
            raise ValueError("a redealt match cannot be pickled: its actions lead to the match it was made from")
        taken, actions = self._taken, list[int]()
        while taken is not None:
            taken, action = taken
            actions.append(action)
        return _played, (self.game.id, self.seats, self._options, self._seed, self.remember, actions[::-1])

    def redealt(self, chance: Chance) -> SequentialMatch:
        """Returns another match that is the same for the seat to move, with everything that it does not know redealt.

        That includes the others' choices in this round. Of the past, other seats know only what everybody knows.
        """
        seat = self.asked
        if seat == NOBODY:
            raise ValueError("the match is over; nobody is asked")
        other = self.clone()
        other.supposed = True
        other.state = self.game.redeal(self.state, seat, chance)
        other._pasts = [past if past_seat == seat else self._public for past_seat, past in enumerate(self._pasts)]
        due = {decision.seat for decision in self.game.decisions(other.state)}
        other._answers = tuple(
            [other._drawn(answering, chance) for answering, _, _ in self._answers if answering in due]
        )
        other._queue = tuple([queued for queued in self._queue if queued in due])
        return other

    def _drawn(self, seat: int, chance: Chance) -> _Answer:
        """Returns a random answer."""
        move = self.game.random_move(self.state, seat, chance)
        return _Answer(seat, None if seat in self._waiting and chance.random() < 0.5 else move, ())

    def _begin(self) -> None:
        """Begins a round, or notes that the match is over. Time passes if no seat is asked."""
        game, state = self.game, self.state
        while not (due := game.decisions(state)):
            self.outcome = game.outcome(state)
            if self.outcome is not None:
                self.asked, self._choice = NOBODY, None
                return
            self._pass_time()
        self._round += 1
        first = self._round % len(due)
        self._queue = tuple([decision.seat for decision in (*due[first:], *due[:first])])
        # Waiting has to end: by a timer, or by somebody who may not wait.
        ends = bool(game.timers(state)) or any(decision.required for decision in due)
        self._waiting = frozenset([decision.seat for decision in due if ends and not decision.required])
        self._answers = ()
        self._ask_next()

    def _ask_next(self) -> None:
        """Asks the next seat of the round; after the last one, plays the choices."""
        if not self._queue:
            self._play()
            return
        self.asked, self._queue = self._queue[0], self._queue[1:]
        legal = self.game.legal_moves(self.state, self.asked)
        self._choice = spelled(self.game, self.words, legal, self.asked in self._waiting)

    def _play(self) -> None:
        moves = [(seat, move) for seat, move, _ in self._answers if move is not None]
        sure = len(moves) == 1 and not self.supposed
        for seat, move in moves:
            if sure or self._is_legal(seat, move):
                if self.remember:
                    self._happened(self.game.apply(self.state, seat, move))
                else:
                    self.game.advance(self.state, seat, move)
        if self._answers and not moves:
            self._pass_time()
        self._begin()

    def _is_legal(self, seat: int, move: Any) -> bool:
        if all(decision.seat != seat for decision in self.game.decisions(self.state)):
            return False
        try:
            self.game.check(self.state, seat, move)
        except IllegalMove:
            return False
        return True

    def _pass_time(self) -> None:
        timer = self.game.next_timer(self.state)
        if timer is None:
            raise RuntimeError(f"{self.game.id} asks nobody, runs no timer and has no result")
        self._happened(self.game.fire(self.state, timer.name))

    def _happened(self, events: Sequence[Shown[Any]]) -> None:
        if not self.remember:
            return
        for shown in events:
            line = repr(shown.event)
            if shown.to == PUBLIC:
                self._public = (self._public, line)
            for seat in range(self.seats):
                if shown.visible(seat):
                    self._pasts[seat] = (self._pasts[seat], line)


def _played(
    game_id: str, seats: int, options: Mapping[str, OptionValue], seed: bytes, remember: bool, actions: Sequence[int]
) -> SequentialMatch:
    """Returns a match after these actions."""
    match = SequentialMatch(game(game_id), seats, options, words_of(game_id), seed, remember)
    for action in actions:
        match.take(action)
    return match
