"""Tricks of Napoleon: docs/rules/napoleon.md, P7 and P8, sentence by sentence."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest

from fudaba_games.game import IllegalMove
from fudaba_games.napoleon.cards import CARD_TEXTS
from fudaba_games.napoleon.tricks import is_same_two, playable, trick_winner
from fudaba_games.napoleon.values import TrickTaken
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
