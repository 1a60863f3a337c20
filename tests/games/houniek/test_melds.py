"""The order of cards, melds and what may be laid in Houniek: docs/rules/houniek.md, HO2 to HO4 and HO6."""

from __future__ import annotations

from itertools import product

import pytest

from fudaba_games.game import IllegalMove
from fudaba_games.houniek import PLACE_LETTERS, Meld, beats, colours_of, melds_of, outdoes
from fudaba_games.houniek.circle import WILD
from fudaba_games.houniek.rules import HOUNIEK
from fudaba_games.kamikisen.cards import BLACK, DECK, RED
from fudaba_games.kamikisen.choices import parts_of
from fudaba_games.kamikisen.melds import FORM_NAMES, RUN, SET, SINGLE
from fudaba_games.kamikisen.text import text_of
from tests.support.games.houniek.positions import cards, do, holding, legal, turn

CIRCLE = "12345678KTS"


def readings(text: str) -> list[str]:
    """Returns what cards can be: the type and the foot."""
    return [f"{FORM_NAMES[meld.form]} {PLACE_LETTERS[meld.foot]}" for meld in melds_of(cards(text))]


def named(move: str) -> str:
    """Returns the cards of a move's text."""
    return move.partition(" ")[2].partition(" foot ")[0]


def refused(text: str, newest: str) -> str:
    """Returns why a meld may not be laid on another; empty where it may be. Both seats hold an emperor more."""
    state = holding(f"{named(newest)} bT", f"{named(text)} rT")
    do(state, newest)
    try:
        HOUNIEK.check(state, turn(state), HOUNIEK.text.parse_move(text))
    except IllegalMove as error:
        assert text not in legal(state)
        return error.rule
    assert text in legal(state)
    return ""


# ---- the order -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("HO2.1", "HO2.2", "HO2.3", "HO2.4", "HO2.5")
def test_which_kind_beats_which() -> None:
    assert PLACE_LETTERS == CIRCLE
    for place, other in product(range(11), repeat=2):
        first, second = CIRCLE[place], CIRCLE[other]
        if first == "S":
            expected = second == "T"
        elif second == "S":
            expected = first not in "TS"
        else:
            expected = CIRCLE.index(first) > CIRCLE.index(second)
        assert beats(place, other) == expected, f"{first} on {second}"


@pytest.mark.rule("HO2.1", "HO2.2", "HO2.3", "HO2.4", "HO2.5", "HO6.2")
@pytest.mark.parametrize(("newest", "card", "rule"), [
    ("r1", "r2", ""), ("r8", "rK", ""), ("rK", "rT", ""), ("rT", "rK", "TOO_WEAK"), ("r2", "r1", "TOO_WEAK"),
    ("rT", "rS", ""), ("rK", "rS", "TOO_WEAK"), ("r1", "rS", "TOO_WEAK"),
    ("rS", "r1", ""), ("rS", "rK", ""), ("rS", "rT", "TOO_WEAK"), ("r5", "r5", "TOO_WEAK"),
])  # fmt: skip
def test_a_single_is_laid_on_one_that_it_beats(newest: str, card: str, rule: str) -> None:
    state = holding(f"{newest} b1", f"{card} b2")
    do(state, f"single {newest}")
    if rule:
        with pytest.raises(IllegalMove) as error:
            HOUNIEK.check(state, 1, HOUNIEK.text.parse_move(f"single {card}"))
        assert error.value.rule == rule
    assert (f"single {card}" in legal(state)) == (not rule)


# ---- melds ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("HO3.1", "HO3.2", "HO3.4", "HO3.5", "HO4.5")
@pytest.mark.parametrize(("text", "expected"), [
    ("r7", ["single 7"]),
    ("bS", ["single S"]),
    ("r1 b2", ["run 1"]),
    ("r8 bK rT", ["run 8"]),
    ("bK rT", ["run K"]),
    ("bS rT", ["run T"]),
    ("r1 bS", ["run S"]),
    ("r1 r2 bS", ["run S"]),
    ("r1 bS bT", ["run T"]),
    ("rS bS", ["set S"]),
    ("r3 b3", ["set 3"]),
    ("r1 r1 r1 r1 b1 b1 b1 b1", ["set 1"]),
    ("rK bK", ["set K"]),
    ("r1 r3", []),
    ("rK rS", []),
    ("r1 b1 r2", []),
    ("rS r3", []),
    ("rS r3 b3", []),
])  # fmt: skip
def test_what_cards_are(text: str, expected: list[str]) -> None:
    assert readings(text) == expected


