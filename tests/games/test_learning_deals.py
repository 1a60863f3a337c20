"""The guided first deals of the page keep to the rules, and each decision of the learner has its prompt."""

from __future__ import annotations

from typing import Any

import pytest

from fudaba_games.makkaik.showdown import best_meld
from fudaba_games.makkaik.state import MakkaikState
from fudaba_games.naga.state import NagaState
from fudaba_games.nerts.state import NertsState
from fudaba_games.registry import GAMES
from tests.support.page.deals import DEALS, LEARNER_SEAT_NUMBER, choices, positions, record_of
from tests.support.page.learning import LANGUAGES, learning

GUIDED = sorted(deal.stem for deal in DEALS.glob("*.json"))


def test_every_game_has_a_guided_deal() -> None:
    assert set(GUIDED) == GAMES.keys()


@pytest.mark.parametrize("game_id", GUIDED)
def test_the_rules_allow_every_move_and_the_learner_sees_what_they_show(game_id: str) -> None:
    kept = record_of(game_id)
    assert kept["positions"] == positions(game_id, kept["record"])


@pytest.mark.parametrize("game_id", GUIDED)
def test_no_other_move_is_better_at_once_than_the_advised_move(game_id: str) -> None:
    for advised, states in choices(game_id, record_of(game_id)["record"]):
        gains = {move: _gain(game_id, state) for move, state in states.items()}
        assert gains[advised] == max(gains.values()), advised


def _gain(game_id: str, state: Any) -> tuple[int, int]:
    """Returns what the learner has: the score if the deal is over, and what counts before that.

    In Naga that is the lead in table cards, in Nerts what the cards count for so far, and in Makkaik the best meld.
    """
    outcome = GAMES[game_id].outcome(state)
    lead = 0
    if isinstance(state, NagaState):
        own, others = state.won
        lead = own.bit_count() - others.bit_count()
    elif isinstance(state, NertsState):
        layout = GAMES[game_id].view(state, None).seats[LEARNER_SEAT_NUMBER]
        lead = layout.founded - 2 * layout.nerts_size
    elif isinstance(state, MakkaikState):
        view = GAMES[game_id].view(state, LEARNER_SEAT_NUMBER)
        lead = best_meld(view.hand, view.public_cards).category
    return (0 if outcome is None else outcome.scores[LEARNER_SEAT_NUMBER], lead)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game_id", GUIDED)
def test_each_decision_has_a_prompt(game_id: str, language: str) -> None:
    words = learning(f"deals/{language}", game_id)
    assert len(words["prompts"]) == len(record_of(game_id)["positions"]) - 1
    assert words["end"]
