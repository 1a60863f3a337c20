"""Calls of Tashot: docs/rules/tashot.md, TA5, sentence by sentence."""

from __future__ import annotations

import pytest

from fudaba_games.kamikisen.melds import RUN, SET
from fudaba_games.tashot.rules import TASHOT
from fudaba_games.tashot.values import Call, Discard, Discarded, Four, Opened, Phase, TashotMove, TurnBegan, Win
from tests.support.games.tashot.positions import asked, card, cards, do, holding, legal, refused, view


@pytest.mark.rule("TA5.1", "TA5.3", "TA5.4")
def test_a_call_takes_the_card_pays_for_it_and_discards() -> None:
    state = holding("r5 r0 b4 b6 r8 rK", "b0 r1 r3 b5 r7", "r4 r3 b8 b1 b7", stock="r6 r6")
    do(state, "discard r5")
    assert asked(state) == [2]
    events = do(state, "call r3 r4 r5")
    assert events == [Opened(2, 0, cards("r3 r4 r5"), RUN, 6)]
    assert view(state).scores == view(state).paid == (1, 0, -1)
    assert view(state).discards == (0, 0, 0), "the card is not a discard any more"
    assert view(state, 2).hand == cards("b1 b7 b8")
    assert view(state).phase == Phase.CALLED
    assert view(state).stock == 2, "nothing is drawn"
    assert asked(state) == [2]
    assert legal(state) == ["discard b1", "discard b7", "discard b8"]
    events = do(state, "discard b8")
    assert events[:2] == [Discarded(2, card("b8")), TurnBegan(0, 1)], "play goes on after the caller"


@pytest.mark.rule("TA5.1")
@pytest.mark.parametrize(
    ("hand", "discarded", "calls"),
    [
        ("r3 b3 b0 b6 rK", "r3", ["call r3 r3 b3"]),
        ("r3 b3 b3 b6 rK", "r3", ["call r3 r3 b3", "call r3 r3 b3 b3", "call r3 b3 b3"]),
        ("r1 r2 r4 r5 bK", "r3", ["call r1 r2 r3", "call r2 r3 r4", "call r3 r4 r5"]),
        ("b1 r2 b4 r5 bK", "r3", []),
        ("r7 r8 b1 b4 b6", "rK", []),
        ("rT bK b1 b4 b6", "bT", ["call rT bK bT"]),
        ("rS r5 b1 b4 b7", "r6", ["call rS r5 r6 as 6", "call rS r5 r6 as 7"]),
        ("rS r8 b1 b4 b6", "r7", ["call rS r7 r8"]),
        ("rS r0 b2 b4 b6", "r1", ["call rS r0 r1"]),
        ("rS r0 b3 b4 b6", "r2", ["call rS r0 r2"]),
        ("bS r5 b1 b3 b8", "r6", []),
        ("rS bS b1 r4 b8", "r6", ["call rS r4 r6", "call rS r6 bS"]),
        ("r6 r7 b1 b4 b2", "rS", ["call rS r6 r7 as 7", "call rS r6 r7 as 8"]),
        ("r6 b6 b1 b4 b8", "rS", ["call rS r6 b6"]),
        ("bS b6 r1 r4 b8", "rS", ["call rS r1 bS", "call rS r4 bS", "call rS bS b6", "call rS bS b8"]),
    ],
)
def test_a_call_makes_a_set_of_three_a_run_of_three_or_a_set_of_four(
    hand: str, discarded: str, calls: list[str]
) -> None:
    state = holding(f"{discarded} b0", hand, melds=["b7 b7 r7 r7", ""], unfinished=[])
    state.window_ms = 1
    do(state, f"discard {discarded}")
    if not calls:
        assert asked(state) == []
        return
    found = legal(state, 1)
    assert [text for text in found if text.startswith("call")] == calls
    assert found[0] == "decline"


@pytest.mark.rule("TA5.5")
def test_a_call_for_a_set_of_four_costs_one_and_earns_one_from_everybody() -> None:
    state = holding("r5 r0 b4 b6 r8 rK", "b0 r1 r3 b2 r7", "r5 b5 b5 b1 b7")
    do(state, "discard r5")
    assert legal(state) == ["decline", "call r5 r5 b5", "call r5 r5 b5 b5", "call r5 b5 b5"]
    assert do(state, "call r5 r5 b5 b5") == [Opened(2, 0, cards("r5 r5 b5 b5"), SET, 6)]
    assert view(state).scores == (0, -1, 1)
    assert view(state, 2).hand == cards("b1 b7")


