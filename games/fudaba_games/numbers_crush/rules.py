"""The rules of Numbers Crush (rules page `docs/rules/numbers_crush.md`; numbers such as C4.1 are of that page)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from fudaba_games.game import Chance, Decision, Game, Option, OptionValue, Outcome, Shown, Timer, paid_by
from fudaba_games.numbers_crush.cards import cards_of
from fudaba_games.numbers_crush.judging import check_move
from fudaba_games.numbers_crush.limits import cards_now, limits_now
from fudaba_games.numbers_crush.moves import SetMoves
from fudaba_games.numbers_crush.piles import Events
from fudaba_games.numbers_crush.random_moves import random_card, random_set
from fudaba_games.numbers_crush.redealing import redealt
from fudaba_games.numbers_crush.state import MAX_SEATS, NumbersCrushState
from fudaba_games.numbers_crush.sums import can_set
from fudaba_games.numbers_crush.supposing import supposed
from fudaba_games.numbers_crush.text import EVENT_KINDS, TEXT
from fudaba_games.numbers_crush.turns import (
    MAX_TURNS,
    answer,
    begin_deal,
    close_window,
    decline,
    discard,
    draw_or_skip,
    give,
    pass_turn,
    set_cards,
)
from fudaba_games.numbers_crush.values import (
    COUNTER,
    DECLINE,
    DRAW,
    MOVE_KINDS,
    PASS,
    PHASE_COUNTER,
    PHASE_DRAW,
    PHASE_EXTRA,
    PHASE_GIVE,
    PHASE_MAY_DISCARD,
    PHASE_MUST_DISCARD,
    PHASE_OVER,
    PHASE_PENALTY,
    PHASE_RESET,
    PHASE_SET,
    PHASE_ZERO_OUT,
    SKIP,
    ZERO_OUT,
    Discard,
    Give,
    NumbersCrushEvent,
    NumbersCrushMove,
    NumbersCrushView,
    Set,
    move_kind,
)

_SETTING: Final = frozenset({PHASE_SET, PHASE_EXTRA, PHASE_RESET, PHASE_PENALTY})

# What is made all the time is few and immutable: made once, and shared by all matches.
_ONE: Final[tuple[tuple[Decision, ...], ...]] = tuple([(Decision(seat),) for seat in range(MAX_SEATS)])
_MAY: Final = tuple([Decision(seat, required=False) for seat in range(MAX_SEATS)])
_DRAWING: Final[tuple[NumbersCrushMove, ...]] = (SKIP, DRAW)
_ZEROING: Final[tuple[NumbersCrushMove, ...]] = (DECLINE, ZERO_OUT)
_COUNTERING: Final[tuple[NumbersCrushMove, ...]] = (DECLINE, COUNTER)
_FIRST: Final[tuple[NumbersCrushMove, ...]] = (DECLINE, SKIP, PASS, *[DECLINE] * 8)
"""For each phase, the move that does nothing, if there is one."""
_OTHER: Final[dict[int, NumbersCrushMove]] = {PHASE_DRAW: DRAW, PHASE_ZERO_OUT: ZERO_OUT, PHASE_COUNTER: COUNTER}
"""For each phase, the only other move."""


@final
class NumbersCrush(Game[NumbersCrushState, NumbersCrushMove, NumbersCrushView, NumbersCrushEvent]):
    """ナンバーズ・クラッシュ, two to five seats."""

    id = "numbers_crush"
    name = "Numbers Crush"
    japanese_name = "ナンバーズ・クラッシュ"
    rules_version = 2
    min_seats = 2
    max_seats = MAX_SEATS
    options: tuple[Option, ...] = (
        Option("deals", 1, "How many deals a match has.", minimum=1, maximum=99),
        Option(
            "first_dealer",
            0,
            "The seat that deals first and has the first turn; with fewer seats it is counted on around.",
            minimum=0,
            maximum=MAX_SEATS - 1,
        ),
        Option(
            "window_ms",
            0,
            "How long every pause lasts in which a zero-out could be declared or countered, in milliseconds; "
            "with 0 it lasts until those who can have answered.",
            minimum=0,
            maximum=60_000,
        ),
    )
    move_kinds: tuple[str, ...] = MOVE_KINDS
    event_kinds: tuple[str, ...] = EVENT_KINDS
    text = TEXT

    def new_match(
        self, seats: int, options: Mapping[str, OptionValue], seed: bytes
    ) -> tuple[NumbersCrushState, list[Shown[NumbersCrushEvent]]]:
        """Returns the state after the first deal, and its events."""
        self.check_seats(seats)
        dealer = int(options["first_dealer"]) % seats
        state = NumbersCrushState(seed, seats, int(options["deals"]), dealer, int(options["window_ms"]))
        events: list[Shown[NumbersCrushEvent]] = []
        begin_deal(state, events)
        return state, events

    def decisions(self, state: NumbersCrushState) -> Sequence[Decision]:
        """Returns the decision of one seat; in a window, the decisions of all seats that can declare something and have
        not answered.
        """
        phase = state.phase
        if phase < PHASE_ZERO_OUT:
            return _ONE[state.turn]
        return [_MAY[seat] for seat in range(state.seats) if state.asked >> seat & 1]

    def legal_moves(self, state: NumbersCrushState, seat: int) -> Sequence[NumbersCrushMove]:
        """Returns skipping, passing or declining; then sets in the order of `legal_sets`, or cards in deck order."""
        phase = state.phase
        if phase == PHASE_DRAW:
            return _DRAWING
        if phase == PHASE_ZERO_OUT:
            return _ZEROING
        if phase == PHASE_COUNTER:
            return _COUNTERING
        if phase in {PHASE_GIVE, PHASE_MUST_DISCARD, PHASE_MAY_DISCARD}:
            return self._cards(state, seat)
        limits, cards = limits_now(state), cards_now(state)
        first = _FIRST[phase]
        return SetMoves(first, limits, cards) if can_set(limits, cards) else (first,)

    def _cards(self, state: NumbersCrushState, seat: int) -> list[NumbersCrushMove]:
        cards = cards_of(state.hands[seat])
        if state.phase == PHASE_MUST_DISCARD:
            return [Discard(card) for card in cards]
        moves: list[NumbersCrushMove] = [DECLINE]
        if state.phase == PHASE_MAY_DISCARD:
            moves += [Discard(card) for card in cards]
        else:
            moves += [Give(card, to) for card in cards for to in range(state.seats) if to != seat]
        return moves

    def legal_kinds(self, state: NumbersCrushState, seat: int) -> Sequence[tuple[str, int]]:
        """Returns the kinds that are due."""
        moves = self.legal_moves(state, seat)
        last = move_kind(moves[-1])
        if state.phase == PHASE_MUST_DISCARD:
            return ((last, len(moves)),)
        first = move_kind(moves[0]), 1
        return (first, (last, len(moves) - 1)) if len(moves) > 1 else (first,)

    def random_move(self, state: NumbersCrushState, seat: int, chance: Chance) -> NumbersCrushMove:
        """Draws a move as `Game.random_move` promises, without making any list. Some sets are likelier than others."""
        phase = state.phase
        if chance.random() < 0.5 and phase != PHASE_MUST_DISCARD:
            return _FIRST[phase]
        if phase in _SETTING:
            limits, cards = limits_now(state), cards_now(state)
            return random_set(limits, cards, chance) if can_set(limits, cards) else _FIRST[phase]
        other = _OTHER.get(phase)
        if other is not None:
            return other
        card = random_card(state.hands[seat], chance)
        if phase == PHASE_GIVE:
            return Give(card, (seat + 1 + int(chance.random() * (state.seats - 1))) % state.seats)
        return Discard(card)

    def check(self, state: NumbersCrushState, seat: int, move: NumbersCrushMove) -> None:
        """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
        check_move(state, seat, move)

    def apply(self, state: NumbersCrushState, seat: int, move: NumbersCrushMove) -> list[Shown[NumbersCrushEvent]]:
        """Plays a checked move."""
        events: list[Shown[NumbersCrushEvent]] = []
        _play(state, seat, move, events)
        return events

    def advance(self, state: NumbersCrushState, seat: int, move: NumbersCrushMove) -> None:
        """Plays a checked move without making its events."""
        _play(state, seat, move, None)

    def view(self, state: NumbersCrushState, seat: int | None) -> NumbersCrushView:
        """Returns what `seat` (None: a spectator) may know."""
        phase, seats = state.phase, state.seats
        return NumbersCrushView(
            state.deal,
            state.dealer,
            state.turns,
            phase,
            state.turn if state.turns and phase != PHASE_OVER else -1,
            state.reversed,
            state.base,
            state.number,
            state.suit,
            state.pile,
            len(state.stock),
            tuple([hand.bit_count() for hand in state.hands]),
            state.bind,
            state.bind_maker,
            state.pending,
            state.king_penalty,
            state.king_starter,
            state.joker_lock,
            state.resets,
            state.cards_left,
            state.penalty_cards,
            state.penalty_left,
            state.zero_out,
            seat is not None and bool(state.answered >> seat & 1),
            0 if seat is None else state.hands[seat],
            tuple(state.known),
            (0,) * seats if seat is None else tuple(state.known_alone[seats * seat : seats * (seat + 1)]),
            state.changed_seats,
            state.lost_turns,
            state.next_turn,
            state.scores,
            state.new_bind,
        )

    def redeal(self, state: NumbersCrushState, seat: int | None, chance: Chance) -> NumbersCrushState:
        """Deals anew the cards that `seat` does not know, as far as what everybody has seen allows."""
        return redealt(state, seat, chance)

    def suppose(
        self, view: NumbersCrushView, seat: int, seats: int, options: Mapping[str, OptionValue], chance: Chance
    ) -> NumbersCrushState:
        """Returns a full state with this view, drawn as `redeal` draws it."""
        state = supposed(view, seat, seats, int(options["deals"]), int(options["window_ms"]))
        return redealt(state, seat, chance)

    def timers(self, state: NumbersCrushState) -> Sequence[Timer]:
        """Returns the timer of a pause. With option `window_ms` every pause in which a zero-out may be declared or
        countered lasts that long.
        """
        if not state.window_ms or state.phase not in {PHASE_ZERO_OUT, PHASE_COUNTER}:
            return ()
        mark = 2 * ((MAX_TURNS + 1) * state.deal + state.turns) + (state.phase == PHASE_COUNTER)
        return (Timer("window", state.window_ms, mark, closing=True),)

    def fired(self, state: NumbersCrushState, name: str) -> list[Shown[NumbersCrushEvent]]:  # noqa: ARG002 - it has one
        """Ends the pause. Seats that have not answered decline."""
        events: list[Shown[NumbersCrushEvent]] = []
        close_window(state, events)
        return events

    def outcome(self, state: NumbersCrushState) -> Outcome | None:
        """Returns the scores of all deals, once they are played."""
        return Outcome(state.scores) if state.phase == PHASE_OVER else None

    def forfeit(self, state: NumbersCrushState, seat: int) -> Outcome:
        """Returns the result in which `seat` pays every other seat 1 for the deal in progress, and for each that would
        have followed (C9.6).
        """
        return paid_by(seat, 0 if state.phase == PHASE_OVER else state.deals - state.deal, state.scores)


def _play(state: NumbersCrushState, seat: int, move: NumbersCrushMove, events: Events) -> None:
    if isinstance(move, Set):
        set_cards(state, move, events)
    elif state.phase == PHASE_DRAW:
        draw_or_skip(state, move is DRAW or move == DRAW, events)
    elif state.phase == PHASE_SET:
        pass_turn(state, events)
    elif state.phase in {PHASE_ZERO_OUT, PHASE_COUNTER}:
        answer(state, seat, move != DECLINE, events)
    elif isinstance(move, Give):
        give(state, move.card, move.to, events)
    elif isinstance(move, Discard):
        discard(state, move.card, events)
    else:
        decline(state, events)


NUMBERS_CRUSH: Final = NumbersCrush()
"""The only instance."""
