"""Variables and parameters say what they hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "_names.py"


def found(folder: Path, code: str) -> list[str]:
    """What the check says of a file with this code."""
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    (folder / "looked_at.py").write_text(code)
    (folder / "made_pb2.py").write_text("one = 1\n")
    subprocess.run(["git", "add", "."], cwd=folder, check=True)
    done = subprocess.run([sys.executable, SCRIPT], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == (1 if done.stdout else 0), done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    "code",
    [
        "one = 1",
        "for one in []: pass",
        "print([one for one in []])",
        "def f(one): pass",
        "f = lambda *, one: 1",
        "with open('f') as one: pass",
        "print(one := 1)",
        "[one, _] = 1, 2",
    ],
)
def test_a_variable_or_parameter_that_says_nothing_is_found_by_its_line(tmp_path: Path, code: str) -> None:
    assert found(tmp_path, f"\n{code}\n") == ["looked_at.py:2: `one` does not say what it is"]


@pytest.mark.parametrize("code", ["class C:\n    what: str", "class C:\n    of = 1", "print(f(one=1))", "import one"])
def test_fields_keywords_and_modules_are_not_looked_at(tmp_path: Path, code: str) -> None:
    assert found(tmp_path, f"{code}\n") == []
