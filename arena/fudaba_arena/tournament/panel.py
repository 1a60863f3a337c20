"""Panels: built-in bots whose strengths were measured, so that they fix what 1500 means in a ladder's season.

`panels.toml` of the rules' package has the measured panels, one for each version of a game's rules, with the settings
under which it was measured. A season keeps the panels that it began with.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, Self, final

from fudaba_arena.tournament.games import TournamentGame

__all__ = [
    "PANEL_PREFIX",
    "PANEL_ZERO_POINTS",
    "MeasuredPanel",
    "Panel",
    "PanelBot",
    "measured_panels",
    "panel_for",
]

PANEL_PREFIX: Final = "panel-"
"""The beginning of the names under which a panel's bots play in a ladder."""
PANEL_ZERO_POINTS: Final = 1500.0
"""The rating of the built-in bot `sensible` in every panel, in Elo points."""


@final
@dataclass(frozen=True, slots=True)
class PanelBot:
    """A built-in bot with its measured strength."""

    builtin: str
    """The name of the built-in bot, for example `random`."""
    rating: float
    """The measured rating, in Elo points; `sensible` has 1500."""
    half: float
    """Half the width of the rating's 95 % interval, in Elo points."""

    @property
    def name(self) -> str:
        """The name under which it plays in a ladder."""
        return PANEL_PREFIX + self.builtin


@final
@dataclass(frozen=True, slots=True)
class Panel:
    """The bots whose ratings are fixed in the seasons of a game, and the unit of these ratings."""

    game: str
    spread: float
    """The spread of scores between two even bots in a match, as root mean square, in points of the game; see
    `fudaba_arena.ladder.ratings`.
    """
    bots: tuple[PanelBot, ...]

    def definition(self) -> dict[str, Any]:
        """Converts it to JSON values."""
        return {"game": self.game, "spread": self.spread, "bots": [asdict(bot) for bot in self.bots]}

    @classmethod
    def from_definition(cls, definition: Mapping[str, Any]) -> Self:
        """Returns the panel of a stored definition."""
        bots = tuple(PanelBot(bot["builtin"], bot["rating"], bot["half"]) for bot in definition["bots"])
        return cls(definition["game"], definition["spread"], bots)


@final
@dataclass(frozen=True, slots=True)
class MeasuredPanel:
    """A panel, and what was played when it was measured."""

    panel: Panel
    played: TournamentGame
    """The game with its settings; `blocks` and `deals` are not among them."""

    def fits(self, game: TournamentGame) -> bool:
        """Returns whether the strengths hold for a game of a tournament: for its rules, seats, options and margin."""
        return all(
            getattr(self.played, key) == getattr(game, key)
            for key in ("game", "rules_version", "seats", "options", "win_margin")
        )


@cache
def measured_panels() -> Mapping[str, MeasuredPanel]:
    """Returns the shipped panels by game."""
    tables = tomllib.loads(files("fudaba_games").joinpath("panels.toml").read_text("utf-8"))
    found = {}
    for game, table in tables.items():
        bots = tuple(PanelBot(name, bot["rating"], bot["half"]) for name, bot in table["bots"].items())
        played = TournamentGame(
            game,
            table["seats"],
            table["options"],
            win_margin=table["win_margin"],
            rules_version=table["rules_version"],
        )
        found[game] = MeasuredPanel(Panel(game, table["spread"], bots), played)
    return found


def panel_for(game: TournamentGame) -> Panel | None:
    """Returns the panel of a game of a tournament; None if none was measured with its rules and settings."""
    measured = measured_panels().get(game.game)
    return measured.panel if measured is not None and measured.fits(game) else None
