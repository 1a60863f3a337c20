"""A worker's file, and what is read from the runtimes themselves."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from importlib.metadata import version
from pathlib import Path

import pytest

from fudaba_arena.errors import ArenaError
from fudaba_arena.programs.building import BUILD_LIMITS
from fudaba_arena.programs.reading_runtimes import read_runtimes
from fudaba_arena.programs.runtimes import Runtime, Runtimes
from fudaba_arena.programs.worker_file import BadWorkerFile, WorkerFile, read_worker_file
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.submissions.faults import BadSubmission
from fudaba_arena.submissions.manifest import Manifest
from tests.support.arena.sandbox.sandboxes import need_sandbox

__all__ = ["need_sandbox"]


def written(folder: Path, text: str) -> Path:
    path = folder / "worker.toml"
    path.write_text(text, encoding="utf-8")
    return path


def mistakes(folder: Path, text: str) -> list[str]:
    """Returns what is said of a file with mistakes, without its name."""
    with pytest.raises(BadWorkerFile) as error:
        read_worker_file(written(folder, text))
    return [line.removeprefix(f"{folder / 'worker.toml'}:") for line in str(error.value).splitlines()]


def test_a_file_says_which_runtimes_a_worker_has_beside_those_that_it_finds(tmp_path: Path) -> None:
    found = read_worker_file(
        written(
            tmp_path,
            f"""
find_runtimes = false
[runtimes."python-3.11-science"]
language = "python"
version = "3.11"
folders = ["{tmp_path}", "/usr/lib"]
programs = ["{tmp_path}"]
until = 2027-01-31
variables = {{ OMP_NUM_THREADS = "1" }}
[runtimes.tiny]
language = "other"
contents = ["/bin/echo", "tiny 1"]
""",
        )
    )
    science, tiny = found.runtimes
    assert not found.find
    assert science.runtime == Runtime(
        "python-3.11-science",
        "python",
        "3.11",
        date(2027, 1, 31),
        {tmp_path: tmp_path},  # all of /usr is shown anyway
        [str(tmp_path)],
        {"OMP_NUM_THREADS": "1"},
    )
    assert (tiny.runtime.language, tiny.lists) == ("other", ("/bin/echo", "tiny 1"))


def test_a_file_from_windows_is_read_as_any_other(tmp_path: Path) -> None:
    path = written(tmp_path, "")
    path.write_bytes(b"\xef\xbb\xbffind_runtimes = false\r\n[builds]\r\nwall = 300\r\n")
    assert not read_worker_file(path).find
    path.write_text("find_runtimes = false\n", encoding="utf-16")
    with pytest.raises(BadWorkerFile, match=r"worker\.toml:1: this is UTF-16 text; save the file as UTF-8"):
        read_worker_file(path)


def test_a_file_says_what_a_build_may_use(tmp_path: Path) -> None:
    found = read_worker_file(written(tmp_path, "[builds]\nwall = 300\nmemory = 1_000_000_000\n"))
    assert found.builds == replace(BUILD_LIMITS, wall=300.0, memory=1_000_000_000)
    assert read_worker_file(written(tmp_path, "")).builds == BUILD_LIMITS


def test_all_mistakes_are_told_at_once_each_by_its_line(tmp_path: Path) -> None:
    text = """
