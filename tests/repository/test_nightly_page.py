"""`docs/nightly.md` lists what only the nightly run has, as the tests are marked."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Set
from functools import cache
from pathlib import Path
from typing import Final

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEADING: Final = "| test | what guards its promise at the gate |"
NIGHTLY: Final = "mark.nightly("
IMPORTED: Final = re.compile(r"^from (tests\.support\.[\w.]+) import", re.MULTILINE)
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Marks:
    """The `nightly` marks of a file's tests, read without running it.

    A test has the marks of its decorators, of the names in these, however they are composed at the top level of its
    file or of what that imports from `tests/support`, and of the fixtures that it asks for, of its file or the
    `conftest.py` beside it, unless its own parameters replace them.
    """

    def __init__(self, path: Path) -> None:
        self._named: dict[str, ast.AST] = {}
        self._fixtures: dict[str, Function] = {}
        for source in [*sources(path), path]:
            self._read(_parsed(source))
        functions = [node for node in ast.walk(_parsed(path)) if isinstance(node, Function)]
        self._tests = [node for node in functions if node.name.startswith("test_")]

    def _read(self, tree: ast.Module) -> None:
        for node in tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                self._named |= {target.id: node.value for target in targets if isinstance(target, ast.Name)}
            elif isinstance(node, Function):
                self._named[node.name] = node
        self._fixtures |= {
            node.name: node for node in ast.walk(tree) if isinstance(node, Function) and _is_fixture(node)
        }

    def of_tests(self) -> Iterator[tuple[str, str]]:
        """Yields each test with each guard that its marks name."""
        of_file = self._reached(self._named["pytestmark"]) if "pytestmark" in self._named else []
        for test in self._tests:
            decorators = [node for decorator in test.decorator_list for node in self._reached(decorator)]
            parameters = {node.value for node in decorators if isinstance(node, ast.Constant)}
            for guard in {*_guards([*of_file, *decorators]), *self._of_fixtures(test, parameters)}:
                yield test.name, guard

    def _of_fixtures(self, function: Function, parameters: Set[object]) -> set[str]:
        """Returns the guards of the fixtures that a function asks for, but for those that the test's parameters
        replace.
        """
        found: set[str] = set()
        for argument in [*function.args.args, *function.args.kwonlyargs]:
            fixture = self._fixtures.get(argument.arg)
            if fixture is not None and fixture is not function and argument.arg not in parameters:
                found.update(*(_guards(self._reached(decorator)) for decorator in fixture.decorator_list))
                found |= self._of_fixtures(fixture, parameters)
        return found

    def _reached(self, tree: ast.AST, seen: Set[str] = frozenset()) -> list[ast.AST]:
        """Returns the nodes of a tree, and of what its names stand for."""
        found: list[ast.AST] = []
        for node in ast.walk(tree):
            found.append(node)
            if isinstance(node, ast.Name) and node.id in self._named and node.id not in seen:
                found += self._reached(self._named[node.id], seen | {node.id})
        return found


def sources(path: Path) -> list[Path]:
    """Returns the files from which a file of tests may have marks: what it shares with others, where that has any."""
    shared = path.with_name("conftest.py")
    found = [shared] if shared.is_file() else []
    for file in [*found, path]:
        for module in IMPORTED.findall(_text(file)):
            imported = ROOT.joinpath(*module.split(".")).with_suffix(".py")
            if imported.is_file() and imported not in found and NIGHTLY in _text(imported):
                found.insert(0, imported)
    return found


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(_text(path))


def _guards(nodes: Iterable[ast.AST]) -> set[str]:
    calls = [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.nightly"]
    return {ast.literal_eval(call.args[0]) for call in calls}


def _is_fixture(function: Function) -> bool:
    return any(ast.unparse(decorator).startswith("pytest.fixture") for decorator in function.decorator_list)


@cache
def marked() -> frozenset[tuple[str, str]]:
    """Returns the page's rows as the tests are marked."""
    files = [path for folder in ("tests", "games/starter") for path in ROOT.joinpath(folder).rglob("test_*.py")]
    return frozenset(
        (f"{path.relative_to(ROOT).as_posix()}::{test}", guard)
        for path in files
        if any(NIGHTLY in _text(file) for file in [path, *sources(path)])
        for test, guard in Marks(path).of_tests()
    )


@cache
def listed() -> frozenset[tuple[str, str]]:
    """Returns the page's rows as they are."""
    _, _, table = (
        ROOT.joinpath("docs", "nightly.md").read_text(encoding="utf-8").partition(f"{HEADING}\n| --- | --- |\n")
    )
    rows = [line.strip("| ").split(" | ", 1) for line in table.splitlines() if line.startswith("| ")]
    return frozenset((test.strip("`"), guard) for test, guard in rows)


def table(rows: Set[tuple[str, str]]) -> str:
    """Rows as the page has them."""
    return "\n".join(f"| `{test}` | {guard} |" for test, guard in sorted(rows))


@pytest.mark.exhaustive
def test_each_test_that_only_runs_at_night_stands_on_the_page_with_its_guard() -> None:
    missing = marked() - listed()
    assert not missing, f"docs/nightly.md lacks these rows:\n{table(missing)}"


@pytest.mark.exhaustive
def test_each_row_of_the_page_is_of_a_test_that_only_runs_at_night() -> None:
    wrong = listed() - marked()
    assert not wrong, f"docs/nightly.md has these rows, and no test is marked so:\n{table(wrong)}"
