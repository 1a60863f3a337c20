"""Napoleon's cards, deal, auction, exchange and adjutant: docs/rules/napoleon.md, P1 to P6, sentence by sentence."""

from __future__ import annotations

import pytest

from fudaba_games.cards import mask_of
from fudaba_games.game import PUBLIC, BadSeats, IllegalMove
from fudaba_games.napoleon.cards import CALL_TEXTS, CARD_TEXTS, DECK, HONOURS, cards_of, text_of
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
    NapoleonMove,
    Phase,
    Play,
    Received,
    Revealed,
    Stood,
    ThrownIn,
)
from fudaba_games.shuffle import shuffled
from tests.support.games.napoleon.positions import (
    all_cards,
    bid_by,
    cards,
    dealt,
    do,
    legal,
    play_trick,
    tricks_begin,
    turn,
    view,
)

# ---- aim, cards, deal ----------------------------------------------------------------------------------------------


@pytest.mark.rule("P1.1")
@pytest.mark.parametrize("seats", [0, 1, 4, 6])
def test_five_seats_play(seats: int) -> None:
    NAPOLEON.check_seats(5)
    with pytest.raises(BadSeats, match="played by 5 seats"):
        NAPOLEON.check_seats(seats)


@pytest.mark.rule("P2.1", "P2.2")
def test_the_deck_is_four_suits_from_ace_to_king() -> None:
    assert list(CARD_TEXTS) == [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
    assert len(CARD_TEXTS) == 52 == DECK.bit_count()


@pytest.mark.rule("P2.3")
def test_the_honours_are_ten_to_ace_of_each_suit() -> None:
    assert text_of(HONOURS) == " ".join(rank + suit for suit in "CDHS" for rank in "ATJQK")
    assert HONOURS.bit_count() == 20


@pytest.mark.rule("P3.1", "P3.2", "P2.1")
@pytest.mark.parametrize("dealer", range(5))
def test_cards_go_one_at_a_time_to_the_seat_after_the_dealer_first_and_the_last_two_are_the_widow(dealer: int) -> None:
    seed = bytes([9]) * 32
    deck = shuffled(list(range(52)), seed, 0, 0)
    state, events = NAPOLEON.new_match(5, NAPOLEON.resolve_options({"first_dealer": dealer}), seed)
    expected: list[list[int]] = [[] for _ in range(5)]
    for index, card in enumerate(deck[:50]):
        expected[(dealer + 1 + index) % 5].append(card)
    assert state.hands == [mask_of(hand) for hand in expected]
    assert state.widow == mask_of(deck[50:])
    order = [(dealer + 1 + index) % 5 for index in range(5)]
    assert [(shown.to, shown.event) for shown in events] == [
        (PUBLIC, Dealt(0, dealer, 0)),
        *[(1 << seat, Received(seat, state.hands[seat])) for seat in order],
    ]


# ---- the auction ---------------------------------------------------------------------------------------------------


@pytest.mark.rule("P4.1", "P4.2")
@pytest.mark.parametrize("dealer", range(5))
def test_the_seat_after_the_dealer_speaks_first_and_the_others_follow_clockwise(dealer: int) -> None:
    state = dealt(first_dealer=dealer)
    speakers = []
    for text in ("approve", "bid 13C", "approve", "bid 13D", "approve", "approve"):
        speakers.append(turn(state))
        assert do(state, text)[0] == Called(speakers[-1], CALL_TEXTS.index(text.removeprefix("bid ")))
    assert speakers == [(dealer + 1 + index) % 5 for index in range(6)]
    assert [CALL_TEXTS[call] for call in view(state).calls] == ["approve", "13C", "approve", "13D", *["approve"] * 2]


@pytest.mark.rule("P4.2", "P4.3", "P11.1", "P11.2", "G4.1")
def test_a_seat_may_approve_or_bid_13_to_20_in_four_suits_and_no_trump() -> None:
    texts = [f"bid {number}{suit}" for number in range(13, 21) for suit in "CDHSN"]
    assert legal(dealt()) == ["approve", *texts]


@pytest.mark.rule("P4.3")
@pytest.mark.parametrize("bid", [Bid(12, 0), Bid(21, 0), Bid(14, 5), Bid(14, -1), Bid(-1, 2), Bid(1 << 60, 2)])
def test_a_bid_that_does_not_exist_is_refused(bid: Bid) -> None:
    state = dealt()
    with pytest.raises(IllegalMove, match="numbers are 13 to 20") as refused:
        NAPOLEON.check(state, turn(state), bid)
    assert refused.value.rule == "NO_SUCH_BID"


@pytest.mark.rule("P4.4")
@pytest.mark.parametrize(
    ("last", "higher", "lower"),
    [
        ("13C", "13D", "13C"),
        ("14H", "14S", "14D"),
        ("14S", "14N", "14H"),
        ("14N", "15C", "14S"),
        ("15C", "15D", "14N"),
        ("19N", "20C", "13N"),
    ],
)
def test_a_bid_beats_the_last_by_a_higher_number_or_the_same_and_a_higher_suit(
    last: str, higher: str, lower: str
) -> None:
    state = dealt()
    do(state, f"bid {last}")
    assert legal(state)[:2] == ["approve", f"bid {higher}"]
    with pytest.raises(IllegalMove, match=f"does not beat {last}") as refused:
        do(state, f"bid {lower}")
    assert refused.value.rule == "BID_TOO_LOW"
    do(state, f"bid {higher}")


@pytest.mark.rule("P4.4")
def test_nothing_beats_twenty_without_trump() -> None:
    state = dealt()
    do(state, "bid 20N")
    assert legal(state) == ["approve"]
    assert list(NAPOLEON.legal_kinds(state, turn(state))) == [("approve", 1)]


@pytest.mark.rule("P4.5")
def test_approving_does_not_shut_a_seat_out() -> None:
    state = dealt()
    do(state, "approve", "bid 13C", "approve", "approve", "approve")
    assert turn(state) == 1
    do(state, "bid 13D", "bid 14C", "approve", "approve", "approve", "bid 20C", *["approve"] * 3)
    assert state.phase == Phase.AUCTION
    do(state, "approve")
    assert (state.phase, state.napoleon) == (Phase.EXCHANGE, 1)


@pytest.mark.rule("P4.6")
@pytest.mark.parametrize("seat", range(5))
def test_four_approvals_after_a_bid_end_the_auction(seat: int) -> None:
    state = dealt()
    widow = state.widow
    events = bid_by(state, seat, "14S")
    assert events[-3:] == [Called((seat + 4) % 5, 0), Stood(seat, 14, 3), Received(seat, widow)]
    assert turn(state) == seat
    seen = view(state)
    assert (seen.phase, seen.napoleon, seen.number, seen.trump) == (Phase.EXCHANGE, seat, 14, 3)


@pytest.mark.rule("P4.6")
def test_the_highest_bid_stands_while_others_may_still_speak() -> None:
    state = dealt()
    do(state, "bid 13H", "bid 15D", "approve", "approve", "approve")
    seen = view(state)
    assert (seen.napoleon, seen.number, seen.trump, seen.turn) == (2, 15, 1, 1)
    assert seen.phase == Phase.AUCTION


@pytest.mark.rule("P4.7")
def test_five_approvals_without_a_bid_throw_the_cards_in_and_the_same_dealer_deals_the_next_shuffle() -> None:
    seed = bytes([5]) * 32
    state, _ = NAPOLEON.new_match(5, NAPOLEON.resolve_options({"first_dealer": 3}), seed)
    for again in (1, 2, 3):
        events = do(state, *["approve"] * 5)
        assert events[4:7] == [Called(3, 0), ThrownIn(0), Dealt(0, 3, again)]
        deck = shuffled(list(range(52)), seed, 0, again)
        assert state.hands[4] == mask_of(deck[0:50:5])
        assert state.widow == mask_of(deck[50:])
        assert view(state).thrown_in == again
        assert view(state).calls == ()
        assert turn(state) == 4


@pytest.mark.rule("P4.8")
def test_after_three_throw_ins_the_first_seat_to_speak_must_bid() -> None:
    state = dealt()
    do(state, *["approve"] * 10)
    assert legal(state)[0] == "approve", "two are not three"
    do(state, *["approve"] * 5)
    assert legal(state)[0] == "bid 13C"
    assert len(legal(state)) == 40
    with pytest.raises(IllegalMove, match="bid: the cards were thrown in three times") as refused:
        do(state, "approve")
    assert refused.value.rule == "WRONG_KIND_OF_MOVE"
    do(state, "bid 13C")
    assert legal(state)[0] == "approve"
    do(state, *["approve"] * 4)
    assert state.phase == Phase.EXCHANGE


@pytest.mark.rule("P4.8")
def test_the_count_of_throw_ins_begins_again_with_the_next_deal() -> None:
    state = dealt(deals=2)
    do(state, *["approve"] * 15, "bid 13C", *["approve"] * 4)
    while not state.deal:
        do(state, legal(state)[0])
    assert state.thrown_in == 0
    assert legal(state)[0] == "approve"


# ---- the exchange --------------------------------------------------------------------------------------------------


@pytest.mark.rule("P5.1", "P11.3")
def test_napoleon_takes_the_widow_and_buries_two_of_twelve_cards() -> None:
    state = dealt()
    hand, widow = state.hands[2], state.widow
    bid_by(state, 2, "13C")
    assert state.hands[2] == hand | widow
    held = cards_of(state.hands[2])
    pairs = [[a, b] for index, a in enumerate(held) for b in held[index + 1 :]]
    assert list(NAPOLEON.legal_moves(state, 2)) == [Bury(mask_of(pair)) for pair in pairs]
    assert len(pairs) == 66
    mask = mask_of([held[3], held[7]])
    assert do(state, f"bury {text_of(mask)}") == [Buried(2)]
    assert state.hands[2] == (hand | widow) & ~mask
    assert turn(state) == 2


@pytest.mark.rule("P5.1")
def test_the_buried_cards_may_be_the_same_two() -> None:
    state = dealt()
    hand, widow = state.hands[4], state.widow
    bid_by(state, 4, "13C")
    do(state, f"bury {text_of(widow)}")
    assert (state.hands[4], state.buried) == (hand, widow)


@pytest.mark.rule("P5.1")
def test_a_burial_of_other_cards_or_another_number_of_them_is_refused() -> None:
    state = dealt()
    bid_by(state, 0, "13C")
    own, strange = cards_of(state.hands[0]), cards_of(state.hands[1])
    for wrong in (mask_of([own[0], strange[0]]), mask_of(strange[:2]), DECK, -1, 1 << 52 | 1 << own[0], 1 << 4000):
        with pytest.raises(IllegalMove, match="your hand has no ") as refused:
            NAPOLEON.check(state, 0, Bury(wrong))
        assert refused.value.rule == "CARD_NOT_IN_HAND"
    for few_or_many in (0, mask_of(own[:1]), mask_of(own[:3]), mask_of(own)):
        with pytest.raises(IllegalMove, match="bury 2 cards, not") as refused:
            NAPOLEON.check(state, 0, Bury(few_or_many))
        assert refused.value.rule == "WRONG_NUMBER_OF_CARDS"


@pytest.mark.rule("P5.2")
def test_buried_honours_belong_to_nobody() -> None:
    hands = ["KS", "2C", "3C", "4C", "AS"]
    state = tricks_begin(hands, number=13, buried="AH KH", sweep="off")
    state.taken[0] = cards("AC KC QC JC TC AD KD QD JD TD QH")
    play_trick(state, "KS 2C 3C 4C AS")
    # 11 in tricks, and 2 in the last one; the two buried ones would make 15.
    assert view(state).honours == (11, 0, 0, 0, 2)
    assert NAPOLEON.outcome(state) == ((2, -1, -1, -1, 1),)
    state = tricks_begin(hands, number=14, buried="AH KH", sweep="off")
    state.taken[0] = cards("AC KC QC JC TC AD KD QD JD TD QH")
    play_trick(state, "KS 2C 3C 4C AS")
    assert NAPOLEON.outcome(state) == ((-2, 1, 1, 1, -1),), "13 taken, 14 bid"


@pytest.mark.rule("P5.3", "P12.3")
def test_buried_cards_are_shown_when_the_deal_is_over_and_not_before() -> None:
    state = tricks_begin(["KS", "2C", "3C", "4C", "5C"], buried="AH KH", named="2C")
    assert [view(state, seat).buried for seat in (0, 1, 4, None)] == [cards("AH KH"), 0, 0, 0]
    (ended,) = [event for event in play_trick(state, "KS 2C 3C 4C 5C") if isinstance(event, DealEnded)]
    assert ended.buried == cards("AH KH")
    assert [view(state, seat).buried for seat in (0, 1, 4, None)] == [cards("AH KH")] * 4


# ---- the adjutant --------------------------------------------------------------------------------------------------


@pytest.mark.rule("P6.1", "P11.4")
def test_napoleon_names_any_of_the_52_cards_and_everyone_hears_it() -> None:
    state = dealt()
    bid_by(state, 3, "13C")
    do(state, f"bury {text_of(state.hands[3]).split()[0]} {text_of(state.hands[3]).split()[1]}")
    assert legal(state) == [f"name {card}" for card in CARD_TEXTS]
    assert [view(state, seat).named for seat in (0, None)] == [-1, -1]
    shown = NAPOLEON.apply(state, 3, Name(0))
    assert shown == [(PUBLIC, Named(3, 0))]
    assert [view(state, seat).named for seat in (*range(5), None)] == [0] * 6
    assert turn(state) == 3


@pytest.mark.rule("P6.1")
@pytest.mark.parametrize("card", [-1, 52, 99, 1 << 60])
def test_a_card_that_does_not_exist_can_not_be_named_or_played(card: int) -> None:
    state = dealt()
    bid_by(state, 3, "13C")
    do(state, legal(state)[0])
    with pytest.raises(IllegalMove, match="cards are 0 to 51") as refused:
        NAPOLEON.check(state, 3, Name(card))
    assert refused.value.rule == "NO_SUCH_CARD"
    do(state, "name AS")
    with pytest.raises(IllegalMove, match="cards are 0 to 51"):
        NAPOLEON.check(state, 3, Play(card))


@pytest.mark.rule("P6.2", "P9.2", "P10.1", "P1.1")
@pytest.mark.parametrize("adjutant", [1, 2, 3, 4])
def test_who_holds_the_named_card_is_adjutant_in_secret_until_it_is_played(adjutant: int) -> None:
    hands = ["KS 2S", "3S 3C", "4S 4C", "5S 5C", "6S 6C"]
    named = hands[adjutant].split()[1]
    state = tricks_begin(hands, named=named)
    assert state.adjutant == adjutant
    for card in [hand.split()[0] for hand in hands]:
        assert {view(state, seat).adjutant for seat in (*range(5), None)} == {-1}
        do(state, f"play {card}")
    events = do(state, "play 2S")
    for hand in hands[1:adjutant]:
        events += do(state, f"play {hand.split()[1]}")
    assert Revealed(adjutant) not in events
    assert {view(state, seat).adjutant for seat in (*range(5), None)} == {-1}
    assert Revealed(adjutant) in do(state, f"play {named}")
    assert {view(state, seat).adjutant for seat in (*range(5), None)} == {adjutant}


@pytest.mark.rule("P6.3", "P9.2", "P10.2")
def test_with_a_card_of_the_own_hand_napoleon_is_alone_and_all_learn_it_when_it_is_played() -> None:
    state = tricks_begin(["KS 2S", "3S 3C", "4S 4C", "5S 5C", "6S 6C"], named="2S")
    play_trick(state, "KS 3S 4S 5S 6S")
    assert view(state, 1).adjutant == -1
    assert Revealed(0) in do(state, "play 2S")
    assert {view(state, seat).adjutant for seat in (*range(5), None)} == {0}
    (ended,) = [event for event in play_trick(state, "3C 4C 5C 6C") if isinstance(event, DealEnded)]
    assert (ended.adjutant, ended.won, ended.scores) == (0, False, (-4, 1, 1, 1, 1))


@pytest.mark.rule("P6.3")
def test_with_a_buried_card_napoleon_is_alone_and_the_others_learn_it_when_the_deal_is_over() -> None:
    state = tricks_begin(["KS", "3S", "4S", "5S", "6S"], named="AD", buried="AD 2D")
    events = do(state, "play KS", "play 3S", "play 4S", "play 5S")
    assert {view(state, seat).adjutant for seat in (*range(5), None)} == {-1}
    events = do(state, "play 6S")
    assert not [event for event in events if isinstance(event, Revealed)], "it was never played"
    (ended,) = [event for event in events if isinstance(event, DealEnded)]
    assert (ended.napoleon, ended.adjutant) == (0, 0)
    assert {view(state, seat).adjutant for seat in (*range(5), None)} == {0}


# ---- moves at the wrong time ---------------------------------------------------------------------------------------


@pytest.mark.rule("P4.2", "P5.1", "P6.1", "P7.1")
def test_a_move_that_is_not_due_is_refused_with_what_is() -> None:
    state = dealt()
    moves: list[NapoleonMove] = [Approve(), Bid(20, 4), Bury(3), Name(0), Play(0)]
    for due, advice, then in (
        ((0, 1), "approve or bid", ("bid 13C", *["approve"] * 4)),
        ((2,), "bury two cards", None),
        ((3,), "name a card", ("name AS",)),
        ((4,), "play a card", ()),
    ):
        for index, move in enumerate(moves):
            if index not in due:
                with pytest.raises(IllegalMove, match=f"is not due now; {advice}") as refused:
                    NAPOLEON.check(state, turn(state), move)
                assert refused.value.rule == "WRONG_KIND_OF_MOVE"
        do(state, *(legal(state)[:1] if then is None else then))


@pytest.mark.rule("P2.1")
def test_cards_are_never_lost_or_doubled() -> None:
    state = dealt(deals=3)
    while NAPOLEON.decisions(state):
        parts = all_cards(state)
        assert sum(parts) == DECK
        assert sum(part.bit_count() for part in parts) == 52
        do(state, legal(state)[-1] if len(state.calls) == 2 else legal(state)[0])
