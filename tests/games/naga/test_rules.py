"""Naga's rules: docs/rules/naga.md, N1 to N5, sentence by sentence."""

from __future__ import annotations

import pytest

from fudaba_games.cards import mask_of
from fudaba_games.game import PUBLIC, Decision, IllegalMove, Outcome
from fudaba_games.naga.cards import CARD_TEXTS, DECK, ELTAM, PLACE_NAMES, PLACES, TRUMPS, cards_of
from fudaba_games.naga.rules import NAGA
from fudaba_games.naga.state import NagaState
from fudaba_games.naga.values import Battled, Commit, DealEnded, Dealt, Designate, Designated, Received
from fudaba_games.shuffle import shuffled
from tests.support.games.naga.positions import (
    SINGLE_PLACES,
    all_cards,
    cards,
    dealt,
    default_battles,
    designate,
    fight,
    give,
    lay,
    win_singles,
)


def fought(state: NagaState) -> Battled:
    """Fights the next battle by default moves."""
    (battle,) = [shown.event for shown in default_battles(state, 1) if isinstance(shown.event, Battled)]
    return battle


# ---- cards and places ----------------------------------------------------------------------------------------------


@pytest.mark.rule("N2.1", "N2.2")
def test_the_deck_is_seven_attributes_of_seven_numbers_and_two_moons() -> None:
    texts = [letter + str(number) for letter in "DLFWATE" for number in range(1, 8)]
    assert list(CARD_TEXTS) == [*texts, "MI", "MC"]
    assert len(CARD_TEXTS) == 51 == DECK.bit_count()


@pytest.mark.rule("N2.3")
def test_every_place_has_its_name_its_trump_and_its_number_of_cards() -> None:
    state = dealt()
    table = [(place, PLACE_NAMES[place], state.layout[place].bit_count(), "DLFWATE"[TRUMPS[place]]) for place in PLACES]
    assert table == [
        (1, "Kuto", 1, "D"),
        (2, "Onotoa", 1, "F"),
        (3, "Avoria", 1, "T"),
        (4, "Eltam", 3, "A"),
        (5, "Siritas", 1, "E"),
        (6, "Cheres", 1, "L"),
        (7, "Eil", 1, "W"),
    ]


# ---- the deal ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("N3.1", "N3.2", "N3.3", "G2.4")
@pytest.mark.parametrize("dealer", [0, 1])
def test_the_deal_is_from_the_top_of_the_uncut_shuffle(dealer: int) -> None:
    seed = bytes([7]) * 32
    deck = shuffled(list(range(51)), seed, 0, 0)
    state, events = NAGA.new_match(2, NAGA.resolve_options({"first_dealer": dealer}), seed)
    laid = [[deck[0]], [deck[1]], [deck[2]], deck[3:6], [deck[6]], [deck[7]], [deck[8]]]
    assert state.layout == (0, *(mask_of(pile) for pile in laid))
    child = 1 - dealer
    assert state.hands[child] == mask_of(deck[9:14])
    assert state.hands[dealer] == mask_of(deck[14:19])
    assert [(shown.to, shown.event) for shown in events] == [
        (PUBLIC, Dealt(0, dealer, state.layout)),
        (1 << child, Received(child, mask_of(deck[9:14]))),
        (1 << dealer, Received(dealer, mask_of(deck[14:19]))),
    ]
    assert NAGA.view(state, None).stock == 32


@pytest.mark.rule("N3.2", "N4.7", "N5.1")
@pytest.mark.parametrize("dealer", [0, 1])
def test_the_stock_is_drawn_in_order_child_first(dealer: int) -> None:
    seed = bytes([0]) * 32
    stock = shuffled(list(range(51)), seed, 0, 0)[19:]
    state, _ = NAGA.new_match(2, NAGA.resolve_options({"first_dealer": dealer}), seed)
    child = 1 - dealer
    for battle in range(1, 7):
        events = default_battles(state, 1)
        assert not state.over, "choose a seed whose default moves reach Eltam"
        drawn = [(shown.to, shown.event) for shown in events if isinstance(shown.event, Received)]
        count = 3 if battle < 6 else 1
        first, second, stock = stock[:count], stock[count : 2 * count], stock[2 * count :]
        assert drawn == [
            (1 << child, Received(child, mask_of(first))),
            (1 << dealer, Received(dealer, mask_of(second))),
        ]
        assert NAGA.view(state, None).stock == len(stock)
    assert stock == []


