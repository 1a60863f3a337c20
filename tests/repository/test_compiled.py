"""A compiled build: what is compiled together, what pip's questions cost, and what `scripts/compiled` plays."""

from __future__ import annotations

import ast
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fudaba_games.registry import GAMES
from tests.support.compiled.seeded import GATE_MATCHES, options_of, seats_of
from tests.support.wheels import copy_sources

ROOT = Path(__file__).resolve().parents[2]
NIGHTLY_MATCHES = 1000


@pytest.fixture(scope="module")
def setup_file() -> dict[str, Any]:
    """Returns what setup.py defines; nothing is built."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("setuptools.setup", lambda **_: None)
        patch.delenv("FUDABA_MYPYC", raising=False)
        return runpy.run_path(str(ROOT / "setup.py"))


@pytest.mark.parametrize("name", GAMES)
def test_the_gate_compares_every_seat_count_and_value_of_an_option_that_a_night_does(name: str) -> None:
    game = GAMES[name]

    def tried(matches: int) -> set[tuple[str, object]]:
        return {
            part
            for number in range(matches)
            for part in [("seats", seats_of(game, number)), *options_of(game, number).items()]
        }

    assert tried(GATE_MATCHES) == tried(NIGHTLY_MATCHES)


def test_a_game_and_its_codec_are_compiled_together_and_apart_from_other_games(setup_file: dict[str, Any]) -> None:
    modules = setup_file["compiled_modules"]()
    group_of = {module: name for members, name in setup_file["groups"](modules) for module in members}
    assert sorted(group_of) == modules
    of_games = {
        name: {
            group
            for module, group in group_of.items()
            if module.startswith(f"games/fudaba_games/{name}/") or module == f"clients/python/fudaba/codec/{name}.py"
        }
        for name in GAMES
    }
    assert of_games == {name: {f"fudaba_{name}"} for name in GAMES}


@pytest.mark.exhaustive
def test_what_is_compiled_never_names_two_kinds_of_errors_alike_in_a_function(setup_file: dict[str, Any]) -> None:
    """Mypy lets a name of `except … as` have another type each time; what mypyc makes of it raises TypeError."""
    functions = [
        (module, function)
        for module in setup_file["compiled_modules"]()
        for function in ast.walk(ast.parse((ROOT / module).read_text()))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert len(functions) > 1000
    for module, function in functions:
        caught = {
            (handler.name, ast.unparse(handler.type))
            for handler in ast.walk(function)
            if isinstance(handler, ast.ExceptHandler) and handler.name is not None and handler.type is not None
        }
        assert len({name for name, _ in caught}) == len(caught), f"{module}, {function.name}: {sorted(caught)}"


@pytest.mark.exhaustive
def test_pip_learns_the_metadata_of_a_compiled_build_before_anything_is_compiled(tmp_path: Path) -> None:
    sources, metadata = tmp_path / "sources", tmp_path / "told"
    sources.mkdir()
    metadata.mkdir()
    copy_sources(sources)
    ask = "import sys; from setuptools import build_meta; build_meta.prepare_metadata_for_build_wheel(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", ask, metadata],
        cwd=sources,
        env={**os.environ, "FUDABA_MYPYC": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert next(metadata.glob("*.dist-info/METADATA")).read_text().startswith("Metadata-Version")
    assert not list((sources / "build").rglob("*.c"))
