"""Sandboxes for tests, and what this host can do."""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import uvloop

from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.limits import Limits
from fudaba_arena.sandbox.probe import own_python
from fudaba_arena.sandbox.sandbox import Cause, Ending, Job, Running, Sandbox, SandboxUnavailable
from fudaba_arena.sandbox.unsafe import Unsafe
from tests.conftest import IN_CI
from tests.service.conftest import assert_no_fault
from tests.service.organiser import Organiser
from tests.service.processes import Service, short_folder


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Workers run in uvloop, where there is one. The relay, whose work is the loop's, is tested in both."""
    both = {"uvloop": uvloop.new_event_loop, "asyncio": asyncio.new_event_loop}
    return both if item.path.name == "test_relay.py" else {"uvloop": uvloop.new_event_loop}


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    """A folder for sandboxes, through which everybody may pass."""
    place = Path(tempfile.mkdtemp(prefix="fudaba-sandbox-"))
    place.chmod(0o711)
    yield place
    shutil.rmtree(place)


@pytest.fixture(scope="session")
def need_sandbox(need_tool: Callable[[str], Path]) -> None:
    """Without bubblewrap, or where it cannot work, a test is skipped; with CI=true it fails."""
    need_tool("bwrap")
    with tempfile.TemporaryDirectory(prefix="fudaba-sandbox-") as place:
        Path(place).chmod(0o711)
        why = asyncio.run(_why_not(Path(place)))
    if why and IN_CI:
        pytest.fail(f"NOT TESTED: no sandbox can be run here: {why}")
    if why:
        pytest.skip(f"NOT TESTED: no sandbox can be run here: {why}")


async def _why_not(place: Path) -> str:
    try:
        sandbox = Bubblewrap.open(place)
    except SandboxUnavailable as error:
        return str(error)
    try:
        ending = await sandbox.start(Job(command=["/bin/true"])).wait()
        return "" if ending.cause is Cause.EXIT else ending.why
    finally:
        await sandbox.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bubblewrap(root: Path, need_sandbox: None) -> AsyncIterator[Bubblewrap]:
    """The sandbox. Nothing is left of it."""
    sandbox = Bubblewrap.open(root)
    yield sandbox
    await sandbox.close()
    assert not list((root / "owners").iterdir())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def unsafe(root: Path) -> AsyncIterator[Unsafe]:
    """What is no sandbox."""
    said: list[str] = []
    sandbox = Unsafe.open(said.append, root / "unsafe")
    assert "NO SANDBOX" in said[0]
    yield sandbox
    await sandbox.close()


@pytest.fixture(params=["bubblewrap", "unsafe"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each of the implementations that can run here."""
    found: Sandbox = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def enforced(bubblewrap: Bubblewrap) -> Callable[[str], None]:
    """`enforced("memory")` goes on where this host can enforce that limit; elsewhere it says loudly that it cannot."""

    def check(name: str) -> None:
        if name not in bubblewrap.enforces:
            pytest.skip(f"NOT TESTED: this host cannot enforce the limit {name}: {bubblewrap.cgroups.why_not}")

    return check


def python(code: str, *arguments: str, limits: Mapping[str, Any] | None = None, **more: Any) -> Job:
    """A program in Python, with the standard library alone."""
    command = [sys.executable, "-I", "-S", "-c", code, *arguments]
    shown = own_python() | dict(more.pop("read_only", {}))
    return Job(command=command, read_only=shown, limits=Limits(**dict(limits or {})), **more)


async def done(running: Running) -> tuple[Ending, str]:
    """How it ended, and what it said."""
    ending = await running.wait()
    return ending, (running.stdout + running.stderr).decode(errors="replace")


async def said(running: Running, text: str) -> None:
    """Returns when it has said this."""
    ending = asyncio.ensure_future(running.wait())
    while text.encode() not in running.stdout:
        ended, _ = await asyncio.wait([ending], timeout=0.01)
        assert not ended or text.encode() in running.stdout, (await ending, running.stdout, running.stderr)
    ending.cancel()


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """A service of the module's own. Whatever bots do to it, it logs no fault."""
    with short_folder() as place, Service(place, listen=f"unix:{place}/s") as running:
        yield running.start()
        assert running.terminate() == 0, running.log
        assert_no_fault(running)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def organiser(service: Service) -> AsyncIterator[Organiser]:
    async with Organiser(service.address, service.token) as one:
        yield one
