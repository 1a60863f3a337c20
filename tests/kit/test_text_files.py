"""Text files are read as editors save them; what cannot be read is named, and so are scripts that do not run."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from fudaba.bot_program import BotLog, BotProgram
from fudaba.cli import cli
from fudaba.text_files import NotText, read_text, script_mistake, text_of

MARK = b"\xef\xbb\xbf"
MANIFEST = 'name = "crlf"\ngames = ["naga"]\nlanguage = "other"\nstart = ["./run.sh"]\n'


def as_windows(text: str) -> bytes:
    """As an editor on Windows saves it."""
    return MARK + text.replace("\n", "\r\n").encode()


def crlf(folder: Path) -> Path:
    """Returns a bot whose files were all written on Windows."""
    bot = folder / "crlf"
    bot.mkdir()
    (bot / "bot.toml").write_bytes(as_windows(MANIFEST))
    (bot / "run.sh").write_bytes(b"#!/bin/sh\r\nexec python3 bot.py\r\n")
    (bot / "run.sh").chmod(0o755)
    (bot / "bot.py").write_bytes(b"import fudaba\r\n")
    return bot


def test_a_byte_order_mark_and_windows_line_ends_are_not_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(as_windows("a\n\nb"))
    assert read_text(tmp_path / "file") == "a\n\nb"


@pytest.mark.parametrize(
    ("raw", "words", "line"),
    [
        ("a".encode("utf-16"), "this is UTF-16 text; save the file as UTF-8", 1),
        ("a".encode("utf-16-be"), "this is UTF-16 text; save the file as UTF-8", 1),
        ("a".encode("utf-16-le"), "this is UTF-16 text; save the file as UTF-8", 1),
        ("a".encode("utf-32"), "this is UTF-32 text; save the file as UTF-8", 1),
        ("ab".encode("utf-16-be"), "this is UTF-16 text; save the file as UTF-8", 1),
        ("ab".encode("utf-16-le"), "this is UTF-16 text; save the file as UTF-8", 1),
        ("ab".encode("utf-32-be"), "this is UTF-32 text; save the file as UTF-8", 1),
        ("ab".encode("utf-32-le"), "this is UTF-32 text; save the file as UTF-8", 1),
        ("a\nß".encode("latin-1"), "this is not UTF-8 text; save the file as UTF-8", 2),
    ],
)
def test_another_encoding_is_named(raw: bytes, words: str, line: int) -> None:
    with pytest.raises(NotText) as info:
        text_of(raw)
    assert (str(info.value), info.value.line) == (words, line)


@pytest.mark.parametrize("text", ["a\0bb", "\0abc", "a\0\0b", "ab\0\0"])
def test_a_text_with_a_null_character_is_not_taken_for_another_encoding(text: str) -> None:
    assert text_of(text.encode()) == text


@pytest.mark.parametrize(
    ("command", "script"),
    [
        (["./run.sh"], b"#!/bin/sh\r\nexec true\r\n"),
        (["./run.sh"], b"#!/bin/sh\nexec true\r\n"),
        (["./run.sh"], b"#!/usr/bin/env python3\r\n"),
        (["sh", "run.sh"], b"exec true\r\n"),
        (["/bin/bash", "run.sh"], b"#!/bin/bash\r\n"),
    ],
)
def test_a_script_that_windows_line_ends_break_is_named(command: list[str], script: bytes, tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_bytes(script)
    assert "run.sh has Windows line ends; save it with Unix line ends" in script_mistake(command, tmp_path)


@pytest.mark.parametrize(
    ("command", "script"),
    [
        (["./run.sh"], b"#!/bin/sh\nexec true\n"),
        (["./run.sh"], b"#!/usr/bin/env python3\nprint()\r\n"),
        (["python3", "run.sh"], b"#!/usr/bin/env python3\r\nprint()\r\n"),
        (["sh", "other.sh"], b"exec true\r\n"),
    ],
)
def test_windows_line_ends_that_do_no_harm_are_no_mistake(command: list[str], script: bytes, tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_bytes(script)
    assert script_mistake(command, tmp_path) == ""


def test_a_folder_from_windows_is_read_and_its_start_script_named(tmp_path: Path) -> None:
    bot = crlf(tmp_path)
    result = CliRunner().invoke(cli, ["match", "local", "naga", "--bot", str(bot), "--bot", "first"])
    assert result.exit_code == 2
    assert "error: --bot: ./run.sh has Windows line ends" in result.stderr


async def test_a_command_whose_script_cannot_run_says_so_in_its_log(tmp_path: Path) -> None:
    log = BotLog(tmp_path / "bot.log")
    assert await BotProgram(["./run.sh"], log, cwd=crlf(tmp_path), env={}).run() == 127
    assert "cannot start ./run.sh: ./run.sh has Windows line ends" in log.last_lines()
    log.close()


def test_a_token_file_from_windows_has_the_token_alone(tmp_path: Path) -> None:
    """It is sent as it is, so a mark in it would end in an error that names no file."""
    file = tmp_path / "token"
    arguments = ["match", "list", "--server", "127.0.0.1:1", "--token-file", str(file)]
    file.write_bytes(as_windows("\n"))
    assert f"the token file {file} is empty" in CliRunner().invoke(cli, arguments).stderr
    file.write_text("token", encoding="utf-16")
    result = CliRunner().invoke(cli, arguments)
    assert f"the token file {file} cannot be read: this is UTF-16 text; save the file as UTF-8" in result.stderr


def test_the_file_of_fudaba_up_may_come_from_windows(tmp_path: Path) -> None:
    file = tmp_path / "up.toml"
    file.write_bytes(as_windows("[server]\n"))
    result = CliRunner().invoke(cli, ["up", "--config", str(file), "--data", str(tmp_path / "data")])
    assert "there is no table [server]" in result.stderr
    file.write_text("[serve]\n", encoding="utf-16")
    result = CliRunner().invoke(cli, ["up", "--config", str(file), "--data", str(tmp_path / "data")])
    assert "this is UTF-16 text" in result.stderr