@pytest.mark.rule("G1.2", "N10.1")
def test_the_first_dealer_is_an_option() -> None:
    assert dealt().dealer == 0
    assert dealt(first_dealer=1).dealer == 1


# ---- the battle for a single card ----------------------------------------------------------------------------------


@pytest.mark.rule("N4.1", "N11.1")
def test_every_place_but_eltam_can_be_designated() -> None:
    state = dealt()
    assert [NAGA.text.format_move(move) for move in NAGA.legal_moves(state, 1)] == [
        f"designate {place}" for place in SINGLE_PLACES
    ]


@pytest.mark.rule("N4.1", "N11.1")
def test_a_place_whose_card_has_left_the_table_can_not_be_designated_again() -> None:
    state = dealt()
    designate(state, 3)
    default_battles(state, 1)
    assert NAGA.legal_moves(state, 0) == tuple(map(Designate, (1, 2, 5, 6, 7)))
    with pytest.raises(IllegalMove, match=r"has left the table; designate one of 1, 2, 5, 6, 7") as refused:
        NAGA.check(state, 0, Designate(3))
    assert refused.value.rule == "PLACE_TAKEN"


@pytest.mark.rule("N4.1")
@pytest.mark.parametrize(
    ("place", "rule"),
    [(4, "ELTAM_NOT_DESIGNATED"), *[(place, "NO_SUCH_PLACE") for place in (0, 8, 99, -1, 1 << 70)]],
)
def test_a_designation_of_no_place_or_eltam_is_refused(place: int, rule: str) -> None:
    with pytest.raises(IllegalMove) as refused:
        NAGA.check(dealt(), 1, Designate(place))
    assert refused.value.rule == rule


@pytest.mark.rule("N4.2")
@pytest.mark.parametrize("dealer", [0, 1])
def test_the_child_designates_first_then_the_two_take_turns(dealer: int) -> None:
    state = dealt(first_dealer=dealer)
    designators = []
    for battle in range(6):
        (due,) = NAGA.decisions(state)
        designators.append(due.seat)
        assert NAGA.view(state, None).to_designate == due.seat
        designate(state, SINGLE_PLACES[battle])
        assert NAGA.view(state, None).to_designate == due.seat
        default_battles(state, 1)
        assert not state.over, "choose a seed whose default moves reach Eltam"
    assert designators == [1 - dealer, dealer] * 3
    assert NAGA.view(state, None).to_designate == -1


@pytest.mark.rule("N4.2", "N5.1")
def test_a_designation_is_due_also_where_one_place_is_left() -> None:
    state = dealt()
    default_battles(state, 5)
    (due,) = NAGA.decisions(state)
    assert len(NAGA.legal_moves(state, due.seat)) == 1


@pytest.mark.rule("N4.3", "N11.2", "G4.1")
def test_both_seats_choose_three_of_five_cards_at_the_same_time() -> None:
    state = dealt()
    designate(state, 1)
    assert list(NAGA.decisions(state)) == [Decision(0, required=True), Decision(1, required=True)]
    for seat in (0, 1):
        chosen = [cards_of(move.cards) for move in NAGA.legal_moves(state, seat) if isinstance(move, Commit)]
        assert chosen == sorted(chosen)
        assert len({tuple(choice) for choice in chosen}) == 10
        assert all(len(choice) == 3 and set(choice) <= set(cards_of(state.hands[seat])) for choice in chosen)


@pytest.mark.rule("N4.3", "N12.3")
def test_a_commitment_is_hidden_until_the_other_one_is_made() -> None:
    state = dealt()
    designate(state, 1)
    first, second = (NAGA.legal_moves(state, seat)[0] for seat in (0, 1))
    assert isinstance(first, Commit)
    assert isinstance(second, Commit)
    assert NAGA.apply(state, 1, second) == []
    assert list(NAGA.decisions(state)) == [Decision(0, required=True)]
    events = NAGA.apply(state, 0, first)
    assert events[0].to == PUBLIC
    assert isinstance(events[0].event, Battled)
    assert events[0].event.played == (first.cards, second.cards)


@pytest.mark.rule("N4.3")
def test_cards_that_are_not_in_the_hand_are_refused() -> None:
    state = dealt()
    designate(state, 1)
    own = cards_of(state.hands[0])
    stranger = mask_of([*own[:2], cards_of(state.hands[1])[0]])
    for mask in (stranger, DECK, -1, -8, 1 << 51 | mask_of(own[:2]), 1 << 4000):
        with pytest.raises(IllegalMove, match="your hand has no ") as refused:
            NAGA.check(state, 0, Commit(mask))
        assert refused.value.rule == "CARD_NOT_IN_HAND"


