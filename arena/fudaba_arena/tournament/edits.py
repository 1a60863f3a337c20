"""Edits of a running ladder: what a new text of its file changes, and whether that may be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import Enum, auto
from typing import Any, Final, final

from fudaba.toml_setting import toml_text
from fudaba.zoned_time import ZonedTime
from fudaba_arena.tournament.definition import HIDDEN, PUBLIC, Tournament
from fudaba_arena.tournament.panel import PANEL_PREFIX
from fudaba_arena.tournament.season import NAMES_HIDDEN, NAMES_SHOWN, TIMES, Season
from fudaba_arena.tournament.terms import Change

__all__ = [
    "Effect",
    "Phase",
    "amended",
    "effect_of",
    "file_changes",
    "standings_changes",
    "time_value",
    "why_fixed",
    "with_times",
]


@final
class Effect(Enum):
    """From when a change counts, and for whom."""

    AT_ONCE = auto()
    NEXT_BLOCK = auto()
    NEW_ENTRIES = auto()
    NEW_CHALLENGES = auto()
    FINAL = auto()
    NEXT_SEASON = auto()


@final
@dataclass(frozen=True, slots=True)
class Phase:
    """How far a season is: what may be changed depends on it."""

    begun: bool
    """Whether its beginning has come."""
    frozen: bool
    """Whether its versions are frozen."""
    closed: bool
    """Whether it is over, so that an edit concerns the next season."""


_EFFECTS: Final[Mapping[str, Effect]] = {
    **dict.fromkeys(("season.begins", "season.ends", "season.final_wait_seconds"), Effect.AT_ONCE),
    **dict.fromkeys(("concurrency", "attempts", "no_shows", "queue", "narrow", "premiere_seconds"), Effect.AT_ONCE),
    **dict.fromkeys(("enter", "accounts", "entries_per_author"), Effect.NEW_ENTRIES),
    **dict.fromkeys(("challenges", "challengers"), Effect.NEW_CHALLENGES),
    "season.final_blocks": Effect.FINAL,
    "connect_seconds": Effect.NEXT_BLOCK,
    **dict.fromkeys(("season.standings_freeze", "season.standings_open", "description"), Effect.AT_ONCE),
}
"""The effect of each key that may be changed, with all of `clock` and `limits`."""
_OF_SPAN: Final = ("season.begins", "season.ends")
_OF_STANDINGS: Final = ("season.standings_freeze", "season.standings_open")
_RATING: Final = ("provisional_blocks", "rank_half", "idle_days", "overall", "zero")


def file_changes(before: Tournament, after: Tournament) -> list[Change]:
    """Returns how two readings of a ladder's file differ, key by key."""
    old, new = _values(before), _values(after)
    keys = [key for key in {**old, **new} if old.get(key, "") != new.get(key, "")]
    return [Change(key, old.get(key, ""), new.get(key, "")) for key in keys]


def standings_changes(before: Season, after: Season) -> tuple[Change, ...]:
    """Returns how the times of frozen standings differ between two states of a season."""
    pairs = {
        "season.standings_freeze": (before.standings_freeze, after.standings_freeze),
        "season.standings_open": (before.standings_open, after.standings_open),
    }
    return tuple(
        Change(key, *(toml_text(time_value(at)) if at is not None else "" for at in pair))
        for key, pair in pairs.items()
        if pair[0] != pair[1]
    )


def effect_of(key: str, phase: Phase) -> Effect:
    """Returns the effect of a change that may be made."""
    if phase.closed:
        return Effect.NEXT_SEASON
    return _EFFECTS.get(key, Effect.NEXT_BLOCK)


def why_fixed(key: str, phase: Phase) -> str:
    """Returns why a key may not be changed, and what to do instead; empty if it may."""
    top = key.partition(".")[0]
    if key == "name":
        return "a ladder keeps its name; create another ladder under the new one"
    if phase.closed:
        return _why_fixed_after(key, top)
    if key in _EFFECTS or top in {"clock", "limits"}:
        return _why_too_late(key, phase)
    later = "edit the ladder when the season is closed, and begin the next one"
    if top == "games":
        return f"what is played stays the same as long as a season, or its blocks could not be compared; {later}"
    if key in _RATING:
        return f"ranks go by it, also those of blocks that are played; {later}"
    return f"it is fixed when a season begins; {later}"


def _why_too_late(key: str, phase: Phase) -> str:
    """Returns why it is too late to change a key of a season that goes on; empty if it is not."""
    if key == "season.begins" and phase.begun:
        return "the season has begun"
    if phase.frozen and key in {"season.ends", "season.final_blocks"}:
        return "the season's versions are frozen, and its final is played; give the next season what it is to have"
    return ""


