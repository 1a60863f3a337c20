"""Every game that exists. A new game is added here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, final

from fudaba_games.game import Game, GameError
from fudaba_games.houniek.rules import HOUNIEK
from fudaba_games.makhop.rules import MAKHOP
from fudaba_games.makkaik.rules import MAKKAIK
from fudaba_games.mokkaik.rules import MOKKAIK
from fudaba_games.naga.rules import NAGA
from fudaba_games.namto.rules import NAMTO
from fudaba_games.napoleon.rules import NAPOLEON
from fudaba_games.nerts.rules import NERTS
from fudaba_games.niekhi.rules import NIEKHI
from fudaba_games.numbers_crush.rules import NUMBERS_CRUSH
from fudaba_games.tashot.rules import TASHOT

AnyGame = Game[Any, Any, Any, Any]
"""A game whose types the caller need not know."""

_ALL: Final[tuple[AnyGame, ...]] = (
    HOUNIEK,
    MAKHOP,
    MAKKAIK,
    MOKKAIK,
    NAGA,
    NAMTO,
    NAPOLEON,
    NERTS,
    NIEKHI,
    NUMBERS_CRUSH,
    TASHOT,
)

GAMES: Final[Mapping[str, AnyGame]] = {one.id: one for one in sorted(_ALL, key=lambda one: one.id)}
"""Every game by its id, in the order of the ids."""


@final
class UnknownGame(GameError):
    """An id that no game has."""


def game(game_id: str) -> AnyGame:
    """The game of an id. Raises `UnknownGame`, which says what exists."""
    found = GAMES.get(game_id)
    if found is None:
        raise UnknownGame(f"there is no game {game_id!r}; there are: {', '.join(GAMES)}")
    return found
