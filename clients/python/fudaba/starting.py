"""Writes a new author's or organiser's first files: the project of a working bot, or the file of a ladder.

The templates and the kits of the other languages are in `clients/LANGUAGE` of a checkout and nowhere else; a wheel has
copies. A project gets the template with the bot's name in it, and the kit as its folder `fudaba`, with the contract's
sources in it, where every field of a view and a move is described. A ladder's file is the one of `docs/examples`, of
which a wheel has a copy, too.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final

from fudaba.bundle import write_sources
from fudaba.errors import FudabaError

__all__ = ["BadLadderFile", "BadProject", "languages", "write_ladder", "write_project"]

_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")
_LADDER_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_LADDER: Final = Path("examples", "open.toml")
_HOUSE: Final = "house-"
_PLACEHOLDER: Final = "mybot"
_MADE: Final = shutil.ignore_patterns("__pycache__", "node_modules", "target", "vendor", "build", ".gradle")
"""The names of files that tools leave in a checkout's template."""


class BadProject(FudabaError):
    """The requested project cannot be written."""


class BadLadderFile(FudabaError):
    """The requested ladder's file cannot be written."""


def languages() -> dict[str, Path]:
    """Returns the languages with a template, each with its folder."""
    here = Path(__file__).resolve().parent
    folder = here / "languages" if (here / "languages").is_dir() else here.parents[1]
    return {path.parents[1].name: path.parents[1] for path in sorted(folder.glob("*/template/bot.toml"))}


def write_project(language: str, name: str, folder: Path) -> list[Path]:
    """Writes a new bot in one of the `languages` into a folder, which is created if necessary. Returns the paths in it.

    Raises `BadProject` for an invalid name, or a non-empty folder; then nothing is written.
    """
    if not _NAME.fullmatch(name):
        raise BadProject(f"{name!r} is no name for a bot; write 1 to 40 of a-z, 0-9 and '-', beginning with a letter")
    if name.startswith(_HOUSE):
        raise BadProject(f"names that begin with {_HOUSE} are reserved for the service's own bots; choose another")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadProject(f"{folder} is there and is no empty folder; name another with --folder")
    source = languages()[language]
    shutil.copytree(source / "template", folder, ignore=_MADE, dirs_exist_ok=True)
    for path in folder.rglob("*"):
        if path.is_file():
            _name_in(path, name)
    if (source / "kit").is_dir():
        shutil.copytree(source / "kit", folder / "fudaba", ignore=_MADE)
        write_sources(folder / "fudaba" / "contract")
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())


def _name_in(path: Path, name: str) -> None:
    """Replaces the template's placeholder by the bot's name."""
    content = path.read_bytes()
    if _PLACEHOLDER.encode() in content:
        path.write_bytes(content.replace(_PLACEHOLDER.encode(), name.encode()))


def write_ladder(file: Path) -> None:
    """Writes a new ladder's file, with a line about each key. The ladder is named after the file.

    Raises `BadLadderFile` if the name is invalid for a ladder, or the file exists; then nothing is written.
    """
    if not _LADDER_NAME.fullmatch(file.stem):
        raise BadLadderFile(
            f"a ladder is named after its file, and {file.stem!r} is no name for one; "
            "write 1 to 32 of A-Z, a-z, 0-9, '_' and '-', beginning with a letter or digit"
        )
    here = Path(__file__).resolve().parent
    folder = here if (here / _LADDER).is_file() else here.parents[2] / "docs"
    text = (folder / _LADDER).read_text(encoding="utf-8")
    text = text.replace(f'name = "{_LADDER.stem}"', f'name = "{file.stem}"', 1)
    text = text.replace(f"create {_LADDER.name}`", f"create {file.name}`", 1)
    try:
        with file.open("x", encoding="utf-8") as written:
            written.write(text)
    except FileExistsError:
        raise BadLadderFile(f"{file} is there; name another, or edit it") from None
