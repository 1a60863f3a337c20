"""Melds of the Kamikisen deck: what cards count as, and which melds a hand has."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fudaba_games.kamikisen.cards import (
    BLACK,
    CARD_OF_BIT,
    HALF_BITS,
    KIND_LETTERS,
    RED,
    STRENGTH_OF_KIND,
    VALUE_OF_KIND,
    cards_of,
    places_of,
    settled,
)
from fudaba_games.kamikisen.dealing import cards_at
from fudaba_games.kamikisen.melds import RUN, SET, SINGLE, Meld, melds_of, runs_in, sets_in
from fudaba_games.kamikisen.text import parse_cards

hands = st.sets(st.integers(0, 47), max_size=8).map(lambda places: cards_at(list(places)))


def cards(text: str) -> int:
    return parse_cards(text.split())


def melds(text: str) -> list[tuple[int, int, int]]:
    return [(meld.form, meld.size, meld.strength) for meld in melds_of(cards(text))]


def by_trying(mask: int) -> set[Meld]:
    """Returns what cards can be: every ship is tried as every card of its colour, by the words of the rulebook."""
    found: set[Meld] = set()
    real = [card for card in cards_of(mask) if card % 12]
    ships = [card for card in cards_of(mask) if not card % 12]
    size = len(real) + len(ships)
    if size == 1 and ships:
        return {Meld(SINGLE, 1, strength) for strength in range(11)}
    if not real:
        return set()
    for stands in product(range(1, 12), repeat=len(ships)):
        whole = [*real, *[ship + kind for ship, kind in zip(ships, stands, strict=True)]]
        strengths = {STRENGTH_OF_KIND[card % 12] for card in whole}
        values = sorted(VALUE_OF_KIND[card % 12] for card in whole)
        if len(strengths) == 1:
            found.add(Meld(SINGLE if size == 1 else SET, size, strengths.pop()))
        one_colour = len({card // 12 for card in whole}) == 1
        if size > 2 and one_colour and values[0] >= 0 and values == list(range(values[0], values[0] + size)):
            found.add(Meld(RUN, size, values[-1] + 1))
    return found


@pytest.mark.rule("K2.1", "K2.2", "K2.3", "K3.1", "K3.2", "K3.4", "K3.5")
@settings(max_examples=40)
@given(hands)
def test_cards_are_read_in_every_way_the_rulebook_allows(mask: int) -> None:
    for size in range(1, 6):
        for some in combinations(places_of(mask), size):
            part = settled(sum(1 << place for place in some))
            readings = melds_of(part)
            assert set(readings) == by_trying(part)
            assert [meld.strength for meld in readings] == sorted({meld.strength for meld in readings})
    assert melds_of(0) == ()


@pytest.mark.rule("K2.1", "K2.2", "K2.3", "K3.1")
@pytest.mark.parametrize(("text", "expected"), [
    ("r7", [(SINGLE, 1, 8)]),
    ("bT", [(SINGLE, 1, 10)]),
    ("rK bT", [(SET, 2, 10)]),
    ("r1 b1 bS", [(SET, 3, 2)]),
    ("rS bS b0", [(SET, 3, 1)]),
    ("r3 r4 r5", [(RUN, 3, 6)]),
    ("r3 rS r5", [(RUN, 3, 6)]),
    ("rS r3 r4", [(RUN, 3, 5), (RUN, 3, 6)]),
    ("bS b0 b1", [(RUN, 3, 3)]),
    ("bS b7 b8", [(RUN, 3, 9)]),
    ("b0 b1 b2 b3 b4 b5 b6 b7 b8", [(RUN, 9, 9)]),
])  # fmt: skip
def test_singles_sets_and_runs(text: str, expected: list[tuple[int, int, int]]) -> None:
    assert melds(text) == expected


@pytest.mark.rule("K2.2", "K2.3", "K3.1", "K3.2", "K3.4")
@pytest.mark.parametrize("text", [
    "", "r1 r2", "r1 b2 r3", "bS r3 r4", "r7 r8 rK", "rK rT rS b8", "rS bS", "r1 r1 r2", "rS r1 r1 r2", "r2 r4",
    "rS r2 r5", "rS bS r3 r4", "bS b0 b1 b2 b3 b4 b5 b6 b7 b8",
])  # fmt: skip
def test_what_is_no_meld(text: str) -> None:
    assert melds(text) == []


@pytest.mark.rule("K3.3")
def test_a_lone_ship_is_itself_or_anything() -> None:
    assert melds("rS") == [(SINGLE, 1, strength) for strength in range(11)]


@pytest.mark.rule("K2.4")
def test_only_the_same_meld_is_beaten_and_only_by_a_stronger_one() -> None:
    run = Meld(RUN, 3, 5)
    assert Meld(RUN, 3, 6).beats(run)
    assert not run.beats(run)
    assert not Meld(RUN, 4, 6).beats(run)
    assert not Meld(SET, 3, 10).beats(run)


@settings(max_examples=40)
@given(hands)
def test_runs_and_sets_of_a_hand_are_all_there_once_and_in_order(mask: int) -> None:
    runs: set[tuple[int, int, int]] = set()
    sets: set[tuple[int, int, int]] = set()
    for size in range(2, 11):
        for some in combinations(places_of(mask), size):
            part = settled(sum(1 << place for place in some))
            for meld in melds_of(part):
                (runs if meld.form == RUN else sets).add((part, meld.size, meld.strength))
    halves = (mask & RED, mask >> HALF_BITS)
    found = [[(run.cards << HALF_BITS * colour, run.size, run.strength) for run in runs_in(half)]
             for colour, half in enumerate(halves)]  # fmt: skip
    for of_colour in found:
        assert of_colour == sorted(of_colour, key=lambda run: (places_of(run[0]), run[2]))
    assert sorted([*found[0], *found[1]]) == sorted(runs)
    in_sets = [(part, part.bit_count(), strength) for strength in range(1, 11) for part in sets_in(mask, strength)]
    assert sorted(in_sets) == sorted(sets)


def test_colours_of_a_run_are_apart() -> None:
    assert not BLACK & RED
    assert [KIND_LETTERS[CARD_OF_BIT[place] % 12] for place in places_of(runs_in(cards("r0 r1 r2"))[0].cards)] == [
        "0", "1", "2",
    ]  # fmt: skip
