"""The definition of a tournament: games, bots, clock; and which parts of it stay fixed during play."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, final

from fudaba_arena.errors import ArenaError
from fudaba_arena.forms import known_fields
from fudaba_arena.tournament.formats import Format
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.limits import BotLimits
from fudaba_arena.tournament.panel import PANEL_PREFIX
from fudaba_arena.tournament.season import ANYONE, KEPT_RULES, NAMES_HIDDEN, Season
from fudaba_arena.tournament.terms import Clock, Edit, Terms

__all__ = [
    "APART",
    "FRESH",
    "HIDDEN",
    "HOUSE",
    "PUBLIC",
    "SITTINGS",
    "BotEntry",
    "Owned",
    "Tournament",
    "changes",
    "owner_of",
    "stored_tournament",
    "with_authors",
    "with_rules",
]

PUBLIC: Final = "public"
HIDDEN: Final = "organiser"
"""The rule of who learns what is played next."""
APART: Final = "apart"
FRESH: Final = "fresh"
SITTINGS: Final = (APART, FRESH)
"""The sittings of a deal: in every seating, one after the other if a bot was submitted; or once, so that each match has
its own deal.
"""
HOUSE: Final = "house-"
"""The prefix of the names of the service's own bots, and of no others."""
_RENAMED: Final = {"memoryless": "stateless"}
"""Earlier names of a bot's keys in stored definitions."""


@final
@dataclass(frozen=True, slots=True)
class BotEntry:
    """A playing bot version, and who starts it."""

    name: str
    """The name, unique in the tournament and used in results. In a ladder it is `BOT@VERSION`, since several versions
    are rated.
    """
    builtin: str = ""
    """The name of the built-in bot; empty for other kinds."""
    command: tuple[str, ...] = ()
    """The command that the arena starts; empty for other kinds."""
    stateless: bool = False
    """Whether it keeps nothing between matches, and so may replay a deal. Built-in bots keep nothing."""
    author: str = ""
    version: str = "1"
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path = Path()
    capacity: int = 0
    """The number of matches that it plays at once; 0 for any number."""
    games: tuple[str, ...] = ()
    """The games that it plays, sorted; empty for all games of the tournament."""
    submission: str = ""
    """The id of a submission that workers run in a sandbox; empty for other kinds."""
    needs: str = ""
    """Its needs for running: `LANGUAGE/`, or `LANGUAGE/RUNTIME` for a runtime of its choice; see `needs_of`."""
    account: str = ""
    """The account to which it belongs on the service; empty for none. It tells which bots have one author."""
    keeps: str = ""
    """The ladder whose lasting folder a submission with a memory uses; empty for bots without such a folder."""

    def plays(self, game: str) -> bool:
        """Returns whether it plays a game."""
        return not self.games or game in self.games

    def submitted(self, submission: str, *, stateless: bool, ladder: str, needs: str) -> BotEntry:
        """Returns the bot as a submission. If it is not stateless, it has a folder in a ladder; an empty name stands
        for none.

        Only one match at a time can have the folder, so such a bot plays one match at a time.
        """
        keeps = "" if stateless else ladder
        capacity = 1 if keeps else 0
        return replace(self, submission=submission, needs=needs, stateless=stateless, keeps=keeps, capacity=capacity)

    @property
    def bot(self) -> str:
        """The service's name for the bot."""
        return self.name.partition("@")[0]

    @property
    def owner(self) -> str:
        """Its owner, see `owner_of`."""
        return owner_of(self.account, self.author, self.bot)

    @property
    def remote(self) -> bool:
        """Whether its author starts it."""
        return not self.builtin and not self.command and not self.submission

    @property
    def pausable(self) -> bool:
        """Whether it belongs to an author, remote or submitted, and so may be paused."""
        return not self.builtin and not self.command

    @property
    def house(self) -> bool:
        """Whether the service itself plays it."""
        return self.name.startswith(HOUSE)

    @property
    def kind(self) -> str:
        """`builtin`, `command`, `submitted` or `remote`."""
        kinds = {"builtin": self.builtin, "command": self.command, "submitted": self.submission}
        return next((kind for kind, is_it in kinds.items() if is_it), "remote")


def owner_of(account: str, author: str, bot: str) -> str:
    """Returns a bot's owner. Bots of one account, and only these, have one owner, whatever their names."""
    if account:
        return f"account {account}"
    return f"author {author}" if author else f"bot {bot}"


class Owned(NamedTuple):
    """The owner of a bot."""

    author: str
    """The author's name for display."""
    account: str


