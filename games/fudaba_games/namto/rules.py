"""The rules of Namto (rules page `docs/rules/namto.md`; numbers such as NT4.1 are of that page)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from fudaba_games.game import Chance, Option, OptionValue, Outcome, Shown, paid_by
from fudaba_games.kamikisen.dealing import first_dealer, first_dealer_option
from fudaba_games.kamikisen.one_by_one import NOBODY, OneByOneGame
from fudaba_games.namto.judging import check_move, min_bet
from fudaba_games.namto.moves import legal_moves
from fudaba_games.namto.redealing import redealt
from fudaba_games.namto.state import NamtoState
from fudaba_games.namto.supposing import supposed
from fudaba_games.namto.text import EVENT_KINDS, TEXT
from fudaba_games.namto.turns import Events, begin, bet, call, fold, number_of_deals
from fudaba_games.namto.values import (
    BETS,
    CALL,
    FOLD,
    MAX_SEATS,
    MAX_STACK_POINTS,
    MOVE_KINDS,
    PHASE_BETTING,
    Bet,
    Fold,
    NamtoEvent,
    NamtoMove,
    NamtoView,
)

MIN_STACK_POINTS: Final = 30
"""A number above the highest entry, so that a match begins with something to bet."""
MAX_ENTRY_POINTS: Final = 20
MAX_SHARED_CARDS: Final = 5

_CALLING_KINDS: Final = (("fold", 1), ("call", 1))


@final
class Namto(OneByOneGame[NamtoState, NamtoMove, NamtoView, NamtoEvent]):
    """開樽, two to six seats."""

    id = "namto"
    name = "Namto"
    japanese_name = "開樽"
    rules_version = 2
    min_seats = 2
    max_seats = MAX_SEATS
    options: tuple[Option, ...] = (
        Option("deals", 0, "How many deals a match has at most; 0 for twice as many as there are seats.", maximum=99),
        first_dealer_option(MAX_SEATS),
        Option("stack", 100, "How many points every seat begins with.", MIN_STACK_POINTS, MAX_STACK_POINTS),
        Option("entry", 1, "What every seat pays into the pot before a deal.", 1, MAX_ENTRY_POINTS),
        Option(
            "shared", 3, "How many shared cards are opened, one after each round of betting.", maximum=MAX_SHARED_CARDS
        ),
        Option(
            "second_pass",
            default=True,
            description="Whether those who have bet less than the last one call its bet, or fold.",
        ),
    )
    move_kinds: tuple[str, ...] = MOVE_KINDS
    event_kinds: tuple[str, ...] = EVENT_KINDS
    text = TEXT

    def new_match(
        self, seats: int, options: Mapping[str, OptionValue], seed: bytes
    ) -> tuple[NamtoState, list[Shown[NamtoEvent]]]:
        """Returns the state after the first deal, and its events."""
        self.check_seats(seats)
        state = NamtoState(
            seed,
            seats,
            number_of_deals(int(options["deals"]), seats),
            first_dealer(int(options["first_dealer"]), seats),
            int(options["stack"]),
            int(options["entry"]),
            int(options["shared"]) + 1,
            second_pass=bool(options["second_pass"]),
        )
        events: list[Shown[NamtoEvent]] = []
        begin(state, events)
        return state, events

    def legal_moves(self, state: NamtoState, seat: int) -> Sequence[NamtoMove]:  # noqa: ARG002 - one seat moves
        """Returns folding, then betting from the lowest bet to the highest, or calling."""
        return legal_moves(state)

    def legal_kinds(self, state: NamtoState, seat: int) -> Sequence[tuple[str, int]]:  # noqa: ARG002 - one seat moves
        """Returns folding and betting, or folding and calling."""
        if state.phase == PHASE_BETTING:
            return [("fold", 1), ("bet", state.max_bet - min_bet(state) + 1)]
        return _CALLING_KINDS

    def random_move(self, state: NamtoState, seat: int, chance: Chance) -> NamtoMove:  # noqa: ARG002 - one seat moves
        """Draws a move as `Game.random_move` does."""
        folds, drawn = chance.random() < 0.5, chance.random()
        if folds:
            return FOLD
        if state.phase != PHASE_BETTING:
            return CALL
        least = state.last or 1
        return BETS[least + int(drawn * (state.max_bet - least + 1))]

    def check(self, state: NamtoState, seat: int, move: NamtoMove) -> None:  # noqa: ARG002 - one seat moves
        """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
        check_move(state, move)

    def apply(self, state: NamtoState, seat: int, move: NamtoMove) -> list[Shown[NamtoEvent]]:
        """Plays a checked move."""
        events: list[Shown[NamtoEvent]] = []
        _play(state, seat, move, events)
        return events

    def advance(self, state: NamtoState, seat: int, move: NamtoMove) -> None:
        """Plays a checked move without making its events."""
        _play(state, seat, move, None)

    def view(self, state: NamtoState, seat: int | None) -> NamtoView:
        """Returns what `seat` (None: a spectator) may know."""
        return NamtoView(
            state.deal,
            state.opener,
            state.dealer,
            state.phase,
            state.turn,
            state.round,
            state.rounds,
            min_bet(state),
            state.max_bet,
            tuple(state.bets),
            tuple(state.paid),
            tuple(state.stacks),
            state.playing,
            state.staying,
            state.shared,
            0 if seat is None else state.hands[seat],
            _shown(state) if state.shown else (0,) * state.seats,
            state.scores,
        )

    def redeal(self, state: NamtoState, seat: int | None, chance: Chance) -> NamtoState:
        """Deals anew the cards that `seat` does not know, to hands and stock. Every deal is equally likely."""
        return redealt(state, seat, chance)

    def suppose(
        self, view: NamtoView, seat: int, seats: int, options: Mapping[str, OptionValue], chance: Chance
    ) -> NamtoState:
        """Returns a full state with this view, drawn as `redeal` draws it."""
        state = supposed(
            view,
            seat,
            seats,
            number_of_deals(int(options["deals"]), seats),
            int(options["stack"]),
            int(options["entry"]),
            second_pass=bool(options["second_pass"]),
        )
        return redealt(state, seat, chance)

    def forfeit(self, state: NamtoState, seat: int) -> Outcome:
        """Returns the result in which `seat` loses everything that it has, and what it has paid in this deal
        (NT7.6).
        """
        if state.turn == NOBODY:
            return Outcome(state.scores)
        each = -(-(state.stacks[seat] + state.paid[seat]) // (state.seats - 1))
        return paid_by(seat, each, state.scores)


def _shown(state: NamtoState) -> tuple[int, ...]:
    return tuple([hand if state.shown >> seat & 1 else 0 for seat, hand in enumerate(state.hands)])


def _play(state: NamtoState, seat: int, move: NamtoMove, events: Events) -> None:
    if isinstance(move, Bet):
        bet(state, seat, move.points, events)
    elif isinstance(move, Fold):
        fold(state, seat, events)
    else:
        call(state, seat, events)


NAMTO: Final = Namto()
"""The only instance."""
