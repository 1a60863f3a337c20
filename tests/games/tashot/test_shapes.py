"""What wins in Tashot, and what it pays: docs/rules/tashot.md, TA1, TA6 and TA7, sentence by sentence."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from fudaba_games.kamikisen.cards import DECK_SIZE, settled
from fudaba_games.kamikisen.melds import RUN, SET, melds_of
from fudaba_games.tashot.rules import MAX_BONUS_POINTS, MAX_FINISH_POINTS, TASHOT
from fudaba_games.tashot.shapes import Points, Shape, all_cards, marked_by, payments, points_of, shape_of
from fudaba_games.tashot.values import NOBODY, DealEnded, Dealt, Won
from tests.support.games.tashot.positions import card, cards, do, holding, open_meld, view

PLAIN = Shape(six_in_row=False, four=False)
FOUR = Shape(six_in_row=False, four=True)
IN_ROW = Shape(six_in_row=True, four=False)


# ---- which cards win -----------------------------------------------------------------------------------------------


@pytest.mark.rule("TA1.1", "TA1.2", "TA1.3", "TA1.4")
@pytest.mark.parametrize(
    ("hand", "shape"),
    [
        ("r3 b3 r5 b5 rK bT", PLAIN),
        ("r3 r3 b3 b3 r5 b5", FOUR),
        ("r1 r1 r1 r1 b1 b1", FOUR),
        ("r3 b3 b3 r5 r5 b5", PLAIN),
        ("r3 b3 b3 r4 r5 r6", PLAIN),
        ("r0 r1 r2 b4 b5 b6", PLAIN),
        ("r0 r1 r2 b3 b4 b5", IN_ROW),
        ("b3 b4 b5 r6 r7 r8", IN_ROW),
        ("r3 r4 r5 r3 r4 r5", PLAIN),
        ("rS r3 r5 b5 rK bT", PLAIN),
        ("rS bS r5 b5 rK bT", FOUR),
        ("rS bS r5 b5 rK b8", PLAIN),
        ("rS bS r5 b5 r8 rK", PLAIN),
        ("rS bS r5 b6 r8 rK", None),
        ("rS r3 b3 b3 r5 b5", FOUR),
        ("rS r3 r4 b5 b6 b7", IN_ROW),
        ("rS r3 r5 b5 b6 b7", PLAIN),
        ("rS r3 r4 b6 b7 b8", IN_ROW),
        ("rS r3 r5 bS b6 b8", IN_ROW),
        ("rS r3 r4 bS b6 b7", IN_ROW),
        ("bS r3 r4 b5 b6 b7", None),
        ("r3 b4 r5 b6 b7 b8", None),
        ("r7 r8 rK b1 b2 b3", None),
        ("r0 r1 rS b1 b2 b3", PLAIN),
        ("rS r7 r8 b3 b4 b5", IN_ROW),
        ("r3 r3 b3 b3 r5 b6", None),
        ("r1 r1 r1 r1 b1 r5", None),
        ("rK rT bK bT r5 b5", FOUR),
        ("rK rT bK bT rS bS", FOUR),
        ("r3 b3 r5 b5 rK", None),
    ],
)
def test_six_cards_win_in_three_shapes(hand: str, shape: Shape | None) -> None:
    assert shape_of(cards(hand), None) == shape


@pytest.mark.rule("TA1.3", "TA6.6")
@pytest.mark.parametrize(
    ("meld", "hand", "shape"),
    [
        ("r3 r4 r5", "b6 b7 b8", IN_ROW),
        ("r3 r4 r5", "b0 b1 b2", IN_ROW),
        ("r3 r4 r5", "b5 b6 b7", PLAIN),
        ("r3 r4 r5", "b6 r6 b6", PLAIN),
        ("r3 r4 r5", "b6 r6", None),
        ("rS r3 r4 as 5", "b6 b7 b8", IN_ROW),
        ("rS r3 r4 as 4", "b6 b7 b8", PLAIN),
        ("rS r3 r4 as 4", "bS b5 b6", IN_ROW),
        ("r3 b3 b3", "r4 r5 r6", PLAIN),
        ("r3 b3 b3", "r5 b5 b5", PLAIN),
        ("r3 b3 b3", "r3 r5 b5", None),
        ("r3 r3 b3 b3", "r5 b5", PLAIN),
        ("r3 r3 b3 b3", "bS b5", PLAIN),
        ("r3 r3 b3 b3", "rS bS", None),
        ("r3 r3 b3 b3", "r5 b6", None),
    ],
)
def test_an_open_meld_is_read_as_it_was_laid(meld: str, hand: str, shape: Shape | None) -> None:
    assert shape_of(cards(hand), open_meld(0, meld)) == shape


def slow_shape(hand: int) -> Shape | None:
    """As `shape_of`, by trying every way to part six cards."""
    bits = [1 << bit for bit in range(DECK_SIZE) if hand >> bit & 1]

    def forms(part: tuple[int, ...]) -> list[tuple[int, int]]:
        return [(meld.form, meld.strength) for meld in melds_of(settled(sum(part)))]

    def rest(*parts: tuple[int, ...]) -> tuple[int, ...]:
        return tuple([bit for bit in bits if all(bit not in part for part in parts)])

    found: set[Shape] = set()
    for three in combinations(bits, 3):
        for first_form in forms(three):
            for other in forms(rest(three)):
                found.add(Shape(first_form[0] == other[0] == RUN and abs(first_form[1] - other[1]) == 3, four=False))
    for two in combinations(bits, 2):
        if forms(two):
            found |= {FOUR for form, _ in forms(rest(two)) if form == SET}
            for more in combinations(rest(two), 2):
                if forms(more) and forms(rest(two, more)):
                    found.add(PLAIN)
    assert not {FOUR, IN_ROW} <= found, "no six cards have both"
    return max(found, default=None)


@pytest.mark.rule("TA1.3", "TA6.6")
@pytest.mark.exhaustive
def test_every_way_to_part_the_cards_is_found() -> None:
    chance = random.Random("shapes")
    seen = set()
    for _ in range(4000):
        # Few different cards, so that many hands win; ships more often than in life.
        few = chance.sample(range(DECK_SIZE), chance.choice([9, 12, 18, 48]))
        if chance.random() < 0.4:
            few = sorted({0, 24, *few})
        hand = settled(sum([1 << place for place in chance.sample(few, 6)]))
        shape = shape_of(hand, None)
        assert shape == slow_shape(hand)
        seen.add(shape)
    assert seen == {None, PLAIN, FOUR, IN_ROW}


# ---- points --------------------------------------------------------------------------------------------------------


def points(hand: str, *, lights: str = "", first_round: bool = False, meld: str = "") -> Points:
    shape = shape_of(cards(hand), open_meld(0, meld))
    assert shape is not None
    six = all_cards(cards(hand), open_meld(0, meld))
    return points_of(shape, six, [card(light) for light in lights.split()], first_round)


@pytest.mark.rule("TA6.1", "TA6.8")
@pytest.mark.parametrize(
    ("hand", "first_round", "finish"),
    [
        ("r3 b3 b3 r5 r5 b5", False, 2),
        ("r3 r3 r5 r5 r7 r7", False, 3),
        ("rS r3 r5 r5 r7 r7", False, 3),
        ("bS r3 r5 r5 r7 r7", False, 2),
        ("r0 r1 r2 b3 b4 b5", False, 3),
        ("r0 r1 r2 r3 r4 r5", False, 4),
        ("r3 b3 b3 r5 r5 b5", True, 5),
        ("r0 r1 r2 r3 r4 r5", True, 7),
    ],
)
def test_finishing_is_worth_two_and_more(hand: str, first_round: bool, finish: int) -> None:
    assert points(hand, first_round=first_round).finish == finish


@pytest.mark.rule("TA6.2", "TA7.2", "TA7.3")
@pytest.mark.parametrize(
    ("hand", "lights", "kings", "lit"),
    [
        ("r3 b3 r5 b5 rK bT", "", 2, 0),
        ("rK rT bK bT r5 b5", "r6", 4, 0),
        ("rK rS r5 b5 b7 r7", "", 1, 0),
        ("r3 b3 r5 b5 r7 b7", "b3", 0, 2),
        ("r3 r3 r5 b5 r7 b7", "b3", 0, 2),
        ("rS r3 r5 b5 r7 b7", "b3", 0, 1),
        ("r3 b3 r5 b5 r7 b7", "b3 r5", 0, 4),
        ("r3 b3 r5 b5 r7 b7", "r3 b3", 0, 4),
        ("r3 b3 r5 b5 rK bT", "bK", 2, 2),
        ("r3 b3 r5 b5 rK bK", "rT bT", 2, 4),
        ("rS r3 r5 b5 r7 b7", "bS", 0, 0),
        ("r1 r1 r1 b1 b1 b1", "r1 b1", 0, 12),
    ],
)
def test_the_bonus_is_for_real_kings_and_for_real_cards_of_a_light(
    hand: str, lights: str, kings: int, lit: int
) -> None:
    found = points(hand, lights=lights)
    assert (found.kings, found.lit) == (kings, lit)
    assert found.bonus == kings + lit <= MAX_BONUS_POINTS


@pytest.mark.rule("TA7.2")
def test_a_light_marks_its_kind_in_both_colours() -> None:
    assert marked_by(card("r7")) == marked_by(card("b7")) == cards("r7 r7 b7 b7")
    assert marked_by(card("rK")) == marked_by(card("bT")) == cards("rK rT bK bT")
    assert marked_by(card("rS")) == 0


@pytest.mark.rule("TA6.2")
def test_the_cards_of_an_open_meld_count_too() -> None:
    assert points("b6 b7 b8", meld="r6 r7 r8", lights="r7") == Points(False, False, False, False, 0, 2)
    assert points("r5 b5", meld="rK rT bK bT") == Points(False, False, False, False, 4, 0)


PLAIN_POINTS = Points(False, False, False, False, 0, 0)


@pytest.mark.rule("TA6.3", "TA6.4", "TA6.5")
@pytest.mark.parametrize(
    ("winner_points", "winner", "source", "dealer", "multiplier", "scores"),
    [
        (PLAIN_POINTS, 1, NOBODY, 0, 2, (-4, 8, -2, -2)),
        (PLAIN_POINTS, 0, NOBODY, 0, 3, (18, -6, -6, -6)),
        (PLAIN_POINTS, 1, 0, 0, 2, (-4, 4, 0, 0)),
        (PLAIN_POINTS, 1, 2, 0, 2, (0, 2, -2, 0)),
        (PLAIN_POINTS, 1, 2, 1, 2, (0, 4, -4, 0)),
        (PLAIN_POINTS._replace(kings=1, lit=2), 1, NOBODY, 0, 2, (-7, 17, -5, -5)),
        (PLAIN_POINTS._replace(kings=1, lit=2), 1, 0, 0, 2, (-7, 7, 0, 0)),
        (PLAIN_POINTS._replace(four=True), 1, 2, 0, 2, (-1, 5, -3, -1)),
        (PLAIN_POINTS._replace(six_in_row=True), 1, NOBODY, 0, 2, (-6, 12, -3, -3)),
        (PLAIN_POINTS._replace(six_in_row=True), 1, 0, 0, 2, (-6, 6, 0, 0)),
    ],
)
def test_who_pays_what(
    winner_points: Points, winner: int, source: int, dealer: int, multiplier: int, scores: tuple[int, ...]
) -> None:
    assert payments(winner_points, winner, source, 4, dealer, multiplier) == scores


# ---- wins in play --------------------------------------------------------------------------------------------------


@pytest.mark.rule("TA6.3", "TA6.4")
def test_the_example_of_the_page() -> None:
    state = holding("r5 b0 b0 b2 rK bT", "r3 r4 b6 b7 b8", "r0 r0 b4 b4 b3", lights="bS", stock="r1 r7 r7")
    events = do(state, "discard r5", "win")
    assert events[1] == Won(1, 0, cards("r3 r4 r5 b6 b7 b8"), card("r1"), False, True, False, False, 0, 0)
    assert events[2] == DealEnded(1, (-6, 6, 0))
    state = holding("b0 b0 b2 rK bT", "r3 r4 r5 b6 b7 b8", "r0 r0 b4 b4 b3", turn=1, lights="bS", stock="r1 r7 r7")
    assert do(state, "win")[1] == DealEnded(1, (-6, 9, -3))


@pytest.mark.rule("TA6.5", "TA6.6")
def test_a_set_of_four_first_shown_is_paid_by_everyone_also_on_a_discard() -> None:
    state = holding("r5 b0 b0 b2 rK bT", "r3 r3 b3 b3 b5", "r0 r0 b4 b4 b1", lights="bS", stock="rS")
    assert do(state, "discard r5", "win")[2] == DealEnded(1, (-5, 6, -1))


@pytest.mark.rule("TA6.6")
def test_a_set_of_four_that_lies_open_is_not_paid_again() -> None:
    state = holding("r3 r3 b3 b3 r5 b5", "r0 r0 b4 b4 b1", lights="bS", stock="rS", multiplier=3)
    do(state, "four r3 r3 b3 b3")
    assert view(state).paid == (1, -1)
    events = do(state, "win")
    assert events[0] == Won(0, NOBODY, cards("r3 r3 b3 b3 r5 b5"), card("rS"), False, False, False, False, 0, 0)
    assert events[1] == DealEnded(0, (7, -7))


@pytest.mark.rule("TA7.1", "TA7.3")
def test_at_a_win_a_second_light_is_turned_up() -> None:
    state = holding("r3 b3 r5 b5 r7 b7", "r0 r0 b4 b4 b1", lights="r3", stock="b3 r8")
    events = do(state, "win")
    assert events[0] == Won(0, NOBODY, cards("r3 b3 r5 b5 r7 b7"), card("b3"), False, False, False, False, 0, 4)
    assert view(state).lights == (card("r3"), card("b3"))
    assert view(state).stock == 1


@pytest.mark.rule("TA7.1")
def test_an_empty_stock_gives_no_second_light() -> None:
    state = holding("r3 b3 r5 b5 r7 b7", "r0 r0 b4 b4 b1", lights="r3", stock="")
    assert do(state, "win")[0] == Won(0, -1, cards("r3 b3 r5 b5 r7 b7"), -1, False, False, False, False, 0, 2)


@pytest.mark.rule("TA7.4", "TA8.5")
def test_without_lights_nothing_is_turned_up() -> None:
    state = holding("r3 b3 r5 b5 r7 b7", "r0 r0 b4 b4 b1", stock="b3 r8", lights="")
    state.lights = False
    assert do(state, "win")[0] == Won(0, -1, cards("r3 b3 r5 b5 r7 b7"), -1, False, False, False, False, 0, 0)
    shown = TASHOT.new_match(3, TASHOT.resolve_options({"lights": False}), bytes(32))[1]
    assert isinstance(shown[0].event, Dealt)
    assert shown[0].event.light == -1


@pytest.mark.rule("TA8.6")
def test_nothing_is_worth_more_than_what_giving_up_supposes() -> None:
    assert points("r0 r1 r2 r3 r4 r5", first_round=True).finish == MAX_FINISH_POINTS
    assert points("r1 r1 r1 b1 b1 b1", lights="r1 b1").bonus == MAX_BONUS_POINTS
