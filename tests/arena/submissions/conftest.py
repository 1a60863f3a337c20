"""What tests of submissions share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def into(tmp_path: Path) -> Path:
    """Returns a folder that is not there yet, alone in its own."""
    return tmp_path / "into"
