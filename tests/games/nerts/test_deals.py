"""Ticks, standstills, scores and matches of Nerts: docs/rules/nerts.md, NE6 to NE9."""

from __future__ import annotations

import pytest

from fudaba_games.game import BadOption, Decision
from fudaba_games.nerts.rules import NERTS
from fudaba_games.nerts.scoring import deal_scores, match_scores, most_that_is_lost
from fudaba_games.nerts.values import BY_CALL, BY_LIMIT, BY_STANDSTILL, Called, DealEnded, Founded, StocksTurned
from tests.support.games.nerts.positions import Cards, cards, dealt, holding, legal, names, play, refused, tick


@pytest.mark.rule("NE1.2", "NE6.1")
def test_every_seat_owes_a_move_and_none_is_shown_before_all_are_there() -> None:
    state = dealt(3)
    assert NERTS.decisions(state) == (Decision(0), Decision(1), Decision(2))
    assert play(state, 1, "flip") == []
    assert NERTS.decisions(state) == (Decision(0), Decision(2))
    assert state.layouts[1].waste == b""
    assert play(state, 0, "wait") == []
    assert [type(event).__name__ for event in play(state, 2, "flip")] == ["Flipped", "Saw", "Flipped", "Saw"]
    assert len(NERTS.decisions(state)) == 3
    assert NERTS.view(state, None).tick == 1


@pytest.mark.rule("NE6.1", "NE6.5")
def test_waiting_is_what_a_late_seat_does() -> None:
    assert all(legal(dealt(4), seat)[0] == "wait" for seat in range(4))


@pytest.mark.rule("NE6.2")
def test_moves_of_a_tick_are_judged_against_the_state_at_its_start() -> None:
    state = holding(Cards(nerts="6S"), Cards(nerts="7S"), foundations=("5S",))
    play(state, 0, "found nerts 0")
    assert refused(state, "found nerts 0", seat=1) == "DOES_NOT_FOLLOW"
    play(state, 1, "wait")
    assert "found nerts 0" in legal(state, 1)


@pytest.mark.rule("NE6.3")
def test_the_same_card_on_the_same_foundation_in_one_tick_all_of_them_stay() -> None:
    state = holding(
        Cards(nerts="6S", waste="7S"), Cards(waste="6S"), Cards(nerts="7S"), Cards(works="6S | - | - | -"),
        foundations=("5S", "5S"),
    )  # fmt: skip
    events = tick(state, "found nerts 0", "found waste 0", "wait", "found work0 1")
    assert [(event.seat, event.foundation) for event in events if isinstance(event, Founded)] == [
        (0, 0),
        (1, 0),
        (3, 1),
    ]
    foundations = NERTS.view(state, None).foundations
    assert foundations[0].owners == (1, 1, 1, 1, 1, 0b0011)
    assert foundations[1].owners[5:] == (0b1000,)
    assert [layout.founded for layout in state.layouts] == [1, 1, 0, 1]
    assert [text for text in legal(state, 2) if "found" in text] == ["found nerts 0", "found nerts 1"]
    tick(state, "found waste 0")
    assert NERTS.view(state, None).foundations[0].owners[5:] == (0b0011, 0b0001)


@pytest.mark.rule("NE6.4")
def test_foundations_that_are_started_in_one_tick_get_their_ids_in_the_order_of_the_seats() -> None:
    state = holding(Cards(nerts="AS"), Cards(nerts="2S"), Cards(waste="AS"), Cards(nerts="AD"), foundations=("KC",))
    play(state, 3, "found nerts 1")
    play(state, 2, "found waste 1")
    play(state, 1, "wait")
    events = play(state, 0, "found nerts 1")
    assert [(event.seat, event.foundation) for event in events if isinstance(event, Founded)] == [
        (0, 1),
        (2, 2),
        (3, 3),
    ]
    assert [(foundation.suit, foundation.owners) for foundation in NERTS.view(state, None).foundations[1:]] == [
        (3, (0b0001,)), (3, (0b0100,)), (1, (0b1000,)),
    ]  # fmt: skip
    assert [text for text in legal(state, 1) if "found" in text] == ["found nerts 1", "found nerts 2"]


