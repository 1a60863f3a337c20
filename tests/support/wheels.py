"""The wheel of this checkout, and environments in which it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.support.clients.projects import built_once

__all__ = [
    "SOURCES",
    "NotInstalled",
    "build_wheel",
    "copy_sources",
    "environment",
    "install",
    "newer_python",
    "wheel_of_checkout",
]

ROOT: Final = Path(__file__).resolve().parents[2]
SOURCES: Final = ("games", "serving", "service", "arena", "web", "clients/python")
"""The folders of the packages."""
_UV: Final = Path(sys.executable).with_name("uv")


class NotInstalled(AssertionError):
    """The requested packages cannot be installed together; the text says why."""


def copy_sources(copy: Path) -> None:
    """Copies what a wheel is built from: building in the checkout would leave files in it."""
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    for name in (*SOURCES[:-1], "clients", "proto", "docs"):
        ignored = shutil.ignore_patterns("__pycache__", "node_modules", "*.egg-info", "build", "pictures")
        shutil.copytree(ROOT / name, copy / name, ignore=ignored)


def build_wheel(sources: Path, made: Path) -> Path:
    """Builds a wheel of copied sources in the folder `made`, without the network. Without a page it has none."""
    build = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"
    choice = {} if (sources / "web" / "fudaba_web" / "page" / "index.html").is_file() else {"FUDABA_PAGE": "none"}
    done = subprocess.run(
        [sys.executable, "-c", build, made],
        cwd=sources,
        env=os.environ | choice,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (built,) = made.glob("*.whl")
    return built


def newer_python() -> str:
    """Returns a Python on this machine whose minor version is newer than that of the tests.

    Without one the test is skipped.
    """
    newer = f">={sys.version_info.major}.{sys.version_info.minor + 1}"
    found = subprocess.run(
        [_UV, "python", "find", "--no-python-downloads", "--no-project", newer],
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode != 0:
        pytest.skip(f"there is no Python {newer} on this machine")
    return found.stdout.strip()


def environment(folder: Path, *requirements: str, python: str = sys.executable) -> Path:
    """Returns a new environment with these packages, by the package index; its `bin`. Raises `NotInstalled`.

    Without the index the test is skipped; with CI=true it fails.
    """
    _uv("venv", "--quiet", "--no-project", "--python", python, str(folder))
    _uv(
        "pip", "install", "--quiet", "--only-binary", ":all:", "--python", str(folder / "bin" / "python"), *requirements
    )
    return folder / "bin"


def wheel_of_checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the wheel of this checkout, built once for all tests that install it."""

    def build(folder: Path) -> None:
        (folder / "sources").mkdir(parents=True)
        copy_sources(folder / "sources")
        build_wheel(folder / "sources", folder)

    [built] = built_once(tmp_path_factory, "wheel-of-checkout", build).glob("*.whl")
    return built


def install(folder: Path, wheel: Path, resolution: str, *extras: str) -> None:
    """Makes `folder/environment`, with the wheel and, of what it asks for, the oldest or the newest packages.

    `resolution` is uv's word for that: `lowest-direct` or `highest`. The index is needed as in `environment`.
    """
    folder.mkdir()
    resolved = folder / "resolved.txt"
    shutil.copy(ROOT / "pyproject.toml", folder)
    named = [word for extra in extras for word in ("--extra", extra)]
    _uv(
        *("pip", "compile", "--quiet", "--no-header", "--only-binary", ":all:", "--python", sys.executable),
        *("--resolution", resolution, *named, "--output-file", str(resolved), str(folder / "pyproject.toml")),
    )
    environment(folder / "environment", "--requirement", str(resolved), str(wheel))


def _uv(*arguments: str) -> None:
    done = subprocess.run([_UV, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0 and "error sending request" in done.stderr and os.environ.get("CI") != "true":
        pytest.skip("the package index cannot be reached")
    if done.returncode != 0:
        raise NotInstalled(done.stderr)
