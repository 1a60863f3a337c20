"""The contestants of a local match: a built-in bot, a Python class, a command of any language, or a folder with a
bot.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple, TypeGuard, final

from fudaba.bot_program import command_line
from fudaba.bots import BUILT_IN, budget_mistake
from fudaba.errors import FudabaError
from fudaba.preparing import needed
from fudaba.supervisor import PROGRAM
from fudaba.text_files import NotText, read_text, script_mistake

__all__ = [
    "BadContestant",
    "Contestant",
    "ContestantKind",
    "ContestantProgram",
    "contestants",
    "kind_of",
    "program_of",
]

_HOUSE: Final = frozenset({"random", "first", "sensible"})
"""The built-in bots that a service plays itself."""
_CLASS: Final = re.compile(r"(?:[^\s:]+\.py|[A-Za-z_][\w.]*):[A-Za-z_]\w*")


@final
class BadContestant(FudabaError):
    """A name denotes no bot. `str()` says what to write instead."""


@final
class ContestantKind(StrEnum):
    """The forms in which a bot can be given."""

    BUILT_IN = "built-in"
    CLASS = "class"
    COMMAND = "command"


@final
@dataclass(frozen=True, slots=True)
class Contestant:
    """A playing bot."""

    spec: str
    """The contestant as the user wrote it."""
    label: str
    """The same, with a number if it appears several times."""
    kind: ContestantKind
    house: str = ""
    """The house bot that plays it on a service; empty if it runs as a process."""


def kind_of(spec: str) -> ContestantKind:
    """Parses a name. Raises `BadContestant` for a built-in bot with a budget that it does not take."""
    if spec.partition(":")[0] in BUILT_IN:
        if mistake := budget_mistake(spec):
            raise BadContestant(mistake)
        return ContestantKind.BUILT_IN
    return ContestantKind.CLASS if _CLASS.fullmatch(spec) else ContestantKind.COMMAND


@final
class ContestantProgram(NamedTuple):
    """A program to start."""

    command: list[str]
    folder: Path
    """The folder in which it runs."""


def program_of(spec: str, game: str = "") -> ContestantProgram:
    """Returns the command of a bot for this game, or for any. Raises `BadContestant` if there is none to start.

    A Python class resigns when it raises an exception: the match is over at once, and the exception is in its output.
    """
    kind = kind_of(spec)
    if kind is ContestantKind.COMMAND:
        return _checked(spec)
    games = ["--games", game] if game and kind is ContestantKind.BUILT_IN else []  # or it would load all of them
    return ContestantProgram([*PROGRAM, "bot", "run", "--on-error", "resign", *games, spec], Path.cwd())


def contestants(specs: Sequence[str], seats: int) -> tuple[Contestant, ...]:
    """Returns the contestants of a match with this many seats. The last one named gets all remaining seats. Raises
    `BadContestant`.
    """
    named = [*specs, *[specs[-1]] * (seats - len(specs))]
    seen: Counter[str] = Counter()
    found = []
    for spec in named:
        seen[spec] += 1
        label = f"{spec} ({seen[spec]})" if named.count(spec) > 1 else spec
        kind = kind_of(spec)
        if kind is ContestantKind.COMMAND:
            _checked(spec)
        found.append(Contestant(spec, label, kind, f"house-{spec}" if spec in _HOUSE else ""))
    return tuple(found)


def _checked(spec: str) -> ContestantProgram:
    """Returns a command after checking that its program exists."""
    if not spec.strip():
        raise BadContestant("an empty text names no bot")
    if Path(spec).is_file():  # whatever its path has in it
        return ContestantProgram(_there([spec], spec, Path.cwd()), Path.cwd())
    if Path(spec).is_dir():
        folder = Path(spec).resolve()
        start, build = _words_of(folder)
        unbuilt = os.sep in start[0] and build and not (folder / start[0]).is_file()
        if (preparation := needed(folder)) is not None and (unbuilt or not _found_above(folder, preparation.makes)):
            then = f", then {shlex.join(build)!r}" if unbuilt else ""
            raise BadContestant(f"{spec!r} is not prepared: run {shlex.join(preparation.command)!r} in {folder}{then}")
        if unbuilt:
            raise BadContestant(f"{spec!r} is not built yet: run {shlex.join(build)!r} in {folder}")
        return ContestantProgram(_there(start, spec, folder), folder)
    try:
        words = shlex.split(spec)
    except ValueError as error:
        raise BadContestant(f"{spec!r} is no command: {error}") from None
    return ContestantProgram(_there(words, spec, Path.cwd()), Path.cwd())


def _found_above(folder: Path, name: str) -> bool:
    """Returns whether a folder needs no preparation: it is already built, or Node finds its packages in a folder
    above.
    """
    return name == "vendor" or any((parent / name).exists() for parent in folder.parents)


def _there(words: Sequence[str], spec: str, folder: Path) -> list[str]:
    """Returns a command for a folder, after checking that its program exists."""
    command = command_line(words)
    program = command[0]
    if os.sep not in program:
        if shutil.which(program) is None:
            raise BadContestant(f"{spec!r} names no bot: {_instead(program)}")
    elif not (folder / program).is_file():
        raise BadContestant(f"there is no program {program}{'' if folder == Path.cwd() else f' in {folder}'}")
    elif not os.access(folder / program, os.X_OK):
        raise BadContestant(f"{program} is not executable: chmod +x it, or name what runs it, as 'python {program}'")
    if mistake := script_mistake(command, folder):
        raise BadContestant(mistake)
    return command


def _words_of(folder: Path) -> tuple[list[str], list[str]]:
    """Returns the start and build commands in the `bot.toml` of a folder; the latter may be missing.

    A Python bot runs with this process's Python, where `fudaba` is installed, as it is on an arena.
    """
    path = folder / "bot.toml"
    try:
        manifest = tomllib.loads(read_text(path))
    except FileNotFoundError:
        raise BadContestant(f"{folder} is a folder without a bot.toml; name the program in it") from None
    except (OSError, NotText, tomllib.TOMLDecodeError) as error:
        raise BadContestant(f"{path} cannot be read: {error}") from None
    start, build = manifest.get("start"), manifest.get("build", [])
    if not _is_command(start) or not start:
        raise BadContestant(f'{path} does not say how the bot is started; write start = ["./bot"]')
    if start[0] == "python3":
        start = ["python", *start[1:]]
    return start, build if _is_command(build) else []


def _is_command(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(word, str) and word for word in value)


def _instead(program: str) -> str:
    if Path(program).is_file():
        ways = f"write './{program}' if it is executable"
        return f"{ways}, or '{program}:Class', or 'python {program}'" if program.endswith(".py") else ways
    return f"there is no program {program!r}; write {', '.join(BUILT_IN)}, file.py:Class, or a command such as ./bot"
