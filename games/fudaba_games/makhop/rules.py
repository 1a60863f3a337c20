"""The rules of Makhop (rules page `docs/rules/makhop.md`; numbers such as MH5.1 are of that page)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from fudaba_games.game import Chance, Option, OptionValue, Outcome, Shown, paid_by
from fudaba_games.kamikisen.cards import DECK_SIZE
from fudaba_games.kamikisen.dealing import (
    deals_option,
    first_dealer,
    first_dealer_option,
    number_of_deals,
)
from fudaba_games.kamikisen.one_by_one import NOBODY, OneByOneGame
from fudaba_games.makhop import moves
from fudaba_games.makhop.judging import check_move
from fudaba_games.makhop.random_moves import random_move
from fudaba_games.makhop.redealing import redealt
from fudaba_games.makhop.state import MAX_SEATS, MakhopState
from fudaba_games.makhop.supposing import supposed
from fudaba_games.makhop.text import EVENT_KINDS, TEXT
from fudaba_games.makhop.turns import (
    INITIAL_ROADS,
    PRICE_POINTS,
    Events,
    clear_roads,
    deal_cards,
    extend_road,
    join_roads,
    open_road,
)
from fudaba_games.makhop.values import MOVE_KINDS, Extend, Join, MakhopEvent, MakhopMove, MakhopView, Open

_DEFAULT_ROADS: Final = 8


@final
class Makhop(OneByOneGame[MakhopState, MakhopMove, MakhopView, MakhopEvent]):
    """値木, two to six seats."""

    id = "makhop"
    name = "Makhop"
    japanese_name = "値木"
    rules_version = 1
    min_seats = 2
    max_seats = MAX_SEATS
    options: tuple[Option, ...] = (
        deals_option(),
        first_dealer_option(MAX_SEATS),
        Option(
            "max_roads",
            _DEFAULT_ROADS,
            "At so many roads, opening does nothing. With 48 there is no limit.",
            minimum=INITIAL_ROADS,
            maximum=DECK_SIZE,
        ),
    )
    move_kinds: tuple[str, ...] = MOVE_KINDS
    event_kinds: tuple[str, ...] = EVENT_KINDS
    text = TEXT

    def new_match(
        self, seats: int, options: Mapping[str, OptionValue], seed: bytes
    ) -> tuple[MakhopState, list[Shown[MakhopEvent]]]:
        """Returns the state after the first deal, and its events."""
        self.check_seats(seats)
        state = MakhopState(
            seed,
            seats,
            number_of_deals(int(options["deals"]), seats),
            first_dealer(int(options["first_dealer"]), seats),
            int(options["max_roads"]),
        )
        events: list[Shown[MakhopEvent]] = []
        deal_cards(state, events)
        return state, events

    def legal_moves(self, state: MakhopState, seat: int) -> Sequence[MakhopMove]:
        """Returns opening, extending, joining, clearing; in deck order, for the same cards by road, then by the new
        end.
        """
        return moves.legal_moves(state, seat)

    def legal_kinds(self, state: MakhopState, seat: int) -> Sequence[tuple[str, int]]:
        """Returns the possible kinds, counted without making the moves."""
        return moves.legal_kinds(state, seat)

    def random_move(self, state: MakhopState, seat: int, chance: Chance) -> MakhopMove:
        """Draws one of the possible kinds, then a move of that kind from the hand, without listing the moves."""
        return random_move(state.hands[seat], state.roads, chance)

    def check(self, state: MakhopState, seat: int, move: MakhopMove) -> None:
        """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
        check_move(state, seat, move)

    def apply(self, state: MakhopState, seat: int, move: MakhopMove) -> list[Shown[MakhopEvent]]:
        """Plays a checked move."""
        events: list[Shown[MakhopEvent]] = []
        _play(state, seat, move, events)
        return events

    def advance(self, state: MakhopState, seat: int, move: MakhopMove) -> None:
        """Plays a checked move without making its events."""
        if isinstance(move, Open):
            open_road(state, seat, None)
        else:
            _play(state, seat, move, None)

    def view(self, state: MakhopState, seat: int | None) -> MakhopView:
        """Returns what `seat` (None: a spectator) may know."""
        return MakhopView(
            state.deal,
            state.dealer,
            state.turns,
            state.idle,
            state.turn,
            state.roads,
            0 if seat is None else state.hands[seat],
            tuple([hand.bit_count() for hand in state.hands]),
            len(state.stock),
            state.stock_cards,
            state.vanished,
            state.shuffles,
            state.scores,
        )

    def redeal(self, state: MakhopState, seat: int | None, chance: Chance) -> MakhopState:
        """Deals anew the cards that `seat` does not know. Every deal that fits what it sees is equally likely."""
        return redealt(state, seat, chance)

    def suppose(
        self, view: MakhopView, seat: int, seats: int, options: Mapping[str, OptionValue], chance: Chance
    ) -> MakhopState:
        """Returns a full state with this view, drawn as `redeal` draws it."""
        deals = number_of_deals(int(options["deals"]), seats)
        return redealt(supposed(view, seat, seats, deals, int(options["max_roads"])), seat, chance)

    def forfeit(self, state: MakhopState, seat: int) -> Outcome:
        """Returns the result in which `seat` pays every other seat for the deal in progress and for each that would
        have followed (MH8.3).
        """
        each = 0 if state.turn == NOBODY else PRICE_POINTS * (state.deals - state.deal)
        return paid_by(seat, each, state.scores)


def _play(state: MakhopState, seat: int, move: MakhopMove, events: Events) -> None:
    if isinstance(move, Open):
        open_road(state, seat, events)
    elif isinstance(move, Extend):
        extend_road(state, seat, move, events)
    elif isinstance(move, Join):
        join_roads(state, seat, move, events)
    else:
        clear_roads(state, seat, move, events)


MAKHOP: Final = Makhop()
"""The only instance."""
