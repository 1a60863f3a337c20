"""The rules of Naga (rules page `docs/rules/naga.md`; numbers such as N4.1 are of that page)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from fudaba_games.game import PUBLIC, Chance, Decision, Game, Option, OptionValue, Outcome, Shown, paid_by
from fudaba_games.naga.cards import ELTAM
from fudaba_games.naga.judging import check_move
from fudaba_games.naga.moves import DESIGNATIONS, Commitments, commitment_of_five, commitment_of_three
from fudaba_games.naga.redealing import redealt
from fudaba_games.naga.state import NagaState
from fudaba_games.naga.supposing import supposed
from fudaba_games.naga.text import EVENT_KINDS, TEXT
from fudaba_games.naga.turns import deal_cards, designator, fight, stock_left
from fudaba_games.naga.values import (
    MOVE_KINDS,
    Designate,
    Designated,
    NagaEvent,
    NagaMove,
    NagaView,
)

# Designations and decisions are few and immutable: made once, and shared by all matches.
_DESIGNATION_KINDS: Final = tuple((("designate", len(moves)),) for moves in DESIGNATIONS)
_COMMITMENT: Final = (("commit", 10),)
_LAST_COMMITMENT: Final = (("commit", 3),)
_DESIGNATED: Final = tuple(
    tuple([Shown[NagaEvent](PUBLIC, Designated(seat, place))] for place in range(8)) for seat in (0, 1)
)
_NOBODY: Final[tuple[Decision, ...]] = ()
_ONE: Final = ((Decision(0),), (Decision(1),))
_BOTH: Final = (Decision(0), Decision(1))


@final
class Naga(Game[NagaState, NagaMove, NagaView, NagaEvent]):
    """ナーガ, two seats."""

    id = "naga"
    name = "Naga"
    japanese_name = "ナーガ"
    rules_version = 1
    min_seats = 2
    max_seats = 2
    options: tuple[Option, ...] = (
        Option("deals", 1, "How many deals a match has.", minimum=1, maximum=99),
        Option("first_dealer", 0, "The seat that deals first.", minimum=0, maximum=1),
    )
    move_kinds: tuple[str, ...] = MOVE_KINDS
    event_kinds: tuple[str, ...] = EVENT_KINDS
    text = TEXT

    def new_match(
        self, seats: int, options: Mapping[str, OptionValue], seed: bytes
    ) -> tuple[NagaState, list[Shown[NagaEvent]]]:
        """Returns the state after the first deal, and its events."""
        self.check_seats(seats)
        state = NagaState(seed, int(options["deals"]), int(options["first_dealer"]))
        events: list[Shown[NagaEvent]] = []
        deal_cards(state, events)
        return state, events

    def decisions(self, state: NagaState) -> Sequence[Decision]:
        """Returns a designation, or the commitments that are missing."""
        if state.over:
            return _NOBODY
        if state.place:
            first, second = state.committed
            return _ONE[1] if first else _ONE[0] if second else _BOTH
        return _ONE[designator(state)]

    def turn(self, state: NagaState) -> int:
        """Returns the designator, or the seat that has not committed, seat 0 first."""
        if state.over:
            return -1
        if state.place:
            return 1 if state.committed[0] else 0
        return designator(state)

    def legal_moves(self, state: NagaState, seat: int) -> Sequence[NagaMove]:
        """Returns places in order, or the combinations of hand cards in deck order, compared as lists."""
        if not state.place:
            return DESIGNATIONS[state.places]
        return Commitments(state.hands[seat], 2 if state.place == ELTAM else 3)

    def legal_kinds(self, state: NagaState, seat: int) -> Sequence[tuple[str, int]]:  # noqa: ARG002 - each owes the same
        """Returns the one kind that is due."""
        if not state.place:
            return _DESIGNATION_KINDS[state.places]
        return _LAST_COMMITMENT if state.place == ELTAM else _COMMITMENT

    def check(self, state: NagaState, seat: int, move: NagaMove) -> None:
        """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
        check_move(state, seat, move)

    def apply(self, state: NagaState, seat: int, move: NagaMove) -> list[Shown[NagaEvent]]:
        """Plays a checked move. A commitment stays face down until the other seat has committed (N4.3)."""
        if isinstance(move, Designate):
            state.place = move.place
            return list(_DESIGNATED[seat][move.place])
        if seat:
            first, second = state.committed[0], move.cards
        else:
            first, second = move.cards, state.committed[1]
        if not first or not second:
            state.committed = (first, second)
            return []
        events: list[Shown[NagaEvent]] = []
        fight(state, first, second, events)
        return events

    def advance(self, state: NagaState, seat: int, move: NagaMove) -> None:
        """Plays a checked move without making its events."""
        if isinstance(move, Designate):
            state.place = move.place
            return
        if seat:
            first, second = state.committed[0], move.cards
        else:
            first, second = move.cards, state.committed[1]
        if first and second:
            fight(state, first, second, None)
        else:
            state.committed = (first, second)

    def random_move(self, state: NagaState, seat: int, chance: Chance) -> NagaMove:
        """Returns a random legal move. All legal moves are of one kind, and equally likely."""
        if not state.place:
            moves = DESIGNATIONS[state.places]
            return moves[int(chance.random() * len(moves))]
        hand = state.hands[seat]
        if state.place == ELTAM:
            return commitment_of_three(hand, int(chance.random() * 3))
        return commitment_of_five(hand, int(chance.random() * 10))

    def view(self, state: NagaState, seat: int | None) -> NagaView:
        """Returns what `seat` (None: a spectator) may know."""
        # By position, in the order of the fields: names would take twice as long.
        return NagaView(
            state.deal,
            state.battle,
            state.dealer,
            state.place,
            designator(state),
            state.table(),
            0 if seat is None else state.hands[seat],
            0 if seat is None else state.committed[seat],
            state.won,
            state.discarded,
            stock_left(state.battle),
            state.scores,
        )

    def redeal(self, state: NagaState, seat: int | None, chance: Chance) -> NagaState:
        """Deals anew the cards that `seat` does not know, to the other hand, the stock and the deals to come."""
        return redealt(state, seat, chance)

    def suppose(
        self,
        view: NagaView,
        seat: int,
        seats: int,  # noqa: ARG002 - there are two
        options: Mapping[str, OptionValue],
        chance: Chance,
    ) -> NagaState:
        """Returns a full state with this view, drawn as `redeal` draws it."""
        return redealt(supposed(view, seat, int(options["deals"])), seat, chance)

    def outcome(self, state: NagaState) -> Outcome | None:
        """Returns the scores of all deals, once they are played."""
        return Outcome(state.scores) if state.over else None

    def forfeit(self, state: NagaState, seat: int) -> Outcome:
        """Returns the result in which `seat` loses the deal in progress and all that would have followed (N10.4)."""
        return paid_by(seat, 0 if state.over else state.deals - state.deal, state.scores)


NAGA: Final = Naga()
"""The only instance."""