@pytest.mark.rule("NE7.1", "NE7.2")
def test_when_every_seat_waits_every_stock_is_made_whole_and_its_top_card_goes_to_the_bottom() -> None:
    state = holding(Cards(stock="2D 3D 4D", waste="9S 8S"), Cards(waste="5H 6H 7H"), Cards())
    assert tick(state) == [StocksTurned(1)]
    assert [names(layout.stock) for layout in state.layouts] == ["3D 4D 9S 8S 2D", "6H 7H 5H", ""]
    assert [layout.waste for layout in state.layouts] == [b"", b"", b""]
    assert NERTS.view(state, None).stock_turns == 1
    assert not any(isinstance(event, StocksTurned) for event in tick(state, "wait", "flip")), "not everybody waited"


@pytest.mark.rule("NE7.3")
def test_three_turns_in_a_row_end_the_deal() -> None:
    state = holding(Cards(stock="2D 3D 4D"), Cards())
    assert tick(state) == [StocksTurned(1)]
    tick(state, "flip")
    assert tick(state) == [StocksTurned(2)]
    turned, ended = tick(state)
    assert turned == StocksTurned(3)
    assert isinstance(ended, DealEnded)
    assert (ended.cause, ended.nerts_sizes, ended.scores) == (BY_STANDSTILL, (1, 1), (-2, -2))
    assert NERTS.decisions(state) == ()


@pytest.mark.rule("NE7.3")
@pytest.mark.parametrize("text", ["found nerts 0", "build nerts 0", "tuck 1"])
def test_a_found_a_build_or_a_tuck_begins_the_row_anew(text: str) -> None:
    state = holding(Cards(nerts="9D 2C", works="- | AD | KH | KS"), Cards(), foundations=("AC",))
    tick(state)
    tick(state)
    tick(state, text)
    assert (state.stock_turns, state.idle) == (0, 0)
    assert [tick(state), tick(state)] == [[StocksTurned(1)], [StocksTurned(2)]]


@pytest.mark.rule("NE7.4")
def test_sixty_ticks_without_a_found_build_or_tuck_count_as_everybody_waiting() -> None:
    state = holding(Cards(stock="2D 3D 4D", works="8C 7D | 8S | - | KS"), Cards(nerts="9D 2C"), foundations=("AC",))
    back_and_forth = ("shift 0 1 1", "shift 1 1 0")
    for number in range(59):
        assert not any(isinstance(event, StocksTurned) for event in tick(state, back_and_forth[number % 2]))
    assert state.idle == 59
    tick(state, "wait", "found nerts 0")
    assert state.idle == 0
    for number in range(59):
        tick(state, ("flip", "recycle")[number % 2])
    assert tick(state, "recycle")[-1] == StocksTurned(1)
    assert state.idle == 0
    for number in range(60):
        events = tick(state, ("flip", "recycle")[number % 2])
    assert events[-1] == StocksTurned(2)


@pytest.mark.rule("NE7.5")
def test_a_deal_ends_after_two_thousand_ticks() -> None:
    state = holding(Cards(stock="2D 3D 4D"), Cards(nerts="9D 2C"), foundations=("AC",))
    state.tick = 1998
    tick(state, "flip")
    assert state.tick == 1999
    (_, ended) = tick(state, "wait", "found nerts 0")
    assert isinstance(ended, DealEnded)
    assert (ended.cause, ended.founded, ended.nerts_sizes, ended.scores) == (BY_LIMIT, (0, 1), (1, 1), (-2, -1))


@pytest.mark.rule("NE8.1", "NE8.2")
def test_a_call_ends_the_deal_after_the_other_moves_of_its_tick() -> None:
    state = holding(Cards(nerts=""), Cards(nerts="9D 2C"), Cards(nerts=""), foundations=("AC",))
    assert refused(state, "nerts", seat=1) == "NERTS_PILE_NOT_EMPTY"
    assert legal(state)[-1] == "nerts"
    tick(state)  # nobody has to call
    called = tick(state, "nerts", "found nerts 0", "nerts")
    assert called[1:3] == [Called(0), Called(2)]
    ended = called[3]
    assert isinstance(ended, DealEnded)
    assert (ended.cause, ended.founded, ended.nerts_sizes, ended.scores) == (BY_CALL, (0, 1, 0), (0, 1, 0), (0, -1, 0))


