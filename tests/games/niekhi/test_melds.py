"""Cards and melds of Niekhi: docs/rules/niekhi.md, NI2, NI4 and NI6, sentence by sentence."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba_games.kamikisen.cards import STRENGTH_LETTERS, STRENGTH_OF_BIT
from fudaba_games.niekhi import cards as deck
from fudaba_games.niekhi.cards import DECK, ONE, cards_of, count_of, has, is_cards, less, size_of, strengths_of
from fudaba_games.niekhi.melds import FORMS, Meld, melds_of
from fudaba_games.niekhi.moves import NAMES, lays_on, takes_of
from fudaba_games.niekhi.runs import has_stairs
from fudaba_games.niekhi.text import text_of
from fudaba_games.niekhi.values import Lay, Take
from tests.support.games.niekhi.positions import cards, holding, legal, meld, readings

some_cards = st.sets(st.integers(0, 47), max_size=24).map(
    lambda places: cards_of([STRENGTH_OF_BIT[place] for place in places])
)

# ---- cards ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("NI2.1", "NI2.2", "NI2.4")
def test_the_deck_has_forty_eight_cards_of_eleven_strengths() -> None:
    assert text_of(DECK).split() == list("SS" + "0" * 6 + "1" * 8 + "2222333344445555666677778888KKKK")
    assert size_of(DECK) == 48
    assert Counter(strengths_of(DECK)) == Counter(STRENGTH_OF_BIT), "both colours of the deck, king and emperor as one"


@given(some_cards, some_cards)
def test_cards_are_compared_and_taken_away_like_counted_things(hand: int, other: int) -> None:
    first, second = Counter(strengths_of(hand)), Counter(strengths_of(other))
    assert size_of(hand) == first.total()
    assert has(hand, other) == (second <= first)
    assert less(hand, other) == cards_of((first - second).elements())
    assert is_cards(hand)
    assert all(count_of(hand, strength) == first[strength] for strength in range(11))


@given(st.integers(-(1 << 60), 1 << 60))
def test_only_numbers_that_count_cards_of_the_deck_are_cards(number: int) -> None:
    counts = [number >> 5 * strength & 31 for strength in range(11)]
    counted = sum(count * unit for count, unit in zip(counts, ONE, strict=True)) == number
    assert is_cards(number) == (counted and all(a <= b for a, b in zip(counts, deck.COPIES_OF, strict=True)))


def test_more_cards_than_there_are_can_not_be_made() -> None:
    with pytest.raises(ValueError, match="only 2 of strength 0"):
        cards_of([0, 0, 0])
    assert not is_cards(3)
    assert not is_cards(DECK + 1)
    assert not is_cards(16)


# ---- what cards can be ---------------------------------------------------------------------------------------------


@pytest.mark.rule("NI4.1", "NI4.2", "NI4.3", "NI4.4", "NI4.5", "NI4.6", "NI4.7", "NI2.2")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7", [("single", 1, 8)]),
        ("K", [("single", 1, 10)]),
        ("7 7", [("set", 1, 8)]),
        ("K K K K", [("set", 1, 10)]),
        ("7 8", []),
        ("0 1 2", [("run", 3, 3)]),
        ("6 7 8", [("run", 3, 9)]),
        ("7 8 K", []),
        ("7 8 S", [("run", 3, 9)]),
        ("0 1 S", [("run", 3, 3)]),
        ("3 4 S", [("run", 3, 5), ("run", 3, 6)]),
        ("3 5 S", [("run", 3, 6)]),
        ("3 6 S", []),
        ("3 6 S S", [("run", 4, 7)]),
        ("2 3 3 4", []),
        ("0 1 2 3 4 5 6 7 8", [("run", 9, 9)]),
        ("1 1 2 2 3 3", [("stairs", 3, 4)]),
        ("1 1 2 2", []),
        ("1 1 1 2 2 2", [("stairs", 2, 3)]),
        ("1 1 1 3 3 3", []),
        ("1 1 2 2 3 S", [("stairs", 3, 4)]),
        ("1 1 2 2 S S", [("stairs", 2, 3), ("stairs", 3, 3), ("stairs", 3, 4)]),
        ("7 7 8 8 S S", [("stairs", 2, 9), ("stairs", 3, 9)]),
        ("7 7 K K S S", []),
        ("1 1 1 1 2 2 2 2", [("stairs", 2, 3)]),
        ("1 1 1 2 2 S", [("stairs", 2, 3)]),
        ("4 S", [("set", 1, 5)]),
        ("4 S S", [("set", 1, 5), ("run", 3, 5), ("run", 3, 6), ("run", 3, 7)]),
        ("K S S", [("set", 1, 10)]),
        ("0 S S", [("set", 1, 1), ("run", 3, 3)]),
        ("S", [("single", 1, strength) for strength in range(11)]),
        ("S S", []),
        ("", []),
        ("K 8", []),
    ],
)
def test_cards_are_melds(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert readings(text) == expected


def by_assignment(held: int) -> set[Meld]:
    """Returns what cards can be, by trying every card for every ship."""
    ships, found = count_of(held, 0), set()
    real = [strength for strength in strengths_of(held) if strength]
    if not real:
        return {Meld(1, 1, strength) for strength in range(11)} if ships == 1 else set()
    for stand_for in product(range(1, 11), repeat=ships):
        counts = Counter([*real, *stand_for])
        low, high, widths = min(counts), max(counts), set(counts.values())
        length = len(counts)
        if len(widths) > 1 or high - low + 1 != length or (length > 1 and high == 10):
            continue
        (width,) = widths
        if length == 1 or length >= (3 if width <= 2 else 2):
            found.add(Meld(counts.total(), length, high))
    return found


@pytest.mark.rule("NI4.2", "NI4.3", "NI4.4", "NI4.5", "NI4.6")
@given(
    st.lists(st.tuples(st.integers(1, 10), st.integers(1, 4)), max_size=5, unique_by=lambda pair: pair[0]),
    st.integers(0, 2),
)
def test_ships_stand_for_every_card_that_makes_a_meld(groups: list[tuple[int, int]], ships: int) -> None:
    held = sum([count * ONE[strength] for strength, count in groups]) + ships
    melds = melds_of(held)
    assert len(set(melds)) == len(melds)
    assert set(melds) == by_assignment(held)


@pytest.mark.rule("NI4.2", "NI4.3", "NI4.6")
@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 4), st.integers(0, 2), st.randoms())
def test_every_run_of_sets_is_found_however_ships_stand_in_it(
    low: int, length: int, width: int, ships: int, chance: random.Random
) -> None:
    faces = [strength for strength in range(low, min(low + length, 10)) for _ in range(width)]
    for place in chance.sample(range(len(faces)), min(ships, len(faces))):
        faces[place] = 0
    held = cards_of(faces)
    assert set(melds_of(held)) == by_assignment(held)


# ---- what beats what -----------------------------------------------------------------------------------------------


@pytest.mark.rule("NI6.1", "NI6.2", "NI6.3", "NI6.4")
@pytest.mark.parametrize(
    ("newest", "better", "beats"),
    [
        ("single 4", "single 5", True),
        ("single 4", "single 4", False),
        ("single 4", "single S as 5", True),
        ("single 4", "single S", False),
        ("single S", "single 0", True),
        ("single 8", "single K", True),
        ("single K", "single S as K", False),
        ("single 4", "set 5 5", False),
        ("set 4 4", "set 5 5", True),
        ("set 4 4", "single 8", False),
        ("run 3 4 5", "run 4 5 6", True),
        ("run 3 4 5", "run 3 4 5", False),
        ("run 3 4 5", "run 5 6 7 8", False),
        ("run 3 4 5 6", "run 6 7 8", False),
        ("stairs 1 1 2 2 3 3", "stairs 2 2 3 3 4 4", True),
        ("stairs 1 1 2 2 3 3", "stairs 4 4 4 5 5 5", False),
        ("stairs 1 1 2 2 3 3", "run 3 4 5 6 7 8", False),
        ("run 3 4 5", "set 0 0 0", True),
        ("single K", "set 0 0 0", True),
        ("set K K", "set 0 S S", True),
        ("stairs 6 6 7 7 8 8", "set 0 0 0", True),
        ("set 4 4 4", "set 5 5 5", True),
        ("set 4 4 4", "set 4 4 S", False),
        ("set 4 4 4", "set 3 3 3", False),
        ("set 4 4 4", "set 0 0 0 0", True),
        ("set 4 4 4 4", "set K K K", False),
        ("set 4 4 4", "stairs 6 6 6 7 7 7", False),
        ("set 4 4 4", "run 6 7 8", False),
        ("set 4 4 4", "single K", False),
        ("set 4 4 4", "set K K", False),
    ],
)
def test_a_meld_beats_another(newest: str, better: str, beats: bool) -> None:
    assert meld(better).beats(meld(newest)) == beats
    if "S" not in newest + better:
        held = better.partition(" ")[2]
        assert (better in legal(holding([f"{held} 0", "K"], newest=newest))) == beats


@pytest.mark.rule("NI6.4")
def test_a_meld_counts_as_what_was_said() -> None:
    hand = "4 5 6 7 7 7 8"
    assert "run 4 5 6" in legal(holding([hand, "K"], newest="run S 3 4 as 3-5"))
    assert "run 4 5 6" not in legal(holding([hand, "K"], newest="run S 5 6 as 5-7"))
    assert "run 5 6 7" in legal(holding([hand, "K"], newest="run S S 4 as 4-6"))
    assert "run 5 6 7" not in legal(holding([hand, "K"], newest="set S S 4"))


# ---- legal moves ---------------------------------------------------------------------------------------------------


def every_part(held: int) -> list[int]:
    """Returns every choice of some cards."""
    counts = [range(count_of(held, strength) + 1) for strength in range(11)]
    return [sum([n * unit for n, unit in zip(chosen, ONE, strict=True)]) for chosen in product(*counts)]


def in_order(lays: list[Lay]) -> list[Lay]:
    return sorted(lays, key=lambda lay: (strengths_of(lay.cards), lay.strength, lay.length))


@pytest.mark.rule("NI10.1", "NI10.2", "NI2.3", "NI6.1", "NI6.2", "NI6.3")
@pytest.mark.parametrize("seed", range(40))
def test_the_list_has_every_meld_once_and_in_order(seed: int) -> None:
    chance = random.Random(seed)
    # From a part of the deck, so that runs of sets are not rare.
    places = [place for place in range(48) if seed % 2 or STRENGTH_OF_BIT[place] in {0, *range(2, 2 + seed % 7)}]
    held = cards_of([STRENGTH_OF_BIT[place] for place in chance.sample(places, min(len(places), 12))])
    lays = [
        Lay(part, listed_meld.length, listed_meld.strength)
        for part in every_part(held)
        for listed_meld in melds_of(part)
    ]
    newest = chance.sample(sorted({lay.meld for lay in lays}), min(len({lay.meld for lay in lays}), 25))
    for target in (None, *newest):
        found = lays_on(held, *(target or (0, 0, 0)))
        for form, group in zip(FORMS, found, strict=True):
            wanted = [lay for lay in lays if lay.meld.form == form and (target is None or lay.meld.beats(target))]
            assert list(group) == in_order(wanted), f"{form} of {text_of(held)} on {target}"
    values, ships = held & deck.VALUES, held & deck.SHIPS
    assert has_stairs(values, ships) == any(lay.meld.form == "stairs" for lay in lays)


@pytest.mark.rule("NI2.3")
def test_no_move_stands_twice_because_the_deck_has_two_colours() -> None:
    assert legal(holding(["1 1 K K", "5"])) == ["single 1", "single K", "set 1 1", "set K K"]


@pytest.mark.rule("NI7.3", "NI10.4")
def test_names_are_every_choice_of_strengths() -> None:
    for number in range(1, 5):
        masks = [sum([1 << strength for strength in chosen]) for chosen in combinations(range(11), number)]
        assert [name.strengths for name in NAMES[number]] == masks  # type: ignore[union-attr]  # all are names


@pytest.mark.rule("NI7.5", "NI10.4")
@given(some_cards, st.integers(1, 4))
def test_takes_are_every_choice_of_cards_of_the_pile(pile: int, number: int) -> None:
    chosen = sorted(set(combinations(strengths_of(pile), min(number, size_of(pile)))))
    expected = [Take(cards_of(choice)) for choice in chosen] if pile else []
    assert list(takes_of(pile, number)) == expected


def test_the_letters_are_those_of_the_deck() -> None:
    assert text_of(sum(ONE)) == " ".join(STRENGTH_LETTERS)
    assert cards(text_of(DECK)) == DECK
