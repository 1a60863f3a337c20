"""Napoleon's texts: docs/rules/napoleon.md, P2.2 and P11."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba_games.game import MalformedMove
from fudaba_games.napoleon.cards import CALL_TEXTS, CARD_TEXTS, call_of, number_of, suit_of, text_of
from fudaba_games.napoleon.rules import NAPOLEON
from fudaba_games.napoleon.values import (
    Approve,
    Bid,
    Buried,
    Bury,
    Called,
    DealEnded,
    Dealt,
    Name,
    Named,
    NapoleonEvent,
    NapoleonMove,
    Play,
    Played,
    Received,
    Revealed,
    Stood,
    ThrownIn,
    TrickTaken,
)
from tests.support.games.napoleon.positions import bid_by, cards, dealt, do, in_order, play_trick, tricks_begin, view


@pytest.mark.rule("P2.2")
def test_a_cards_text_is_its_rank_and_suit() -> None:
    assert [CARD_TEXTS[number] for number in (0, 1, 9, 12, 13, 26, 37, 39, 51)] == (
        ["AC", "2C", "TC", "KC", "AD", "AH", "QH", "AS", "KS"]
    )
    assert text_of(cards("AS 2C QH")) == "2C QH AS"


@pytest.mark.rule("P11.1", "P11.2", "P11.3", "P11.4", "G4.5")
@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("approve", Approve()),
        ("bid 13C", Bid(13, 0)),
        ("bid 14S", Bid(14, 3)),
        ("bid 20N", Bid(20, 4)),
        ("bury 2C 3D", Bury(cards("2C 3D"))),
        ("bury AS", Bury(cards("AS"))),
        ("name AS", Name(39)),
        ("play QH", Play(37)),
    ],
)
def test_a_text_is_a_move_and_the_move_has_that_text(text: str, move: NapoleonMove) -> None:
    assert NAPOLEON.text.parse_move(text) == move
    assert NAPOLEON.text.format_move(move) == text
    assert NAPOLEON.text.move_kind(move) == text.split(maxsplit=1)[0]


@pytest.mark.rule("P11.2")
def test_calls_are_numbered_from_the_lowest_bid_to_the_highest() -> None:
    assert CALL_TEXTS[:7] == ("approve", "13C", "13D", "13H", "13S", "13N", "14C")
    assert CALL_TEXTS[40] == "20N"
    for call in range(1, 41):
        assert call_of(number_of(call), suit_of(call)) == call
        assert CALL_TEXTS[call] == f"{number_of(call)}{'CDHSN'[suit_of(call)]}"
    assert (number_of(0), suit_of(0)) == (0, -1)


@pytest.mark.rule("P11.3")
def test_cards_may_come_in_any_order_and_spacing() -> None:
    assert NAPOLEON.text.parse_move("  bury\tAS 2C\n") == NAPOLEON.text.parse_move("bury 2C AS")


@pytest.mark.rule("P11.5")
@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "the move is empty; write `approve`, `bid 14S`"),
        ("pass", "'pass' is not a move of Napoleon; write `approve`"),
        ("Approve", "is not a move of Napoleon"),
        ("approve now", "`approve` stands alone"),
        ("bid", "takes a number 13-20 with a suit"),
        ("bid 14", "takes a number 13-20 with a suit"),
        ("bid 14 S", "takes a number 13-20 with a suit"),
        ("bid 12C", "takes a number 13-20 with a suit"),
        ("bid 21C", "takes a number 13-20 with a suit"),
        ("bid 14s", "takes a number 13-20 with a suit"),
        ("bid １４S", "takes a number 13-20 with a suit"),
        ("bid approve", "takes a number 13-20 with a suit"),
        ("bury", "`bury` takes two cards, for example"),
        ("bury 2C 2C", "2C is named twice; name each card once"),
        ("bury 1C 2C", "'1C' is not a card; write a rank"),
        ("bury 10C 2C", "'10C' is not a card; write a rank"),
        ("name", "`name` takes one card, for example `name AS`"),
        ("name AS KS", "`name` takes one card"),
        ("play", "`play` takes one card, for example `play AS`"),
        ("play as", "'as' is not a card"),
        ("play X1", "'X1' is not a card"),
        ("play " + "S" * 3000, "is not a card"),
    ],
)
def test_what_is_no_move_is_refused_with_advice(text: str, advice: str) -> None:
    with pytest.raises(MalformedMove) as refused:
        NAPOLEON.text.parse_move(text)
    assert advice in str(refused.value)
    assert len(str(refused.value)) < 250


@pytest.mark.rule("P11.5")
@given(st.one_of(st.text(), st.text("approve bid bury name play 0123456789CDHSNATJQK\n")))
def test_any_text_is_a_move_or_malformed(text: str) -> None:
    try:
        move = NAPOLEON.text.parse_move(text)
    except MalformedMove:
        return
    assert NAPOLEON.text.parse_move(NAPOLEON.text.format_move(move)) == move


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (Dealt(0, 3, 0), "Deal 1, seat 3 deals."),
        (Dealt(1, 3, 2), "Deal 2, seat 3 deals again, throw-in 2."),
        (Received(2, cards("AS 2C")), "Seat 2 draws 2C AS."),
        (Called(2, 0), "Seat 2 approves."),
        (Called(2, 9), "Seat 2 bids 14S."),
        (ThrownIn(1), "Everyone approves and nobody has bid: the cards are thrown in."),
        (Stood(4, 14, 4), "Seat 4 is Napoleon with 14 no-trump."),
        (Buried(4), "Seat 4 takes the widow and buries two cards."),
        (Named(4, 39), "Seat 4 names AS."),
        (Played(0, 37), "Seat 0 plays QH."),
        (Revealed(0), "The named card is out: seat 0 held it."),
        (TrickTaken(3, tuple(in_order("KD 2D AS 3D 4D"))), "Seat 3 takes the trick KD 2D AS 3D 4D."),
        (
            DealEnded(0, 3, 14, True, False, cards("2C 3C"), (2, -1, -1, 1, -1)),
            "Napoleon 0 and adjutant 3 took 14 honours and won. Buried: 2C 3C.",
        ),
        (
            DealEnded(0, 3, 12, False, False, cards("2C 3C"), (-2, 1, 1, -1, 1)),
            "Napoleon 0 and adjutant 3 took 12 honours and lost. Buried: 2C 3C.",
        ),
        (
            DealEnded(1, 1, 20, False, True, cards("2C 3C"), (1, -4, 1, 1, 1)),
            "Seat 1 alone took 20 honours, too many, and lost. Buried: 2C 3C.",
        ),
    ],
)
def test_an_event_is_one_line(event: NapoleonEvent, line: str) -> None:
    assert NAPOLEON.text.describe_event(event) == line


def test_a_view_of_the_auction_is_a_table() -> None:
    state = dealt(first_dealer=2)
    assert NAPOLEON.text.render_view(view(state)).splitlines()[:2] == [
        "Deal 1, seat 2 deals: seat 3 speaks.",
        "auction: nobody has spoken",
    ]
    do(state, "approve", "bid 13H")
    lines = NAPOLEON.text.render_view(view(state, 4)).splitlines()
    assert lines[:-1] == [
        "Deal 1, seat 2 deals: seat 0 speaks.",
        "auction: 3 approve, 4 13H",
        "> seat 0: score +0, honours 0",
        "  seat 1: score +0, honours 0",
        "  seat 2: score +0, honours 0",
        "  seat 3: score +0, honours 0",
        "  seat 4: score +0, honours 0",
    ]
    assert lines[-1].startswith("hand: ")
    assert cards(lines[-1].removeprefix("hand: ")) == state.hands[4]


def test_a_view_of_the_exchange_and_the_naming_says_what_is_due() -> None:
    state = dealt()
    bid_by(state, 2, "13C")
    assert NAPOLEON.text.render_view(view(state)).startswith(
        "Deal 1, seat 0 deals: seat 2 has the widow and buries two cards."
    )
    do(state, NAPOLEON.text.format_move(NAPOLEON.legal_moves(state, 2)[0]))
    assert NAPOLEON.text.render_view(view(state)).startswith("Deal 1, seat 0 deals: seat 2 names the adjutant's card.")
    assert "buried" not in NAPOLEON.text.render_view(view(state, 1))
    assert NAPOLEON.text.render_view(view(state, 2)).splitlines()[-1] == f"buried: {text_of(state.buried)}"


def test_a_view_of_the_tricks_is_a_table() -> None:
    state = tricks_begin(
        ["KD 2D", "QD 3D", "TD 4D", "AS 9D", "AD 5D"], napoleon=3, named="AD", trump="clubs", buried="2C 3C"
    )
    state.tricks, state.winners = (), ()
    play_trick(state, "9D AD KD QD")
    assert NAPOLEON.text.render_view(view(state, 2)).splitlines() == [
        "Deal 1, seat 0 deals: trick 1, seat 2 plays.",
        "auction: 1 13C, 2 approve, 3 approve, 4 approve, 0 approve",
        "Napoleon: seat 3, 13 clubs; adjutant: AD, seat 4",
        "trick   0   1   2   3   4   taken by",
        "    1  KD  QD   . *9D  AD",
        "  seat 0: score +0, honours 0",
        "  seat 1: score +0, honours 0",
        "> seat 2: score +0, honours 0",
        "  seat 3: score +0, honours 0 Napoleon",
        "  seat 4: score +0, honours 0 adjutant",
        "hand: 4D TD",
    ]
    play_trick(state, "TD")
    assert NAPOLEON.text.render_view(view(state)).splitlines()[4:6] == [
        "    1  KD  QD  TD *9D  AD   4",
        "    2   .   .   .   .   .",
    ]


def test_a_view_says_that_napoleon_is_alone_and_that_the_match_is_over() -> None:
    state = tricks_begin(["KD", "QD", "TD", "AS", "AD"], named="KD")
    assert NAPOLEON.text.render_view(view(state)).splitlines()[2] == "Napoleon: seat 0, 13 spades; adjutant: KD"
    do(state, "play KD")
    lines = NAPOLEON.text.render_view(view(state)).splitlines()
    assert lines[2] == "Napoleon: seat 0, 13 spades; adjutant: KD, nobody: Napoleon is alone"
    assert "  seat 0: score +0, honours 0 Napoleon" in lines
    play_trick(state, "QD TD AS AD")
    lines = NAPOLEON.text.render_view(view(state)).splitlines()
    assert lines[0] == "Deal 1, seat 0 deals: the match is over."
    assert lines[-1] == "buried: 2C 3C"
