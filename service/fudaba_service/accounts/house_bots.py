"""The house bots, and their names.

Their own process imports this module without gRPC, so it refuses nothing.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from fudaba.bots import STRATEGIES

__all__ = ["HOUSE", "HouseBot", "house_bots", "is_house", "players"]

HOUSE: Final = "house-"
"""The prefix of house bots' names, and of no others."""
VERSION: Final = "1"
"""The version of every house bot. House bots have no ratings, so it has no effect."""

_DESCRIPTIONS: Final = {
    "sensible": "Plays by simple good sense.",
    "random": "Draws the kind of move first, then one of the moves of that kind.",
    "first": "Plays the default move, always.",
}
"""The offered built-in bots, best first."""


@final
class HouseBot(NamedTuple):
    """A built-in bot of the kit that plays for the service itself."""

    name: str
    """Its name in a match, for example `house-sensible`; the built-in bot's name is `sensible`."""
    description: str


def house_bots(game: str) -> list[HouseBot]:
    """Returns the house bots that play a game, best first."""
    return [
        HouseBot(HOUSE + name, description)
        for name, description in _DESCRIPTIONS.items()
        if name != "sensible" or game in STRATEGIES
    ]


def is_house(bot: str) -> bool:
    """Returns whether a name belongs to a house bot."""
    return bot.startswith(HOUSE)


def players() -> list[str]:
    """Returns every house bot as `name/version`."""
    return [f"{HOUSE}{name}/{VERSION}" for name in _DESCRIPTIONS]
