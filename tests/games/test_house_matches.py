"""The matches of house bots on the page of a new arena keep to the rules, and show what a spectator would see."""

from __future__ import annotations

import pytest

from fudaba_games.registry import GAMES
from tests.support.page.house_matches import HOUSE_MATCHES, house_match, seen_positions


def test_every_game_has_a_match_of_house_bots() -> None:
    assert {match.stem for match in HOUSE_MATCHES.glob("*.json")} == GAMES.keys()


@pytest.mark.parametrize("game_id", sorted(GAMES))
def test_the_rules_allow_every_move_and_a_spectator_sees_what_is_shown(game_id: str) -> None:
    kept = house_match(game_id)
    assert kept["positions"] == seen_positions(game_id, kept["record"])
