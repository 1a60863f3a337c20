"""Files of the embedded server that a power cut, a kill or a bad disk has left, with real servers."""

from __future__ import annotations

import contextlib
import logging
import os
import random
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import redis

from fudaba_serving.redis import valkey
from fudaba_serving.redis.append_only_length import NOTE, in_flight
from fudaba_serving.redis.valkey import EmbeddedValkey, ServerFailedError
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE
from tests.support.service.servers import each_server, executable_of
from tests.support.sizes import exhaustive, some

MAX_WRITE_BYTES: Final = 2_000
"""More bytes than a transaction of these tests has in the file, padding of 600 included."""
SCRIPT: Final = (
    "redis.call('RPUSH', 'log', ARGV[1]) redis.call('SET', 'last', ARGV[1]) return redis.call('LLEN', 'log')"
)


@pytest.fixture(params=each_server())
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns each server that there may be in turn."""
    executable = executable_of(request.param)
    monkeypatch.setattr(valkey, "executable", lambda: executable)
    return executable


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as place:
        yield place / "store"


@contextlib.contextmanager
def client(store: EmbeddedValkey) -> Iterator[Any]:
    with contextlib.closing(redis.Redis.from_url(store.url)) as connection:
        yield connection


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)


def kill(store: EmbeddedValkey) -> None:
    assert store.pid is not None
    os.kill(store.pid, signal.SIGKILL)
    wait_until(lambda: not store.alive)


def write(folder: Path, count: int, padding: str = "") -> None:
    """Starts a store, appends this many entries by a script, each a transaction in the file, and kills the server."""
    with EmbeddedValkey(folder, appendfsync="always") as store:
        with client(store) as connection:
            for number in range(count):
                connection.eval(SCRIPT, 0, f"entry {number}{padding}")
        kill(store)


def entries(folder: Path) -> int:
    """Starts a store. Returns how many entries it has."""
    with EmbeddedValkey(folder) as store, client(store) as connection:
        return int(connection.llen("log"))


def last(folder: Path) -> Path:
    return max((folder / "appendonlydir").glob("*.incr.aof"))


def manifest(folder: Path) -> Path:
    return folder / "appendonlydir" / "appendonly.aof.manifest"


def base(folder: Path) -> Path:
    return max((folder / "appendonlydir").glob("*.base.*"))


def change(path: Path, to: Callable[[bytes], bytes]) -> None:
    path.write_bytes(to(path.read_bytes()))


@pytest.mark.exhaustive
def test_wherever_the_last_transaction_is_torn_the_store_starts_and_keeps_what_is_written_afterwards(
    server: Path, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(folder, 3)
    whole = last(folder).read_bytes()
    begin = whole.rindex(b"*1\r\n$5\r\nMULTI")
    for end in [*range(begin + 1, len(whole), 7 if exhaustive() else 35), begin + 15, len(whole) - 1]:
        for zeros in (0, 4096):
            caplog.clear()
            last(folder).write_bytes(whole[:end] + bytes(zeros))
            with EmbeddedValkey(folder, appendfsync="always") as store:
                with client(store) as connection:
                    assert connection.llen("log") == 2
                    connection.rpush("log", "written afterwards")
                kill(store)
                assert entries_after_restart(store) == 3
            assert f"its last {end - begin + zeros} of {end + zeros} bytes were cut off" in caplog.text


def entries_after_restart(store: EmbeddedValkey) -> int:
    store.restart()
    with client(store) as connection:
        return int(connection.llen("log"))


def test_zeros_behind_the_last_command_are_cut_off(
    server: Path, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(folder, 3)
    change(last(folder), lambda whole: whole + bytes(5000))
    with caplog.at_level(logging.WARNING):
        assert entries(folder) == 3
    assert "its last 5000 of" in caplog.text
    caplog.clear()
    assert entries(folder) == 3
    assert not caplog.text


@pytest.mark.parametrize("damage", ["zeros", "a length that reaches beyond the end"])
def test_an_end_that_is_longer_than_what_was_in_flight_is_refused_with_the_command_that_decides(
    server: Path, folder: Path, damage: str
) -> None:
    write(folder, 250, padding="." * 2_000)
    whole = last(folder).read_bytes()
    begin = whole.index(b"*1\r\n$5\r\nMULTI", len(whole) // 4)
    if damage == "zeros":
        spoilt = whole[:begin] + bytes(len(whole) - begin)
    else:
        spoilt = whole[:begin] + b"*1\r\n$5000000\r\n" + whole[begin + len(b"*1\r\n$5\r\n") :]
    last(folder).write_bytes(spoilt)
    with pytest.raises(ServerFailedError) as info, EmbeddedValkey(folder):
        pass
    assert f"The last {len(spoilt) - begin} of {len(spoilt)} bytes" in str(info.value)
    assert last(folder).read_bytes() == spoilt
    subprocess.run(command_in(str(info.value)), shell=True, check=True, input=b"y\n", capture_output=True)
    kept = whole[:begin].count(b"MULTI")
    assert 0 < kept < 250
    assert entries(folder) == kept


def command_in(text: str) -> str:
    return text.rpartition("\n  ")[2]


def test_garbage_in_the_middle_is_refused_with_the_command_that_repairs(
    server: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, 5)
    whole = last(folder).read_bytes()
    at = whole.index(b"*1\r\n$5\r\nMULTI", whole.index(b"entry 2"))
    spoilt = whole[:at] + b"\x07 no command\r\n" + whole[at:]
    for tool_is_there in (True, False):
        last(folder).write_bytes(spoilt)
        with monkeypatch.context() as patch:
            if not tool_is_there:
                patch.setattr("fudaba_serving.redis.append_only.shutil.which", lambda _: None)
            with pytest.raises(ServerFailedError, match=f"is damaged: what stands at byte {at} of ") as refused:
                entries(folder)
        assert last(folder).read_bytes() == spoilt, "nothing is changed unasked"
        assert (not tool_is_there or shutil.which("redis-check-aof") is None or server.name != "redis-server") == (
            "bash -c" in str(refused.value)
        )
        subprocess.run(command_in(str(refused.value)), shell=True, input=b"y\n", check=True, capture_output=True)
        assert entries(folder) == 3


def rewritten(folder: Path) -> None:
    """A store with a base of three entries, and two that came afterwards."""
    with EmbeddedValkey(folder, appendfsync="always") as store, client(store) as connection:
        for number in range(3):
            connection.eval(SCRIPT, 0, f"entry {number}")
        connection.bgrewriteaof()
        wait_until(lambda: "aof.2.base" in manifest(folder).read_text())
        wait_until(lambda: not connection.info("persistence")["aof_rewrite_in_progress"])
        for number in range(2):
            connection.eval(SCRIPT, 0, f"later {number}")


def test_a_base_that_is_torn_is_refused_with_the_command_that_cuts_it(server: Path, folder: Path) -> None:
    rewritten(folder)
    change(base(folder), lambda whole: whole[:-5])
    with pytest.raises(ServerFailedError, match=r"base.*is damaged.*Restore a backup") as refused:
        entries(folder)
    assert shlex.quote(str(base(folder))) in command_in(str(refused.value))
    subprocess.run(command_in(str(refused.value)), shell=True, input=b"y\n", check=True, capture_output=True)
    entries(folder)  # it starts; what is left of the base is no more than that


@pytest.mark.exhaustive
@pytest.mark.parametrize("spoil", ["missing", "empty", "cut off", "overwritten"])
def test_a_manifest_that_is_gone_is_refused_with_the_command_that_writes_it_anew(
    server: Path, folder: Path, spoil: str
) -> None:
    rewritten(folder)
    path = manifest(folder)
    right = path.read_bytes()
    match spoil:
        case "missing":
            path.unlink()
        case "empty":
            path.write_bytes(b"")
        case "cut off":
            path.write_bytes(right[:-10])
        case _:
            path.write_bytes(bytes(len(right)))
    with pytest.raises(ServerFailedError, match=f"manifest.*is {'missing' if spoil == 'missing' else 'damaged'}") as no:
        entries(folder)
    subprocess.run(command_in(str(no.value)), shell=True, check=True)
    assert path.read_bytes() == right
    assert entries(folder) == 5


def test_a_file_that_is_missing_is_named(server: Path, folder: Path) -> None:
    rewritten(folder)
    base(folder).unlink()
    with pytest.raises(ServerFailedError, match=r"base\.aof is missing, which its manifest names"):
        entries(folder)


@pytest.mark.parametrize("left", ["nothing", "an empty folder", "a file without a byte"])
def test_files_that_are_gone_are_no_new_store(server: Path, folder: Path, left: str) -> None:
    write(folder, 1)
    name = last(folder).name
    shutil.rmtree(folder / "appendonlydir")
    if left != "nothing":
        (folder / "appendonlydir").mkdir()
    if left == "a file without a byte":
        (folder / "appendonlydir" / name).touch()
    with pytest.raises(ServerFailedError, match=rf"are gone: {name} had \d+ bytes") as refused:
        entries(folder)
    subprocess.run(command_in(str(refused.value)), shell=True, check=True)
    assert entries(folder) == 0


def test_a_length_that_was_noted_without_a_byte_is_told(
    server: Path, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(folder, 1)
    (folder / NOTE).write_text("")
    with caplog.at_level(logging.WARNING):
        assert entries(folder) == 1
    assert f"{folder / NOTE} is empty or damaged" in caplog.text
    caplog.clear()
    assert entries(folder) == 1
    assert not caplog.text


def test_a_new_folder_and_one_of_a_first_start_that_was_killed_are_no_damage(server: Path, folder: Path) -> None:
    assert entries(folder) == 0
    manifest(folder).unlink()
    last(folder).write_bytes(b"")
    assert entries(folder) == 0


@pytest.mark.exhaustive
def test_wherever_a_file_is_truncated_what_was_stored_before_is_there_and_no_more_than_the_bound_is_lost_unasked(
    server: Path, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(folder, 500, padding="." * 600)
    whole = last(folder).read_bytes()
    with EmbeddedValkey(folder):
        pass  # which notes the length as it stops
    points = random.Random(31)
    for _ in range(some(20, least=4)):
        end = points.randrange(1, len(whole))
        last(folder).write_bytes(whole[:end])
        kept, gone = whole[:end].count(b"EXEC\r\n"), len(whole) - end
        caplog.clear()
        try:
            assert entries(folder) == kept
        except ServerFailedError as refused:
            assert gone + MAX_WRITE_BYTES > in_flight(len(whole)), "so little is told, and no more"
            assert last(folder).read_bytes()[: end - MAX_WRITE_BYTES] == whole[: end - MAX_WRITE_BYTES]
            subprocess.run(command_in(str(refused)), shell=True, check=True, input=b"y\n", capture_output=True)
            assert entries(folder) == kept
        else:
            assert gone <= in_flight(len(whole))
            assert "bytes are gone" in caplog.text
        (folder / NOTE).write_text(f"{last(folder).name} {len(whole)}\n")
