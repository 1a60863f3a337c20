"""The rules of a ladder's season: who may enter, whose rating is certain enough, when it ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Self, final

from fudaba.zoned_time import ZonedTime
from fudaba_arena.forms import known_fields
from fudaba_arena.tournament.absence_rule import AbsenceRule
from fudaba_arena.tournament.panel import Panel

__all__ = [
    "ANYONE",
    "CHALLENGES",
    "FINAL_APART_BLOCKS",
    "KEPT",
    "KEPT_RULES",
    "LISTED",
    "MEMORY",
    "NAMES",
    "NAMES_HIDDEN",
    "NAMES_SHOWN",
    "NOBODY",
    "NOTHING",
    "OFF",
    "TIMES",
    "WHO",
    "ZEROS",
    "ZERO_FIELD",
    "ZERO_PANEL",
    "Season",
    "Span",
    "season_name",
    "span_of",
]

ANYONE: Final = "anyone"
LISTED: Final = "list"
NOBODY: Final = "organiser"
WHO: Final = (ANYONE, LISTED, NOBODY)
"""Who may enter bots: every account, the listed ones, or only the organiser."""
OFF: Final = "off"
CHALLENGES: Final = (ANYONE, LISTED, OFF)
"""Who may challenge an entry: every account, the listed ones, or none."""

NAMES_SHOWN: Final = "shown"
NAMES_HIDDEN: Final = "hidden"
NAMES: Final = (NAMES_SHOWN, NAMES_HIDDEN)
"""Whether bots, authors and followers learn who plays a block when it is chosen, or only when it is over."""

ZERO_FIELD: Final = "field"
ZERO_PANEL: Final = "panel"
ZEROS: Final = (ZERO_FIELD, ZERO_PANEL)
"""What fixes the zero of the ratings, 1500: the mean of the field, or a panel of measured bots that play along."""

NOTHING: Final = "nothing"
KEPT: Final = "kept"
KEPT_RULES: Final = (
    "rank_half",
    "idle_days",
    "final_apart_blocks",
    "overall_shares",
    "pair_share",
    "author_share",
    "absence",
    "panels",
)
"""The rules that a season keeps as it began with them, whatever the defaults of later releases."""
_LATER: Final = (
    *("begins_zone", "ends_zone", "standings_freeze_ms", "standings_freeze_zone", "standings_open_ms"),
    *("standings_open_zone", "description"),
)
"""The fields that earlier seasons do not know. They are stored only if they are set."""
TIMES: Final = tuple(
    f"{key}_{part}" for key in ("begins", "ends", "standings_freeze", "standings_open") for part in ("ms", "zone")
)
"""The fields of a season, and of its span, that say when it begins and ends, and when its standings are frozen."""
_FREEZING_FORM_NUMBER: Final = 2
"""The form of a season whose standings are frozen some time. Earlier releases would show what it hides."""
FINAL_APART_BLOCKS: Final = 30
"""The number of blocks that every bot of a final needs for the final to be rated apart. With fewer, intervals are
wide.
"""
MEMORY: Final = (NOTHING, KEPT)
"""The memory of submissions between matches: nothing, or the contents of a lasting folder."""


def season_name(ladder: str, season: int) -> str:
    """Returns the name of the tournament for a ladder's season, numbered from 1."""
    return f"{ladder}.{season}"


@final
@dataclass(frozen=True, slots=True)
class Span:
    """The number of a ladder's season, its time, and what it takes over from the season before."""

    number: int = 1
    """The number of the season, from 1."""
    begins_ms: int | None = None
    """See `Season`; None for the time in the ladder's file, as for the first season."""
    ends_ms: int | None = None
    begins_zone: str = ""
    ends_zone: str = ""
    standings_freeze_ms: int | None = None
    standings_open_ms: int | None = None
    standings_freeze_zone: str = ""
    standings_open_zone: str = ""
    names: str | None = None
    """The value of `names` if the ladder's file has none, which is that of the season before; None for a new ladder."""