@final
@dataclass(frozen=True, slots=True)
class Tournament:
    """The checked content of a tournament file."""

    name: str
    games: tuple[TournamentGame, ...]
    """The games, in the file's order."""
    bots: tuple[BotEntry, ...]
    format: Format = field(default_factory=Format)
    same_author: bool = False
    clock: Clock = Clock()  # noqa: RUF009  # it is frozen
    connect_seconds: int = 60
    concurrency: int = 8
    attempts: int = 3
    no_shows: int = 3
    metrics: str = ""
    limits: BotLimits = BotLimits()  # noqa: RUF009  # it is frozen
    """The limits of submitted bots."""
    queue_hidden: bool = False
    """Whether only the organiser sees what is played next."""
    names_hidden: bool = False
    """Whether only the organiser knows who plays a block before it is over."""
    season: Season | None = None
    """The season's rules, if this is a season of a ladder; then `bots` are those that the arena starts."""
    sittings: str = APART
    """One of `SITTINGS`."""
    premiere_seconds: int = 0
    """The least number of seconds that a match with a premiere has taken: once its block counts, it is shown as if it
    were played then. 0: no match has one.
    """
    edits: tuple[Edit, ...] = ()
    """The edits of a season that goes on, oldest first."""

    @property
    def terms(self) -> Terms:
        """The terms of the blocks that are chosen now."""
        return Terms(self.clock, self.connect_seconds, self.limits)

    def terms_after(self, edits: int) -> Terms:
        """Returns the terms of the blocks that were chosen after this many edits."""
        return self.edits[edits].before if edits < len(self.edits) else self.terms

    @property
    def fresh(self) -> bool:
        """Whether no deal is played twice."""
        return self.sittings == FRESH

    def game(self, game_id: str) -> TournamentGame:
        """Returns the game with an id."""
        return next(game for game in self.games if game.game == game_id)

    def bot(self, name: str) -> BotEntry:
        """Returns the bot with a name."""
        return next(bot for bot in self.bots if bot.name == name)

    def definition(self) -> dict[str, Any]:
        """Returns as JSON values the part that must stay fixed during play.

        The number of simultaneous matches, the rules for giving up, the metrics' address, and which matches have a
        premiere may change.
        """
        definition: dict[str, Any] = {
            "same_author": self.same_author,
            "connect_seconds": self.connect_seconds,
            **self.format.definition(),
        }
        definition["limits"] = self.limits.values()
        if self.queue_hidden:
            definition["queue"] = HIDDEN
        if self.names_hidden:
            definition["names"] = NAMES_HIDDEN
        if self.fresh:
            definition["sittings"] = FRESH
        if self.season is not None:
            definition["season"] = self.season.definition()
        if self.edits:
            definition["edits"] = [edit.definition() for edit in self.edits]
        # Their order is part of the schedule, and keys are stored in an order of their own.
        definition["games"] = [game.game for game in self.games]
        definition |= {f"game {game.game}": game.definition() for game in self.games}
        definition |= {f"clock.{name}": value for name, value in self.clock.definition().items()}
        for bot in sorted(self.bots, key=lambda bot: bot.name):
            definition[f"bot {bot.name}"] = {
                "kind": bot.kind,
                "builtin": bot.builtin,
                "command": list(bot.command),
                "stateless": bot.stateless,
                "author": bot.author,
                "version": bot.version,
                "env": dict(sorted(bot.env.items())),
                "games": list(bot.games),
            }
            for key in ("account", "submission", "needs", "keeps"):
                if getattr(bot, key):
                    definition[f"bot {bot.name}"][key] = getattr(bot, key)
        return definition


