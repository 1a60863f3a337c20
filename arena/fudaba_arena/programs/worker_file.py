"""A worker's file: the runtimes that it offers beside those that it finds. `docs/workers.md` describes its keys.

All mistakes in it are reported together, each with its line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, final

from fudaba.text_files import NotText, text_of
from fudaba.toml_lines import toml_lines
from fudaba.toml_reading import (
    Mistake,
    Mistakes,
    TableReader,
    shown,
    syntax_mistake,
)
from fudaba_arena.errors import ArenaError
from fudaba_arena.programs.building import BUILD_LIMITS
from fudaba_arena.programs.installed_runtimes import LISTS, OFFLINE
from fudaba_arena.programs.runtimes import Runtime
from fudaba_arena.submissions.manifest import LANGUAGES
from fudaba_arena.tournament.limits import LIMITS, BotLimits, Limits, read_limits, read_some_limits

__all__ = ["BadWorkerFile", "OfferedRuntime", "WorkerFile", "read_worker_file"]

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9.-]{0,39}")
_VERSION: Final = re.compile(r"[0-9]+(\.[0-9]+)*")
_OF_BUILDS: Final = ("memory", "processes", "cpu", "cores", "wall", "file_size", "open_files", "disk", "output")
"""The limits that apply to builds: a build has no network and keeps nothing."""
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@final
class BadWorkerFile(ArenaError):
    """A worker's file has mistakes. `str()` has a line for each: `file:line: what is wrong; what to write`."""


@final
@dataclass(frozen=True, slots=True)
class OfferedRuntime:
    """A runtime that the file names."""

    runtime: Runtime
    """The runtime, with the version from the file and still without contents."""
    lists: Sequence[str]
    """The command that prints its contents."""


@final
@dataclass(frozen=True, slots=True)
class WorkerFile:
    """The content of a worker's file."""

    runtimes: Sequence[OfferedRuntime] = ()
    """The runtimes, in the file's order."""
    find: bool = True
    """Whether the worker also offers the installed runtimes that it finds."""
    limits: BotLimits = BotLimits()  # noqa: RUF009  # it is frozen
    """The limits of a submission in the matches of its check. Each ladder sets its own limits."""
    builds: Limits = BUILD_LIMITS
    """The limits of a build."""


def read_worker_file(path: Path) -> WorkerFile:
    """Reads a worker's file. Raises `BadWorkerFile`, and `ArenaError` when it cannot be read."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ArenaError(f"the worker's file {path} cannot be read: {error.strerror or error}") from error
    try:
        text = text_of(raw)
    except NotText as error:
        raise _bad(path, [Mistake(error.line, str(error))]) from None
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _bad(path, [syntax_mistake(error, text)]) from None
    mistakes = Mistakes(toml_lines(text), "a worker's file")
    top = TableReader(content, (), mistakes)
    find = top.flag("find_runtimes", default=True)
    runtimes = top.table("runtimes")
    offered = []
    for name, (_, wrong) in runtimes.items().items():
        if not _NAME.fullmatch(name):
            wrong(f"a runtime is called {shown(name)}; write 1 to 40 of a-z, 0-9, '.' and '-', such as python-3.11")
        offered.append(_runtime(name, runtimes.table(name)))
    limits = read_limits(top.table("limits"), seats=False)
    builds = read_some_limits(top.table("builds"), {name: LIMITS[name] for name in _OF_BUILDS})
    top.finish()
    if mistakes.found:
        raise _bad(path, mistakes.found)
    return WorkerFile(tuple(offered), find, limits, Limits.parse(asdict(BUILD_LIMITS) | builds))


def _runtime(name: str, table: TableReader) -> OfferedRuntime:
    language = table.one_of("language", None, LANGUAGES, "language")
    version = table.text("version", "", pattern=_VERSION, rule='numbers with points between, such as "3.11"')
    until = table.day("until")
    folders = _folders(table, "folders")
    programs = _folders(table, "programs")
    contents = table.texts("contents", '["list-contents"]')
    variables = {}
    for variable, (value, wrong) in table.table("variables").items().items():
        if not isinstance(value, str) or "\0" in value or not _VARIABLE.fullmatch(variable):
            wrong(f"variables.{variable} is {shown(value)}; write the name of a variable, and a text in quotes")
        else:
            variables[variable] = value
    table.finish()
    runtime = Runtime(
        name,
        language,
        version,
        until,
        shown={folder: folder for folder in folders if not folder.is_relative_to("/usr")},
        path=[str(folder) for folder in programs],
        variables={**OFFLINE.get(language, {}), **variables},
    )
    return OfferedRuntime(runtime, contents or LISTS.get(language, ()))


def _folders(table: TableReader, key: str) -> list[Path]:
    found = [Path(text) for text in table.texts(key, '["/opt/runtime"]')]
    for index, folder in enumerate(found):
        if not folder.is_absolute():
            table.wrong(key, f"{key} has {shown(str(folder))}; write the whole path, from /", index)
        elif not folder.is_dir():
            table.wrong(key, f"{key} has {shown(str(folder))}, and there is no such folder on this host", index)
    return found


def _bad(path: Path, mistakes: Sequence[Mistake]) -> BadWorkerFile:
    return BadWorkerFile("\n".join(f"{path}:{mistake.line}: {mistake.text}" for mistake in sorted(set(mistakes))))
