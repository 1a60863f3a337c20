"""Opens a sandbox, and tries whether it works."""

from __future__ import annotations

from typing import Final, TypeVar

from fudaba.client import Endpoint
from fudaba_arena.errors import Say
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.pod_manifest import PodSettings
from fudaba_arena.sandbox.sandbox import Cause, Job, Sandbox, SandboxUnavailable
from fudaba_arena.tournament.limits import Limits

__all__ = ["pods", "working_pods", "working_sandbox"]

_TRIAL_SECONDS: Final = 30.0

Opened = TypeVar("Opened", bound=Sandbox)


async def working_sandbox() -> Bubblewrap:
    """Returns this host's sandbox after a program has run in it. Raises `SandboxUnavailable`."""
    return await _tried(Bubblewrap.open())


async def working_pods(settings: PodSettings, service: Endpoint, say: Say) -> Sandbox:
    """Returns the pods of this worker's cluster after one has run. Raises `SandboxUnavailable`."""
    return await _tried(await pods(settings, service, say))


async def pods(settings: PodSettings, service: Endpoint, say: Say) -> Sandbox:
    """Returns the pods of this worker's cluster. Raises `SandboxUnavailable`."""
    try:
        # These modules are installed only with the extra for pods.
        from fudaba_arena.sandbox.cluster import Access  # noqa: PLC0415
        from fudaba_arena.sandbox.pod import Pods  # noqa: PLC0415
    except ImportError as error:
        raise SandboxUnavailable(f"{error}; install fudaba[pods]") from error
    return await Pods.open(Access.in_cluster(settings.namespace), settings, service, say)


async def _tried(sandbox: Opened) -> Opened:
    try:
        ending = await sandbox.start(
            Job(command=["/bin/true"], limits=Limits(wall=_TRIAL_SECONDS), name="a trial")
        ).wait()
        if ending.cause is not Cause.EXIT or ending.code != 0:
            raise SandboxUnavailable(ending.why or f"a trial in it ended by {ending.cause}")
    except BaseException:
        await sandbox.close()
        raise
    return sandbox
