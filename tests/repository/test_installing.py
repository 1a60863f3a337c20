"""Nobody is told to install a name that a stranger could register at the public index; how a checkout is installed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FROM_AN_INDEX = re.compile(r"pip3? install (?:-\S+ )*['\"]?fudaba(?![-\w./…])(?! @)")


def test_nothing_that_users_read_installs_fudaba_from_a_public_index() -> None:
    read = ["arena", "clients", "docs", "serving", "service", "web", "deploy", "bench", "README.md"]
    listed = ["git", "ls-files", "--", *read]
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    found = []
    for name in files:
        path = ROOT / name
        if path.suffix in {".py", ".md", ".ts", ".tsx", ".toml", ".sh", ".yml", ".yaml"} and path.is_file():
            text = path.read_text(encoding="utf-8")
            found += [f"{name}: {match.group()}" for match in FROM_AN_INDEX.finditer(text)]
    assert found == []


def test_the_environment_of_the_scripts_finds_the_packages_in_their_folders() -> None:
    """The finder that setuptools installs would double the time that each Python of the tests takes to start."""
    code = "import sys; print([name for name in sys.modules if name.startswith('__editable__')])"
    done = subprocess.run([sys.executable, "-c", code], cwd="/", capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
