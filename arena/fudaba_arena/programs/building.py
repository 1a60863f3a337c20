"""Builds a submission in a sandbox. The result is one archive, as suspicious as what its author sends.

The sources are copied to the sandbox's temporary folder, which is in memory, bounded, and removed afterwards. After the
build, its content is packed into the one file on this host that the sandbox may write.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from fudaba.excerpts import excerpt
from fudaba_arena.limits import MEGABYTE
from fudaba_arena.programs.runtimes import Runtime
from fudaba_arena.sandbox.sandbox import Cause, Ending, Job, Sandbox, SandboxUnavailable
from fudaba_arena.submissions.limits import SubmissionLimits
from fudaba_arena.submissions.manifest import Manifest
from fudaba_arena.tournament.limits import Limits

__all__ = ["BUILD_LIMITS", "BUILT_LIMITS", "Built", "build", "describe_ending"]

BUILD_LIMITS: Final = Limits(
    memory=4_000 * MEGABYTE,
    processes=512,
    cpu=1_200.0,
    cores=2.0,
    wall=900.0,
    file_size=1_000 * MEGABYTE,
    open_files=4_096,
    disk=3_000 * MEGABYTE,
)
"""The limits of a build, unless the worker's file says otherwise."""
BUILT_LIMITS: Final = SubmissionLimits(packed=1_000 * MEGABYTE, unpacked=1_000 * MEGABYTE, files=60_000)
"""The limits of its result."""
_SOURCE: Final = Path("/bot")
_ARCHIVE: Final = Path("/run/fudaba/built.tar.gz")
_SCRIPT: Final = """set -eu
source=$1 archive=$2 manifest=$3
shift 3
cp -R "$source" "$TMPDIR/bot"
cd "$TMPDIR/bot"
"$@"
[ -e bot.toml ] || printf %s "$manifest" >bot.toml
{ tar --dereference --hard-dereference -cf - . || : >"$TMPDIR/not-packed"; } | gzip -1 >"$archive"
[ ! -e "$TMPDIR/not-packed" ]
"""
_MANIFEST: Final = 'name = "built"\ngames = "all"\nlanguage = "other"\nstart = ["{start}"]\n'
"""The manifest of a program that is built from a single source file. Its start command has harmless letters only."""
_MAX_QUOTED_BYTES: Final = 4_000


@final
@dataclass(frozen=True, slots=True)
class Built:
    """The outcome of a build."""

    ending: Ending
    output: str
    """The beginning and the end of its output."""

    @property
    def passed(self) -> bool:
        """Whether there is an archive."""
        return self.ending.cause is Cause.EXIT and self.ending.code == 0


async def build(
    sandbox: Sandbox, manifest: Manifest, runtime: Runtime, source: Path, archive: Path, limits: Limits = BUILD_LIMITS
) -> Built:
    """Builds the folder `source` into the new file `archive`. Raises `SandboxUnavailable`, `OSError`."""
    os.close(os.open(archive, os.O_CREAT | os.O_WRONLY, 0o600))
    inside, out = (_SOURCE, _ARCHIVE) if sandbox.isolated else (source, archive)
    made = _MANIFEST.format(start=manifest.start[0])
    job = Job(
        command=["/bin/sh", "-c", _SCRIPT, "build", str(inside), str(out), made, *manifest.build],
        read_only={**runtime.shown, inside: source},
        writable={out: archive},
        env=runtime.env if sandbox.isolated else runtime.env | _moved(runtime, archive.parent),
        limits=limits,
        one_output=True,
        name="the build",
    )
    running = sandbox.start(job)
    try:
        ending = await running.wait()
    finally:
        await running.kill()
    if ending.cause is Cause.HOST:
        raise SandboxUnavailable(ending.why)
    return Built(ending, excerpt(running.stdout, _MAX_QUOTED_BYTES).decode(errors="replace"))


def _moved(runtime: Runtime, folder: Path) -> dict[str, str]:
    """Returns the runtime's variables for a host's own /tmp: the caches of tools go to a folder that is removed."""
    return {name: value.replace("/tmp/", f"{folder}/") for name, value in runtime.variables.items()}  # noqa: S108


def describe_ending(ending: Ending) -> str:
    """Returns how a run ended, as words that follow "it"."""
    if ending.why:
        return f"failed: {ending.why}"
    if ending.cause is Cause.EXIT:
        return f"ended with status {ending.code}"
    if ending.cause is Cause.SIGNAL:
        return f"was ended by signal {ending.signal}"
    return f"went over the limit {ending.cause}" if ending.cause in OVER else f"was {ending.cause}"


OVER: Final = frozenset(
    {Cause.MEMORY, Cause.PROCESSES, Cause.CPU, Cause.WALL, Cause.OUTPUT, Cause.TRAFFIC, Cause.MESSAGES}
)
"""The causes that are exceeded limits."""
