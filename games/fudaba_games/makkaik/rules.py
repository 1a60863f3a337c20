"""The rules of Makkaik (rules page `docs/rules/makkaik.md`; numbers such as MA4.1 are of that page)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from fudaba_games.game import Chance, Option, OptionValue, Outcome, Shown, paid_by
from fudaba_games.kamikisen.cards import FIRSTS
from fudaba_games.kamikisen.dealing import (
    deals_option,
    first_dealer,
    first_dealer_option,
    number_of_deals,
)
from fudaba_games.kamikisen.one_by_one import NOBODY, OneByOneGame
from fudaba_games.makkaik.judging import check_move
from fudaba_games.makkaik.moves import NAMING, PAYING, exchanges, keeps, random_exchange
from fudaba_games.makkaik.redealing import redealt
from fudaba_games.makkaik.state import MAX_SEATS, MakkaikState
from fudaba_games.makkaik.supposing import supposed
from fudaba_games.makkaik.text import EVENT_KINDS, TEXT
from fudaba_games.makkaik.turns import MAX_LOSS_POINTS, Events, deal_cards, draw, fold, keep, stay, swap
from fudaba_games.makkaik.values import (
    FOLD,
    HIGHEST_BASE,
    MOVE_KINDS,
    PHASE_BETTING,
    PHASE_EXCHANGE,
    STAYS,
    Fold,
    Keep,
    MakkaikEvent,
    MakkaikMove,
    MakkaikView,
    Stay,
    Swap,
)


@final
class Makkaik(OneByOneGame[MakkaikState, MakkaikMove, MakkaikView, MakkaikEvent]):
    """値戦, two to six seats."""

    id = "makkaik"
    name = "Makkaik"
    japanese_name = "値戦"
    rules_version = 1
    min_seats = 2
    max_seats = MAX_SEATS
    options: tuple[Option, ...] = (deals_option(), first_dealer_option(MAX_SEATS))
    move_kinds: tuple[str, ...] = MOVE_KINDS
    event_kinds: tuple[str, ...] = EVENT_KINDS
    text = TEXT

    def new_match(
        self, seats: int, options: Mapping[str, OptionValue], seed: bytes
    ) -> tuple[MakkaikState, list[Shown[MakkaikEvent]]]:
        """Returns the state after the first deal, and its events."""
        self.check_seats(seats)
        deals = number_of_deals(int(options["deals"]), seats)
        state = MakkaikState(seed, seats, deals, first_dealer(int(options["first_dealer"]), seats))
        events: list[Shown[MakkaikEvent]] = []
        deal_cards(state, events)
        return state, events

    def legal_moves(self, state: MakkaikState, seat: int) -> Sequence[MakkaikMove]:
        """Returns swaps in deck order, then drawing; the cards to keep, in deck order; folding, then staying, the base
        from 1 on.
        """
        if state.phase == PHASE_BETTING:
            return PAYING if state.base else NAMING
        if state.phase == PHASE_EXCHANGE:
            return exchanges(state.hands[seat], state.public_cards)
        return keeps(state.hands[seat], state.drawn)

    def legal_kinds(self, state: MakkaikState, seat: int) -> Sequence[tuple[str, int]]:
        """Returns swapping and drawing, or keeping, or folding and staying."""
        if state.phase == PHASE_BETTING:
            return [("fold", 1), ("stay", 1 if state.base else HIGHEST_BASE)]
        hand = (state.hands[seat] & FIRSTS).bit_count()
        if state.phase == PHASE_EXCHANGE:
            return [("swap", hand * (state.public_cards & FIRSTS).bit_count()), ("draw", 1)]
        return [("keep", hand * (state.drawn & FIRSTS).bit_count())]

    def random_move(self, state: MakkaikState, seat: int, chance: Chance) -> MakkaikMove:
        """Draws a move as `Game.random_move` does."""
        if state.phase == PHASE_BETTING:
            folds, drawn = chance.random() < 0.5, chance.random()
            if folds:
                return FOLD
            return STAYS[0] if state.base else STAYS[1 + int(drawn * HIGHEST_BASE)]
        if state.phase == PHASE_EXCHANGE:
            return random_exchange(state.hands[seat], state.public_cards, chance)
        ways = keeps(state.hands[seat], state.drawn)
        return ways[int(chance.random() * len(ways))]

    def check(self, state: MakkaikState, seat: int, move: MakkaikMove) -> None:
        """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
        check_move(state, seat, move)

    def apply(self, state: MakkaikState, seat: int, move: MakkaikMove) -> list[Shown[MakkaikEvent]]:
        """Plays a checked move."""
        events: list[Shown[MakkaikEvent]] = []
        _play(state, seat, move, events)
        return events

    def advance(self, state: MakkaikState, seat: int, move: MakkaikMove) -> None:
        """Plays a checked move without making its events."""
        _play(state, seat, move, None)

    def view(self, state: MakkaikState, seat: int | None) -> MakkaikView:
        """Returns what `seat` (None: a spectator) may know."""
        return MakkaikView(
            state.deal,
            state.opener,
            state.dealer,
            state.phase,
            state.turn,
            state.round,
            state.base,
            tuple(state.paid),
            state.staying,
            state.public_cards,
            tuple(state.exchanges),
            tuple(state.taken),
            0 if seat is None else state.hands[seat],
            state.drawn if seat == state.turn else 0,
            tuple([hand if state.shown >> index & 1 else 0 for index, hand in enumerate(state.hands)]),
            state.scores,
        )

    def redeal(self, state: MakkaikState, seat: int | None, chance: Chance) -> MakkaikState:
        """Deals anew the cards that `seat` does not know. Every deal is equally likely."""
        return redealt(state, seat, chance)

    def suppose(
        self, view: MakkaikView, seat: int, seats: int, options: Mapping[str, OptionValue], chance: Chance
    ) -> MakkaikState:
        """Returns a full state with this view, drawn as `redeal` draws it."""
        deals = number_of_deals(int(options["deals"]), seats)
        return redealt(supposed(view, seat, seats, deals), seat, chance)

    def forfeit(self, state: MakkaikState, seat: int) -> Outcome:
        """Returns the result in which `seat` loses the most that the deal in progress, and each that would have
        followed, could cost (MA7.4).
        """
        if state.turn == NOBODY:
            return Outcome(state.scores)
        each = -(-MAX_LOSS_POINTS * (state.deals - state.deal) // (state.seats - 1))
        return paid_by(seat, each, state.scores)


def _play(state: MakkaikState, seat: int, move: MakkaikMove, events: Events) -> None:
    if isinstance(move, Stay):
        stay(state, seat, move, events)
    elif isinstance(move, Fold):
        fold(state, seat, events)
    elif isinstance(move, Swap):
        swap(state, seat, move, events)
    elif isinstance(move, Keep):
        keep(state, seat, move, events)
    else:
        draw(state, seat, events)


MAKKAIK: Final = Makkaik()
"""The only instance."""
