"""Naga's texts: docs/rules/naga.md, N2.2 and N11."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba_games.cards import mask_of
from fudaba_games.game import MalformedMove
from fudaba_games.naga.cards import CARD_TEXTS, DECK, cards_of, text_of
from fudaba_games.naga.moves import Commitments
from fudaba_games.naga.rules import NAGA
from fudaba_games.naga.values import (
    Battled,
    Commit,
    DealEnded,
    Dealt,
    Designate,
    Designated,
    NagaEvent,
    NagaMove,
    Received,
)
from tests.support.games.naga.positions import cards, dealt, default_battles, designate


@pytest.mark.rule("N2.2")
def test_a_cards_text_is_its_attribute_and_number() -> None:
    assert [CARD_TEXTS[number] for number in (0, 6, 7, 14, 21, 28, 35, 42, 48, 49, 50)] == (
        ["D1", "D7", "L1", "F1", "W1", "A1", "T1", "E1", "E7", "MI", "MC"]
    )
    assert text_of(cards("MC D7 A1")) == "D7 A1 MC"


@pytest.mark.rule("N11.1", "N11.2", "G4.5")
@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("designate 3", Designate(3)),
        ("designate 4", Designate(4)),
        ("commit D7 A1 T3", Commit(cards("D7 A1 T3"))),
        ("commit D7 MI", Commit(cards("D7 MI"))),
    ],
)
def test_a_text_is_a_move_and_the_move_has_that_text(text: str, move: Designate | Commit) -> None:
    assert NAGA.text.parse_move(text) == move
    assert NAGA.text.format_move(move) == text


@pytest.mark.rule("N11.2")
def test_cards_may_come_in_any_order_and_spacing() -> None:
    assert NAGA.text.parse_move("  commit\tT3 D7\n A1 ") == NAGA.text.parse_move("commit D7 A1 T3")


@pytest.mark.rule("N11.3")
@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "the move is empty; write `designate`"),
        ("   ", "the move is empty"),
        ("pass", "'pass' is not a move of Naga; write `designate`"),
        ("Designate 3", "is not a move of Naga"),
        ("designate", "takes one place, 1 to 7"),
        ("designate 0", "takes one place, 1 to 7"),
        ("designate 8", "takes one place, 1 to 7"),
        ("designate 03", "takes one place, 1 to 7"),
        ("designate ３", "takes one place, 1 to 7"),
        ("designate -1", "takes one place, 1 to 7"),
        ("designate 3 4", "takes one place, 1 to 7"),
        ("designate Kuto", "takes one place, 1 to 7"),
        ("commit", "`commit` takes cards, for example"),
        ("commit D8", "'D8' is not a card of the Naga deck; write an attribute"),
        ("commit d7", "'d7' is not a card"),
        ("commit 7D", "'7D' is not a card"),
        ("commit D7,A1,T3", "'D7,A1,T3' is not a card"),
        ("commit D7 A1 D7", "D7 is named twice; name each card once"),
        ("commit " + "D" * 3000, "is not a card of the Naga deck"),
    ],
)
def test_what_is_no_move_is_refused_with_advice(text: str, advice: str) -> None:
    with pytest.raises(MalformedMove) as refused:
        NAGA.text.parse_move(text)
    assert advice in str(refused.value)
    assert len(str(refused.value)) < 250


@pytest.mark.rule("N11.3")
@given(st.one_of(st.text(), st.text("designatecommit 0123456789DLFWATEMIC-\n")))
@pytest.mark.exhaustive
def test_any_text_is_a_move_or_malformed(text: str) -> None:
    try:
        move = NAGA.text.parse_move(text)
    except MalformedMove:
        return
    assert NAGA.text.parse_move(NAGA.text.format_move(move)) == move


@given(st.integers(0, DECK))
def test_masks_and_lists_of_cards_are_the_same_cards(mask: int) -> None:
    assert mask_of(cards_of(mask)) == mask
    assert cards_of(mask) == sorted(cards_of(mask))
    assert cards(text_of(mask)) == mask


def test_commitments_are_a_sequence_like_a_list() -> None:
    moves: Sequence[NagaMove] = Commitments(cards("D1 D3 A2 MI MC"), 3)
    as_list = list(moves)
    assert [moves[index] for index in range(-10, 10)] == as_list + as_list
    assert moves[2:5] == as_list[2:5]
    assert moves[::-1] == as_list[::-1]
    assert as_list[3] in moves
    assert moves.index(as_list[7]) == 7
    assert Designate(1) not in moves
    for index in (10, -11):
        with pytest.raises(IndexError):
            moves[index]


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (Received(1, cards("D7 MI")), "Seat 1 draws D7 MI."),
        (Designated(0, 3), "Seat 0 designates Avoria."),
        (
            Battled(1, (cards("F2 A2 D2"), cards("A6 T6 E6")), cards("L7"), 0),
            "Battle for Kuto: D2 F2 A2 against A6 T6 E6; seat 0 takes L7.",
        ),
        (
            Battled(4, (cards("F2 A2"), cards("T6 E6")), cards("L7 D1 D2"), None),
            "Battle for Eltam: F2 A2 against T6 E6; nobody takes D1 D2 L7.",
        ),
        (DealEnded((5, 2), (1, -1)), "The deal goes to seat 0, 5 table cards to 2."),
        (DealEnded((2, 4), (-1, 1)), "The deal goes to seat 1, 2 table cards to 4."),
        (DealEnded((3, 3), (0, 0)), "The deal is drawn, 3 table cards to 3."),
        (
            Dealt(0, 1, (0, 1, 2, 4, 8 + 16 + 32, 64, 128, 256)),
            "Deal 1, seat 1 deals. Kuto D1, Onotoa D2, Avoria D3, Eltam D4 D5 D6, Siritas D7, Cheres L1, Eil L2.",
        ),
    ],
)
def test_an_event_is_one_line(event: NagaEvent, line: str) -> None:
    assert NAGA.text.describe_event(event) == line


def test_a_view_is_a_table() -> None:
    state = dealt()
    assert NAGA.text.render_view(NAGA.view(state, 1)).splitlines()[0] == (
        "Deal 1, battle 1: seat 1 designates a place. Seat 0 deals, 32 in stock."
    )
    designate(state, 2)
    NAGA.apply(state, 1, NAGA.legal_moves(state, 1)[0])
    lines = NAGA.text.render_view(NAGA.view(state, 1)).splitlines()
    hand = text_of(state.hands[1])
    assert lines == [
        "Deal 1, battle 1: the battle is for Onotoa. Seat 0 deals, 32 in stock.",
        "  place      trump  cards",
        f"  1 Kuto     dark   {text_of(state.layout[1])}",
        f"> 2 Onotoa   fire   {text_of(state.layout[2])}",
        f"  3 Avoria   wood   {text_of(state.layout[3])}",
        f"  4 Eltam    water  {text_of(state.layout[4])}",
        f"  5 Siritas  earth  {text_of(state.layout[5])}",
        f"  6 Cheres   light  {text_of(state.layout[6])}",
        f"  7 Eil      wind   {text_of(state.layout[7])}",
        "seat 0: score +0, won 0: -",
        "seat 1: score +0, won 0: -",
        f"hand: {hand}, committed {' '.join(hand.split()[:3])}",
    ]
    default_battles(state, 1)
    assert "  2 Onotoa   fire   -" in NAGA.text.render_view(NAGA.view(state, None)).splitlines()
    assert "hand" not in NAGA.text.render_view(NAGA.view(state, None))


def test_a_view_of_a_match_that_is_over_says_so() -> None:
    state = dealt(deals=1)
    while NAGA.decisions(state):
        assert "the match is over" not in NAGA.text.render_view(NAGA.view(state, None))
        seat = NAGA.decisions(state)[0].seat
        NAGA.apply(state, seat, NAGA.legal_moves(state, seat)[0])
    assert ": the match is over. Seat" in NAGA.text.render_view(NAGA.view(state, None)).splitlines()[0]
