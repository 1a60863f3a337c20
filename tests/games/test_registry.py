"""The registry of games."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import fudaba_games
from fudaba_games.game import GameError
from fudaba_games.naga.rules import NAGA
from fudaba_games.registry import GAMES, UnknownGame, game


def test_games_are_listed_by_their_ids_in_order() -> None:
    assert list(GAMES) == sorted(listed_game.id for listed_game in GAMES.values())


def test_a_game_is_found_by_its_id() -> None:
    assert game("naga") is NAGA


def test_every_folder_with_rules_is_a_game() -> None:
    folder = Path(fudaba_games.__file__).parent
    assert [place.parent.name for place in sorted(folder.glob("*/rules.py"))] == list(GAMES)


def test_no_rules_are_loaded_that_nobody_asks_for() -> None:
    seen = "[name for name in sys.modules if name.startswith('fudaba_games.') and name.endswith('.rules')]"
    code = f"import sys; from fudaba_games.registry import GAMES; list(GAMES); GAMES['naga']; print({seen})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "['fudaba_games.naga.rules']\n"


def test_an_unknown_game_is_refused_with_those_that_exist() -> None:
    with pytest.raises(UnknownGame, match=f"there is no game 'Naga'; there are: {', '.join(GAMES)}") as refused:
        game("Naga")
    assert isinstance(refused.value, GameError)
