"""Tricks, results and scores of Napoleon: docs/rules/napoleon.md, P7 to P10, sentence by sentence."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest

from fudaba_games.game import IllegalMove, Outcome
from fudaba_games.napoleon.cards import CARD_TEXTS, HONOURS
from fudaba_games.napoleon.rules import NAPOLEON
from fudaba_games.napoleon.scoring import deal_scores, is_swept
from fudaba_games.napoleon.tricks import is_same_two, playable, trick_winner
from fudaba_games.napoleon.values import DealEnded, TrickTaken
from tests.support.games.napoleon.positions import (
    SUITS,
    bid_by,
    cards,
    dealt,
    do,
    in_order,
    legal,
    play_trick,
    tricks_begin,
    turn,
    view,
)


def winning(text: str, trump: str, *, first: bool = False) -> str:
    """Returns the text of the card that wins a trick."""
    trick = in_order(text)
    return CARD_TEXTS[trick[trick_winner(trick, SUITS[trump], first)]]


# ---- playing to tricks ---------------------------------------------------------------------------------------------


@pytest.mark.rule("P7.1", "P7.2")
@pytest.mark.parametrize("napoleon", range(5))
def test_napoleon_leads_first_and_the_winner_of_a_trick_leads_the_next(napoleon: int) -> None:
    state, chance = dealt(napoleon), random.Random(napoleon)
    bid_by(state, napoleon, "13H")
    do(state, legal(state)[0], "name 2C")
    leader = napoleon
    for number in range(10):
        seats = []
        events: list[object] = []
        for _ in range(5):
            seats.append(turn(state))
            events = list(do(state, chance.choice(legal(state))))
        assert seats == [(leader + index) % 5 for index in range(5)]
        taken = next(event for event in events if isinstance(event, TrickTaken))
        leader = (leader + trick_winner(taken.cards, SUITS["hearts"], number == 0)) % 5
        assert taken.winner == leader
        assert state.deal == (1 if number == 9 else 0), "there are ten tricks"


@pytest.mark.rule("P7.3", "P11.4")
def test_a_seat_that_has_the_suit_must_follow_it() -> None:
    state = tricks_begin(["KD 2D", "3S TD 4D", "AS JS 5H", "3H 4H 6D", "7C 8C 9C"], trump="spades")
    do(state, "play KD")
    assert legal(state) == ["play 4D", "play TD"]
    with pytest.raises(IllegalMove, match="diamonds were led; play one of 4D TD") as refused:
        do(state, "play 3S")
    assert refused.value.rule == "FOLLOW_SUIT"
    do(state, "play TD")
    assert legal(state) == ["play 5H", "play AS", "play JS"], "without diamonds anything may be played"


@pytest.mark.rule("P7.3")
def test_a_card_that_is_not_in_the_hand_is_refused() -> None:
    state = tricks_begin(["KD 2D", "3S TD", "AS JS", "3H 4H", "7C 8C"])
    with pytest.raises(IllegalMove, match="your hand has no TD; it is 2D KD") as refused:
        do(state, "play TD")
    assert refused.value.rule == "CARD_NOT_IN_HAND"


@pytest.mark.rule("P7.3")
def test_the_leader_may_play_anything() -> None:
    state = tricks_begin(["KD 2C AS", "3S TD 2D", "JS 5H 6H", "3H 4H 7H", "7C 8C 9C"])
    assert legal(state) == ["play 2C", "play KD", "play AS"]
    assert playable(cards("KD 2C AS"), -1) == cards("KD 2C AS")


@pytest.mark.rule("P7.4")
def test_jacks_and_mighty_belong_to_the_suit_printed_on_them() -> None:
    state = tricks_begin(["3S 2C", "AS 5D", "JC 4S", "JS 8C", "7S KD"], trump="clubs")
    do(state, "play 3S")
    assert legal(state) == ["play AS"], "the ace is a spade"
    do(state, "play AS")
    assert legal(state) == ["play 4S"], "the jack of trumps does not follow spades"
    do(state, "play 4S")
    assert legal(state) == ["play JS"], "the left jack is a spade, not a trump"
    do(state, "play JS", "play 7S")
    assert playable(cards("JS 8C"), SUITS["clubs"]) == cards("8C"), "and need not follow trumps"


@pytest.mark.rule("P7.5", "P12.1")
def test_the_winner_takes_the_honours_of_the_trick() -> None:
    state = tricks_begin(["KD 2D", "QD 3D", "TD 4D", "9D AS", "AD 5D"], trump="clubs")
    play_trick(state, "KD QD TD 9D")
    assert view(state).honours == (0, 0, 0, 0, 0), "nobody has the trick yet"
    assert do(state, "play AD")[-1] == TrickTaken(4, tuple(in_order("KD QD TD 9D AD")))
    assert view(state).honours == (0, 0, 0, 0, 4)
    assert view(state).winners[-1] == 4
    assert view(state).leader == 4


# ---- who wins a trick ----------------------------------------------------------------------------------------------


@pytest.mark.rule("P8.1", "P8.2", "P8.3", "P8.4", "P8.6", "P8.7", "P8.8", "P8.9", "P8.10")
@pytest.mark.parametrize(
    ("number", "trump", "trick", "winner"),
    [
        (3, "spades", "5C 9C 2H 2S KC", "2S"),
        (2, "clubs", "AH KH JH QH 2H", "2H"),
        (2, "diamonds", "AH KH JH QH 2H", "JH"),
        (2, "spades", "KS QS JS TS 2S", "JS"),
        (1, "clubs", "AH KH JH QH 2H", "AH"),
        (4, "clubs", "3D AS JC QH KD", "QH"),
        (4, "no-trump", "3C JS 9C KD 2C", "9C"),
    ],
)
def test_the_examples_of_the_page(number: int, trump: str, trick: str, winner: str) -> None:
    assert winning(trick, trump, first=number == 1) == winner


@pytest.mark.rule("P8.1")
@pytest.mark.parametrize("trump", SUITS)
@pytest.mark.parametrize("first", [True, False])
def test_yoromeki_beats_mighty_whatever_was_led(trump: str, first: bool) -> None:
    for trick in ("AS QH 2C 3C 4C", "2C QH 3C AS 4C", "QH JD JH JS AS", "JC JS AS JD QH"):
        assert winning(trick, trump, first=first) == "QH"


@pytest.mark.rule("P8.1")
def test_yoromeki_without_mighty_is_an_ordinary_queen() -> None:
    assert winning("KH QH 3H 4H 5H", "clubs") == "KH"
    assert winning("2C QH 3C 4C 5D", "no-trump") == "4C"
    assert winning("2C QH 3C 4C 5D", "hearts") == "QH", "as a trump it wins"
    assert winning("2C QH JD 4C 5D", "hearts") == "JD", "the left jack beats it"


@pytest.mark.rule("P8.2", "P8.5")
@pytest.mark.parametrize("trump", SUITS)
def test_mighty_beats_everything_else_whatever_was_led(trump: str) -> None:
    for trick in ("2C JC JS AS 3C", "AS JD JH KH KD", "JH JD AS JC JS", "2S 3S AS KS 4S"):
        assert winning(trick, trump) == "AS"
        assert winning(trick, trump, first=True) == "AS"


@pytest.mark.rule("P8.3", "P8.4", "P8.5")
@pytest.mark.parametrize(("trump", "left"), [("clubs", "S"), ("diamonds", "H"), ("hearts", "D"), ("spades", "C")])
def test_the_jack_of_trumps_beats_the_other_jack_of_its_colour_and_that_beats_all_trumps(trump: str, left: str) -> None:
    own = trump[0].upper()
    others = [suit for suit in "CDHS" if suit not in {own, left}]
    led = f"K{others[0]}"
    for first in (True, False):
        assert winning(f"{led} A{own} K{own} J{left} J{own}".replace("AS", "QS"), trump, first=first) == f"J{own}"
        assert winning(f"{led} Q{own} K{own} J{left} 2{own}", trump, first=first) == f"J{left}"
        assert winning(f"{led} J{others[1]} 3{others[0]} 4{others[0]} 5{others[0]}", trump, first=first) == led
    assert winning(f"2{left} 3{left} 4{left} K{left} J{left}", trump) == f"J{left}", "it beats Same two"
    assert winning(f"2{own} 3{own} 4{own} K{own} J{own}", trump) == f"J{own}", "it beats Same two"


@pytest.mark.rule("P8.6")
@pytest.mark.parametrize("trump", SUITS)
@pytest.mark.parametrize("suit", "CDHS")
def test_the_two_wins_a_trick_of_one_suit(trump: str, suit: str) -> None:
    assert winning(f"K{suit} 2{suit} Q{suit} 9{suit} T{suit}", trump) == f"2{suit}"
    assert winning(f"K{suit} 3{suit} Q{suit} 9{suit} T{suit}", trump) == f"K{suit}", "without the 2 the highest"


@pytest.mark.rule("P8.6")
def test_one_card_of_another_suit_undoes_same_two() -> None:
    assert winning("KH 2H QH 9H TC", "spades") == "KH"
    assert winning("KH 2H QH 9H TS", "spades") == "TS"
    assert not is_same_two(in_order("KH 2H QH 9H TC"))


@pytest.mark.rule("P8.2", "P8.6")
def test_mighty_beats_same_two() -> None:
    assert winning("KS 2S QS 9S AS", "hearts") == "AS"
    assert winning("KS 2S QS 9S AS", "spades") == "AS"


@pytest.mark.rule("P8.7")
def test_same_two_does_not_count_in_the_first_trick_only() -> None:
    hands = ["AH KH", "9H 5H", "JH 8H", "QH 7H", "2H 6H"]
    state = tricks_begin(hands, trump="clubs", first=True)
    play_trick(state, "AH 9H JH QH 2H")
    assert view(state).winners == (0,)
    state = tricks_begin(hands, trump="clubs")
    play_trick(state, "AH 9H JH QH 2H")
    assert view(state).winners[-1] == 4


@pytest.mark.rule("P8.8")
def test_the_highest_trump_beats_the_suit_led() -> None:
    assert winning("AC KC QC 2D 3D", "diamonds") == "3D"
    assert winning("AC AD KD QD TD", "diamonds") == "AD"
    assert winning("3S 4S KS QS 2C", "spades") == "KS"


@pytest.mark.rule("P8.8", "P8.9")
def test_ranks_go_from_the_ace_down_to_the_two() -> None:
    ranks = "AKQJT98765432"
    for high, low in pairwise(ranks):
        assert winning(f"{low}D {high}D 2C 2S 3S", "no-trump") == f"{high}D"
        if "J" not in {high, low}:
            assert winning(f"2H {low}C {high}C 3H 4H", "clubs") == f"{high}C"


@pytest.mark.rule("P8.9")
def test_a_discard_never_wins() -> None:
    assert winning("3C AD KD AH KH", "spades") == "3C"
    assert winning("3C AD KD AH KH", "no-trump") == "3C"


@pytest.mark.rule("P8.10")
@pytest.mark.parametrize("jack", ["JC", "JD", "JH", "JS"])
def test_without_trump_jacks_are_ordinary_cards(jack: str) -> None:
    for suit in "CDHS":
        winner = f"Q{suit}"
        assert winning(f"Q{suit} {jack} 3{suit} 4{suit} 5{suit}", "no-trump") == winner
    assert winning("2C 3D QH JS 4H", "no-trump") == "2C", "queen of hearts without Mighty neither"
    assert winning("2C 3D AS JS 4H", "no-trump") == "AS"


@pytest.mark.rule("P8.6")
def test_of_fewer_than_five_cards_it_says_who_is_ahead() -> None:
    assert [trick_winner(in_order("5H 2H KH 3S"[: 3 * count - 1]), 3, False) for count in (1, 2, 3, 4)] == [0, 0, 2, 3]


def naive_winner(trick: Sequence[str], trump: str, first: bool) -> str:
    """Returns the page's list, from the top, with nothing clever."""
    partner = {"C": "S", "S": "C", "D": "H", "H": "D"}
    if "AS" in trick:
        return "QH" if "QH" in trick else "AS"
    if trump != "N":
        for jack in ("J" + trump, "J" + partner[trump]):
            if jack in trick:
                return jack
    led = trick[0][1]
    if not first and all(card[1] == led for card in trick) and "2" + led in trick:
        return "2" + led
    for suit in (trump, led):
        for rank in "AKQJT98765432":
            if rank + suit in trick:
                return rank + suit
    raise AssertionError("the first card is of the suit led")


