"""What CONTRIBUTING.md and docs/house.md draw of the tree is what there is."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ARENA = ROOT / "arena" / "fudaba_arena"
HOUSE = (ROOT / "docs" / "house.md").read_text(encoding="utf-8")
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8") + HOUSE
WAYS = ["A block's way through the arena", "An upload's way through the arena"]


def drawing(after: str) -> list[tuple[str, str]]:
    """Returns the folders of the drawing that follows a text, and what is said of each."""
    block = re.sub(r"\n +", " ", TEXT[TEXT.index(after) :].split("```\n")[1])
    return [(folder, line) for line in block.splitlines() for folder, line in re.findall(r"^(\S+)/ +(.*)$", line)]


def listed() -> list[str]:
    """Returns the files that git has, but for those whose folders begin with a dot."""
    found = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [file for file in found.stdout.splitlines() if not file.startswith(".")]


@pytest.mark.parametrize("way", WAYS)
def test_a_way_enters_each_folder_once_and_names_files_that_are_there(way: str) -> None:
    steps = drawing(way)
    assert len(steps) == len({folder for folder, _ in steps}) > 5
    for folder, line in steps:
        assert (ARENA / folder / "__init__.py").exists(), folder
        for name in re.findall(r"`([^`]+)`", line):
            assert (ARENA / folder / name).exists(), f"{folder}/{name}"


def test_each_folder_of_the_tree_is_drawn() -> None:
    drawn = [folder for folder, _ in drawing("Where things are")]
    assert [folder for folder in drawn if not (ROOT / folder).is_dir()] == []
    assert {folder.partition("/")[0] for folder in drawn} == {
        file.partition("/")[0] for file in listed() if "/" in file
    }


def test_the_drawing_has_each_folder_of_the_service() -> None:
    folders = [init.parent.name for init in (ROOT / "service" / "fudaba_service").glob("*/__init__.py")]
    assert sorted(folder for folder, _ in drawing("The service's folders")) == sorted(folders)


def test_the_drawing_has_each_room_of_the_arena_s_largest_folders() -> None:
    rooms = [
        init.parent.relative_to(ARENA).as_posix()
        for folder in ("api", "play", "store")
        for init in (ARENA / folder).glob("*/__init__.py")
    ]
    assert sorted(folder for folder, _ in drawing("The rooms of the largest")) == sorted(rooms)


def test_no_room_of_the_arena_s_largest_folders_has_more_files_than_one_sees_at_once() -> None:
    for folder, _ in drawing("The rooms of the largest"):
        files = [path for path in (ARENA / folder).iterdir() if path.suffix in {".py", ".lua"}]
        assert len(files) <= 14, folder


def test_each_file_that_the_table_of_where_to_look_names_is_there() -> None:
    rows = [line for line in HOUSE.splitlines() if line.startswith("| ")]
    named = {name for row in rows for name in re.findall(r"`([\w/.-]+\.(?:py|lua|ts|toml))`", row)}
    assert len(named) > 50
    files = listed()
    assert {name for name in named if not any(f"/{file}".endswith(f"/{name}") for file in files)} == set()


def test_each_path_that_adding_a_method_takes_is_there() -> None:
    steps = TEXT[TEXT.index("**Adding a method**") : TEXT.index("Gateway, guard and rate limits know")]
    paths = set(re.findall(r"`([\w./-]*/[\w./-]*)`", steps)) - {"api/", "api/methods/", "api/server.py"}
    assert len(paths) > 8
    assert {path for path in paths if not (ROOT / path).exists()} == set()
    assert {path for path in ("api/methods", "api/server.py") if not (ARENA / path).exists()} == set()
    assert "def _servicer(" in (ARENA / "api" / "server.py").read_text(encoding="utf-8")
