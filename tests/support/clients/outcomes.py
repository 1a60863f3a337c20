"""The contents for which a check of a kit, its own tests above all, has passed: the same content is not checked again.

The content is all that it depends on, as a new bot with its kit and the contract, the commands with their variables,
and the versions of the tools. It is noted in the build cache, and with it what the same commands have made of all that.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from tests.support.build_cache import build_cache

__all__ = ["content_of", "keep", "outcome"]

INHERITED_VARIABLES: Final = ("CPPFLAGS", "GOFLAGS", "LDFLAGS", "MAVEN_OPTS", "NODE_OPTIONS", "RUSTFLAGS")
"""Variables around the tests that change what compilers and virtual machines do."""
_MAX_KEPT: Final = 3
"""The number of contents of a check that are noted, those that were looked for last."""


def content_of(
    places: Sequence[Path],
    commands: Sequence[Sequence[str]],
    variables: Mapping[str, str],
    versions: Sequence[Sequence[str]],
) -> str:
    """Returns the content in short: files and all in folders, commands with their variables, and what the tools say of
    their versions.

    The tools are asked in the first folder, whose files may say which versions are used. To the variables belong those
    that builds inherit.
    """
    inherited = {name: os.environ[name] for name in INHERITED_VARIABLES if name in os.environ}
    settings = sorted((inherited | dict(variables)).items())
    found = sha256(repr(([list(command) for command in commands], settings)).encode())
    for place in places:
        for path in [place] if place.is_file() else sorted(filter(Path.is_file, place.rglob("*"))):
            if "__pycache__" in path.parts:
                continue
            content = path.read_bytes()
            name = place.name if path == place else path.relative_to(place)
            found.update(f"{name}\0{len(content)}\0".encode() + content)
    for command in versions:
        said = subprocess.run(
            command, cwd=places[0], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ).stdout
        found.update(f"{len(said)}\0".encode() + said)
    return found.hexdigest()[:32]


def outcome(name: str, content: str) -> Path:
    """Returns the folder which is there if the check of this name has passed for this content."""
    kept = build_cache() / "kits" / f"{name}-{content}"
    if kept.exists():
        os.utime(kept)
    return kept


def keep(kept: Path, *products: Path) -> None:
    """Notes that all has passed, with these files. Nobody sees the folder half filled."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=".new-", dir=kept.parent))
    for product in products:
        shutil.copy2(product, new)
    try:
        new.rename(kept)
    except OSError:  # another process was faster
        shutil.rmtree(new)
    name = kept.name.rpartition("-")[0]
    for old in sorted(kept.parent.glob(f"{name}-*"), key=_used)[:-_MAX_KEPT]:
        shutil.rmtree(old, ignore_errors=True)


def _used(path: Path) -> float:
    return path.stat().st_mtime
