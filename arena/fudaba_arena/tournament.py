"""A tournament file: what is played, by whom, how often. Its keys are described in `docs/tournament.md`.

A file is parsed, then checked as a whole, and only then used; every mistake is told at once, by its line.
"""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, final

from fudaba.bots import BUILT_IN, STRATEGIES, budget_mistake
from fudaba_arena.blocks import Entrant
from fudaba_arena.errors import ArenaError
from fudaba_arena.game_entries import GameEntry, read_games
from fudaba_arena.schedule import BadSchedule, RoundRobin, Schedule
from fudaba_arena.toml_lines import toml_lines
from fudaba_arena.toml_reading import Mistake, Mistakes, TableReader, shown, suggestion

__all__ = [
    "BadTournament",
    "BotEntry",
    "Clock",
    "Tournament",
    "parse_tournament",
    "read_tournament",
    "stored_tournament",
    "with_authors",
]

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_BOT: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")
_LABEL: Final = re.compile(r"[A-Za-z0-9._-]{1,40}")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HOUR_MS: Final = 3_600_000
_HOUSE: Final = "house-"
_KINDS: Final = ("builtin", "command", "remote")


@final
class BadTournament(Exception):
    """A tournament file with mistakes. `str()` has a line for each: `file:line: what is wrong; what to write`."""

    def __init__(self, file: str, mistakes: list[Mistake]) -> None:
        self.mistakes = tuple(sorted(set(mistakes)))
        super().__init__("\n".join(f"{file}:{mistake.line}: {mistake.text}" for mistake in self.mistakes))


@final
@dataclass(frozen=True, slots=True)
class Clock:
    """The time that seats have, in milliseconds; see `Clock` in the contract."""

    move_ms: int = 10_000
    increment_ms: int = 0
    bank_ms: int = 60_000
    max_timeouts: int = 3
    max_illegal: int = 10


@final
@dataclass(frozen=True, slots=True)
class BotEntry:
    """A bot version that plays, and who starts it."""

    name: str
    builtin: str = ""
    """The built-in bot that it is; empty for other kinds."""
    command: tuple[str, ...] = ()
    """What the arena starts; empty for other kinds."""
    memoryless: bool = False
    """Whether it keeps nothing from one match to the next, and so may replay a deal. Built-in bots keep nothing."""
    author: str = ""
    version: str = "1"
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path = Path()
    capacity: int = 0
    """How many matches it plays at once; 0 for as many as there are."""
    games: tuple[str, ...] = ()
    """The games that it plays, sorted; empty for all of the tournament's."""

    def plays(self, game: str) -> bool:
        """Whether it plays a game."""
        return not self.games or game in self.games

    @property
    def remote(self) -> bool:
        """Whether somebody else starts it."""
        return not self.builtin and not self.command

    @property
    def kind(self) -> str:
        """`builtin`, `command` or `remote`."""
        return "builtin" if self.builtin else "command" if self.command else "remote"