def span_of(definition: Mapping[str, Any]) -> Span:
    """Returns the span of a season from its tournament's stored definition."""
    season = Season.from_definition(definition["season"])
    times = {key: getattr(season, key) for key in TIMES}
    return Span(season.number, names=definition.get("names", NAMES_SHOWN), **times)


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
    """The accounts that may enter bots, if they are listed."""
    entries_per_author: int = 1
    """The number of bots that an account may have entered at once. The organiser's bots do not count."""
    provisional_blocks: int = 10
    """The number of blocks of a game that a version must play for a rank."""
    narrow: float = 25.0
    """An entry with an interval of at most this many Elo points to either side plays only when others need it."""
    final_blocks: int = 10
    """The number of blocks of each game that every entry plays after the season's versions are frozen."""
    final_wait_seconds: int = 3_600
    """The time for which the final waits for disconnected entries when nothing else is left to play."""
    begins_ms: int = 0
    """The time when its first block may be played, in milliseconds since 1970; 0 for now."""
    ends_ms: int = 0
    """The time when its versions are frozen; 0 if the organiser decides."""
    begins_zone: str = ""
    """The IANA time zone in which the organiser wrote its beginning; empty for none."""
    ends_zone: str = ""
    standings_freeze_ms: int = 0
    """The time since which only organisers see what results tell, in milliseconds since 1970; 0 for never."""
    standings_freeze_zone: str = ""
    """The IANA time zone in which the organiser wrote that; empty for none."""
    standings_open_ms: int = 0
    """The time from which on everybody sees it again; 0 if the organiser decides."""
    standings_open_zone: str = ""
    challenges: str = OFF
    """One of `CHALLENGES`: who may challenge an entry whose author has set no policy."""
    challengers: tuple[str, ...] = ()
    """The accounts that may challenge, if they are listed."""
    memory: str = NOTHING
    """One of `MEMORY`."""
    rank_half: float = 0.0
    """The largest interval, in Elo points to either side, with which a version has a rank; 0 for any."""
    idle_days: int = 0
    """The number of days without a block, while the ladder goes on, after which a bot has no rank until it plays; 0 for
    never.
    """
    final_apart_blocks: int = 0
    """The number of blocks that every bot of the final needs in it for the final to be rated on its own blocks, and not
    on all blocks of the season; 0 to rate it always on all, as in earlier releases.
    """
    overall_shares: bool = False
    """Whether bots are ranked over several games by the mean of the shares that their ratings predict; False for the
    mean of their ratings, as in earlier releases.
    """
    pair_share: float = 0.0
    """The largest share of a version's blocks of a game in which it meets one bot, from 0 to 1, see
    `fudaba_arena.schedule.share_caps`; 0: no cap, as in earlier releases."""
    author_share: float = 0.0
    """The same for the bots of one author."""
    absence: AbsenceRule | None = None
    """The cost of absence in the middle of a block; None if absence makes the block void, as in earlier releases."""
    panels: tuple[Panel, ...] = ()
    """The panel of each game whose bots have fixed ratings; none where 1500 is the mean of the field."""
    description: str = ""
    """The purpose of the ladder, in the organiser's words: lines of plain text for its page."""

    @property
    def keeps_in(self) -> str:
        """The ladder in which submissions with a memory have folders; empty if they may have none."""
        return self.ladder if self.memory == KEPT else ""

    @property
    def zero(self) -> str:
        """One of `ZEROS`."""
        return ZERO_PANEL if self.panels else ZERO_FIELD

    def panel(self, game: str) -> Panel | None:
        """Returns the panel of a game; None if 1500 is the mean of its field."""
        return next((panel for panel in self.panels if panel.game == game), None)

    def on_panel(self, bot: str) -> bool:
        """Returns whether a bot is one of the panel's, by its name without a version."""
        return any(bot == member.name for panel in self.panels for member in panel.bots)

    @property
    def name(self) -> str:
        """The name of its tournament."""
        return season_name(self.ladder, self.number)

    @property
    def begins(self) -> ZonedTime | None:
        """The time when its first block may be played; None for at once."""
        return ZonedTime.from_ms(self.begins_ms, self.begins_zone) if self.begins_ms else None

    @property
    def ends(self) -> ZonedTime | None:
        """The time when its versions are frozen; None if the organiser decides."""
        return ZonedTime.from_ms(self.ends_ms, self.ends_zone) if self.ends_ms else None

    @property
    def standings_freeze(self) -> ZonedTime | None:
        """The time since which only organisers see what results tell; None for never."""
        at_ms, zone = self.standings_freeze_ms, self.standings_freeze_zone
        return ZonedTime.from_ms(at_ms, zone) if at_ms else None

    @property
    def standings_open(self) -> ZonedTime | None:
        """The time from which on everybody sees it again; None if the organiser decides."""
        at_ms, zone = self.standings_open_ms, self.standings_open_zone
        return ZonedTime.from_ms(at_ms, zone) if at_ms else None

    def standings_frozen(self, now_ms: int) -> bool:
        """Returns whether its standings are frozen at a time, in milliseconds since 1970."""
        return 0 < self.standings_freeze_ms <= now_ms and not 0 < self.standings_open_ms <= now_ms

    def with_standings(self, freeze: ZonedTime | None, opens: ZonedTime | None) -> Self:
        """Returns the season with other times at which its standings are frozen and open."""
        return replace(
            self,
            standings_freeze_ms=freeze.ms if freeze is not None else 0,
            standings_freeze_zone=freeze.zone if freeze is not None else "",
            standings_open_ms=opens.ms if opens is not None else 0,
            standings_open_zone=opens.zone if opens is not None else "",
        )

    def definition(self) -> dict[str, Any]:
        """Converts it to JSON values. `KEPT_RULES` and what earlier seasons do not know are included only if they are
        set.
        """
        values = asdict(self) | {"accounts": list(self.accounts), "challengers": list(self.challengers)}
        left_out = {*KEPT_RULES, *_LATER}
        values["panels"] = [panel.definition() for panel in self.panels]
        values["absence"] = self.absence.definition() if self.absence is not None else None
        form = {"form": _FREEZING_FORM_NUMBER} if self.standings_freeze_ms else {}
        return {key: value for key, value in values.items() if value or key not in left_out} | form

    @classmethod
    def from_definition(cls, definition: Mapping[str, Any]) -> Self:
        """Returns the season of a stored definition."""
        lists = {key: tuple(definition.get(key, ())) for key in ("accounts", "challengers")}
        absence = AbsenceRule.from_definition(definition["absence"]) if definition.get("absence") else None
        panels = tuple(map(Panel.from_definition, definition.get("panels", ())))
        known = known_fields(cls, definition, "the season of a ladder", _FREEZING_FORM_NUMBER)
        return cls(**known | lists | {"absence": absence, "panels": panels})
