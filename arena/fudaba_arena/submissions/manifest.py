"""`bot.toml`: what a submission is, and how it is built and started. `docs/authors.md` describes its keys.

All mistakes are reported together, each with its line. The text is a stranger's, so reading it is bounded.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import PurePosixPath
from typing import Any, Final, Self, final

from fudaba.safe_text import fault_of
from fudaba.text_files import NotText, text_of, windows_words
from fudaba.toml_lines import toml_lines
from fudaba.toml_reading import (
    Mistake,
    Mistakes,
    TableReader,
    shown,
    suggestion,
    syntax_mistake,
)
from fudaba_arena.forms import known_fields, with_unknown
from fudaba_arena.submissions.faults import BadSubmission, Fault
from fudaba_arena.tournament.definition import HOUSE
from fudaba_arena.tournament.season import KEPT, MEMORY, NOTHING
from fudaba_games.registry import GAMES

__all__ = [
    "LANGUAGES",
    "MANIFEST",
    "MANIFEST_BYTES",
    "OTHER",
    "SUFFIXES",
    "Manifest",
    "for_source",
    "read_manifest",
]

MANIFEST: Final = "bot.toml"
"""The file in which a submission describes itself: at the top of its archive, or in the only folder there."""
MANIFEST_BYTES: Final = 65_536
"""The largest size of the file, in bytes."""
ALL: Final = "all"
OTHER: Final = "other"
LANGUAGES: Final = ("python", "node", "go", "rust", "java", "cpp", OTHER)
"""The languages of a bot; `other` starts a program that needs only the system."""

_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")
_RUNTIME: Final = re.compile(r"[a-z0-9][a-z0-9.-]{0,39}")
_STEM: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,99}")
_MIN_RAM_MB: Final = 16
_MAX_RAM_MB: Final = 1_000_000
_MAX_WORDS: Final = 64
_MAX_WORD_CHARS: Final = 1_000


@final
@dataclass(frozen=True, slots=True)
class Manifest:
    """A submission's `bot.toml`."""

    name: str
    """The bot's name; empty if it has none, as for a source file."""
    games: tuple[str, ...]
    """The games that it plays, by id."""
    language: str
    """One of `LANGUAGES`."""
    start: tuple[str, ...]
    """The command that starts it, in its folder."""
    build: tuple[str, ...] = ()
    """The command that builds it, in its folder; empty for none."""
    runtime: str = ""
    """The version of the runtime that it requests; empty for the newest."""
    ram_mb: int = 0
    """The megabytes of memory that it requests; 0 for the default."""
    keeps: bool = False
    """Whether it requests a lasting folder."""
    unknown: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """Fields that a later release has stored; they are kept."""

    def values(self) -> dict[str, Any]:
        """Converts it to the stored JSON values."""
        return with_unknown(asdict(self))

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """Reads stored values. Raises `BadStored`."""
        known = known_fields(cls, values, "the manifest of a submission")
        return cls(**known | {name: tuple(known[name]) for name in ("games", "start", "build") if name in known})


def read_manifest(
    raw: bytes, files: Container[PurePosixPath] = (), beginnings: Mapping[PurePosixPath, bytes] | None = None
) -> Manifest:
    """Returns the manifest in a file, beside `files`. Raises `BadSubmission`, with a line for every mistake.

    `beginnings` has the first bytes of files that may be scripts with Windows line ends.
    """
    if len(raw) > MANIFEST_BYTES:
        raise _wrong([Mistake(1, f"this has {len(raw):,} bytes; write at most {MANIFEST_BYTES:,}")])
    try:
        text = text_of(raw)
    except NotText as error:
        raise _wrong([Mistake(error.line, str(error))]) from None
    mistakes, content = _parsed(text)
    top = TableReader(content, (), mistakes)
    manifest = _read(top, files)
    _check_scripts(top, manifest, beginnings or {})
    if mistakes.found:
        raise _wrong(mistakes.found)
    return manifest


def _parsed(text: str) -> tuple[Mistakes, Mapping[str, Any]]:
    try:
        content = tomllib.loads(text)
        return Mistakes(toml_lines(text), MANIFEST), content
    except tomllib.TOMLDecodeError as error:
        raise _wrong([syntax_mistake(error, text)]) from None
    except RecursionError:
        raise _wrong([Mistake(1, "this has too many brackets within brackets; no key needs them")]) from None
    except ValueError:  # what the grammar allows and Python does not read, such as a number of 5,000 digits
        raise _wrong([Mistake(1, "this has a number that is too long to be read; no key needs it")]) from None


