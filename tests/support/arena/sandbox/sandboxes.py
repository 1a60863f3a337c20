"""Programs run in a sandbox, and what they said."""

from __future__ import annotations

import asyncio
import functools
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fudaba.client import Endpoint
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.cluster import Access
from fudaba_arena.sandbox.pod import Pods
from fudaba_arena.sandbox.pod_manifest import PodSettings
from fudaba_arena.sandbox.probe import own_python
from fudaba_arena.sandbox.sandbox import Cause, Ending, Job, RunningProgram, SandboxUnavailable
from fudaba_arena.tournament.limits import Limits
from tests.support.arena.sandbox.small_cluster import CLAIM, IMAGE, NAMESPACE, SmallCluster
from tests.support.tools import IN_CI

CLUSTER = os.environ.get("FUDABA_TEST_CLUSTER", "")
"""The URL of the API of a cluster for tests; empty for none."""
PYTHON = "python3" if CLUSTER else sys.executable
"""The interpreter of Python programs: that of the cluster's image is somewhere else."""


@pytest.fixture(scope="session")
def need_sandbox(need_tool: Callable[[str], Path]) -> None:
    """Skips a test without bubblewrap, or where it cannot work; with CI=true fails it."""
    need_tool("bwrap")
    why = why_no_sandbox()
    if why and IN_CI:
        pytest.fail(f"NOT TESTED: no sandbox can be run here: {why}")
    if why:
        pytest.skip(f"NOT TESTED: no sandbox can be run here: {why}")


@functools.cache
def why_no_sandbox() -> str:
    """Returns why bubblewrap cannot work here; empty where it can."""
    with tempfile.TemporaryDirectory(prefix="fudaba-sandbox-") as place, ThreadPoolExecutor(1) as elsewhere:
        Path(place).chmod(0o711)
        return elsewhere.submit(asyncio.run, _refusal(Path(place))).result()  # a browser has a loop in this thread


def isolation_if_possible() -> Sequence[str]:
    """Returns a worker's options for bots that harm nobody: where no sandbox can be run they run as plain processes.

    For tests of what a worker makes of a bot, and not of what it keeps the bot from. With CI=true it has a sandbox.
    """
    return () if IN_CI or not why_no_sandbox() else ("--unsafe-no-sandbox",)


async def _refusal(place: Path) -> str:
    try:
        sandbox = Bubblewrap.open(place)
    except SandboxUnavailable as error:
        return str(error)
    try:
        ending = await sandbox.start(Job(command=["/bin/true"])).wait()
        return "" if ending.cause is Cause.EXIT else ending.why
    finally:
        await sandbox.close()


@asynccontextmanager
async def opened(
    cluster: SmallCluster, ca: Path, worker: str = "", service: Endpoint | None = None, **changes: Any
) -> AsyncIterator[Pods]:
    """Yields a worker's pods in the small cluster."""
    access = Access(cluster.url, NAMESPACE, ca, cluster.folder / "token")
    settings = replace(PodSettings(image=IMAGE, claim=CLAIM, shared=cluster.shared), **changes)
    pods = await Pods.open(access, settings, service or Endpoint("localhost:7710", tls=True), print, worker)
    try:
        yield pods
    finally:
        await pods.close()


def python(code: str, *arguments: str, limits: Mapping[str, Any] | None = None, **more: Any) -> Job:
    """Returns a program in Python, with the standard library alone."""
    command = [PYTHON, "-I", "-S", "-c", code, *arguments]
    shown = own_python() | dict(more.pop("read_only", {}))
    return Job(command=command, read_only=shown, limits=Limits(**dict(limits or {})), **more)


async def done(running: RunningProgram) -> tuple[Ending, str]:
    """Returns how it ended, and what it said."""
    ending = await running.wait()
    return ending, (running.stdout + running.stderr).decode(errors="replace")


async def said(running: RunningProgram, text: str) -> None:
    """Waits until it has said this."""
    ending = asyncio.ensure_future(running.wait())
    while text.encode() not in running.stdout:
        ended, _ = await asyncio.wait([ending], timeout=0.01)
        assert not ended or text.encode() in running.stdout, (await ending, running.stdout, running.stderr)
    ending.cancel()
