"""The lock files agree, and an environment has what a script needs of them: the demo less than the tests."""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
import re
import shutil
import stat
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def entries(lock: str) -> set[str]:
    """Returns the entries of a lock file: a package with its version, its condition and its hashes."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    return {
        found.group().rstrip("\n") for found in re.finditer(r"^[\w.-]+(?:\[.*\])?==(?:.*\\\n)*.*\n", text, re.MULTILINE)
    }


def test_what_runs_is_a_part_of_what_is_tested_at_the_same_versions() -> None:
    assert len(versions("deploy/requirements.lock")) > 40
    assert versions("deploy/requirements.lock") <= versions("requirements.lock")


def test_bots_of_authors_run_with_the_versions_that_are_tested() -> None:
    tested = versions("requirements.lock")
    names = {name for name, _ in tested}
    assert {entry for entry in versions("deploy/runtime-python.lock") if entry[0] in names} <= tested


def versions(lock: str) -> set[tuple[str, str]]:
    """Returns each package with its version, and with its hashes: extras and conditions may differ."""
    found = set()
    for entry in entries(lock):
        name, version = re.split(r"\[.*?\]==|==", entry, maxsplit=1)
        hashes = " ".join(sorted(re.findall(r"sha256:\w+", entry)))
        found.add((name, f"{version.split()[0]} {hashes}"))
    return found


def wheel(folder: Path, name: str, command: str = "") -> str:
    """Makes a small wheel, with a command of its name if that has a text. Returns its entry for a lock file."""
    file = folder / f"{name}-1.0-py3-none-any.whl"
    about = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(file, "w") as made:
        made.writestr(f"{name}.py", "")
        made.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        made.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr(f"{about}/RECORD", f"{name}.py,,\n{about}/METADATA,,\n{about}/WHEEL,,\n{about}/RECORD,,\n")
        if command:
            script = zipfile.ZipInfo(f"{name}-1.0.data/scripts/{name}")
            script.external_attr = (stat.S_IFREG | 0o755) << 16  # pip keeps a command as executable as it finds it
            made.writestr(script, command)
    return f"{name}==1.0 \\\n    --hash=sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}\n"


OTHER = "elsewhere==1.0 ; sys_platform == 'nowhere' \\\n    --hash=sha256:00\n"


@pytest.fixture(scope="module")
def empty_environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns an environment with nothing but pip, which finds its files wherever it is copied to: that of these
    tests."""
    made = tmp_path_factory.mktemp("environment") / ".venv"
    venv.create(made, symlinks=True)
    [packages] = made.glob("lib/python*/site-packages")
    # Whoever asks setuptools' finder for pip as well gets the old distutils from it ever after.
    installed = importlib.machinery.PathFinder.find_spec("pip")
    assert installed is not None
    assert installed.origin is not None
    shutil.copytree(Path(installed.origin).parent, packages / "pip")
    return made


@pytest.fixture
def checkout(tmp_path: Path, empty_environment: Path) -> Path:
    """Returns a checkout with small lock files; its .venv is made and has the checkout itself, but none of the
    packages."""
    made = tmp_path / "checkout"
    for name in ("scripts/_install.py", "pyproject.toml"):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, made / name)
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    building, running, testing = (wheel(wheels, name) for name in ("setuptools", "running", "testing"))
    (made / "requirements.lock").write_text(OTHER + running + building + testing)
    (made / "deploy").mkdir()
    (made / "deploy" / "requirements.lock").write_text(OTHER + running)
    spec = importlib.util.spec_from_file_location("_install", made / "scripts" / "_install.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    shutil.copytree(empty_environment, made / ".venv", symlinks=True)
    (made / ".venv" / ".made").write_text(str(made))
    (made / ".venv" / ".installed-project").write_text(module._installed_parts())
    return made


def install(checkout: Path, *arguments: str, wheels: str = "wheels") -> tuple[int, list[str]]:
    """Exit status, and the lines that it says, of the installation from these wheels alone."""
    done = subprocess.run(
        [sys.executable, "-I", checkout / "scripts" / "_install.py", *arguments],
        env={"PATH": "/usr/bin:/bin", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(checkout.parent / wheels)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr.splitlines()


def modules(checkout: Path) -> set[str]:
    """Returns which of the small packages are there."""
    return {file.stem for file in checkout.glob(".venv/lib/python*/site-packages/*.py")} & {"running", "testing"}


@pytest.mark.exhaustive
def test_uv_is_told_where_pip_finds_packages_and_where_it_fails_pip_installs_them(checkout: Path) -> None:
    asked = checkout / "asked"
    uv = wheel(checkout.parent / "wheels", "uv", f'#!/bin/sh\necho "$*" >{asked}\nexit 1\n')
    whole = checkout / "requirements.lock"
    whole.write_text(whole.read_text() + uv)
    status, said = install(checkout)
    assert (status, modules(checkout)) == (0, {"running", "testing"}), said
    assert "uv has not installed them, for the reason above; pip does." in said
    words = asked.read_text().split()
    assert words[:4] == ["pip", "install", "--no-config", "--python"]
    assert "--no-index" in words
    assert words[words.index("--find-links") + 1] == str(checkout.parent / "wheels")
    assert words[-3:] == ["--require-hashes", "--requirement", str(whole)]


@pytest.mark.exhaustive
def test_the_demo_installs_what_it_needs_the_tests_add_the_rest_and_what_came_to_nothing_is_made_up_for(
    checkout: Path,
) -> None:
    status, said = install(checkout, "running")
    assert (status, modules(checkout)) == (0, {"running"}), said
    assert said[0] == "Installing the packages of deploy/requirements.lock into .venv (once)"
    assert "2 of 2 packages: setuptools" in said
    assert install(checkout, "running") == (0, [])
    # Another script is not content with that. An installation that came to nothing leaves no stamp of another.
    status, said = install(checkout, wheels="none")
    assert status == 1
    assert "Run the script again to go on" in said[-1]
    assert install(checkout, "running") == (0, [])
    status, said = install(checkout)
    assert (status, modules(checkout)) == (0, {"running", "testing"}), said
    assert said[0] == "Installing the packages of requirements.lock into .venv (once)"
    assert any(line.startswith("3 of 3 packages: ") for line in said)
    assert install(checkout) == (0, [])
    assert install(checkout, "running") == (0, [])
    # With a lock file that is not the one of before, what the smaller one changes makes the whole one old.
    for lock in ("requirements.lock", "deploy/requirements.lock"):
        file = checkout / lock
        file.write_text("# newer\n" + file.read_text())
    assert install(checkout, "running")[0] == 0
    whole = checkout / "requirements.lock"
    whole.write_text(whole.read_text().removeprefix("# newer\n"))
    status, said = install(checkout)
    assert status == 0
    assert said[0] == "Installing the packages of requirements.lock into .venv (once)"
