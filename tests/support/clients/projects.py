"""Bots in other languages, built once for all who use them."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.clients.languages import LANGUAGES


def built_once(tmp_path_factory: pytest.TempPathFactory, name: str, build: Callable[[Path], None]) -> Path:
    """Returns a folder that `build` has filled, once for all processes that share the tests' work: it is beside theirs.

    Where it failed once, it fails for all of them: compilers that say the same for each test keep all cores busy.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        built, failed = folder.with_suffix(".built"), folder.with_suffix(".failed")
        if failed.exists():
            pytest.fail(failed.read_text(encoding="utf-8"))
        if not built.exists():
            shutil.rmtree(folder, ignore_errors=True)  # a worker that was killed has left it half made
            try:
                build(folder)
            except Exception as error:
                failed.write_text(f"{name} could not be built: {error}", encoding="utf-8")
                raise
            built.touch()
    return folder


def sent_along(name: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a new bot of a language with all that it needs, as it is sent to an arena. Whoever changes it copies it
    first.
    """
    language = LANGUAGES[name]
    if not language.build:
        return built_project(name, tmp_path_factory)
    return built_once(tmp_path_factory, f"{name}-source", lambda folder: language.source(name, folder))


def built_project(name: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a new bot of a language, made and built as its README says."""
    return built_once(tmp_path_factory, f"{name}-project", lambda folder: LANGUAGES[name].project(name, folder))


def altered_project(name: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the same bot, built with what variables have it do in its own code: see `Language.alter`."""
    project = built_project(name, tmp_path_factory)

    def build(folder: Path) -> None:
        shutil.copytree(project, folder, symlinks=True)
        LANGUAGES[name].alter(name, folder, project)

    return built_once(tmp_path_factory, f"{name}-altered", build)
