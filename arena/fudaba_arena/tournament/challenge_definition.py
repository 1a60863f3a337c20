"""A challenge: a tournament of two bots, derived from an entry of a ladder, that belongs to no ladder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Self, final

from fudaba.sequential import SequentialTest
from fudaba_arena.forms import known_fields, readable
from fudaba_arena.tournament.definition import BotEntry, Tournament, stored_tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_games.registry import GAMES

__all__ = ["MAX_BLOCKS", "MAX_SEQUENTIAL_BLOCKS", "Challenge", "Invited", "challenge_name"]

MAX_BLOCKS: Final = 100
"""The number of blocks that a challenge may have. That many observations make an interval narrow enough for most
questions.
"""
MAX_SEQUENTIAL_BLOCKS: Final = 1_000
"""The number of blocks at which a sequential test may end, if it is not decided sooner."""
_CONCURRENT_MATCHES: Final = 4
"""The number of simultaneous matches of a challenge."""


def challenge_name(challenge_id: str) -> str:
    """Returns the name of a challenge's tournament, which is also the label of its matches."""
    return f"challenge.{challenge_id}"


@final
@dataclass(frozen=True, slots=True)
class Invited:
    """The players and the game of a challenge."""

    game: TournamentGame
    """The game as in the ladder, with the requested number of blocks."""
    challenger: BotEntry
    """The challenger, named `BOT@VERSION` as in a season."""
    challenged: BotEntry
    house_bot: str
    """The house bot in the other seats; unused in a game of two."""

    def tournament(self, name: str, ladder: Tournament) -> Tournament:
        """Returns the challenge's tournament, by the rules of a season of the ladder."""
        seats = range(1, self.game.seats - 1)
        house = [BotEntry(f"{self.house_bot}@{seat}", stateless=True) for seat in seats]
        return Tournament(
            name=name,
            games=(replace(self.game, rules_version=GAMES[self.game.game].rules_version),),
            bots=(*(replace(bot, games=()) for bot in (self.challenger, self.challenged)), *house),
            same_author=True,
            clock=ladder.clock,
            connect_seconds=ladder.connect_seconds,
            concurrency=_CONCURRENT_MATCHES,
            attempts=ladder.attempts,
            no_shows=ladder.no_shows,
            limits=ladder.limits,
            names_hidden=ladder.names_hidden,
            sittings=ladder.sittings,
        )


@final
@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge as stored at its creation. It never changes."""

    challenge_id: str
    ladder: str
    """The ladder's name."""
    challenger: str
    """The challenger, as `BOT@VERSION`."""
    challenged: str
    account: str
    """The account that requested it; empty for the organiser."""
    owners: tuple[str, str]
    """The owners of the challenger and of the challenged bot; empty for none."""
    created_ms: int
    expires_ms: int
    definition: Mapping[str, Any]
    """The definition of its tournament."""
    started: Mapping[str, tuple[str, int]]
    """The facts about arena-started bots that the definition lacks: the folder, and the number of simultaneous
    matches.
    """
    attempts: int
    no_shows: int
    bounds: tuple[float, float] | None = None
    """The bounds of its sequential test, in normalised Elo; None for other challenges. A release that does not know the
    test plays all blocks.
    """

    @property
    def test(self) -> SequentialTest | None:
        """The sequential test of the challenge. Raises `BadStored` for invalid bounds."""
        if self.bounds is None:
            return None
        with readable("a challenge"):
            return SequentialTest(*self.bounds)

    @property
    def name(self) -> str:
        """The name of its tournament."""
        return challenge_name(self.challenge_id)

    @property
    def accounts(self) -> set[str]:
        """The accounts that own it. They see it, and may end it."""
        return {self.account, *self.owners} - {""}

    @classmethod
    def from_tournament(cls, tournament: Tournament, **known: Any) -> Self:
        """Returns a challenge with this tournament."""
        own = [bot for bot in tournament.bots if not bot.remote]
        return cls(
            definition=tournament.definition(),
            started={bot.name: (str(bot.cwd), bot.capacity) for bot in own},
            attempts=tournament.attempts,
            no_shows=tournament.no_shows,
            **known,
        )

    def tournament(self) -> Tournament:
        """Returns its tournament."""
        filed = stored_tournament(self.name, self.definition, self.attempts)
        bots = []
        for bot in filed.bots:
            cwd, capacity = self.started.get(bot.name, ("", 0))
            bots.append(replace(bot, cwd=Path(cwd), capacity=capacity))
        return replace(filed, bots=tuple(bots), concurrency=_CONCURRENT_MATCHES, no_shows=self.no_shows)

    def line(self) -> str:
        """Returns its stored form."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def read(cls, line: str | bytes) -> Self:
        """Reads a stored challenge."""
        with readable("a challenge"):
            values = known_fields(cls, json.loads(line), "a challenge")
            started = {name: (cwd, capacity) for name, (cwd, capacity) in values["started"].items()}
            bounds = values.get("bounds")
            return cls(
                **values
                | {
                    "owners": tuple(values["owners"]),
                    "started": started,
                    "bounds": None if bounds is None else (float(bounds[0]), float(bounds[1])),
                }
            )
