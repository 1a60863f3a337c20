"""Programs as plain processes of the worker's user: no sandbox at all, for development on one's own machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, Self, final

from fudaba.reaper import KILL, REAPS, reaper_command, stop
from fudaba_arena.errors import Say
from fudaba_arena.sandbox.cgroups import Counts
from fudaba_arena.sandbox.folder_archive import KeptFiles, unpack
from fudaba_arena.sandbox.leftovers import KEPT_PLACE, Home, group_runs, note_process
from fudaba_arena.sandbox.output import Output
from fudaba_arena.sandbox.sandbox import KEPT_VARIABLE, Cause, Job, Sandbox, SandboxUnavailable
from fudaba_arena.sandbox.supervised import Supervised, decoded

__all__ = ["Unsafe"]

_WARNING: Final = (
    "NO SANDBOX: programs run unprotected, with all rights of the user who runs this worker. Never run programs of"
    " others like this."
)


@final
class Unsafe(Sandbox):
    """Starts programs unprotected. It limits wall time and output, and ends their process group. It keeps no more of a
    lasting folder than its limits allow, but a program can write more there.

    Programs read and write at the host's paths, so each name must be its own path.
    """

    isolated = False
    enforces = frozenset({"wall", "output", "output_kept"})

    def __init__(self, home: Home) -> None:
        self._home = home
        self._running: set[_Unprotected] = set()

    @classmethod
    def open(cls, say: Say, root: Path | None = None) -> Self:
        """Warns loudly, and makes a folder for the programs."""
        say(_WARNING)
        return cls(Home.open(root))

    def new_socket(self) -> Path:
        """Returns a path where a program's socket may be made."""
        return self._home.place() / "s"

    def start(self, job: Job) -> Supervised:
        """Starts a program."""
        moved = [inside for inside, here in [*job.read_only.items(), *job.writable.items()] if inside != here]
        if moved:
            raise SandboxUnavailable(f"without a sandbox {moved[0]} cannot be shown at a path other than its own")
        path = {"PATH": os.environ.get("PATH", os.defpath), **job.env}["PATH"]
        if shutil.which(job.command[0], path=path) is None and not (Path(job.cwd or os.sep) / job.command[0]).is_file():
            raise SandboxUnavailable(f"{job.name} cannot be started: there is no program {job.command[0]}")
        place = self._home.place()
        temporary = place / "tmp"
        temporary.mkdir()
        outputs = Output(job.limits.output_kept), Output(job.limits.output_kept)
        here = {"HOME": str(temporary), "TMPDIR": str(temporary)}
        if job.kept is not None:
            here[KEPT_VARIABLE] = str(_filled(job.kept, place, job.name))
        try:
            process = subprocess.Popen(
                reaper_command(job.command, 0) if REAPS else list(job.command),
                stdin=subprocess.DEVNULL,
                stdout=outputs[0].writer,
                stderr=outputs[0 if job.one_output else 1].writer,
                cwd=job.cwd or temporary,
                env=here | dict(job.env) | {"PATH": path},
                start_new_session=True,
            )
        except OSError as error:
            for output in outputs:
                output.end()
            shutil.rmtree(place)
            raise SandboxUnavailable(f"{job.name} cannot be started: {error}") from error
        note_process(place, process.pid)
        running = _Unprotected(job, process, outputs, place, lambda: self._running.discard(running))
        self._running.add(running)
        return running

    async def close(self) -> None:
        """Kills what still runs, and removes everything."""
        for running in list(self._running):
            await running.kill()
        self._home.close()


@final
class _Unprotected(Supervised):
    def __init__(
        self,
        job: Job,
        process: subprocess.Popen[bytes],
        outputs: tuple[Output, Output],
        place: Path,
        ended: Callable[[], None],
    ) -> None:
        self._place = place
        self._ended = ended
        super().__init__(job, process, outputs)

    def counts(self) -> Counts:
        """Reads what it has used until now."""
        return Counts(None, None, 0, 0, None, None)

    def _strike(self) -> bool:
        stop(self._process, KILL)
        return self._process.poll() is not None and not group_runs(self._process.pid)

    def _ended_how(self) -> tuple[Cause, int | None, int | None, str]:
        status = self._process.returncode
        return decoded(status)

    def _kept_folder(self) -> Path | None:
        return self._place / KEPT_PLACE

    def _release(self) -> None:
        shutil.rmtree(self._place, ignore_errors=True)
        self._ended()


def _filled(kept: KeptFiles, place: Path, name: str) -> Path:
    """Returns a program's lasting folder."""
    folder = place / KEPT_PLACE
    folder.mkdir()
    try:
        unpack(kept, folder)
    except (OSError, tarfile.TarError) as error:
        shutil.rmtree(place)
        raise SandboxUnavailable(f"what {name} keeps cannot be unpacked: {error}") from error
    return folder
