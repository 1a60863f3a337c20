"""A file of a folder that a stranger has filled is opened below that folder, or not at all."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from fudaba_arena.submissions.beneath import open_beneath


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Returns a bot's folder with a file, beside which there is a secret."""
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "bot" / "bin").mkdir(parents=True)
    (tmp_path / "bot" / "bin" / "start").write_bytes(b"mine")
    return tmp_path / "bot"


@pytest.mark.parametrize("name", ["bin/start", "./bin/start", "bin//start"])
def test_a_file_of_the_folder_is_opened(folder: Path, name: str) -> None:
    file = open_beneath(folder, name)
    assert file is not None
    with file:
        assert file.read() == b"mine"


@pytest.mark.parametrize("name", ["", ".", "bin", "none", "bin/start/more", "bin/sta\0rt", "x" * 5_000])
def test_what_is_no_file_of_it_is_not(folder: Path, name: str) -> None:
    assert open_beneath(folder, name) is None


@pytest.mark.parametrize("name", ["../secret", "bin/../../secret", "/etc/hostname", "/proc/kmsg", "//etc/hostname"])
def test_what_leads_out_of_it_is_not(folder: Path, name: str) -> None:
    assert open_beneath(folder, name) is None


@pytest.mark.parametrize("name", ["link", "out/secret", "bin/again"])
def test_links_are_not_followed(folder: Path, name: str) -> None:
    (folder / "link").symlink_to("../secret")
    (folder / "out").symlink_to("..")
    (folder / "bin" / "again").symlink_to("start")
    assert open_beneath(folder, name) is None


def test_a_pipe_or_a_socket_is_not_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(folder / "pipe")
    monkeypatch.chdir(folder)  # a socket's path may not be long
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        assert open_beneath(folder, "pipe") is None
        assert open_beneath(folder, "socket") is None


def test_a_folder_that_is_not_there_has_no_files(tmp_path: Path) -> None:
    assert open_beneath(tmp_path / "gone", "start") is None