@pytest.mark.rule("P8.1", "P8.2", "P8.3", "P8.4", "P8.6", "P8.7", "P8.8", "P8.9", "P8.10")
def test_random_tricks_go_as_the_list_says() -> None:
    chance = random.Random(8)
    special = [card for card in range(52) if CARD_TEXTS[card] in {"AS", "QH", "JC", "JD", "JH", "JS"}]
    for _ in range(20_000):
        pool = chance.choice([range(52), [*special, *range(0, 52, 5)], range(13 * chance.randrange(4), 52)[:13]])
        trick = chance.sample(pool, 5)
        trump, first = chance.randrange(5), chance.random() < 0.3
        found = CARD_TEXTS[trick[trick_winner(trick, trump, first)]]
        assert found == naive_winner([CARD_TEXTS[card] for card in trick], "CDHSN"[trump], first), (trick, trump, first)


# ---- the result ----------------------------------------------------------------------------------------------------


def result(
    taken: Sequence[str],
    last: Sequence[str],
    *,
    number: int = 13,
    trump: str = "clubs",
    named: str,
    buried: str = "",
    sweep: str = "honours",
) -> DealEnded:
    """Returns how a deal ends whose seats have taken honours and play their last cards; seat 0 is Napoleon."""
    state = tricks_begin(last, trump=trump, number=number, named=named, buried=buried, sweep=sweep)
    state.taken = [cards(text) for text in taken]
    (ended,) = [event for event in play_trick(state, " ".join(last)) if isinstance(event, DealEnded)]
    assert NAPOLEON.outcome(state) == Outcome(ended.scores)
    return ended


