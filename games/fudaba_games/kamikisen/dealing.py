"""Dealing of the Kamikisen deck: as the rules deal it, and at random for a redeal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fudaba_games.game import Chance, Option
from fudaba_games.kamikisen.cards import DECK_SIZE, cards_of, places_of, settled
from fudaba_games.shuffle import shuffled

AS_MANY_AS_SEATS: Final = 0
"""The default of the option `deals`."""


def deals_option() -> Option:
    """Returns the option `deals`, whose value `number_of_deals` reads."""
    return Option(
        "deals", AS_MANY_AS_SEATS, "How many deals a match has; 0 for as many as there are seats.", maximum=99
    )


def number_of_deals(option: int, seats: int) -> int:
    """Returns the number of deals of a match."""
    return option or seats


def first_dealer_option(most_seats: int) -> Option:
    """Returns the option `first_dealer`, whose value `first_dealer` reads."""
    last, fewer = most_seats - 1, most_seats - 2
    return Option(
        "first_dealer",
        0,
        "The seat that deals first. With fewer seats it is counted on around: "
        f"{last} is seat {last % fewer} of {fewer}.",
        maximum=last,
    )


def first_dealer(option: int, seats: int) -> int:
    """Returns the seat that deals first."""
    return option % seats


def shuffled_places(seed: bytes, deal: int, shuffle: int) -> list[int]:
    """Returns the whole deck, shuffled: places 0-47 (bits of a mask), the top card first."""
    return shuffled(list(range(DECK_SIZE)), seed, deal, shuffle)


def cards_at(places: Sequence[int]) -> int:
    """Returns the cards at some places (0-47, each once) of the deck, as a mask."""
    mask = 0
    for place in places:
        mask |= 1 << place
    return settled(mask)


def deal_hands(places: Sequence[int], seats: int, dealer: int, size: int) -> list[int]:
    """Returns hands of `size` cards for every seat, as masks by seat, dealt one card at a time from the dealer on.

    The cards are taken from the top; `places[seats * size:]` is left.
    """
    hands = [0] * seats
    for order in range(seats):
        hands[(dealer + order) % seats] = cards_at(places[order : seats * size : seats])
    return hands


def deal_at_random(cards: int, sizes: Sequence[int], chance: Chance) -> list[int]:
    """Returns cards dealt at random: a mask for each size, with every deal of the copies equally likely.

    The remaining cards come last, as one more mask. Raises `ValueError` if there are too few cards.
    """
    if sum(sizes) > cards.bit_count():
        raise ValueError(f"{cards.bit_count()} cards cannot fill hands of {list(sizes)}")
    places = list(places_of(cards))
    chance.shuffle(places)
    dealt: list[int] = []
    start = 0
    for size in sizes:
        dealt.append(cards_at(places[start : start + size]) if size else 0)
        start += size
    return [*dealt, cards_at(places[start:])]


def stock_at_random(cards: int, chance: Chance) -> list[int]:
    """Returns some cards (0-23), one after the other in random order."""
    stock = cards_of(cards)
    chance.shuffle(stock)
    return stock


def some_cards(count: int) -> int:
    """Returns a mask of this many arbitrary cards, to hold a place that a redeal fills."""
    return (1 << count) - 1
