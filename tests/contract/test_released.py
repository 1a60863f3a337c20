"""What was released of the contract stays: `scripts/check` compares with the stored image, and these tests try that."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from subprocess import run

import pytest

ROOT = Path(__file__).parents[2]
BUF = Path(sys.executable).with_name("buf")
CALLED = "  bool repeated_call = 2;"
METHOD = """rpc GetGame(GetGameRequest) returns (GetGameResponse) {
    option (policy) = {
      everybody: REACH_PUBLIC
      base_cost: 1
      changes: false
    };
  }"""
REST = pytest.mark.exhaustive  # `buf` takes a second or more for each change
IMAGES = sorted((ROOT / "proto" / "released").glob("*.binpb"))


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Returns a copy of the contract's sources."""
    return shutil.copytree(ROOT / "proto", tmp_path / "proto", ignore=shutil.ignore_patterns("released"))


def complaints(sources: Path) -> str:
    """Returns what is wrong with a contract beside the one that was released; nothing if all of that is still there."""
    done = run(
        [BUF, "breaking", sources, "--against", IMAGES[-1]], capture_output=True, text=True, check=False, timeout=600
    )
    assert (done.returncode != 0) == bool(done.stdout), done
    return done.stdout


def change(sources: Path, file: str, old: str, new: str) -> None:
    """Writes something else into a source, at its only place."""
    path = sources / "fudaba" / "v1" / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{file} has {text.count(old)} times {old!r}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_an_image_is_stored() -> None:
    assert IMAGES, "scripts/check compares with it"


def test_what_is_added_passes(sources: Path) -> None:
    change(sources, "play.proto", "  bool repeated_call = 2;", "  bool repeated_call = 2;\n  bool more = 99;")
    change(sources, "errors.proto", "REASON_INTERNAL = 90;", "REASON_INTERNAL = 90;\n  REASON_MORE = 999;")
    change(sources, "catalog.proto", METHOD, f"{METHOD}\n  {METHOD.replace('GetGame', 'GetMore')}")
    change(
        sources,
        "catalog.proto",
        "message ListGamesRequest {}",
        "message ListGamesRequest {}\nmessage GetMoreRequest {}\nmessage GetMoreResponse {}",
    )
    assert complaints(sources) == ""


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("play.proto", "  bool repeated_call = 2;\n", "", "repeated_call"),
        pytest.param("play.proto", CALLED, "  bool called_before = 2;", "called_before", marks=REST),
        pytest.param("play.proto", CALLED, "  bool repeated_call = 3;", "repeated_call", marks=REST),
        pytest.param("play.proto", CALLED, "  string repeated_call = 2;", "repeated_call", marks=REST),
        pytest.param("errors.proto", "  REASON_INTERNAL = 90;\n", "", "Reason", marks=REST),
        pytest.param("catalog.proto", f"  {METHOD}\n", "", "GetGame", marks=REST),
        ("naga.proto", "uint32 to_designate = 5;", "uint64 to_designate = 5;", "to_designate"),
    ],
)  # fmt: skip
def test_what_was_released_is_neither_removed_nor_changed(
    sources: Path, file: str, old: str, new: str, named: str
) -> None:
    change(sources, file, old, new)
    assert named in complaints(sources)
