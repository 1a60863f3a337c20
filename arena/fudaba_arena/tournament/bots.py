"""The bots of a tournament file: its tables `[[bots]]`."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Final

from fudaba.bots import BUILT_IN, STRATEGIES, budget_mistake
from fudaba.toml_reading import TableReader, shown, suggestion
from fudaba_arena.tournament.definition import HOUSE, BotEntry
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.panel import PANEL_PREFIX

__all__ = ["read_bots"]

_BOT: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")
_LABEL: Final = re.compile(r"[A-Za-z0-9._-]{1,40}")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KINDS: Final = ("builtin", "command", "remote")


def read_bots(
    top: TableReader,
    folder: Path | None,
    games: tuple[TournamentGame, ...],
    *,
    fewest: int | None = None,
    submitted: bool = False,
) -> tuple[BotEntry, ...]:
    """Reads the bots in the file's order. Each game must have at least as many as it has seats, or `fewest`.
    `submitted` says whether an arena has written them, who may enter submissions.
    """
    tables = top.tables("bots")
    played = tuple(game.game for game in games if game.game)
    bots: list[BotEntry] = []
    for table in tables:
        bot = _submitted(table) if submitted and table.has("submission") else _bot(table, folder, played)
        if bot.name and any(other.name == bot.name for other in bots):
            table.wrong("name", f"bot {bot.name} is entered twice; give every bot a name of its own")
        bots.append(bot)
    for game in games:
        players = sum(bot.plays(game.game) for bot in bots)
        if players < (game.seats if fewest is None else fewest):
            where = f" of {game.game}" if len(games) > 1 or game.seats > 2 else ""
            need = f"a tournament{where} needs at least {game.seats} bots, this one has {players}"
            fill = ', for example with builtin = "random"' if game.seats > 2 else ""
            top.wrong("bots", f"{need}; add tables [[bots]]{fill}")
    return tuple(bots)


def _submitted(table: TableReader) -> BotEntry:
    """Reads a submission, as `ladder_seeds` writes it."""
    bot = BotEntry(table.text("name", None), version=table.text("version", None))
    submission, needs, keeps = (table.text(key, None) for key in ("submission", "needs", "keeps"))
    stateless = table.flag("stateless", default=False)
    table.finish()
    return bot.submitted(submission, stateless=stateless, ladder=keeps, needs=needs)


def _bot(table: TableReader, folder: Path | None, games: tuple[str, ...]) -> BotEntry:
    kinds = [kind for kind in _KINDS if table.has(kind)]
    if len(kinds) != 1:
        complaint = f"{' and '.join(kinds)} at once" if kinds else "nothing that says what it is"
        table.wrong(
            "name",
            f'this bot has {complaint}; write one of builtin = "random", command = ["python", "mybot.py"] and remote'
            " = true",
        )
    name = table.text("name", None, pattern=_BOT, rule="1 to 40 of a-z, 0-9 and '-', beginning with a letter")
    if name.startswith(HOUSE):
        table.wrong("name", f"names that begin with {HOUSE} are reserved for the service's own bots; choose another")
    if name.startswith(PANEL_PREFIX):
        table.wrong("name", f"names that begin with {PANEL_PREFIX} are reserved for a ladder's panel; choose another")
    chosen = _games(table, games)
    builtin = _builtin(table) if "builtin" in kinds else ""
    if builtin == "sensible" and (lacking := [game for game in chosen or games if game not in STRATEGIES]):
        table.wrong(
            "builtin", f"there is no built-in bot 'sensible' for {' and '.join(lacking)}; write builtin = \"random\""
        )
    command = table.texts("command") if "command" in kinds else ()
    if "remote" in kinds and not table.flag("remote", default=True):
        table.wrong("remote", "remote is false; write remote = true, or say what is to be started with command")
    cwd = (folder or Path()) / table.text("cwd", "", longest=4_000)
    table.renamed("memoryless", "stateless")
    stateless = table.flag("stateless", default="builtin" in kinds)
    env = _env(table.table("env"))
    capacity = table.whole("capacity", 0, 0, 10_000)
    author = table.text("author", "", longest=100)
    version = table.text("version", "1", pattern=_LABEL, rule="1 to 40 of A-Z, a-z, 0-9, '.', '_' and '-'")
    if kinds == ["command"] and folder is None:
        table.wrong(
            "command",
            "this arena starts no programs; write remote = true and let its author run the bot, or start the arena"
            " with --commands FOLDER",
        )
    elif kinds == ["command"]:
        _check_command(table, command, cwd)
    elif len(kinds) == 1:
        _check_not_started(table, kinds[0], stateless=stateless)
    table.finish()
    return BotEntry(name, builtin, command, stateless, author, version, env, cwd, capacity, chosen)


def _builtin(table: TableReader) -> str:
    """Returns the name of a built-in bot, with or without a budget."""
    name = table.one_of("builtin", "", BUILT_IN, "built-in bot", lambda name: name.partition(":")[0] in BUILT_IN)
    if mistake := budget_mistake(name):
        table.wrong("builtin", mistake)
        return ""
    return name


def _games(table: TableReader, games: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the games that a bot plays; empty for all."""
    if not table.has("games"):
        return ()
    chosen = table.texts("games", '["naga"]')
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
            wrong(
                f"{shown(name)} is not the name of a variable;"
                " write letters, digits and '_', not beginning with a digit"
            )
        elif name.startswith("FUDABA_"):
            wrong(f"{name} is set by the arena; leave it out")
        else:
            env[name] = value
    return env


def _check_command(table: TableReader, command: tuple[str, ...], cwd: Path) -> None:
    """Notes a missing folder or program."""
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


def _check_not_started(table: TableReader, kind: str, *, stateless: bool) -> None:
    """Notes keys that apply only to a command."""
    for key in ("env", "cwd"):
        if table.has(key):
            table.wrong(key, f"{key} is for bots with a command; leave it out")
    if kind == "remote" and stateless:
        table.wrong("stateless", "a remote bot runs out of the arena's sight and may remember; leave stateless out")
    if kind == "builtin" and not stateless:
        table.wrong("stateless", "built-in bots keep nothing; leave stateless out")
