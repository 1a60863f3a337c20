"""Output that cannot be written, and arguments that are not text: at most one line and an exit code, no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from fudaba._channel import Endpoint
from fudaba.cli import cli
from fudaba.errors import BadAddress
from tests.support.kit.trees import leaves

FUDABA = (sys.executable, "-c", "from fudaba.cli import main; main()")
PRINTING = [
    ("games",),
    *(
        pytest.param(arguments, marks=pytest.mark.exhaustive)
        for arguments in (
            ("--help",),
            ("--version",),
            ("games", "--json"),
            ("games", "naga", "--rules"),
            ("games", "--help"),
            ("completion", "bash"),
        )
    ),
]
HALF = b"m\xff".decode(errors="surrogateescape")
"""How Python passes on an argument that is not UTF-8."""


@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_told_in_one_line(arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*FUDABA, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "error: the output cannot be written: No space left on device\n"


@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_a_reader_that_leaves_ends_a_command_without_a_word(arguments: tuple[str, ...]) -> None:
    # The reading end of the pipe is closed before anything is written.
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*FUDABA, *arguments], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert done.returncode == 1
    assert done.stderr == ""


def test_where_nothing_at_all_can_be_told_the_exit_code_tells() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*FUDABA, "games"], stdout=write, stderr=write, check=False)
    os.close(write)
    assert done.returncode == 1


@pytest.mark.parametrize("path", leaves(), ids=" ".join)
def test_every_command_refuses_an_argument_that_is_no_text(path: tuple[str, ...]) -> None:
    number = len(path) + 1
    for argument, words in ((HALF, f"argument {number} is not in UTF-8: m\ufffd"), ("m\0", "has a NUL byte in it")):
        result = CliRunner().invoke(cli, [*path, argument])
        assert result.exit_code == 2
        assert words in result.stderr


def test_a_variable_that_is_no_text_is_told_by_its_name() -> None:
    done = subprocess.run(
        [*FUDABA, "match", "join", "m-1"], env={**os.environb, b"FUDABA_SERVER": b"m\xff"}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "the variable FUDABA_SERVER is not in UTF-8" in done.stderr


@pytest.mark.parametrize("token", ["a\0b", "a b", "a\x7f", "ä", "a\n"])
def test_a_token_that_cannot_be_one_is_refused_before_it_is_sent(token: str, tmp_path: Path) -> None:
    with pytest.raises(BadAddress, match="copy it again"):
        Endpoint(token=token)
    file = tmp_path / "token"
    file.write_text(f"{token}b", encoding="utf-8")
    result = CliRunner().invoke(cli, ["bot", "run", "first", "--token-file", str(file)])
    assert result.exit_code == 1
    assert "copy it again" in result.stderr


def test_an_address_with_a_nul_byte_is_none() -> None:
    for address in ("unix:/tmp/a\0b", "a\0:1"):
        with pytest.raises(BadAddress, match="cannot be typed"):
            Endpoint(address)
