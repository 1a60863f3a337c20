"""What pyproject.toml cannot say: the contract's sources and the rule pages are part of the wheel.

They stand in proto/ and docs/rules/ and nowhere else; a wheel gets copies while it is built, a checkout reads them
where they are (`fudaba.bundle.proto_sources`, `fudaba.catalog.rule_page`).
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from setuptools import setup
from setuptools.command.build_py import build_py

COPIES: Final = (("proto", "**/*.proto", "fudaba/proto"), ("docs/rules", "*.md", "fudaba/rules"))
"""Where from, which files, where to in the wheel."""


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
                copy = Path(self.build_lib) / target / source.relative_to(root / folder)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, copy)


setup(cmdclass={"build_py": BuildWithCopies})
