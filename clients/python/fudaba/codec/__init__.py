"""Rule values to messages and back, one module per game, and nowhere else."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

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

_CODECS: Final = {
    "houniek": "HouniekCodec",
    "makhop": "MakhopCodec",
    "makkaik": "MakkaikCodec",
    "mokkaik": "MokkaikCodec",
    "naga": "NagaCodec",
    "namto": "NamtoCodec",
    "napoleon": "NapoleonCodec",
    "nerts": "NertsCodec",
    "niekhi": "NiekhiCodec",
    "numbers_crush": "NumbersCrushCodec",
    "tashot": "TashotCodec",
}
_made: dict[str, GameCodec[Any, Any, Any]] = {}


def codec(game: str) -> GameCodec[Any, Any, Any]:
    """The codec of a registered game's id."""
    if game not in _made:
        _made[game] = getattr(import_module(f"fudaba.codec.{game}"), _CODECS[game])()
    return _made[game]