def _read(top: TableReader, files: Container[PurePosixPath]) -> Manifest:
    name = top.text("name", None, pattern=_NAME, rule="1 to 40 of a-z, 0-9 and '-', beginning with a letter")
    if name.startswith(HOUSE):
        top.wrong("name", f"names that begin with {HOUSE} are reserved for the service's own bots; choose another")
    games = _games(top)
    language = top.one_of("language", None, LANGUAGES, "language")
    build = _command(top, "build")
    if build:
        _check_program(top, "build", build[0], files, made=False)
    start = _command(top, "start")
    if start:
        _check_program(top, "start", start[0], files, made=bool(build))
    if not top.has("start"):
        top.wrong("start", f'{MANIFEST} needs start: write start = ["python3", "bot.py"]')
    runtime = top.text("runtime", "")
    if runtime and not _RUNTIME.fullmatch(runtime):
        top.wrong("runtime", f"runtime is {shown(runtime)}; write the name of one, as the list of runtimes has it")
    ram_mb = top.whole("ram_mb", 0, _MIN_RAM_MB, _MAX_RAM_MB) if top.has("ram_mb") else 0
    memory = top.one_of("memory", NOTHING, MEMORY, "choice of memory")
    top.finish()
    return Manifest(name, games, language, start, build, runtime, ram_mb, keeps=memory == KEPT)


def _games(top: TableReader) -> tuple[str, ...]:
    """Returns the games of a list in the catalogue's order, or all games."""
    if not top.has("games"):
        top.wrong("games", f'{MANIFEST} needs games: write games = ["naga"], or games = "{ALL}"')
        return ()
    games = top.texts_or("games", ALL, '["naga"]')
    if games is None:
        return tuple(GAMES)
    for index, game in enumerate(games):
        if game not in GAMES:
            top.wrong("games", f"there is no game {shown(game)}; {suggestion(game, tuple(GAMES))}", index)
        elif game in games[:index]:
            top.wrong("games", f"{game} is named twice; name it once", index)
    return tuple(game for game in GAMES if game in games)


def _command(top: TableReader, key: str) -> tuple[str, ...]:
    words = top.texts(key)
    if len(words) > _MAX_WORDS:
        top.wrong(key, f"{key} has {len(words)} words; write at most {_MAX_WORDS}, and the rest in a script")
    for index, word in enumerate(words[:_MAX_WORDS]):
        if not word or len(word) > _MAX_WORD_CHARS:
            top.wrong(key, f"{key} has a word of {len(word)} characters; write 1 to {_MAX_WORD_CHARS}", index)
        elif fault := fault_of(word):
            top.wrong(key, f"{key} has {shown(word)}: {fault}", index)
    return words


def _check_program(top: TableReader, key: str, program: str, files: Container[PurePosixPath], *, made: bool) -> None:
    """Notes a missing program, unless the build may make it."""
    path = PurePosixPath(program)
    if ".." in path.parts:
        top.wrong(key, f"{key} leads out of the folder: {shown(program)}; name a program in it", 0)
    elif "/" not in program and path in files:
        top.wrong(key, f"{key} names {shown(program)}, which is looked for in the runtime; write ./{program}", 0)
    elif "/" in program and not path.is_absolute() and path not in files and not made:
        top.wrong(key, f"{key} names {shown(program)}, and there is no such file; pack it, or correct the name", 0)


def _check_scripts(top: TableReader, manifest: Manifest, beginnings: Mapping[PurePosixPath, bytes]) -> None:
    """Notes scripts that would not run."""
    for key, command in {"start": manifest.start, "build": manifest.build}.items():
        for place, text in windows_words(command, {word: beginnings.get(PurePosixPath(word), b"") for word in command}):
            top.wrong(key, f"{key} names a script that cannot run: {text}", place)


# What a source file alone is taken for, by its suffix: the language, how it is built, and how it is started.
SUFFIXES: Final[Mapping[str, tuple[str, tuple[str, ...], tuple[str, ...]]]] = {
    ".py": ("python", (), ("python3", "{}")),
    ".js": ("node", (), ("node", "{}")),
    ".mjs": ("node", (), ("node", "{}")),
    ".cjs": ("node", (), ("node", "{}")),
    ".go": ("go", ("go", "build", "-o", "bot", "{}"), ("./bot",)),
    ".rs": ("rust", ("rustc", "-O", "-o", "bot", "{}"), ("./bot",)),
    ".java": ("java", (), ("java", "{}")),
    ".cpp": ("cpp", ("g++", "-O2", "-std=c++20", "-o", "bot", "{}"), ("./bot",)),
}


def for_source(file: str) -> Manifest:
    """Returns the manifest of one source file by its name. Raises `BadSubmission`."""
    path = PurePosixPath(file)
    if path.suffix not in SUFFIXES:
        raise BadSubmission(
            Fault.FORMAT,
            "this is neither an archive nor a source file: submit a .tar.gz, .tar.zst or .zip with bot.toml in it, or "
            f"one file that ends with {', '.join(SUFFIXES)}",
        )
    if path.name != file or not _STEM.fullmatch(path.stem):
        raise BadSubmission(Fault.NAME, f"the file's name is {shown(file)}; call it for example bot{path.suffix}")
    language, build, start = SUFFIXES[path.suffix]
    start, build = (tuple(word.format(file) for word in command) for command in (start, build))
    return Manifest("", tuple(GAMES), language, start, build)


def _wrong(mistakes: list[Mistake]) -> BadSubmission:
    reasons = "\n".join(f"{MANIFEST}:{mistake.line}: {mistake.text}" for mistake in sorted(set(mistakes)))
    return BadSubmission(Fault.MANIFEST, reasons)