def stored_tournament(name: str, definition: Mapping[str, Any], attempts: int) -> Tournament:
    """Returns the tournament of a stored definition, complete enough for its schedule and ladders but not for play.

    Raises `ArenaError` if a release before several games stored it.
    """
    clock: dict[str, Any] = {}
    games, bots = {}, []
    for key, value in _in_todays_words(definition).items():
        if key.startswith("clock."):
            clock[key.removeprefix("clock.")] = value
        elif key.startswith("game "):
            games[key.removeprefix("game ")] = TournamentGame.from_definition(value)
        elif key.startswith("bot "):
            known = {field: value[field] for field in ("builtin", "stateless", "author", "version", "env")}
            command, plays = tuple(value["command"]), tuple(value["games"])
            known |= {field: value.get(field, "") for field in ("account", "submission", "needs", "keeps")}
            bots.append(BotEntry(key.removeprefix("bot "), command=command, games=plays, **known))
    if not games:
        raise ArenaError(
            f"tournament {name} was stored by an earlier release, in another form; read it with that release, or begin"
            " it anew under another name"
        )
    return Tournament(
        name=name,
        games=tuple(games[game] for game in definition.get("games", games)),
        clock=Clock(**known_fields(Clock, clock, f"the clock of tournament {name}")),
        bots=tuple(bots),
        format=Format.from_definition(definition),
        attempts=attempts,
        limits=_limits_of(definition),
        queue_hidden=definition.get("queue") == HIDDEN,
        names_hidden=definition.get("names") == NAMES_HIDDEN,
        sittings=definition.get("sittings", APART),
        season=Season.from_definition(definition["season"]) if "season" in definition else None,
        edits=_edits_of(definition),
        **{key: definition[key] for key in ("same_author", "connect_seconds")},
    )


def _limits_of(definition: Mapping[str, Any]) -> BotLimits:
    strangers = "season" in definition and Season.from_definition(definition["season"]).enter == ANYONE
    return BotLimits.stored(definition.get("limits"), strangers=strangers)


def _edits_of(definition: Mapping[str, Any]) -> tuple[Edit, ...]:
    return tuple(map(Edit.from_definition, definition.get("edits", ())))


def with_authors(tournament: Tournament, known: Mapping[str, Owned]) -> Tournament:
    """Returns the tournament with the owners of its bots, by name.

    An author given in its file stays.
    """
    bots = [
        replace(bot, author=bot.author or (owned.author if bot.pausable else ""), account=owned.account)
        if (owned := known.get(bot.name)) is not None
        else bot
        for bot in tournament.bots
    ]
    return replace(tournament, bots=tuple(bots))


def with_panel(tournament: Tournament) -> Tournament:
    """Returns the tournament with the bots of its season's panels, which the arena starts, and with no others'."""
    bots = [bot for bot in tournament.bots if bot.name != PANEL_PREFIX + bot.builtin]
    playing: defaultdict[str, list[str]] = defaultdict(list)
    for panel in tournament.season.panels if tournament.season is not None else ():
        for member in panel.bots:
            playing[member.builtin].append(panel.game)
    for builtin, games in sorted(playing.items()):
        everywhere = len(games) == len(tournament.games)
        plays = () if everywhere else tuple(sorted(games))
        bots.append(BotEntry(PANEL_PREFIX + builtin, builtin, stateless=True, games=plays))
    return replace(tournament, bots=tuple(bots))


def with_rules(tournament: Tournament, definition: Mapping[str, Any]) -> Tournament:
    """Returns the tournament with the versions of its games' rules from its stored definition, with which it began.

    The same holds for the rules of a season that earlier releases lacked. The edits of the season come from there, too.
    """
    names_hidden = definition.get("names") == NAMES_HIDDEN
    games = [
        replace(game, rules_version=definition.get(f"game {game.game}", {}).get("rules_version", 0))
        for game in tournament.games
    ]
    season = tournament.season
    if season is not None and "season" in definition:
        begun = Season.from_definition(definition["season"])
        season = replace(season, **{key: getattr(begun, key) for key in KEPT_RULES})
    begun_tournament = replace(
        tournament, games=tuple(games), season=season, edits=_edits_of(definition), names_hidden=names_hidden
    )
    return with_panel(begun_tournament)


def changes(definition: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Compares the stored definition of a tournament with another. Returns a sentence for each difference."""
    stored = _in_todays_words(definition)
    differences: list[str] = []
    for key in sorted(stored.keys() | now.keys()):
        before, after = stored.get(key), now.get(key)
        if before == after:
            continue
        if before is None or after is None:
            differences.append(f"{key} is new" if before is None else f"{key} is gone")
        elif isinstance(before, dict) and isinstance(after, dict):
            differences += [
                f"{name} of {key} was {before.get(name)!r}, is {after.get(name)!r}"
                for name in sorted(before.keys() | after.keys())
                if before.get(name) != after.get(name)
            ]
        else:
            differences.append(f"{key} was {before!r}, is {after!r}")
    return differences


def _in_todays_words(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a stored definition with renamed and new keys, also for a season."""
    today = dict(definition)
    today["limits"] = _limits_of(definition).values()
    for key, value in definition.items():
        if key.startswith("bot "):
            today[key] = {_RENAMED.get(name, name): of_bot for name, of_bot in value.items()}
        elif key == "season":
            today[key] = Season.from_definition(value).definition()
    return today