@pytest.mark.rule("N4.3")
@pytest.mark.parametrize("count", [0, 1, 2, 4, 5])
def test_a_wrong_number_of_cards_is_refused(count: int) -> None:
    state = dealt()
    designate(state, 1)
    with pytest.raises(IllegalMove, match=f"commit 3 cards in this battle, not {count}") as refused:
        NAGA.check(state, 0, Commit(mask_of(cards_of(state.hands[0])[:count])))
    assert refused.value.rule == "WRONG_NUMBER_OF_CARDS"


@pytest.mark.rule("N4.1", "N4.3")
def test_a_move_of_the_other_kind_is_refused() -> None:
    state = dealt()
    with pytest.raises(IllegalMove, match="designate one") as refused:
        NAGA.check(state, 1, Commit(mask_of(cards_of(state.hands[1])[:3])))
    assert refused.value.rule == "WRONG_KIND_OF_MOVE"
    designate(state, 1)
    with pytest.raises(IllegalMove, match="commit 3 cards") as refused:
        NAGA.check(state, 1, Designate(2))
    assert refused.value.rule == "WRONG_KIND_OF_MOVE"


@pytest.mark.rule("N4.4", "N1.1")
@pytest.mark.parametrize(
    ("prize", "first", "second", "winner"),
    [
        ("L7", "F2 A2 D2", "A6 T6 E6", 0),
        ("F4", "T4 E3 L3", "L4 W3 T3", 1),
        ("A5", "W5 F1 L1", "T5 W1 A1", 0),
        ("T7", "F7 T5 D4", "E7 L4 L2", None),
        ("D6", "MI D3 D2", "D7 D5 D1", 0),
        ("W7", "E6 D4 L2", "A5 T2 E1", 0),
    ],
)
def test_the_better_hand_with_the_places_card_takes_it(prize: str, first: str, second: str, winner: int | None) -> None:
    state = dealt()
    designate(state, 1)
    lay(state, 1, prize)
    events = fight(state, first, second)
    assert events[0].event == Battled(1, (cards(first), cards(second)), cards(prize), winner)
    assert state.won == tuple(cards(prize) if seat == winner else 0 for seat in (0, 1))


@pytest.mark.rule("N4.5")
def test_on_a_tie_nobody_takes_the_card_and_it_leaves_the_table() -> None:
    state = dealt()
    designate(state, 1)
    lay(state, 1, "T7")
    fight(state, "F7 T5 D4", "E7 L4 L2")
    view = NAGA.view(state, None)
    assert view.won == (0, 0)
    assert view.table[1] == 0
    assert view.discarded == cards("T7 F7 T5 D4 E7 L4 L2")
    assert Designate(1) not in NAGA.legal_moves(state, 0)


@pytest.mark.rule("N4.6")
def test_played_cards_are_out_of_the_deal() -> None:
    state = dealt()
    gone = 0
    for _ in range(5):
        battle = fought(state)
        gone |= battle.played[0] | battle.played[1]
        assert gone & ~state.discarded == 0
        assert not gone & (state.hands[0] | state.hands[1])


@pytest.mark.rule("N4.7")
def test_hands_are_five_again_after_each_of_the_first_five_battles() -> None:
    state = dealt()
    for battle in range(5):
        kept = [state.hands[seat] for seat in (0, 1)]
        played = fought(state).played
        assert [hand.bit_count() for hand in state.hands] == [5, 5]
        for seat in (0, 1):
            assert kept[seat] & ~played[seat] & ~state.hands[seat] == 0, f"a card went astray in battle {battle}"


@pytest.mark.rule("N4.8")
@pytest.mark.parametrize("seat", [0, 1])
def test_the_fifth_card_wins_the_deal_at_once(seat: int) -> None:
    state = dealt()
    win_singles(state, str(seat) * 4)
    assert list(NAGA.decisions(state)), "four cards are not a majority"
    designate(state, 6)
    lay(state, 6, "E1")
    events = fight(state, *(("MI MC F2", "F1 W3 A6") if seat == 0 else ("F1 W3 A6", "MI MC F2")))
    assert [shown.event for shown in events][1:] == [
        DealEnded((5, 0) if seat == 0 else (0, 5), (1, -1) if seat == 0 else (-1, 1))
    ], "no card is drawn any more"
    assert NAGA.outcome(state) == Outcome((1, -1) if seat == 0 else (-1, 1))
    assert NAGA.decisions(state) == ()