@final
@dataclass(frozen=True, slots=True)
class Tournament:
    """What a tournament file says, checked."""

    name: str
    games: tuple[GameEntry, ...]
    """In the file's order."""
    bots: tuple[BotEntry, ...]
    same_author: bool = False
    clock: Clock = Clock()
    connect_seconds: int = 60
    concurrency: int = 8
    attempts: int = 3
    no_shows: int = 3
    metrics: str = ""

    def schedule(self, tournament_id: str) -> Schedule:
        """The blocks, with match ids that begin with `tournament_id`. Raises `BadSchedule`."""
        return Schedule(*(self._round_robin(game, tournament_id) for game in self.games))

    def _round_robin(self, game: GameEntry, tournament_id: str) -> RoundRobin:
        players = tuple(Entrant(bot.name, bot.author, bot.memoryless) for bot in self.bots if bot.plays(game.game))
        return RoundRobin(
            tournament_id, players, game.blocks, game.deals, self.same_author, seats=game.seats, game=game.game
        )

    def game(self, game_id: str) -> GameEntry:
        """The game of an id."""
        return next(game for game in self.games if game.game == game_id)

    def bot(self, name: str) -> BotEntry:
        """The bot of a name."""
        return next(bot for bot in self.bots if bot.name == name)

    def definition(self) -> dict[str, Any]:
        """What must stay as it is while the tournament is played, as JSON values.

        How much is played at once, when the arena gives up and where metrics are served may change.
        """
        definition: dict[str, Any] = {
            "same_author": self.same_author,
            "connect_seconds": self.connect_seconds,
        }
        # Their order is part of the schedule, and keys are stored in an order of their own.
        definition["games"] = [game.game for game in self.games]
        definition |= {f"game {game.game}": game.definition() for game in self.games}
        definition |= {f"clock.{name}": getattr(self.clock, name) for name in Clock.__dataclass_fields__}
        for bot in sorted(self.bots, key=lambda bot: bot.name):
            definition[f"bot {bot.name}"] = {
                "kind": bot.kind,
                "builtin": bot.builtin,
                "command": list(bot.command),
                "memoryless": bot.memoryless,
                "author": bot.author,
                "version": bot.version,
                "env": dict(sorted(bot.env.items())),
                "games": list(bot.games),
            }
        return definition


def stored_tournament(name: str, definition: Mapping[str, Any], attempts: int) -> Tournament:
    """The tournament of a stored definition: enough for its schedule and its ladders, not for playing it.

    Raises `ArenaError` for one that a release from before several games has stored.
    """
    clock: dict[str, Any] = {}
    games, bots = {}, []
    for key, value in definition.items():
        if key.startswith("clock."):
            clock[key.removeprefix("clock.")] = value
        elif key.startswith("game "):
            games[key.removeprefix("game ")] = GameEntry.of(value)
        elif key.startswith("bot "):
            known = {field: value[field] for field in ("builtin", "memoryless", "author", "version", "env")}
            command, plays = tuple(value["command"]), tuple(value["games"])
            bots.append(BotEntry(key.removeprefix("bot "), command=command, games=plays, **known))
    if not games:
        raise ArenaError(
            f"tournament {name} was stored by an earlier release, in another form; read it with that release, or begin"
            " it anew under another name"
        )
    return Tournament(
        name=name,
        games=tuple(games[game] for game in definition.get("games", games)),
        clock=Clock(**clock),
        bots=tuple(bots),
        attempts=attempts,
        **{key: definition[key] for key in ("same_author", "connect_seconds")},
    )


def with_authors(tournament: Tournament, known: Mapping[str, str]) -> Tournament:
    """The tournament with the known authors, by bots' names, of the remote bots whose author its file leaves out."""
    bots = [
        replace(bot, author=known.get(bot.name, "")) if bot.remote and not bot.author else bot
        for bot in tournament.bots
    ]
    return replace(tournament, bots=tuple(bots))


def read_tournament(path: Path) -> Tournament:
    """The tournament of a file. Raises `BadTournament`, and `OSError` when the file cannot be read."""
    raw = path.read_bytes()
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise BadTournament(str(path), [Mistake(line, "this is not UTF-8 text; save the file as UTF-8")]) from None
    return parse_tournament(text, str(path), path.resolve().parent)


