"""Reads the contents of a worker's runtimes with each runtime itself, in a sandbox, as bots will find them."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from fudaba.safe_text import fault_of
from fudaba_arena.errors import ArenaError
from fudaba_arena.limits import MEGABYTE
from fudaba_arena.programs.installed_runtimes import LISTS, PROGRAMS, found, named
from fudaba_arena.programs.runtimes import Runtime, Runtimes
from fudaba_arena.programs.worker_file import WorkerFile
from fudaba_arena.sandbox.sandbox import Cause, Job, Sandbox
from fudaba_arena.submissions.manifest import LANGUAGES
from fudaba_arena.tournament.limits import Limits

__all__ = ["read_runtimes", "why_broken"]

_LIMITS: Final = Limits(memory=1_000 * MEGABYTE, processes=256, cpu=60.0, wall=120.0, output=MEGABYTE)
_ITS_OWN: Final = """
IFS=:
for folder in $1; do
    if [ "$(command -v "$0")" = "$folder/$0" ]; then shift; exec "$@"; fi
done
echo "its own $0 is not there in a sandbox: name every folder that it needs in folders, and its own in programs" >&2
exit 1
"""
"""Runs the command that lists a runtime's contents, if the language's program is the runtime's own and not the
system's.
"""
_MAX_CONTENT_LINES: Final = 5_000
_MAX_LINE_CHARS: Final = 200


async def read_runtimes(sandbox: Sandbox, file: WorkerFile, languages: Collection[str] = LANGUAGES) -> Runtimes:
    """Returns the runtimes of some languages that a worker offers.

    Raises `ArenaError` if a runtime in its file fails.
    """
    offered = [
        _offered(sandbox, file_runtime.runtime, file_runtime.lists)
        for file_runtime in file.runtimes
        if file_runtime.runtime.language in languages
    ]
    candidates = await asyncio.to_thread(lambda: list(found(languages))) if file.find else []
    installed = [_installed(sandbox, candidate) for candidate in candidates]
    of_file, of_host = await asyncio.gather(asyncio.gather(*offered), asyncio.gather(*installed))
    names = {runtime.name for runtime in of_file}
    return Runtimes([*of_file, *(runtime for runtime in of_host if runtime is not None and runtime.name not in names)])


async def _offered(sandbox: Sandbox, runtime: Runtime, lists: Sequence[str]) -> Runtime:
    program = PROGRAMS.get(runtime.language, "")
    if runtime.path and program:
        lists = ["sh", "-c", _ITS_OWN, program, ":".join(runtime.path), *lists]
    try:
        contents = await _contents(sandbox, runtime, lists)
    except ArenaError as error:
        raise ArenaError(f"runtime {runtime.name} of the worker's file does not work: {error}") from error
    version = contents[0][1]
    if runtime.version and not f"{version}.".startswith(f"{runtime.version}."):
        raise ArenaError(
            f"the worker's file gives runtime {runtime.name} version {runtime.version}, but it has version {version}"
        )
    return replace(runtime, version=version, contents=contents, lists=tuple(lists))


async def _installed(sandbox: Sandbox, runtime: Runtime) -> Runtime | None:
    """Reads a runtime that was found, if it works."""
    try:
        contents = await _contents(sandbox, runtime, LISTS[runtime.language])
    except ArenaError:
        return None
    version = contents[0][1]
    name, lists = runtime.name or named(runtime.language, version), tuple(LISTS[runtime.language])
    return replace(runtime, name=name, version=version, contents=contents, lists=lists)


async def why_broken(sandbox: Sandbox, runtime: Runtime) -> str:
    """Returns why a runtime that worked when this worker began works no longer; empty if it still works.

    It runs the command that read the runtime, so it also notices a host that cannot start a sandbox, or the runtime in
    it.
    """
    try:
        await _contents(sandbox, runtime, runtime.lists)
    except (ArenaError, OSError) as error:
        return f"runtime {runtime.name} does not work here any more: {error}"
    return ""


async def _contents(sandbox: Sandbox, runtime: Runtime, lists: Sequence[str]) -> Sequence[tuple[str, str]]:
    job = Job(
        command=lists,
        read_only=runtime.shown,
        env=runtime.env | {"LANG": "C.UTF-8"},
        limits=_LIMITS,
        name=f"what lists runtime {runtime.name or runtime.language}",
    )
    running = sandbox.start(job)
    try:
        ending = await running.wait()
    finally:
        await running.kill()
    if ending.cause is not Cause.EXIT or ending.code != 0:
        said = running.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise ArenaError(f"{job.name} ended by {ending.cause}: {ending.why or said or 'it says nothing'}")
    contents: list[tuple[str, str]] = []
    for line in running.stdout.decode(errors="replace").splitlines():
        words = line.split()
        if len(words) < 2 or fault_of(line) or len(line) > _MAX_LINE_CHARS:
            continue  # a package without a name, or a version that cannot be shown
        contents.append((words[0], words[1]))
    if not contents:
        raise ArenaError(f"{job.name} prints nothing; it must print lines, each with a name and a version")
    return [contents[0], *sorted(set(contents[1:_MAX_CONTENT_LINES]))]
