"""The languages that have a kit, and what an author does there before playing."""

from __future__ import annotations

import os
import subprocess
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from fudaba.starting import languages, write_project

Command = Sequence[str]


@final
@dataclass(frozen=True)
class Language:
    """What its template's README tells to do, in the project's folder."""

    tools: Sequence[str]
    prepare: Sequence[Command]
    test: Sequence[Command]

    def project(self, name: str, folder: Path) -> None:
        """Writes a new bot, fetches what it needs, and builds it."""
        write_project(name, "careful", folder)
        for command in self.prepare:
            run(command, folder)


LANGUAGES: Final = {
    "go": Language(
        tools=["go"],
        prepare=[["go", "mod", "vendor"], ["go", "build", "-mod=vendor", "-o", "bot", "."]],
        test=[["go", "vet", "./..."], ["go", "test", "./..."], ["go", "-C", "fudaba", "test", "./..."]],
    ),
    "node": Language(tools=["node", "npm"], prepare=[["npm", "ci"]], test=[["npm", "test"]]),
    "rust": Language(
        tools=["cargo"],
        prepare=[["cargo", "vendor", "--locked"], ["cargo", "build", "--release", "--locked"]],
        test=[["cargo", "test", "--locked"], ["cargo", "test", "--locked", "--package", "fudaba"]],
    ),
}


def with_kit() -> set[str]:
    """The languages whose bots are connected by a folder of their own project."""
    return {name for name, folder in languages().items() if (folder / "kit").is_dir()}


def run(command: Command, folder: Path) -> None:
    """Runs a command that has to succeed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"


def start(folder: Path) -> list[str]:
    """The command that starts the bot of a project, whatever the current folder is."""
    words: list[str] = tomllib.loads((folder / "bot.toml").read_text(encoding="utf-8"))["start"]
    return [os.path.join(folder, word) if (folder / word).exists() else word for word in words]  # noqa: PTH118 - text
