"""What an author runs before a bot is played or sent is printed, and who has not run it is told which command it is."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fudaba.cli import cli
from fudaba.preparing import needed
from tests.support.clients.languages import BUILD_SECONDS, LANGUAGES, PATIENT_BUILDS

FETCHED = {"node": "npm ci", "go": "go mod vendor", "rust": "cargo vendor", "java": "mvn -q package"}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, list(words))


@pytest.mark.parametrize("language", FETCHED)
def test_a_new_bot_that_is_not_prepared_is_told_the_missing_command(language: str) -> None:
    command = FETCHED[language]
    made = run("bot", "new", "careful", "--lang", language)
    assert f"  cd careful\n  {command}\n" in made.stdout
    for check in (["bot", "check", "careful", "--no-run"], ["bot", "submit", "careful", "--token", "mine"]):
        result = run(*check)
        assert result.exit_code == 1
        assert f"is missing, which is sent along since an arena builds without a network: run {command!r}" in (
            result.stderr
        )
        assert "or give --prepare" in result.stderr
    played = run("match", "local", "naga", "--bot", "careful", "--bot", "first")
    assert played.exit_code == 2
    assert f"'careful' is not prepared: run {command!r} in " in played.stderr


@pytest.mark.parametrize("language", FETCHED)
def test_what_is_there_is_not_asked_for(language: str) -> None:
    run("bot", "new", "careful", "--lang", language)
    preparation = needed(Path("careful"))
    assert preparation is not None
    assert shlex.join(preparation.command) == FETCHED[language]
    Path("careful", preparation.makes).mkdir()
    assert needed(Path("careful")) is None


@pytest.mark.parametrize(
    ("language", "file", "content"),
    [
        ("node", "package.json", '{"dependencies": {}}'),
        ("go", "go.mod", "module careful\n\ngo 1.22\n"),
        ("rust", "Cargo.toml", '[package]\nname = "careful"\n'),
        ("java", "bot.toml", 'name = "careful"\nlanguage = "java"\nstart = ["java", "Bot.java"]\n'),
    ],
)
def test_a_bot_that_needs_nothing_is_not_asked_for_it(language: str, file: str, content: str) -> None:
    run("bot", "new", "careful", "--lang", language)
    Path("careful", file).write_text(content, encoding="utf-8")
    assert needed(Path("careful")) is None


def test_prepare_runs_the_command_and_says_how_it_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    run("bot", "new", "careful", "--lang", "node")
    Path("bin").mkdir()
    Path("bin/npm").write_text('#!/bin/sh\ntest -e "$PWD/broken" && exit 7\nmkdir node_modules\n', encoding="utf-8")
    Path("bin/npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{Path('bin').resolve()}{os.pathsep}{os.environ['PATH']}")
    Path("careful/broken").touch()
    failed = run("bot", "check", "careful", "--no-run", "--prepare")
    assert failed.exit_code == 1
    assert "'npm ci' in careful ended with status 7" in failed.stderr
    Path("careful/broken").unlink()
    passed = run("bot", "check", "careful", "--no-run", "--prepare")
    assert passed.exit_code == 0, passed.output
    assert "preparing: npm ci" in passed.stderr
    monkeypatch.setenv("PATH", "/nothing")
    Path("careful/node_modules").rmdir()
    assert "there is no npm here, install it" in run("bot", "check", "careful", "--no-run", "--prepare").stderr


AT_NIGHT = pytest.mark.nightly("the same with Python; `test_kits.py` runs these commands for the others one by one")


@pytest.mark.exhaustive
@pytest.mark.timeout(2 * BUILD_SECONDS)
@pytest.mark.parametrize(
    "language",
    ["python", *(pytest.param(other, marks=AT_NIGHT) for other in ("node", "go", "java", "rust", "cpp"))],
)
def test_the_commands_that_are_printed_work_as_printed(
    language: str, need_tool: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the last one is cut short: a match of one game shows that the bot builds and plays."""
    if language in LANGUAGES:
        LANGUAGES[language].need(need_tool)
    made = run("bot", "new", "careful", "--lang", language)
    lines = made.stdout.partition("What comes next, README.md says more:\n")[2].splitlines()
    assert json.loads(run("bot", "new", "other", "--lang", language, "--json").stdout)["next"] == [
        line.strip() for line in lines[1:]
    ]
    manifest = Path("careful/bot.toml")
    manifest.write_text(manifest.read_text(encoding="utf-8").replace('"all"', '["naga"]'), encoding="utf-8")
    Path("worker.toml").write_text(PATIENT_BUILDS, encoding="utf-8")
    monkeypatch.setenv("FUDABA_ARENA_WORKER_CONFIG", str(Path("worker.toml").resolve()))
    fudaba = f"fudaba() {{ {shlex.quote(sys.executable)} -c 'from fudaba.cli import main; main()' \"$@\"; }}"
    script = "\n".join(["set -eu", fudaba, *lines])
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "match: passed" in done.stdout
