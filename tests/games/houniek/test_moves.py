"""Moves and texts of Houniek: docs/rules/houniek.md, HO9; every wrong move is refused with its reason."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fudaba.codec import codec
from fudaba.v1 import game_pb2
from fudaba_games.game import IllegalMove, MalformedMove
from fudaba_games.houniek import HouniekMove, Lay, Meld, Pass, colours_of, melds_of, outdoes
from fudaba_games.houniek.moves import Many, runs
from fudaba_games.houniek.rules import HOUNIEK
from fudaba_games.houniek.state import HouniekState
from fudaba_games.kamikisen.cards import DECK, is_settled, places_of, settled
from fudaba_games.kamikisen.choices import parts_of
from fudaba_games.kamikisen.melds import RUN, SET, SINGLE
from tests.support import sizes
from tests.support.conformance.dump import dump
from tests.support.games.houniek.positions import cards, dealt, do, holding, legal, turn

# ---- legal moves ---------------------------------------------------------------------------------------------------


def by_trying(state: HouniekState, seat: int) -> list[HouniekMove]:
    """Returns the legal moves by the words of the rules: every choice of cards of the hand is tried."""
    newest = Meld(state.form, state.size, state.foot)
    lays = [
        Lay(meld.form, part, meld.foot)
        for part in parts_of(state.hands[seat])
        for meld in (melds_of(part) if part else ())
        if not state.form or (part & state.colours and outdoes(meld, newest))
    ]
    lays.sort(key=lambda lay: ((SINGLE, RUN, SET).index(lay.form), places_of(lay.cards), lay.foot))
    return [*([Pass()] if state.form else []), *lays]


@pytest.mark.rule("HO9.1", "HO9.4", "HO4.4", "HO6.1", "HO6.2", "HO6.3")
@settings(max_examples=sizes.some(40, least=10))
@given(st.integers(2, 4), st.integers(0, 255), st.randoms(use_true_random=False))
def test_legal_moves_are_all_there_in_order_and_once(seats: int, seed: int, chance: random.Random) -> None:
    state = dealt(seats, seed, deals=1)
    while HOUNIEK.decisions(state):
        seat = turn(state)
        if state.hands[seat].bit_count() <= 12:
            moves = HOUNIEK.legal_moves(state, seat)
            expected = by_trying(state, seat)
            assert list(moves) == expected
            assert len(moves) == len(expected)
            assert [moves[0], moves[-1]] == [expected[0], expected[-1]]
            assert list(moves[1:4]) == expected[1:4]
            kinds = Counter(HOUNIEK.text.move_kind(move) for move in expected)
            assert HOUNIEK.legal_kinds(state, seat) == list(kinds.items())
        HOUNIEK.advance(state, seat, HOUNIEK.random_move(state, seat, chance))


@pytest.mark.rule("HO9.4")
@pytest.mark.parametrize("newest", ["", "single r5", "run b4 b5", "run r5 r6", "set b2 b2"])
@pytest.mark.parametrize("hand", [
    "r1 b1 r2 b2 r3 r5 b5 r6 b6 r0 b0 bT rS",
    "r0 r0 b0 b0 b0 r4 b5 b7 rK",
    "r1 r1 r2 r3 r4 r5 r6 r7 r8 rK rT rS r0 r0",
])  # fmt: skip
def test_the_run_at_an_index_is_the_same_counted_or_listed(hand: str, newest: str) -> None:
    state = holding("r5 b4 b5 b5 r6 b2 b2 b8", hand)
    if newest:
        do(state, newest)
    some = runs(state, cards(hand))
    listed = list(some)
    assert len(some) == len(listed)
    assert listed == sorted(set(listed), key=lambda lay: (places_of(lay.cards), lay.foot))
    assert [some.counted(index) for index in range(len(some))] == listed


@pytest.mark.rule("HO9.4")
def test_a_million_runs_are_a_list_that_is_not_made() -> None:
    hand = "r0 r0 b0 b0 " + " ".join([f"{colour}{kind}" for colour in "rb" for kind in "12345678KTS"])
    state = holding(hand, "r1")
    moves = HOUNIEK.legal_moves(state, 0)
    assert isinstance(moves, Many)
    assert len(moves) > 1_000_000
    chance = random.Random(1)
    places = sorted(chance.sample(range(len(moves)), 300))
    some = [moves[place] for place in places]
    for move in some:
        HOUNIEK.check(state, 0, move)
        assert HOUNIEK.text.parse_move(HOUNIEK.text.format_move(move)) == move
    keys = [
        ((SINGLE, RUN, SET).index(move.form), places_of(move.cards), move.foot)
        for move in some
        if isinstance(move, Lay)
    ]
    assert keys == sorted(set(keys))
    with pytest.raises(IndexError):
        moves[len(moves)]


@pytest.mark.rule("HO9.1", "HO9.4")
def test_the_default_is_to_pass_and_for_a_leader_the_first_single() -> None:
    state = holding("r1 b8 rS", "r3 b3 r0")
    assert legal(state)[0] == "single rS"
    do(state, "single r1")
    assert legal(state) == [
        "pass",
        *[f"single r0 foot {letter}" for letter in "2345678KT"],
        "single r3",
    ]  # fmt: skip


# ---- texts ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("HO9.1", "HO9.2", "HO9.3", "G4.5")
@pytest.mark.parametrize(("text", "move", "same"), [
    ("pass", Pass(), "  pass "),
    ("single r7", Lay(SINGLE, cards("r7"), 6), "single r7 foot 7"),
    ("single r0 foot K", Lay(SINGLE, cards("r0"), 8), "single   r0 foot  K"),
    ("run r8 rT bK", Lay(RUN, cards("r8 bK rT"), 7), "run bK rT r8 foot 8"),
    ("run r0 r3 foot 2", Lay(RUN, cards("r0 r3"), 1), "run r3 r0 foot 2"),
    ("run r0 r3 b5", Lay(RUN, cards("r0 r3 b5"), 2), "run b5 r3 r0 foot 3"),
    ("set r3 b3", Lay(SET, cards("r3 b3"), 2), "set b3 r3 foot 3"),
    ("set rS r0", Lay(SET, cards("r0 rS"), 10), "set r0 rS"),
])  # fmt: skip
def test_a_move_has_one_text_and_an_answer_some_freedom(text: str, move: HouniekMove, same: str) -> None:
    assert HOUNIEK.text.format_move(move) == text
    assert HOUNIEK.text.parse_move(text) == HOUNIEK.text.parse_move(same) == move


@pytest.mark.rule("HO9.3", "HO3.3")
def test_a_run_of_all_kinds_names_its_foot() -> None:
    whole = "r1 r2 r3 r4 r5 r6 r7 r8 rK rT bS"
    state = holding(f"{whole} r1", "r1")
    texts = [text for text in legal(state) if len(text.split()) == 14]
    assert texts == [f"run {whole} foot {letter}" for letter in "12345678KTS"]


@pytest.mark.rule("HO9.5", "HO4.2", "HO3.3")
@pytest.mark.parametrize(("text", "advice"), [
    ("", "empty"),
    ("lay r1", "not a move of Houniek"),
    ("pass r1", "alone"),
    ("single", "takes cards"),
    ("single r1 r2", "not a single but a run"),
    ("single r9", "not a card"),
    ("single r1 foot 2", "can only have the foot 1"),
    ("single r0", "say which"),
    ("single r0 foot 0", "not a foot"),
    ("single r0 foot", "not a card"),
    ("run r0 r3", "say which"),
    ("run r1 r3", "not a meld"),
    ("run r0 r3 foot 7", "can only have the foot 2 or 3"),
    ("run r0 b0", "not a meld"),
    ("set rK rT", "not a set but a run"),
    ("set r0 r0", "not a meld"),
    ("set rS rS", "only 1 of rS"),
    ("run r1 r2 r3 r4 r5 r6 r7 r8 rK rT rS", "say which"),
    ("set r3 b3 foot 12", "not a foot"),
])  # fmt: skip
def test_what_is_no_move_is_malformed_with_advice(text: str, advice: str) -> None:
    with pytest.raises(MalformedMove, match=advice):
        HOUNIEK.text.parse_move(text)


# ---- messages ------------------------------------------------------------------------------------------------------


def message(cards_: list[int], **more: Any) -> game_pb2.Move:
    """Returns a move as a message, with the numbers of the enums."""
    made = game_pb2.Move()
    meld: Any = made.houniek.lay.meld
    meld.cards.extend(cards_)
    for name, value in more.items():
        setattr(meld, name, value)
    return made


@pytest.mark.rule("HO4.4", "HO9.3")
def test_a_message_may_leave_out_what_the_cards_say() -> None:
    read = codec("houniek").move_from_proto
    assert read(message([12, 11, 10])) == Lay(RUN, cards("r8 rK rT"), 7)
    assert read(message([5, 17], form=2)) == Lay(SET, cards("r3 b3"), 2)
    assert read(message([2, 5], form=2)) == Lay(SET, cards("r0 r3"), 2)
    assert read(message([2, 5], form=3, foot=4)) == Lay(RUN, cards("r0 r3"), 1)
    assert read(message([2, 5], foot=4)) == Lay(RUN, cards("r0 r3"), 1)
    assert read(message([2], foot=1)) == Lay(SINGLE, cards("r0"), 10)


@pytest.mark.rule("HO9.5")
@pytest.mark.parametrize(("sent", "advice"), [
    (message([]), "needs cards"),
    (message([0]), "not a KamikisenCard"),
    (message([25]), "not a KamikisenCard"),
    (message([1, 1]), "only 1 of rS"),
    (message([3], form=4), "not a KamikisenForm"),
    (message([3], foot=0), "not a KamikisenKind"),
    (message([3], foot=2), "none is wild"),
    (message([3], foot=13), "not a KamikisenKind"),
    (message([3], foot=4), "can only have the foot 1"),
    (message([2, 5]), "a run with foot 2, a run with foot 3 or a set with foot 3"),
    (message([2, 5], foot=5), "say which"),
    (message([3, 5]), "not a meld"),
    (game_pb2.Move(), "Move.game"),
])  # fmt: skip
def test_a_message_that_is_no_move_is_malformed_with_advice(sent: game_pb2.Move, advice: str) -> None:
    with pytest.raises(MalformedMove, match=advice):
        codec("houniek").move_from_proto(sent)


def test_a_message_without_a_kind_of_move_is_malformed() -> None:
    sent = game_pb2.Move()
    sent.houniek.SetInParent()
    with pytest.raises(MalformedMove, match="pass or lay"):
        codec("houniek").move_from_proto(sent)


# ---- wrong moves ---------------------------------------------------------------------------------------------------


def expected_rule(state: HouniekState, seat: int, move: HouniekMove) -> str:  # noqa: PLR0911 - one for each reason
    """Returns the first of the reasons that applies, by the words of the rules; empty for a legal move."""
    if isinstance(move, Pass):
        return "" if state.form else "LEAD_A_MELD"
    if not is_settled(move.cards) or not move.cards:
        return "NOT_CARDS"
    if move.cards & ~state.hands[seat]:
        return "CARD_NOT_IN_HAND"
    melds = melds_of(move.cards)
    meld = Meld(move.form, move.cards.bit_count(), move.foot)
    if not melds:
        return "NO_MELD"
    if meld not in melds:
        return "WRONG_FOOT" if move.form in {candidate.form for candidate in melds} else "WRONG_FORM"
    newest = Meld(state.form, state.size, state.foot)
    if not state.form or (move.cards & colours_of(state.table[-1].cards) and outdoes(meld, newest)):
        return ""
    if not move.cards & colours_of(state.table[-1].cards):
        return "NO_COMMON_COLOUR"
    if meld.size > newest.size:
        return "OTHER_FOOT"
    return "TOO_WEAK" if (meld.form, meld.size) == (newest.form, newest.size) else "OTHER_MELD"


@st.composite
def wrong_moves(draw: st.DrawFn, hand: int) -> HouniekMove:
    """Moves of cards that are there, or not there, or no cards, read in any way."""
    part = settled(draw(st.integers(0, DECK)) & hand)
    some = draw(st.sampled_from([
        part, hand, hand & -hand, part | draw(st.integers(0, DECK)), part << 1, -part, 0, 1 << 60,
        draw(st.sampled_from(parts_of(hand)[:4096])),
    ]))  # fmt: skip
    real = melds_of(some) if some and is_settled(some) else ()
    moves: list[HouniekMove] = [Pass(), *[Lay(meld.form, some, meld.foot) for meld in real]]
    moves += [Lay(form, some, draw(st.integers(-1, 12))) for form in (SINGLE, SET, RUN, 0, 4, -1)]
    return draw(st.sampled_from(moves))


@settings(max_examples=sizes.some(150, least=30), deadline=None)
@given(st.integers(2, 4), st.integers(0, 255), st.integers(0, 25), st.data())
def test_every_wrong_move_is_refused_with_its_reason_and_changes_nothing(
    seats: int, seed: int, moves: int, data: st.DataObject
) -> None:
    state, chance = dealt(seats, seed, deals=1), random.Random(seed)
    for _ in range(moves):
        if HOUNIEK.decisions(state):
            HOUNIEK.advance(state, turn(state), HOUNIEK.random_move(state, turn(state), chance))
    if not HOUNIEK.decisions(state):
        return
    seat = turn(state)
    before = dump(state)
    for _ in range(8):
        move = data.draw(wrong_moves(state.hands[seat]))
        rule = expected_rule(state, seat, move)
        if rule:
            with pytest.raises(IllegalMove) as refused:
                HOUNIEK.check(state, seat, move)
            assert refused.value.rule == rule, f"{move} is refused by {refused.value}"
            assert len(str(refused.value)) > 20
        else:
            HOUNIEK.check(state, seat, move)
        assert dump(state) == before


@pytest.mark.parametrize(("move", "rule", "advice"), [
    (Lay(SINGLE, 0, 0), "NOT_CARDS", "name one or more cards"),
    (Lay(SINGLE, cards("r1 r1") ^ cards("r1"), 0), "NOT_CARDS", "second copy only with the first"),
    (Lay(SINGLE, cards("r7"), 6), "CARD_NOT_IN_HAND", "it is r0 r1 r2 r3 b3"),
    (Lay(RUN, cards("r1 r3"), 0), "NO_MELD", "follow each other on the circle"),
    (Lay(SET, cards("r1 r2"), 0), "WRONG_FORM", "can only be a run"),
    (Lay(SINGLE, cards("r0 r3"), 0), "WRONG_FORM", "a run or a set"),
    (Lay(RUN, cards("r0 r3"), 4), "WRONG_FOOT", "can only have the foot 2 or 3"),
    (Lay(SINGLE, cards("r2"), 2), "WRONG_FOOT", "can only have the foot 2"),
    (Lay(SINGLE, cards("b3"), 2), "NO_COMMON_COLOUR", "at least one red card, or pass"),
    (Lay(SINGLE, cards("r1"), 0), "TOO_WEAK", "soldier does not beat bow"),
    (Lay(SINGLE, cards("r0"), 1), "TOO_WEAK", "bow does not beat bow"),
    (Lay(RUN, cards("r1 r2"), 0), "OTHER_FOOT", "needs the foot of the newest one, 2, not 1"),
])  # fmt: skip
def test_a_refusal_says_what_to_do(move: Lay, rule: str, advice: str) -> None:
    state = holding("r2 b8", "r0 r1 r2 r3 b3")
    do(state, "single r2")
    with pytest.raises(IllegalMove, match=advice) as error:
        HOUNIEK.check(state, 1, move)
    assert error.value.rule == rule


def test_fewer_cards_or_another_type_are_refused_with_what_the_newest_meld_is() -> None:
    state = holding("r2 r3 b8", "r3 r4 b3")
    do(state, "run r2 r3")
    for text in ("single r4", "set r3 b3"):
        with pytest.raises(IllegalMove, match="is a run of 2; lay a run of 2") as error:
            HOUNIEK.check(state, 1, HOUNIEK.text.parse_move(text))
        assert error.value.rule == "OTHER_MELD"


@pytest.mark.parametrize("form", [-1, 0, 4, 99])
def test_a_meld_of_no_form_has_no_kind(form: int) -> None:
    with pytest.raises(ValueError, match=f"{form} is not a valid Form"):
        HOUNIEK.text.move_kind(Lay(form, cards("r7"), 8))
