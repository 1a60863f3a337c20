"""Converts rule values to messages and back, with one module for each game, and nowhere else."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fudaba.by_game import class_name
from fudaba.codec.base import (
    GameCodec,
    option_from_proto,
    option_to_proto,
    options_from_proto,
    outcome_from_proto,
    outcome_to_proto,
)

__all__ = [
    "GameCodec",
    "codec",
    "option_from_proto",
    "option_to_proto",
    "options_from_proto",
    "outcome_from_proto",
    "outcome_to_proto",
]

_made: dict[str, GameCodec[Any, Any, Any]] = {}


def codec(game: str) -> GameCodec[Any, Any, Any]:
    """Returns the codec for a registered game's id: for `numbers_crush` the class `NumbersCrushCodec` in
    `numbers_crush.py`.
    """
    if game not in _made:
        _made[game] = getattr(import_module(f"fudaba.codec.{game}"), f"{class_name(game)}Codec")()
    return _made[game]
