"""The scripts clear no folder that is somebody else's, where a link leads to it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Returns what the scripts read before they install anything."""
    made = tmp_path / "checkout"
    for name in ("scripts/_install.py", "requirements.lock", "pyproject.toml"):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, made / name)
    return made


@pytest.fixture
def others(tmp_path: Path) -> Path:
    """Somebody's environment, made by the scripts of another checkout."""
    folder = tmp_path / "others"
    folder.mkdir()
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\n")
    (folder / ".made").write_text(str(tmp_path / "another checkout"))
    return folder


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_an_environment_that_is_a_link_to_somebody_elses_is_refused_and_left_as_it_is(
    checkout: Path, others: Path
) -> None:
    before = content(others)
    (checkout / ".venv").symlink_to(others)
    done = subprocess.run(
        [sys.executable, "-I", checkout / "scripts" / "_install.py"], capture_output=True, text=True, check=False
    )
    assert content(others) == before
    assert done.returncode == 2, done.stderr
    assert f"{checkout / '.venv'} is a link to {others}, which is not this checkout's environment" in done.stderr
    assert "Remove the link" in done.stderr


def test_a_link_to_an_empty_folder_or_to_what_was_made_for_this_checkout_is_no_obstacle(
    checkout: Path, others: Path, tmp_path: Path
) -> None:
    spec = importlib.util.spec_from_file_location("_install", checkout / "scripts" / "_install.py")
    assert spec is not None
    assert spec.loader is not None
    install = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(install)
    environment = checkout / ".venv"
    assert install.leads_elsewhere(environment, checkout) is None, "there is nothing yet"
    environment.symlink_to(others)
    assert install.leads_elsewhere(environment, checkout) == others
    (others / ".made").write_text(str(checkout))
    assert install.leads_elsewhere(environment, checkout) is None
    environment.unlink()
    environment.symlink_to(tmp_path / "nowhere")
    assert install.leads_elsewhere(environment, checkout) == tmp_path / "nowhere"
    (tmp_path / "nowhere").mkdir()
    assert install.leads_elsewhere(environment, checkout) is None
    environment.unlink()
    environment.symlink_to(environment)
    assert install.leads_elsewhere(environment, checkout) == environment, "a circle"


def test_an_environment_that_is_somebody_elses_is_not_cleared(checkout: Path) -> None:
    for name in ("pyproject.toml", "requirements.lock", "scripts/_install.py", "deploy/requirements.lock"):
        (checkout / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, checkout / name)
    (checkout / ".venv" / "lib").mkdir(parents=True)
    (checkout / ".venv" / "lib" / "theirs.py").touch()
    command: list[str | Path] = [sys.executable, "-I", checkout / "scripts" / "_install.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "is an environment that these scripts have not made" in done.stderr
    assert [path.name for path in (checkout / ".venv").rglob("*")] == ["lib", "theirs.py"]


@pytest.mark.parametrize(("link", "argument"), [("web/page/node_modules", "--check"), ("web/fudaba_web/page", "")])
def test_the_page_is_not_built_where_that_would_empty_what_a_link_leads_to(
    need_tool: Callable[[str], Path], checkout: Path, others: Path, link: str, argument: str
) -> None:
    need_tool("npm")
    before = content(others)
    (checkout / "web" / "page" / "node_modules").mkdir(parents=True)
    (checkout / "web" / "fudaba_web").mkdir()
    for name in ("page", "_help", "_build_cache", "_folder_cache", "_page_cache"):
        shutil.copy(ROOT / "scripts" / name, checkout / "scripts" / name)
    shutil.copy(ROOT / "web/page/package-lock.json", checkout / "web/page/package-lock.json")
    shutil.copy(ROOT / "web/page/package-lock.json", checkout / "web/page/node_modules/.installed")
    if link.endswith("node_modules"):
        shutil.rmtree(checkout / link)
    (checkout / link).symlink_to(others)
    done = subprocess.run(
        [checkout / "scripts" / "page", *([argument] if argument else [])],
        env={**os.environ, "npm_config_offline": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert content(others) == before
    assert done.returncode == 2, done.stderr
    assert f"is a link to {others}" in done.stderr
