"""What tests share is in tests/support; no test imports another one, or a `conftest.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IMPORTED = re.compile(r"^ *(?:from|import) (?P<module>tests(?:\.\w+)*)(?: import (?P<names>[^(\n]*))?", re.MULTILINE)
PLUGINS = {"costs.py", "longest.py", "nightly_marks.py"}
"""What a run of pytest is made of, beside the tests."""


def sources(root: Path) -> Iterator[tuple[Path, str]]:
    for folder in ("tests", "soak", "bench", "scripts", "games"):
        for path in sorted((root / folder).rglob("*.py")):
            if "node_modules" not in path.parts:
                yield path.relative_to(root), path.read_text(encoding="utf-8")


def imports_of_tests(root: Path) -> list[str]:
    """Returns where a test or a `conftest.py` is imported, also in the text of a program that a test starts."""
    found = []
    for path, text in sources(root):
        for match in IMPORTED.finditer(text):
            named = [*match["module"].split("."), *re.findall(r"\w+", match["names"] or "")]
            if any(name == "conftest" or (name.startswith("test_") and name != path.stem) for name in named):
                found.append(f"{path}: {match[0].strip()}")
    return found


def shared_elsewhere(root: Path) -> list[str]:
    """Returns what is no test, and yet not in tests/support. A folder with a `__main__.py` is a program."""
    tests = root / "tests"
    return [
        str(path.relative_to(root))
        for path in sorted(tests.rglob("*.py"))
        if path.relative_to(tests).parts[0] != "support"
        and path.name != "conftest.py"
        and not path.name.startswith("test_")
        and not (path.parent / "__main__.py").exists()
        and not (path.parent == tests and path.name in PLUGINS)
    ]


def test_no_test_is_imported() -> None:
    assert imports_of_tests(ROOT) == []


def test_what_tests_share_is_in_one_place() -> None:
    assert shared_elsewhere(ROOT) == []


@pytest.mark.parametrize(
    "text",
    [
        "from tests.kit.test_cli import run\n",
        "    from tests.kit import test_cli\n",
        "import tests.kit.conftest\n",
        'PROGRAM = """\nfrom tests.kit.conftest import run\n"""\n',
    ],
)
def test_such_an_import_is_found(tmp_path: Path, text: str) -> None:
    (tmp_path / "tests" / "kit").mkdir(parents=True)
    (tmp_path / "tests" / "kit" / "test_output.py").write_text(text)
    assert len(imports_of_tests(tmp_path)) == 1
    (tmp_path / "tests" / "kit" / "shared.py").write_text("")
    assert shared_elsewhere(tmp_path) == ["tests/kit/shared.py"]
