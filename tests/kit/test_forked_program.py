"""Programs that are forks of the process which keeps them running."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.arena.running import runs
from tests.support.patience import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only on Linux a program is a fork")

BEGIN = """\
import asyncio, json, os, signal, sys, threading, time
from fudaba import forked_program

def start(main, *arguments, **more):
    reader, writer = os.pipe()
    given = {"end_with": signal.SIGTERM, "env": {"HOME": "/nowhere"}, "output": writer} | more
    process = forked_program.fork(main, ["fudaba", *arguments], **given)
    os.close(writer)
    return process, open(reader)

def ended(process):
    while process.poll() is None:
        time.sleep(0.01)
    return process.poll()
"""


def said(program: str, *arguments: object) -> str:
    """Returns what a process prints that runs this."""
    command = [sys.executable, "-c", BEGIN + program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_fork_has_the_arguments_variables_and_files_that_it_is_given_and_no_others(tmp_path: Path) -> None:
    program = """
def main():
    names = [name for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")]
    files = {name: os.readlink(f"/proc/self/fd/{name}") for name in names}
    words = open("/proc/self/cmdline").read().rstrip(chr(0)).split(chr(0))
    print(json.dumps([sys.argv, words, dict(os.environ), os.getsid(0) == os.getpid(), files]))
    print("and an error", file=sys.stderr)
    sys.exit(3)

kept, other = open(sys.argv[1], "w"), open(sys.argv[2], "w")
process, output = start(main, "serve", "--fast", pass_fds=[kept.fileno()])
print(output.read().rstrip(), ended(process))
"""
    line, *others = said(program, tmp_path / "kept", tmp_path / "other").splitlines()
    assert others == ["and an error 3"]
    argv, words, environment, leads, files = json.loads(line)
    assert argv == words == ["fudaba", "serve", "--fast"]
    assert environment == {"HOME": "/nowhere"}
    assert leads, "it has a session of its own"
    assert files.pop("0") == "/dev/null"
    assert files.pop("1") == files.pop("2")
    assert str(tmp_path / "kept") in files.values()
    assert str(tmp_path / "other") not in files.values()


def test_it_runs_an_event_loop_of_its_own_and_an_error_ends_it_and_nothing_else() -> None:
    program = """
async def waits():
    await asyncio.sleep(0)
    raise LookupError("its own")

async def parent():
    process, output = start(lambda: asyncio.run(waits()))
    print(output.read().splitlines()[-1], ended(process))

asyncio.run(parent())
"""
    assert said(program) == "LookupError: its own 1\n"


def test_it_ends_with_the_process_that_it_was_forked_from() -> None:
    program = """
process, _ = start(signal.pause, end_with=signal.SIGTERM)
print(process.pid, flush=True)
signal.pause()
"""
    with subprocess.Popen([sys.executable, "-c", BEGIN + program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        forked = int(parent.stdout.readline())
        assert runs(forked)
        parent.kill()
    wait_until(lambda: not runs(forked), "the fork ends")


def test_a_process_with_a_second_thread_does_not_fork() -> None:
    program = """
print(forked_program.can_fork())
over = threading.Event()
thread = threading.Thread(target=over.wait)
thread.start()
print(forked_program.can_fork())
over.set()
thread.join()
"""
    assert said(program) == "True\nFalse\n"


def test_what_is_loaded_starts_no_thread_and_a_module_that_is_not_there_is_left_to_the_program() -> None:
    program = """
forked_program.load(["no_such_module_anywhere", "numpy", "grpc"])
print("numpy" in sys.modules, forked_program.can_fork(), os.environ.get("OPENBLAS_NUM_THREADS"))
"""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    command = [sys.executable, "-c", BEGIN + program]
    assert subprocess.check_output(command, text=True, env=environment) == "True True None\n"


def test_a_signal_ends_it_and_is_told_as_its_status() -> None:
    program = """
process, _ = start(signal.pause)
process.send_signal(signal.SIGTERM)
print(ended(process))
process.kill()  # it has ended: nobody else gets the signal
"""
    assert int(said(program)) == -signal.SIGTERM


def test_its_end_can_be_waited_for() -> None:
    program = """
process, output = start(lambda: (time.sleep(0.05), sys.exit(3)))
print(process.wait(), process.wait(), process.poll())
"""
    assert said(program) == "3 3 3\n"


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_what_its_parent_does_at_a_signal_is_not_done_in_it(loop: str) -> None:
    pytest.importorskip(loop)  # what only servers need, an author of bots may not have
    program = f"""
import {loop}

async def parent():
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, lambda: None)
    process, _ = start(signal.pause)
    process.send_signal(signal.SIGTERM)
    print(await asyncio.to_thread(ended, process))

{loop}.run(parent())
"""
    assert int(said(program)) == -signal.SIGTERM


def test_an_error_that_nobody_reads_ends_it_too_and_nothing_of_its_parent_runs_in_it(tmp_path: Path) -> None:
    program = """
def main():
    os.read(kept, 1)  # until nobody reads its output any more
    raise LookupError("nobody reads this")

kept, release = os.pipe()
parent = os.getpid()
try:
    process, output = start(main, pass_fds=[kept])
    output.close()
    os.write(release, b"!")
    print(ended(process))
finally:
    open(f"{sys.argv[1]}/{os.getpid() == parent}", "w").close()
"""
    assert int(said(program, tmp_path)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["True"]


def test_where_the_kernel_takes_ended_processes_away_the_end_of_it_is_seen_all_the_same() -> None:
    program = """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
process, _ = start(lambda: sys.exit(3))
print(ended(process))
"""
    assert int(said(program)) == 0, "its status is lost"


def test_a_module_that_fails_in_any_way_is_left_to_the_program(tmp_path: Path) -> None:
    (tmp_path / "broken_here.py").write_text("raise RuntimeError('it does not fit this one')\n")
    program = """
sys.path.insert(0, sys.argv[1])
forked_program.load(["broken_here"])
print("goes on")
"""
    assert said(program, tmp_path) == "goes on\n"
