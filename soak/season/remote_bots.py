"""Bots that must be built: those in Node and Go that their authors run, and those that their authors submit.

The bot in Go that its author runs is written against the contract alone; it is built from the bundle, as its README
describes. The bot in Node is the one that `fudaba bot new` writes. So are the submitted ones, which are packed after
their dependencies were fetched.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from fudaba.bundle import write_bundle
from fudaba.starting import languages, write_project
from fudaba_arena.submissions.packing import pack_folder
from tests.support.clients.languages import LANGUAGES
from tests.support.service.processes import FUDABA

__all__ = ["Built", "NotBuilt", "bot_of", "build", "command_of", "submittable", "tools_missing"]

_GO_SOURCES: Final = Path(__file__).resolve().parent / "go_bot"
_MODULE: Final = "example.com/bot"
_TOOLS: Final = {"node": "Node.js 18.19 or newer", "npm": "npm", "go": "Go 1.24 or newer"}
_COMMAND_TIMEOUT_SECONDS: Final = 1200


class NotBuilt(Exception):
    """A bot cannot be built."""


class Built(NamedTuple):
    """The built bots, in a folder that can be used again."""

    node: Path
    """The script."""
    go: Path
    """The program."""
    submitted: Mapping[str, Path]
    """The submitted archive of each language."""


def submittable() -> list[str]:
    """Returns the languages in which bots can be submitted."""
    return list(languages())


def tools_missing(submitted: Collection[str]) -> list[str]:
    """Returns the tools that building them needs and this machine lacks."""
    tools = dict(_TOOLS)
    tools |= {tool: tool for language in submitted if language in LANGUAGES for tool in LANGUAGES[language].tools}
    if submitted:
        tools["bwrap"] = "bubblewrap"
    return [package for tool, package in tools.items() if shutil.which(tool) is None]


def bot_of(language: str) -> str:
    """Returns the name of the submitted bot in a language."""
    return f"submitted-{language}"


def build(folder: Path, submitted: Collection[str]) -> Built:
    """Builds the bots that are missing; `submitted` names languages. Raises `NotBuilt`."""
    archives = {language: folder / f"{bot_of(language)}.tar.gz" for language in submitted}
    built = Built(folder / "node" / "bot.js", folder / "go" / "bot", archives)
    if not built.node.is_file():
        _build_node(folder / "node")
    if not built.go.is_file():
        _build_go(folder / "go")
    for language, archive in archives.items():
        if not archive.is_file():
            _pack(language, folder / bot_of(language), archive)
    return built


def command_of(kind: str, address: str, built: Built) -> list[str]:
    """Returns the command that runs a bot of a kind: `node`, `go`, or the name of a built-in bot, which the kit
    runs.
    """
    if kind == "node":
        return ["node", str(built.node)]
    if kind == "go":
        return [str(built.go), "play", address]
    return [str(FUDABA), "bot", "run", kind, "--server", address, "--quiet"]


def _build_node(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    write_project("node", "remote", folder)
    _run(["npm", "ci"], folder)


def _build_go(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(_GO_SOURCES, folder)
    bundle = folder / "contract"
    write_bundle(bundle)
    plugins = folder / "plugins"
    _run(["go", "install", "tool"], folder, GOBIN=str(plugins))
    files = sorted(str(file.relative_to(bundle)) for file in bundle.glob("fudaba/v1/*.proto"))
    package = f"{_MODULE}/fudabav1"
    options = [f"--{plugin}_opt=M{file}={package}" for file in files for plugin in ("go", "go-grpc")]
    options += [f"--{plugin}_opt=module={_MODULE}" for plugin in ("go", "go-grpc")]
    protoc = [sys.executable, "-m", "grpc_tools.protoc", "-I.", f"--go_out={folder}", f"--go-grpc_out={folder}"]
    _run([*protoc, *options, *files], bundle, PATH=f"{plugins}{os.pathsep}{os.environ['PATH']}")
    _run(["go", "build", "-o", "bot", "."], folder)


def _pack(language: str, folder: Path, archive: Path) -> None:
    """Writes a new bot, fetches its dependencies, and packs everything."""
    shutil.rmtree(folder, ignore_errors=True)
    write_project(language, bot_of(language), folder)
    for command in LANGUAGES[language].prepare if language in LANGUAGES else []:
        _run(command, folder)
    unfinished = archive.with_suffix(".part")
    with unfinished.open("wb") as into:
        pack_folder(folder, into)
    unfinished.rename(archive)


def _run(command: Sequence[str], folder: Path, **environment: str) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=_COMMAND_TIMEOUT_SECONDS,
    )
    if done.returncode:
        raise NotBuilt(f"{' '.join(command[:3])} failed:\n{done.stdout}{done.stderr}")
