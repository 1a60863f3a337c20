"""Probes what a cluster enforces on programs in pods by doing it: one pod for each limit, and one that attacks."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

from fudaba.client import Endpoint
from fudaba_arena.sandbox import attacks
from fudaba_arena.sandbox.opening import pods
from fudaba_arena.sandbox.pod_manifest import PodSettings
from fudaba_arena.sandbox.probe import ISOLATION, PROGRAM, TRIALS, Finding, describe_run, own_python
from fudaba_arena.sandbox.sandbox import Cause, Ending, Job, Sandbox, SandboxUnavailable
from fudaba_arena.tournament.limits import LIMITS, Limits

__all__ = ["NOT_ENFORCED", "findings_of", "probe_pods"]

_ENFORCED: Final = ("memory", "cores", "wall", "file_size", "open_files", "disk", "output", "output_kept")
NOT_ENFORCED: Final = tuple(name for name in LIMITS if name not in _ENFORCED)
"""The limits to which a pod cannot be held."""
_TRIED: Final = ("files", "environment", "network", "processes", "writing")
"""The kinds of attempts. Requests to the kernel are excluded, since a pod's kernel may not be the host's."""
_GVISOR: Final = """
import ctypes
said = ctypes.create_string_buffer(65_536)
count = ctypes.CDLL(None).klogctl(3, said, len(said))
print("gVisor" if count > 0 and b"gVisor" in said.raw[:count] else "another kernel")
"""
_ACCOUNT: Final = """
import os
print(os.path.exists("/var/run/secrets/kubernetes.io"), os.getuid() != 0)
"""


async def probe_pods(settings: PodSettings, service: Endpoint) -> list[Finding]:
    """Tries everything; takes some minutes."""
    try:
        sandbox = await pods(settings, service, lambda _: None)
    except SandboxUnavailable as error:
        return [Finding("sandbox", "pods can be used", False, str(error))]
    hosts = [(os.environ["KUBERNETES_SERVICE_HOST"], int(os.environ.get("KUBERNETES_SERVICE_PORT", "443")))]
    try:
        return [finding async for finding in findings_of(sandbox, settings, hosts)]
    finally:
        await sandbox.close()


async def findings_of(sandbox: Sandbox, settings: PodSettings, hosts: list[tuple[str, int]]) -> AsyncIterator[Finding]:
    """Makes all checks, or only the first if no pod runs. No pod may reach any of the hosts."""
    began = time.monotonic()
    ending, output = await _run(sandbox, _python("print('started')"))
    started = ending.cause is Cause.EXIT and output.strip() == "started"
    detail = f"Python started and ended in {time.monotonic() - began:.1f} s" if started else ending.why
    yield Finding("sandbox", "a program runs in a pod", started, detail or describe_run(ending, output))
    if not started:
        return
    if settings.runtime_class == "gvisor":
        ending, output = await _run(sandbox, _python(_GVISOR))
        yield Finding("gvisor", "its kernel is gVisor, and not the node's", output.strip() == "gVisor", output.strip())
    ending, output = await _run(sandbox, _python(_ACCOUNT))
    promise = "it is nobody for the cluster, and not root"
    yield Finding("account", promise, output.split() == ["False", "True"], describe_run(ending, output))
    async for finding in _isolation(sandbox, hosts):
        yield finding
    for name, (promise, code, limits, judge) in TRIALS.items():
        if name in _ENFORCED:
            ending, output = await _run(sandbox, _python(code, **limits))
            yield Finding(name, promise, judge(ending, output), describe_run(ending, output))


async def _isolation(sandbox: Sandbox, hosts: list[tuple[str, int]]) -> AsyncIterator[Finding]:
    given = {
        "kinds": _TRIED,
        "secrets": [],
        "shown": sorted({part for path in own_python() for part in path.parts}),
        "variables": ["PATH", "HOME", "TMPDIR", "LANG", "LC_CTYPE", "PWD", "OLDPWD", "SHLVL", "_"],
        "port": 1,
        "hosts": hosts,
        "abstract": "\0nobody",
        "neighbour": "/nobody",
        "pids": [],
        "read_only": [sys.prefix],
    }
    command = [sys.executable, "-I", "-S", str(PROGRAM), json.dumps(given)]
    shown = {PROGRAM: Path(attacks.__file__)}
    ending, output = await _run(
        sandbox, Job(command=command, read_only=shown, limits=Limits(wall=60.0), name="the probe")
    )
    promises = {name: promise for name, promise in ISOLATION.items() if name.partition(" ")[0] in _TRIED}
    got: dict[str, Any] = json.loads(output) if ending.code == 0 else {}
    for name, promise in promises.items():
        leak = got.get(name.partition(" ")[0])
        if ending.code != 0:
            yield Finding(name, promise, False, f"the attempts did not run: {describe_run(ending, output)}")
        else:
            yield Finding(name, promise, leak is None, "tried, got nothing" if leak is None else f"it got {leak}")


def _python(code: str, **limits: Any) -> Job:
    command = [sys.executable, "-I", "-S", "-c", code]
    return Job(command=command, limits=Limits(**({"wall": 60.0} | limits)), name="the probe")


async def _run(sandbox: Sandbox, job: Job) -> tuple[Ending, str]:
    running = sandbox.start(job)
    try:
        ending = await running.wait()
    finally:
        await running.kill()
    return ending, (running.stdout + running.stderr).decode(errors="replace")
