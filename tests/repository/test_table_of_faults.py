"""The table of faults in docs/faults.md: each row is held by tests that there are, and no fault is forgotten."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import pytest

from tests.support.wheels import ROOT

HEAD: Final = "| what happens | what follows | test |"
NAMED: Final = re.compile(r"`([\w/]+\.py)`")
FAULTS: Final = (
    "faults/*.py",
    "arena/*/test_full_store.py",
    "arena/*/test_loss.py",
    "arena/*/test_season_archive.py",
    "arena/*/test_unreadable*.py",
    "arena/play/test_one_service.py",
    "arena/api/test_restored.py",
    "arena/programs/test_host_fails.py",
    "arena/workers/test_clocks.py",
    "arena/workers/test_slow_worker.py",
    "arena/workers/test_starting.py",
    "service/backups/test_refused_backups.py",
    "service/test_*outages.py",
    "service/test_dead_connections.py",
    "service/test_failover.py",
    "service/test_faults_in_*.py",
    "service/test_full_store.py",
    "service/test_lost_*.py",
    "service/test_rewinds.py",
    "service/test_store_*.py",
)
"""What tests of faults are in, and nothing else."""


class Row(NamedTuple):
    """A fault."""

    fault: str
    follows: str
    tests: tuple[str, ...]
    """Paths below `tests`."""


def rows() -> list[Row]:
    lines = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8").splitlines()
    begin = lines.index(HEAD) + 2
    end = next(place for place in range(begin, len(lines)) if not lines[place].startswith("|"))
    found = []
    for line in lines[begin:end]:
        _, fault, follows, tests, _ = line.split(" | ") if line.count(" | ") == 4 else re.split(r"\s*\|\s*", line)
        found.append(Row(fault, follows, tuple(NAMED.findall(tests))))
    return found


ROWS: Final = rows()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.fault[:40])
def test_each_row_says_what_follows_and_names_tests_that_there_are(row: Row) -> None:
    assert row.follows
    assert row.tests, f"name a test that holds this row, as `service/test_x.py`: {row.fault}"
    for name in row.tests:
        path = ROOT / "tests" / name
        assert path.is_file(), f"{row.fault}: there is no tests/{name}"
        content = path.read_text(encoding="utf-8")
        assert re.search(r"^(async )?def test_", content, re.MULTILINE), f"tests/{name} has no test"


def test_no_fault_has_two_rows() -> None:
    faults = [row.fault for row in ROWS if not row.fault.startswith("…")]
    assert sorted(set(faults)) == sorted(faults)
    assert len(ROWS) > 40, "the table is read to its end"


def test_whatever_only_tests_a_fault_has_a_row() -> None:
    there = {
        path.relative_to(ROOT / "tests").as_posix() for pattern in FAULTS for path in (ROOT / "tests").glob(pattern)
    }
    tests = {name for name in there if name.rpartition("/")[2].startswith("test_")}
    assert tests - {name for row in ROWS for name in row.tests} == set(), "add a row to the table in docs/faults.md"
