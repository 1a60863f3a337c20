"""The tests that take longest begin first, whatever the number of workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.longest import COMPILING, LONGEST, longest_first

ROOT = Path(__file__).resolve().parents[2]


def test_the_files_that_are_begun_first_exist() -> None:
    assert [file for file in (*COMPILING, *LONGEST) if not (ROOT / file).is_file()] == []


@pytest.mark.parametrize("workers", [1, 3, 4])
def test_every_worker_begins_with_one_of_the_longest_and_nothing_is_lost(workers: int) -> None:
    files = [*(f"tests/test_{number}.py" for number in range(200)), *LONGEST, *COMPILING]
    items = [(file, number) for file in files for number in range(3)]
    ordered = longest_first(items, lambda item: item[0], workers)
    assert sorted(ordered) == sorted(items)
    shares = [ordered[place * len(items) // workers :] for place in range(workers)]
    assert [share[0][0] for share in shares] == [COMPILING[0], *LONGEST[: workers - 1]]
    assert [item[0] for item in ordered[: 3 * len(COMPILING)]] == [file for file in COMPILING for _ in range(3)]
    for file in (*COMPILING, *LONGEST):
        first = ordered.index((file, 0))
        assert ordered[first : first + 3] == [(file, 0), (file, 1), (file, 2)]


def test_a_part_of_the_tests_is_ordered_too() -> None:
    items = ["tests/test_a.py", LONGEST[0], "tests/test_b.py"]
    assert longest_first(items, str, 4)[1:] == ["tests/test_a.py", "tests/test_b.py"]
    assert longest_first(items[:1], str, 4) == items[:1]