@pytest.mark.rule("HO2.1")
def test_king_and_emperor_are_two_kinds() -> None:
    assert readings("rK bT") == ["run K"]
    assert readings("rT bT") == ["set T"]


@pytest.mark.rule("HO3.3")
def test_a_run_goes_around_at_most_once_and_then_begins_anywhere() -> None:
    whole = "r1 b2 r3 b4 r5 b6 r7 b8 rK bT rS"
    assert readings(whole) == [f"run {letter}" for letter in CIRCLE]
    assert readings(f"{whole} b1") == []
    assert readings(f"{whole} r0") == []
    assert readings("b2 r3 b4 r5 b6 r7 b8 rK bT rS") == ["run 2"]


@pytest.mark.rule("HO4.1", "HO4.4")
@pytest.mark.parametrize(("text", "expected"), [
    ("r0 r3", ["run 2", "run 3", "set 3"]),
    ("r0 b0 r3", ["run 1", "run 2", "run 3", "set 3"]),
    ("r0 r3 b3", ["set 3"]),
    ("r0 r3 b5", ["run 3"]),
    ("r0 b0 r3 b5", ["run 2", "run 3"]),
    ("r0 rS", ["run T", "run S", "set S"]),
    ("r0 bT rS", ["run K", "run T"]),
    ("r0 r3 b6", []),
    ("r0 r0 r0 b0 b0 b0 r8", [f"run {letter}" for letter in "2345678"] + ["set 8"]),
])  # fmt: skip
def test_a_none_stands_for_any_kind(text: str, expected: list[str]) -> None:
    assert readings(text) == expected


@pytest.mark.rule("HO4.2")
@pytest.mark.parametrize("text", ["r0 r0", "r0 b0", "r0 r0 r0 b0 b0 b0"])
def test_nones_alone_are_no_run_and_no_set(text: str) -> None:
    assert readings(text) == []
    state = holding(f"{text} r1", "r2")
    assert not [move for move in legal(state) if move in {f"run {text}", f"set {text}"}]


@pytest.mark.rule("HO4.3")
def test_a_single_none_is_any_kind_that_its_owner_names() -> None:
    assert readings("b0") == [f"single {letter}" for letter in CIRCLE]
    state = holding("b0 r5", "r6 r7")
    assert [text for text in legal(state) if text.startswith("single b0")] == [
        f"single b0 foot {letter}" for letter in CIRCLE
    ]
    do(state, "single b0 foot T")
    assert state.foot == PLACE_LETTERS.index("T")


@pytest.mark.rule("HO4.1", "HO6.1")
def test_a_none_keeps_its_colour() -> None:
    assert colours_of(cards("r0")) == RED
    assert colours_of(cards("r0 b0 b0")) == DECK
    assert refused("single b0 foot 8", "single r5") == "NO_COMMON_COLOUR"
    assert refused("single r0 foot 8", "single r5") == ""
    assert refused("set r6 b0", "set b5 b5") == "", "the none is the black card"


def naive_melds(mask: int) -> list[tuple[int, int]]:
    """Form and foot of all that cards can be, by giving every none every kind."""
    kinds = [CIRCLE.find(text[1]) for text in text_of(mask).split()]
    wild = kinds.count(-1)
    real = [kind for kind in kinds if kind >= 0]
    found: set[tuple[int, int]] = set()
    if len(kinds) == 1:
        return [(SINGLE, foot) for foot in (real or range(11))]
    if not real:
        return []
    for chosen in product(range(11), repeat=wild):
        whole = [*real, *chosen]
        if len(set(whole)) == 1:
            found.add((SET, whole[0]))
        for foot in whole:
            if len(whole) <= 11 and sorted(whole) == sorted((foot + step) % 11 for step in range(len(whole))):
                found.add((RUN, foot))
    return sorted(found, key=lambda meld: ((SINGLE, RUN, SET).index(meld[0]), meld[1]))


