"""What every test may use."""

from __future__ import annotations

import gc
import os
import signal
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.costs import Costs
from tests.longest import longest_first
from tests.support.folders import memory_folder
from tests.support.open_connections import OpenConnections
from tests.support.sizes import exhaustive, left_out, smallest
from tests.support.tools import IN_CI, absence_lines, absent_in, need, wanting
from tests.support.workers.plugin import ForkedWorkers

if TYPE_CHECKING:
    from tests.support.object_store import ObjectStore

ABSENT: Final = pytest.StashKey[Counter[str]]()
"""The number of tests that were left out for want of a tool."""
_LEFT_OUT: Final = "left_out"
MAX_EXAMPLES: Final = 25 if smallest() else 100
"""The number of Hypothesis's examples, where a test does not name its own."""

# An example that is slow on a busy machine has not failed; one that hangs meets the limit of pytest. With CI=true the
# examples are the same in every run: what chance finds elsewhere does not fail a change that has nothing to do with it.
settings.register_profile(
    "fudaba",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=IN_CI,
    print_blob=True,
    max_examples=MAX_EXAMPLES,
)
settings.load_profile("fudaba")
if not exhaustive():
    # Hypothesis would try the constants of the tested code, too. To find them takes each worker a second and more.
    providers._get_local_constants = lambda: providers._local_constants

# As `fudaba` does: gRPC would write its remarks on connections that end between pytest's lines.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

# A shell starts what runs in the background deaf to Ctrl-C, and so would be every process that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Has folders in memory and workers forked, finds connections left open, and measures what each test costs, if that
    is asked for.
    """
    if (memory := memory_folder()) is not None:  # the folders of tests, too: see `short_folder`
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory))
    config.pluginmanager.register(ForkedWorkers())
    connections = OpenConnections()
    connections.watch()
    config.pluginmanager.register(connections)
    if folder := os.environ.get("TEST_COSTS"):
        config.pluginmanager.register(Costs(Path(folder).absolute()))
        if not config.getoption("numprocesses", None):  # where a test runs pytest, that measures nothing
            del os.environ["TEST_COSTS"]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collects without the garbage collector: all that is imported stays, and to look through it takes long."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """Several processes a core: many tests wait, for a clock to run down, or for processes to come and go.

    With two a core and two more, a fifth of two cores' time was left over. Each is a fork, and costs little.
    """
    cores = yield
    return cores if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else 2 * cores + 4


@pytest.hookimpl(trylast=True)  # after `-k` has chosen
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves to longer runs what is theirs, leaves out what wants an absent tool, and has the longest begin first."""
    for item in items:
        for mark in item.iter_markers("nightly"):
            if len(mark.args) != 1:
                raise pytest.UsageError(f"{item.nodeid} is marked nightly, and not what guards its promise at the gate")
    others = [item for item in items if any(item.get_closest_marker(mark) is not None for mark in left_out())]
    if others:
        config.hook.pytest_deselected(items=others)
        kept = set(items) - set(others)
        items[:] = [item for item in items if item in kept]
    absent = wanting(items)
    config.stash[ABSENT] = Counter({name: len(tests) for name, tests in absent.items()})
    if others := [item for tests in absent.values() for item in tests]:
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in others]
    if workers := os.environ.get("PYTEST_XDIST_WORKER_COUNT"):
        items[:] = longest_first(items, lambda item: item.nodeid.partition("::")[0], int(workers))


def pytest_collection_finish() -> None:
    """Spares the garbage collector all that was imported and collected, which stays to the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def objects() -> Iterator[ObjectStore]:
    """Yields an object store, which takes seconds of CPU to start: each test that keeps anything there has its own
    place."""
    from tests.support.folders import short_folder
    from tests.support.object_store import ObjectStore

    with short_folder() as folder, ObjectStore(folder) as server:
        yield server.start()


@pytest.fixture(scope="session")
def need_tool() -> Callable[[str], Path]:
    """`need_tool("node")` is the tool's path, and `need_tool("grpc++.pc")` that of what pkg-config knows of a library.

    Without it the test is skipped; with CI=true it fails.
    """
    return need


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of xdist says what it has left out."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        absent: Counter[str] = session.config.stash.get(ABSENT, Counter())
        output[_LEFT_OUT] = dict(absent)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Each worker has collected all tests, and so has left out the same."""
    absent = node.config.stash.setdefault(ABSENT, Counter())
    absent |= Counter(getattr(node, "workeroutput", {}).get(_LEFT_OUT, {}))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> Generator[None, None, None]:
    """Ends with a line for each tool that is absent: what was left out for want of it, and how it is installed."""
    yield
    absent = config.stash.get(ABSENT, Counter()).copy()
    for report in terminalreporter.stats.get("skipped", ()):
        if name := absent_in(str(report.longrepr)):
            absent[name] += 1
    if absent:
        terminalreporter.section("absent tools")
        for line in absence_lines(absent):
            terminalreporter.write_line(line)
