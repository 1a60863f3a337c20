"""Decides which hand wins the pot of Namto (rules page `docs/rules/namto.md`, NT5 and NT6)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from functools import lru_cache
from typing import Final, NamedTuple, final

from fudaba_games.kamikisen.cards import (
    BLACK,
    KIND_OF,
    RED,
    SHIPS,
    STRENGTH_OF_BIT,
    TOP,
    cards_of,
    joined,
    without,
)
from fudaba_games.kamikisen.choices import parts_of
from fudaba_games.kamikisen.melds import RUN as RUN_FORM
from fudaba_games.kamikisen.melds import melds_of


@final
class Rank(IntEnum):
    """The rank of a meld, which counts before anything else. A higher number wins. The numbers are those of the
    contract.
    """

    SINGLE = 1
    SET = 2
    RUN = 3
    DARK_GATHERING = 4
    """闇戦之集, 1 1 1 1 1"""
    GOING = 5
    """行行, a real ship, 3, 5"""
    HORSE_BOW_SOLDIER = 6
    """馬弓兵, 5 2 1"""
    EARTH_HEART = 7
    """地心, 6 7 8"""
    EMPEROR_KING = 8
    """皇王, an emperor and a king"""
    LEVEL_BRUSH = 9
    """筆兵無傾, 1 2 8 6 7"""


RANK_NAMES: Final = (
    "", "single", "set", "run", "dark gathering", "going", "horse bow soldier", "earth heart", "emperor king",
    "level brush",
)  # fmt: skip
"""The name of each rank."""


@final
class BestMeld(NamedTuple):
    """A meld at the showdown. The greater of two, compared as tuples without the cards, wins; see `worth_of`."""

    rank: int
    size: int
    strength: int
    """The strength of its strongest card; a ship has the strength of the card that it stands for."""
    one_colour: bool
    cards: int


_DISTINCT: Final = (
    (Rank.LEVEL_BRUSH, frozenset({2, 3, 7, 8, 9}), 9),
    (Rank.EMPEROR_KING, frozenset({10, 11}), TOP),
    (Rank.EARTH_HEART, frozenset({7, 8, 9}), 9),
    (Rank.HORSE_BOW_SOLDIER, frozenset({2, 3, 6}), 6),
)
"""Named melds of different cards, best first: the kinds, and the strength of the strongest card."""
_GOING_KINDS: Final = frozenset({4, 6})
_GOING_STRENGTH: Final = 6
_SOLDIER_STRENGTH: Final = 2
_SOLDIERS_COUNT: Final = 5


@lru_cache(maxsize=1 << 16)
def meld_of(cards: int) -> BestMeld | None:
    """Returns the best meld that exactly these cards (a mask) form, with ships standing for whatever is best; None for
    no meld.
    """
    size = cards.bit_count()
    one_colour = not (cards & RED and cards & BLACK)
    ships = cards & SHIPS
    if size == 1:
        return BestMeld(int(Rank.SINGLE), 1, TOP if ships else STRENGTH_OF_BIT[cards.bit_length() - 1], True, cards)
    named = _named_meld([KIND_OF[card] for card in cards_of(cards ^ ships)], size)
    if named:
        return BestMeld(named[0], size, named[1], one_colour, cards)
    readings = melds_of(cards)
    if not readings:
        return None
    meld = readings[-1]
    return BestMeld(int(Rank.RUN if meld.form == RUN_FORM else Rank.SET), size, meld.strength, one_colour, cards)


def _named_meld(kinds: list[int], size: int) -> tuple[int, int] | None:
    """Returns the rank and strength of the best named meld of `size` cards: these kinds, in deck order, with ships for
    the rest.
    """
    if not kinds:
        return None
    different = set(kinds)
    if len(different) == len(kinds):
        for rank, needed, strength in _DISTINCT:
            if size == len(needed) and different <= needed:
                return int(rank), strength
        if size == len(_GOING_KINDS) + 1 and len(kinds) < size and different <= _GOING_KINDS:
            return int(Rank.GOING), _GOING_STRENGTH
    if size == _SOLDIERS_COUNT and different == {_SOLDIER_STRENGTH}:
        return int(Rank.DARK_GATHERING), _SOLDIER_STRENGTH
    return None


@lru_cache(maxsize=1 << 14)
def best_melds(cards: int) -> tuple[BestMeld, ...]:
    """Returns the melds that a hand and the shared cards form: the best one, the best of the remaining cards, and so
    on.

    Among equally good melds, it takes the one that leaves the better remaining cards.
    """
    if not cards:
        return ()
    found = [meld for meld in [meld_of(part) for part in parts_of(cards) if part] if meld is not None]
    best = max([meld[:4] for meld in found])
    ways = [(meld, *best_melds(without(cards, meld.cards))) for meld in found if meld[:4] == best]
    return ways[0] if len(ways) == 1 else max(ways, key=_worth)


def _worth(melds: tuple[BestMeld, ...]) -> tuple[tuple[int, int, int, bool], ...]:
    return tuple([meld[:4] for meld in melds])


def worth_of(hand: int, shared: int) -> tuple[tuple[int, int, int, bool], ...]:
    """Returns the key by which hands are compared: rank, size, strength, and whether the meld has one colour, meld by
    meld, best first.

    The greatest key wins; equal keys share the pot.
    """
    return _worth(best_melds(joined(hand, shared)))


def winners_of(hands: Mapping[int, int], shared: int) -> tuple[int, ...]:
    """Returns the seats whose hands win, lowest first. `hands` are the hands to compare, by seat."""
    worths = {seat: worth_of(hand, shared) for seat, hand in hands.items()}
    best = max(worths.values())
    return tuple([seat for seat in sorted(worths) if worths[seat] == best])
