"""A bot's process: started, its output kept, started again when it ends, and ended with the arena."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, final

from fudaba import tether
from fudaba.client import Endpoint
from fudaba.safe_text import QUOTED
from fudaba_arena.errors import Say
from fudaba_arena.tournament.definition import BotEntry

__all__ = ["BotLog", "BotProcess", "command_of", "environment"]

LOG_LIMIT: Final = 1_000_000
"""Bytes of a bot's log file; the one before it is kept too."""
_STARTS: Final = 5
"""A bot that ended so often without having played is given up."""
_FIRST_PAUSE: Final = 0.25
_LONGEST_PAUSE: Final = 10.0
_LOOK: Final = 0.05
_STOP_SECONDS: Final = 5.0
_TOLD_LINES: Final = 8
_LINE: Final = 400


def command_of(bot: BotEntry) -> list[str]:
    """The command that runs a bot. `python` is the Python that runs the arena."""
    if bot.builtin:
        games = ["--games", ",".join(bot.games)] if bot.games else []
        return [sys.executable, "-c", "from fudaba.cli import main; main()", "bot", "run", bot.builtin, *games]
    program, *arguments = bot.command
    return [sys.executable if program == "python" else program, *arguments]


def environment(base: Mapping[str, str], bot: BotEntry, endpoint: Endpoint, token: str) -> dict[str, str]:
    """What a bot's process gets: where the service is, and its own token. Never the organiser's."""
    env = {name: value for name, value in base.items() if not name.startswith("FUDABA_")}
    env |= {"FUDABA_SERVER": endpoint.address, "FUDABA_TOKEN": token, "PYTHONUNBUFFERED": "1"}
    if endpoint.tls:
        env["FUDABA_TLS"] = "1"
    if endpoint.ca_cert:
        env["FUDABA_CA_CERT"] = str(Path(endpoint.ca_cert).resolve())
    return env | dict(bot.env)


@final
class BotLog:
    """A bot's output in a file of bounded size, and its last lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = path.open("ab", buffering=0)
        self._lines: deque[str] = deque(maxlen=_TOLD_LINES)
        self._rest = b""
        self._before: list[str] = []

    def write(self, output: bytes) -> None:
        """Adds output."""
        if self._file.tell() + len(output) > LOG_LIMIT:
            self._file.close()
            self.path.replace(self.path.with_suffix(".log.1"))
            self._file = self.path.open("ab", buffering=0)
        self._file.write(output)
        *lines, rest = (self._rest + output).split(b"\n")
        self._lines += [text for line in lines if (text := line.decode(errors="replace").rstrip()[:_LINE])]
        self._rest = rest[-_LINE:]

    def note(self, text: str) -> None:
        """Adds a line of the arena's own."""
        self._file.write(f"[arena] {text}\n".encode())

    def last_lines(self) -> str:
        """The bot's last words; those of the process before while the newest one has said nothing."""
        lines = self._said() or self._before
        if not lines:
            return f"it said nothing ({self.path})"
        return f"its last lines (more in {self.path}):{''.join(f'{QUOTED}{line}' for line in lines)}"

    def _said(self) -> list[str]:
        return [*self._lines, *([self._rest.decode(errors="replace")] if self._rest else [])]

    def forget(self) -> None:
        """A new process begins: what the old one said is not its last words, once it says something itself."""
        self._before = self._said() or self._before
        self._lines.clear()
        self._rest = b""

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


@final
class BotProcess:
    """Keeps one bot running. `run` returns when it is given up, and says why.

    One that plays a single match may end with status 0: then its match is over, and `run` waits to be cancelled.
    """

    def __init__(
        self,
        bot: BotEntry,
        env: Mapping[str, str],
        log: BotLog,
        say: Say,
        restarted: Callable[[], None] = lambda: None,
        *,
        single_match: bool = False,
    ) -> None:
        self.bot = bot
        self._single_match = single_match
        self._env = env
        self._log = log
        self._say = say
        self._restarted = restarted
        self._ends = 0
        self._reader = -1
        self.first_pause = _FIRST_PAUSE
        """Seconds before it is started again for the first time; each further pause is twice as long."""

    @property
    def log(self) -> BotLog:
        """Its output."""
        return self._log

    def played(self) -> None:
        """It has played a match: earlier ends count no more."""
        self._ends = 0

    async def run(self) -> str:
        """Runs it until cancelled; otherwise returns why it is given up."""
        while True:
            began = time.monotonic()
            status = await self._once()
            if self._single_match and status == 0:
                await asyncio.Event().wait()
            self._ends += 1
            how = f"ended with {_how(status)} after {time.monotonic() - began:.1f} s"
            self._log.note(f"{self.bot.name} {how}")
            if self._ends >= _STARTS:
                return f"it {how}, for the {self._ends}th time without playing; {self._log.last_lines()}"
            if self._ends == 1:
                self._say(f"bot {self.bot.name} {how} and is started again; {self._log.last_lines()}")
            await asyncio.sleep(min(_LONGEST_PAUSE, self.first_pause * 2 ** (self._ends - 1)))
            self._restarted()

    async def _once(self) -> int:
        """Runs one process to its end; its exit status."""
        loop = asyncio.get_running_loop()
        self._log.forget()
        self._log.note(f"starting {' '.join(command_of(self.bot))[:_LINE]}")
        self._reader, writer = os.pipe()
        os.set_blocking(self._reader, False)
        try:
            # Called in the main thread, as `tether` wants: it lives as long as the arena does.
            process = tether.start(
                command_of(self.bot),
                end_with=signal.SIGKILL,
                cwd=self.bot.cwd,
                env=self._env,
                output=writer,
            )
        finally:
            os.close(writer)
        loop.add_reader(self._reader, self._read)
        try:
            return await _exit_status(process)
        finally:
            await asyncio.shield(self._end(process))

    async def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Ends the process and all that it has started, and takes what it still said."""
        _signal_group(process, signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_STOP_SECONDS):
                await _exit_status(process)
        _signal_group(process, signal.SIGKILL)
        await _exit_status(process)
        self._read()
        self._stop_reading()

    def _read(self) -> None:
        while self._reader >= 0:
            try:
                output = os.read(self._reader, 65536)
            except BlockingIOError:
                return
            if not output:
                self._stop_reading()
                return
            self._log.write(output)

    def _stop_reading(self) -> None:
        if self._reader < 0:
            return  # its output has ended already
        asyncio.get_running_loop().remove_reader(self._reader)
        os.close(self._reader)
        self._reader = -1


async def _exit_status(process: subprocess.Popen[bytes]) -> int:
    while True:  # no event of an end is known on every system
        status = process.poll()
        if status is not None:
            return status
        await asyncio.sleep(_LOOK)


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Signals the process and its children: they have a session of their own."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return  # all of them have ended
    except PermissionError:
        process.send_signal(number)  # macOS says so when some of them have ended


def _how(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"
