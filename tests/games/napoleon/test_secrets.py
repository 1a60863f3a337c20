"""Who sees what in Napoleon: docs/rules/napoleon.md, P12; and what its redeals vary."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest

from fudaba_games.cards import mask_of
from fudaba_games.game import PUBLIC
from fudaba_games.napoleon.cards import DECK, SUIT_MASKS, cards_of
from fudaba_games.napoleon.dealing import deal_at_random
from fudaba_games.napoleon.rules import NAPOLEON
from fudaba_games.napoleon.state import NapoleonState
from fudaba_games.napoleon.values import NapoleonView, Phase, Received
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

EVERYONE = (0, 1, 2, 3, 4, None)
PRIVATE = {"hand", "buried"}


def stepped(state: NapoleonState, chance: random.Random) -> None:
    """One random move."""
    NAPOLEON.apply(state, turn(state), NAPOLEON.random_move(state, turn(state), chance))


def redeals(state: NapoleonState, seat: int | None, count: int = 60, salt: int = 0) -> list[NapoleonState]:
    chance = random.Random(salt)
    return [NAPOLEON.redeal(state, seat, chance) for _ in range(count)]


# ---- views and events ----------------------------------------------------------------------------------------------


@pytest.mark.rule("P12.1", "P12.2", "P12.3")
def test_only_the_hand_and_the_buried_cards_differ_between_views() -> None:
    state, chance = dealt(3, deals=2), random.Random(5)
    while NAPOLEON.decisions(state):
        stepped(state, chance)
        views = [view(state, seat) for seat in EVERYONE]
        for name in set(NapoleonView._fields) - PRIVATE:
            assert len({getattr(seat_view, name) for seat_view in views}) == 1, name
        assert [seat_view.hand for seat_view in views] == [*state.hands, 0]
        over = state.phase == Phase.OVER
        assert [seat_view.buried for seat_view in views] == [
            state.buried if over or s == state.napoleon else 0 for s in EVERYONE
        ]


@pytest.mark.rule("P12.1", "P12.2", "P12.3", "P12.4")
def test_events_are_public_except_drawn_cards() -> None:
    state, chance = dealt(4, deals=6), random.Random(6)
    shown = []
    while due := NAPOLEON.decisions(state):
        shown += NAPOLEON.apply(state, due[0].seat, NAPOLEON.random_move(state, due[0].seat, chance))
    assert {type(shown_event.event).__name__ for shown_event in shown} >= {
        "Dealt",
        "Received",
        "Stood",
        "Buried",
        "DealEnded",
    }
    for sent in shown:
        assert sent.to == (1 << sent.event.seat if isinstance(sent.event, Received) else PUBLIC)


@pytest.mark.rule("P12.3")
def test_the_widow_and_the_buried_cards_are_napoleons_secret() -> None:
    state = dealt()
    widow = state.widow
    assert not [seat for seat in EVERYONE if view(state, seat).hand & widow], "nobody has seen it in the auction"
    bid_by(state, 1, "13C")
    assert [bool(view(state, seat).hand & widow) for seat in EVERYONE] == [False, True, False, False, False, False]
    do(state, legal(state)[5])
    assert [view(state, seat).buried for seat in EVERYONE] == [0, state.buried, 0, 0, 0, 0]


@pytest.mark.rule("P12.2", "P6.2")
def test_only_the_holder_of_the_named_card_knows_that_it_is_adjutant() -> None:
    state = dealt()
    bid_by(state, 1, "13C")
    do(state, legal(state)[0])
    there = {card: seat for seat in (0, 2, 3, 4) for card in cards_of(state.hands[seat])}
    shown = {}
    for card in sorted(there):
        other = state.clone()
        NAPOLEON.apply(other, 1, NAPOLEON.legal_moves(other, 1)[card])
        assert other.adjutant == there[card]
        shown[card] = [view(other, seat)._replace(named=-1, hand=0) for seat in EVERYONE]
        assert len({repr(seen_view._replace(buried=0)) for seen_view in shown[card]}) == 1
    assert len({repr(views) for views in shown.values()}) == 1, "views do not depend on who holds the named card"


@pytest.mark.rule("P12.4")
def test_thrown_in_cards_are_not_shown() -> None:
    state = dealt()
    old = list(state.hands)
    do(state, *["approve"] * 5)
    for seat in range(5):
        assert view(state, seat).hand == state.hands[seat] != old[seat]
    assert view(state)._replace(thrown_in=0) == view(dealt())


@pytest.mark.rule("P12.5")
def test_a_view_tells_of_the_deal_in_progress_only() -> None:
    state, chance = dealt(1, deals=2), random.Random(2)
    while not state.deal:
        stepped(state, chance)
    seen = view(state)
    assert (seen.calls, seen.number, seen.trump, seen.napoleon, seen.named) == ((), 0, -1, -1, -1)
    assert (seen.adjutant, seen.leader, seen.trick, seen.tricks, seen.winners) == (-1, -1, (), (), ())
    assert (seen.honours, seen.buried, seen.thrown_in) == ((0,) * 5, 0, 0)
    assert any(seen.scores)


# ---- redeals -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("P12.2", "P12.3", "G5.1")
def test_redeals_hold_every_card_once_and_keep_to_what_the_play_has_shown() -> None:
    chance = random.Random(12)
    for number in range(12):
        state = dealt(number, deals=1)
        shown_out = [0] * 5
        while NAPOLEON.decisions(state):
            for seat in EVERYONE:
                other = NAPOLEON.redeal(state, seat, chance)
                assert sum(all_cards(other)) == DECK == sum(set(all_cards(other)))
                assert [hand.bit_count() for hand in other.hands] == [hand.bit_count() for hand in state.hands]
                assert not [hand_seat for hand_seat in range(5) if other.hands[hand_seat] & shown_out[hand_seat]]
                assert view(other, seat) == view(state, seat)
                assert NAPOLEON.legal_moves(other, turn(state)), "the seat to move can move"
            mover, led = turn(state), state.trick[0] // 13 if state.trick else -1
            before = len(state.tricks) + len(state.trick)
            stepped(state, chance)
            if led >= 0:
                card = (*state.tricks, *state.trick)[before]
                if card // 13 != led:
                    shown_out[mover] |= SUIT_MASKS[led]


@pytest.mark.rule("P12.2", "P12.3")
@pytest.mark.parametrize("seat", [0, 3, None])
def test_in_the_auction_every_unknown_card_can_be_anywhere(seat: int | None) -> None:
    state = dealt()
    unknown = DECK & ~(0 if seat is None else state.hands[seat])
    others = [hand_seat for hand_seat in range(5) if hand_seat != seat]
    places = [0] * 6
    for other in redeals(state, seat, 300):
        for holder in others:
            places[holder] |= other.hands[holder]
        places[5] |= other.widow
        assert other.seed != state.seed, "what will be dealt later is open too"
    assert [places[hand_seat] for hand_seat in (*others, 5)] == [unknown] * (len(others) + 1)


@pytest.mark.rule("P12.3")
def test_in_the_exchange_the_others_do_not_know_napoleons_cards_and_napoleon_does_not_know_theirs() -> None:
    state = dealt()
    bid_by(state, 2, "13C")
    for phase in (Phase.EXCHANGE, Phase.NAMING):
        assert state.phase == phase
        for other in redeals(state, 2, 20):
            assert (other.hands[2], other.buried) == (state.hands[2], state.buried)
        for seat in (0, None):
            changed = redeals(state, seat, 20)
            assert len({redeal.hands[2] for redeal in changed}) > 15
            assert len({redeal.buried for redeal in changed}) > 15 or phase == Phase.EXCHANGE
        do(state, legal(state)[7])


@pytest.mark.rule("P6.2", "P6.3", "P12.2")
def test_the_adjutant_can_be_anyone_as_long_as_the_named_card_is_unseen() -> None:
    state = dealt()
    bid_by(state, 2, "13C")
    do(state, legal(state)[0])
    card = cards_of(state.hands[4])[0]
    NAPOLEON.apply(state, 2, NAPOLEON.legal_moves(state, 2)[card])
    assert {redeal.adjutant for redeal in redeals(state, 0, 200)} == {1, 2, 3, 4}
    assert {redeal.adjutant for redeal in redeals(state, 4, 20)} == {4}, "the adjutant knows"
    assert {redeal.adjutant for redeal in redeals(state, 2, 200)} == {0, 1, 3, 4}, "Napoleon knows that it has it not"
    alone = [redeal for redeal in redeals(state, 0, 600) if redeal.buried >> card & 1]
    assert alone, "the named card may be buried, for all that the others know"
    assert {redeal.adjutant for redeal in alone} == {2}


@pytest.mark.rule("P6.2", "P12.1")
def test_once_the_named_card_is_played_the_adjutant_is_fixed() -> None:
    state = tricks_begin(["KD 2D", "QD 3D", "TD 4D", "AS 9D", "AD 5D"], named="TD", trump="clubs")
    do(state, "play KD", "play QD", "play TD")
    assert {redeal.adjutant for seat in EVERYONE for redeal in redeals(state, seat, 30)} == {2}


@pytest.mark.rule("P7.3", "P12.2")
def test_a_seat_that_did_not_follow_is_dealt_none_of_that_suit() -> None:
    hands = [
        "KD QD 2C 3C 4C 5C 6C 7C 8C 9C",
        "JD TD TC JC QC KC AC 2S 3S 4S",
        "AH 2H 3H 4H 5H 6H 7H 8H 9H TH",
        "9D 8D 5S 6S 7S 8S 9S TS JS QS",
        "7D 6D 5D 4D KS AS JH QH KH AD",
    ]
    state = tricks_begin(hands, named="AS", trump="spades", buried="2D 3D", first=True)
    play_trick(state, "KD JD 2H 9D 7D")
    held: dict[int, int] = dict.fromkeys(range(5), 0)
    for other in redeals(state, 0, 200):
        for seat, hand in enumerate(other.hands):
            held[seat] |= hand
    diamonds = SUIT_MASKS[1]
    assert not held[2] & diamonds
    assert all(held[seat] & diamonds for seat in (1, 3, 4))


def test_when_the_match_is_over_nothing_is_left_to_vary_but_the_seed() -> None:
    state = tricks_begin(["KD", "QD", "TD", "AS", "AD"])
    play_trick(state, "KD QD TD AS AD")
    for seat in EVERYONE:
        (other,) = redeals(state, seat, 1)
        assert [view(other, viewer) for viewer in EVERYONE] == [view(state, viewer) for viewer in EVERYONE]


# ---- dealing under bars --------------------------------------------------------------------------------------------


def every_deal(pool: int, sizes: list[int], barred: list[int]) -> set[tuple[int, ...]]:
    """Returns all deals that keep to the bars, by trying all there are."""
    if not sizes:
        return {()}
    free = cards_of(pool & ~barred[0])
    hands = [mask_of(chosen) for chosen in combinations(free, sizes[0])]
    return {(hand, *rest) for hand in hands for rest in every_deal(pool & ~hand, sizes[1:], barred[1:])}


C, D, H, S = SUIT_MASKS


@pytest.mark.parametrize(
    ("pool", "sizes", "barred"),
    [
        pytest.param("2C 3C 2D 3D 2H", [2, 2, 1], [0, 0, 0], id="no bars"),
        pytest.param("2C 3C 2D 3D 2H 2S", [2, 2, 1, 1], [C, 0, 0, 0], id="one bar"),
        pytest.param("2C 3C 2D 3D 2H 2S", [2, 2, 1, 1], [C, C, 0, 0], id="the same bar twice"),
        pytest.param("2C 3C 2D 3D 2H 2S", [2, 2, 2], [C, D, H | S], id="bars everywhere"),
        pytest.param("2C 3C 2D 3D 2H 2S", [1, 3, 0, 2], [C | D, D, S, H], id="an empty hand"),
        pytest.param("2C 3C 2D 3D", [2, 2], [C, D], id="one way only"),
        pytest.param("2C 3C 2D 2H 3H 2S", [2, 1, 2, 1], [C | D, H, 0, S | H], id="several, and one free hand"),
        pytest.param("2C 3C 4C 2D", [3, 1], [S, S], id="bars of a suit that is gone"),
    ],
)
def test_every_deal_that_keeps_to_the_bars_is_equally_likely(pool: str, sizes: list[int], barred: list[int]) -> None:
    possible = every_deal(cards(pool), sizes, barred)
    chance = random.Random(99)
    rounds = 60 * len(possible)
    found = Counter(tuple(deal_at_random(cards(pool), sizes, barred, chance)) for _ in range(rounds))
    assert set(found) == possible
    # Chi-square: its mean is the number of deals less one, its variance twice that.
    square = sum((count - 60) ** 2 / 60 for count in found.values())
    free = len(possible) - 1
    assert square <= free + 5 * (2 * free) ** 0.5


def test_a_deal_that_can_not_be_is_refused() -> None:
    chance = random.Random(1)
    for pool, sizes, barred in (("2C 3C", [1, 1], [C, C]), ("2C 2D", [1, 1], [C | D, 0]), ("2C 2D", [2, 1], [0, 0])):
        with pytest.raises(ValueError, match=r"no deal keeps to the bars|cannot fill"):
            deal_at_random(cards(pool), sizes, barred, chance)


def test_a_whole_deck_is_dealt_evenly() -> None:
    chance = random.Random(2)
    aces = Counter(
        next(place for place, hand in enumerate(deal_at_random(DECK, [10] * 5 + [2], [0] * 6, chance)) if hand & 1)
        for _ in range(2600)
    )
    for place in range(5):
        assert abs(aces[place] - 500) < 110
    assert abs(aces[5] - 100) < 50
