"""The commands' English agrees with its numbers: no f-string puts a plural behind a number that may be 1."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

_FOLDERS = (
    "clients/python/fudaba/cli",
    "clients/python/fudaba/local_play",
    "clients/python/fudaba/rerun",
    "arena/fudaba_arena/commands",
    "serving/fudaba_serving/commands",
)
_BEHIND = re.compile(r" (?:(?!(?:as|in|is|of|or|and|has|keeps) )[a-z-]+ )?([a-z]+s)\b")
"""A plural behind a value, or a verb, with at most an adjective before it."""
_VERB = re.compile(
    "allows|answers|as|asks|begins|belongs|changes|chooses|does|ends|exists|has|holds|is|its|keeps|less|lies|looks|ms|names"
    "|needs|plays|remembers|says|sees|serves|shows|stands|takes|this|undoes|was"
)
_NEVER_SINGLE = {
    "game.seats",
    "_seats(game)",  # a game has two seats or more
    "'can' if holds else 'must not'",
    "'compiled' if compiled else 'pure'",
    "entry.bot",
    "first",
    "len(report['findings'])",  # the promises of a sandbox
    "unanswered",  # it is said from two on
}


@pytest.mark.parametrize("folder", _FOLDERS)
def test_a_number_that_may_be_1_is_counted_with_its_noun(folder: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, text in _plurals(ast.parse(path.read_text()))
    ]
    assert not wrong, "write counted(count, 'noun') of fudaba_games.wording"


def test_a_plural_behind_a_number_is_found() -> None:
    source = 'f"{count} blocks", f"{n} open matches", f"{counted(n, \'block\')}", f"{MAX} files", f"{name} has left"'
    assert [text for _, text in _plurals(ast.parse(source))] == ["{count} blocks", "{n} open matches"]


def _plurals(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yields the line and text of each value with a plural behind it, but for constants and rounded numbers."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, text in zip(node.values, node.values[1:], strict=False):
            if not isinstance(value, ast.FormattedValue) or value.format_spec or not isinstance(text, ast.Constant):
                continue
            shown = ast.unparse(value.value)
            found = _BEHIND.match(str(text.value))
            if found and not _VERB.fullmatch(found[1]) and shown not in _NEVER_SINGLE and not _is_constant(shown):
                yield node.lineno, "{" + shown + "}" + found[0]


def _is_constant(shown: str) -> bool:
    return re.fullmatch(r"(?:2 \* )?_?[A-Z_]+", shown) is not None or "counted(" in shown
