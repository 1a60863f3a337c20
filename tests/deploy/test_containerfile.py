"""The container file: linted, its names and paths exist, and its steps of installation work."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.deploy.deployment import (
    CONTAINERFILE,
    DEPLOY,
    ROOT,
    image,
    image_environment,
    known_variables,
    parsed,
    stages,
)
from tests.service.processes import FUDABA, Service, short_folder

NO_INDEX = re.compile(r"Could not find a version|ConnectionError|NewConnectionError|Max retries|name resolution")


def test_the_linter_has_nothing_to_say() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([linter, CONTAINERFILE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def copies() -> Iterator[tuple[list[str], str]]:
    """What the build stage copies from the checkout, and where to."""
    for one in stages()[1]:
        if one.word == "COPY":
            *sources, target = one.words
            yield sources, target


def test_everything_that_is_copied_exists_and_is_let_through_to_the_build() -> None:
    let_through = {
        line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")
    }
    copied = {source for sources, _ in copies() for source in sources}
    assert copied == let_through
    assert all((ROOT / source).exists() for source in copied)


def test_the_build_has_what_the_wheel_is_made_of() -> None:
    pyproject = (ROOT / "pyproject.toml").read_text()
    places = re.findall(r'"([^"]+)"', re.findall(r"^where = \[(.*)\]", pyproject, re.MULTILINE)[0])
    manifest = re.findall(r"^(?:graft|include) (.*)$", (ROOT / "MANIFEST.in").read_text(), re.MULTILINE)
    needed = {*places, *" ".join(manifest).split(), "pyproject.toml", "setup.py", "README.md", "LICENSE"}
    copied = {source for sources, _ in copies() for source in sources}
    assert {place for place in needed if copied.isdisjoint({place, *map(str, Path(place).parents)})} == set()


def test_the_image_s_variables_ports_and_commands_are_those_of_fudaba(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = image_environment()
    assert set(environment) <= known_variables(("serve",), ("arena", "run"), ("arena", "serve"), ("arena", "worker"))
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert parsed(image()["CMD"].words).params["listen"] == environment["FUDABA_LISTEN"]
    check = image()["HEALTHCHECK"].rest.partition("CMD ")[2]
    assert check == '["fudaba", "health"]'
    asked = parsed(["health"]).params["server"]
    ports = {value.rpartition(":")[2] for name, value in environment.items() if ":" in value}
    assert asked.rpartition(":")[2] in ports
    assert set(image()["EXPOSE"].words) == ports


def test_it_does_not_run_as_root_and_its_folders_belong_to_who_it_runs_as() -> None:
    user = image()["USER"].rest
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)
    uid, gid = user.split(":")
    made = image()["RUN"].rest
    assert f"--uid {uid} --gid {gid}" in made
    folders = re.findall(r"install -d -o fudaba -g fudaba -m 0700 (.*)$", made)[0].split()
    assert {image_environment()["FUDABA_DATA"], image_environment()["FUDABA_ARENA_DATA"]} <= set(folders)


def test_the_image_does_not_listen_to_others_unless_it_is_told_how() -> None:
    done = subprocess.run(
        [FUDABA, *image()["CMD"].words],
        env=os.environ | image_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "give --tls-cert and --tls-key, or --insecure" in done.stderr


# --- the lock file


def locked(path: Path) -> dict[str, tuple[str, frozenset[str]]]:
    """Version with marker, and hashes, by package; a package with several versions has them all."""
    found: dict[str, tuple[str, frozenset[str]]] = {}
    for entry in re.split(r"\n(?=\S)", path.read_text()):
        head = re.match(r"([A-Za-z0-9._-]+(?:\[[^]]*\])?==[^\\]+?) *\\", entry)
        if head:
            name = canonicalize_name(re.split(r"[=\[]", head[1])[0])
            hashes = frozenset(re.findall(r"--hash=(\S+)", entry))
            known, others = found.get(name, ("", frozenset()))
            found[name] = (f"{known} {re.sub(r'.*?==', '', head[1])}".strip(), others | hashes)
    return found


def test_the_image_has_the_tested_versions_by_the_same_hashes_and_says_how_to_renew_them() -> None:
    tested, shipped = locked(ROOT / "requirements.lock"), locked(DEPLOY / "requirements.lock")
    differing = {name for name, (version, hashes) in shipped.items() if not hashes or hashes != tested[name][1]}
    assert differing == set(), "run scripts/lock"


def test_the_image_has_all_that_service_and_arena_need_and_no_tool() -> None:
    shipped = set(locked(DEPLOY / "requirements.lock"))
    open_ = [("fudaba", frozenset({"service", "arena"}))]
    needed: set[str] = set()
    while open_:
        name, extras = open_.pop()
        for line in distribution(name).requires or []:
            requirement = Requirement(line)
            wanted = [{"extra": extra} for extra in extras or {""}]
            if requirement.marker is not None and not any(map(requirement.marker.evaluate, wanted)):
                continue
            if canonicalize_name(requirement.name) not in needed:
                needed.add(canonicalize_name(requirement.name))
                open_.append((requirement.name, frozenset(requirement.extras)))
    assert needed - shipped == set(), "run scripts/lock"
    assert shipped & {"pytest", "mypy", "grpcio-tools", "rlcard", "textual", "check-jsonschema"} == set()


# --- the steps themselves


@pytest.fixture(scope="module")
def built() -> Iterator[Path]:
    """A folder in which the build stage's steps were run, as `/` of the container. Needs the package index."""
    with short_folder() as root:
        source = root / "src"
        source.mkdir()
        (root / "bin").mkdir()
        (root / "bin" / "python").symlink_to(Path(sys.executable).resolve())
        for one in stages()[1]:
            if one.word == "COPY":
                copy(source, one.words)
            elif one.word == "RUN":
                run_step(root, one.rest)
        yield root


