"""The commands that installed distributions add: the same as `importlib.metadata` finds, in a fraction of the time."""

from __future__ import annotations

import sys
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from fudaba.cli._added_commands import added_commands, load_command

GROUP = "fudaba.commands.of-a-test"


@pytest.fixture(autouse=True)
def _looks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    added_commands.cache_clear()
    monkeypatch.setattr(sys, "path", list(sys.path))


def distribution(place: Path, folder: str, text: str) -> None:
    (place / folder).mkdir(parents=True)
    (place / folder / "METADATA").write_text("Metadata-Version: 2.1\nName: here\nVersion: 1\n")
    (place / folder / "entry_points.txt").write_text(text)


def found_by_importlib(group: str) -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group=group)}


@pytest.mark.parametrize("group", ["fudaba.commands", "fudaba.commands.bot", "console_scripts"])
def test_they_are_those_that_importlib_finds(group: str) -> None:
    assert added_commands(group) == found_by_importlib(group) != {}


def test_of_a_distribution_that_is_there_twice_the_first_counts(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    distribution(first, "My_Own.Commands-2.0.dist-info", f"[other]\na = b:c\n\n[{GROUP}]\n# new\nnew = json:dumps\n")
    distribution(second, "my_own_commands-1.0.dist-info", f"[{GROUP}]\nold = json:loads\n")
    distribution(second, "another.egg-info", f"[{GROUP}]\nanother = os:path.join [extra]\n")
    sys.path[:0] = [str(first), str(second), str(tmp_path / "nowhere")]
    assert added_commands(GROUP) == {"new": "json:dumps", "another": "os:path.join [extra]"}
    assert added_commands(GROUP) == found_by_importlib(GROUP)


def test_those_in_an_archive_are_found_too(tmp_path: Path) -> None:
    archive = tmp_path / "packed.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("packed-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: packed\nVersion: 1\n")
        packed.writestr("packed-1.dist-info/entry_points.txt", f"[{GROUP}]\npacked = json:dumps\n")
    sys.path.insert(0, str(archive))
    assert added_commands(GROUP) == {"packed": "json:dumps"}


@pytest.mark.parametrize("place", ["posixpath:join", "os:path.join", "os:path.join [extra]", "posixpath : join"])
def test_what_an_entry_names_is_loaded(place: str) -> None:
    import posixpath

    assert load_command(place) is posixpath.join
