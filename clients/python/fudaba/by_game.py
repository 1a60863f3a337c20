"""Finds the kit's parts of a game by the game's id: codec, table and strategy, each in a module with that name.

A package such as `fudaba.codec` has one module for each game, with a class named after the game. So a new game is found
without a list.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from fudaba_games.registry import GAMES

__all__ = ["class_name", "games_in", "module_of"]


def class_name(game_id: str) -> str:
    """Returns the prefix of a game's classes: `NumbersCrush` for `numbers_crush`."""
    return "".join(word.capitalize() for word in game_id.split("_"))


def games_in(package: str) -> frozenset[str]:
    """Returns the registered games with a module in a package. None is loaded."""
    return frozenset([game_id for game_id in GAMES if find_spec(f"{package}.{game_id}") is not None])


def module_of(package: str, game_id: str) -> ModuleType | None:
    """Returns the module of a registered game in a package; None if it has none."""
    name = f"{package}.{game_id}"
    return import_module(name) if game_id in GAMES and find_spec(name) is not None else None
