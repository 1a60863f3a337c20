"""Playing Tashot: docs/rules/tashot.md, TA2, TA3 and TA8, sentence by sentence."""

from __future__ import annotations

import random

import pytest

from fudaba_games.game import Outcome
from fudaba_games.kamikisen.cards import CARD_OF_BIT, DECK
from fudaba_games.kamikisen.dealing import deal_hands, shuffled_places
from fudaba_games.kamikisen.melds import SET
from fudaba_games.tashot.rules import TASHOT
from fudaba_games.tashot.shapes import mask_of_card
from fudaba_games.tashot.state import TashotState
from fudaba_games.tashot.values import (
    NOBODY,
    Call,
    DealEnded,
    Dealt,
    Decline,
    Discard,
    Discarded,
    Four,
    Opened,
    Phase,
    Received,
    TashotMove,
    TurnBegan,
    Win,
    Won,
)
from tests.support.games.tashot.positions import asked, card, cards, dealt, do, holding, legal, open_meld, refused, view

# ---- the deal ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("TA2.1", "TA2.2", "TA2.3", "TA3.1")
@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("lights", [True, False])
def test_five_cards_each_a_light_and_the_dealer_draws(seats: int, lights: bool) -> None:
    state = dealt(seats, seed=7, first_dealer=1, lights=lights)
    places = shuffled_places(bytes([7]) * 32, 0, 0)
    rest = [CARD_OF_BIT[place] for place in places[seats * 5 :]]
    assert view(state).lights == ((rest.pop(0),) if lights else ())
    drawn = rest.pop(0)
    hands = deal_hands(places, seats, 1, 5)
    assert [hand.bit_count() for hand in hands] == [5] * seats
    assert view(state).turn == 1
    assert view(state, 1).drawn == drawn
    assert [hand for seat, hand in enumerate(state.hands) if seat != 1] == hands[:1] + hands[2:]
    assert state.hands[1].bit_count() == 6
    assert state.stock == rest[::-1]
    assert view(state).stock == len(rest) == 48 - 5 * seats - 1 - lights


@pytest.mark.rule("TA2.1", "TA2.3")
def test_a_deal_begins_with_every_seat_told_of_its_own_cards() -> None:
    state, shown = TASHOT.new_match(3, TASHOT.resolve_options({}), bytes(32))
    events = [shown_event.event for shown_event in shown]
    drawn = mask_of_card(state.drawn)
    assert events[0] == Dealt(0, 0, 2, state.turned[0])
    assert [type(event) for event in events[1:]] == [Received, Received, Received, TurnBegan, Received]
    assert events[2:4] == [Received(1, state.hands[1]), Received(2, state.hands[2])]
    assert events[4:] == [TurnBegan(0, 31), Received(0, drawn)]


# ---- turns ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("TA3.1", "TA3.2", "TA4.5")
def test_a_seat_draws_and_discards_and_the_next_one_draws() -> None:
    state = holding("r0 r2 b4 b6 r8 rK", "b0 r1 r3 b5 r7", "r1 b2 r4 b5 bT", stock="b8 b3 r6", drawn="rK")
    events = do(state, "discard r8")
    assert events == [Discarded(0, card("r8")), TurnBegan(1, 2), Received(1, cards("b8"))]
    assert state.hands[0] == cards("r0 r2 b4 b6 rK")
    assert view(state).discards == (cards("r8"), 0, 0)
    assert view(state, 1).hand == cards("b0 r1 r3 b5 r7 b8")
    assert view(state, 1).drawn == card("b8")
    do(state, "discard b8", "discard b3")
    assert view(state).turn == 0, "after the last seat comes the first"
    assert view(state).stock == 0


@pytest.mark.rule("TA3.6", "TA9.3")
def test_the_default_is_to_discard_the_card_just_drawn() -> None:
    state = holding("r0 r2 b4 b4 b6 rK", "b0 r1 r3 b5 r7", drawn="b4")
    assert legal(state) == ["discard b4", "discard r0", "discard r2", "discard rK", "discard b6"]
    state = holding("r0 r2 b4 b4 b6 rK", "b0 r1 r3 b5 r7", drawn="r0")
    assert legal(state) == ["discard r0", "discard r2", "discard rK", "discard b4", "discard b6"]


