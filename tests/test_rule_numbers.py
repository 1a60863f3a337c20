"""Every rule of docs/rules has a test, and every rule that a test names exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PAGES = sorted((TESTS.parent / "docs" / "rules").glob("*.md"))
NUMBER = re.compile(r"^- \*\*([A-Z]+[0-9]+\.[0-9]+)\*\* ", re.MULTILINE)


def rules_of(page: str) -> list[str]:
    """The numbers of the rules of a page, in its order."""
    return NUMBER.findall(page)


def rules_named(source: str) -> Iterator[str]:
    """The numbers in the `pytest.mark.rule(…)` of a test module, and of whole modules' `pytestmark`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.rule":
            for argument in node.args:
                assert isinstance(argument, ast.Constant), "name rules by their numbers, as plain strings"
                assert isinstance(argument.value, str)
                yield argument.value


def written() -> list[str]:
    return [number for page in PAGES for number in rules_of(page.read_text(encoding="utf-8"))]


def named_by_tests() -> set[str]:
    modules = [path for path in TESTS.rglob("test_*.py") if path != Path(__file__)]
    return {number for path in modules for number in rules_named(path.read_text(encoding="utf-8"))}


def test_no_number_stands_twice() -> None:
    numbers = written()
    assert len(numbers) > 60
    assert len(numbers) == len(set(numbers))


def test_every_rule_has_a_test() -> None:
    named = named_by_tests()
    assert [number for number in written() if number not in named] == []


def test_every_rule_that_a_test_names_is_on_a_page() -> None:
    assert sorted(named_by_tests() - set(written())) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_numbers_of_a_page_are_without_gaps(page: Path) -> None:
    chapters: dict[str, list[int]] = {}
    for number in rules_of(page.read_text(encoding="utf-8")):
        chapter, rule = number.split(".")
        chapters.setdefault(chapter, []).append(int(rule))
    assert chapters
    for chapter, rules in chapters.items():
        assert rules == list(range(1, len(rules) + 1)), f"chapter {chapter}"


def test_a_rule_without_a_test_would_be_found() -> None:
    assert rules_of("# Page\n\n- **X1.1** One.\n- **X1.2** **Ruling**: two.\n\nSee **X1.3**.\n") == ["X1.1", "X1.2"]
    assert list(rules_named('@pytest.mark.rule("X1.1", "X2.3")\ndef test_it() -> None: ...')) == ["X1.1", "X2.3"]
