"""A bot's process forks: programs with `preexec_fn`, pools of processes, several at once, beside gRPC and a loop."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.kit.scripted import Hosted, until

FUDABA = (sys.executable, "-c", "from fudaba.cli import main; main()")

BOTS = '''
import multiprocessing, os, signal, subprocess
from fudaba import Bot

def square(number):
    return number * number

class Preexec(Bot):
    """With preexec_fn, Python forks, and runs code in the child."""
    def choose(self, decision):
        for _ in range(5):
            command = ["/bin/echo", "0"]
            done = subprocess.run(command, capture_output=True, text=True, preexec_fn=lambda: None)
            assert (done.returncode, done.stdout, done.stderr) == (0, "0\\n", ""), done
        return int(done.stdout)

class Pool(Bot):
    """The end of a pool is a SIGTERM to each of its processes."""
    def choose(self, decision):
        with multiprocessing.get_context("fork").Pool(2) as pool:
            return pool.map(square, [0, 0])[0]

class BareFork(Bot):
    """A child that no at-fork handler has seen, as where a library written in C forks, is sent a signal."""
    def choose(self, decision):
        import ctypes
        pid = ctypes.PyDLL(None).fork()
        if pid == 0:
            while True:
                signal.pause()
        os.kill(pid, signal.SIGTERM)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return 0

class Waiting(Bot):
    def choose(self, decision):
        print("asked", flush=True)
        signal.sigwait([signal.SIGUSR1])
'''


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    file = tmp_path / "bots.py"
    file.write_text(BOTS)
    return file


@contextmanager
def bot_run(bots: Path, name: str, address: str, *words: str) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """`fudaba bot run` of one of the bots, without a setting of gRPC's, and the file with what it prints."""
    said = bots.with_suffix(".log")
    env = {name: value for name, value in os.environ.items() if not name.startswith("GRPC_")}
    command = [*FUDABA, "bot", "run", f"{bots}:{name}", "--server", address, *words]
    env |= {"FUDABA_TOKEN": "the-token", "PYTHONUNBUFFERED": "1"}
    with said.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, text=True, env=env)
    try:
        yield process, said
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    "name", ["BareFork", *(pytest.param(name, marks=pytest.mark.exhaustive) for name in ("Preexec", "Pool"))]
)
async def test_matches_go_on_to_their_ends_without_a_word(scripted: Any, bots: Path, name: str) -> None:
    all_hosted = [Hosted(f"m{number}") for number in range(3)]

    async def script(line: Any) -> None:
        await line.welcome()
        await line.host(*all_hosted)

    service = await scripted(script)
    with bot_run(bots, name, service.address, "--matches", "3", "--quiet") as (process, said):
        await until(lambda: process.poll() is not None)
        assert said.read_text().splitlines()[1:] == [], said.read_text()
        assert said.read_text().startswith("3 matches finished, ")
        assert "0 decisions timed out; 0 exceptions" in said.read_text()
        assert process.returncode == 0
    assert all(hosted.match.over for hosted in all_hosted)


@pytest.mark.parametrize(("words", "code"), [(("--matches", "3"), 128 + signal.SIGTERM), ((), 0)])
async def test_a_stop_says_by_which_signal_and_is_no_success_where_matches_are_left(
    scripted: Any, bots: Path, words: tuple[str, ...], code: int
) -> None:
    async def script(line: Any) -> None:
        await line.welcome()
        await line.send(Hosted().update(started=True))

    service = await scripted(script)
    with bot_run(bots, "Waiting", service.address, *words) as (process, said):
        await until(lambda: "asked" in said.read_text())
        process.send_signal(signal.SIGTERM)
        await until(lambda: process.poll() is not None)
        assert process.returncode == code, said.read_text()
    assert "stopped by SIGTERM" in said.read_text()


def in_child(program: str, **environment: str) -> str:
    """Returns what a Python says, of which the environment has no setting of gRPC's but these."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GRPC_")} | environment
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_setting_of_the_author_s_is_left_as_it_is() -> None:
    program = "import fudaba, os; print(os.environ['GRPC_ENABLE_FORK_SUPPORT'])"
    assert in_child(program) == "0\n"
    assert in_child(program, GRPC_ENABLE_FORK_SUPPORT="1") == "1\n"


def test_a_child_takes_signals_as_a_program_of_its_own_does() -> None:
    program = """
import asyncio, os, signal
import fudaba
from fudaba.signals import stopped_by

def child():
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    woken = signal.set_wakeup_fd(-1)
    interrupted = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    assert (woken, interrupted, blocked) == (-1, True, set())
    os.kill(os.getpid(), signal.SIGTERM)
    os._exit(1)

async def main():
    told = []
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.append, "asyncio")
    print(await asyncio.to_thread(child), child())
    with stopped_by(told.append):
        print(await asyncio.to_thread(child), child())
    await asyncio.sleep(0)
    print(told)

asyncio.run(main())
"""
    assert in_child(program) == "-15 -15\n-15 -15\n[]\n"
