"""The rules of a ladder's season: who may enter, whose rating is certain enough, when it ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self, final

from fudaba_arena.forms import known_fields
from fudaba_arena.tournament.absence_rule import AbsenceRule

__all__ = [
    "ANYONE",
    "CHALLENGES",
    "FINAL_APART_BLOCKS",
    "KEPT",
    "KEPT_RULES",
    "LISTED",
    "MEMORY",
    "NOBODY",
    "NOTHING",
    "OFF",
    "WHO",
    "Season",
    "Span",
    "season_name",
]

ANYONE: Final = "anyone"
LISTED: Final = "list"
NOBODY: Final = "organiser"
WHO: Final = (ANYONE, LISTED, NOBODY)
"""The accounts that may enter bots: every account, those that are listed, or only the organiser."""
OFF: Final = "off"
CHALLENGES: Final = (ANYONE, LISTED, OFF)
"""The accounts that may challenge an entry: every account, those that are listed, or none."""

NOTHING: Final = "nothing"
KEPT: Final = "kept"
KEPT_RULES: Final = ("rank_half", "idle_days", "final_apart_blocks", "overall_shares", "absence")
"""The rules that a season keeps as it began with them, whatever the defaults of later releases."""
FINAL_APART_BLOCKS: Final = 30
"""The number of blocks that every bot of a final needs in it, for the final to be rated apart: with fewer, intervals
are wide."""
MEMORY: Final = (NOTHING, KEPT)
"""The memory of submissions from one match to the next: nothing, or the contents of a lasting folder."""


def season_name(ladder: str, season: int) -> str:
    """Names the tournament that is a ladder's season of a number, from 1."""
    return f"{ladder}.{season}"


@final
@dataclass(frozen=True, slots=True)
class Span:
    """The number of a ladder's season, and its time."""

    number: int = 1
    """The number of the season, from 1."""
    begins_ms: int | None = None
    """See `Season`; None for what the ladder's file says, as for the first season."""
    ends_ms: int | None = None


@final
@dataclass(frozen=True, slots=True)
class Season:
    """A season of a ladder."""

    ladder: str
    """The ladder's name."""
    number: int = 1
    """The number of the season, from 1."""
    enter: str = ANYONE
    """One of `WHO`."""
    accounts: tuple[str, ...] = ()
    """The accounts that may enter bots, where they are listed."""
    entries_per_author: int = 1
    """The number of bots that an account may have in it at once. The organiser's are not counted."""
    provisional_blocks: int = 10
    """A version has a rank when it has played this many blocks of a game."""
    narrow: float = 25.0
    """An entry whose interval is this many Elo points wide to either side, or less, plays only as others need it."""
    final_blocks: int = 10
    """The number of blocks of each game that every entry plays after the season's versions are frozen."""
    final_wait_seconds: int = 3_600
    """The time for which the final waits, while nothing else is left to play, for entries that are not connected."""
    begins_ms: int = 0
    """The time when its first block may be played, in milliseconds since 1970; 0 for at once."""
    ends_ms: int = 0
    """The time when its versions are frozen; 0 for when the organiser says so."""
    challenges: str = OFF
    """One of `CHALLENGES`: who may challenge an entry whose author says nothing of it."""
    challengers: tuple[str, ...] = ()
    """The accounts that may, where they are listed."""
    memory: str = NOTHING
    """One of `MEMORY`."""
    rank_half: float = 0.0
    """A version has a rank once its interval is this many Elo points wide to either side, or less; 0: however wide."""
    idle_days: int = 0
    """A bot that has played no block for this many days while the ladder went on has no rank until it does; 0:
    never."""
    final_apart_blocks: int = 0
    """The final is rated on its own blocks where every bot of it has at least this many in it, else on all blocks of
    the season; 0: always on all, as in earlier releases."""
    overall_shares: bool = False
    """Whether bots are ranked over several games by the mean of the shares that their ratings let expect; False: by the
    mean of their ratings, as in earlier releases."""
    absence: AbsenceRule | None = None
    """The cost of absence in the middle of a block; None where absence makes the block void, as in earlier releases."""

    @property
    def keeps_in(self) -> str:
        """The ladder in which submissions that remember have folders; empty where they may have none."""
        return self.ladder if self.memory == KEPT else ""

    @property
    def name(self) -> str:
        """The name of its tournament."""
        return season_name(self.ladder, self.number)

    def definition(self) -> dict[str, Any]:
        """Converts it to JSON values. `KEPT_RULES` are there only where they say something: earlier seasons do not know
        them.
        """
        values = asdict(self) | {"accounts": list(self.accounts), "challengers": list(self.challengers)}
        values["absence"] = self.absence.definition() if self.absence is not None else None
        return {key: value for key, value in values.items() if value or key not in KEPT_RULES}

    @classmethod
    def from_definition(cls, definition: Mapping[str, Any]) -> Self:
        """Returns the season of a stored definition."""
        lists = {key: tuple(definition.get(key, ())) for key in ("accounts", "challengers")}
        absence = AbsenceRule.from_definition(definition["absence"]) if definition.get("absence") else None
        return cls(**known_fields(cls, definition, "the season of a ladder") | lists | {"absence": absence})