@pytest.mark.rule("TA3.3", "TA3.6", "TA5.5")
def test_a_set_of_four_is_laid_open_and_the_turn_goes_on() -> None:
    state = holding("r3 r3 b3 rS r7 b0", "b1 r1 r5 b5 r7", "r2 b2 r4 b5 bT", drawn="b3", stock="r8")
    assert legal(state)[0] == "discard b3"
    events = do(state, "four rS r3 r3 b3")
    assert events == [Opened(0, NOBODY, cards("rS r3 r3 b3"), SET, 4)]
    assert view(state).melds == (open_meld(0, "rS r3 r3 b3"),)
    assert view(state).scores == (2, -1, -1)
    assert view(state).phase == Phase.TURN
    assert asked(state) == [0]
    assert legal(state) == ["discard r7", "discard b0"], "the card drawn is in the set"
    assert view(state, 0).drawn == -1


@pytest.mark.rule("TA3.6", "TA9.3")
@pytest.mark.parametrize(
    ("hand", "drawn", "four", "discards"),
    [
        ("r3 r3 b3 rS r7 b0", "b0", "four rS r3 r3 b3", ["discard b0", "discard r7"]),
        ("r2 r0 r0 r0 b0 b0", "r0", "four r0 r0 b0 b0", ["discard r0", "discard r2"]),
        ("r2 r3 r3 b3 b3 b5", "b3", "four r3 r3 b3 b3", ["discard r2", "discard b5"]),
    ],
)
def test_after_a_set_of_four_the_default_is_still_the_card_drawn_if_the_hand_has_it(
    hand: str, drawn: str, four: str, discards: list[str]
) -> None:
    state = holding(hand, "b1 r1 r5 b5 r7", "r2 b2 r4 b6 bT", drawn=drawn, stock="r8")
    do(state, four)
    assert legal(state) == discards
    assert view(state, 0).drawn == (card(drawn) if discards[0] == f"discard {drawn}" else -1)
    assert view(state, 1).drawn == -1


@pytest.mark.rule("TA3.3", "TA9.3")
def test_every_set_of_four_in_the_hand_may_be_laid() -> None:
    state = holding("rS r1 r1 r1 b1 b1", "b0 r3 r5 b5 r7", drawn="r1")
    fours = [text for text in legal(state) if text.startswith("four")]
    assert fours == [
        "four rS r1 r1 r1", "four rS r1 r1 b1", "four rS r1 b1 b1", "four r1 r1 r1 b1", "four r1 r1 b1 b1",
    ]  # fmt: skip
    assert legal(state)[-1] == "win"


@pytest.mark.rule("TA3.4", "TA3.5")
def test_a_seat_wins_with_the_card_drawn_or_goes_on() -> None:
    def position() -> TashotState:
        return holding("r3 b3 r5 b5 rK bT", "b0 r1 r3 b6 r7", drawn="bT", stock="r8 r8", deals=2)

    state = position()
    assert legal(state)[-1] == "win"
    events = do(state, "win")
    assert isinstance(events[0], Won)
    assert isinstance(events[1], DealEnded)
    state = position()
    assert [type(event) for event in do(state, "discard bT")] == [Discarded, TurnBegan, Received]