@pytest.mark.rule("NE8.1", "NE8.3")
def test_who_has_no_nerts_pile_may_play_on_and_who_calls_need_not_score_best() -> None:
    state = holding(Cards(nerts="", waste="2C"), Cards(nerts="5C 4C 3C"), foundations=("AC",))
    tick(state, "found waste 0")
    tick(state, "wait", "found nerts 0")
    tick(state, "wait", "found nerts 0")
    tick(state, "wait", "found nerts 0")
    ended = tick(state, "nerts")[-1]
    assert isinstance(ended, DealEnded)
    assert ended.scores == (1, 3)
    assert NERTS.outcome(state) is not None
    assert deal_scores((20, 5, 0), (0, 3, 13)) == (20, -1, -26)


@pytest.mark.rule("NE9.1")
def test_deals_are_played_until_a_total_is_over_the_target() -> None:
    state = dealt(2, target=10)
    state.scores = (10, -3)
    state.layouts[0].nerts = b""
    tick(state, "nerts")
    assert (state.scores, state.deal, state.over) == ((10, -29), 1, False), "10 is not over 10"
    assert names(state.layouts[0].nerts) != ""
    state.layouts[0].nerts = b""
    state.layouts[0].founded = 1
    tick(state, "nerts")
    assert state.over
    outcome = NERTS.outcome(state)
    assert outcome is not None
    assert outcome.scores == (66, -66)
    single = dealt(2, target=0)
    single.layouts[1].nerts = b""
    tick(single, "wait", "nerts")
    assert single.over


@pytest.mark.rule("NE9.2", "NE9.1")
def test_a_match_has_no_more_deals_than_the_option_says() -> None:
    state = dealt(2, max_deals=2)
    for number in range(2):
        assert (state.deal, state.over) == (number, False)
        for _ in range(3):
            tick(state)
    assert state.over
    usual = NERTS.resolve_options({})
    assert (usual["target"], usual["max_deals"]) == (100, 30)
    for bad in ({"target": -1}, {"target": 1001}, {"max_deals": 0}, {"max_deals": 100}):
        with pytest.raises(BadOption):
            NERTS.resolve_options(bad)


@pytest.mark.rule("NE9.3", "NE9.4")
@pytest.mark.parametrize(
    ("totals", "scores"),
    [
        ((104, 60, -20), (168, -44, -124)),
        ((5, 5), (0, 0)),
        ((101, 101, 90), (5, 5, -10)),
        ((101, 96, 101, 101), (1, -3, 1, 1)),
        ((-4, -9), (5, -5)),
    ],
)
def test_the_winner_gets_the_differences(totals: tuple[int, ...], scores: tuple[int, ...]) -> None:
    assert match_scores(totals) == scores


@pytest.mark.rule("NE9.5")
def test_giving_up_costs_the_most_that_could_still_be_lost() -> None:
    assert most_that_is_lost((0, 0), 0, 0, 1) == 52 + 26
    assert most_that_is_lost((50, 90, 20), 0, 100, 10) == (100 + 52) - (50 - 260)
    assert most_that_is_lost((50, -90, -20), 0, 100, 2) == (-20 + 104) - (50 - 52)
    state = dealt(4, target=0)
    assert NERTS.forfeit(state, 1).scores == (26, -78, 26, 26)
    state = dealt(3, max_deals=2)
    state.scores = (1, 0, 0)
    assert NERTS.forfeit(state, 2).scores == (79, 79, -158), "157, of which each gets half, rounded up"


def test_seats_see_a_tick_even_if_it_is_only_cards() -> None:
    state = holding(Cards(nerts="9D 2C"), Cards(), foundations=("AC",))
    (event,) = tick(state, "found nerts 0")
    assert event == Founded(0, 0, cards("2C")[0], 0, cards("9D")[0])
