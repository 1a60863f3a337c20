"""Layouts and moves of Nerts: docs/rules/nerts.md, NE1 to NE5 and NE10."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from fudaba_games.game import IllegalMove, MalformedMove
from fudaba_games.nerts import fits, is_red
from fudaba_games.nerts.cards import CARD_TEXTS
from fudaba_games.nerts.rules import NERTS
from fudaba_games.nerts.state import NertsState
from fudaba_games.nerts.values import (
    BUILDS,
    CALL,
    FLIP,
    FOUNDS,
    RECYCLE,
    SHIFTS,
    TUCKS,
    WAIT,
    Build,
    Built,
    Dealt,
    Flip,
    Flipped,
    Found,
    Founded,
    NertsMove,
    Recycled,
    Saw,
    Shift,
    Shifted,
    Tucked,
)
from fudaba_games.shuffle import shuffled
from tests.support.games.nerts.positions import Cards, cards, dealt, holding, legal, names, play, refused, tick, works


@pytest.mark.rule("NE2.1", "NE3.1", "NE3.2")
def test_each_seat_has_a_shuffled_deck_of_its_own() -> None:
    seed = bytes([7]) * 32
    state, events = NERTS.new_match(4, NERTS.resolve_options({}), seed)
    for seat, layout in enumerate(state.layouts):
        deck = bytes(shuffled(list(range(52)), seed, 0, seat))
        assert layout.nerts == deck[:13]
        assert layout.work_piles == [deck[13:14], deck[14:15], deck[15:16], deck[16:17]]
        assert (layout.stock, layout.waste) == (deck[17:], b"")
        assert len(layout.stock) == 35
        seen = NERTS.view(state, None).seats[seat]
        assert (seen.nerts_size, seen.nerts_top, seen.waste_top) == (13, deck[12], -1)
    (dealt_event,) = [shown.event for shown in events]
    assert isinstance(dealt_event, Dealt)
    assert dealt_event.work_cards[4:8] == tuple(shuffled(list(range(52)), seed, 0, 1)[13:17])


@pytest.mark.rule("NE2.2", "NE2.3")
def test_cards_have_texts_ranks_and_colours() -> None:
    assert CARD_TEXTS[:14] == ("AC", "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC", "AD")
    assert CARD_TEXTS[51] == "KS"
    assert {CARD_TEXTS[card][1] for card in range(52) if is_red(card)} == {"D", "H"}


@pytest.mark.rule("NE5.2")
@pytest.mark.parametrize(
    ("card", "onto", "right"),
    [("6H", "7S", True), ("TC", "JD", True), ("6H", "7D", False), ("6H", "8S", False), ("7S", "6H", False),
     ("KH", "AS", False), ("AS", "2D", True), ("QH", "KC", True)],
)  # fmt: skip
def test_a_card_goes_onto_one_that_is_one_higher_and_of_the_other_colour(card: str, onto: str, right: bool) -> None:
    assert fits(cards(card)[0], cards(onto)[0]) is right
    state = holding(Cards(nerts=card, works=f"{onto} | KD | KH | 9S"), Cards())
    assert ("build nerts 0" in legal(state)) is right
    if not right:
        assert refused(state, "build nerts 0") == "DOES_NOT_FIT"


@pytest.mark.rule("NE1.1", "NE5.2", "NE3.3")
def test_the_top_of_the_nerts_pile_or_the_waste_is_built_and_the_next_comes_up() -> None:
    state = holding(Cards(nerts="3C 6H", works="7S | 7C | - | KS", waste="9D 6D"), Cards())
    assert [text for text in legal(state) if text.startswith("build")] == [
        "build waste 0", "build waste 1", "build waste 2", "build nerts 0", "build nerts 1", "build nerts 2",
    ]  # fmt: skip
    (event,) = tick(state, "build nerts 1")
    assert event == Built(0, 0, cards("6H")[0], 1, cards("3C")[0])
    assert NERTS.view(state, 1).seats[0].nerts_top == cards("3C")[0]
    assert tick(state, "build waste 2") == [Built(0, 1, cards("6D")[0], 2, cards("9D")[0])]
    assert works(state) == "7S | 7C 6H | 6D | KS"
    assert refused(state, "build waste 3") == "DOES_NOT_FIT"


def test_a_source_or_a_pile_that_is_not_there_is_refused() -> None:
    state = holding(Cards(nerts=""), Cards())
    assert refused(state, "build nerts 0") == refused(state, "found waste 0") == "SOURCE_EMPTY"
    for source in (-1, 6, 1 << 60):
        with pytest.raises(IllegalMove, match="there is no source"):
            NERTS.check(state, 0, Found(source, 0))
    for source in (-1, 6):
        with pytest.raises(IllegalMove, match="there is no source"):
            NERTS.check(state, 0, Build(source, 0))
    for start, work in ((4, 0), (-1, 0), (0, 9)):
        with pytest.raises(IllegalMove, match="there is no work pile"):
            NERTS.check(state, 0, Shift(start, 1, work))


def test_who_builds_from_a_work_pile_is_told_that_its_cards_move_with_shift() -> None:
    state = holding(Cards(works="6H | 7S | KH | 9S"), Cards())
    for source in (2, 5):
        with pytest.raises(IllegalMove, match=f"source {source} is work pile {source - 2}, .* `shift`") as refusal:
            NERTS.check(state, 0, Build(source, 1))
        assert refusal.value.rule == "NOT_FROM_A_WORK_PILE"


@pytest.mark.rule("NE4.1")
def test_three_cards_are_turned_and_the_last_is_on_top() -> None:
    state = holding(Cards(stock="2D 3D 4D 5D", waste="9S"), Cards())
    assert tick(state, "flip") == [Flipped(0, 3, cards("4D")[0]), Saw(0, tuple(cards("2D 3D 4D")))]
    assert (names(state.layouts[0].waste), names(state.layouts[0].stock)) == ("9S 2D 3D 4D", "5D")


@pytest.mark.rule("NE4.2", "NE4.3")
def test_what_is_left_is_turned_together_and_then_the_waste_is_the_stock() -> None:
    state = holding(Cards(stock="2D 3D 4D 5D 6D"), Cards())
    tick(state, "flip")
    assert refused(state, "recycle") == "STOCK_NOT_EMPTY"
    assert tick(state, "flip")[0] == Flipped(0, 2, cards("6D")[0])
    assert refused(state, "flip") == "STOCK_EMPTY"
    assert legal(state)[:2] == ["wait", "recycle"]
    assert tick(state, "recycle") == [Recycled(0)]
    assert (names(state.layouts[0].stock), names(state.layouts[0].waste)) == ("2D 3D 4D 5D 6D", "")
    tick(state, "flip")
    assert names(state.layouts[0].waste) == "2D 3D 4D"
    empty = holding(Cards(), Cards())
    assert refused(empty, "recycle") == "WASTE_EMPTY"
    assert refused(empty, "flip") == "STOCK_EMPTY"


@pytest.mark.rule("NE5.1")
def test_an_ace_starts_a_foundation_and_others_follow_in_suit() -> None:
    state = holding(
        Cards(nerts="4S AS", works="6H | 9S 2D | AC | KS", waste="5C 6S"), Cards(), foundations=("5S", "AD")
    )
    assert [text for text in legal(state) if text.startswith("found")] == [
        "found work2 2", "found work1 1", "found nerts 2", "found waste 0",
    ]  # fmt: skip
    assert tick(state, "found waste 0") == [Founded(0, 1, cards("6S")[0], 0, cards("5C")[0])]
    assert tick(state, "found work1 1") == [Founded(0, 3, cards("2D")[0], 1, -1)]
    assert tick(state, "found nerts 2") == [Founded(0, 0, cards("AS")[0], 2, cards("4S")[0])]
    assert [(suit, len(owners)) for suit, owners in NERTS.view(state, None).foundations] == [(3, 6), (1, 2), (3, 1)]
    assert NERTS.view(state, None).seats[0].founded == 3


@pytest.mark.rule("NE5.1")
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("found nerts 1", "DOES_NOT_FOLLOW"),
        ("found nerts 2", "ONLY_AN_ACE_STARTS"),
        ("found nerts 3", "NO_SUCH_FOUNDATION"),
        ("found waste 0", "ACE_STARTS_A_FOUNDATION"),
        ("found waste 1", "ACE_STARTS_A_FOUNDATION"),
        ("found work0 0", "DOES_NOT_FOLLOW"),
        ("found work1 0", "DOES_NOT_FOLLOW"),
    ],
)
def test_what_does_not_follow_is_refused(text: str, rule: str) -> None:
    state = holding(Cards(nerts="6S", works="5S | 7S | KH | KD", waste="AS"), Cards(), foundations=("5S", "5D"))
    assert "found nerts 0" in legal(state)
    assert refused(state, text) == rule


@pytest.mark.rule("NE5.1", "NE5.5")
def test_a_foundation_is_everybodys_and_gives_nothing_back() -> None:
    state = holding(Cards(nerts="2S"), Cards(nerts="5H AS"))
    tick(state, "wait", "found nerts 0")
    tick(state, "found nerts 0")
    assert NERTS.view(state, None).foundations[0].owners == (0b10, 0b01)
    assert all("foundation" not in text for text in legal(state))
    assert [layout.founded for layout in state.layouts] == [1, 1]


@pytest.mark.rule("NE5.1")
def test_a_nine_of_spades_goes_onto_an_eight_of_spades() -> None:
    state = holding(Cards(nerts="9S"), Cards(), foundations=("8S", "8C", "7S"))
    assert [text for text in legal(state) if text.startswith("found")] == ["found nerts 0"]
    assert tick(state, "found nerts 0") == [Founded(0, 0, cards("9S")[0], 0, -1)]


@pytest.mark.rule("NE5.6")
def test_a_complete_foundation_is_set_aside_and_keeps_its_id() -> None:
    state = holding(Cards(nerts="AD KS", works="9C | 9D | 9H | 9S"), Cards(), foundations=("QS", "4C"))
    tick(state, "found nerts 0")
    assert len(NERTS.view(state, None).foundations[0].owners) == 13
    assert "found nerts 2" in legal(state)
    assert not any(accepted & 1 for accepted in state.accept)


@pytest.mark.rule("NE5.3")
def test_a_block_moves_as_its_first_card_would() -> None:
    state = holding(Cards(works="9D 8S 7H | 8C | 9H | TC"), Cards())
    assert [text for text in legal(state) if text.startswith("shift")] == [
        "shift 1 1 2", "shift 0 3 3", "shift 0 1 1", "shift 2 1 3", "shift 0 2 2",
    ]  # fmt: skip
    assert tick(state, "shift 0 2 2") == [Shifted(0, 0, 2, 2)]
    assert works(state) == "9D | 8C | 9H 8S 7H | TC"
    tick(state, "shift 2 3 3")
    assert works(state) == "9D | 8C | - | TC 9H 8S 7H"


@pytest.mark.rule("NE5.3")
def test_a_whole_pile_does_not_move_to_an_empty_one() -> None:
    state = holding(Cards(works="9D 8S 7H | - | KH | KC"), Cards())
    assert [text for text in legal(state) if text.startswith("shift")] == ["shift 0 1 1", "shift 0 2 1"]
    assert refused(state, "shift 0 3 1") == refused(state, "shift 2 1 1") == "PILE_TO_EMPTY"
    assert refused(state, "shift 0 4 2") == refused(state, "shift 1 1 2") == "NO_SUCH_BLOCK"
    assert refused(state, "shift 0 1 0") == "SAME_PILE"
    assert refused(state, "shift 0 1 2") == "DOES_NOT_FIT"


@pytest.mark.rule("NE5.4", "NE3.3")
def test_the_nerts_top_slides_under_a_pile_while_another_is_empty() -> None:
    state = holding(Cards(nerts="3C QS", works="JH TC | - | JD | JC"), Cards())
    assert [text for text in legal(state) if text.startswith("tuck")] == ["tuck 0", "tuck 2"]
    assert refused(state, "tuck 3") == "DOES_NOT_FIT"
    assert refused(state, "tuck 1") == "NOTHING_TO_TUCK_UNDER"
    assert tick(state, "tuck 0") == [Tucked(0, cards("QS")[0], 0, cards("3C")[0])]
    assert works(state) == "QS JH TC | - | JD | JC"
    full = holding(Cards(nerts="QS", works="JH TC | 2S | JD | JC"), Cards())
    assert refused(full, "tuck 0") == "NO_EMPTY_PILE"
    nothing = holding(Cards(nerts="", works="JH TC | - | JD | JC"), Cards())
    assert refused(nothing, "tuck 0") == "SOURCE_EMPTY"


@pytest.mark.rule("NE10.1", "NE10.3")
@pytest.mark.parametrize(
    "text",
    ["found", "found nerts", "found work4 0", "found work0 16", "found nerts -1", "build work0 1", "build nerts 4",
     "shift 0 0 1", "shift 0 14 1", "shift 4 1 0", "shift 0 1", "tuck", "tuck 4", "tuck 0 0", "nerts now", "wait 1",
     "call"],
)  # fmt: skip
def test_a_text_that_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(MalformedMove, match=r"for example|alone|is not a move of Nerts"):
        NERTS.text.parse_move(text)


@pytest.mark.rule("NE10.1", "NE10.2", "NE6.5")
def test_legal_moves_come_by_kind_then_by_card_then_by_where_it_goes() -> None:
    state = holding(
        Cards(nerts="AD QH", works="JC TH | - | KS | JS 9D", waste="AH", stock="2C"), Cards(), foundations=("8D", "8D")
    )
    assert legal(state) == [
        "wait", "flip", "found work3 0", "found work3 1", "found waste 2", "build waste 1", "build nerts 1",
        "build nerts 2", "shift 3 1 1", "shift 0 1 1", "tuck 0", "tuck 3",
    ]  # fmt: skip
    assert NERTS.text.move_kind(NERTS.legal_moves(state, 0)[0]) == "wait"


@pytest.mark.rule("NE5.1", "NE5.2", "NE5.3", "NE5.4", "NE10.2")
@pytest.mark.parametrize("seats", [2, 4])
def test_the_legal_moves_are_all_that_are_accepted(seats: int) -> None:
    moves: set[NertsMove] = {WAIT, FLIP, RECYCLE, CALL, *TUCKS}
    moves.update(*FOUNDS, *BUILDS, *[by_work for by_count in SHIFTS for by_work in by_count])
    chance = random.Random(seats)
    kinds: Counter[str] = Counter()
    for seed in range(12):
        state = dealt(seats, seed=seed, target=0)
        for number in range(300):
            seat = NERTS.decisions(state)[0].seat
            legal_ones = list(NERTS.legal_moves(state, seat))
            if number % 8 == 0 or TUCKS[0] in legal_ones:
                assert {move for move in moves if accepted(state, seat, move)} == set(legal_ones)
                kinds.update([NERTS.text.move_kind(move) for move in legal_ones])
            NERTS.advance(state, seat, chance.choice(legal_ones))
            if not NERTS.decisions(state):
                break
    assert {"flip", "recycle", "found", "build", "shift", "tuck"} <= set(kinds)


def accepted(state: NertsState, seat: int, move: NertsMove) -> bool:
    """Returns whether `check` lets a move pass."""
    try:
        NERTS.check(state, seat, move)
    except IllegalMove:
        return False
    return True


def test_equal_moves_are_the_same_whoever_made_them() -> None:
    state = holding(Cards(stock="2D 3D 4D"), Cards())
    NERTS.advance(state, 0, Flip())
    NERTS.advance(state, 1, NERTS.text.parse_move("wait"))
    assert names(state.layouts[0].waste) == "2D 3D 4D"
    assert play(state, 0, "recycle") == []