@pytest.mark.rule("TA3.2", "TA3.3", "TA3.4")
@pytest.mark.parametrize(
    ("move", "rule", "advice"),
    [
        (Discard(card("r1")), "CARD_NOT_IN_HAND", "your hand has no r1; it is rS r3 r3 r7 b0 b3"),
        (Discard(24), "NOT_CARDS", "24 is not a card"),
        (Discard(-1), "NOT_CARDS", "-1 is not a card"),
        (Four(cards("r3 r3 b3 b3")), "CARD_NOT_IN_HAND", "your hand has not all of r3 r3 b3 b3"),
        (Four(cards("bS r3 r3 b3")), "CARD_NOT_IN_HAND", "has not all of r3 r3 bS b3"),
        (Four(cards("r3 r3 b3")), "NO_SET_OF_FOUR", "r3 r3 b3 is not a set of four"),
        (Four(cards("r3 r3 b3 r7")), "NO_SET_OF_FOUR", "r3 r3 r7 b3 is not a set of four"),
        (Four(0), "NOT_CARDS", "0x0 stands for no cards"),
        (Four(2 << 4), "NOT_CARDS", "a second copy only with the first"),
        (Four(-1), "NOT_CARDS", "stands for no cards"),
        (Four(1 << 50), "NOT_CARDS", "stands for no cards"),
        (Win(), "NO_WIN", "rS r3 r3 r7 b0 b3 does not win; six cards win as three sets of two"),
        (Decline(), "WRONG_KIND_OF_MOVE", "`decline` is not due now; it is your turn: `discard` a card"),
        (Call(cards("r3 r3 b3"), 4), "WRONG_KIND_OF_MOVE", "`call` is not due now"),
    ],
)
def test_a_wrong_move_in_the_own_turn_is_refused_with_the_reason(move: TashotMove, rule: str, advice: str) -> None:
    state = holding("rS r3 r3 b3 r7 b0", "b1 r1 r5 b5 r7", drawn="b3")
    name, said = refused(state, move)
    assert name == rule
    assert advice in said
    assert move not in TASHOT.legal_moves(state, 0)


# ---- the first round -----------------------------------------------------------------------------------------------

WINNING = "r3 b3 r5 b5 rK"
DULL = "b0 r1 r4 b6 r8"


def last_win(state: TashotState, *texts: str) -> Won:
    """Returns the win that some moves lead to."""
    (won,) = [event for event in do(state, *texts) if isinstance(event, Won)]
    return won


@pytest.mark.rule("TA6.1", "TA6.7")
def test_the_first_round_lasts_until_every_seat_has_finished_its_turn() -> None:
    def position(stock: str) -> TashotState:
        return holding(f"{DULL} b2", WINNING, "r0 r2 b4 b7 b8", unfinished=[0, 1, 2], stock=stock)

    assert last_win(position("bT"), "discard b2", "win").first_round, "in its own first turn"
    assert last_win(position("r7 bT"), "discard b2", "discard r7", "discard bT", "1 win").first_round, (
        "on the discard that finishes the round"
    )
    state = position("r7 b8 r7 bT")
    do(state, "discard b2", "discard r7", "discard b8")
    assert view(state).unfinished == 0
    assert not last_win(state, "discard r7", "win").first_round


@pytest.mark.rule("TA6.7")
def test_seats_that_a_call_skips_have_had_their_first_turn() -> None:
    state = holding(
        f"{DULL} b2", "r0 r2 b4 b7 r7", "b0 b8 b1 b3 b5", WINNING, unfinished=[0, 1, 2, 3], stock="r6 r6 bT"
    )
    state.hands[2] = cards("b1 b3 b8 rT bK")
    do(state, "discard b2")
    assert asked(state) == [2]
    do(state, "call b1 b2 b3")
    assert view(state).unfinished == 0b1100, "who has discarded is done, and seat 1 is skipped"
    do(state, "discard b8")
    assert view(state).unfinished == 0b1000, "the caller has had its turn"
    do(state, "discard r6")
    assert view(state).unfinished == 0


# ---- the end of a deal ---------------------------------------------------------------------------------------------


@pytest.mark.rule("TA8.1", "TA8.2")
def test_an_empty_stock_ends_the_deal_without_a_winner() -> None:
    state = holding(
        "r5 r0 b4 b6 r8 rK", "b0 r1 r3 b2 r7", "r5 b5 b5 b1 b7", stock="", deals=3, multiplier=4, first_dealer=1
    )
    events = do(state, "discard r5", "call r5 r5 b5 b5", "discard b7")
    assert events[3] == DealEnded(NOBODY, (0, -1, 1))
    assert isinstance(events[4], Dealt)
    assert (events[4].deal, events[4].dealer, events[4].multiplier) == (1, 1, 4), "the same dealer and multiplier"
    assert view(state).scores == (0, -1, 1), "what was paid stays paid"
    assert view(state).paid == (0, 0, 0)


