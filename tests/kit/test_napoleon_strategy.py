"""The sensible way to play Napoleon."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from hashlib import sha256

import pytest

from fudaba.bots.napoleon import choose_sensible, expected_honours
from fudaba_games.napoleon.cards import CARD_TEXTS
from fudaba_games.napoleon.rules import NAPOLEON
from fudaba_games.napoleon.state import NapoleonState
from fudaba_games.napoleon.values import Bid, NapoleonMove, NapoleonView, Phase
from tests.support.games.napoleon.positions import SUITS, bid_by, cards, dealt, do, play_trick, tricks_begin, turn

Player = Callable[[NapoleonView, int, Sequence[NapoleonMove]], NapoleonMove]


def chosen(state: NapoleonState) -> str:
    """Returns the move of the seat to move, as text."""
    seat = turn(state)
    move = choose_sensible(NAPOLEON.view(state, seat), seat, NAPOLEON.legal_moves(state, seat))
    NAPOLEON.check(state, seat, move)
    return NAPOLEON.text.format_move(move)


def scores(number: int, sensible: set[int]) -> tuple[int, ...]:
    """Returns the scores of a match in which some seats play sensibly and the others at random."""
    chance = random.Random(number)
    seed = sha256(str(number).encode()).digest()
    state, _ = NAPOLEON.new_match(5, NAPOLEON.resolve_options({}), seed)
    while NAPOLEON.decisions(state):
        seat = turn(state)
        if seat in sensible:
            do(state, chosen(state))
        else:
            NAPOLEON.apply(state, seat, NAPOLEON.random_move(state, seat, chance))
    outcome = NAPOLEON.outcome(state)
    assert outcome is not None
    return outcome.scores


def test_it_plays_legal_moves_and_beats_random_play_over_duplicate_deals() -> None:
    alone = [scores(deal, {seat})[seat] for deal in range(4) for seat in range(5)]
    assert sum(alone) / len(alone) > 1, "a match of five deals among four random players should win two points or more"
    four = [scores(deal, set(range(5)) - {seat})[seat] for deal in range(2) for seat in range(5)]
    assert sum(four) / len(four) < -4, "a random player among four sensible ones should lose far more"


def test_it_makes_the_same_move_again_for_the_same_view() -> None:
    state = dealt(3, deals=1)
    while NAPOLEON.decisions(state):
        text = chosen(state)
        assert text == chosen(state)
        do(state, text)


def give(state: NapoleonState, seat: int, hand: str) -> None:
    """Puts cards into a hand of ten in the place of others, wherever they are now."""
    wanted = cards(hand)
    assert wanted.bit_count() == 10
    spare = state.hands[seat] & ~wanted
    for holder in (other_seat for other_seat in range(5) if other_seat != seat):
        while lost := state.hands[holder] & wanted:
            back = spare & -spare
            spare ^= back
            state.hands[holder] ^= lost & -lost | back
    while lost := state.widow & wanted:
        back = spare & -spare
        spare ^= back
        state.widow ^= lost & -lost | back
    state.hands[seat] = wanted


STRONG = "AS AH KH QH JH TH 9H JD AC KC"
WEAK = "2C 3C 4D 5D 6H 7H 8S 9S 2D 3S"


def test_it_bids_a_strong_hand_in_its_suit_and_approves_a_weak_one() -> None:
    state = dealt()
    give(state, 1, STRONG)
    assert chosen(state) == "bid 13H"
    state = dealt()
    give(state, 1, WEAK)
    assert chosen(state) == "approve"


def test_it_stops_where_a_bid_is_more_than_the_hand_is_worth() -> None:
    expected = max(expected_honours(cards(STRONG), suit) for suit in range(5))
    highest = 0
    for number in range(13, 21):
        state = dealt()
        give(state, 2, STRONG)
        do(state, f"bid {number}S")
        if chosen(state) != "approve":
            highest = number + 1
    assert 13 < highest <= expected + 1


def test_who_must_bid_makes_the_best_of_it() -> None:
    state = dealt()
    do(state, *["approve"] * 15)
    give(state, 1, WEAK)
    move = NAPOLEON.text.parse_move(chosen(state))
    assert isinstance(move, Bid)
    assert move.number == 13


def test_it_buries_no_strong_card_and_names_the_strongest_that_it_has_not_got() -> None:
    state = dealt()
    give(state, 1, STRONG)
    bid_by(state, 1, "14H")
    do(state, chosen(state))
    assert not state.buried & cards(STRONG) & ~cards("KC AC")
    assert state.phase == Phase.NAMING
    named = cards(chosen(state).removeprefix("name "))
    assert not named & (state.hands[1] | state.buried)


@pytest.mark.parametrize(("hand", "named"), [
    ("KH QH JH TH 9H JD AC KC AD KD", "AS"),
    ("AS KH QH TH 9H JD AC KC AD KD", "JH"),
    ("AS KH QH JH TH 9H AC KC AD KD", "JD"),
    ("AS KH QH JH TH 9H JD KC AD KD", "AH"),
])  # fmt: skip
def test_it_names_mighty_then_the_jacks_then_the_ace_of_trumps(hand: str, named: str) -> None:
    state = dealt()
    give(state, 1, hand)
    # The widow may hold the card that is wanted: it goes to another seat.
    wanted = cards(named)
    if state.widow & wanted:
        other = state.hands[2] & -state.hands[2]
        state.widow ^= wanted | other
        state.hands[2] ^= wanted | other
    bid_by(state, 1, "14H")
    do(state, chosen(state))
    assert chosen(state) == f"name {named}"


def test_the_last_seat_takes_a_rich_trick_as_cheaply_as_it_can() -> None:
    rest = [" 2D 2H 8H 9H", " 3D 3H 7H 8D", " 4D 4H 6H 7D", " 5D 5H TH 6D", " AS 3S 4S 9D"]

    def last_of(*trick: str) -> str:
        hands = [card + more for card, more in zip((*trick, ""), rest, strict=True)]
        hands[4] += " TD"
        state = tricks_begin(hands, trump="spades", named="2D")
        play_trick(state, " ".join(trick))
        return chosen(state)

    assert last_of("KC", "QC", "TC", "JC") == "play AS", "only Mighty beats the left jack"
    assert last_of("KC", "QC", "TC", "9C") == "play 3S"


def test_it_gives_honours_to_its_own_side_and_none_to_the_other() -> None:
    def last_of(adjutant_leads: bool) -> str:
        named = "2H" if adjutant_leads else "9H"
        state = tricks_begin(["AD 2H", "3D 3H", "4D 4H", "5D 5H", "TC 2C"], trump="spades", named=named, napoleon=0)
        if not adjutant_leads:
            state.named, state.adjutant = CARD_TEXTS.index("2C"), 4
        play_trick(state, "AD 3D 4D 5D")
        return chosen(state)

    assert last_of(adjutant_leads=False) == "play TC", "the adjutant feeds Napoleon"
    assert last_of(adjutant_leads=True) == "play 2C", "the coalition does not"


def test_it_bids_no_trump_only_by_what_no_trump_needs() -> None:
    aces = cards("AC AD AH AS KC KD KH KS QC QD")
    assert expected_honours(aces, SUITS["no-trump"]) > 12.5
    assert expected_honours(cards(WEAK), SUITS["no-trump"]) < 11