LOW = ["3D", "4D", "5D", "6D", "7D"]


@pytest.mark.rule("P1.2", "P9.1", "P9.2", "P10.1")
@pytest.mark.parametrize(("number", "won"), [(13, True), (14, True), (15, False), (20, False)])
def test_napoleons_side_wins_with_at_least_the_number_that_was_bid(number: int, won: bool) -> None:
    taken = ["AC KC QC JC TC AD KD QD JD TD", "AH KH QH", "AS KS QS JS TS", "JH", "TH"]
    ended = result(taken, LOW, number=number, named="6D", sweep="off")
    assert (ended.adjutant, ended.honours) == (3, 11)
    ended = result(taken, LOW, number=number, named="4D", sweep="off")
    assert ended.honours == 13
    taken[1] += " TH"
    taken[4] = ""
    ended = result(taken, LOW, number=number, named="4D", sweep="off")
    assert (ended.adjutant, ended.honours, ended.won, ended.swept) == (1, 14, won, False)
    sign = 1 if won else -1
    assert ended.scores == (2 * sign, sign, -sign, -sign, -sign)


@pytest.mark.rule("P9.2", "P10.2")
@pytest.mark.parametrize(("number", "sign"), [(13, 1), (14, -1)])
def test_napoleon_alone_needs_all_the_honours_itself(number: int, sign: int) -> None:
    taken = ["AC KC QC JC TC AD KD QD JD TD AH KH QH", "JH", "AS KS QS JS TS TH", "", ""]
    ended = result(taken, LOW, number=number, named="3D", sweep="off")
    assert (ended.adjutant, ended.honours, ended.won) == (0, 13, sign > 0)
    assert ended.scores == (4 * sign, -sign, -sign, -sign, -sign)


