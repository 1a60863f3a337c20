"""One seat's cards, and which kinds of move they allow (rules page `docs/rules/nerts.md`, NE3 and NE5)."""

from __future__ import annotations

from typing import Final, final

from fudaba_games.nerts.cards import BITS, EMPTY, FITS, ONTO

# The kinds of move as bits, in the order of `MOVE_KINDS`.
WAITING: Final = 1
FLIPPING: Final = 2
RECYCLING: Final = 4
FOUNDING: Final = 8
BUILDING: Final = 16
SHIFTING: Final = 32
TUCKING: Final = 64
CALLING: Final = 128
_OF_WORKS: Final = WAITING | SHIFTING | TUCKING | CALLING
"""The kinds that do not depend on stock and waste."""


@final
class Layout:
    """The piles of one seat. Bytes are card numbers. The end of a pile is its top, except that a stock's top is its
    first card.

    After a change, `survey` updates the attributes that follow `founded`: they are read more often than they change.
    """

    __slots__ = (
        "ends",
        "founded",
        "held",
        "kinds",
        "lasts",
        "nerts",
        "reach",
        "starts",
        "stock",
        "waste",
        "work_piles",
    )

    def __init__(
        self,
        nerts: bytes,
        works: list[bytes],
        stock: bytes,
        waste: bytes,
        held: int,
        founded: int = 0,
        kinds: int = 0,
        ends: tuple[int, ...] = (),
        lasts: int = 0,
        starts: int = 0,
        reach: int = 0,
    ) -> None:
        self.nerts = nerts
        self.work_piles = works
        self.stock = stock
        self.waste = waste
        self.held = held
        """The mask of the cards in the work piles."""
        self.founded = founded
        """The number of cards that are on the foundations."""
        self.kinds = kinds
        """The bits of the kinds of move that are possible, except `FOUNDING`, which depends on the foundations."""
        self.ends = ends
        """The last card of each work pile; `EMPTY` for an empty pile."""
        self.lasts = lasts
        """The mask of those last cards."""
        self.starts = starts
        """The mask of the cards with which a block that may be shifted begins."""
        self.reach = reach
        """The mask of the cards that may be played to a foundation that accepts them. Bit `EMPTY` has no meaning."""

    def clone(self) -> Layout:
        """Returns an equal layout that shares nothing mutable with this one."""
        return Layout(
            self.nerts,
            self.work_piles.copy(),
            self.stock,
            self.waste,
            self.held,
            self.founded,
            self.kinds,
            self.ends,
            self.lasts,
            self.starts,
            self.reach,
        )

    def survey(self) -> None:
        """Updates the kinds of move after a change of the work piles or the Nerts pile."""
        a, b, c, d = self.work_piles
        last_a = a[-1] if a else EMPTY
        last_b = b[-1] if b else EMPTY
        last_c = c[-1] if c else EMPTY
        last_d = d[-1] if d else EMPTY
        self.ends = (last_a, last_b, last_c, last_d)
        self.lasts = lasts = BITS[last_a] | BITS[last_b] | BITS[last_c] | BITS[last_d]
        starts = (ONTO[last_a] | ONTO[last_b] | ONTO[last_c] | ONTO[last_d]) & self.held
        kinds = WAITING if self.nerts else WAITING | CALLING
        if lasts >> EMPTY:
            firsts = 0
            for work in self.work_piles:
                if work:
                    firsts |= BITS[work[0]]
            starts |= self.held ^ firsts  # a whole pile does not move to an empty one
            if self.nerts and ONTO[self.nerts[-1]] & firsts:
                kinds |= TUCKING
        if starts:
            kinds |= SHIFTING
        self.starts = starts
        self.kinds = kinds
        self.survey_waste()

    def survey_waste(self) -> None:
        """Updates the kinds of move after a change of stock and waste only."""
        kinds = self.kinds & _OF_WORKS
        reach = self.lasts
        onto = 0
        if self.nerts:
            card = self.nerts[-1]
            reach |= BITS[card]
            onto = FITS[card]
        if self.waste:
            card = self.waste[-1]
            reach |= BITS[card]
            onto |= FITS[card]
            if not self.stock:
                kinds |= RECYCLING
        if self.stock:
            kinds |= FLIPPING
        if onto & self.lasts:
            kinds |= BUILDING
        self.kinds = kinds
        self.reach = reach
