"""The rules of Mokkaik (rules page `docs/rules/mokkaik.md`; numbers such as MO4.1 are of that page)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from fudaba_games.game import Chance, Option, OptionValue, Outcome, Shown, paid_by
from fudaba_games.kamikisen.dealing import (
    deals_option,
    first_dealer,
    first_dealer_option,
    number_of_deals,
)
from fudaba_games.kamikisen.melds import FORM_NAMES
from fudaba_games.kamikisen.one_by_one import NOBODY, OneByOneGame
from fudaba_games.mokkaik.judging import check_move
from fudaba_games.mokkaik.moves import Answers, discards, lays_to_follow, lays_to_lead
from fudaba_games.mokkaik.random_moves import random_move
from fudaba_games.mokkaik.redealing import redealt
from fudaba_games.mokkaik.scoring import PRICE_POINTS
from fudaba_games.mokkaik.state import MAX_SEATS, MokkaikState
from fudaba_games.mokkaik.supposing import supposed
from fudaba_games.mokkaik.text import EVENT_KINDS, TEXT
from fudaba_games.mokkaik.turns import deal_cards, play
from fudaba_games.mokkaik.values import MOVE_KINDS, MokkaikEvent, MokkaikMove, MokkaikView


@final
class Mokkaik(OneByOneGame[MokkaikState, MokkaikMove, MokkaikView, MokkaikEvent]):
    """行戦, two to six seats."""

    id = "mokkaik"
    name = "Mokkaik"
    japanese_name = "行戦"
    rules_version = 1
    min_seats = 2
    max_seats = MAX_SEATS
    options: tuple[Option, ...] = (deals_option(), first_dealer_option(MAX_SEATS))
    move_kinds: tuple[str, ...] = MOVE_KINDS
    event_kinds: tuple[str, ...] = EVENT_KINDS
    text = TEXT

    def new_match(
        self, seats: int, options: Mapping[str, OptionValue], seed: bytes
    ) -> tuple[MokkaikState, list[Shown[MokkaikEvent]]]:
        """Returns the state after the first deal, and its events."""
        self.check_seats(seats)
        deals = number_of_deals(int(options["deals"]), seats)
        state = MokkaikState(seed, seats, deals, first_dealer(int(options["first_dealer"]), seats))
        events: list[Shown[MokkaikEvent]] = []
        deal_cards(state, events)
        return state, events

    def legal_moves(self, state: MokkaikState, seat: int) -> Sequence[MokkaikMove]:
        """Returns singles, sets and runs in deck order, a ship's strengths from the weakest on; then discards in deck
        order.
        """
        hand = state.hands[seat]
        if state.form:
            return Answers(lays_to_follow(hand, state.form, state.size, state.reds, state.strength), hand, state.size)
        singles, sets, runs = lays_to_lead(hand)
        return singles + sets + runs

    def legal_kinds(self, state: MokkaikState, seat: int) -> Sequence[tuple[str, int]]:
        """Returns the forms that can lead; or the leader's form, if it can be beaten, and discarding."""
        hand = state.hands[seat]
        if not state.form:
            return [(FORM_NAMES[lays[0].form], len(lays)) for lays in lays_to_lead(hand) if lays]
        lays = lays_to_follow(hand, state.form, state.size, state.reds, state.strength)
        count = discards(hand, state.size)
        return [(FORM_NAMES[state.form], len(lays)), ("discard", count)] if lays else [("discard", count)]

    def random_move(self, state: MokkaikState, seat: int, chance: Chance) -> MokkaikMove:
        """Draws one of the possible kinds, then a move of that kind from the hand, without listing the moves."""
        return random_move(state, seat, chance)

    def check(self, state: MokkaikState, seat: int, move: MokkaikMove) -> None:
        """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
        check_move(state, seat, move)

    def apply(self, state: MokkaikState, seat: int, move: MokkaikMove) -> list[Shown[MokkaikEvent]]:
        """Plays a checked move."""
        events: list[Shown[MokkaikEvent]] = []
        play(state, seat, move, events)
        return events

    def advance(self, state: MokkaikState, seat: int, move: MokkaikMove) -> None:
        """Plays a checked move without making its events."""
        play(state, seat, move, None)

    def view(self, state: MokkaikState, seat: int | None) -> MokkaikView:
        """Returns what `seat` (None: a spectator) may know."""
        return MokkaikView(
            state.deal,
            state.dealer,
            state.multiplier,
            state.round,
            state.turn,
            state.leader,
            state.form,
            state.size,
            state.reds,
            state.strength,
            tuple(state.laid_by),
            tuple(state.laid),
            0 if seat is None else state.hands[seat],
            0 if seat is None else state.discards[seat],
            tuple([hand.bit_count() for hand in state.hands]),
            tuple([pile.bit_count() for pile in state.discards]),
            tuple(state.public_cards),
            state.beaten,
            state.scores,
        )

    def redeal(self, state: MokkaikState, seat: int | None, chance: Chance) -> MokkaikState:
        """Deals anew the cards that `seat` does not know. Every deal that fits what it sees is equally likely."""
        return redealt(state, seat, chance)

    def suppose(
        self, view: MokkaikView, seat: int, seats: int, options: Mapping[str, OptionValue], chance: Chance
    ) -> MokkaikState:
        """Returns a full state with this view, drawn as `redeal` draws it."""
        deals = number_of_deals(int(options["deals"]), seats)
        return redealt(supposed(view, seat, seats, deals), seat, chance)

    def forfeit(self, state: MokkaikState, seat: int) -> Outcome:
        """Returns the result in which `seat` loses the most that the deal in progress, and each that would have
        followed, could cost (MO6.2).
        """
        if state.turn == NOBODY:
            return Outcome(state.scores)
        left = state.deals - state.deal
        most = PRICE_POINTS * sum([state.multiplier + number for number in range(left)])
        each = -(-most // (state.seats - 1))
        return paid_by(seat, each, state.scores)


MOKKAIK: Final = Mokkaik()
"""The only instance."""
