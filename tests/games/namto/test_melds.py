"""Melds and judging of Namto: docs/rules/namto.md, NT5 and NT6, sentence by sentence."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations

import pytest

from fudaba_games.game import Outcome
from fudaba_games.kamikisen.cards import DECK, KIND_OF, SHIPS, cards_of, joined, places_of, settled
from fudaba_games.kamikisen.dealing import deal_at_random
from fudaba_games.kamikisen.melds import RUN, SET, SINGLE, melds_of
from fudaba_games.kamikisen.text import text_of
from fudaba_games.namto import RANK_NAMES, Rank, best_melds, meld_of, winners_of, worth_of
from fudaba_games.namto.rules import NAMTO
from tests.support.games.namto.positions import cards, do, holding


def rank(text: str) -> str:
    """Returns what some cards are, all together."""
    meld = meld_of(cards(text))
    return RANK_NAMES[meld.rank] if meld else ""


def made(hand: str, shared: str) -> list[str]:
    """Returns the melds of a hand, with their cards."""
    return [f"{RANK_NAMES[meld.rank]} {text_of(meld.cards)}" for meld in best_melds(cards(f"{hand} {shared}"))]


# ---- the melds -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("NT5.2")
@pytest.mark.parametrize(("text", "name"), [
    ("r1 b2 r8 b6 b7", "level brush"),
    ("r1 r2 r6 r7 r8", "level brush"),
    ("bT rK", "emperor king"),
    ("r6 b7 r8", "earth heart"),
    ("r6 r7 r8", "earth heart"),
    ("r5 b2 r1", "horse bow soldier"),
    ("rS b3 r5", "going"),
    ("r1 r1 b1 b1 b1", "dark gathering"),
    ("r2 r3 r4", "run"),
    ("r4 r5 r6 r7 r8", "run"),
    ("r0 r0", "set"),
    ("r0 r0 b0 b0", "set"),
    ("r1 b1 b1 b1", "set"),
    ("r1 r1 r1 b1 b1 b1", "set"),
    ("b8", "single"),
    ("bS", "single"),
    ("r2 b3 r4", ""),
    ("r6 b8", ""),
    ("r1 b2", ""),
    ("rK b8", ""),
])  # fmt: skip
def test_what_cards_are(text: str, name: str) -> None:
    assert rank(text) == name


@pytest.mark.rule("NT6.1")
def test_the_ranks_stand_in_the_pages_order() -> None:
    ordered = ["b8", "r0 r0", "r2 r3 r4", "r1 r1 b1 b1 b1", "rS b3 r5", "r5 b2 r1", "r6 b7 r8", "bT rK",
               "r1 b2 r8 b6 b7"]  # fmt: skip
    found = [meld_of(cards(text)) for text in ordered]
    assert [meld.rank for meld in found if meld] == list(Rank)


@pytest.mark.rule("NT5.3", "K3.3")
@pytest.mark.parametrize(("text", "name"), [
    ("rS b2 r8 b6 b7", "level brush"),
    ("rS bS r8 b6 b7", "level brush"),
    ("rS bT", "emperor king"),
    ("rS rK", "emperor king"),
    ("bS b7 r8", "earth heart"),
    ("rS bS r8", "earth heart"),
    ("rS b2 r1", "horse bow soldier"),
    ("rS bS b1 b1 r1", "dark gathering"),
    ("rS r3 r4", "run"),
    ("bS r3 r4", ""),
    ("rS b0", "set"),
    ("rS bS b0", "set"),
])  # fmt: skip
def test_a_ship_stands_for_what_serves_best(text: str, name: str) -> None:
    assert rank(text) == name


@pytest.mark.rule("NT5.3")
def test_alone_a_ship_is_as_strong_as_king_and_emperor() -> None:
    assert [meld_of(cards(text)) and meld_of(cards(text))[2] for text in ("rS", "bK", "rT", "r8")] == [10, 10, 10, 9]  # type: ignore[index]


@pytest.mark.rule("NT5.4")
@pytest.mark.parametrize(("text", "name"), [
    ("rS bS", ""),
    ("rS bS r3", "going"),
    ("rS bS b5", "horse bow soldier"),
    ("rS b5 r3", "going"),
    ("b5 r3", ""),
    ("r3 b4 r5", ""),
])  # fmt: skip
def test_a_named_meld_has_a_card_that_is_no_stand_in(text: str, name: str) -> None:
    # With a 5 two ships make 馬弓兵 too, which is better.
    assert rank(text) == name


@pytest.mark.rule("NT5.5")
def test_horse_bow_soldier_without_a_ship_is_never_going() -> None:
    meld = meld_of(cards("r5 b2 r1"))
    assert meld is not None
    assert meld.rank == Rank.HORSE_BOW_SOLDIER > Rank.GOING
    assert [card_rank.name for card_rank in Rank].count("GOING") == 1


@pytest.mark.rule("NT5.6")
def test_two_kings_are_a_set() -> None:
    assert rank("rK bK") == rank("rT bT") == "set"
    assert winners_of({0: cards("rK bK"), 1: cards("rT b0")}, cards("rK")) == (1,)


@pytest.mark.rule("NT5.1")
def test_melds_need_no_card_of_the_hand() -> None:
    assert made("b0 b2", "r6 r7 r8")[0] == "earth heart r6 r7 r8"
    assert made("b0 b2", "rK rT b7")[0] == "emperor king rK rT"


# ---- judging -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("NT6.1", "NT6.4", "NT6.5", "NT6.6")
@pytest.mark.parametrize(("hand", "melds"), [
    ("b8 r0", ["earth heart r6 b7 b8", "set r0 b0"]),
    ("b6 b8", ["earth heart b6 b7 b8", "single r6", "single b0"]),
    ("rS r8", ["earth heart rS r6 r8", "single b7", "single b0"]),
    ("rS b8", ["earth heart r6 b7 b8", "set rS b0"]),
    ("rK bT", ["emperor king rK bT", "single b7", "single r6", "single b0"]),
    ("rK rS", ["emperor king rS rK", "single b7", "single r6", "single b0"]),
])  # fmt: skip
def test_the_pages_examples(hand: str, melds: list[str]) -> None:
    assert made(hand, "r6 b7 b0") == melds


@pytest.mark.rule("NT6.1", "NT6.2", "NT6.3", "NT6.4", "NT6.5")
@pytest.mark.parametrize(("better", "worse", "shared"), [
    # rank
    ("rK bT", "b6 b8", "r6 b7 b0"),
    ("r5 b1", "b4 b5", "r2 b6 b7"),
    ("b2 b3", "r8 b8", "b4 r8 r0"),
    # more cards
    ("b0 r0", "b8 r8", "r0 b3 r5"),
    ("r2 r3", "r5 b8", "r4 r5 r6"),
    # the strongest card
    ("b8 r0", "b7 rK", "r7 r8 b3"),
    ("r5 b0", "r2 bK", "r3 r4 b8"),
    ("rK r0", "r8 b7", "r1 b3 r5"),
    # one colour
    ("r8 b0", "b8 rK", "r6 r7 b3"),
    ("rK rT", "bK rT", "r1 b3 r0"),
    ("r3 b7", "b3 r8", "r3 b0 r5"),
    # the next meld
    ("rK b8", "bK r7", "r1 b3 r5"),
    ("b3 rK", "b3 r8", "r3 r5 r0"),
    ("r0 bK", "r0 b8", "b0 r3 b5"),
])  # fmt: skip
def test_what_decides_between_two_hands(better: str, worse: str, shared: str) -> None:
    assert winners_of({0: cards(worse), 4: cards(better)}, cards(shared)) == (4,)
    assert winners_of({0: cards(better), 4: cards(worse)}, cards(shared)) == (0,)


@pytest.mark.rule("NT6.3")
def test_a_ship_has_the_strength_of_what_it_stands_for() -> None:
    shared = cards("r3 r4 b0")
    assert worth_of(cards("rS b7"), shared)[0] == worth_of(cards("r5 b7"), shared)[0]
    assert winners_of({0: cards("rS b7"), 1: cards("r2 b7")}, shared) == (0,)
    assert winners_of({0: cards("bS b7"), 1: cards("b7 r7")}, cards("r2 r4 b0")) == (0,)


@pytest.mark.rule("NT6.4", "K3.1")
def test_a_ship_has_its_own_colour() -> None:
    red, mixed = worth_of(cards("rS r8"), cards("r7")), worth_of(cards("bS r8"), cards("r7"))
    assert red[0][:3] == mixed[0][:3]
    assert (red[0][3], mixed[0][3]) == (True, False)
    assert red > mixed


@pytest.mark.rule("NT6.6")
def test_of_equally_good_melds_the_one_that_leaves_the_better_ones_counts() -> None:
    assert made("rS b6", "r7 b8 r3") == ["earth heart r7 b6 b8", "set rS r3"]
    assert made("r8 b8", "r6 b7 b8") == ["earth heart r6 r8 b7", "set b8 b8"], "of one colour"
    assert made("bK rT", "bT rK r1")[:2] == ["emperor king rK rT", "emperor king bK bT"]


@pytest.mark.rule("NT6.5", "NT6.7")
def test_hands_that_are_equal_to_the_last_card_share() -> None:
    shared = cards("r3 b3 r8")
    assert winners_of({0: cards("rK b1"), 1: cards("bT r1"), 2: cards("bK b0")}, shared) == (0, 1)
    assert worth_of(cards("rK b1"), shared) == worth_of(cards("bT r1"), shared)


@pytest.mark.rule("NT6.5")
def test_one_card_at_the_end_can_decide() -> None:
    shared = cards("r3 b3 r8")
    assert winners_of({1: cards("bT r1"), 2: cards("bK b0")}, shared) == (1,)
    assert winners_of({0: cards("b7 b0"), 2: cards("b7 b1")}, 0) == (2,), "without shared cards too"


@pytest.mark.rule("NT6.7")
def test_odd_points_of_a_split_pot_go_to_those_after_the_dealer() -> None:
    state = holding("rK b1", "bT r1", "r5 b0", stock="r3 b3 r8", entry=3)
    do(state, *["bet 1", "bet 1", "bet 1"] * 3, "bet 1", "bet 1", "fold")
    # 9 + 3 x 3 + 2 = 20 points; 20 / 2 = 10. Seats 0 and 1 have paid 7 each.
    assert NAMTO.outcome(state) == Outcome((3, 3, -6))
    state = holding("rK b1", "bT r1", "r5 b0", stock="r3 b3 r8")
    do(state, *["bet 1", "bet 1", "bet 1"] * 2, "bet 1", "bet 1", "fold", "bet 1", "bet 1")
    # 13 points: the odd one is seat 1's, since seat 0 is the dealer.
    assert NAMTO.outcome(state) == Outcome((1, 2, -3))
    state = holding("rK b1", "bT r1", "r5 b0", stock="r3 b3 r8", first_dealer=2)
    do(state, *["bet 1", "bet 1", "bet 1"] * 2, "fold", "bet 1", "bet 1", "bet 1", "bet 1")
    # Seat 2 was the dealer, and seat 0 is it now: it comes last.
    assert NAMTO.outcome(state) == Outcome((1, 2, -3))


# ---- beside trying everything --------------------------------------------------------------------------------------


def sharings(left: list[int]) -> Iterator[list[tuple[int, int, int, bool]]]:
    """Yields every way to go on by the words of the rules: each time one of the best melds of what is left."""
    if not left:
        yield []
        return
    found = []
    for size in range(1, len(left) + 1):
        for some in combinations(range(len(left)), size):
            value = slow_value([left[index] for index in some])
            if value:
                found.append((value, some))
    best = max(value for value, _ in found)
    for value, some in found:
        if value == best:
            for rest in sharings([card for index, card in enumerate(left) if index not in some]):
                yield [value, *rest]


NAMED = {
    9: [1, 2, 6, 7, 8], 8: [9, 10], 7: [6, 7, 8], 6: [1, 2, 5], 4: [1, 1, 1, 1, 1],
}  # fmt: skip
"""By rank: values; king 9, emperor 10."""


def slow_value(chosen: list[int]) -> tuple[int, int, int, bool] | None:
    """Returns what some cards are worth as one meld; every choice of what ships stand for is tried."""
    ships = [card for card in chosen if KIND_OF[card] == 0]
    values = sorted(KIND_OF[card] - 1 for card in chosen if KIND_OF[card])
    one_colour = len({card // 12 for card in chosen}) == 1
    found = []
    for number, needed in NAMED.items():
        missing = needed[:]
        fits = bool(values) and len(needed) == len(chosen)
        for value in values:
            if value in missing:
                missing.remove(value)
            else:
                fits = False
        if fits:
            found.append((number, len(chosen), min(max(needed) + 1, 10), one_colour))
    if ships and len(chosen) == 3 and values in ([3, 5], [3], [5]):
        found.append((5, 3, 6, one_colour))
    mask = settled(sum(1 << place for place in bits_of(chosen)))
    found.extend([
        ({SINGLE: 1, SET: 2, RUN: 3}[meld.form], len(chosen), meld.strength, one_colour) for meld in melds_of(mask)
    ])  # fmt: skip
    return max(found) if found else None


def bits_of(chosen: list[int]) -> list[int]:
    """Different bits for some cards."""
    used: list[int] = []
    for card in chosen:
        used.append(next(bit for bit in places_of(DECK) if bit not in used and cards_of(1 << bit)[0] == card))
    return used


@pytest.mark.rule("NT6.1", "NT6.2", "NT6.3", "NT6.4", "NT6.5", "NT6.6", "NT5.2", "NT5.3", "NT5.4")
def test_the_worth_of_a_hand_is_what_trying_everything_finds() -> None:
    chance = random.Random(11)
    for number in range(400):
        size = 2 + number % 4
        if number % 2:
            hand, *_ = deal_at_random(DECK, [size], chance)
        else:
            hand, *_ = deal_at_random(DECK ^ SHIPS, [max(size - 2, 1)], chance)
            hand = joined(hand, SHIPS)
        assert list(worth_of(hand, 0)) == max(sharings(cards_of(hand))), text_of(hand)
