"""`fudaba bot new`: what it writes, and that it works as it stands. The other languages' bots play in tests/clients."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest
import zstandard
from click.testing import CliRunner, Result

from fudaba.cli import cli
from fudaba_arena.submissions.packing import pack_folder

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = sorted(path.parent.parent.name for path in (ROOT / "clients").glob("*/template/bot.toml"))


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def new(*words: str) -> Result:
    return CliRunner().invoke(cli, ["bot", "new", *words])


@pytest.mark.exhaustive
def test_a_new_bot_in_python_passes_its_own_test_and_beats_random_play() -> None:
    assert new("careful").exit_code == 0
    done = subprocess.run(
        [sys.executable, "-m", "unittest"], cwd="careful", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    words = ["match", "local", "naga", "--bot", "careful", "--bot", "random", "--deals", "2", "--seed", "1", "--json"]
    played = CliRunner().invoke(cli, words)
    assert played.exit_code == 0, played.output
    won = [entry["won"] for entry in json.loads(played.stdout)["bots"]]
    assert won[0] > won[1]


@pytest.mark.parametrize("language", WRITTEN)
def test_its_name_is_in_its_manifest_and_the_placeholder_is_nowhere(language: str) -> None:
    done = new("deep-one", "--lang", language, "--folder", "bots/one", "--json")
    assert done.exit_code == 0, done.output
    files = json.loads(done.stdout)["files"]
    assert {"README.md", "bot.toml"} <= set(files)
    manifest = tomllib.loads(Path("bots/one/bot.toml").read_text())
    assert (manifest["name"], manifest["games"], manifest["language"]) == ("deep-one", "all", language)
    own = [path for path in files if not path.startswith("fudaba/")]
    assert [path for path in own if "mybot" in Path("bots/one", path).read_text(encoding="utf-8")] == []


@pytest.mark.parametrize("language", WRITTEN)
def test_its_readme_tells_how_to_play_and_submit_it(language: str) -> None:
    assert new("careful", "--lang", language).exit_code == 0
    readme = Path("careful/README.md").read_text(encoding="utf-8")
    assert "fudaba match local naga --bot . --bot random" in readme
    assert "fudaba bot submit ." in readme.partition("fudaba bot create careful")[2]


@pytest.mark.parametrize("language", WRITTEN)
def test_what_its_tools_leave_behind_is_not_sent(language: str) -> None:
    assert new("careful", "--lang", language).exit_code == 0
    left = {"cpp": "build/x.o", "go": "bot", "java": "target/x.class", "rust": "target/x", "python": ".venv/x"}
    behind = {
        left.get(language, "test/x.js"),
        "__pycache__/x.pyc",
        "local-matches/naga-1/deal-001-1.fudaba",
        ".git/HEAD",
    }
    for name in behind:
        Path("careful", name).parent.mkdir(parents=True, exist_ok=True)
        Path("careful", name).touch()
    into = io.BytesIO()
    left_out = pack_folder(Path("careful"), into)
    with (
        zstandard.ZstdDecompressor().stream_reader(into.getvalue()) as raw,
        tarfile.open(fileobj=raw, mode="r|") as sent,
    ):
        names = set(sent.getnames())
    assert {"bot.toml", "README.md"} <= names
    assert not names & behind
    assert {name.partition("/")[0] for name in behind} <= {name.rstrip("/") for name in left_out}


def test_a_folder_with_something_in_it_is_left_as_it_is() -> None:
    Path("careful").mkdir()
    Path("careful/notes").write_text("mine")
    refused = new("careful")
    assert refused.exit_code == 1
    assert "--folder" in refused.stderr
    assert [path.name for path in Path("careful").iterdir()] == ["notes"]
    Path("file").touch()
    assert "is a file" in new("careful", "--folder", "file").output


@pytest.mark.parametrize("name", ["Careful", "7up", "a" * 41, "../up", ""])
def test_a_name_that_no_bot_can_have_is_refused_and_writes_nothing(name: str) -> None:
    refused = new(name)
    assert refused.exit_code == 1
    assert "no name for a bot" in refused.stderr
    assert list(Path().iterdir()) == []


def test_a_language_without_a_template_is_refused_with_those_that_have_one() -> None:
    refused = new("careful", "--lang", "cobol")
    assert refused.exit_code == 2
    assert "python" in refused.stderr
    assert list(Path().iterdir()) == []


def test_a_bot_that_is_not_built_yet_is_told_so_with_the_command() -> None:
    Path("bot.toml").write_text('start = ["./bot"]\nbuild = ["make", "bot"]\n')
    refused = CliRunner().invoke(cli, ["match", "local", "naga", "--bot", ".", "--bot", "random"])
    assert refused.exit_code == 2
    assert "not built yet: run 'make bot'" in refused.stderr
