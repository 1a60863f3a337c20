"""The process that collects the tests for all workers of pytest-xdist: they are forked from it when it has done so.

It runs what xdist has each worker run (`xdist/remote.py`), with a channel to nobody. What a worker says until it has
collected is kept; where it would then wait for tests to run, this process forks, and each fork gets a channel to
pytest's main process, says what was kept, and goes on as the worker that it is.
"""

from __future__ import annotations

import ast
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from types import CodeType
from typing import Any, Final, final

from _pytest.tmpdir import TempPathFactory
from execnet.gateway_base import Channel, get_execmodel

from tests.support import forked
from tests.support.workers.forks import serve

__all__ = ["attach", "main"]

_INTERRUPTED_STATUS: Final = 2
"""The exit status of a session of pytest that Ctrl-C ended."""

_attached: Final[SimpleQueue[Channel | None]] = SimpleQueue()
"""The channel of this process, once it is a worker's; None where none will come."""
_over: Final = threading.Event()
"""Set when a worker has nothing more to do with its channel."""
_failures: Final[list[BaseException]] = []
"""The errors that ended xdist's worker before its session was over."""


@final
class _Gateway:
    """The part of execnet's gateway that xdist's worker uses."""

    execmodel: Final = get_execmodel("main_thread_only")


@final
class _Collector:
    """The channel of xdist's worker: at first to nobody, and in each fork to pytest's main process."""

    gateway: Final = _Gateway()

    def __init__(self, worker: Path, begins_with: object, listener: socket.socket, alive: int) -> None:
        """`worker` is what xdist has each worker run; it `begins_with` what is received first."""
        self._path = worker
        self._begins_with = begins_with
        self._listener = listener
        self._alive = alive
        self._kept: list[object] = []
        self._channel: Channel | None = None
        self._worker: dict[str, Any] = {"__name__": "__channelexec__", "channel": self}
        """The variables of xdist's worker."""

    def run(self) -> None:
        """Collects; returns in each fork, at the end of its session."""
        code: CodeType = compile(self._path.read_text(encoding="utf-8"), self._path, "exec")
        try:
            exec(code, self._worker)
        except BaseException as error:
            if "config" not in self._worker:
                raise
            _failures.append(error)
        if self._channel is None:  # it could not collect: each worker says so
            if getattr(self._worker.get("config"), "workeroutput", {}).get("exitstatus") == _INTERRUPTED_STATUS:
                os._exit(_INTERRUPTED_STATUS)
            self._fork()

    # --- what xdist's worker calls

    def receive(self) -> object:
        """Returns what the main process sends first."""
        return self._begins_with

    def send(self, item: object) -> None:
        """Sends to the main process, or keeps it until there is one."""
        if self._channel is None:
            self._kept.append(item)
        elif not self._spares(item):
            self._channel.send(item)

    def setcallback(self, callback: Callable[[Any], Any], endmarker: object) -> None:
        """Called when the tests are collected, to learn which of them to run."""
        self._fork().setcallback(callback, endmarker=endmarker)

    def _spares(self, item: Any) -> bool:
        """Returns whether nobody needs the message: it reports that a test was set up, or what it used put away, well.

        Of three reports of a test these are two, and the main process does not much else than reading reports.
        """
        name, arguments = item
        option = self._worker["config"].option
        if name != "testreport" or option.durations is not None or getattr(option, "xmlpath", None) is not None:
            return False
        report = arguments["data"]
        return report["when"] != "call" and report["outcome"] == "passed" and not report["sections"]

    # --- becoming a worker

    def _fork(self) -> Channel:
        """Returns in each fork, with its channel."""
        config = self._worker["config"]
        capture = config.pluginmanager.getplugin("capturemanager")
        capture.stop_global_capturing()  # each worker has files of its own for that
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the workers
        serve(self._listener, self._alive)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        channel = _connect()
        workerinput, _, options, _ = channel.receive()
        config.workerinput.update(workerinput)
        interactor = self._worker["interactor"]
        os.environ["PYTEST_XDIST_WORKER"] = interactor.workerid = workerinput["workerid"]
        os.environ["PYTEST_XDIST_TESTRUNUID"] = interactor.testrunuid = workerinput["testrunuid"]
        config.option.basetemp = options.get("basetemp")
        config._tmp_path_factory = TempPathFactory.from_config(config, _ispytest=True)
        capture.start_global_capturing()
        capture.suspend_global_capture()
        self._channel = channel
        for item in self._kept:
            channel.send(item)
        return channel


def _connect() -> Channel:
    """Does what the main process sends to a new Python: it makes a gateway, and runs `remote.py`, which attaches."""
    with open(0, "rb", closefd=False) as sent:  # nothing follows this line until it is answered
        code = ast.literal_eval(sent.readline().decode())
    threading.Thread(target=_serve_gateway, args=(code,), name="gateway", daemon=True).start()
    channel = _attached.get()
    if channel is None:  # the main process has ended
        os._exit(1)
    return channel


def _serve_gateway(code: str) -> None:
    try:
        exec(code, {"__name__": "__main__"})
    finally:
        _attached.put(None)


def attach(channel: Channel) -> None:
    """Gives the worker its channel, and returns when it does not need it any more."""
    _attached.put(channel)
    _over.wait()
    if _failures:
        raise _failures[0]


def main() -> None:
    """Collects the tests, and forks. It reads its settings from a line of JSON on its standard input."""
    alive = os.dup(0)
    with open(alive, "rb", buffering=0, closefd=False) as line:
        given = json.loads(line.readline())
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(nothing, number)
    os.close(nothing)
    begins_with: tuple[Any, ...] = given["workerinput"], given["arguments"], {}, given["path"]
    listener = socket.socket(fileno=given["listener"])
    forked.share(given["servers"])
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no threads of numpy's, which a fork would lose
    # Xdist is not imported yet: pytest would not like that of a plugin.
    _Collector(Path(given["worker"]), begins_with, listener, alive).run()
    with suppress(KeyboardInterrupt):
        _over.set()
        for thread in threading.enumerate():
            if thread.name == "gateway":
                thread.join()
    sys.stdout.flush()