def parse_tournament(text: str, file: str, folder: Path) -> Tournament:
    """The tournament of a text. `folder` is where its commands are started. Raises `BadTournament`."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadTournament(file, [_syntax(error, text)]) from None
    mistakes = Mistakes(toml_lines(text))
    tournament = _tournament(TableReader(content, (), mistakes), folder)
    if not mistakes.found:
        _check_schedule(tournament, mistakes)
    if mistakes.found:
        raise BadTournament(file, mistakes.found)
    return tournament


def _syntax(error: tomllib.TOMLDecodeError, text: str) -> Mistake:
    found = re.search(r"^(.*) \(at line (\d+), column (\d+)\)$", str(error))
    if found is not None:
        return Mistake(int(found[2]), f"this is not TOML: {found[1]}, in column {found[3]}; see toml.io for the syntax")
    what = str(error).removesuffix(" (at end of document)")
    return Mistake(max(1, len(text.splitlines())), f"this is not TOML: {what}, at the end; see toml.io for the syntax")


def _tournament(top: TableReader, folder: Path) -> Tournament:
    name = top.text(
        "name", None, pattern=_NAME, rule="1 to 40 of A-Z, a-z, 0-9, '.', '_' and '-', beginning with a letter or digit"
    )
    top.one_of("format", "round-robin", ("round-robin",), "format")
    games = read_games(top)
    tournament = Tournament(
        name=name,
        games=games,
        bots=_bots(top, folder, games),
        same_author=top.flag("same_author", default=False),
        clock=_clock(top.table("clock")),
        connect_seconds=top.whole("connect_seconds", 60, 1, 3_600),
        concurrency=top.whole("concurrency", 8, 1, 10_000),
        attempts=top.whole("attempts", 3, 1, 100),
        no_shows=top.whole("no_shows", 3, 1, 100),
        metrics=_address(top),
    )
    top.finish()
    return tournament


def _clock(table: TableReader) -> Clock:
    default = Clock()
    clock = Clock(
        move_ms=table.whole("move_ms", default.move_ms, 1, _HOUR_MS),
        increment_ms=table.whole("increment_ms", default.increment_ms, 0, _HOUR_MS),
        bank_ms=table.whole("bank_ms", default.bank_ms, 0, _HOUR_MS),
        max_timeouts=table.whole("max_timeouts", default.max_timeouts, 0, 1_000_000),
        max_illegal=table.whole("max_illegal", default.max_illegal, 0, 1_000_000),
    )
    table.finish()
    return clock


def _address(top: TableReader) -> str:
    address = top.text("metrics", "")
    host, _, port = address.rpartition(":")
    if address and not (host and port.isdecimal() and int(port) <= 65535):
        top.wrong("metrics", f"metrics is {shown(address)}; write HOST:PORT, for example 127.0.0.1:9091")
    return address


def _bots(top: TableReader, folder: Path, games: tuple[GameEntry, ...]) -> tuple[BotEntry, ...]:
    """The bots, in the file's order."""
    tables = top.tables("bots")
    bots: list[BotEntry] = []
    for table in tables:
        bot = _bot(table, folder, tuple(game.game for game in games if game.game))
        if bot.name and any(other.name == bot.name for other in bots):
            table.wrong("name", f"bot {bot.name} is entered twice; give every bot a name of its own")
        bots.append(bot)
    for game in games:
        players = sum(bot.plays(game.game) for bot in bots)
        if players < game.seats:
            where = f" of {game.game}" if len(games) > 1 or game.seats > 2 else ""
            need = f"a tournament{where} needs at least {game.seats} bots, this one has {players}"
            fill = ', for example with builtin = "random"' if game.seats > 2 else ""
            top.wrong("bots", f"{need}; add tables [[bots]]{fill}")
    return tuple(bots)