@pytest.mark.rule("N4.8", "N5.1")
def test_five_cards_after_the_sixth_battle_leave_eltam_unfought() -> None:
    state = dealt()
    win_singles(state, "=00000")
    assert state.over
    assert NAGA.view(state, None).table[ELTAM] == state.layout[ELTAM]


# ---- the last battle -----------------------------------------------------------------------------------------------


@pytest.mark.rule("N5.1")
def test_after_six_battles_one_card_each_is_dealt_and_eltam_follows_without_a_designation() -> None:
    state = dealt()
    win_singles(state, "0101=")
    designate(state, 7)
    events = fight(state, "F1 W3 A5", "W1 F3 T5")
    drawn = [shown.event for shown in events if isinstance(shown.event, Received)]
    assert [(received.seat, received.cards.bit_count()) for received in drawn] == [(1, 1), (0, 1)]
    assert not [shown for shown in events if isinstance(shown.event, Designated)]
    view = NAGA.view(state, None)
    assert (view.battle, view.place, view.to_designate, view.stock) == (6, ELTAM, -1, 0)
    assert [hand.bit_count() for hand in state.hands] == [3, 3]


@pytest.mark.rule("N5.2", "N11.2")
def test_both_seats_commit_two_of_three_cards_for_eltam() -> None:
    state = dealt()
    win_singles(state, "0101==")
    assert list(NAGA.decisions(state)) == [Decision(0), Decision(1)]
    for seat in (0, 1):
        a, b, c = cards_of(state.hands[seat])
        assert list(NAGA.legal_moves(state, seat)) == [Commit(mask_of(two)) for two in ([a, b], [a, c], [b, c])]
        for wrong in (mask_of([a]), mask_of([a, b, c])):
            with pytest.raises(IllegalMove, match="commit 2 cards") as refused:
                NAGA.check(state, seat, Commit(wrong))
            assert refused.value.rule == "WRONG_NUMBER_OF_CARDS"


@pytest.mark.rule("N5.3", "N5.4")
@pytest.mark.parametrize(
    ("singles", "first", "second", "won", "scores"),
    [
        pytest.param("0101==", "A5 E1", "D7 T7", (5, 2), (1, -1), id="three of a kind beats two pair"),
        pytest.param("0101==", "E1 W2", "T5 F1", (2, 5), (-1, 1), id="seat 1 takes three"),
        pytest.param("0101==", "E1 W2", "T1 F2", (2, 2), (0, 0), id="a tie, and the deal is drawn"),
        pytest.param("001===", "E1 W2", "T1 F2", (2, 1), (1, -1), id="a tie, and the singles decide"),
        pytest.param("1110==", "A5 E1", "D7 T7", (4, 3), (1, -1), id="three cards turn the deal"),
        pytest.param("======", "E1 W2", "T1 F2", (0, 0), (0, 0), id="nothing but ties"),
        pytest.param("0000==", "E1 W2", "T5 F1", (4, 3), (1, -1), id="four are more than three"),
    ],
)
def test_the_better_hand_takes_all_three_cards_and_more_cards_take_the_deal(
    singles: str, first: str, second: str, won: tuple[int, int], scores: tuple[int, int]
) -> None:
    state = dealt()
    win_singles(state, singles)
    lay(state, ELTAM, "F5 W5 L4")
    prize = state.layout[ELTAM]
    events = fight(state, first, second)
    battle = events[0].event
    assert isinstance(battle, Battled)
    assert (battle.place, battle.prize) == (ELTAM, prize)
    assert [shown.event for shown in events[1:]] == [DealEnded(won, scores)]
    assert NAGA.outcome(state) == Outcome(scores)
    assert NAGA.view(state, None).table[ELTAM] == 0
    if battle.winner is None:
        assert prize & ~state.discarded == 0


def test_cards_are_never_lost_or_doubled() -> None:
    state = dealt(deals=2)
    while due := NAGA.decisions(state):
        parts = all_cards(state)
        if not state.over:
            assert sum(parts) == DECK
            assert sum(part.bit_count() for part in parts) == 51
        NAGA.apply(state, due[-1].seat, NAGA.legal_moves(state, due[-1].seat)[-1])


def test_the_positions_of_these_tests_are_sound() -> None:
    state = dealt()
    lay(state, ELTAM, "MI MC D7")
    give(state, 0, cards("D1 D2 D3"))
    assert sum(all_cards(state)) == DECK
    assert state.layout[ELTAM] == cards("MI MC D7")
    assert cards("D1 D2 D3") & ~state.hands[0] == 0
