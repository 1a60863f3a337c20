"""Which hand wins in Makkaik: docs/rules/makkaik.md, MA5 and MA6, sentence by sentence."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from fudaba_games.kamikisen.cards import (
    BLACK_SHIP,
    DECK,
    RED_SHIP,
    SHIPS,
    STRENGTH_OF_BIT,
    cards_of,
    joined,
    places_of,
    settled,
)
from fudaba_games.kamikisen.dealing import deal_at_random
from fudaba_games.kamikisen.melds import RUN, SET, SINGLE, melds_of
from fudaba_games.makkaik import BestMeld, Category, DealEnded, Showdown, ShownHand, best_meld, showdown_key, winners_of
from tests.support import sizes
from tests.support.games.makkaik.positions import betting, cards, do, view


def best(hand: str, public: str) -> tuple[str, int]:
    """Returns the category and the strength of a hand's best meld."""
    meld = best_meld(cards(hand), cards(public))
    return Category(meld.category).name, meld.strength


@pytest.mark.rule("MA5.1", "MA5.2", "MA5.3")
@pytest.mark.parametrize(("hand", "found"), [
    ("r3 bK r0", BestMeld(Category.SET_OF_THREE, 4, cards("r3 r3 b3"))),
    ("r2 b2 r5", BestMeld(Category.RUN_OF_THREE, 6, cards("r3 r4 r5"))),
    ("b8 rK b1", BestMeld(Category.SET_OF_TWO, 9, cards("b8 b8"))),
    ("rS r0 b1", BestMeld(Category.SET_OF_THREE, 4, cards("rS r3 b3"))),
    ("bK r7 b5", BestMeld(Category.SINGLE, 10, cards("bK"))),
])  # fmt: skip
def test_the_pages_examples(hand: str, found: BestMeld) -> None:
    assert best_meld(cards(hand), cards("r3 b3 r4 b8 b0")) == found


@pytest.mark.rule("MA5.1")
def test_a_set_of_three_beats_a_run_beats_a_set_of_two_beats_a_single() -> None:
    public = cards("r0 r6 r7")
    ordered = ["bK r3 b1", "r6 b1 b2", "r8 b2 b4", "r0 b0 b1"]
    keys = [showdown_key(cards(hand), public) for hand in ordered]
    assert [key[0] for key in keys] == [1, 2, 3, 4]
    assert keys == sorted(keys)
    hands = {seat: cards(hand) for seat, hand in enumerate(ordered)}
    assert winners_of(hands, public) == (3,)
    assert winners_of({seat: hands[seat] for seat in (0, 1, 2)}, public) == (2,)
    assert winners_of({seat: hands[seat] for seat in (0, 1)}, public) == (1,)


@pytest.mark.rule("MA5.2")
def test_several_seats_use_the_same_public_card() -> None:
    public = "r7 b3 b5"
    assert best("b7 r1 r2", public) == best("r7 r1 r2", public) == ("SET_OF_TWO", 8)


@pytest.mark.rule("MA5.3")
@pytest.mark.parametrize(("hand", "public", "found"), [
    ("r0 b1 b4", "r7 r7 b7", ("SINGLE", 5)),
    ("r0 b1 b4", "r6 r7 r8", ("SINGLE", 5)),
    ("r0 b1 b4", "rK bT b1", ("SET_OF_TWO", 2)),
    ("r5 b1 b4", "r6 r7 r8", ("RUN_OF_THREE", 8)),
    ("rK b1 b4", "rS bS r2", ("SET_OF_THREE", 10)),
    ("r0 b1 b4", "rS r7 r8", ("SET_OF_TWO", 5)),
])  # fmt: skip
def test_public_cards_alone_are_nobodys_meld(hand: str, public: str, found: tuple[str, int]) -> None:
    assert best(hand, public) == found