def _bot(table: TableReader, folder: Path, games: tuple[str, ...]) -> BotEntry:
    kinds = [kind for kind in _KINDS if table.has(kind)]
    if len(kinds) != 1:
        what = f"{' and '.join(kinds)} at once" if kinds else "nothing that says what it is"
        table.wrong(
            "name",
            f'this bot has {what}; write one of builtin = "random", command = ["python", "mybot.py"] and remote = true',
        )
    name = table.text("name", None, pattern=_BOT, rule="1 to 40 of a-z, 0-9 and '-', beginning with a letter")
    if name.startswith(_HOUSE):
        table.wrong("name", f"names that begin with {_HOUSE} are the service's own bots; give it another name")
    chosen = _games(table, games)
    builtin = _builtin(table) if "builtin" in kinds else ""
    if builtin == "sensible" and (lacking := [game for game in chosen or games if game not in STRATEGIES]):
        table.wrong(
            "builtin", f"there is no built-in bot 'sensible' for {' and '.join(lacking)}; write builtin = \"random\""
        )
    command = table.texts("command") if "command" in kinds else ()
    if "remote" in kinds and not table.flag("remote", default=True):
        table.wrong("remote", "remote is false; write remote = true, or say what is to be started with command")
    cwd = folder / table.text("cwd", "", longest=4_000)
    memoryless = table.flag("memoryless", default="builtin" in kinds)
    env = _env(table.table("env"))
    capacity = table.whole("capacity", 0, 0, 10_000)
    author = table.text("author", "", longest=100)
    version = table.text("version", "1", pattern=_LABEL, rule="1 to 40 of A-Z, a-z, 0-9, '.', '_' and '-'")
    if kinds == ["command"]:
        _check_command(table, command, cwd)
    elif len(kinds) == 1:
        _check_not_started(table, kinds[0], memoryless=memoryless)
    table.finish()
    return BotEntry(name, builtin, command, memoryless, author, version, env, cwd, capacity, chosen)


def _builtin(table: TableReader) -> str:
    """The name of a built-in bot, with a budget or without."""
    name = table.one_of("builtin", "", BUILT_IN, "built-in bot", lambda name: name.partition(":")[0] in BUILT_IN)
    if mistake := budget_mistake(name):
        table.wrong("builtin", mistake)
        return ""
    return name


def _games(table: TableReader, games: tuple[str, ...]) -> tuple[str, ...]:
    """The games that a bot plays; empty for all."""
    if not table.has("games"):
        return ()
    chosen = table.texts("games")
    for game in chosen:
        if games and game not in games:
            table.wrong("games", f"{shown(game)} is not played here; {suggestion(game, games)}")
    return tuple(sorted({game for game in chosen if game in games}))


def _env(table: TableReader) -> dict[str, str]:
    env: dict[str, str] = {}
    for name, (value, wrong) in table.items().items():
        if not isinstance(value, str) or "\0" in value:
            wrong(f"env.{name} is {shown(value)}; write a text in quotes")
        elif not _VARIABLE.fullmatch(name):
            wrong(f"{shown(name)} is no name of a variable; write letters, digits and '_', not beginning with a digit")
        elif name.startswith("FUDABA_"):
            wrong(f"{name} is set by the arena; leave it out")
        else:
            env[name] = value
    return env


def _check_command(table: TableReader, command: tuple[str, ...], cwd: Path) -> None:
    """Notes a folder or a program that is not there."""
    if not cwd.is_dir():
        table.wrong("cwd", f"there is no folder {cwd}; write one, as seen from the folder of this file")
        return
    if not command or command[0] == "python":  # the Python of the arena
        return
    program = command[0]
    found = shutil.which(cwd / program) if os.sep in program else shutil.which(program)
    if found is None:
        where = f"in {cwd}" if os.sep in program else "on PATH"
        table.wrong("command", f"there is no program {shown(program)} {where}; write its path, or install it")


def _check_not_started(table: TableReader, kind: str, *, memoryless: bool) -> None:
    """Notes what makes sense for a command only."""
    for key in ("env", "cwd"):
        if table.has(key):
            table.wrong(key, f"{key} is for bots with a command; leave it out")
    if kind == "remote" and memoryless:
        table.wrong("memoryless", "a remote bot runs out of the arena's sight and may remember; leave memoryless out")
    if kind == "builtin" and not memoryless:
        table.wrong("memoryless", "built-in bots keep nothing; leave memoryless out")


def _check_schedule(tournament: Tournament, mistakes: Mistakes) -> None:
    try:
        tournament.schedule(tournament.name)
    except BadSchedule as error:
        mistakes.add(("same_author",) if "author" in str(error) else ("bots",), str(error))
