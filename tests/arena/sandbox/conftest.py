"""Sandboxes for tests, and what this host can do."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
import uvloop

from fudaba.client import Endpoint
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.cluster import Access
from fudaba_arena.sandbox.pod import Pods
from fudaba_arena.sandbox.pod_manifest import PodSettings
from fudaba_arena.sandbox.sandbox import Sandbox
from fudaba_arena.sandbox.unsafe import Unsafe
from tests.support.arena.sandbox.sandboxes import CLUSTER, need_sandbox, opened
from tests.support.arena.sandbox.small_cluster import TOKEN, SmallCluster
from tests.support.certificates import certify
from tests.support.folders import short_folder
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import Organiser
from tests.support.service.processes import Service

__all__ = ["need_sandbox"]


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Workers run in uvloop, where there is one. The relay, whose work is the loop's, is tested in both."""
    both = {"uvloop": uvloop.new_event_loop, "asyncio": asyncio.new_event_loop}
    return both if item.path.name in {"test_relay.py", "test_cpu_share.py"} else {"uvloop": uvloop.new_event_loop}


@pytest.fixture
def folder() -> Iterator[Path]:
    """Yields a folder with a short path, for sockets."""
    with short_folder() as place:
        yield place


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    """Yields a folder for sandboxes, through which everybody may pass."""
    place = Path(tempfile.mkdtemp(prefix="fudaba-sandbox-"))
    place.chmod(0o711)
    yield place
    shutil.rmtree(place)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bubblewrap(root: Path, need_sandbox: None) -> AsyncIterator[Bubblewrap]:
    """Yields the sandbox. Nothing is left of it."""
    sandbox = Bubblewrap.open(root)
    yield sandbox
    await sandbox.close()
    assert not list((root / "owners").iterdir())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def unsafe(root: Path) -> AsyncIterator[Unsafe]:
    """Yields what is no sandbox."""
    said: list[str] = []
    sandbox = Unsafe.open(said.append, root / "unsafe")
    assert "NO SANDBOX" in said[0]
    yield sandbox
    await sandbox.close()


@pytest.fixture(scope="module")
def certificate(need_tool: Callable[[str], Path]) -> Iterator[tuple[Path, Path]]:
    """Yields a certificate for `localhost`, and its key."""
    with short_folder() as place:
        certify(need_tool("openssl"), place / "cert.pem", place / "key.pem")
        yield place / "cert.pem", place / "key.pem"


@pytest.fixture(scope="module")
def cluster(need_sandbox: None, certificate: tuple[Path, Path]) -> Iterator[SmallCluster]:
    """Yields a cluster of this machine alone. No container of it is left."""
    with tempfile.TemporaryDirectory(prefix="fudaba-cluster-") as place:
        (Path(place) / "token").write_text(TOKEN)
        (Path(place) / "shared").mkdir()
        running = SmallCluster(Path(place), Path(place) / "shared", *certificate)
        yield running
        assert not running.pods
        running.stop()


@asynccontextmanager
async def elsewhere(url: str) -> AsyncIterator[Pods]:
    """Pods in the cluster that FUDABA_TEST_CLUSTER names, see docs/pods.md."""
    variables = {
        name: os.environ.get(f"FUDABA_TEST_CLUSTER_{name}", "") for name in ("NAMESPACE", "IMAGE", "CLAIM", "SHARED")
    }
    settings = PodSettings(image=variables["IMAGE"], claim=variables["CLAIM"], shared=Path(variables["SHARED"]))
    pods = await Pods.open(Access(url, variables["NAMESPACE"]), settings, Endpoint("localhost:7710", tls=True), print)
    yield pods
    await pods.close()


@pytest.fixture(scope="module")
def small(request: pytest.FixtureRequest) -> tuple[SmallCluster, Path] | None:
    """Returns the small cluster and whom to trust there; None where there is a real one for tests."""
    return None if CLUSTER else (request.getfixturevalue("cluster"), request.getfixturevalue("certificate")[0])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pods(small: tuple[SmallCluster, Path] | None) -> AsyncIterator[Pods]:
    """Programs in pods: of a real cluster, where there is one for tests, else of one that plays its part."""
    async with elsewhere(CLUSTER) if small is None else opened(*small) as opened_pods:
        yield opened_pods


@pytest.fixture(params=["bubblewrap", "unsafe", "pods"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Returns each of the implementations that can run here."""
    found: Sandbox = request.getfixturevalue(request.param)
    return found


@pytest.fixture(params=["bubblewrap", "unsafe"])
def on_host(request: pytest.FixtureRequest) -> Sandbox:
    """Returns each of the implementations whose programs are processes of this host: they have relays, and keep
    something.
    """
    found: Sandbox = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def enforced(bubblewrap: Bubblewrap) -> Callable[[str], None]:
    """`enforced("memory")` goes on where this host can enforce that limit; elsewhere it says loudly that it cannot."""

    def check(name: str) -> None:
        if name not in bubblewrap.enforces:
            pytest.skip(f"NOT TESTED: this host cannot enforce the limit {name}: {bubblewrap.cgroups.why_not}")

    return check


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """Yields a service of the module's own. Whatever bots do to it, it logs no fault."""
    with short_folder() as place, Service(place, listen=f"unix:{place}/s") as running:
        yield running.start()
        assert running.terminate() == 0, running.log
        assert_no_fault(running)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def organiser(service: Service) -> AsyncIterator[Organiser]:
    async with Organiser(service.address, service.token) as client:
        yield client
