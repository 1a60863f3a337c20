"""A small data folder and a backup of it, made once a module: each test has a copy."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.folders import short_folder
from tests.support.service.backups.commands import fudaba
from tests.support.service.organiser import StoreView


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """Yields where both are."""
    with short_folder() as folder:
        _make(folder / "data")
        fudaba("backup", folder / "backup.tar.zst", "--data", folder / "data")
        yield folder


def _make(place: Path) -> None:
    """A store that is stopped, two records, a program that a worker has unpacked, a file of its owner's."""
    archive = place / "archive" / "ab"
    archive.mkdir(parents=True)
    for name in ("m-1", "m-2"):
        (archive / f"{name}.fudaba").write_bytes(os.urandom(5000))
        os.utime(archive / f"{name}.fudaba", (1_600_000_000, 1_600_000_000))
    (archive / ".m-3.half").write_bytes(b"half")
    (place / "programs" / "ab").mkdir(parents=True)
    (place / "programs" / "ab" / "bot.py").write_text("pass\n")
    (place / "fudaba.toml").write_text("[serve]\n")
    (place / "fudaba.toml").chmod(0o640)
    with EmbeddedValkey(place / "store") as server:
        view = StoreView(server.url)
        view.client.set("fudaba-arena:{spring}:tournament", "kept")
        view.client.close()


@pytest.fixture
def data(folder: Path, made: Path) -> Path:
    """Returns the data folder."""
    return Path(shutil.copytree(made / "data", folder / "data"))


@pytest.fixture
def file(folder: Path, data: Path, made: Path) -> Path:
    """Returns the backup, beside it."""
    return Path(shutil.copy2(made / "backup.tar.zst", folder))
