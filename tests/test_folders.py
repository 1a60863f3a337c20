"""A test's folder goes, whatever still ends there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.folders import remove_folder, short_folder

WRITES_ON = """
import pathlib, sys
place = pathlib.Path(sys.argv[1])
place.mkdir()
for number in range(5000):
    if number == 1000:
        print("writes", flush=True)
    try:
        (place / str(number)).touch()
    except FileNotFoundError:
        break
"""
"""Writes files in a folder until that has gone, but not for ever."""


def test_the_folder_of_a_server_that_still_writes_is_removed() -> None:
    with short_folder() as place:
        command = [sys.executable, "-c", WRITES_ON, str(place / "store")]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"writes\n"
            remove_folder(place / "store")
            assert not (place / "store").exists()
    assert not place.exists()


def test_a_folder_that_may_not_be_removed_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        remove_folder(tmp_path / "file")


def test_a_folder_that_has_gone_is_removed_already(tmp_path: Path) -> None:
    remove_folder(tmp_path / "never")