ALL = "AC KC QC JC TC AD KD QD JD TD AH KH QH JH TH AS KS QS JS TS"


@pytest.mark.rule("P9.3")
@pytest.mark.parametrize(("number", "sweep", "won"), [
    (13, "honours", False),
    (19, "honours", False),
    (20, "honours", True),
    (13, "off", True),
    (20, "off", True),
    (13, "specials", False),
    (20, "specials", True),
])  # fmt: skip
@pytest.mark.rule("P9.5", "P9.6")
def test_all_twenty_honours_lose_unless_twenty_were_bid(number: int, sweep: str, won: bool) -> None:
    half = ALL.split()
    for taken in ([ALL, "", "", "", ""], [" ".join(half[:9]), " ".join(half[9:]), "", "", ""]):
        ended = result(taken, LOW, number=number, named="4D", sweep=sweep)
        assert (ended.honours, ended.won, ended.swept) == (20, won, not won)
        assert ended.scores[:2] == ((2, 1) if won else (-2, -1))


@pytest.mark.rule("P9.3")
def test_nineteen_honours_are_not_too_many() -> None:
    taken = [ALL.removesuffix(" TS"), "", "TS", "", ""]
    assert result(taken, LOW, number=13, named="4D").won


@pytest.mark.rule("P9.4", "P5.2")
def test_buried_honours_count_as_taken_for_taking_too_much_and_only_for_that() -> None:
    taken = [ALL.removesuffix(" JS TS"), "", "", "", ""]
    ended = result(taken, LOW, number=13, named="4D", buried="JS TS")
    assert (ended.honours, ended.won, ended.swept) == (18, False, True)
    ended = result(taken, LOW, number=13, named="4D", buried="JS TS", sweep="off")
    assert (ended.honours, ended.won, ended.swept) == (18, True, False)
    ended = result(taken, LOW, number=20, named="4D", buried="JS TS")
    assert (ended.honours, ended.won, ended.swept) == (18, False, False), "18 are no 20"
    ended = result([ALL.removesuffix(" QS JS TS"), "", "QS", "", ""], LOW, named="4D", buried="JS TS")
    assert ended.won


