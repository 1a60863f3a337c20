"""The workflows of the repository's host run the scripts that anybody runs, and all of them."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.support.deploy.deployment import read_yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def workflow(name: str) -> Any:
    return read_yaml(ROOT / ".github" / "workflows" / f"{name}.yml")


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-workflows", WORKFLOWS),
        ("vendor.citation-file-format", [ROOT / "CITATION.cff"]),
    ],
)
@pytest.mark.exhaustive
def test_they_fit_the_schema_of_their_reader(schema: str, files: list[Path]) -> None:
    checker = Path(sys.executable).with_name("check-jsonschema")
    command: list[str | Path] = [checker, "--builtin-schema", schema, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_each_script_that_they_run_is_there(path: Path) -> None:
    scripts = re.findall(r"^ +- run: ((?:\.ci|scripts)/\S+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert [script for script in scripts if not (ROOT / script).is_file()] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_they_may_only_read_but_where_they_say_so(path: Path) -> None:
    assert workflow(path.stem)["permissions"] == {"contents": "read"}


def test_each_part_of_the_nightly_run_has_a_machine() -> None:
    listed = subprocess.run([ROOT / "scripts" / "nightly", "--list"], capture_output=True, text=True, check=True)
    parts = [line.split()[0] for line in listed.stdout.splitlines()]
    assert workflow("nightly")["jobs"]["part"]["strategy"]["matrix"]["part"] == parts


def test_the_citation_and_the_package_have_one_version() -> None:
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = read_yaml(ROOT / "CITATION.cff")
    assert (citation["version"], citation["license"]) == (package["version"], package["license"])
