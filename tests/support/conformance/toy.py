"""The starter's High Card, and what can be wrong with it: the proof that the conformance checks bite.

Every `Flaw` breaks one promise of `fudaba_games.game`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import Any, Final, NamedTuple

from fudaba_games.game import PUBLIC, Chance, GameText, Option, OptionValue, Outcome, Shown, Timer
from high_card.rules import HighCard as SoundHighCard
from high_card.state import HighCardState
from high_card.text import TEXT
from high_card.turns import DECK, ROUNDS_PER_DEAL
from high_card.values import Compared, HighCardEvent, HighCardMove, HighCardView, Pass, Play, Received

__all__ = ["ROUNDS_PER_DEAL", "Flaw", "HighCard", "HighCardState", "Pass", "Play", "card_of"]


class Flaw(Enum):
    """A flaw of a High Card."""

    NONE = auto()
    VIEW_LEAKS = auto()
    VIEW_TELLS_WHO_CHOSE = auto()
    SPECTATOR_SEES_A_HAND = auto()
    LEGAL_MOVES_LEAK = auto()
    EVENT_LEAKS = auto()
    ASKING_LEAKS = auto()
    TIMER_LEAKS = auto()
    REDEAL_DOES_NOT_VARY = auto()
    REDEAL_BREAKS_THE_VIEW = auto()
    SUPPOSES_ANOTHER_VIEW = auto()
    SUPPOSES_ANOTHER_FUTURE = auto()
    CHECK_ACCEPTS_ALL = auto()
    CHECK_CHANGES_THE_STATE = auto()
    CHECK_CRASHES = auto()
    LEGAL_MOVES_REPEAT = auto()
    KINDS_ARE_MIXED = auto()
    TEXT_IS_LOSSY = auto()
    PARSER_CRASHES = auto()
    CLONE_SHARES = auto()
    ORDER_MATTERS = auto()
    SCORES_DO_NOT_ADD_UP = auto()
    NEVER_ENDS = auto()
    FORFEIT_PAYS = auto()
    KIND_IS_NEVER_SEEN = auto()
    DEPENDS_ON_MORE_THAN_THE_LOG = auto()
    TURN_IS_ANOTHERS = auto()
    DRAWS_AN_ILLEGAL_MOVE = auto()
    DRAWS_BY_MORE_THAN_CHANCE = auto()
    DRAWING_CHANGES_THE_STATE = auto()
    DRAWS_ALL_MOVES_ALIKE = auto()
    NEVER_DRAWS_A_MOVE = auto()
    ADVANCE_DOES_LESS = auto()
    FIRES_FOR_ANY_NAME = auto()
    FIRES_THE_LONGEST_FIRST = auto()
    PLAYS_ON_AFTER_THE_DEAL = auto()
    REDEAL_HAS_NO_END = auto()
    VIEW_CAN_BE_CHANGED = auto()
    OPTION_HAS_NO_TEXT = auto()
    LARGEST_OPTIONS_HAVE_NO_END = auto()


_DRAWING: Final = {
    Flaw.DRAWS_AN_ILLEGAL_MOVE,
    Flaw.DRAWS_BY_MORE_THAN_CHANCE,
    Flaw.DRAWING_CHANGES_THE_STATE,
    Flaw.DRAWS_ALL_MOVES_ALIKE,
    Flaw.NEVER_DRAWS_A_MOVE,
}


def card_of(move: HighCardMove) -> int:
    """Returns the card that a move plays, 0 for a pass."""
    return move.card if isinstance(move, Play) else 0


class TellingView(NamedTuple):
    """A view with a field too many."""

    deal: int
    dealer: int
    hand: tuple[int, ...]
    chosen: int
    played: tuple[int, ...]
    scores: tuple[int, ...]
    gossip: object


class SharingState(HighCardState):  # type: ignore[misc]  # final, but for its flaw
    """A state whose clones share its stock."""

    def clone(self) -> SharingState:
        other = SharingState(self.seed, self.deals, self.dealer)
        copy_state(super().clone(), other)
        other.stock = self.stock
        return other


def copy_state(source: HighCardState, into: HighCardState) -> None:
    """Makes one state equal to another."""
    for name in HighCardState.__slots__:
        setattr(into, name, getattr(source, name))


class HighCard(SoundHighCard):  # type: ignore[misc]  # final, but for its flaws
    """The game, with one flaw or none."""

    def __init__(self, flaw: Flaw = Flaw.NONE) -> None:
        self.flaw = flaw
        self._calls = 0
        self.text = _flawed_text(flaw)
        if flaw is Flaw.KIND_IS_NEVER_SEEN:
            self.move_kinds = ("pass", "play", "double")
        if flaw is Flaw.OPTION_HAS_NO_TEXT:
            self.options = (Option("deals", 1, "", minimum=1, maximum=9), *self.options[1:])
        if flaw is Flaw.LARGEST_OPTIONS_HAVE_NO_END:
            self.options = (Option("deals", 1, "How many deals.", minimum=1, maximum=9), *self.options[1:])

    def new_match(
        self, seats: int, options: Mapping[str, OptionValue], seed: bytes
    ) -> tuple[HighCardState, list[Shown[HighCardEvent]]]:
        state, events = super().new_match(seats, self.resolve_options(options), seed)
        if self.flaw is Flaw.CLONE_SHARES:
            sharing = SharingState(seed, state.deals, state.dealer)
            copy_state(state, sharing)
            state = sharing
        return state, events

    def decisions(self, state: HighCardState) -> Sequence[Any]:
        due = list(super().decisions(state))
        if self.flaw is Flaw.ASKING_LEAKS and len(due) == 2 and max(state.hands[1]) > max(state.hands[0]):
            return due[1:]
        return due

    def turn(self, state: HighCardState) -> int:
        return 0 if self.flaw is Flaw.TURN_IS_ANOTHERS else super().turn(state)

    def timers(self, state: HighCardState) -> Sequence[Timer]:
        if self.flaw is Flaw.TIMER_LEAKS:
            return [Timer("hourglass", max(state.hands[1]) + 1)]
        if self.flaw is Flaw.FIRES_THE_LONGEST_FIRST and not self.outcome(state):
            return [Timer("minute", 60), Timer("second", 1)]
        return ()

    def next_timer(self, state: HighCardState) -> Timer | None:
        if self.flaw is Flaw.FIRES_THE_LONGEST_FIRST:
            return next(iter(self.timers(state)), None)
        return super().next_timer(state)

    def fire(self, state: HighCardState, name: str) -> list[Shown[HighCardEvent]]:
        return self.fired(state, name) if self.flaw is Flaw.FIRES_FOR_ANY_NAME else super().fire(state, name)

    def fired(self, state: HighCardState, name: str) -> list[Shown[HighCardEvent]]:
        return []

    def legal_moves(self, state: HighCardState, seat: int) -> Sequence[HighCardMove]:
        moves = list(super().legal_moves(state, seat))
        if self.flaw is Flaw.LEGAL_MOVES_LEAK and sum(state.hands[1 - seat]) % 2:
            moves[1:] = moves[:0:-1]
        if self.flaw is Flaw.LEGAL_MOVES_REPEAT:
            moves.append(moves[-1])
        if self.flaw is Flaw.KINDS_ARE_MIXED:
            moves[0], moves[1] = moves[1], moves[0]
        return moves

    def check(self, state: HighCardState, seat: int, move: HighCardMove) -> None:
        if self.flaw is Flaw.CHECK_ACCEPTS_ALL:
            return
        if self.flaw is Flaw.CHECK_CHANGES_THE_STATE:
            state.stock.reverse()
        if self.flaw is Flaw.CHECK_CRASHES and card_of(move) > max(DECK):
            raise IndexError(card_of(move))
        super().check(state, seat, move)

    def apply(self, state: HighCardState, seat: int, move: HighCardMove) -> list[Shown[HighCardEvent]]:
        if self.flaw is Flaw.DEPENDS_ON_MORE_THAN_THE_LOG:
            self._calls += 1
            state.scores = (state.scores[0] + self._calls, state.scores[1] - self._calls)
        if self.flaw is Flaw.ORDER_MATTERS and seat == 0 and state.chosen[1] >= 0:
            state.stock.reverse()
        if self._is_endless(state) and len(state.played) >= 2 * (ROUNDS_PER_DEAL - 1):
            state.played = ()
            state.stock.extend(card for card in DECK if card not in state.stock)
        events = super().apply(state, seat, move)
        if self.flaw is Flaw.EVENT_LEAKS and any(isinstance(shown_event.event, Compared) for shown_event in events):
            events = [
                Shown(PUBLIC, shown_event.event) if isinstance(shown_event.event, Received) else shown_event
                for shown_event in events
            ]
        return events

    def advance(self, state: HighCardState, seat: int, move: HighCardMove) -> None:
        self.apply(state, seat, move)
        if self.flaw is Flaw.ADVANCE_DOES_LESS and state.chosen == [-1, -1]:
            state.played = state.played[:-2]

    def random_move(self, state: HighCardState, seat: int, chance: Chance) -> HighCardMove:
        if self.flaw not in _DRAWING:
            return super().random_move(state, seat, chance)
        hand = state.hands[1 - seat if self.flaw is Flaw.DRAWS_AN_ILLEGAL_MOVE else seat]
        if self.flaw is Flaw.DRAWING_CHANGES_THE_STATE:
            state.stock.sort()
        if self.flaw is Flaw.NEVER_DRAWS_A_MOVE:
            hand = hand[:2]
        draws = [0, *hand] if self.flaw is Flaw.DRAWS_ALL_MOVES_ALIKE else [0, hand[chance.randrange(len(hand))]]
        self._calls += self.flaw is Flaw.DRAWS_BY_MORE_THAN_CHANCE
        card = draws[(chance.randrange(len(draws)) + self._calls) % len(draws)]
        return Play(card) if card else Pass()

    def view(self, state: HighCardState, seat: int | None) -> Any:
        found = super().view(state, seat)
        if seat is None and self.flaw is Flaw.SPECTATOR_SEES_A_HAND:
            return found._replace(hand=tuple(state.hands[0]))
        if seat is not None and self.flaw is Flaw.VIEW_LEAKS:
            return TellingView(*found, max(state.hands[1 - seat]))
        if seat is not None and self.flaw is Flaw.VIEW_TELLS_WHO_CHOSE:
            return TellingView(*found, state.chosen[1 - seat] >= 0)
        if self.flaw is Flaw.VIEW_CAN_BE_CHANGED:
            return TellingView(*found, [len(state.played)])
        return found

    def redeal(self, state: HighCardState, seat: int | None, chance: Chance) -> HighCardState:
        if self.flaw is Flaw.REDEAL_DOES_NOT_VARY:
            return state.clone()
        other = super().redeal(state, seat, chance)
        if self.flaw is Flaw.REDEAL_HAS_NO_END:
            other.deals = 1 << 60
        if self.flaw is Flaw.REDEAL_BREAKS_THE_VIEW and seat is not None:
            other.hands[seat].pop()
        return other

    def suppose(
        self, view: HighCardView, seat: int, seats: int, options: Mapping[str, OptionValue], chance: Chance
    ) -> HighCardState:
        if self.flaw is Flaw.SUPPOSES_ANOTHER_FUTURE:
            chance.random()
        state = super().suppose(view, seat, seats, self.resolve_options(options), chance)
        if self.flaw is Flaw.SUPPOSES_ANOTHER_VIEW:
            state.scores = state.scores[::-1]
        return state

    def only_this_deal(self, view: HighCardView, options: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
        if self.flaw is Flaw.PLAYS_ON_AFTER_THE_DEAL:
            return dict(options)
        return super().only_this_deal(view, options)

    def outcome(self, state: HighCardState) -> Outcome | None:
        found = super().outcome(state)
        if found is not None and self.flaw is Flaw.SCORES_DO_NOT_ADD_UP:
            return Outcome((found.scores[0], found.scores[1] + 1))
        return found

    def forfeit(self, state: HighCardState, seat: int) -> Outcome:
        found = super().forfeit(state, seat)
        if self.flaw is Flaw.FORFEIT_PAYS:
            return Outcome(
                tuple(
                    [
                        score + (ROUNDS_PER_DEAL if other_seat == seat else -ROUNDS_PER_DEAL)
                        for other_seat, score in enumerate(found.scores)
                    ]
                )
            )
        return found

    def _is_endless(self, state: HighCardState) -> bool:
        largest = state.deals == self.options[0].maximum
        return self.flaw is Flaw.NEVER_ENDS or (self.flaw is Flaw.LARGEST_OPTIONS_HAVE_NO_END and largest)


def _flawed_text(flaw: Flaw) -> GameText[HighCardMove, HighCardView, HighCardEvent]:
    """Returns the game's texts, with the flaw if it is one of theirs."""
    if flaw is Flaw.KINDS_ARE_MIXED:
        return TEXT._replace(move_kind=lambda move: "play" if card_of(move) % 2 else "pass")
    if flaw is Flaw.PARSER_CRASHES:
        return TEXT._replace(parse_move=_parse_without_care)
    if flaw is Flaw.TEXT_IS_LOSSY:
        return TEXT._replace(
            format_move=lambda move: f"play {(move.card + 1) // 2}" if isinstance(move, Play) else "pass"
        )
    return TEXT


def _parse_without_care(text: str) -> HighCardMove:
    words = text.split()
    return Pass() if words == ["pass"] else Play(int(words[1]))
