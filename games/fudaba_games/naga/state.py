"""The full state of a match of Naga."""

from __future__ import annotations

from typing import final

from fudaba_games.game import State


@final
class NagaState(State):
    """A deal in progress and the scores of the deals before it. Sets of cards are masks, and pairs are by seat.

    Every attribute is an immutable value, so a clone shares nothing that can change.
    """

    __slots__ = (
        "battle",
        "committed",
        "deal",
        "dealer",
        "deals",
        "discarded",
        "draws",
        "hands",
        "layout",
        "over",
        "place",
        "places",
        "scores",
        "seed",
        "won",
    )

    def __init__(
        self,
        seed: bytes,
        deals: int,
        dealer: int,
        deal: int = 0,
        battle: int = 0,
        place: int = 0,
        layout: tuple[int, ...] = (),
        places: int = 0,
        hands: tuple[int, int] = (0, 0),
        committed: tuple[int, int] = (0, 0),
        won: tuple[int, int] = (0, 0),
        discarded: int = 0,
        draws: tuple[int, ...] = (),
        scores: tuple[int, int] = (0, 0),
        over: bool = False,
    ) -> None:
        self.seed = seed
        """The seed of the shuffles of the deals to come."""
        self.deals = deals
        self.dealer = dealer
        self.deal = deal
        self.battle = battle
        """The battle: 0 to 5 for the single cards, 6 for Eltam."""
        self.place = place
        """The place that the seats fight for; 0 while a designation is due."""
        self.layout = layout
        """For each place, the cards that were laid there; index 0 is unused."""
        self.places = places
        """A mask with bit `p` set while the cards of place `p` are on the table."""
        self.hands = hands
        """The hands, by seat, including committed cards."""
        self.committed = committed
        """The committed cards; 0 for a seat that has not committed."""
        self.won = won
        self.discarded = discarded
        self.draws = draws
        """The stock in the order in which it is drawn: the child's and the dealer's cards before battle 1, and so on to
        battle 6.
        """
        self.scores = scores
        """The scores of complete deals."""
        self.over = over

    def table(self) -> tuple[int, ...]:
        """Returns the cards that are still on the table, by place."""
        return tuple([cards if self.places >> place & 1 else 0 for place, cards in enumerate(self.layout)])

    def clone(self) -> NagaState:
        """Returns an equal state that shares nothing mutable with this one."""
        return NagaState(
            self.seed,
            self.deals,
            self.dealer,
            self.deal,
            self.battle,
            self.place,
            self.layout,
            self.places,
            self.hands,
            self.committed,
            self.won,
            self.discarded,
            self.draws,
            self.scores,
            self.over,
        )
