"""Ends, views, texts and refusals of Numbers Crush: docs/rules/numbers_crush.md, C9 to C11."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from fudaba.codec import codec
from fudaba.v1 import game_pb2
from fudaba_games.game import PUBLIC, IllegalMove, MalformedMove
from fudaba_games.numbers_crush import DealEnded, Handed, NumbersCrushView, Phase, Received, Set, Victory, cards_of
from fudaba_games.numbers_crush.cards import DECK
from fudaba_games.numbers_crush.rules import NUMBERS_CRUSH
from fudaba_games.numbers_crush.state import NumbersCrushState
from fudaba_games.numbers_crush.turns import begin_turn, deal_scores, end_deal
from tests.support.conformance.dump import dump
from tests.support.games.numbers_crush.positions import asked, cards, dealt, do, holding, turn, view

# ---- the end -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("C9.1", "C9.3")
@pytest.mark.parametrize(
    ("seats", "winners", "scores"),
    [(2, 1, (1, -1)), (5, 4, (-1, -1, 4, -1, -1)), (4, 0b1010, (-2, 2, -2, 2)), (3, 7, (0, 0, 0))],
)
def test_each_loser_pays_each_winner_one(seats: int, winners: int, scores: tuple[int, ...]) -> None:
    assert deal_scores(seats, winners) == scores


@pytest.mark.rule("C9.2", "C9.3")
def test_after_300_turns_the_fewest_cards_win() -> None:
    state = holding("8H", "KC QC", "KD QD JD", "KS QS")
    state.turns = 299
    events: list[Any] = []
    begin_turn(state, events)
    assert (state.turns, view(state).phase) == (300, Phase.DRAW)
    ended = do(state, "skip", "pass")[-1]
    assert isinstance(ended, DealEnded)
    assert (ended.winners, ended.victory, ended.scores) == (0b101, Victory.FEWEST_CARDS, (1, -2, 1))


@pytest.mark.rule("C9.2")
def test_lost_turns_are_not_counted() -> None:
    state = holding("8H", "5H 5C KC", "KD QD JD", "KS QS JS")
    do(state, "set 5H 5C")
    assert (turn(state), state.turns) == (0, 2)


@pytest.mark.rule("C9.4")
@pytest.mark.parametrize(("dealer", "winners", "following"), [(0, 4, 2), (2, 0b011, 0), (1, 0b011, 1), (2, 0b111, 2)])
def test_the_winner_deals_next(dealer: int, winners: int, following: int) -> None:
    state = dealt(3, 1, deals=2, first_dealer=dealer)
    end_deal(state, winners, Victory.FEWEST_CARDS, [])
    assert (state.deal, state.dealer) == (1, following)
    assert NUMBERS_CRUSH.outcome(state) is None
    end_deal(state, 1, Victory.EMPTY_HAND, [])
    outcome = NUMBERS_CRUSH.outcome(state)
    assert outcome is not None
    assert outcome.scores == tuple(
        score + other for score, other in zip(deal_scores(3, winners), deal_scores(3, 1), strict=True)
    )
    assert view(state).phase == Phase.OVER


@pytest.mark.rule("C9.6")
def test_giving_up_pays_for_every_deal_to_come() -> None:
    state = dealt(4, 1, deals=3)
    assert NUMBERS_CRUSH.forfeit(state, 2).scores == (3, 3, -9, 3)
    end_deal(state, 4, Victory.EMPTY_HAND, [])
    assert NUMBERS_CRUSH.forfeit(state, 2).scores == (1, 1, -3, 1)


# ---- who sees what -------------------------------------------------------------------------------------------------


def played(seats: int, seed: int) -> tuple[NumbersCrushState, list[Any]]:
    """Returns a match by chance, to its end, and what was shown."""
    state, chance, shown = dealt(seats, seed), random.Random(seed), []
    while due := NUMBERS_CRUSH.decisions(state):
        shown += NUMBERS_CRUSH.apply(state, due[0].seat, NUMBERS_CRUSH.random_move(state, due[0].seat, chance))
    return state, shown


@pytest.mark.rule("C10.1", "C10.2")
def test_only_cards_that_come_face_down_are_private() -> None:
    kinds = set()
    for seed in range(12):
        for shown_event in played(3, seed)[1]:
            kinds.add(type(shown_event.event))
            if isinstance(shown_event.event, Received):
                assert shown_event.to == 1 << shown_event.event.seat
            elif isinstance(shown_event.event, Handed):
                assert shown_event.to == 1 << shown_event.event.seat | 1 << shown_event.event.to
            else:
                assert shown_event.to == PUBLIC
    assert {Received, Handed} <= kinds


def test_kinds_are_counted_as_their_moves_are() -> None:
    state, chance = dealt(4, 5), random.Random(5)
    while due := NUMBERS_CRUSH.decisions(state):
        counts = Counter(map(NUMBERS_CRUSH.text.move_kind, NUMBERS_CRUSH.legal_moves(state, due[0].seat)))
        assert NUMBERS_CRUSH.legal_kinds(state, due[0].seat) == tuple(counts.items())
        NUMBERS_CRUSH.advance(state, due[0].seat, NUMBERS_CRUSH.random_move(state, due[0].seat, chance))


@pytest.mark.rule("C10.1", "C10.2")
def test_views_differ_in_what_is_private_only() -> None:
    state, chance = dealt(4, 3), random.Random(3)
    while due := NUMBERS_CRUSH.decisions(state):
        NUMBERS_CRUSH.advance(state, due[0].seat, NUMBERS_CRUSH.random_move(state, due[0].seat, chance))
        views = [view(state, seat) for seat in (None, 0, 1, 2, 3)]
        for name in set(NumbersCrushView._fields) - {"hand", "known_alone", "answered"}:
            assert len({getattr(seat_view, name) for seat_view in views}) == 1, name
        assert [seat_view.hand for seat_view in views] == [0, *state.hands]
        assert not any(views[0].known_alone)
        assert views[0].hand_sizes == tuple(hand.bit_count() for hand in state.hands)
        assert sum(views[0].hand_sizes) + views[0].stock + views[0].pile.bit_count() + 1 == 54


@pytest.mark.rule("C10.3")
def test_a_view_tells_what_is_known_of_a_hand_until_it_may_have_gone() -> None:
    state = holding("8S", "7S 7C 2S KC QH 9S", "KS QS", "QC 7D 7H", stock="2D 3D 4D")
    state.bind, state.bind_maker = 1, 2
    do(state, "set 7C 7S", "give 2S 1", "give KC 2")
    assert view(state, 0).known_alone == (0, cards("2S"), cards("KC"))
    assert view(state, 1).known_alone == view(state, 2).known_alone == (0, 0, 0)
    state.bind = 2
    do(state, "skip", "pass")
    assert turn(state) == 1
    do(state, "decline", "decline", "decline")
    assert view(state).known == (0, cards("2D 3D 4D"), 0)
    assert view(state, 0).known_alone[1] == cards("2S")


@pytest.mark.rule("C10.3")
def test_what_was_known_of_a_giver_only_the_receiver_still_knows() -> None:
    state = holding("8S", "7S KC 2C 3C", "KS QS", "QH JH")
    state.known[0] = cards("2C KC")
    state.known_alone[3 * 1 + 0] = cards("3C")
    do(state, "set 7S", "give KC 2")
    assert view(state).known == (0, 0, 0)
    assert view(state, 1).known_alone == (0, 0, 0)
    assert view(state, 2).known_alone == (cards("2C"), 0, 0)
    assert view(state, 0).known_alone == (0, 0, cards("KC"))


@pytest.mark.rule("C10.3", "C10.4")
@pytest.mark.parametrize("seats", range(2, 6))
def test_redeals_hold_every_card_once_and_keep_what_is_known(seats: int) -> None:
    chance = random.Random(12)
    for seed in range(2):
        state = dealt(seats, seed)
        while due := NUMBERS_CRUSH.decisions(state):
            for seat in (None, *range(seats)):
                other = NUMBERS_CRUSH.redeal(state, seat, chance)
                in_hands = [card for hand in other.hands for card in cards_of(hand)]
                held = [*other.stock, other.base, *cards_of(other.pile), *in_hands]
                assert sorted(held) == cards_of(DECK)
                seen = view(state, seat)
                for holder, hand in enumerate(other.hands):
                    assert not (seen.known[holder] | seen.known_alone[holder]) & ~hand
            NUMBERS_CRUSH.advance(state, due[0].seat, NUMBERS_CRUSH.random_move(state, due[0].seat, chance))


@pytest.mark.rule("C10.4")
def test_every_deal_of_what_is_unseen_is_equally_likely() -> None:
    state = holding("8H", "KC", "KD QD", "KS", stock="2C 3C")
    state.known[1] = cards("KD")
    chance = random.Random(1)
    counts = Counter((redeal.hands[1] ^ cards("KD"), redeal.hands[2], tuple(redeal.stock))
                     for redeal in (NUMBERS_CRUSH.redeal(state, 0, chance) for _ in range(4800)))  # fmt: skip
    assert len(counts) == 24
    assert all(140 < count < 260 for count in counts.values())


# ---- texts, messages and refusals ----------------------------------------------------------------------------------


@pytest.mark.rule("C11.1", "C11.2")
@pytest.mark.parametrize(
    "text",
    ["skip", "draw", "pass", "set 3C 5D", "set 8H X1=8S", "set X1=8 8H", "set X1=joker", "set TH=A", "set 9C to H",
     "set X1=9 to S", "decline", "discard 2C", "give 2C 3", "zero_out", "counter"],
)  # fmt: skip
def test_moves_have_one_text_and_one_message(text: str) -> None:
    move = NUMBERS_CRUSH.text.parse_move(text)
    assert NUMBERS_CRUSH.text.format_move(move) == text
    message = game_pb2.Move()
    codec("numbers_crush").move_to_proto(move, message)
    assert codec("numbers_crush").move_from_proto(message) == move


@pytest.mark.rule("C11.1", "C11.2")
@pytest.mark.parametrize(
    "text",
    ["", "skip 1", "set", "set 3", "set 3C 3C", "set X1", "set X1=", "set X1=14", "set X1=X2", "set TH=K", "set 3C=A",
     "set 9C to", "set 9C to X", "set to H", "give 2C", "give 2C 5", "give 2C ٣", "discard",
     "discard 2C 3C", "zero out"],
)  # fmt: skip
def test_what_is_no_move_is_malformed(text: str) -> None:
    with pytest.raises(MalformedMove):
        NUMBERS_CRUSH.text.parse_move(text)


@pytest.mark.rule("C11.5")
def test_faces_may_be_left_out_where_cards_stand_for_themselves() -> None:
    message = game_pb2.Move()
    numbers: Any = [3, 18]
    message.numbers_crush.set.cards.extend(numbers)
    assert codec("numbers_crush").move_from_proto(message) == NUMBERS_CRUSH.text.parse_move("set 3C 5D")
    faces: Any = [3]
    message.numbers_crush.set.faces.extend(faces)
    with pytest.raises(MalformedMove):
        codec("numbers_crush").move_from_proto(message)


def refused(state: NumbersCrushState, move: Any) -> str:
    """Returns the rule by which a move is refused; the state stays as it is."""
    before, seat = dump(state), asked(state)[0]
    with pytest.raises(IllegalMove) as error:
        NUMBERS_CRUSH.check(state, seat, NUMBERS_CRUSH.text.parse_move(move) if isinstance(move, str) else move)
    assert str(error.value)
    assert dump(state) == before
    return error.value.rule


@pytest.mark.rule("C4.1", "C4.2", "C4.3", "C4.4", "C4.6", "C4.7", "C4.8", "C11.4", "G5.2")
@pytest.mark.parametrize(
    ("move", "rule"),
    [
        ("skip", "WRONG_KIND_OF_MOVE"),
        ("decline", "WRONG_KIND_OF_MOVE"),
        ("discard 2C", "WRONG_KIND_OF_MOVE"),
        ("set KH", "CARD_NOT_IN_HAND"),
        ("set 3C 4C", "CARD_NOT_IN_HAND"),
        (Set((4, 4), (4, 4)), "CARD_NAMED_TWICE"),
        (Set((), ()), "NO_CARDS"),
        (Set((4,), ()), "FACES_MISSING"),
        (Set((4,), (5,)), "WRONG_FACE"),
        (Set((52,), (53,)), "WRONG_FACE"),
        (Set((99,), (99,)), "NO_SUCH_CARD"),
        (Set((4,), (99,)), "NO_SUCH_FACE"),
        (Set((4,), (4,), 7), "NO_SUCH_SUIT"),
        ("set 5C", "NO_SUCH_SET"),
        ("set 4H 6H", "NO_SUCH_SET"),
        ("set 5C 4H", "NO_SUCH_SET"),
        ("set 4H 6H 5H", "RUN_NOT_IN_ORDER"),
        ("set 5C 5H", "CARRIER_NOT_AT_BOTTOM"),
        ("set 9H", "SUIT_NOT_NAMED"),
        ("set 4H to C", "SUIT_NAMED_IN_VAIN"),
        ("set X1=joker 4H", "JOKER_NOT_ALONE"),
        ("set X1=7", "JOKER_MISNAMED"),
        ("set X1=7C", "JOKER_MISNAMED"),
        ("set 5C X1=3", "JOKER_MISNAMED"),
        ("set X2=2 X1=6C", "LISTED_OTHERWISE"),
    ],
)
def test_wrong_sets_are_refused_with_the_reason_that_applies(move: Any, rule: str) -> None:
    assert refused(holding("8H", "3C 5C 4H 5H 6H 9H X1 X2", "KC KS"), move) == rule


@pytest.mark.rule("C7.1", "C7.2", "C7.4", "C7.7", "G5.2")
@pytest.mark.parametrize(
    ("limit", "move", "rule"),
    [
        ("bind", "set 4H", "COLOUR_BIND"),
        ("pending", "set 4H", "DRAW_THREE"),
        ("pending", "set X1=joker", "DRAW_THREE"),
        ("king_penalty", "set 4H", "KING_TIME"),
        ("king_penalty", "set JS X1=Q", "KING_TIME"),
        ("joker_lock", "set 4H", "JOKER_LOCK"),
        ("joker_lock", "set JS X1=JC", "JOKER_LOCK"),
    ],
)
def test_what_a_limit_forbids_is_refused_with_its_name(limit: str, move: str, rule: str) -> None:
    state = holding("QH", "4H JS X1 QS", "KC KS")
    setattr(state, limit, True if limit == "joker_lock" else 1 if limit == "bind" else 3)
    assert refused(state, move) == rule


OTHER_WAYS = (
    "cards of its number, a run of its suit, cards of one number with one of its suit at the bottom, or cards that add "
    "up to its number"
)


@pytest.mark.rule("C4.5", "C6.6", "C7.2")
@pytest.mark.parametrize(
    ("changed", "base", "advice"),
    [
        (
            {},
            "8 of hearts",
            f"one card of its suit, {OTHER_WAYS}",
        ),
        (
            {"phase": Phase.RESET},
            "8 of hearts",
            f"any one card, {OTHER_WAYS}",
        ),
        ({"bind": 1}, "8", "one card, or cards that are of one number or a run, or add up to its number"),
        ({"number": 0, "suit": -1}, "a joker", "one card, or cards that are of one number or a run of one suit"),
        ({"number": 0, "suit": -1, "bind": 1}, "a joker", "one card, or cards that are of one number or a run"),
    ],
)
def test_a_refusal_says_what_may_be_set_here(changed: dict[str, int], base: str, advice: str) -> None:
    state = holding("8H", "4S 7C QH", "KC KS")
    for name, value in changed.items():
        setattr(state, name, int(value))
    with pytest.raises(IllegalMove) as error:
        NUMBERS_CRUSH.check(state, 0, NUMBERS_CRUSH.text.parse_move("set 4S 7C"))
    assert str(error.value) == f"the base is {base}, they add up to 11; set {advice}"


@pytest.mark.rule("C6.5", "C8.3", "G5.2")
def test_gifts_and_answers_that_are_wrong_are_refused() -> None:
    state = holding("8H", "7H 2C KC", "KS QS JS")
    do(state, "set 7H")
    assert refused(state, "give 2C 0") == "NO_SUCH_SEAT"
    assert refused(state, "give 2C 3") == "NO_SUCH_SEAT"
    assert refused(state, "give 3C 1") == "CARD_NOT_IN_HAND"
    assert refused(state, "pass") == "WRONG_KIND_OF_MOVE"
    state = holding("8H", "2H KC", "AC AD")
    do(state, "set 2H")
    assert refused(state, "counter") == "WRONG_KIND_OF_MOVE"
    assert refused(state, "pass") == "WRONG_KIND_OF_MOVE"
