"""Libraries for LD_PRELOAD, compiled on request."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

__all__ = ["compiled"]


def compiled(source: Path, folder: Path) -> Path | None:
    """Returns the compiled library of a source file in C; None if there is no compiler, or it fails."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    library = folder / source.with_suffix(".so").name
    command = [compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(source), "-ldl", "-lpthread"]
    done = subprocess.run(command, capture_output=True, check=False)
    return library if done.returncode == 0 else None
