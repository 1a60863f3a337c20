"""What every test may use."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.longest import longest_first
from tests.sizes import extent, left_out

# An example that is slow on a busy machine has not failed; one that hangs meets the limit of pytest. With CI=true the
# examples are the same in every run: what chance finds elsewhere does not fail a change that has nothing to do with it.
IN_CI = os.environ.get("CI") == "true"
settings.register_profile(
    "fudaba", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=IN_CI, print_blob=True
)
settings.load_profile("fudaba")

# As `fudaba` does: gRPC would write its remarks on connections that end between pytest's lines.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

# A shell starts what runs in the background deaf to Ctrl-C, and so would be every process that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """Several processes a core: many tests wait, for a clock to run down, or for processes to come and go.

    Each has seconds of work before its first test. Where more than a sample runs, two more are worth that.
    """
    cores = yield
    return cores if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else 2 * cores + (0 if extent() == "sample" else 2)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves to longer runs what is marked as theirs, and has the longest begin first."""
    for item in items:
        for mark in item.iter_markers("nightly"):
            if len(mark.args) != 1:
                raise pytest.UsageError(f"{item.nodeid} is marked nightly, and not what guards its promise at the gate")
    others = [item for item in items if any(item.get_closest_marker(mark) is not None for mark in left_out())]
    if others:
        config.hook.pytest_deselected(items=others)
        kept = set(items) - set(others)
        items[:] = [item for item in items if item in kept]
    if workers := os.environ.get("PYTEST_XDIST_WORKER_COUNT"):
        items[:] = longest_first(items, lambda item: item.nodeid.partition("::")[0], int(workers))


def pytest_collection_finish() -> None:
    """Spares the garbage collector all that was imported and collected, which stays to the end."""
    gc.collect()
    gc.freeze()


def _told_by_pkg_config(library: str) -> str | None:
    """The folder of a library's description."""
    if shutil.which("pkg-config") is None:
        return None
    told = subprocess.run(["pkg-config", "--variable=pcfiledir", library], capture_output=True, text=True, check=False)
    return told.stdout.strip() or None


@pytest.fixture(scope="session")
def need_tool() -> Callable[[str], Path]:
    """`need_tool("node")` is the tool's path, and `need_tool("grpc++.pc")` that of what pkg-config knows of a library.

    Without it the test is skipped; with CI=true it fails.
    """

    def need(name: str) -> Path:
        library = name.removesuffix(".pc")
        found = shutil.which(name) if library == name else _told_by_pkg_config(library)
        if found is not None:
            return Path(found)
        reason = f"{name} is not on PATH" if library == name else f"the library {library} is not installed"
        if IN_CI:
            pytest.fail(f"{reason}; with CI=true every tool has to be there")
        pytest.skip(reason)

    return need
