"""Results and scores of Napoleon, of a deal and a match: docs/rules/napoleon.md, P9 and P10, sentence by sentence."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from fudaba_games.game import Outcome
from fudaba_games.napoleon.cards import HONOURS
from fudaba_games.napoleon.rules import NAPOLEON
from fudaba_games.napoleon.scoring import deal_scores, is_swept
from fudaba_games.napoleon.values import DealEnded
from tests.support.games.napoleon.positions import SUITS, cards, dealt, do, legal, play_trick, tricks_begin, turn, view

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
