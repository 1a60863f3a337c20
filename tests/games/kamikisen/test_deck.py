"""The Kamikisen deck: its cards, masks of them, choices, dealing, payments and texts."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba_games.game import MalformedMove
from fudaba_games.kamikisen import cards as deck
from fudaba_games.kamikisen.cards import (
    CARD_TEXTS,
    CARDS,
    DECK,
    cards_of,
    count_of,
    is_settled,
    joined,
    mask_of,
    places_of,
    settled,
    without,
)
from fudaba_games.kamikisen.choices import MAX_CARDS_PICKED, bits_of, parts_of, picks
from fudaba_games.kamikisen.dealing import (
    cards_at,
    deal_at_random,
    deal_hands,
    first_dealer,
    first_dealer_option,
    number_of_deals,
    shuffled_places,
)
from fudaba_games.kamikisen.scoring import next_multiplier, paid_to, shared
from fudaba_games.kamikisen.text import parse_card, parse_cards, parse_strength, text_by_colour, text_of

copies = st.sets(st.integers(0, 47), max_size=14)
"""Places of the deck: physical cards."""


def counts(mask: int) -> Counter[int]:
    return Counter(cards_of(mask))


# ---- cards and masks -----------------------------------------------------------------------------------------------


@pytest.mark.rule("K1.1", "K1.3")
def test_the_deck_has_forty_eight_cards_in_two_colours() -> None:
    assert text_of(DECK) == " ".join(
        f"{colour}{kind}"
        for colour in "rb"
        for kind, number in zip("S012345678KT", (1, 3, 4, 2, 2, 2, 2, 2, 2, 2, 1, 1), strict=True)
        for _ in range(number)
    )
    assert DECK.bit_count() == len(cards_of(DECK)) == 48
    assert deck.RED | deck.BLACK == DECK
    assert text_of(deck.RED).replace("r", "b") == text_of(deck.BLACK)


@pytest.mark.rule("K1.5")
def test_king_and_emperor_are_one_strength_and_ship_is_the_weakest() -> None:
    strengths = {kind: deck.STRENGTH_OF_KIND[place] for place, kind in enumerate(deck.KIND_LETTERS)}
    assert sorted(strengths, key=lambda kind: strengths[kind]) == list("S012345678KT")
    assert strengths["K"] == strengths["T"] == deck.TOP
    assert [deck.VALUE_OF_KIND[place] for place in range(12)] == [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, -1, -1]
    assert text_of(deck.STRENGTH_MASKS[10]) == "rK rT bK bT"
    assert sum(mask.bit_count() for mask in deck.STRENGTH_MASKS) == 48


@pytest.mark.rule("K1.4")
@given(copies)
def test_equal_cards_make_equal_masks_whichever_copies_they_are(places: set[int]) -> None:
    mask = sum(1 << place for place in places)
    cards = [deck.CARD_OF_BIT[place] for place in places]
    assert settled(mask) == mask_of(cards) == cards_at(list(places))
    assert is_settled(settled(mask))
    assert is_settled(mask) == (mask == settled(mask))
    assert counts(settled(mask)) == Counter(cards)
    assert settled(mask).bit_count() == len(places)
    assert all(count_of(settled(mask), card) == cards.count(card) for card in range(CARDS))


@given(copies, copies)
def test_taking_away_and_putting_together_count_copies(first: set[int], other: set[int]) -> None:
    hand, more = cards_at(list(first)), cards_at(list(other - first))
    both = joined(hand, more)
    assert counts(both) == counts(hand) + counts(more)
    assert is_settled(both)
    assert not hand & ~both
    assert without(both, hand) == more
    assert without(both, both) == 0
    has = not more & ~hand
    assert has == (counts(more) <= counts(hand))


def test_numbers_that_are_no_cards_are_not_settled() -> None:
    assert is_settled(0)
    assert is_settled(DECK)
    assert not any(map(is_settled, (-1, DECK + 1, 1 << 60, -(1 << 60), 1 << 2)))


def test_a_card_more_often_than_the_deck_has_it_is_refused() -> None:
    with pytest.raises(ValueError, match="the deck has only 1 of rS"):
        mask_of([0, 0])
    with pytest.raises(ValueError, match="only 4 of b1"):
        mask_of([14] * 5)


# ---- choices -------------------------------------------------------------------------------------------------------


def choices(hand: int, count: int) -> list[tuple[int, ...]]:
    """Every choice of `count` cards of a hand, as places, once, in deck order."""
    return sorted({places_of(settled(sum(1 << place for place in some)))
                   for some in combinations(places_of(hand), count)})  # fmt: skip


@pytest.mark.rule("K1.3", "K1.4")
@given(copies, st.integers(0, 6))
def test_picks_are_every_choice_once_in_deck_order(places: set[int], count: int) -> None:
    hand = cards_at(list(places)[:MAX_CARDS_PICKED])
    bits, repeats = bits_of(hand)
    picked = [sum(bits[index] for index in some) for some in picks(len(bits), repeats, count)]
    assert [places_of(choice) for choice in picked] == choices(hand, count)


def test_picks_of_more_cards_than_ten_are_refused() -> None:
    with pytest.raises(ValueError, match="11 cards are too many: at most 10"):
        picks(MAX_CARDS_PICKED + 1, 0, 3)


@given(copies)
def test_parts_are_every_part_once(places: set[int]) -> None:
    hand = cards_at(list(places)[:8])
    parts = [places_of(part) for part in parts_of(hand)]
    assert sorted(parts) == sorted(choice for count in range(9) for choice in choices(hand, count))


# ---- dealing -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("K5.1")
def test_cards_are_dealt_one_at_a_time_from_the_dealer_on() -> None:
    places = shuffled_places(bytes(32), 0, 0)
    assert sorted(places) == list(range(48))
    hands = deal_hands(places, 3, 1, 5)
    assert hands[1] == cards_at(places[0:15:3])
    assert hands[2] == cards_at(places[1:15:3])
    assert hands[0] == cards_at(places[2:15:3])
    assert sum((counts(hand) for hand in hands), Counter()) == counts(cards_at(places[:15]))


@given(copies, st.randoms(use_true_random=False))
def test_a_random_deal_gives_out_the_same_cards(places: set[int], chance: random.Random) -> None:
    cards = cards_at(list(places))
    sizes = [len(places) // 3, len(places) // 4, 0]
    dealt = deal_at_random(cards, sizes, chance)
    assert [hand.bit_count() for hand in dealt[:3]] == sizes
    assert sum((counts(hand) for hand in dealt), Counter()) == counts(cards)
    with pytest.raises(ValueError, match="cannot fill"):
        deal_at_random(cards, [len(places), 1], chance)


@pytest.mark.rule("K1.4")
def test_copies_are_dealt_as_if_they_were_different_cards() -> None:
    # Of four soldiers and two bows two cards are drawn: two soldiers in 6 of 15 cases.
    chance = random.Random(5)
    drawn = Counter(text_of(deal_at_random(parse_cards([*["r1"] * 4, "r2", "r2"]), [2], chance)[0])
                    for _ in range(3000))  # fmt: skip
    assert set(drawn) == {"r1 r1", "r1 r2", "r2 r2"}
    assert 1100 < drawn["r1 r1"] < 1300
    assert 1500 < drawn["r1 r2"] < 1700


@pytest.mark.rule("K5.2")
def test_a_match_has_as_many_deals_as_seats_unless_it_says_otherwise() -> None:
    assert number_of_deals(0, 4) == 4
    assert number_of_deals(7, 4) == 7


@pytest.mark.rule("K5.3")
def test_the_first_dealer_is_counted_on_around_a_smaller_table() -> None:
    assert first_dealer_option(6).maximum == 5
    assert [first_dealer(option, 4) for option in range(6)] == [0, 1, 2, 3, 0, 1]
    for most in (6, 4):
        option = first_dealer_option(most)
        [(last, seat, fewer)] = re.findall(r"(\d) is seat (\d) of (\d)\.$", option.description)
        assert int(last) <= option.maximum, "the option can be that"
        assert int(seat) == first_dealer(int(last), int(fewer))


# ---- payments ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("K4.1", "K4.2")
def test_the_multiplier_grows_while_the_dealer_wins() -> None:
    assert next_multiplier(2, dealer=1, winner=1) == 3
    assert next_multiplier(3, dealer=1, winner=1) == 4
    assert next_multiplier(4, dealer=1, winner=0) == 2


@pytest.mark.rule("K4.3")
def test_what_the_dealer_pays_or_receives_is_multiplied_and_nothing_else() -> None:
    assert paid_to(1, (-1, 0, 5), dealer=0, multiplier=2) == (2, 3, -5)
    assert paid_to(0, (9, 4, 5), dealer=0, multiplier=3) == (27, -12, -15)
    assert paid_to(2, (1, 1, 9), dealer=0, multiplier=1) == (-1, -1, 2)


def test_sharers_are_paid_the_same_by_each_loser() -> None:
    assert shared([1], 4, 1) == (-1, 3, -1, -1)
    assert shared([0, 2], 4, 1) == (2, -2, 2, -2)
    assert shared([0, 1, 2], 3, 1) == (0, 0, 0)


# ---- texts ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("K1.2", "K1.3")
@given(copies)
def test_a_text_gives_its_cards_back(places: set[int]) -> None:
    mask = cards_at(list(places))
    assert parse_cards(text_of(mask).split()) == mask
    assert parse_cards(reversed(text_of(mask).split())) == mask
    assert sorted(text_by_colour(mask).split()) == sorted(text_of(mask).split())


def test_cards_and_strengths_have_letters() -> None:
    assert [parse_card(text) for text in CARD_TEXTS] == list(range(24))
    assert [parse_strength(letter) for letter in "S08K"] == [0, 1, 9, 10]
    assert text_by_colour(parse_cards(["r1", "bS"])) == "r1  bS"


@pytest.mark.parametrize(("text", "why"), [
    ("r9", "'r9' is not a card"),
    ("R1", "'R1' is not a card"),
    ("r1 r1 r1 r1 r1", "the deck has only 4 of r1, not 5"),
    ("bS rS bS", "only 1 of bS, not 2"),
])  # fmt: skip
def test_a_text_that_is_no_card_of_the_deck_is_malformed(text: str, why: str) -> None:
    with pytest.raises(MalformedMove, match=why):
        parse_cards(text.split())


def test_a_letter_that_is_no_strength_is_malformed() -> None:
    with pytest.raises(MalformedMove, match="'T' is not a strength"):
        parse_strength("T")
