"""Bell, a game for tests of the match: one seat has to move, the other may interrupt it at any time.

Seat 0 plays (public) or whispers (it alone is told) three times. Seat 1 may ring, which ends the match at once. With
an hourglass seat 0 has a second for each move: then the referee plays for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from fudaba_games.game import (
    PUBLIC,
    Chance,
    Decision,
    Game,
    GameText,
    IllegalMove,
    MalformedMove,
    OptionValue,
    Outcome,
    Shown,
    Timer,
)
from fudaba_games.game import State as GameState

ROUNDS_PER_MATCH: Final = 3
MOVES: Final = ("play", "whisper", "ring")


class State(GameState):
    """The number of moves of seat 0, and whether seat 1 has rung."""

    def __init__(self) -> None:
        self.moves = 0
        self.rung = False

    def clone(self) -> State:
        """Returns an equal state."""
        other = State()
        other.moves, other.rung = self.moves, self.rung
        return other


def parse_move(text: str) -> str:
    """Returns the text: it is the move."""
    if text in MOVES:
        return text
    raise MalformedMove("write play, whisper or ring")


class Bell(Game[State, str, int, str]):
    """The game. Its moves and events are words."""

    id = "bell"
    name = "Bell"
    japanese_name = "ベル"
    rules_version = 1
    min_seats = 2
    max_seats = 2
    options = ()
    move_kinds = MOVES
    event_kinds = ("begun", *MOVES)
    text = GameText(str, str, parse_move, str, str, str)

    def __init__(self, *, hourglass: bool = False) -> None:
        self.hourglass = hourglass

    def new_match(self, seats: int, options: Mapping[str, OptionValue], seed: bytes) -> tuple[State, list[Shown[str]]]:
        return State(), [Shown(PUBLIC, "begun")]

    def decisions(self, state: State) -> Sequence[Decision]:
        return [] if self.outcome(state) else [Decision(0), Decision(1, required=False)]

    def legal_moves(self, state: State, seat: int) -> Sequence[str]:
        return ["play", "whisper"] if seat == 0 else ["ring"]

    def check(self, state: State, seat: int, move: str) -> None:
        if move not in self.legal_moves(state, seat):
            raise IllegalMove("NOT_YOURS", f"seat {seat} does not {move}")

    def apply(self, state: State, seat: int, move: str) -> list[Shown[str]]:
        state.moves += seat == 0
        state.rung = seat == 1
        return [Shown(1 << 0 if move == "whisper" else PUBLIC, move)]

    def timers(self, state: State) -> Sequence[Timer]:
        return [Timer("hour", 3_600_000), Timer("hourglass", 1000, state.moves, closing=True)] if self.hourglass else []

    def fired(self, state: State, name: str) -> list[Shown[str]]:
        return self.apply(state, 0, "play") if name == "hourglass" else self.apply(state, 1, "ring")

    def view(self, state: State, seat: int | None) -> int:
        return state.moves if seat == 0 else 0

    def redeal(self, state: State, seat: int | None, chance: Chance) -> State:
        return state.clone()

    def suppose(self, view: int, seat: int, seats: int, options: Mapping[str, OptionValue], chance: Chance) -> State:
        state = State()
        state.moves = view
        return state

    def only_this_deal(self, view: int, options: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
        return dict(options)

    def outcome(self, state: State) -> Outcome | None:
        if state.rung:
            return Outcome((-1, 1))
        return Outcome((1, -1)) if state.moves == ROUNDS_PER_MATCH else None

    def forfeit(self, state: State, seat: int) -> Outcome:
        return Outcome((-1, 1) if seat == 0 else (1, -1))