@pytest.mark.rule("HO3.2", "HO3.3", "HO3.4", "HO3.5", "HO4.1", "HO4.2", "HO4.3", "HO4.4")
@pytest.mark.parametrize(
    "hand", ["r0 b0 r1 b1 r2 b3 bS", "r0 r0 rK bT rS r1 b2", "b0 r5 b5 r6 r7 b8 rK", "r0 b0 b0 rT"]
)
def test_what_cards_are_is_what_trying_every_kind_finds(hand: str) -> None:
    for part in parts_of(cards(hand)):
        if part:
            assert [(meld.form, meld.foot) for meld in melds_of(part)] == naive_melds(part)
    assert cards(hand) & WILD


# ---- what may be laid ----------------------------------------------------------------------------------------------


@pytest.mark.rule("HO6.1", "HO6.2", "HO6.3", "HO5.4")
@pytest.mark.parametrize(("text", "rule"), [
    ("set r2 b2 b2", ""),
    ("set r1 r1 r1 b1", ""),
    ("run r1 r2 r4 b3", ""),
    ("set r0 r2 r2", "NO_COMMON_COLOUR"),
    ("run r1 b2 b3", "OTHER_MELD"),
    ("set r2 r2 b2 b2", "OTHER_FOOT"),
])  # fmt: skip
def test_the_sheets_examples_on_three_black_soldiers(text: str, rule: str) -> None:
    assert refused(text, "set b1 b1 b1") == rule


@pytest.mark.rule("HO2.3", "HO2.4", "HO6.2")
@pytest.mark.parametrize(("text", "newest", "rule"), [
    ("run rS r1 r2", "run rS r1 rT", ""),
    ("run r1 r2 r3", "run rS r1 r2", ""),
    ("run r1 r2 r3", "run rS r1 rT", "TOO_WEAK"),
])  # fmt: skip
def test_the_sheets_examples_of_runs(text: str, newest: str, rule: str) -> None:
    assert refused(text, newest) == rule


@pytest.mark.rule("HO6.1")
def test_one_card_of_one_of_the_newest_melds_colours_is_enough() -> None:
    assert refused("run b3 b4", "run r2 b3") == ""
    assert refused("run r3 r4", "run r2 b3") == ""
    assert refused("run r3 b4", "run b2 b3") == ""
    assert refused("run r3 r4", "run b2 b3") == "NO_COMMON_COLOUR"
    assert colours_of(cards("b2 b3")) == BLACK


@pytest.mark.rule("HO6.3")
@pytest.mark.parametrize(("text", "newest", "rule"), [
    ("set r5 b5", "single r5", ""),
    ("run r5 r6", "single r5", ""),
    ("run r5 r6 r7", "set r5 b5", ""),
    ("set r0 r5 b5", "run r5 r6", ""),
    ("run r6 r7", "single r5", "OTHER_FOOT"),
    ("set r6 b6", "single r5", "OTHER_FOOT"),
    ("single r6", "run r5 b6", "OTHER_MELD"),
    ("run r5 r6", "run r5 b6 r7", "OTHER_MELD"),
    ("set r6 b6", "run r5 r6", "OTHER_MELD"),
    ("run r4 r5 r6", "set r5 b5", "OTHER_FOOT"),
])  # fmt: skip
def test_more_cards_need_the_same_foot_and_no_type(text: str, newest: str, rule: str) -> None:
    assert refused(text, newest) == rule


@pytest.mark.rule("HO4.4", "HO6.2")
def test_the_reading_decides_what_may_be_laid() -> None:
    assert refused("run r0 r3 foot 3", "run r2 b3") == ""
    assert refused("run r0 r3 foot 2", "run r2 b3") == "TOO_WEAK"
    assert refused("set r0 r3", "run r2 b3") == "OTHER_MELD"
    assert refused("set r0 r3", "single r3") == ""
    assert refused("run r0 r3 foot 2", "single r3") == "OTHER_FOOT"


@pytest.mark.rule("HO6.2", "HO6.3")
def test_the_judgement_of_two_melds_is_that_of_the_page() -> None:
    melds = [Meld(form, size, foot) for form in (RUN, SET) for size in (2, 3, 4) for foot in range(11)]
    melds += [Meld(SINGLE, 1, foot) for foot in range(11)]
    for meld, newest in product(melds, repeat=2):
        same = (meld.form, meld.size) == (newest.form, newest.size) and beats(meld.foot, newest.foot)
        more = meld.size > newest.size and meld.foot == newest.foot
        assert outdoes(meld, newest) == (same or more)
