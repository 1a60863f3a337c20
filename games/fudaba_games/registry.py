"""Every game that exists, and the only place where the rules name them.

docs/extending.md, "Adding a game", lists what else a new game needs, such as messages and a codec.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final, cast, final

from fudaba_games.game import Game, GameError

AnyGame = Game[Any, Any, Any, Any]
"""A game whose types the caller need not know."""

_IDS: Final = (
    "houniek",
    "makhop",
    "makkaik",
    "mokkaik",
    "naga",
    "namto",
    "napoleon",
    "nerts",
    "niekhi",
    "numbers_crush",
    "tashot",
)
"""The ids of the games, in alphabetical order. Each game is a constant with the id's name in capitals, in the rules of
its folder.
"""


@final
class _Games(Mapping[str, AnyGame]):
    """Games by their ids. Each is imported when it is first asked for, since most commands need one game or none."""

    def __init__(self) -> None:
        self._known: dict[str, AnyGame | None] = dict.fromkeys(_IDS)

    def __getitem__(self, game_id: str) -> AnyGame:
        found = self._known[game_id]
        if found is None:
            rules = import_module(f"fudaba_games.{game_id}.rules")
            found = self._known[game_id] = cast("AnyGame", getattr(rules, game_id.upper()))
        return found

    def __contains__(self, game_id: object) -> bool:
        return game_id in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


GAMES: Final[Mapping[str, AnyGame]] = _Games()
"""Every game by its id, in the order of the ids."""


@final
class UnknownGame(GameError):
    """An id that no game has."""


def game(game_id: str) -> AnyGame:
    """Returns the game with an id. Raises `UnknownGame`, which names the existing games."""
    found = GAMES.get(game_id)
    if found is None:
        raise UnknownGame(f"there is no game {game_id!r}; there are: {', '.join(GAMES)}")
    return found