@pytest.mark.rule("MA5.4")
def test_more_than_three_cards_make_nothing_better() -> None:
    assert best("r1 r1 r1", "r1 b1 b1") == ("SET_OF_THREE", 2)
    assert best_meld(cards("r1 r1 r1"), cards("r1 b1 b1")).cards == cards("r1 r1 r1")
    assert best("r3 r4 r5", "r6 r7 b0") == ("RUN_OF_THREE", 8)
    assert best_meld(cards("r3 r4 r5"), cards("r6 r7 b0")).cards == cards("r5 r6 r7")


@pytest.mark.rule("MA5.5", "K3.1", "K3.2", "K3.3")
@pytest.mark.parametrize(("hand", "public", "found"), [
    ("rS b1 b4", "r6 r7 b0", ("RUN_OF_THREE", 9)),
    ("rS b1 b4", "r7 r8 b0", ("RUN_OF_THREE", 9)),
    ("bS b1 b4", "r7 r8 r0", ("SET_OF_TWO", 9)),
    ("rS b1 b3", "rK r7 b0", ("SET_OF_TWO", 10)),
    ("rS b1 bT", "rK r7 b0", ("SET_OF_THREE", 10)),
    ("rS bS r0", "b4 r7 b6", ("SET_OF_THREE", 8)),
    ("rS b0 b1", "b2 b5 b7", ("RUN_OF_THREE", 3)),
])  # fmt: skip
def test_a_ship_stands_for_what_serves_best(hand: str, public: str, found: tuple[str, int]) -> None:
    # A black ship does not serve a red run. There is no 9 above the 8.
    assert best(hand, public) == found


@pytest.mark.rule("MA5.5", "K3.4")
def test_next_to_any_card_a_ship_makes_a_set() -> None:
    # So a hand's ship never stands alone: there are always cards that are not ships.
    meld = best_meld(cards("rS r2 b5"), cards("b8 r0 b0"))
    assert meld == BestMeld(Category.SET_OF_THREE, 1, cards("rS r0 b0"))
    assert best_meld(cards("rS"), 0) == BestMeld(Category.SINGLE, 10, cards("rS")), "alone it is as strong as a king"


@pytest.mark.rule("MA5.6")
def test_a_public_ship_serves_everybody_and_the_own_one_is_a_card_of_the_hand() -> None:
    assert best("r2 b4 b6", "rS r7 r8") == ("SET_OF_TWO", 7)
    assert best("r5 b4 b3", "rS r7 r8") == ("RUN_OF_THREE", 8)
    assert best("r6 b4 b3", "rS r7 b8") == ("RUN_OF_THREE", 9)
    # The run 6 7 8 is all public; the hand's ship takes the place of one of its cards.
    assert best_meld(cards("rS b0 b3"), cards("r6 r7 r8")) == BestMeld(Category.RUN_OF_THREE, 9, cards("rS r7 r8"))
    assert best_meld(cards("rS b0 b3"), cards("r7 r7 b7")) == BestMeld(Category.SET_OF_THREE, 8, cards("rS r7 r7"))


@pytest.mark.rule("MA6.1")
@pytest.mark.parametrize(("better", "worse", "public"), [
    ("b7 r0 b1", "b6 rK bK", "r7 r7 r6"),
    ("r6 r0 b1", "r3 rK bK", "r4 r5 b8"),
    ("bT r0 b1", "b8 b6 r6", "rK r8 b3"),
    ("rK r0 b1", "b8 b6 r7", "r2 b5 b3"),
])  # fmt: skip
def test_the_stronger_card_wins(better: str, worse: str, public: str) -> None:
    assert winners_of({0: cards(worse), 3: cards(better)}, cards(public)) == (3,)
    assert winners_of({0: cards(better), 3: cards(worse)}, cards(public)) == (0,)


@pytest.mark.rule("MA6.1", "K2.4")
def test_king_and_emperor_are_equally_strong() -> None:
    public = cards("r2 b5 b3")
    assert winners_of({0: cards("rK r0 b1"), 1: cards("bT b0 r1")}, public) == (0, 1)


