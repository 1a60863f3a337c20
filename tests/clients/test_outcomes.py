"""The own tests of a kit run again for whatever they depend on, and for nothing else."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from fudaba.starting import write_project
from tests.support.clients.languages import LANGUAGES, Language
from tests.support.clients.outcomes import INHERITED_VARIABLES, content_of, keep, outcome

COMMANDS = [["make"], ["make", "test"]]
VERSIONS = [["echo", "tool 1.0"]]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns a build cache with nothing in it."""
    monkeypatch.setattr("tests.support.clients.outcomes.build_cache", lambda: tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "fudaba").mkdir(parents=True)
    (folder / "main.c").write_text("int main() { return 0; }")
    (folder / "fudaba" / "kit.h").write_text("void play();")
    return folder


def test_the_same_files_commands_and_tools_are_one_content_wherever_they_are(project: Path, tmp_path: Path) -> None:
    other = shutil.copytree(project, tmp_path / "elsewhere")
    assert content_of([project], COMMANDS, {}, VERSIONS) == content_of([other], COMMANDS, {}, VERSIONS)


def test_another_file_command_variable_or_version_is_another_content(project: Path) -> None:
    found = [
        content_of([project], COMMANDS, {}, VERSIONS),
        content_of([project], COMMANDS[:1], {}, VERSIONS),
        content_of([project], COMMANDS, {"CXXFLAGS": "-O1"}, VERSIONS),
        content_of([project], COMMANDS, {}, [["echo", "tool 1.1"]]),
    ]
    (project / "fudaba" / "kit.h").write_text("void play(int);")
    found.append(content_of([project], COMMANDS, {}, VERSIONS))
    (project / "fudaba" / "kit.h").rename(project / "kit.h")
    found.append(content_of([project], COMMANDS, {}, VERSIONS))
    assert len(set(found)) == len(found)


def test_a_variable_that_builds_inherit_makes_another_content(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in INHERITED_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    found = [content_of([project], COMMANDS, {}, VERSIONS)]
    for name in INHERITED_VARIABLES:
        monkeypatch.setenv(name, "-g")
        found.append(content_of([project], COMMANDS, {}, VERSIONS))
    assert len(set(found)) == len(found)


def test_what_has_passed_is_noted_for_the_last_contents_of_each_language(cache: Path) -> None:
    for number in range(5):
        keep(outcome("c", f"content{number}"))
        keep(outcome("d", "content0"))
    assert outcome("c", "content4").exists()
    assert not outcome("c", "content0").exists()
    assert outcome("d", "content0").exists()
    assert len(list((cache / "kits").iterdir())) == 4


def language(*script: str) -> Language:
    """Returns one in which what prepares a project runs its tests, and makes all of it."""
    return Language(tools=[], prepare=[["sh", "-ec", "; ".join(script)]], test=[], tested="*.report", made="bot.jar")


def test_what_was_made_of_all_of_a_project_is_taken_for_the_same_and_made_anew_for_another(
    tmp_path: Path, cache: Path
) -> None:
    makes = language("touch ok.report", "echo $$ >bot.jar")
    other = language("touch ok.report", "echo another >bot.jar")
    made = []
    for place, used in (("first", makes), ("second", makes), ("third", other)):
        used.source("node", tmp_path / place)
        made.append((tmp_path / place / "bot.jar").read_text())
    assert made[0] == made[1] != made[2]
    assert not (tmp_path / "second" / "ok.report").exists()


def test_a_program_is_taken_for_the_same_bot_and_commands_and_built_anew_for_others(tmp_path: Path) -> None:
    builds, other = (
        replace(LANGUAGES["node"], prepare=[], build=[["sh", "-ec", script]], program="out/bot", versions=[])
        for script in ("mkdir -p out; echo $$ >out/bot", "mkdir -p out; echo another >out/bot")
    )
    built, altered = [], []
    for place, used in (("first", builds), ("second", builds), ("third", other)):
        original, copy = tmp_path / place, tmp_path / f"altered-{place}"
        used.project("node", original)
        shutil.copytree(original, copy)
        used.alter("node", copy, original)
        built.append((original / "out/bot").read_text())
        altered.append((copy / "out/bot").read_text())
    assert built[0] == built[1] != built[2]
    assert altered[0] == altered[1] != altered[2]
    assert built[0] != altered[0]


def test_a_project_is_of_the_content_that_was_written_whatever_is_made_of_it_later(tmp_path: Path) -> None:
    makes = language("touch ok.report bot.jar")
    makes.source("node", tmp_path / "older")
    write_project("node", "careful", tmp_path / "new")
    assert makes.is_of(makes.outcome("node", tmp_path / "new"), tmp_path / "older")
    (tmp_path / "new" / "bot.js").write_text("// the template was edited meanwhile")
    assert not makes.is_of(makes.outcome("node", tmp_path / "new"), tmp_path / "older")


def test_what_fails_or_runs_no_test_is_not_noted(tmp_path: Path, cache: Path) -> None:
    for place, script in (("failed", ["touch ok.report bot.jar", "false"]), ("untested", ["touch bot.jar"])):
        with pytest.raises(AssertionError):
            language(*script).source("node", tmp_path / place)
    assert not (cache / "kits").exists()
