"""A bot's program as a process: its environment and its output. It ends with this process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol, final

from fudaba import reaper
from fudaba.client import Endpoint
from fudaba.excerpts import IN_LINE, Excerpt
from fudaba.safe_text import QUOTED
from fudaba.text_files import script_mistake

__all__ = ["MAX_LOG_BYTES", "BotLog", "BotProgram", "Output", "command_line", "environment"]

MAX_LOG_BYTES: Final = 1_000_000
"""The size at which a bot's log file is replaced by a new one. The previous file is kept."""
_NOTE: Final = b"[arena]"
"""The beginning of a log line that the bot did not print."""
_LIKE_A_NOTE: Final = re.compile(rb"([\n\r])(\[arena\])")
_MAY_BE_A_NOTE: Final = re.compile(rb"[\n\r](\[|\[a|\[ar|\[are|\[aren|\[arena)\Z")
_POLL_SECONDS: Final = 0.05
_KEPT: Final = "FUDABA_KEPT"
"""The variable with the folder of a remembering bot's files."""
_STOP_TIMEOUT_SECONDS: Final = 5.0
_ENDING: Final = (
    (reaper.STOP, _STOP_TIMEOUT_SECONDS),
    (reaper.KILL, 4 * _STOP_TIMEOUT_SECONDS),
    (signal.SIGKILL, None),
)
"""The signals that end a program, with the seconds to wait after each."""
_MAX_QUOTED_LINES: Final = 8
_MAX_LINE_BYTES: Final = 400
"""The number of bytes of a line that are shown, at its beginning and its end: a bot may print much and die in the same
line.
"""


def command_line(words: Sequence[str]) -> list[str]:
    """Returns a command line. `python` as its first word becomes this interpreter."""
    program, *arguments = words
    return [sys.executable if program == "python" else program, *arguments]


def environment(base: Mapping[str, str], endpoint: Endpoint, token: str) -> dict[str, str]:
    """Returns the environment of a bot's process, with the address of the service and the bot's own token.

    It contains nothing meant only for its starter.
    """
    env = {name: value for name, value in base.items() if name == _KEPT or not name.startswith("FUDABA_")}
    env |= {"FUDABA_SERVER": endpoint.address, "FUDABA_TOKEN": token, "PYTHONUNBUFFERED": "1"}
    if endpoint.tls:
        env["FUDABA_TLS"] = "1"
    if endpoint.ca_cert:
        env["FUDABA_CA_CERT"] = str(Path(endpoint.ca_cert).resolve())
    return env


@final
class BotLog:
    """A bot's output in a file of bounded size, with its last lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = path.open("ab", buffering=0)
        self._lines: deque[str] = deque(maxlen=_MAX_QUOTED_LINES)
        self._line = Excerpt(_MAX_LINE_BYTES, IN_LINE)
        """The line that has not ended."""
        self._before: list[str] = []
        self._held = b""
        """The beginning of the line that has not ended, while it may look like a note."""
        self._last = b"\n"
        """The last byte that was written."""
        self.written = 0
        """The number of output bytes so far, kept or not."""

    def write(self, output: bytes) -> None:
        """Adds output."""
        self.written += len(output)
        kept = self._apart(output)
        if self._file.tell() + len(kept) > MAX_LOG_BYTES:
            self._file.close()
            self.path.replace(self.path.with_suffix(".log.1"))
            self._file = self.path.open("ab", buffering=0)
        self._file.write(kept)
        *ends, rest = output.split(b"\n")
        for end in ends:
            self._line.add(end)
            if text := self._line.text.decode(errors="replace").rstrip():
                self._lines.append(text)
            self._line = Excerpt(_MAX_LINE_BYTES, IN_LINE)
        self._line.add(rest)

    def note(self, text: str) -> None:
        """Adds a line that the bot did not print. None of the bot's lines begins like it."""
        end = b"" if self._last == b"\n" and not self._held else b"\n"
        self._file.write(self._held + end + _NOTE + f" {' '.join(text.splitlines())}\n".encode())
        self._held, self._last = b"", b"\n"

    def _apart(self, output: bytes) -> bytes:
        """Prepares output for writing. A bot's line that begins like a note gets a bar before it.

        The beginning of a line is held back while it may still become one.
        """
        text = _LIKE_A_NOTE.sub(rb"\1| \2", self._last + self._held + output)
        begun = _MAY_BE_A_NOTE.search(text)
        self._held = begun[1] if begun is not None else b""
        written = text[1 : len(text) - len(self._held)]
        self._last = written[-1:] or self._last
        return written

    def last_lines(self) -> str:
        """Returns the bot's last words, or those of the process before while the new one has printed nothing."""
        lines = self.said()
        if not lines:
            return f"it said nothing ({self.path})"
        return f"its last lines (more in {self.path}):{''.join(f'{QUOTED}{line}' for line in lines)}"

    def said(self) -> list[str]:
        """Returns the last words, line by line."""
        return self._said() or self._before

    def _said(self) -> list[str]:
        return [*self._lines, *([self._line.text.decode(errors="replace")] if self._line.total else [])]

    def forget(self) -> None:
        """Notes that a new process begins. Its first output replaces the last words of the old one."""
        self._before = self._said() or self._before
        self._lines.clear()
        self._line = Excerpt(_MAX_LINE_BYTES, IN_LINE)

    def close(self) -> None:
        """Closes the file."""
        self._file.write(self._held)
        self._file.close()


class Output(Protocol):
    """A sink for what a program prints, such as a `BotLog`."""

    def write(self, output: bytes, /) -> None:
        """Takes output as it comes, even if it ends within a line."""


@final
class BotProgram:
    """A command that runs once. Its output goes to a log, and none of its descendants survives it (`fudaba.reaper`)."""

    def __init__(self, command: Sequence[str], log: Output, *, cwd: Path, env: Mapping[str, str]) -> None:
        self._command = command
        self._log = log
        self._cwd = cwd
        self._env = env
        self._reader = -1
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Its process id; 0 before it was started."""
        return reaper.the_program(self._process) if self._process is not None else 0

    async def run(self) -> int:
        """Runs it to its end. Returns its exit status, negative for a signal. Ends it when cancelled.

        If it cannot be executed, the log says so, and the status is 127. Raises `OSError` if no process can be made.
        """
        if mistake := script_mistake(self._command, self._cwd):
            self._log.write(f"cannot start {self._command[0]}: {mistake}\n".encode())
            return reaper.NOT_STARTED_STATUS
        loop = asyncio.get_running_loop()
        self._reader, writer = os.pipe()
        os.set_blocking(self._reader, False)
        try:
            # Called in the main thread, as `reaper` wants: it lives as long as this process does.
            process = reaper.start(
                self._command, cwd=self._cwd, env=self._env, output=writer, grace_seconds=_STOP_TIMEOUT_SECONDS
            )
        except BaseException:
            os.close(self._reader)
            self._reader = -1
            raise
        finally:
            os.close(writer)
        self._process = process
        loop.add_reader(self._reader, self._read)
        try:
            return await _exit_status(process)
        finally:
            await asyncio.shield(self._end(process))

    async def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Ends the process and everything that it started, and reads the rest of its output."""
        for number, seconds in _ENDING:
            reaper.stop(process, number)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
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
        await asyncio.sleep(_POLL_SECONDS)
