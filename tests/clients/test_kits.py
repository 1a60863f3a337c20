"""What `fudaba bot new` writes in each language, as its author meets it: its tests, and `fudaba match local`."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fudaba.bundle import write_bundle
from fudaba.cli import cli
from fudaba.starting import write_project
from fudaba_games.registry import GAMES
from tests.support.build_cache import cargo_target
from tests.support.clients.languages import FAILS, LANGUAGES, Language, name_of, run, with_kit
from tests.support.clients.outcomes import content_of, keep, outcome
from tests.support.clients.parameters import every_language, failing_languages

PATIENT = ("--clock", "move=120s,start=600s")
"""A virtual machine that starts beside others may take longer than a bot is given by default."""
CLIENTS = Path(__file__).resolve().parents[2] / "clients"


def test_every_kit_is_tested() -> None:
    assert set(LANGUAGES) == with_kit()


@pytest.mark.parametrize(
    ("name", "versions", "generator", "kept"),
    [
        pytest.param("go", [["go", "version"]], [], "fudabav1", marks=pytest.mark.exhaustive),
        pytest.param(
            "rust",
            [["cargo", "-Vv"], ["rustc", "-Vv"]],
            ["generator/src", "generator/Cargo.toml", "generator/Cargo.lock"],
            "src/generated",
            marks=pytest.mark.exhaustive,
        ),
        ("java", [], ["generator"], "generated"),
    ],
)
def test_the_contract_s_code_in_it_is_what_generate_makes(
    need_tool: Callable[[str], Path],
    tmp_path: Path,
    name: str,
    versions: list[list[str]],
    generator: list[str],
    kept: str,
) -> None:
    """It is made unless it was made of the same contract by the same generator: the build cache knows."""
    for tool in versions:
        need_tool(tool[0])
    kit = CLIENTS / name
    generate = [str(kit / "generate"), str(tmp_path / "made")]
    write_bundle(tmp_path / "protos")
    inputs = [tmp_path / "protos", kit / "kit" / kept, kit / "generate", *(kit / part for part in generator)]
    tools = {"grpcio-tools": metadata.version("grpcio-tools")}
    passed = outcome(f"generated-{name}", content_of(inputs, [], tools, versions))
    if passed.exists():
        return
    if name == "rust":
        with cargo_target(CLIENTS / name / "generator") as target:
            run(generate, tmp_path, CARGO_TARGET_DIR=str(target))
    else:
        run(generate, tmp_path)
    there, made = (
        {path.relative_to(folder): path.read_text() for path in folder.rglob("*") if path.is_file()}
        for folder in (CLIENTS / name / "kit" / kept, tmp_path / "made")
    )
    assert made == there
    keep(passed)


@every_language
@pytest.mark.exhaustive
def test_its_own_tests_pass(language: Language, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """They run unless they have passed for the same kit, contract, commands and tools: the build cache knows."""
    name = name_of(language)
    write_project(name, "careful", tmp_path / "new")
    kept = language.outcome(name, tmp_path / "new")
    if not kept.exists():
        project: Path = request.getfixturevalue("project")  # what makes it runs the tests where that compiles it
        for command in language.test:
            run(command, project, **language.strict)
        if language.test and language.is_of(kept, project):
            keep(kept)


def local(project: Path, game: str, *length: str) -> Any:
    words = ["match", "local", game, "--bot", str(project), "--bot", "random", *length, "--seed", "1"]
    played = CliRunner().invoke(cli, [*words, *PATIENT, "--json"])
    assert played.exit_code == 0, played.output
    found = json.loads(played.stdout)
    assert found["faults"] == []
    return found


@every_language
@pytest.mark.nightly(
    "one process of each plays every game at once; `match local` starts all but C++ where their own code fails"
)
def test_match_local_plays_every_game_with_it(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for game in GAMES:
        local(project, game, "--deals", "1")


@failing_languages
@pytest.mark.exhaustive
def test_where_its_own_code_fails_it_plays_the_default_move_and_match_local_tells_how_often(
    altered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken").symlink_to(altered)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(FAILS, "1")
    words = ["match", "local", "naga", "--bot", "./broken", "--bot", "first", "--matches", "1", "--option", "deals=1"]
    played = CliRunner().invoke(cli, [*words, *PATIENT, "--json"])
    assert played.exit_code == 1, played.output
    found = json.loads(played.stdout)
    [fault] = found["faults"]
    assert (fault["bot"], fault["kind"], found["matches"]) == ("./broken", "exception", 1)
    assert fault["text"].startswith("its own error at decision ")
    assert fault["count"] > 1
    assert any("no idea" in line for line in fault["last_lines"])
