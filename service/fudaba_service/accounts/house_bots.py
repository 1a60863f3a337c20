"""The house bots, and their names.

Their own process imports this, which needs no gRPC: so nothing is refused here.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from fudaba.bots import STRATEGIES

__all__ = ["HOUSE", "HouseBot", "house_bots", "is_house", "players"]

HOUSE: Final = "house-"
"""Names of house bots begin with this, and no others."""
VERSION: Final = "1"
"""The version of every house bot. They have no ratings, so that nothing hangs on it."""

_DESCRIPTIONS: Final = {
    "sensible": "Plays by simple good sense.",
    "random": "Draws the kind of move first, then one of the moves of that kind.",
    "first": "Plays the default move, always.",
}
"""The built-in bots that are offered, the best first."""


@final
class HouseBot(NamedTuple):
    """A built-in bot of the kit that sits in a match as the service's own."""

    name: str
    """The name under which it sits in a match, for example `house-sensible`; the built-in bot's is `sensible`."""
    description: str


def house_bots(game: str) -> list[HouseBot]:
    """Returns the house bots that play a game, the best first."""
    return [
        HouseBot(HOUSE + name, description)
        for name, description in _DESCRIPTIONS.items()
        if name != "sensible" or game in STRATEGIES
    ]


def is_house(bot: str) -> bool:
    """Returns whether a bot's name is a house bot's."""
    return bot.startswith(HOUSE)


def players() -> list[str]:
    """Returns every house bot as `name/version`."""
    return [f"{HOUSE}{name}/{VERSION}" for name in _DESCRIPTIONS]
