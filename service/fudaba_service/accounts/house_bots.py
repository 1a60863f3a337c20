"""The house bots, and their names."""

from __future__ import annotations

from typing import Final, NamedTuple, final

from fudaba.bots import STRATEGIES
from fudaba.v1 import errors_pb2
from fudaba_service.refusals import Refused

__all__ = ["HOUSE", "HouseBot", "house_bot", "house_bots", "is_house", "players"]

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


def house_bot(game: str, name: str) -> HouseBot:
    """Returns the house bot of a name. Refuses unknown ones and says which there are."""
    offered = {offered_bot.name: offered_bot for offered_bot in house_bots(game)}
    if name not in offered:
        raise Refused(
            errors_pb2.REASON_BOT_NOT_FOUND, f"no house bot {name[:40]!r} plays {game}; there are: {', '.join(offered)}"
        )
    return offered[name]


def is_house(bot: str) -> bool:
    """Returns whether a bot's name is a house bot's."""
    return bot.startswith(HOUSE)


def players() -> list[str]:
    """Returns every house bot as `name/version`."""
    return [f"{HOUSE}{name}/{VERSION}" for name in _DESCRIPTIONS]
