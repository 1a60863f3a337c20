"""What pyproject.toml cannot say: what is copied into the wheel, and what is compiled if it is wished for.

With FUDABA_MYPYC=1 in the environment the rules and the service's path of a move are compiled by mypyc, from the same
files: `FUDABA_MYPYC=1 pip install --no-binary fudaba fudaba`. That needs a C compiler.

The contract's sources, its page, the rule pages, the pages of the games' values, a ladder's file to start from, and the
kits and templates of bots in other languages are part of the wheel. They stand in proto/, docs/ and clients/ and
nowhere else; a wheel gets copies while it is built, a checkout reads them where they are
(`fudaba.bundle.proto_sources`, `fudaba.bundle.contract_page`, `fudaba.catalog.rule_page`,
`fudaba.catalog.values_page`, `fudaba.starting`).
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any, Final

from setuptools import setup
from setuptools.command.build_py import build_py

COPIES: Final = (
    ("proto", "**/*.proto", "fudaba/proto"),
    ("docs/rules", "*.md", "fudaba/rules"),
    ("docs/values", "*.md", "fudaba/values"),
    ("docs", "contract.md", "fudaba"),
    ("docs", "glossary.md", "fudaba"),
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


class BuildWithCopies(build_py):
    """Copies what the wheel has from outside its packages."""

    def run(self) -> None:
        """Builds, then copies."""
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
    "service/fudaba_service/sessions/proposals.py",
    "service/fudaba_service/sessions/followers.py",
    "service/fudaba_service/sessions/changes.py",
    "service/fudaba_service/sessions/clock.py",
    "service/fudaba_service/sessions/clocks.py",
    "service/fudaba_service/store/silence.py",
)
"""What is compiled: search; and what lies between an answer and its log entry, and that and the next decision."""


def compiled() -> dict[str, Any]:
    """The arguments of `setup` for a compiled build; none without FUDABA_MYPYC=1."""
    if os.environ.get("FUDABA_MYPYC") != "1":
        return {}
    try:
        from mypyc.build import mypycify  # noqa: PLC0415 - only this kind of build has it
    except ImportError:  # pip asks first what this build needs
        return {"setup_requires": ["mypy>=2.4", "types-protobuf"]}
    root = Path(__file__).resolve().parent
    modules = sorted(
        str(path.relative_to(root)) for pattern in COMPILED for path in root.glob(pattern) if path.name != "__init__.py"
    )
    return {
        "ext_modules": mypycify(["--config-file=pyproject.toml", *modules], opt_level="3"),
        "setup_requires": ["mypy>=2.4", "types-protobuf"],
    }


setup(cmdclass={"build_py": BuildWithCopies}, **compiled())
