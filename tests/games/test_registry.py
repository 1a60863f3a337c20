"""The registry of games."""

from __future__ import annotations

import pytest

from fudaba_games.game import GameError
from fudaba_games.naga.rules import NAGA
from fudaba_games.registry import GAMES, UnknownGame, game


def test_games_are_listed_by_their_ids_in_order() -> None:
    assert list(GAMES) == sorted(one.id for one in GAMES.values())


def test_a_game_is_found_by_its_id() -> None:
    assert game("naga") is NAGA


def test_an_unknown_game_is_refused_with_those_that_exist() -> None:
    with pytest.raises(UnknownGame, match=f"there is no game 'Naga'; there are: {', '.join(GAMES)}") as refused:
        game("Naga")
    assert isinstance(refused.value, GameError)
