"""What pyproject.toml cannot say: the contract's sources are part of the wheel.

They stand in proto/ and nowhere else; a wheel gets a copy while it is built, a checkout reads them where they are
(`fudaba.bundle.proto_sources`).
"""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithContract(build_py):
    """Copies proto/ to fudaba/proto in the wheel."""

    def run(self) -> None:
        """Builds, then copies."""
        super().run()
        if self.editable_mode:
            return
        root = Path(__file__).resolve().parent
        for source in sorted((root / "proto").rglob("*.proto")):
            target = Path(self.build_lib) / "fudaba" / source.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


setup(cmdclass={"build_py": BuildWithContract})
