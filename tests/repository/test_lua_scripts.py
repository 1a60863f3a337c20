"""Redis stops a script in its middle, when its memory is full, that does not say at its beginning how it uses it."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(path for part in ("service", "arena") for path in (ROOT / part).rglob("*.lua"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_each_script_says_whether_it_runs_when_memory_is_full(script: Path) -> None:
    first = script.read_text().partition("\n")[0]
    assert first in {"#!lua", "#!lua flags=allow-oom", "#!lua flags=no-writes"}
