"""What tests of the servers' floor share."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def folder() -> Iterator[Path]:
    """A place for a store's folder, with a short path (pytest's own is near the limit of a socket's path)."""
    with tempfile.TemporaryDirectory(prefix="fudaba-test-") as place:
        yield Path(place) / "store"