@pytest.mark.rule("P9.5")
@pytest.mark.parametrize(
    ("trump", "specials"),
    [
        ("clubs", "AS JC JS"),
        ("spades", "AS JC JS"),
        ("hearts", "AS JD JH"),
        ("diamonds", "AS JD JH"),
        ("no-trump", "AS"),
    ],
)
def test_with_sweep_specials_napoleons_side_loses_with_mighty_and_both_jacks(trump: str, specials: str) -> None:
    suit = SUITS[trump]
    assert is_swept("specials", 13, suit, cards(specials), 0)
    assert not is_swept("specials", 20, suit, cards(specials), 0)
    for missing in specials.split():
        left = cards(specials) & ~cards(missing)
        assert not is_swept("specials", 13, suit, left, 0)
        assert not is_swept("specials", 13, suit, left, cards(missing)), "a buried card was not taken in a trick"
    assert not is_swept("honours", 13, suit, cards(specials), 0)
    others = HONOURS & ~cards(specials)
    assert not is_swept("specials", 13, suit, others, 0)


@pytest.mark.rule("P10.1", "P10.2", "G1.3")
def test_the_scores_of_a_deal() -> None:
    assert deal_scores(2, 4, won=True) == (-1, -1, 2, -1, 1)
    assert deal_scores(2, 4, won=False) == (1, 1, -2, 1, -1)
    assert deal_scores(1, 1, won=True) == (-1, 4, -1, -1, -1)
    assert deal_scores(1, 1, won=False) == (1, -4, 1, 1, 1)


# ---- the match -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("P10.3", "P10.5", "G1.2")
@pytest.mark.parametrize(("deals", "first_dealer"), [(1, 0), (5, 0), (7, 3)])
def test_a_match_has_so_many_deals_the_deal_passes_clockwise_and_scores_add_up(deals: int, first_dealer: int) -> None:
    assert NAPOLEON.resolve_options({}) == {"deals": 5, "first_dealer": 0, "sweep": "honours"}
    state, chance = dealt(3, deals=deals, first_dealer=first_dealer), random.Random(deals)
    dealers, totals = [state.dealer], [0] * 5
    moves = Counter[str]()
    while NAPOLEON.decisions(state):
        seat = turn(state)
        move = NAPOLEON.random_move(state, seat, chance)
        moves[NAPOLEON.text.move_kind(move)] += 1
        for shown in NAPOLEON.apply(state, seat, move):
            if isinstance(shown.event, DealEnded):
                totals = [total + score for total, score in zip(totals, shown.event.scores, strict=True)]
                assert view(state).scores == tuple(totals)
                if NAPOLEON.decisions(state):
                    dealers.append(state.dealer)
    assert dealers == [(first_dealer + number) % 5 for number in range(deals)]
    assert NAPOLEON.outcome(state) == Outcome(tuple(totals))
    assert (moves["play"], moves["bury"], moves["name"]) == (50 * deals, deals, deals)
    assert moves["bid"] <= 40 * deals
    assert moves["approve"] <= (4 * 40 + 15) * deals


@pytest.mark.rule("P10.5", "G4.4")
def test_the_longest_auction_ends() -> None:
    state = dealt()
    do(state, *["approve"] * 15)
    calls = 0
    while state.napoleon < 0 or len(legal(state)) > 1:
        # Each bid is the lowest there is, made when only one approval is missing.
        lowest = next(text for text in legal(state) if text.startswith("bid"))
        text = lowest if not state.calls or list(state.calls[-3:]) == [0] * 3 else "approve"
        do(state, text)
        calls += 1
    assert state.calls[-1] == 40
    assert calls <= 160


@pytest.mark.rule("P10.4")
@pytest.mark.parametrize("seat", range(5))
def test_giving_up_loses_four_for_the_deal_in_progress_and_each_to_come(seat: int) -> None:
    def after(complete: int) -> tuple[int, ...]:
        state = dealt(2, deals=3)
        while state.deal < complete and NAPOLEON.decisions(state):
            do(state, legal(state)[-1] if not state.call else legal(state)[0])
        scores = NAPOLEON.forfeit(state, seat).scores
        return tuple([score - other for score, other in zip(scores, state.scores, strict=True)])

    for complete, left in ((0, 3), (1, 2), (2, 1), (3, 0)):
        assert after(complete) == tuple([-4 * left if other_seat == seat else left for other_seat in range(5)])
