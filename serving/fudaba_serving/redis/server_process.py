"""The process of an embedded server: started, watched and ended."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from fudaba import tether

__all__ = ["ServerFailedError", "ServerProcess"]

_STOP_SECONDS = 20.0


class ServerFailedError(RuntimeError):
    """The server did not start, or is not running. The text has its last log lines."""


class ServerProcess:
    """The server's process, with the thread that starts it and waits for it.

    It has a thread of its own because the kernel ends the child with the thread that started it.
    """

    def __init__(self, command: list[str], folder: Path, log: int, lock: int) -> None:
        self.exited = threading.Event()
        self.exit_status: int | None = None
        self._watching: list[Callable[[], object]] = []
        self._telling = threading.Lock()
        self._command = command
        self._folder = folder
        self._log = log
        self._lock = lock
        self._begun = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._error: OSError | None = None
        threading.Thread(target=self._keep, name="embedded-valkey", daemon=True).start()
        self._begun.wait()
        if self._error is not None:
            raise ServerFailedError(f"Cannot start {command[0]}: {self._error}") from self._error

    @property
    def pid(self) -> int | None:
        """The process id; None before the process has started."""
        return None if self._process is None else self._process.pid

    def _keep(self) -> None:
        try:
            process = tether.start(self._command, cwd=self._folder, output=self._log, pass_fds=[self._lock])
            self._process = process
        except OSError as error:
            self._error = error
            return
        finally:
            self._begun.set()
        self.exit_status = process.wait()
        if process.stdin is not None:
            process.stdin.close()
        with self._telling:
            self.exited.set()
            for tell in self._watching:
                tell()

    @contextlib.contextmanager
    def watched(self, tell: Callable[[], object]) -> Iterator[None]:
        """Calls `tell` in another thread when the process ends, or at once if it has ended, while the block lasts."""
        with self._telling:
            if self.exited.is_set():
                tell()
            self._watching.append(tell)
        try:
            yield
        finally:
            with self._telling:
                self._watching.remove(tell)

    def end(self) -> None:
        """Asks the process to end, then kills it if need be; returns when it has ended."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        if not self.exited.wait(_STOP_SECONDS):
            self._process.kill()
            self.exited.wait()
