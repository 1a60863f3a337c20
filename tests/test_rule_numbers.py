"""Every rule of docs/rules has a test, and every rule that a test, a comment or a page names exists."""

from __future__ import annotations

import ast
import io
import os
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PAGES = sorted((TESTS.parent / "docs" / "rules").glob("*.md"))
NUMBER = re.compile(r"^- \*\*([A-Z]+[0-9]+\.[0-9]+)\*\* ", re.MULTILINE)


SOURCES = ("games", "clients/python", "serving", "service", "arena", "bench", "tests", "docs", "proto")
"""Where rules are named, in comments, docstrings and prose."""


def rules_of(page: str) -> list[str]:
    """Returns the numbers of the rules of a page, in its order."""
    return NUMBER.findall(page)


def rules_named(source: str) -> Iterator[str]:
    """Yields the numbers in the `pytest.mark.rule(…)` of a test module, and of whole modules' `pytestmark`."""
    for node in ast.walk(ast.parse(source)) if "mark.rule(" in source else ():
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.rule":
            for argument in node.args:
                assert isinstance(argument, ast.Constant), "name rules by their numbers, as plain strings"
                assert isinstance(argument.value, str)
                yield argument.value


def prose(path: Path) -> Iterator[str]:
    """Yields what a file says to people: the comments, docstrings and messages of a program, all of a page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield text
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def rules_mentioned(text: str, letters: set[str]) -> set[str]:
    """Returns the rules that a text names: numbers that begin with the letters of a page; of a range such as X1.2-4
    each.
    """
    found = re.findall(r"(?<![\w.-])([A-Z]+[0-9]+)\.([0-9]+)(?:[-–]([0-9]+))?(?![\w-])", text)
    return {
        f"{chapter}.{rule}"
        for chapter, first, last in found
        if chapter.rstrip("0123456789") in letters
        for rule in range(int(first), int(last or first) + 1)
    }


def files(folder: Path) -> Iterator[Path]:
    """Yields the files below a folder, but for what is installed there for Node: that is more than all the others."""
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in {"node_modules", "__pycache__"}]
        yield from (Path(place, name) for name in names)


def written() -> list[str]:
    return [number for page in PAGES for number in rules_of(page.read_text(encoding="utf-8"))]


@cache
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


def test_every_rule_that_a_comment_a_docstring_or_a_page_names_exists() -> None:
    known = set(written())
    letters = {re.sub(r"[0-9.]", "", number) for number in known}
    wrong: list[str] = []
    looked_at = 0
    for folder in SOURCES:
        for path in files(TESTS.parent / folder):
            if path.suffix not in {".py", ".md", ".proto", ".ts"}:
                continue
            if path == Path(__file__) or path.match("*_pb2*.py"):
                continue
            # Most programs name no rule; to find which text is prose takes long.
            if not rules_mentioned(path.read_text(encoding="utf-8"), letters):
                continue
            named = {number for text in prose(path) for number in rules_mentioned(text, letters)}
            looked_at += len(named)
            wrong += [f"{path}: {number}" for number in sorted(named - known)]
    assert looked_at > 300
    assert wrong == []


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
    assert rules_mentioned("See X1.3, Y2.1-2, Z3.4 and X1.2.", {"X", "Y"}) == {"X1.3", "Y2.1", "Y2.2", "X1.2"}
    assert list(rules_named('@pytest.mark.rule("X1.1", "X2.3")\ndef test_it() -> None: ...')) == ["X1.1", "X2.3"]