def copy(source: Path, words: list[str]) -> None:
    """Copies as COPY does: into the target where it ends with a slash, else to it."""
    *names, target = words
    for name in names:
        place = source / target / Path(name).name if target.endswith("/") else source / target
        place.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "*.so", "build", "node_modules")
            shutil.copytree(ROOT / name, place, ignore=ignored)
        else:
            shutil.copy(ROOT / name, place)


def run_step(root: Path, step: str) -> None:
    """Runs a step with the container's paths as those below `root`."""
    here = re.sub(r"(?<![\w.])/(opt|wheels)\b", rf"{root}/\1", step)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("VIRTUAL_ENV", "PYTHON"))}
    environment |= {"PATH": f"{root}/bin:{os.defpath}", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(
        ["sh", "-ec", here], cwd=root / "src", env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode and NO_INDEX.search(done.stdout + done.stderr) and os.environ.get("CI") != "true":
        pytest.skip("the package index cannot be reached")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.exhaustive
def test_the_steps_of_the_build_install_a_fudaba_that_serves_and_is_healthy(built: Path) -> None:
    fudaba = built / "opt" / "fudaba" / "bin" / "fudaba"
    with short_folder() as place:
        service = Service(place)
        service.launch([str(fudaba), "serve", "--data", str(place / "data"), "--listen", f"unix:{place}/s"])
        with service:
            health = [str(fudaba), "health", "--server", f"unix:{place}/s"]
            assert retried(health, service) == f"unix:{place}/s serves\n", service.log
            assert service.terminate() == 0, service.log
            refused = subprocess.run(health, capture_output=True, text=True, check=False)
            assert refused.returncode == 1
    checked = subprocess.run(
        [fudaba, "arena", "check", ROOT / "docs" / "examples" / "demo.toml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr
    installed = {path.name.split("-")[0] for path in (built / "opt" / "fudaba").glob("lib/*/site-packages/*.dist-info")}
    assert "fudaba" in installed
    assert installed & {"pip", "setuptools", "pytest"} == set()


def retried(command: list[str], service: Service) -> str:
    """What a command says once it succeeds. A service that has just been started does not listen yet."""
    while True:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout
        assert service.running, service.log
