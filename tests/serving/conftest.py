"""What tests of the servers' floor share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.folders import short_folder


@pytest.fixture
def folder() -> Iterator[Path]:
    """Yields a place for a store's folder, with a short path (pytest's own is near the limit of a socket's path)."""
    with short_folder() as place:
        yield place / "store"
