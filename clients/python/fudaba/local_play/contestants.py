"""What plays: a built-in bot, a Python class, or a command of any language."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, final

from fudaba.bot_program import command_line
from fudaba.bots import BUILT_IN, budget_mistake
from fudaba.errors import FudabaError

__all__ = ["FUDABA", "BadContestant", "Contestant", "Kind", "contestants", "kind_of", "program_of"]

FUDABA: Final = (sys.executable, "-c", "from fudaba.cli import main; main()")
"""The command `fudaba`, with the Python that runs this."""
_HOUSE: Final = frozenset({"random", "first", "sensible"})
"""The built-in bots that a service plays itself."""
_CLASS: Final = re.compile(r"(?:[^\s:]+\.py|[A-Za-z_][\w.]*):[A-Za-z_]\w*")


@final
class BadContestant(FudabaError):
    """What is named plays nothing; `str()` says what to write instead."""


@final
class Kind(StrEnum):
    """What a bot is given as."""

    BUILT_IN = "built-in"
    CLASS = "class"
    COMMAND = "command"


@final
@dataclass(frozen=True, slots=True)
class Contestant:
    """A bot that plays."""

    spec: str
    """As it was given."""
    label: str
    """The same; with a number where it is there several times."""
    kind: Kind
    house: str = ""
    """The house bot that plays it on a service; empty for what is started as a process."""


def kind_of(spec: str) -> Kind:
    """What a text names. Raises `BadContestant` for a built-in bot with a budget that it does not take."""
    if spec.partition(":")[0] in BUILT_IN:
        if mistake := budget_mistake(spec):
            raise BadContestant(mistake)
        return Kind.BUILT_IN
    return Kind.CLASS if _CLASS.fullmatch(spec) else Kind.COMMAND


def program_of(spec: str) -> list[str]:
    """The command that plays as a bot. Raises `BadContestant` if there is none to start.

    A class resigns when it raises an exception: the match is over at once, and the exception is in its output.
    """
    if kind_of(spec) is Kind.COMMAND:
        return _checked(spec)
    return [*FUDABA, "bot", "run", "--on-error", "resign", spec]


def contestants(specs: Sequence[str], seats: int) -> tuple[Contestant, ...]:
    """Who plays in a match of so many seats; the last one named has all that are left. Raises `BadContestant`."""
    named = [*specs, *[specs[-1]] * (seats - len(specs))]
    seen: Counter[str] = Counter()
    found = []
    for spec in named:
        seen[spec] += 1
        label = f"{spec} ({seen[spec]})" if named.count(spec) > 1 else spec
        kind = kind_of(spec)
        if kind is Kind.COMMAND:
            _checked(spec)
        found.append(Contestant(spec, label, kind, f"house-{spec}" if spec in _HOUSE else ""))
    return tuple(found)


def _checked(spec: str) -> list[str]:
    """The words of a command whose program is there."""
    try:
        words = shlex.split(spec)
    except ValueError as error:
        raise BadContestant(f"{spec!r} is no command: {error}") from None
    if not words:
        raise BadContestant("an empty text names no bot")
    command = command_line(words)
    program = command[0]
    if os.sep not in program:
        if shutil.which(program) is None:
            raise BadContestant(f"{spec!r} names no bot: {_instead(program)}")
    elif not Path(program).is_file():
        raise BadContestant(f"there is no program {program}")
    elif not os.access(program, os.X_OK):
        raise BadContestant(f"{program} is not executable: chmod +x it, or name what runs it, as 'python {program}'")
    return command


def _instead(program: str) -> str:
    if Path(program).is_file():
        ways = f"write './{program}' if it is executable"
        return f"{ways}, or '{program}:Class', or 'python {program}'" if program.endswith(".py") else ways
    return f"there is no program {program!r}; write {', '.join(BUILT_IN)}, file.py:Class, or a command such as ./bot"
