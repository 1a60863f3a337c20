"""A plugin of pytest: tests in an order that a seed draws, and which of them failed, in a file.

Not pytest-randomly, which would shuffle everybody's runs, and seeds `random`: what draws at random here is meant to.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar, final

import pytest

__all__ = ["FAILED", "SEED", "failed_in", "shuffled"]

SEED: Final = "HUNT_SEED"
"""The variable with the seed of the order. It reaches the workers too: all have to collect the same."""
FAILED: Final = "HUNT_FAILED"
"""The variable with the path of the file to which the ids of failed tests are written, a line of JSON each."""
Item = TypeVar("Item")


def shuffled(items: Sequence[Item], file_of: Callable[[Item], str], seed: int) -> list[Item]:
    """Tests in an order that follows from the seed. What is in a file stays together, as it shares fixtures."""
    drawn = random.Random(seed)
    of_file: dict[str, list[Item]] = {}
    for item in items:
        of_file.setdefault(file_of(item), []).append(item)
    files = list(of_file.values())
    drawn.shuffle(files)
    for file_items in files:
        drawn.shuffle(file_items)
    return [item for group in files for item in group]


def failed_in(file: Path) -> list[str]:
    """Returns the ids of the tests that failed in a run, each once, in the order in which they did."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return list(dict.fromkeys(json.loads(line) for line in lines))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the tests in their order for this run."""
    items[:] = shuffled(items, lambda item: item.nodeid.partition("::")[0], int(os.environ[SEED]))


def pytest_configure(config: pytest.Config) -> None:
    """Makes the run note failures; its workers report theirs."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Failures(Path(os.environ[FAILED])))


@final
class _Failures:
    """Notes which tests fail, be it before, in or after them."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(report.nodeid) + "\n")
