"""A source file is a submission of its own: it has the manifest of its language, or is refused with what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.arena.submissions.archives import tree
from tests.support.arena.submissions.unpacking import opened, refused


@pytest.mark.parametrize(
    ("name", "language", "start", "build"),
    [
        ("bot.py", "python", ("python3", "bot.py"), ()),
        ("MyBot.java", "java", ("java", "MyBot.java"), ()),
        ("my_bot.mjs", "node", ("node", "my_bot.mjs"), ()),
        ("main.go", "go", ("./bot",), ("go", "build", "-o", "bot", "main.go")),
        ("bot.rs", "rust", ("./bot",), ("rustc", "-O", "-o", "bot", "bot.rs")),
        ("bot.cpp", "cpp", ("./bot",), ("g++", "-O2", "-std=c++20", "-o", "bot", "bot.cpp")),
    ],
)
def test_one_source_file_is_a_submission_too(
    name: str, language: str, start: tuple[str, ...], build: tuple[str, ...], into: Path
) -> None:
    manifest = opened(b"source\n", into, name).manifest
    assert (manifest.language, manifest.start, manifest.build) == (language, start, build)
    assert (manifest.name, "naga" in manifest.games) == ("", True)
    assert tree(into) == {name: b"source\n"}


@pytest.mark.parametrize(
    ("name", "raw", "words"),
    [
        ("bot.txt", b"x", "one file that ends with .py, .js"),
        ("../bot.py", b"x", "the file's name is '../bot.py'; call it for example bot.py"),
        ("b\x1bt.py", b"x", "call it for example bot.py"),
        ("-c.py", b"x", "call it for example bot.py"),
        ("bot.py", b"\n'caf\xe9'\n", "bot.py:2: this is not UTF-8 text"),
        (".py", b"x", "neither an archive nor a source file"),
    ],
)
def test_a_source_file_that_is_none_is_refused(name: str, raw: bytes, words: str, into: Path) -> None:
    assert words in str(refused(raw, into, name))
