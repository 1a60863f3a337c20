"""A plugin of pytest's main process: all workers of pytest-xdist are forked from one process that collects the tests.

Each would collect all of them for itself otherwise, which keeps a core busy for many seconds. What forks servers for
the tests of a worker is forked from one process for the same reason.
"""

from __future__ import annotations

import json
import multiprocessing
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import ModuleType
from typing import Any, Final, final

import pytest
import xdist.plugin
import xdist.remote
from _pytest.assertion import rewrite

from tests.support.folders import short_folder
from tests.support.workers import remote
from tests.support.workers.forks import listen, write_stand_in

__all__ = ["ForkedWorkers", "pytest_configure"]

_COLLECT: Final = "import sys; sys.path[:] = {path!r}; from tests.support.workers.template import main; main()"
_SERVE: Final = "import sys; sys.path[:] = {path!r}; from tests.support.workers.servers import main; main()"
_END_SECONDS: Final = 10.0


def pytest_configure(config: pytest.Config) -> None:
    """Registers it, where this module is named as a plugin."""
    config.pluginmanager.register(ForkedWorkers())


@final
class ForkedWorkers:
    """See the module. Where processes cannot be forked safely (macOS), workers start as xdist has them start."""

    def __init__(self) -> None:
        self._running = ExitStack()
        self._forks = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self, config: pytest.Config, specs: Sequence[Any]) -> None:
        """Starts the process that collects, and that for the workers' servers; it has each worker ask for a fork."""
        if sys.platform != "linux" or not all(spec.popen and not spec.python for spec in specs):
            return
        self._forks = True
        self._rewrite_ahead(config)
        folder = self._running.enter_context(short_folder())
        with listen(folder / "servers") as listener:
            self._start(_SERVE, listener, str(listener.fileno()))
        with listen(folder / "workers") as listener:
            collecting = self._start(_COLLECT, listener)
            given = {
                "workerinput": {
                    "workerid": "none",  # each worker has its own, and is told of this run's
                    "workercount": len(specs),
                    "testrunuid": "none",
                    "mainargv": sys.argv,
                },
                "arguments": [str(argument) for argument in config.invocation_params.args],
                "path": xdist.plugin._sys_path,
                "worker": xdist.remote.__file__,
                "listener": listener.fileno(),
                "servers": str(folder / "servers"),
            }
            assert collecting.stdin is not None
            collecting.stdin.write(json.dumps(given).encode() + b"\n")
            collecting.stdin.flush()
        write_stand_in(folder / "python", folder / "workers")
        for spec in specs:
            spec.python = str(folder / "python")

    def _rewrite_ahead(self, config: pytest.Config) -> None:
        """Has the tests compiled that are collected last while the process that collects compiles the first ones.

        In a new checkout that takes as long as to collect them, and nothing else is there to do for another core.
        """
        if config.getoption("assertmode") != "rewrite" or sys.dont_write_bytecode:
            return
        rewriting = multiprocessing.get_context("fork").Process(target=rewrite_last_first, args=(config,), daemon=True)
        rewriting.start()
        self._running.callback(rewriting.join)
        self._running.callback(rewriting.kill)

    def _start(self, code: str, listener: socket.socket, *arguments: str) -> subprocess.Popen[bytes]:
        """Starts a process that others are forked from. It ends with this one."""
        process = subprocess.Popen(
            [sys.executable, "-c", code.format(path=sys.path), *arguments],
            stdin=subprocess.PIPE,
            pass_fds=[listener.fileno()],
        )
        self._running.callback(_end, process)
        return process

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_getremotemodule(self) -> ModuleType | None:
        """Returns what a worker runs."""
        return remote if self._forks else None

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """Ends the processes that others were forked from, when these have ended."""
        self._running.close()


def rewrite_last_first(config: pytest.Config) -> None:
    """Compiles, in the opposite order of their names, the tests that are not compiled yet: as pytest does, which finds
    them so.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the workers
    folders = [Path(argument.partition("::")[0]).absolute() for argument in config.args]  # as pytest names files
    files = sorted(path for folder in folders for path in folder.rglob("test_*.py"))
    for path in reversed(files):
        compiled = rewrite.get_cache_dir(path) / f"{path.stem}{rewrite.PYC_TAIL}"
        # A file that cannot be compiled, or written, is left to the process that collects, which says so if need be.
        with suppress(OSError, SyntaxError, ValueError):
            if not compiled.exists() or compiled.stat().st_mtime < path.stat().st_mtime:
                compiled.parent.mkdir(parents=True, exist_ok=True)
                stat, code = rewrite._rewrite_test(path, config)
                rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, stat, compiled)


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:  # it collects or imports, though nobody wants that any more
        process.kill()
        process.wait()
