"""Bots that their authors run, in three languages: the kit's, the one in `clients/typescript`, and one in Go.

Those in Node and Go know the contract alone; they are built from the bundle, as its README says.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from fudaba.bundle import write_bundle
from tests.service.processes import FUDABA

__all__ = ["Built", "NotBuilt", "build", "command_of", "tools_missing"]

_NODE_SOURCES: Final = Path(__file__).resolve().parents[3] / "clients" / "typescript"
_GO_SOURCES: Final = Path(__file__).resolve().parent / "go_bot"
_MODULE: Final = "example.com/bot"
_TOOLS: Final = {"node": "Node.js 18.19 or newer", "npm": "npm", "go": "Go 1.24 or newer"}
_SECONDS: Final = 1200


class NotBuilt(Exception):
    """A bot cannot be built."""


class Built(NamedTuple):
    """The bots that have to be built, in a folder that can be used again."""

    node: Path
    """The script."""
    go: Path
    """The program."""


def tools_missing() -> list[str]:
    """What building them needs and this machine does not have."""
    return [what for tool, what in _TOOLS.items() if shutil.which(tool) is None]


def build(folder: Path) -> Built:
    """Builds what is not there yet. Raises `NotBuilt`."""
    built = Built(folder / "node" / "dist" / "src" / "main.js", folder / "go" / "bot")
    if not built.node.is_file():
        _build_node(folder / "node")
    if not built.go.is_file():
        _build_go(folder / "go")
    return built


def command_of(kind: str, address: str, built: Built) -> list[str]:
    """What runs a bot of a kind: `node`, `go`, or the name of a built-in bot, which is run by the kit."""
    if kind == "node":
        return ["node", str(built.node)]
    if kind == "go":
        return [str(built.go), "play", address]
    return [str(FUDABA), "bot", "run", kind, "--server", address, "--quiet"]


def _build_node(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(_NODE_SOURCES, folder, ignore=shutil.ignore_patterns("node_modules", "dist", "contract", "gen"))
    write_bundle(folder / "contract")
    _run(["npm", "ci"], folder)
    _run(["npm", "run", "build"], folder)


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


def _run(command: Sequence[str], folder: Path, **environment: str) -> None:
    done = subprocess.run(
        command, cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False, timeout=_SECONDS
    )
    if done.returncode:
        raise NotBuilt(f"{' '.join(command[:3])} failed:\n{done.stdout}{done.stderr}")
