"""Bots' processes: what they are given, how they are kept running, and that they end."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from fudaba.bot_program import MAX_LOG_BYTES, BotLog
from fudaba.client import Endpoint
from fudaba.reaper import REAPS
from fudaba_arena.play.bots.bot_process import BotProcess, command_of, environment
from fudaba_arena.tournament.definition import BotEntry
from tests.support.arena.running import runs
from tests.support.patience import until


def holds(condition: Callable[[], Any]) -> Callable[[], Awaitable[Any]]:
    async def asked() -> Any:
        return condition()

    return asked


needs_reaper = pytest.mark.skipif(not REAPS, reason="there is no reaper on this system")


def process(folder: Path, program: str, said: list[str]) -> BotProcess:
    bot = BotEntry("mine", command=("python", "-c", program), cwd=folder)
    env = {"PATH": "/usr/bin:/bin", "PYTHONUNBUFFERED": "1"}
    made = BotProcess(bot, env, BotLog(folder / "logs" / "mine.log"), said.append)
    made.first_pause = 0.001
    return made


def test_python_is_the_python_of_the_arena_and_built_ins_run_by_it_too() -> None:
    assert command_of(BotEntry("a", command=("python", "x.py"))) == [sys.executable, "x.py"]
    assert command_of(BotEntry("a", command=("python3", "x.py"))) == ["python3", "x.py"]
    assert command_of(BotEntry("a", builtin="first"))[0] == sys.executable
    assert command_of(BotEntry("a", builtin="first", games=("naga", "nerts")))[-2:] == ["--games", "naga,nerts"]


def test_a_bot_gets_its_own_token_and_nothing_of_the_organiser(tmp_path: Path) -> None:
    base = {"HOME": "/x", "FUDABA_TOKEN": "organiser", "FUDABA_TOKEN_FILE": "f", "FUDABA_ARENA_DATA": "d"}
    bot = BotEntry("a", command=("x",), env={"DEPTH": "3"})
    env = environment(base, bot, Endpoint("127.0.0.1:7", "organiser"), "its own")
    assert env == {
        "HOME": "/x",
        "FUDABA_SERVER": "127.0.0.1:7",
        "FUDABA_TOKEN": "its own",
        "PYTHONUNBUFFERED": "1",
        "DEPTH": "3",
    }
    cert = tmp_path / "ca.pem"
    cert.write_bytes((Path(grpc.__file__).parent / "_cython" / "_credentials" / "roots.pem").read_bytes())
    secure = environment({}, bot, Endpoint("127.0.0.1:7", ca_cert=str(cert)), "t")
    assert secure["FUDABA_CA_CERT"] == str(cert)
    assert environment({}, bot, Endpoint("127.0.0.1:7", tls=True), "t")["FUDABA_TLS"] == "1"


async def test_a_bot_that_keeps_ending_is_given_up_with_its_last_words(tmp_path: Path) -> None:
    said: list[str] = []
    bot = process(tmp_path, "import sys; print('hello'); sys.exit('no model.bin here')", said)
    why = await bot.run()
    bot.log.close()
    assert why.startswith("it ended with exit status 1 after")
    assert "for the 5th time without playing; its last lines" in why
    assert "    hello\n    no model.bin here" in why
    assert len(said) == 1
    assert "is started again" in said[0]
    assert (tmp_path / "logs" / "mine.log").read_text().count("\nno model.bin here") == 5


async def test_a_bot_that_played_in_between_is_not_given_up(tmp_path: Path) -> None:
    restarts = 0

    def restarted() -> None:
        nonlocal restarts
        restarts += 1
        bot.played()

    bot = process(tmp_path, "raise SystemExit(3)", [])
    bot._restarted = restarted
    task = asyncio.create_task(bot.run())
    await until(holds(lambda: restarts >= 7), "restarts")
    assert not task.done()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    bot.log.close()


async def test_a_program_that_cannot_be_started_says_so(tmp_path: Path) -> None:
    bot = BotEntry("mine", command=("./nothing",), cwd=tmp_path)
    running = BotProcess(bot, {}, BotLog(tmp_path / "mine.log"), lambda _: None)
    running.first_pause = 0.001
    why = await running.run()
    running.log.close()
    assert "cannot start ./nothing: No such file or directory" in why


@pytest.mark.parametrize("session", [False, pytest.param(True, marks=needs_reaper)])
async def test_a_cancelled_bot_ends_with_all_that_it_has_started(session: bool, tmp_path: Path) -> None:
    program = (
        "import signal, subprocess, sys, time;"
        f"print(subprocess.Popen(['sleep', '600'], start_new_session={session}).pid, flush=True); time.sleep(600)"
    )
    bot = process(tmp_path, program, [])
    task = asyncio.create_task(bot.run())
    log = tmp_path / "logs" / "mine.log"

    def child_pid() -> int | None:
        lines = [line for line in log.read_text().split("\n")[:-1] if not line.startswith("[arena]")]
        return int(lines[0]) if lines else None

    child = await until(holds(child_pid), "the bot's child")
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    bot.log.close()
    await until(holds(lambda: not runs(child)), "the end of the bot's child")


def test_a_log_keeps_its_size_and_the_last_lines(tmp_path: Path) -> None:
    log = BotLog(tmp_path / "mine.log")
    for number in range(30_000):
        log.write(f"{number:060}\n".encode())
    log.write(b"\xff half a line")
    log.close()
    sizes = [path.stat().st_size for path in tmp_path.iterdir()]
    assert len(sizes) == 2
    assert max(sizes) <= MAX_LOG_BYTES
    assert f"    {29_999:060}\n    \ufffd half a line" in log.last_lines()
    assert log.last_lines().count("\n") <= 9


def test_while_a_new_process_has_said_nothing_the_last_words_are_those_of_the_one_before(tmp_path: Path) -> None:
    log = BotLog(tmp_path / "mine.log")
    log.write(b"there is no model.bin\n")
    log.forget()
    log.forget()
    assert log.last_lines().endswith(":\n    there is no model.bin")
    log.write(b"now there is")
    assert log.last_lines().endswith(":\n    now there is")
    log.close()


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_no_line_of_a_bots_in_its_log_looks_like_one_of_the_arenas(tmp_path: Path, size: int) -> None:
    log = BotLog(tmp_path / "mine.log")
    output = b"[arena] forged\nmine\r[arena] forged\n[are\n[arena\n x [arena] y\n[aren"
    for at in range(0, len(output), size):
        log.write(output[at : at + size])
    log.note("it ended\nwith status 1")
    log.write(b"[arena] forged again")
    log.note("it ended")
    log.write(b"[a")
    log.close()
    kept = (tmp_path / "mine.log").read_bytes()
    assert kept == (
        b"| [arena] forged\nmine\r| [arena] forged\n[are\n[arena\n x [arena] y\n[aren\n"
        b"[arena] it ended with status 1\n| [arena] forged again\n[arena] it ended\n[a"
    )
