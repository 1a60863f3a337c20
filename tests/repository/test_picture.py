"""README's pictures: what the commands on it show today, and the page, which can be photographed anew."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from html import unescape
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("redis", reason="the service's extra is not installed")

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "pictures" / "first_bot.svg"
TEXT = re.compile(r'<text class="s\d+-(\d+)[^"]*" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>')


def end(svg: str) -> list[tuple[str, str, str]]:
    """Returns the lines that are still to be seen at the end of a recording: place and text."""
    found = TEXT.findall(svg)
    last = max(int(until) for until, *_ in found)
    return [(x, y, unescape(text)) for until, x, y, text in found if int(until) == last]


@pytest.mark.exhaustive
def test_a_new_recording_ends_as_the_picture_does(tmp_path: Path) -> None:
    made = tmp_path / "made.svg"
    done = subprocess.run(
        [ROOT / "scripts" / "picture", made], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert end(made.read_text(encoding="utf-8")) == end(PICTURE.read_text(encoding="utf-8"))


def test_the_picture_is_small_and_shows_its_end_where_nothing_moves() -> None:
    svg = PICTURE.read_text(encoding="utf-8")
    assert len(svg) < 50_000
    assert ET.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
    shown = "\n".join(text for *_, text in end(svg))
    assert "seat 0 (greedy 1): score +1, placement 1" in shown
    last = max(int(until) for until, *_ in TEXT.findall(svg))
    for until, *_ in TEXT.findall(svg):
        shown_first = re.search(rf"^\.s\d+-{until} {{ visibility: visible", svg, re.MULTILINE) is not None
        assert shown_first == (int(until) == last)


PAGE = ("page_light.png", "page_dark.png", "page_ladder.png", "page_play.png", "page_enter.png")


def size_of(picture: Path) -> tuple[int, int]:
    """Width and height of a PNG."""
    head = picture.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    return int.from_bytes(head[16:20]), int.from_bytes(head[20:24])


@pytest.mark.nightly(
    "the pages that are photographed are opened in Chromium by the tests of `tests/page`; the pictures that there are"
    " are looked at, and the recording of a match is made anew"
)
def test_the_pictures_of_the_page_can_be_made_anew(tmp_path: Path, need_tool: Callable[[str], Path]) -> None:
    need_tool("npm")
    need_tool("chromium")
    done = subprocess.run(
        [ROOT / "scripts" / "picture", "--page", tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for name in PAGE:
        assert size_of(tmp_path / name) == size_of(ROOT / "docs" / "pictures" / name)


def test_the_pictures_of_the_page_are_small_and_alike() -> None:
    pictures = [ROOT / "docs" / "pictures" / name for name in PAGE]
    assert all(picture.stat().st_size <= 150_000 for picture in pictures)
    assert len({size_of(picture) for picture in pictures}) == 1
    assert len({picture.read_bytes() for picture in pictures}) == len(PAGE)
