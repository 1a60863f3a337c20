"""Every rule of High Card's page. Tests of a game name the numbers of the rules that they show."""

from __future__ import annotations

from random import Random

import pytest

from fudaba_games.game import IllegalMove, MalformedMove
from high_card.kit.bot import choose_sensible
from high_card.rules import HIGH_CARD
from high_card.state import HighCardState
from high_card.supposing import supposed
from high_card.turns import DECK
from high_card.values import Compared, DealEnded, HighCardEvent, Pass, Play, Received


def dealt(**options: int) -> HighCardState:
    """Returns a dealt match, always the same one."""
    return HIGH_CARD.new_match(2, HIGH_CARD.resolve_options(options), bytes(32))[0]


def holding(first: list[int], second: list[int], stock: list[int], deals: int = 1) -> HighCardState:
    """Returns a position; the stock's top is first."""
    state = dealt(deals=deals)
    state.hands, state.stock = [first, second], stock
    return state


def do(state: HighCardState, *texts: str) -> list[HighCardEvent]:
    """Checks and plays a move of seat 0, one of seat 1, and so on."""
    events: list[HighCardEvent] = []
    for number, text in enumerate(texts):
        move = HIGH_CARD.text.parse_move(text)
        HIGH_CARD.check(state, number % 2, move)
        events += [shown.event for shown in HIGH_CARD.apply(state, number % 2, move)]
    return events


@pytest.mark.rule("HC1.1", "HC2.1")
@pytest.mark.parametrize("dealer", [0, 1])
def test_each_seat_gets_three_of_twelve_cards(dealer: int) -> None:
    state = dealt(first_dealer=dealer)
    assert [len(hand) for hand in state.hands] == [3, 3]
    assert sorted([*state.hands[0], *state.hands[1], *state.stock]) == list(DECK)


@pytest.mark.rule("HC3.1", "HC3.2", "HC3.4", "HC6.1")
def test_both_choose_in_secret_then_show_and_draw() -> None:
    state = holding([1, 5, 9], [2, 6, 10], [3, 4, 7, 8, 11, 12])
    before = HIGH_CARD.view(state, 1)
    assert do(state, "play 5") == []
    assert [due.seat for due in HIGH_CARD.decisions(state)] == [1]
    assert (HIGH_CARD.view(state, 0).chosen, HIGH_CARD.view(state, 1)) == (5, before)
    shown = HIGH_CARD.apply(state, 1, Play(6))
    assert [shown_event.event for shown_event in shown] == [Compared((5, 6)), Received(0, (3,)), Received(1, (4,))]
    assert [shown_event.to for shown_event in shown][1:] == [0b01, 0b10]
    assert state.hands == [[1, 3, 9], [2, 4, 10]]
    assert HIGH_CARD.view(state, None).hand == ()


@pytest.mark.rule("HC3.3", "HC4.1")
@pytest.mark.parametrize(
    ("first", "second", "scores"),
    [("play 5", "play 6", (-1, 1)), ("play 1", "pass", (1, -1)), ("pass", "pass", (0, 0))],
)
def test_the_higher_card_wins_the_round(first: str, second: str, scores: tuple[int, int]) -> None:
    state = holding([1, 5, 9], [2, 6, 10], [3, 4, 7, 8, 11, 12])
    do(state, first, second)
    assert state.scores == scores


@pytest.mark.rule("HC3.1", "HC4.2")
def test_after_three_rounds_the_other_seat_deals_and_after_all_deals_it_is_over() -> None:
    state = holding([1, 5, 9], [2, 6, 10], [3, 4, 7, 8, 11, 12], deals=2)
    assert isinstance(do(state, *["pass"] * 6)[2 + 1], DealEnded)
    assert (state.deal, state.dealer, state.played) == (1, 1, ())
    assert HIGH_CARD.outcome(state) is None
    do(state, *["pass"] * 6)
    outcome = HIGH_CARD.outcome(state)
    assert outcome is not None
    assert outcome.scores == (0, 0)


@pytest.mark.rule("HC4.3")
def test_who_gives_up_loses_what_is_left() -> None:
    state = holding([1, 5, 9], [2, 6, 10], [3, 4, 7, 8, 11, 12], deals=2)
    do(state, "play 9", "play 2")
    assert HIGH_CARD.forfeit(state, 0).scores == (1 - 5, -1 + 5)


@pytest.mark.rule("HC5.1")
def test_passing_comes_first_then_the_cards() -> None:
    state = holding([1, 5, 9], [2, 6, 10], [3, 4, 7, 8, 11, 12])
    assert [HIGH_CARD.text.format_move(move) for move in HIGH_CARD.legal_moves(state, 0)] == [
        "pass", "play 1", "play 5", "play 9",
    ]  # fmt: skip
    with pytest.raises(IllegalMove, match="your hand has no 2; it has 1, 5, 9"):
        HIGH_CARD.check(state, 0, Play(2))


@pytest.mark.rule("HC5.2")
@pytest.mark.parametrize("text", ["", "play", "play 0", "play 13", "play 1 2", "fold", "pass 1"])
def test_what_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(MalformedMove, match="is not a move; write"):
        HIGH_CARD.text.parse_move(text)


def test_a_state_is_made_of_a_view_alone() -> None:
    state = holding([1, 5, 9], [2, 6, 10], [3, 4, 7, 8, 11, 12])
    do(state, "play 5", "pass")
    view = HIGH_CARD.view(state, 1)
    made = supposed(view, 1, deals=1)
    assert HIGH_CARD.view(made, 1) == view
    assert sorted([*made.hands[0], *made.hands[1], *made.stock, 5]) == list(DECK)


def test_the_sensible_bot_wins_more_than_it_loses_against_chance() -> None:
    total = 0
    for number in range(60):
        chance, seat = Random(number), number % 2
        state, _ = HIGH_CARD.new_match(2, HIGH_CARD.resolve_options({"deals": 5}), bytes([number]) * 32)
        while due := HIGH_CARD.decisions(state):
            acting = due[0].seat
            legal = HIGH_CARD.legal_moves(state, acting)
            own = acting == seat
            move = (
                choose_sensible(HIGH_CARD.view(state, acting), acting, legal)
                if own
                else chance.choice([*legal, Pass()])
            )
            HIGH_CARD.check(state, acting, move)
            HIGH_CARD.advance(state, acting, move)
        total += state.scores[seat]
    assert total > 60
