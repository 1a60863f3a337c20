"""The rules of Tashot (rules page `docs/rules/tashot.md`; numbers such as TA4.1 are of that page)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from fudaba_games.game import Chance, Decision, Game, Option, OptionValue, Outcome, Shown, Timer, paid_by
from fudaba_games.kamikisen.dealing import deals_option, first_dealer, first_dealer_option, number_of_deals
from fudaba_games.tashot.judging import check_move
from fudaba_games.tashot.moves import (
    calls_of,
    count_discards,
    discards_of,
    fours_of,
    random_discard,
    takes_of,
    wins_with,
)
from fudaba_games.tashot.redealing import redealt
from fudaba_games.tashot.shapes import (
    FINISH_POINTS,
    FIRST_ROUND_POINTS,
    SAME_COLOUR_POINTS,
    SIX_IN_ROW_POINTS,
    hopeless,
    shape_of,
)
from fudaba_games.tashot.state import MAX_SEATS, TashotState
from fudaba_games.tashot.supposing import supposed
from fudaba_games.tashot.text import EVENT_KINDS, TEXT
from fudaba_games.tashot.turns import Events, answer, close_window, deal_cards, discard, lay_four, win
from fudaba_games.tashot.values import (
    DECLINE,
    MOVE_KINDS,
    NOBODY,
    PHASE_OVER,
    PHASE_TURN,
    PHASE_WINDOW,
    WIN,
    Discard,
    Four,
    TashotEvent,
    TashotMove,
    TashotView,
    Win,
)

WINDOW_TIMER: Final = "window"
"""The name of the timer that closes a window."""
MAX_WINDOW_MS: Final = 60_000
"""The highest value of the option `window_ms`."""
MAX_FINISH_POINTS: Final = FINISH_POINTS + SAME_COLOUR_POINTS + SIX_IN_ROW_POINTS + FIRST_ROUND_POINTS
"""The most points for finishing."""
MAX_BONUS_POINTS: Final = 12
"""The most other points: six soldiers, and two soldiers as lights."""

_DECISIONS: Final[tuple[tuple[Decision, ...], ...]] = tuple(
    tuple([Decision(seat) for seat in range(MAX_SEATS) if asked >> seat & 1]) for asked in range(1 << MAX_SEATS)
)
"""The open decisions, by the seats that are asked."""
_TURNS: Final = tuple((asked & -asked).bit_length() - 1 for asked in range(1 << MAX_SEATS))
"""The first of these seats, by the same mask; -1 for nobody."""


@final
class Tashot(Game[TashotState, TashotMove, TashotView, TashotEvent]):
    """終季, two to six seats."""

    id = "tashot"
    name = "Tashot"
    japanese_name = "終季"
    rules_version = 2
    min_seats = 2
    max_seats = MAX_SEATS
    options: tuple[Option, ...] = (
        deals_option(),
        first_dealer_option(MAX_SEATS),
        Option("lights", True, "Whether cards are turned up as lights, which pay a bonus."),
        Option(
            "window_ms",
            0,
            "How many milliseconds a discarded card can be taken, whether anybody can or not; 0: until all who can "
            "have answered.",
            maximum=MAX_WINDOW_MS,
        ),
    )
    move_kinds: tuple[str, ...] = MOVE_KINDS
    event_kinds: tuple[str, ...] = EVENT_KINDS
    text = TEXT

    def new_match(
        self, seats: int, options: Mapping[str, OptionValue], seed: bytes
    ) -> tuple[TashotState, list[Shown[TashotEvent]]]:
        """Returns the state after the first deal, and its events."""
        self.check_seats(seats)
        deals = number_of_deals(int(options["deals"]), seats)
        dealer = first_dealer(int(options["first_dealer"]), seats)
        state = TashotState(seed, seats, deals, dealer, bool(options["lights"]), int(options["window_ms"]))
        events: list[Shown[TashotEvent]] = []
        deal_cards(state, events)
        return state, events

    def decisions(self, state: TashotState) -> Sequence[Decision]:
        """Returns the decision of the seat whose turn it is; in a window, the decisions of all seats that can take the
        card and have not answered.
        """
        return _DECISIONS[state.asked]

    def turn(self, state: TashotState) -> int:
        """Returns the first seat that is asked."""
        return _TURNS[state.asked]

    def timers(self, state: TashotState) -> Sequence[Timer]:
        """Returns the timer of a window if the option `window_ms` is set."""
        if state.phase == PHASE_WINDOW and state.window_ms:
            return (Timer(WINDOW_TIMER, state.window_ms, closing=True),)
        return ()

    def fired(self, state: TashotState, name: str) -> list[Shown[TashotEvent]]:  # noqa: ARG002 - it has one timer
        """Closes a window. Seats that have not answered decline."""
        events: list[Shown[TashotEvent]] = []
        close_window(state, events)
        return events

    def legal_moves(self, state: TashotState, seat: int) -> Sequence[TashotMove]:
        """Returns decline, win, calls; or discards, the card just drawn first, then sets of four, then win."""
        hand, meld = state.hands[seat], state.melds[seat]
        if state.phase == PHASE_WINDOW:
            return takes_of(hand, meld, state.offered)
        discards = discards_of(hand, state.drawn)
        if state.phase != PHASE_TURN:
            return discards
        winning = (WIN,) if shape_of(hand, meld) is not None else ()
        return (*discards, *fours_of(hand, meld), *winning)

    def legal_kinds(self, state: TashotState, seat: int) -> Sequence[tuple[str, int]]:
        """Returns the kinds of the legal moves, in their order, with the number of each."""
        hand, meld = state.hands[seat], state.melds[seat]
        if state.phase == PHASE_WINDOW:
            winning = wins_with(hand, meld, state.offered) is not None
            kinds = [("decline", 1), ("win", int(winning)), ("call", len(calls_of(hand, state.offered)))]
        elif state.phase == PHASE_TURN:
            winning = shape_of(hand, meld) is not None
            kinds = [("discard", count_discards(hand)), ("four", len(fours_of(hand, meld))), ("win", int(winning))]
        else:
            kinds = [("discard", count_discards(hand))]
        return [kind for kind in kinds if kind[1]]

    def random_move(self, state: TashotState, seat: int, chance: Chance) -> TashotMove:
        """Draws a move as in every game, without listing the moves that are not drawn."""
        hand, meld = state.hands[seat], state.melds[seat]
        if state.phase == PHASE_WINDOW:
            return _random_take(state, seat, chance)
        if state.phase == PHASE_TURN and (meld is not None or not hopeless(hand)):
            fours, winning = fours_of(hand, meld), shape_of(hand, meld) is not None
            if fours or winning:
                kind = int(chance.random() * (1 + bool(fours) + winning))
                place = chance.random()
                if kind:
                    return fours[int(place * len(fours))] if fours and kind == 1 else WIN
                return random_discard(hand, place)
        return random_discard(hand, chance.random())

    def check(self, state: TashotState, seat: int, move: TashotMove) -> None:
        """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
        check_move(state, seat, move)

    def apply(self, state: TashotState, seat: int, move: TashotMove) -> list[Shown[TashotEvent]]:
        """Plays a checked move. Answers in a window are kept until all seats have answered."""
        events: list[Shown[TashotEvent]] = []
        _play(state, seat, move, events)
        return events

    def advance(self, state: TashotState, seat: int, move: TashotMove) -> None:
        """Plays a checked move without making its events."""
        _play(state, seat, move, None)

    def view(self, state: TashotState, seat: int | None) -> TashotView:
        """Returns what `seat` (None: a spectator) may know."""
        own_turn = seat is not None and seat == state.turn
        return TashotView(
            state.deal,
            state.dealer,
            state.multiplier,
            state.phase,
            NOBODY if state.phase == PHASE_OVER else state.turn,
            state.unfinished,
            len(state.stock),
            state.offered,
            0 if seat is None else state.hands[seat],
            state.drawn if own_turn else -1,
            tuple([hand.bit_count() for hand in state.hands]),
            tuple([meld for meld in state.melds if meld is not None]),
            tuple(state.discards),
            state.turned,
            tuple(state.scores),
            tuple([now - before for now, before in zip(state.scores, state.before, strict=True)]),
            state.winner,
            state.won_with,
        )

    def redeal(self, state: TashotState, seat: int | None, chance: Chance) -> TashotState:
        """Deals anew the cards that `seat` does not know. Every deal that fits what it sees is equally likely."""
        return redealt(state, seat, chance)

    def suppose(
        self, view: TashotView, seat: int, seats: int, options: Mapping[str, OptionValue], chance: Chance
    ) -> TashotState:
        """Returns a full state with this view, drawn as `redeal` draws it."""
        deals = number_of_deals(int(options["deals"]), seats)
        state = supposed(view, seat, seats, deals, bool(options["lights"]), int(options["window_ms"]))
        return redealt(state, seat, chance)

    def outcome(self, state: TashotState) -> Outcome | None:
        """Returns the scores of all deals, once they are played."""
        return Outcome(tuple(state.scores)) if state.phase == PHASE_OVER else None

    def forfeit(self, state: TashotState, seat: int) -> Outcome:
        """Returns the result in which `seat` loses the most that the deal in progress, and each that would have
        followed, could cost (TA8.6).
        """
        scores = tuple(state.scores)
        if state.phase == PHASE_OVER:
            return Outcome(scores)
        left, others = state.deals - state.deal, state.seats - 1
        # A call, a set of four of everyone else, and the dearest win.
        most = left * (1 + others + MAX_BONUS_POINTS)
        most += MAX_FINISH_POINTS * sum([state.multiplier + number for number in range(left)])
        each = -(-most // others)
        return paid_by(seat, each, scores)


def _random_take(state: TashotState, seat: int, chance: Chance) -> TashotMove:
    """Draws a move as `Tashot.random_move` does, in a window."""
    hand = state.hands[seat]
    winning = wins_with(hand, state.melds[seat], state.offered) is not None
    calls = calls_of(hand, state.offered)
    kind = int(chance.random() * (1 + winning + bool(calls)))
    place = chance.random()
    if not kind:
        return DECLINE
    return WIN if winning and kind == 1 else calls[int(place * len(calls))]


def _play(state: TashotState, seat: int, move: TashotMove, events: Events) -> None:
    if isinstance(move, Discard):
        discard(state, seat, move.card, events)
    elif state.phase == PHASE_WINDOW:
        answer(state, seat, move, events)
    elif isinstance(move, Four):
        lay_four(state, seat, move.cards, events)
    elif isinstance(move, Win):
        win(state, seat, NOBODY, events)


TASHOT: Final = Tashot()
"""The only instance."""
