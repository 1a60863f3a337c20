"""Every registered game keeps every promise of the engine's interface."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fudaba_games.registry import GAMES, AnyGame
from tests.support.conformance.checks import CHECKS

# The rules that hold for every game, and that these checks show.
pytestmark = pytest.mark.rule("G1.3", "G2.1", "G3.2", "G4.2", "G4.3", "G4.4", "G4.5", "G5.1", "G5.2")


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)  # all of a game share its matches
@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_a_game_keeps_its_promise(check: Callable[[AnyGame], None], game: AnyGame) -> None:
    check(game)