@pytest.mark.rule("TA8.1")
def test_who_can_take_the_last_card_is_still_asked() -> None:
    state = holding("r5 r0 b4 b6 r8 rK", WINNING.replace("rK", "bT"), stock="", lights="r6")
    state.hands[1] = cards("r3 b3 b5 rT bT")
    do(state, "discard r5")
    assert asked(state) == [1]
    assert do(state, "win")[-1] == DealEnded(1, (-6, 6)), "two for finishing, twice, and two kings"


@pytest.mark.rule("TA8.2", "TA8.4")
def test_deals_without_a_winner_count() -> None:
    state = holding(f"{DULL} b2", "r0 r2 b4 b7 b8", stock="", deals=1)
    assert do(state, "discard b2")[-1] == DealEnded(NOBODY, (0, 0))
    assert asked(state) == []
    assert TASHOT.outcome(state) == Outcome((0, 0))
    assert (view(state).winner, view(state).won_with, view(state).turn) == (NOBODY, 0, -1)


@pytest.mark.rule("TA8.3")
@pytest.mark.parametrize(("dealer", "multiplier"), [(0, 4), (1, 2)])
def test_the_winner_deals_next(dealer: int, multiplier: int) -> None:
    state = holding(f"{WINNING} bT", DULL, "r0 r2 b4 b7 b8", deals=2, multiplier=3, first_dealer=dealer)
    (next_deal,) = [event for event in do(state, "win") if isinstance(event, Dealt)]
    assert (next_deal.deal, next_deal.dealer, next_deal.multiplier) == (1, 0, multiplier)
    assert asked(state) == [0]


@pytest.mark.rule("TA8.4")
@pytest.mark.parametrize(("deals", "played"), [(0, 3), (1, 1), (7, 7)])
def test_a_match_has_as_many_deals_as_the_option_says(deals: int, played: int) -> None:
    state, chance = dealt(3, deals=deals), random.Random(deals)
    ends = 0
    while asked(state):
        seat = asked(state)[0]
        events = TASHOT.apply(state, seat, TASHOT.random_move(state, seat, chance))
        ends += sum([isinstance(shown_event.event, DealEnded) for shown_event in events])
    assert ends == played
    assert sum(state.scores) == 0


@pytest.mark.rule("TA8.6")
@pytest.mark.parametrize(
    ("seats", "deals", "multiplier", "lost"),
    [(2, 1, 2, 28), (2, 3, 2, 105), (3, 1, 5, 50), (6, 1, 2, 35)],
)
def test_giving_up_costs_the_most_that_the_rest_could(seats: int, deals: int, multiplier: int, lost: int) -> None:
    hands = [f"{DULL} b2", "r0 r2 b4 b7 b8", "r0 r2 b4 b7 b8", "", "", ""][:seats]
    state = holding(*hands, deals=deals, multiplier=multiplier, stock="")
    state.scores = [3, -3, *[0] * (seats - 2)]
    each = -(-lost // (seats - 1))
    expected = [score + each for score in state.scores]
    expected[0] = 3 - each * (seats - 1)
    assert TASHOT.forfeit(state, 0) == Outcome(tuple(expected))
    do(state, "discard b2")
    if deals == 1:
        assert TASHOT.forfeit(state, 0) == Outcome(tuple(state.scores)), "the match is over"


# ---- random play ---------------------------------------------------------------------------------------------------


@pytest.mark.rule("TA5.6", "TA8.1")
@pytest.mark.parametrize("seats", range(2, 7))
def test_every_card_is_somewhere_in_every_position(seats: int) -> None:
    state, chance = dealt(seats, seats, deals=4), random.Random(seats)
    while asked(state):
        piles = [*state.hands, *state.discards, *[meld.cards for meld in state.melds if meld is not None]]
        together = sum([pile.bit_count() for pile in piles]) + len(state.stock) + len(state.turned)
        assert together == DECK.bit_count()
        sizes = [
            hand.bit_count() - (seat == state.turn and state.phase != Phase.WINDOW)
            for seat, hand in enumerate(state.hands)
        ]
        for size, meld in zip(sizes, state.melds, strict=True):
            assert size in ({5} if meld is None else {6 - meld.cards.bit_count() - 1})
        seat = asked(state)[0]
        TASHOT.advance(state, seat, TASHOT.random_move(state, seat, chance))
