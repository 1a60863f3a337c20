"""Prints a line of a table for each test that is marked `nightly`: its name, and what guards its promise at the gate.

`scripts/nightly` loads it as a plugin of pytest that collects.
"""

from __future__ import annotations

import pytest

__all__ = ["pytest_collection_finish"]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Prints the table's lines, one for all parameters of a test."""
    terminal = session.config.get_terminal_writer()
    for item in session.items:
        for mark in item.iter_markers("nightly"):
            terminal.line(f"| `{item.nodeid.partition('[')[0]}` | {mark.args[0]} |")