def _why_fixed_after(key: str, top: str) -> str:
    """Returns why a key of a ladder whose season is over may not be changed; empty if it may."""
    if key in _OF_SPAN:
        return "the season is over; say when the next one begins and ends: fudaba ladder begin"
    if key in _OF_STANDINGS:
        return "the season is over; freeze or open its standings with fudaba ladder freeze and fudaba ladder open"
    if key == "games" or (top == "games" and key.endswith(".game")):
        return "its entries play the games that it has; create another ladder for other games"
    if top == "bots":
        return "its bots play on in the next season; create another ladder for other bots"
    return ""


def amended(tournament: Tournament, edited: Tournament) -> Tournament:
    """Returns the tournament with what an edit may change while its season goes on."""
    season, new = tournament.season, edited.season
    if season is None or new is None:
        raise ValueError(f"{tournament.name} is not a season of a ladder")
    keys = ("enter", "accounts", "entries_per_author", "challenges", "challengers", "narrow", *TIMES)
    kept = {key: getattr(new, key) for key in (*keys, "description", "final_blocks", "final_wait_seconds")}
    top = ("clock", "connect_seconds", "limits", "concurrency", "attempts", "no_shows", "queue_hidden", "edits")
    given = {key: getattr(edited, key) for key in (*top, "premiere_seconds")}
    return replace(tournament, season=replace(season, **kept), **given)


def with_times(tournament: Tournament, definition: Mapping[str, Any]) -> Tournament:
    """Returns the tournament with the times in its stored definition, of which those of a freeze may be edited even
    when its season is closed.
    """
    season = tournament.season
    if season is None:
        raise ValueError(f"{tournament.name} is not a season of a ladder")
    stored = Season.from_definition(definition["season"])
    return replace(tournament, season=replace(season, **{key: getattr(stored, key) for key in TIMES}))


def _values(tournament: Tournament) -> dict[str, str]:
    """Returns what a ladder's file says or leaves to defaults, as TOML values by key."""
    season = tournament.season
    if season is None:
        raise ValueError(f"{tournament.name} is not a season of a ladder")
    found: dict[str, object] = {
        "name": season.ladder,
        "same_author": tournament.same_author,
        "sittings": tournament.sittings,
        "queue": HIDDEN if tournament.queue_hidden else PUBLIC,
        "names": NAMES_HIDDEN if tournament.names_hidden else NAMES_SHOWN,
        "concurrency": tournament.concurrency,
        "attempts": tournament.attempts,
        "no_shows": tournament.no_shows,
        "connect_seconds": tournament.connect_seconds,
        "premiere_seconds": tournament.premiere_seconds,
        "games": [game.game for game in tournament.games],
    }
    found |= {f"clock.{name}": value for name, value in asdict(tournament.clock).items()}
    found |= {f"limits.{name}": value for name, value in tournament.limits.values().items()}
    for game in tournament.games:
        found |= {f"games.{game.game}.{name}": value for name, value in game.definition().items()}
    found |= _season_values(season)
    # The bots of a panel follow from `zero`.
    found |= {f"bots.{bot.name}": repr(bot) for bot in tournament.bots if not bot.name.startswith(PANEL_PREFIX)}
    return {key: toml_text(value) for key, value in found.items() if value not in ("", ())}


def _season_values(season: Season) -> dict[str, object]:
    keys = ("enter", "entries_per_author", "provisional_blocks", "narrow", "rank_half", "idle_days", "challenges")
    found: dict[str, object] = {
        key: getattr(season, key) for key in (*keys, "pair_share", "author_share", "memory", "description")
    }
    found |= {"accounts": season.accounts, "challengers": season.challengers}
    found["zero"] = season.zero
    found["overall"] = "shares" if season.overall_shares else "ratings"
    found["absence"] = str(season.absence.definition()) if season.absence is not None else ""
    found["season.final_blocks"] = season.final_blocks
    found["season.final_wait_seconds"] = season.final_wait_seconds
    times = season.begins, season.ends, season.standings_freeze, season.standings_open
    for key, written in zip((*_OF_SPAN, *_OF_STANDINGS), times, strict=True):
        found[key] = time_value(written) if written is not None else ""
    return found


def time_value(written: ZonedTime) -> str | datetime:
    """Returns a time as the value of a TOML key: a text if it has a zone."""
    return str(written) if written.zone else written.at