[runtimes.Python]
language = "pyton"
folders = ["opt", "/no/such/folder"]
until = "2027-01-31"
variables = { A = 1 }
versoin = "3.11"
"""
    assert mistakes(tmp_path, text) == [
        "2: a runtime is called 'Python'; write 1 to 40 of a-z, 0-9, '.' and '-', such as python-3.11",
        "3: there is no language 'pyton'; did you mean 'python'?",
        "4: folders has '/no/such/folder', and there is no such folder on this host",
        "4: folders has 'opt'; write the whole path, from /",
        "5: until is the text '2027-01-31'; write a date, for example 2026-12-01, without quotes",
        "6: variables.A is 1; write the name of a variable, and a text in quotes",
        "7: [runtimes.Python] has no 'versoin'; did you mean 'version'?",
    ]


@pytest.mark.parametrize(
    ("text", "message_start"),
    [
        ("[runtimes", "1: this is not TOML"),
        ("runtimes = 3", "1: runtimes is the number 3; write a table"),
        ("[builds]\nwal = 3", "2: [builds] has no 'wal'; did you mean 'wall'?"),
        ("[builds]\nmessages = 3", "2: [builds] has no 'messages'"),
        ("[builds]\nwall = -1", "2: limit wall is -1"),
        ("[runtime.x]", "1: a worker's file has no 'runtime'; did you mean 'runtimes'?"),
    ],
)
def test_what_is_no_worker_s_file_is_told(tmp_path: Path, text: str, message_start: str) -> None:
    assert mistakes(tmp_path, text)[0].startswith(message_start)


async def test_what_is_in_a_runtime_is_read_from_itself_in_the_sandbox(
    need_sandbox: None, need_tool: Callable[[str], Path]
) -> None:
    need_tool("node")
    sandbox = Bubblewrap.open()
    try:
        runtimes = await read_runtimes(sandbox, WorkerFile())
    finally:
        await sandbox.close()
    by_language = {runtime.language: runtime for runtime in runtimes.known}
    python, node = by_language["python"], by_language["node"]
    assert python.name == f"python-{sys.version_info.major}.{sys.version_info.minor}"
    assert python.version == ".".join(map(str, sys.version_info[:3]))
    assert ("grpcio", version("grpcio")) in python.contents
    assert node.name == f"node-{node.version.partition('.')[0]}"
    assert {"node", "v8", "openssl"} <= {name for name, _ in node.contents}
    if (cpp := by_language.get("cpp")) is not None:
        assert {"g++", "libc"} <= {name for name, _ in cpp.contents}
    if (java := by_language.get("java")) is not None:
        assert java.contents[0] == ("java", java.version)


@pytest.mark.parametrize(
    ("lines", "message_part"),
    [
        ('contents = ["no-such-program"]', "does not work: what lists runtime bad ended by failed"),
        ('contents = ["/bin/sh", "-c", "echo broken >&2; exit 3"]', "ended by exit: broken"),
        ('contents = ["/bin/true"]', "prints nothing; it must print lines, each with a name and a version"),
        ('version = "2.7"\ncontents = ["/bin/echo", "tiny 2.6"]', "version 2.7, but it has version 2.6"),
    ],
)
async def test_a_worker_does_not_start_with_a_runtime_of_its_file_that_does_not_work(
    tmp_path: Path, need_sandbox: None, lines: str, message_part: str
) -> None:
    text = f'find_runtimes = false\n[runtimes.bad]\nlanguage = "other"\n{lines}\n'
    sandbox = Bubblewrap.open()
    try:
        with pytest.raises(ArenaError, match=message_part):
            await read_runtimes(sandbox, read_worker_file(written(tmp_path, text)))
    finally:
        await sandbox.close()


async def test_a_runtime_has_to_have_its_own_program_and_not_the_system_s(tmp_path: Path, need_sandbox: None) -> None:
    (tmp_path / "python3").symlink_to(tmp_path / "elsewhere")  # as of an environment whose Python is not shown
    text = f'[runtimes.half]\nlanguage = "python"\nfolders = ["{tmp_path}"]\nprograms = ["{tmp_path}"]\n'
    sandbox = Bubblewrap.open()
    try:
        with pytest.raises(
            ArenaError, match="its own python3 is not there in a sandbox: name every folder that it needs"
        ):
            await read_runtimes(sandbox, read_worker_file(written(tmp_path, text)))
    finally:
        await sandbox.close()


def chosen(runtimes: Runtimes, runtime: str = "") -> str:
    return runtimes.for_manifest(Manifest("bot", ("naga",), "python", ("python3",), runtime=runtime)).name


def test_without_a_choice_a_bot_gets_the_newest_runtime_that_stays() -> None:
    runtimes = Runtimes(
        [
            Runtime("python-3.9", "python", "3.9.2"),
            Runtime("python-3.13", "python", "3.13.0", date(2027, 1, 31)),
            Runtime("python-3.11", "python", "3.11.4"),
            Runtime("python-3.11-later", "python", "3.11.4"),
            Runtime("node-22", "node", "22.0"),
        ]
    )
    assert chosen(runtimes) == "python-3.11"
    assert chosen(runtimes, "python-3.13") == "python-3.13"
    with pytest.raises(BadSubmission, match=r"no runtime python-3.12 for python here; there are: python-3.11, "):
        chosen(runtimes, "python-3.12")