@pytest.mark.rule("MA6.2")
@pytest.mark.parametrize(("better", "worse", "public"), [
    ("b7 r8 b1", "r7 r6 b5", "r7 b0 r3"),
    ("b7 r6 b1", "r7 r6 b0", "r7 b4 r3"),
    ("r7 b6 b2", "r7 r6 r1", "b7 b4 r3"),
])  # fmt: skip
def test_equal_melds_are_told_apart_by_all_cards_of_the_hands(better: str, worse: str, public: str) -> None:
    better_key, other = showdown_key(cards(better), cards(public)), showdown_key(cards(worse), cards(public))
    assert better_key[:2] == other[:2]
    assert better_key > other


@pytest.mark.rule("MA6.2")
def test_there_a_ship_counts_as_itself() -> None:
    public = cards("rK bT r1")
    with_ship, without_ship = showdown_key(cards("rS r2 r3"), public), showdown_key(cards("rT r2 r3"), public)
    assert with_ship == (Category.SET_OF_THREE, 10, 4, 3, 0)
    assert without_ship == (Category.SET_OF_THREE, 10, 10, 4, 3)


@pytest.mark.rule("MA6.3", "MA6.2")
def test_only_equal_cards_in_all_three_places_split() -> None:
    public = cards("rK r8 b3")
    assert winners_of({1: cards("bK r7 b1"), 2: cards("bT b7 r1"), 4: cards("rT b7 b0")}, public) == (1, 2)


@pytest.mark.rule("MA5.1", "MA6.4", "MA9.1")
def test_the_hands_are_shown_with_their_melds_and_the_best_takes_all() -> None:
    state = betting("r3 bK r0", "b8 rK b1", "r2 b2 r5", public="r3 b3 r4 b8 b0")
    events = do(state, "stay 2", "stay", "fold", *["stay 1", "stay"] * 2)
    assert events[-2:] == [
        Showdown((
            ShownHand(0, cards("r0 r3 bK"), SET, cards("r3 r3 b3"), 4),
            ShownHand(1, cards("rK b1 b8"), SET, cards("b8 b8"), 9),
        )),
        DealEnded((0,), 11, (6, -5, -1)),
    ]  # fmt: skip
    assert view(state).shown == (cards("r0 r3 bK"), cards("rK b1 b8"), 0)


def by_trying(hand: int, public: int) -> tuple[int, int]:
    """Returns the best category and strength by the words of the rules: every choice of one to three cards is tried."""
    found = []
    together = joined(hand, public)
    categories = {(SINGLE, 1): 1, (SET, 2): 2, (RUN, 3): 3, (SET, 3): 4}
    for size in (1, 2, 3):
        for some in combinations(places_of(together), size):
            chosen = settled(sum(1 << place for place in some))
            if not any(card in cards_of(hand) for card in cards_of(chosen)):
                continue
            found += [(categories[meld.form, meld.size], meld.strength) for meld in melds_of(chosen)]
    return max(found)


@pytest.mark.rule("MA5.1", "MA5.2", "MA5.3", "MA5.5", "MA6.1")
def test_the_best_meld_is_the_one_that_trying_everything_finds() -> None:
    chance = random.Random(5)
    for number in range(sizes.some(1500, least=300)):
        size = 3 + 2 * chance.randrange(5)
        own, common = ((0, 0), (RED_SHIP, BLACK_SHIP), (SHIPS, 0), (0, SHIPS))[number % 4]
        cards_left = DECK ^ SHIPS if own or common else DECK
        hand, public, _ = deal_at_random(cards_left, [3 - own.bit_count(), size], chance)
        hand, public = joined(hand, own), joined(public, common)
        meld = best_meld(hand, public)
        assert (meld.category, meld.strength) == by_trying(hand, public)
        assert not meld.cards & ~joined(hand, public)
        assert any(card in cards_of(hand) for card in cards_of(meld.cards))
        assert (meld.form, meld.strength) in {
            (candidate.form, candidate.strength) for candidate in melds_of(meld.cards)
        }
        strengths = sorted([STRENGTH_OF_BIT[place] for place in places_of(hand)], reverse=True)
        assert showdown_key(hand, public) == (meld.category, meld.strength, *strengths)
