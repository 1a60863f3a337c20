"""A program in a terminal of its own, as a person sees it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

import pyte

from tests.support.forked import Forked
from tests.support.patience import PATIENCE

# The program of a session of its own has no terminal that its Ctrl-C comes from until it takes one.
START = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); from fudaba.cli import main; main()"
FUDABA = (sys.executable, "-c", START)
FORKED_START = """
import os, sys
os.dup2(os.open({terminal!r}, os.O_RDWR), 0)
os.chdir({folder!r})
for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
    stream = open(number, mode, buffering=1, encoding="utf-8", closefd=False)
    setattr(sys, name, stream)
    setattr(sys, f"__{{name}}__", stream)
"""
"""Makes a forked program, which has opened the terminal to write, read from it, too."""


class Terminal:
    """A terminal with `fudaba play` in it, as a person sees it."""

    def __init__(
        self, *arguments: str, size: tuple[int, int] = (80, 24), folder: Path | None = None, **environment: str
    ) -> None:
        self.screen = pyte.HistoryScreen(*size, history=200)
        self._stream = pyte.ByteStream(self.screen)
        self._lock = threading.Lock()
        self._text: str | None = None
        """The text that is shown, until something is written: putting it together takes longer than looking for words
        in it."""
        self.raw = b""
        self._master, slave = pty.openpty()
        self._set_size(*size)
        env = {key: value for key, value in os.environ.items() if not key.startswith("FUDABA_")}
        env |= {"TERM": "xterm-256color", "LANG": "C.UTF-8"} | environment
        self.process: subprocess.Popen[bytes] | Forked
        self._program_side: int | None = slave  # else all would be over before a forked program has opened it
        if all(name.startswith("FUDABA_") for name in environment):
            terminal = os.ttyname(slave)
            start = FORKED_START.format(terminal=terminal, folder=str(folder or Path.cwd()))
            self.process = Forked(arguments, Path(terminal), env, start)
        else:  # Python itself may have to read them as it starts
            self.process = subprocess.Popen(
                [*FUDABA, *arguments],
                stdin=slave,
                stdout=slave,
                stderr=slave,
                env=env,
                cwd=folder,
                start_new_session=True,
            )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _set_size(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def _read(self) -> None:
        while True:
            try:
                part = os.read(self._master, 65536)
            except OSError:  # the program has ended
                return
            if not part:
                return
            with self._lock:
                self.raw += part
                self._text = None
                # What asks the terminal about itself is not for the screen, and pyte does not know all of it.
                self._stream.feed(re.sub(rb"\x1b\[[<>=][0-9;]*[a-z]|\x1b\[\?[0-9;]*\$p|\x1bP[^\x1b]*\x1b\\", b"", part))

    @property
    def text(self) -> str:
        with self._lock:
            if self._text is None:
                self._text = "\n".join(line.rstrip() for line in self.screen.display)
            return self._text

    @property
    def said(self) -> str:
        """The output after the screen was left; pyte knows only one screen."""
        return self.raw.rpartition(b"\x1b[?1049l")[2].decode().replace("\r\n", "\n")

    def resize(self, columns: int, lines: int) -> None:
        with self._lock:
            self.screen.resize(lines, columns)
            self._text = None
        self._set_size(columns, lines)
        self.process.send_signal(signal.SIGWINCH)

    def press(self, *keys: str) -> None:
        for key in keys:
            os.write(self._master, key.encode())
            time.sleep(0.02)  # as fast as a person types: Escape and the next key must not look like one

    def chooses(self, key: str, question: str, answer: str) -> None:
        """Presses a key, and answers what is asked then."""
        self.press(key)
        self.shows(question)
        self.press(answer)

    def shows(self, words: str) -> None:
        """Waits until the screen shows these words."""
        self.until(lambda: words in self.text, words)

    def until(self, condition: Callable[[], object], awaited: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, f"{awaited!r} never came\n{self.text}"
            time.sleep(0.02)

    def ends(self) -> int:
        """Returns the exit status, once the program has ended and all that it said was read."""
        status = self.process.wait(PATIENCE)
        self._read_to_the_end()
        return status

    def _read_to_the_end(self) -> None:
        """Reads all that an ended program has written: the end is there once nobody else has the terminal open."""
        if self._program_side is not None:
            os.close(self._program_side)
            self._program_side = None
        self._reader.join(PATIENCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._read_to_the_end()
        os.close(self._master)


ENTER, ESCAPE, CTRL_C, CTRL_R = "\r", "\x1b", "\x03", "\x12"
