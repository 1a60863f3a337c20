"""What every implementation of a sandbox promises to whoever starts programs."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
from pathlib import Path

import pytest

from fudaba_arena.sandbox.sandbox import SOCKET, Cause, Job, Sandbox, SandboxUnavailable
from fudaba_arena.sandbox.unsafe import Unsafe
from fudaba_arena.tournament.limits import Limits
from tests.support.arena.running import runs
from tests.support.arena.sandbox.sandboxes import done, python, said
from tests.support.stream_servers import listening

pytestmark = pytest.mark.asyncio(loop_scope="module")

NEVER_ENDS = """
import os, signal, time
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}: signal.signal(number, signal.SIG_IGN)
child = os.fork()
if child: print("ready", flush=True)
time.sleep(100_000)
"""


def shell(code: str, **limits: float) -> Job:
    return Job(command=["/bin/sh", "-c", code], limits=Limits.parse(limits))


async def test_a_program_that_ends_by_itself_is_told_with_its_exit_code(sandbox: Sandbox) -> None:
    for code in (0, 7):
        ending, output = await done(sandbox.start(shell(f"echo out; echo err >&2; exit {code}")))
        assert (ending.cause, ending.code, ending.signal) == (Cause.EXIT, code, None)
        assert output == "out\nerr\n"
        assert ending.usage.wall > 0


async def test_its_outputs_come_as_one_in_the_order_in_which_they_were_written(sandbox: Sandbox) -> None:
    code = "for number in 1 2 3; do echo out $number; echo err $number >&2; done"
    running = sandbox.start(Job(command=["/bin/sh", "-c", code], one_output=True))
    await running.wait()
    lines = [f"{where} {number}" for number in (1, 2, 3) for where in ("out", "err")]
    assert (running.stdout.decode().splitlines(), running.stderr) == (lines, b"")


async def test_a_program_that_crashes_is_told_with_its_signal(sandbox: Sandbox) -> None:
    ending, _ = await done(sandbox.start(shell("kill -SEGV $$")))
    assert (ending.cause, ending.code, ending.signal) == (Cause.SIGNAL, None, signal.SIGSEGV)


async def test_its_environment_is_what_it_is_given(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FUDABA_TOKEN", "the worker's")
    running = sandbox.start(Job(command=["/usr/bin/env"], env={"MINE": "a b"}))
    _, output = await done(running)
    assert "MINE=a b\n" in output
    assert {line.partition("=")[0] for line in output.splitlines()} <= {"MINE", "PATH", "HOME", "TMPDIR", "LANG", "PWD"}


async def test_it_reads_the_files_that_it_is_shown_and_starts_where_it_is_told(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "text").write_text("shown")
    place = Path("/bot") if sandbox.isolated else tmp_path / "bot"
    job = Job(command=["/bin/cat", "text"], read_only={place: tmp_path / "bot"}, cwd=place)
    ending, output = await done(sandbox.start(job))
    assert (ending.code, output) == (0, "shown")


async def test_of_its_output_the_beginning_and_the_end_are_kept(sandbox: Sandbox) -> None:
    code = "import sys; sys.stdout.write('begin' + 100_000 * 'x' + 'end')"
    ending, output = await done(sandbox.start(python(code, limits={"output_kept": 20})))
    assert ending.code == 0
    assert output.startswith("beginxxxxx\n[… 99,988 bytes left out …]\n")
    assert output.endswith("xxxxxxxend")


async def test_too_much_output_ends_it(sandbox: Sandbox) -> None:
    code = "import sys\nfor _ in range(10_000): sys.stderr.write(100_000 * 'x')"  # 1 GB
    running = sandbox.start(python(code, limits={"output": 2_000_000, "output_kept": 1_000}))
    ending = await running.wait()
    assert ending.cause is Cause.OUTPUT
    assert len(running.stdout + running.stderr) < 1_100


async def test_a_program_that_takes_too_long_ends(sandbox: Sandbox) -> None:
    ending, _ = await done(sandbox.start(shell("sleep 100000", wall=0.3)))
    assert ending.cause is Cause.WALL
    assert ending.usage.wall >= 0.3


async def test_a_program_that_ignores_every_signal_is_killed_with_its_children(sandbox: Sandbox) -> None:
    mark = secrets.token_hex()  # by which this run's processes are known
    running = sandbox.start(python(NEVER_ENDS, mark))
    await said(running, "ready")
    assert len(_processes_of(mark)) >= 2
    ending = await running.kill()
    assert ending.cause is Cause.KILLED
    assert await running.kill() == ending
    assert await running.wait() == ending
    assert not _processes_of(mark)


def _processes_of(mark: str) -> list[int]:
    found = [int(place.name) for place in Path("/proc").glob("[0-9]*") if mark.encode() in _command(place)]
    return [pid for pid in found if runs(pid)]


def _command(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


async def test_waiting_may_be_given_up_and_begun_again(sandbox: Sandbox) -> None:
    running = sandbox.start(shell("exec sleep 100000"))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await running.wait()
    await running.kill()
    assert (await running.wait()).cause is Cause.KILLED


async def test_a_program_that_is_not_there_is_no_silent_failure(sandbox: Sandbox) -> None:
    job = Job(command=["/no/such/program"])
    if not sandbox.isolated:
        with pytest.raises(SandboxUnavailable, match="/no/such/program"):
            sandbox.start(job)
        return
    ending, _ = await done(sandbox.start(job))
    assert ending.cause is Cause.FAILED
    assert "/no/such/program" in ending.why


async def test_it_finds_its_socket(sandbox: Sandbox) -> None:
    if not sandbox.sockets:
        with pytest.raises(SandboxUnavailable, match="no socket of this host"):
            sandbox.new_socket()
        return
    path = sandbox.new_socket()
    heard: asyncio.Queue[bytes] = asyncio.Queue()

    async def hear(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        heard.put_nowait(await reader.read())

    inside = SOCKET if sandbox.isolated else path
    code = "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.sendall(b'hello')"
    async with listening(hear, path):
        running = sandbox.start(python(code, str(inside), socket=path))
        assert running.socket == inside
        ending, output = await done(running)
        assert ending.code == 0, output
        assert await heard.get() == b"hello"


async def test_without_a_sandbox_nothing_is_shown_elsewhere(unsafe: Unsafe) -> None:
    with pytest.raises(SandboxUnavailable, match="a path other than its own"):
        unsafe.start(Job(command=["/bin/true"], read_only={Path("/bot"): Path(os.curdir)}))