@pytest.mark.rule("TA5.2", "TA5.6")
def test_a_call_must_leave_a_card_so_that_a_seat_has_one_open_meld() -> None:
    state = holding("r5 r0 b4 b6 r8 rK", "r4 r3", "b0 b0 r2 r7 r1", melds=["", "b6 b7 b8", ""])
    state.window_ms = 1
    do(state, "discard r5")
    assert legal(state, 1) == ["decline", "win"]
    assert refused(state, Call(cards("r3 r4 r5"), 6), 1)[0] == "NO_CARD_LEFT"
    state = holding("r5 r5 r7", "r0 r1 r2 b3 b5", melds=["b6 b7 b8", ""], drawn="r7")
    assert {text.split()[0] for text in legal(state)} == {"discard"}
    assert refused(state, Four(cards("r5 r5 r7")))[0] == "NO_SET_OF_FOUR"


@pytest.mark.rule("TA5.4")
def test_after_a_call_there_is_only_discarding_and_others_may_take_that_card() -> None:
    state = holding("r5 r0 b4 b6 r8 rK", "b8 b8 r3 b2 r7", "r4 r3 b8 b1 b1", melds=[])
    do(state, "discard r5", "call r3 r4 r5")
    for move in ("win", "four b8 b8 bS r8", "decline", "call r3 r4 r5"):
        rule, advice = refused(state, move)
        assert rule == "WRONG_KIND_OF_MOVE"
        assert "you have called: only `discard` is left" in advice
    do(state, "discard b8")
    assert asked(state) == [1]
    do(state, "decline")
    assert view(state).turn == 0


@pytest.mark.rule("TA5.1", "TA5.2")
@pytest.mark.parametrize(
    ("move", "rule", "advice"),
    [
        (Call(cards("r3 r4 r6"), 7), "WITHOUT_THE_DISCARD", "r5 is not in r3 r4 r6"),
        (Call(cards("r5 r6 r7"), 8), "CARD_NOT_IN_HAND", "your hand has not all of r6 r7; it is rS r3 r4 b5 bK"),
        (Call(cards("r5 r5 b5"), 6), "CARD_NOT_IN_HAND", "has not all of r5 b5"),
        (Call(cards("bS r5 b5"), 6), "CARD_NOT_IN_HAND", "has not all of bS b5"),
        (Call(cards("r5 b5"), 6), "NO_MELD_TO_CALL", "r5 b5 is not a meld to call"),
        (Call(cards("r5 b5 r4"), 6), "NO_MELD_TO_CALL", "r4 r5 b5 is not a meld to call"),
        (Call(cards("rS r3 r4 r5"), 6), "NO_MELD_TO_CALL", "rS r3 r4 r5 is not a meld to call"),
        (Call(cards("r5"), 6), "NO_MELD_TO_CALL", "r5 is not a meld to call"),
        (Call(cards("rS r4 r5"), 5), "WRONG_STRENGTH", "the run rS r4 r5 has strength 5 or 6"),
        (Call(cards("rS r4 r5"), 8), "WRONG_STRENGTH", "the run rS r4 r5 has strength 5 or 6"),
        (Call(cards("rS r5 b5"), 5), "WRONG_STRENGTH", "the set rS r5 b5 has strength 5"),
        (Call(0, 6), "NOT_CARDS", "stands for no cards"),
        (Call(-1, 6), "NOT_CARDS", "stands for no cards"),
        (Win(), "NO_WIN", "rS r3 r4 r5 b5 bK does not win"),
        (Discard(card("r3")), "WRONG_KIND_OF_MOVE", "`discard` is not due now; a card was discarded: `decline` it"),
        (Four(cards("rS r3 r4 b5")), "WRONG_KIND_OF_MOVE", "`four` is not due now"),
    ],
)
def test_a_wrong_claim_is_refused_with_the_reason(move: TashotMove, rule: str, advice: str) -> None:
    state = holding("r5 r0 b4 b6 r8 rK", "rS r3 r4 b5 bK")
    do(state, "discard r5")
    name, said = refused(state, move)
    assert name == rule
    assert advice in said
    assert move not in TASHOT.legal_moves(state, 1)
