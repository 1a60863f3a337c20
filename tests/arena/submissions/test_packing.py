"""A folder is packed: all of it but what its author leaves out, and always into the same bytes."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from fudaba_arena.submissions.faults import BadSubmission
from fudaba_arena.submissions.limits import SubmissionLimits
from fudaba_arena.submissions.packing import IGNORE, pack_folder
from fudaba_arena.submissions.unpacking import unpack
from tests.support.arena.submissions.archives import BOT, tree


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    return write(tmp_path / "bot", {item.name: item.content for item in BOT})


def packed(folder: Path) -> bytes:
    into = io.BytesIO()
    pack_folder(folder, into)
    return into.getvalue()


def unpacked(folder: Path) -> dict[str, bytes]:
    """Returns what an arena makes of it."""
    source = folder.parent / "packed"
    source.write_bytes(packed(folder))
    into = folder.parent / "into"
    unpack(source, "x", into, SubmissionLimits())
    return tree(into)


def refused(folder: Path) -> str:
    with pytest.raises(BadSubmission) as info:
        packed(folder)
    return str(info.value)


def test_an_arena_unpacks_what_was_packed(bot: Path) -> None:
    long = "/".join(["folder" * 5] * 8)
    more = {"lib/a.py": b"a", "lib/札場.txt": b"", long: b"deep", "lib/.hidden": b"h", "run": b"#!/bin/sh\n"}
    write(bot, more)
    (bot / "run").chmod(0o700)
    assert unpacked(bot) == {item.name: item.content for item in BOT} | more
    assert os.access(bot.parent / "into" / "run", os.X_OK)
    assert not os.access(bot.parent / "into" / "bot.py", os.X_OK)


def test_the_same_files_are_packed_into_the_same_bytes(bot: Path, tmp_path: Path) -> None:
    files = {f"lib/{number}.py": b"%d" % number for number in range(20)} | {"bot.toml": b"x", "bot.py": b"y"}
    write(bot, files)
    other = write(tmp_path / "other", dict(reversed(files.items())))
    for path in other.rglob("*"):
        os.utime(path, (1, 1))
        path.chmod(0o755 if path.is_dir() else 0o600)
    assert packed(bot) == packed(other)
    (other / "lib/3.py").write_bytes(b"4")
    assert packed(bot) != packed(other)


def test_git_and_what_is_named_is_left_out(bot: Path) -> None:
    ignore = "# not these\n\n*.log\n__pycache__/\n/notes.txt\nlib/*.tmp\ndeep/er\n  spaced.txt  \n"
    kept = {"lib/notes.txt": b"", "lib/x/y.tmp": b"", "deep/other": b"", "pycache": b"", "lib/a.py": b"", "er": b""}
    left_out = [".git/config", "sub/.git", "a.log", "lib/b.log", "lib/__pycache__/a.pyc", "notes.txt", "lib/c.tmp"]
    write(bot, kept | dict.fromkeys([*left_out, "deep/er/x", "spaced.txt"], b"") | {IGNORE: ignore.encode()})
    assert unpacked(bot) == {item.name: item.content for item in BOT} | kept


def test_what_tools_leave_behind_is_left_out_and_told(bot: Path) -> None:
    behind = {"local-matches/n/1.fudaba": b"", "lib/__pycache__/a.pyc": b"", ".DS_Store": b"", ".pytest_cache/v": b""}
    write(bot, {"lib/a.py": b"a", "a.log": b"", IGNORE: b"*.log"} | behind)
    assert pack_folder(bot, io.BytesIO()) == [
        ".DS_Store",
        ".pytest_cache/",
        "a.log",
        "lib/__pycache__/",
        "local-matches/",
    ]
    assert unpacked(bot) == {item.name: item.content for item in BOT} | {"lib/a.py": b"a"}


def test_a_pattern_for_folders_leaves_files_in(bot: Path) -> None:
    write(bot, {IGNORE: b"data/\n", "lib/data": b"a file", "data/x": b"in a folder"})
    assert unpacked(bot) == {item.name: item.content for item in BOT} | {"lib/data": b"a file"}


def test_what_is_no_pattern_is_told_by_its_line(bot: Path) -> None:
    write(bot, {IGNORE: b"*.log\n!keep.log\n**/x\n../y\n/\n"})
    lines = refused(bot).split("\n")
    assert [line.split(":")[1] for line in lines] == ["2", "3", "4", "5"]
    assert lines[0] == ".fudabaignore:2: '!keep.log' is no pattern; write names with * and ? in them"
    write(bot, {IGNORE: b"caf\xe9"})
    assert "not UTF-8" in refused(bot)


def test_a_link_to_a_file_of_the_folder_is_packed_as_a_file(bot: Path) -> None:
    (bot / "link.py").symlink_to("bot.py")
    assert unpacked(bot)["link.py"] == b"print()\n"


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("/etc/passwd", "'link' is a link that leads out of the folder; remove it, or name it in .fudabaignore"),
        ("../secret", "leads out of the folder"),
        ("nothing", "leads nowhere"),
        ("link", "leads nowhere"),
        ("lib", "is a link to a folder"),
        (".", "is a link to a folder"),
    ],
)
def test_other_links_are_refused_unless_they_are_left_out(bot: Path, target: str, words: str) -> None:
    write(bot.parent, {"secret": b"mine", "bot/lib/x": b""})
    (bot / "link").symlink_to(target)
    assert words in refused(bot)
    write(bot, {IGNORE: b"link\n"})
    assert "link" not in unpacked(bot)


def test_what_is_neither_a_file_nor_a_folder_is_refused(bot: Path) -> None:
    os.mkfifo(bot / "pipe")
    assert "'pipe' is neither a file nor a folder" in refused(bot)
