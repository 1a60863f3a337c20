"""Texts of Niekhi: docs/rules/niekhi.md, NI10."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba_games.game import MalformedMove
from fudaba_games.niekhi.cards import mask_of
from fudaba_games.niekhi.rules import NIEKHI
from fudaba_games.niekhi.values import (
    Cleared,
    DealEnded,
    Dealt,
    Decline,
    Declined,
    Laid,
    Lay,
    Name,
    Named,
    NiekhiEvent,
    NiekhiMove,
    Pass,
    Passed,
    Received,
    Take,
    Took,
)
from tests.support.games.niekhi.positions import cards, do, holding, legal, view

WORDS = (
    "pass", "single", "set", "run", "stairs", "decline", "name", "take", "as", "2-4",
    "S", "0", "1", "2", "3", "4", "8", "K",
)  # fmt: skip


@pytest.mark.rule("NI10.2", "NI10.3", "NI10.4", "NI10.1")
@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("pass", Pass()),
        ("single 7", Lay(cards("7"), 1, 8)),
        ("single S", Lay(cards("S"), 1, 0)),
        ("single S as K", Lay(cards("S"), 1, 10)),
        ("set 3 3 3", Lay(cards("3 3 3"), 1, 4)),
        ("set S S 4", Lay(cards("S S 4"), 1, 5)),
        ("run 3 4 5", Lay(cards("3 4 5"), 3, 6)),
        ("run S S 4 as 2-4", Lay(cards("S S 4"), 3, 5)),
        ("run S 3 4 as 3-5", Lay(cards("S 3 4"), 3, 6)),
        ("run S 3 5", Lay(cards("S 3 5"), 3, 6)),
        ("stairs 1 1 2 2 3 3", Lay(cards("1 1 2 2 3 3"), 3, 4)),
        ("stairs S S 1 1 2 2 as 1-2", Lay(cards("S S 1 1 2 2"), 2, 3)),
        ("stairs S S 1 1 2 2 as 0-2", Lay(cards("S S 1 1 2 2"), 3, 3)),
        ("decline", Decline()),
        ("name 1 7", Name(mask_of([2, 8]))),
        ("take S 8 8", Take(cards("S 8 8"))),
    ],
)
def test_every_move_has_one_text(text: str, move: NiekhiMove) -> None:
    assert NIEKHI.text.parse_move(text) == move
    assert NIEKHI.text.format_move(move) == text
    assert text.split(maxsplit=1)[0] == NIEKHI.text.move_kind(move)


@pytest.mark.rule("NI10.2", "NI10.3")
def test_cards_may_come_in_any_order_and_a_reading_may_be_said_where_there_is_one_only() -> None:
    assert NIEKHI.text.parse_move("  run\t5 S 3\n") == NIEKHI.text.parse_move("run S 3 5 as 3-5")
    assert NIEKHI.text.parse_move("single S as S") == NIEKHI.text.parse_move("single S")
    assert NIEKHI.text.parse_move("name 7 1") == NIEKHI.text.parse_move("name 1 7")


@pytest.mark.rule("NI10.1", "NI10.2", "NI10.3")
def test_legal_moves_come_in_the_order_of_the_page() -> None:
    assert legal(holding(["S 1 2 2 3", "K"], newest="single 0")) == [
        "pass", *[f"single S as {strength}" for strength in "12345678K"],
        "single 1", "single 2", "single 3", "set S 2 2",
    ]  # fmt: skip
    assert legal(holding(["S 1 2 2 3", "K"]))[14:] == [
        "set S 1", "set S 2", "set S 2 2", "set S 3", "set 2 2",
        "run S 1 2 as 0-2", "run S 1 2 as 1-3", "run S 1 2 3 as 0-3", "run S 1 2 3 as 1-4", "run S 1 3",
        "run S 2 3 as 1-3", "run S 2 3 as 2-4", "run 1 2 3",
    ]  # fmt: skip


@pytest.mark.rule("NI10.4")
def test_declining_comes_before_names_and_cards_of_the_pile() -> None:
    state = holding(["8 8 0", "3 4"], pile="S 1 1 2")
    do(state, "set 8 8")
    texts = legal(state)
    assert texts[:4] == ["decline", "name S 0", "name S 1", "name S 2"]
    assert texts[55:] == ["name 8 K", "take S 1", "take S 2", "take 1 1", "take 1 2"]


@pytest.mark.rule("NI10.5")
@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "the move is empty; write `pass`"),
        ("lay 3", "'lay' is not a move of Niekhi; write `pass`"),
        ("Pass", "is not a move of Niekhi"),
        ("pass now", "`pass` stands alone"),
        ("decline now", "`decline` stands alone"),
        ("single", "no card does not fit single: that is one card"),
        ("single 3 4", "3 4 does not fit single"),
        ("single 9", "'9' is not a strength"),
        ("single r7", "'r7' is not a strength"),
        ("single T", "'T' is not a strength"),
        ("set 3", "3 does not fit set: that is two or more cards"),
        ("set S S", "S S does not fit set"),
        ("set 3 3 3 3 3", "the deck has only 4 of 3, not 5"),
        ("run 3 4", "3 4 does not fit run: that is three or more cards 0-8 in a row"),
        ("run 7 8 K", "7 8 K does not fit run"),
        ("run S 3 4", "say what S 3 4 counts as, with `as` and one of 2-4, 3-5"),
        ("run S 3 4 as 4-6", "these cards do not count as '4-6'; they can be 2-4, 3-5"),
        ("run S 3 4 as", "after `as` one word says what the cards count as"),
        ("run S 3 4 as 3 5", "after `as` one word says what the cards count as"),
        ("single 3 as 4", "these cards do not count as '4'; they can be 3"),
        ("stairs 1 1 2 2", "1 1 2 2 does not fit stairs: that is a run of equal sets"),
        ("stairs S S 1 1 2 2", "with `as` and one of 1-2, 0-2, 1-3"),
        ("name", "`name` takes strengths, for example `name 1 7`"),
        ("name 1 1", "1 is named twice"),
        ("take", "`take` takes cards of the discard pile"),
        ("take S S S", "the deck has only 2 of S, not 3"),
        ("single " + "S" * 3000, "is not a strength"),
    ],
)
def test_what_is_no_move_is_refused_with_advice(text: str, advice: str) -> None:
    with pytest.raises(MalformedMove) as refused:
        NIEKHI.text.parse_move(text)
    assert advice in str(refused.value)
    assert len(str(refused.value)) < 250


@pytest.mark.rule("NI10.5")
@given(
    st.one_of(
        st.text(),
        st.lists(st.sampled_from(WORDS)).map(" ".join),
    )
)
def test_any_text_is_a_move_or_malformed(text: str) -> None:
    try:
        move = NIEKHI.text.parse_move(text)
    except MalformedMove:
        return
    assert NIEKHI.text.parse_move(NIEKHI.text.format_move(move)) == move


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (Dealt(0, 3, 12), "Deal 1, seat 3 deals: 12 cards for each."),
        (Received(2, cards("K S 1 1")), "Seat 2 draws S 1 1 K."),
        (Laid(2, cards("3 4 5"), 3, 6), "Seat 2 lays 3 4 5."),
        (Laid(2, cards("S S 4"), 1, 5), "Seat 2 lays S S 4 as 4."),
        (Laid(2, cards("S S 4"), 3, 6), "Seat 2 lays S S 4 as 3-5."),
        (Laid(2, cards("S"), 1, 0), "Seat 2 lays S."),
        (Passed(1), "Seat 1 passes."),
        (Cleared(1), "All others have passed: the table is cleared, and seat 1 leads."),
        (Declined(1), "Seat 1 does not use its generals."),
        (
            Named(0, mask_of([2, 8]), cards("1 1 7"), (0, 2, 0, 1)),
            "Seat 0 names 1 7: 1 1 7 leave the game; seat 1 loses 2, seat 3 loses 1.",
        ),
        (Named(0, mask_of([2]), 0, (0, 0)), "Seat 0 names 1: no card leaves the game."),
        (Named(0, mask_of([2]), cards("1"), (0, 1)), "Seat 0 names 1: 1 leaves the game; seat 1 loses 1."),
        (
            Named(0, mask_of([2]), cards("1 1"), (1, 1)),
            "Seat 0 names 1: 1 1 leave the game; seat 0 loses 1, seat 1 loses 1.",
        ),
        (Named(0, mask_of([3]), cards("2 2 2 2"), (0, 4)), "Seat 0 names 2: 2 2 2 2 leave the game; seat 1 loses 4."),
        (Took(0, cards("S 8")), "Seat 0 takes S 8 from the discard pile."),
        (DealEnded((1,), (3, 0, 2), (-1, 2, -1)), "Seat 1 wins the deal. Cards left: 3 0 2."),
        (DealEnded((1, 2), (3, 0, 0), (-2, 1, 1)), "Seats 1, 2 share the deal. Cards left: 3 0 0."),
    ],
)
def test_an_event_is_one_line(event: NiekhiEvent, line: str) -> None:
    assert NIEKHI.text.describe_event(event) == line


def test_a_view_is_a_table() -> None:
    state = holding(["8 8 0 3", "4 4 8", "5 5"], pile="3 3 6 7")
    assert NIEKHI.text.render_view(view(state)).splitlines()[0] == "Deal 1, seat 0 deals: turn 1, seat 0 leads."
    do(state, "set 8 8")
    assert NIEKHI.text.render_view(view(state)).splitlines()[0] == "Deal 1, seat 0 deals: seat 0 has laid 2 generals."
    do(state, "take 3 6", "pass", "pass", "single 0", "single 8")
    assert NIEKHI.text.render_view(view(state)).splitlines()[0] == "Deal 1, seat 0 deals: seat 1 has laid a general."
    do(state, "name S")
    state.removed = cards("1 1")
    assert NIEKHI.text.render_view(view(state, 2)).splitlines() == [
        "Deal 1, seat 0 deals: turn 6, seat 2 lays or passes.",
        "table: 0: 0, 1: 8",
        "pile: 3 7 8 8",
        "named: S; out of the game: 1 1",
        "  seat 0: score +0, 3 cards, holds 3 6",
        "  seat 1: score +0, 2 cards",
        "> seat 2: score +0, 2 cards",
        "hand: 5 5",
    ]
    assert "hand" not in NIEKHI.text.render_view(view(state))


def test_a_view_says_that_the_match_is_over() -> None:
    state = holding(["3", "4"])
    do(state, "single 3")
    assert NIEKHI.text.render_view(view(state)).splitlines() == [
        "Deal 1, seat 0 deals: the match is over.",
        "table: 0: 3",
        "  seat 0: score +1, 0 cards",
        "  seat 1: score -1, 1 card",
    ]
