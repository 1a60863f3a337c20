"""A new bot's project: a working bot in one of the languages, with what connects it, to be made one's own.

The templates and the kits of the other languages stand in `clients/LANGUAGE` of a checkout and nowhere else; a wheel
has copies. A project gets the template with the bot's name in it, and the kit as its folder `fudaba`, with the
contract's sources in it, where every field of a view and a move is described.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final

from fudaba.bundle import write_sources
from fudaba.errors import FudabaError

__all__ = ["BadProject", "languages", "write_project"]

_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")
_PLACEHOLDER: Final = "mybot"
_MADE: Final = shutil.ignore_patterns("__pycache__", "node_modules", "target", "vendor", "build", ".gradle")
"""What tools leave behind in a checkout's own template."""


class BadProject(FudabaError):
    """No project can be written as it was asked for."""


def languages() -> dict[str, Path]:
    """The languages that there is a template for, each with the folder of it: in a wheel a copy."""
    here = Path(__file__).resolve().parent
    folder = here / "languages" if (here / "languages").is_dir() else here.parents[1]
    return {path.parents[1].name: path.parents[1] for path in sorted(folder.glob("*/template/bot.toml"))}


def write_project(language: str, name: str, folder: Path) -> list[Path]:
    """Writes a new bot, in one of the `languages`, into a folder, which is made if need be; returns the paths in it.

    Raises `BadProject` when the name is none, or when the folder holds something; then nothing is written.
    """
    if not _NAME.fullmatch(name):
        raise BadProject(f"{name!r} is no name for a bot; write 1 to 40 of a-z, 0-9 and '-', beginning with a letter")
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
    """Puts the bot's name where the template has its placeholder."""
    content = path.read_bytes()
    if _PLACEHOLDER.encode() in content:
        path.write_bytes(content.replace(_PLACEHOLDER.encode(), name.encode()))
