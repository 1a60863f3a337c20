"""Real processes for the tests: the service, and a Redis that can be frozen, killed and started again."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Self, final

import redis

from tests.support.forked import Forked
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.servers import store_server

FUDABA = Path(sys.executable).with_name("fudaba")


def _ports() -> Iterator[int]:
    """Ports again and again, which nobody else takes: the kernel gives them to nobody, and each worker has its own."""
    try:
        given = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except OSError:
        given = 32_768
    first = 10_000
    mine = max(0, given - first) // _MAX_WORKERS
    first += int(re.sub(r"\D", "", os.environ.get("PYTEST_XDIST_WORKER", "")) or 0) % _MAX_WORKERS * mine
    at = os.getpid()  # other runs on this machine begin elsewhere
    while True:
        at += 1
        yield first + at % mine if mine else 0


_MAX_WORKERS = 16
_next_port = _ports()


def free_port() -> int:
    """Returns a port for a server, now or later: nobody else is given it meanwhile, whoever connects or listens
    anywhere."""
    while True:
        with contextlib.closing(socket.socket()) as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", next(_next_port)))
            port: int = probe.getsockname()[1]
            return port


class Process:
    """A child process with its output in a file."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self._name = name
        self._child: subprocess.Popen[bytes] | Forked | None = None
        self._from = 0

    @property
    def log_path(self) -> Path:
        return self.folder / f"{self._name}.log"

    @property
    def log(self) -> str:
        """The output since its latest start."""
        if not self.log_path.exists():
            return ""
        return self.log_path.read_bytes()[self._from :].decode(errors="replace")

    @property
    def pid(self) -> int:
        assert self._child is not None
        return self._child.pid

    @property
    def running(self) -> bool:
        return self._child is not None and self._child.poll() is None

    def launch(self, command: list[str], environment: dict[str, str] | None = None, first: str = "") -> None:
        """Starts it. `fudaba` is forked, and runs the code `first` before; but not where others than `fudaba`, such as
        Python or the loader, may have to read the variables as it starts."""
        assert not self.running
        whole = os.environ | (environment or {})
        self._from = self.log_path.stat().st_size if self.log_path.exists() else 0
        with self.log_path.open("ab") as output:
            if command[0] == str(FUDABA) and (first or all(name.startswith("FUDABA_") for name in environment or ())):
                self._child = Forked(command[1:], self.log_path, whole, first)
                return
            self._child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=whole,
            )

    def wait(self) -> int:
        """Returns its exit status, once it has ended."""
        assert self._child is not None
        return self._child.wait(PATIENCE)

    def signal(self, number: signal.Signals) -> None:
        assert self._child is not None
        self._child.send_signal(number)

    def freeze(self) -> None:
        self.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.signal(signal.SIGCONT)

    def kill(self) -> None:
        """Ends it as a power cut would."""
        if self.running:
            self.signal(signal.SIGKILL)
            self.wait()

    def terminate(self) -> int:
        """Asks it to stop. Returns its exit status."""
        if self.running:
            self.signal(signal.SIGTERM)
        return self.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.running:
            self.thaw()
        self.kill()


@final
class Service(Process):
    """A `fudaba serve` process. `folder` holds its data folder and its log."""

    def __init__(
        self,
        folder: Path,
        *options: str,
        name: str = "service",
        data: Path | None = None,
        listen: str = "",
        fudaba: Path = FUDABA,
    ) -> None:
        super().__init__(folder, name)
        self._fudaba = fudaba
        self.data = data or folder / "data"
        self.options = options
        self.listen = listen or f"127.0.0.1:{free_port()}"
        self.address = ""
        self.token = ""
        self.metrics_port = 0

    def start(self, *more: str, environment: dict[str, str] | None = None, first: str = "") -> Self:
        """Starts it, and returns when it serves. A second start listens where the first one did."""
        self.try_start(*more, environment=environment, first=first)
        wait_until(lambda: "fudaba serves on " in self.log or not self.running, "the start of the service")
        assert self.running, self.log
        found = re.search(r"^fudaba serves on (\S+)$", self.log, re.MULTILINE)
        assert found is not None, self.log
        self.address = self.listen = found[1]
        token = re.search(r"^organiser token \(shown this once\): (\S+)$", self.log, re.MULTILINE)
        if token is not None:
            self.token = token[1]
        return self

    def try_start(self, *more: str, environment: dict[str, str] | None = None, first: str = "") -> None:
        """Starts it without waiting for anything."""
        options = ["--data", str(self.data), "--listen", self.listen, *self.options, *more]
        self.launch([str(self._fudaba), "serve", *options], environment, first)

    def refuses_to_start(self, *more: str, status: int = 1, first: str = "") -> str:
        """Returns what it says when it does not start."""
        self.try_start(*more, first=first)
        assert self.wait() == status, self.log
        assert "Traceback" not in self.log, self.log
        return self.log


@final
class RedisServer(Process):
    """A Valkey or Redis with its data in `folder`, on a port of its own; which one it is says `executable`."""

    def __init__(self, folder: Path, *options: str, executable: Path | None = None, name: str = "redis") -> None:
        super().__init__(folder, name)
        self.port = free_port()
        self.executable = executable or store_server()
        self.options = options
        self.password = ""

    @property
    def url(self) -> str:
        secret = f":{self.password}@" if self.password else ""
        return f"redis://{secret}127.0.0.1:{self.port}/0"

    def start(self) -> Self:
        arguments = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--save", ""]
        self.launch([str(self.executable), *arguments, "--appendonly", "yes", *self.options])
        wait_until(self._answers, "the start of Redis")
        return self

    def _answers(self) -> bool:
        assert self.running, self.log
        try:
            with self.client() as client:
                return bool(client.ping())
        except redis.exceptions.AuthenticationError:
            return True
        except (redis.exceptions.RedisError, OSError):
            return False

    @contextlib.contextmanager
    def client(self) -> Iterator[redis.Redis]:
        with contextlib.closing(redis.Redis.from_url(self.url, socket_timeout=PATIENCE)) as client:
            yield client
