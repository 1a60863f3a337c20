"""The rules of Houniek (rules page `docs/rules/houniek.md`; numbers such as HO6.1 are of that page)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from fudaba_games.game import Chance, Option, OptionValue, Outcome, Shown, paid_by
from fudaba_games.houniek import moves
from fudaba_games.houniek.judging import check_move
from fudaba_games.houniek.random_moves import random_answer, random_lead
from fudaba_games.houniek.redealing import redealt
from fudaba_games.houniek.state import MAX_SEATS, HouniekState
from fudaba_games.houniek.supposing import supposed
from fudaba_games.houniek.text import EVENT_KINDS, TEXT
from fudaba_games.houniek.turns import HAND_CHOICES, PRICE_POINTS, USUAL_HAND, deal_cards, hand_size, lay, pass_on
from fudaba_games.houniek.values import MOVE_KINDS, HouniekEvent, HouniekMove, HouniekView, Lay
from fudaba_games.kamikisen.dealing import (
    deals_option,
    first_dealer,
    first_dealer_option,
    number_of_deals,
)
from fudaba_games.kamikisen.one_by_one import NOBODY, OneByOneGame


@final
class Houniek(OneByOneGame[HouniekState, HouniekMove, HouniekView, HouniekEvent]):
    """軟連, two to four seats."""

    id = "houniek"
    name = "Houniek"
    japanese_name = "軟連"
    rules_version = 1
    min_seats = 2
    max_seats = MAX_SEATS
    options: tuple[Option, ...] = (
        deals_option(),
        first_dealer_option(MAX_SEATS),
        Option(
            "hand",
            USUAL_HAND,
            "How many cards each seat is dealt; usual: twelve for two seats, else eight.",
            choices=HAND_CHOICES,
        ),
    )
    move_kinds: tuple[str, ...] = MOVE_KINDS
    event_kinds: tuple[str, ...] = EVENT_KINDS
    text = TEXT

    def new_match(
        self, seats: int, options: Mapping[str, OptionValue], seed: bytes
    ) -> tuple[HouniekState, list[Shown[HouniekEvent]]]:
        """Returns the state after the first deal, and its events."""
        self.check_seats(seats)
        state = HouniekState(
            seed,
            seats,
            number_of_deals(int(options["deals"]), seats),
            first_dealer(int(options["first_dealer"]), seats),
            hand_size(str(options["hand"]), seats),
        )
        events: list[Shown[HouniekEvent]] = []
        deal_cards(state, events)
        return state, events

    def legal_moves(self, state: HouniekState, seat: int) -> Sequence[HouniekMove]:
        """Returns passing, then singles, runs and sets in deck order; the feet of the same cards around the circle."""
        return moves.legal_moves(state, seat)

    def legal_kinds(self, state: HouniekState, seat: int) -> Sequence[tuple[str, int]]:
        """Returns passing, and the forms that can be laid, counted without making the moves."""
        return moves.legal_kinds(state, seat)

    def random_move(self, state: HouniekState, seat: int, chance: Chance) -> HouniekMove:
        """Draws one of the possible kinds, then a move of that kind from the hand, without listing the moves."""
        hand = state.hands[seat]
        return random_answer(state, hand, chance) if state.form else random_lead(hand, chance)

    def check(self, state: HouniekState, seat: int, move: HouniekMove) -> None:
        """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
        check_move(state, seat, move)

    def apply(self, state: HouniekState, seat: int, move: HouniekMove) -> list[Shown[HouniekEvent]]:
        """Plays a checked move."""
        events: list[Shown[HouniekEvent]] = []
        if isinstance(move, Lay):
            lay(state, seat, move, events)
        else:
            pass_on(state, seat, events)
        return events

    def advance(self, state: HouniekState, seat: int, move: HouniekMove) -> None:
        """Plays a checked move without making its events."""
        if isinstance(move, Lay):
            lay(state, seat, move, None)
        else:
            pass_on(state, seat, None)

    def view(self, state: HouniekState, seat: int | None) -> HouniekView:
        """Returns what `seat` (None: a spectator) may know."""
        return HouniekView(
            state.deal,
            state.dealer,
            state.round,
            state.turn,
            state.leader,
            state.table,
            state.cleared,
            0 if seat is None else state.hands[seat],
            tuple([hand.bit_count() for hand in state.hands]),
            len(state.stock),
            state.scores,
        )

    def redeal(self, state: HouniekState, seat: int | None, chance: Chance) -> HouniekState:
        """Deals anew the cards that `seat` does not know. Every deal that fits what it sees is equally likely."""
        return redealt(state, seat, chance)

    def suppose(
        self, view: HouniekView, seat: int, seats: int, options: Mapping[str, OptionValue], chance: Chance
    ) -> HouniekState:
        """Returns a full state with this view, drawn as `redeal` draws it."""
        deals, size = number_of_deals(int(options["deals"]), seats), hand_size(str(options["hand"]), seats)
        return redealt(supposed(view, seat, seats, deals, size), seat, chance)

    def forfeit(self, state: HouniekState, seat: int) -> Outcome:
        """Returns the result in which `seat` pays every other seat for the deal in progress and for each that would
        have followed (HO8.2).
        """
        each = 0 if state.turn == NOBODY else PRICE_POINTS * (state.deals - state.deal)
        return paid_by(seat, each, state.scores)


HOUNIEK: Final = Houniek()
"""The only instance."""
