"""Opens the sandbox of this host, and tries whether it works."""

from __future__ import annotations

from typing import Final

from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.limits import Limits
from fudaba_arena.sandbox.sandbox import Cause, Job, SandboxUnavailable

__all__ = ["working_sandbox"]

_TRY: Final = 30.0


async def working_sandbox() -> Bubblewrap:
    """A sandbox in which a program has run. Raises `SandboxUnavailable`."""
    sandbox = Bubblewrap.open()
    try:
        ending = await sandbox.start(Job(command=["/bin/true"], limits=Limits(wall=_TRY), name="a trial")).wait()
        if ending.cause is not Cause.EXIT or ending.code != 0:
            raise SandboxUnavailable(ending.why or f"a trial in it ended by {ending.cause}")
    except BaseException:
        await sandbox.close()
        raise
    return sandbox
