"""What pyproject.toml cannot say: what is copied into the wheel, and what is compiled if it is wished for.

With FUDABA_MYPYC=1 in the environment the rules and the service's path of a move are compiled by mypyc, from the same
files: `FUDABA_MYPYC=1 pip install --no-binary fudaba fudaba`. That needs a C compiler.

The page that `fudaba web` serves is part of the wheel and of the sdist, as scripts/page has built it: building either
without it fails, unless FUDABA_PAGE=none.

The contract's sources, its pages, the rule pages, the pages of the games' values, a ladder's file to start from, and
the kits and templates of bots in other languages are part of the wheel. They stand in proto/, docs/ and clients/ and
nowhere else; a wheel gets copies while it is built, a checkout reads them where they are
(`fudaba.bundle.proto_sources`, `fudaba.bundle.contract_page`, `fudaba.catalog.rule_page`,
`fudaba.catalog.values_page`, `fudaba.starting`).
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any, Final

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from setuptools.errors import SetupError

COPIES: Final = (
    ("proto", "**/*.proto", "fudaba/proto"),
    ("docs/rules", "*.md", "fudaba/rules"),
    ("docs/values", "*.md", "fudaba/values"),
    ("docs", "contract.md", "fudaba"),
    ("docs", "glossary.md", "fudaba"),
    ("docs", "methods.md", "fudaba"),
    ("docs", "verifying.md", "fudaba"),
    ("docs/examples", "open.toml", "fudaba/examples"),
    *(
        (f"clients/{language}/{part}", "**/*", f"fudaba/languages/{language}/{part}")
        for language in ("python", "node", "go", "rust", "java", "cpp")
        for part in ("template", "kit")
    ),
)
"""Where from, which files, where to in the wheel."""
MADE: Final = frozenset({"__pycache__", "build", "node_modules", "target", "vendor"})
"""Folders that tools make in a checkout."""


PAGE: Final = "web/fudaba_web/page/index.html"
"""What scripts/page builds last."""


def require_page() -> None:
    """Refuses to build without the page. Raises `SetupError`, which says how to build it or do without it."""
    choice = os.environ.get("FUDABA_PAGE", "")
    if choice not in ("", "none"):
        raise SetupError(f"FUDABA_PAGE is {choice!r}: write none, which builds without the page, or leave it out")
    if not choice and not (Path(__file__).resolve().parent / PAGE).is_file():
        raise SetupError(
            f"the page that `fudaba web` serves has not been built: there is no {PAGE}. Build it with scripts/page, "
            "which needs Node, and try again; with FUDABA_PAGE=none in the environment Fudaba is built without it"
        )


class BuildWithCopies(build_py):
    """Copies what the wheel has from outside its packages."""

    def run(self) -> None:
        """Builds, then copies."""
        if not self.editable_mode:
            require_page()
        super().run()
        if self.editable_mode:
            return
        root = Path(__file__).resolve().parent
        for folder, pattern, target in COPIES:
            for source in sorted((root / folder).glob(pattern)):
                if source.is_dir() or not MADE.isdisjoint(source.relative_to(root).parts):
                    continue
                copy = Path(self.build_lib) / target / source.relative_to(root / folder)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, copy)


class SourcesWithPage(sdist):
    """Adds the built page to the sources, so that a build from them needs no Node."""

    def run(self) -> None:
        """Packs the sources."""
        require_page()
        super().run()


COMPILED: Final = (
    "games/fudaba_games/**/*.py",
    "clients/python/fudaba/replay.py",
    "clients/python/fudaba/codec/*.py",
    "clients/python/fudaba/bots/search/*.py",
    "service/fudaba_service/sessions/session.py",
    "service/fudaba_service/sessions/log_follower.py",
    "service/fudaba_service/sessions/match_copy.py",
    "service/fudaba_service/sessions/audience.py",
    "service/fudaba_service/sessions/alarm.py",
    "service/fudaba_service/sessions/paced_answers.py",
    "service/fudaba_service/sessions/session_host.py",
    "service/fudaba_service/sessions/written_entries.py",
    "service/fudaba_service/sessions/proposals.py",
    "service/fudaba_service/sessions/followers.py",
    "service/fudaba_service/sessions/changes.py",
    "service/fudaba_service/sessions/time_spent.py",
    "service/fudaba_service/sessions/clocks.py",
    "service/fudaba_service/store/appends.py",
    "service/fudaba_service/store/silence.py",
    "service/fudaba_service/api/outbox.py",
    "service/fudaba_service/wire.py",
)
"""What is compiled: search; and what lies between an answer and its log entry, and that and the next decision."""

BUILDING: Final = frozenset({"bdist_wheel", "build", "build_ext", "develop", "editable_wheel", "install"})
"""The commands that build; pip first gives others, for the metadata, which tell nothing of what is compiled."""


def compiled_modules() -> list[str]:
    """Returns the files that are compiled, below the root."""
    root = Path(__file__).resolve().parent
    return sorted(
        str(path.relative_to(root)) for pattern in COMPILED for path in root.glob(pattern) if path.name != "__init__.py"
    )


def groups(modules: list[str]) -> list[tuple[list[str], str]]:
    """Returns the modules that are compiled together, and the group's name: a game with its codec; the rest by its
    package.

    Calls within a group are direct. A group is a C file of its own: groups are compiled side by side, and a compiler's
    cache compiles only those that have changed, or for which what they take from others has.
    """
    members: dict[str, list[str]] = {}
    for module in modules:
        path = Path(module)
        name = path.parts[0]
        if path.match("games/fudaba_games/*/*.py"):
            name = path.parent.name
        elif path.match("fudaba/codec/*.py") and Path("games/fudaba_games", path.stem).is_dir():
            name = path.stem
        members.setdefault(f"fudaba_{name}", []).append(module)
    return [(modules, name) for name, modules in members.items()]


def c_bytes(extension: Extension) -> int:
    """Returns how long the C files of an extension are."""
    return sum(Path(source).stat().st_size for source in extension.sources)


class BuildSideBySide(build_ext):
    """Compiles as many groups at once as there are cores, unless `--parallel` says how many."""

    def finalize_options(self) -> None:
        """Reads the options."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()


def compiled() -> dict[str, Any]:
    """Returns the arguments of `setup` for a compiled build; none without FUDABA_MYPYC=1."""
    if os.environ.get("FUDABA_MYPYC") != "1":
        return {}
    needed = {"setup_requires": ["mypy>=2.4", "types-protobuf"]}
    if BUILDING.isdisjoint(sys.argv):
        return needed
    try:
        from mypyc.build import mypycify  # noqa: PLC0415 - only this kind of build has it
    except ImportError:  # pip asks first what this build needs
        return needed
    modules = compiled_modules()
    # Beside one file with -O3 and debug symbols, tree search and Naga's random play are as fast within 10 %, Napoleon's
    # is a tenth slower. With -O1, which takes the compiler half of the time, it is a fifth slower.
    extensions = mypycify(
        ["--config-file=pyproject.toml", *modules], separate=groups(modules), opt_level="2", debug_level="0"
    )
    # The longest first, so that no core waits for it at the end.
    return {"ext_modules": sorted(extensions, key=c_bytes, reverse=True), **needed}


setup(cmdclass={"build_py": BuildWithCopies, "build_ext": BuildSideBySide, "sdist": SourcesWithPage}, **compiled())
