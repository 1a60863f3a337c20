"""A plugin of pytest's main process: all workers of pytest-xdist are forked from one process that collects the tests.

Each would collect all of them for itself otherwise, which keeps a core busy for many seconds.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from types import ModuleType
from typing import Any, Final, final

import pytest
import xdist.plugin
import xdist.remote

from tests.support.folders import short_folder
from tests.support.workers import remote
from tests.support.workers.forks import listen, write_stand_in

__all__ = ["ForkedWorkers", "pytest_configure"]

_COLLECT: Final = "import sys; sys.path[:] = {path!r}; from tests.support.workers.template import main; main()"
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
        """Starts the process that collects; it has each worker ask that process for a fork."""
        if sys.platform != "linux" or not all(spec.popen and not spec.python for spec in specs):
            return
        self._forks = True
        folder = self._running.enter_context(short_folder())
        with listen(folder / "workers") as listener:
            collecting = subprocess.Popen(
                [sys.executable, "-c", _COLLECT.format(path=sys.path)],
                stdin=subprocess.PIPE,
                pass_fds=[listener.fileno()],
            )
            self._running.callback(_end, collecting)
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
            }
            assert collecting.stdin is not None
            collecting.stdin.write(json.dumps(given).encode() + b"\n")
            collecting.stdin.flush()
        write_stand_in(folder / "python", folder / "workers")
        for spec in specs:
            spec.python = str(folder / "python")

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_getremotemodule(self) -> ModuleType | None:
        """Returns what a worker runs."""
        return remote if self._forks else None

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """Ends the process that has collected, when its forks have ended."""
        self._running.close()


def _end(collecting: subprocess.Popen[bytes]) -> None:
    assert collecting.stdin is not None
    collecting.stdin.close()
    try:
        collecting.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:  # it collects, though nobody wants that any more
        collecting.kill()
        collecting.wait()
