"""`fudaba ladder new`: the file it writes is a ladder's as it stands, and nothing is written over."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fudaba.cli import cli
from fudaba_arena.tournament.file import Source
from fudaba_arena.tournament.season import Span


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def new(file: str) -> Result:
    return CliRunner().invoke(cli, ["ladder", "new", file])


def test_the_file_is_a_ladder_named_after_it() -> None:
    assert new("winter-2.toml").output == "winter-2.toml\n"
    text = Path("winter-2.toml").read_text(encoding="utf-8")
    ladder = Source(text, "winter-2.toml", Path(), hosted=True, span=Span()).read()
    assert ladder.season is not None
    assert ladder.season.ladder == "winter-2"
    assert "`fudaba ladder create winter-2.toml`" in text


def test_a_file_that_is_there_stays() -> None:
    Path("open.toml").write_text("mine", encoding="utf-8")
    done = new("open.toml")
    assert (done.exit_code, Path("open.toml").read_text(encoding="utf-8")) == (1, "mine")
    assert "open.toml is there; name another, or edit it" in done.output


@pytest.mark.parametrize("file", ["open.air.toml", "-.toml", "冬.toml", "a" * 33 + ".toml"])
def test_a_file_after_which_no_ladder_can_be_named_is_refused(file: str) -> None:
    done = CliRunner().invoke(cli, ["ladder", "new", "--", file])
    assert done.exit_code == 1
    assert "is no name for one; write 1 to 32 of A-Z, a-z, 0-9, '_' and '-'" in done.output.replace("\n", " ")
    assert not Path(file).exists()


def test_a_folder_that_is_not_there_is_told() -> None:
    done = new("no/open.toml")
    assert done.exit_code == 1
    assert done.output == "error: no/open.toml: No such file or directory\n"
