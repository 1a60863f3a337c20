"""A sandboxed program on this machine: supervised, held to its limits, and ended without leftovers."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from fudaba_arena.sandbox.cgroups import Counts
from fudaba_arena.sandbox.folder_archive import pack
from fudaba_arena.sandbox.output import Output
from fudaba_arena.sandbox.sandbox import Cause, Ending, Job, RunningProgram, Usage
from fudaba_arena.sandbox.waits import RunQueue

__all__ = ["Supervised", "decoded"]

_POLL_SECONDS: Final = 0.1 if sys.platform == "linux" else 0.05
"""The time between two looks at its use."""
_WAITS_POLL_SECONDS: Final = 0.2
"""The time between two looks at its waits for a core. Each of its threads has a file for it."""
_SHORT_PAUSE_SECONDS: Final = 0.002
_MAX_KILL_SECONDS: Final = 60.0
"""The time that killed processes have to end. On a busy disk one that reads or writes takes longer than ten seconds."""


class Supervised(RunningProgram):
    """The common part of all implementations that run programs as processes of this machine."""

    def __init__(self, job: Job, process: subprocess.Popen[bytes], outputs: tuple[Output, Output]) -> None:
        self.job = job
        self._process = process
        self._outputs = outputs
        self._began = time.monotonic()
        self._cause: Cause | None = None
        self._written = 0
        self._wall = 0.0
        self._result: tuple[Cause, int | None, int | None, str]
        self._look = asyncio.Event()
        cores = min(job.limits.cores, len(job.cores) or os.cpu_count() or 1)
        self._queue = RunQueue(job.waits, cores, self._began)
        self._pidfd = os.pidfd_open(process.pid) if sys.platform == "linux" else -1
        if self._pidfd >= 0:
            asyncio.get_running_loop().add_reader(self._pidfd, self._look.set)
        for output in outputs:
            output.begin(self.wrote)
        self._task = asyncio.create_task(self._supervise(), name=f"sandbox of {job.name}")

    # What an implementation says.

    @abstractmethod
    def counts(self) -> Counts:
        """Reads what it has used until now."""

    def threads(self) -> Sequence[int]:
        """Returns the ids of its threads; none if they cannot be told apart."""
        return ()

    @abstractmethod
    def _strike(self) -> bool:
        """Kills everything that is left of it, once. Returns whether nothing was left."""

    @abstractmethod
    def _ended_how(self) -> tuple[Cause, int | None, int | None, str]:
        """Returns the cause, exit code, signal and details of a program that ended by itself."""

    @abstractmethod
    def _kept_folder(self) -> Path | None:
        """Returns a program's lasting folder, if it has one; None if it was never filled."""

    @abstractmethod
    def _release(self) -> None:
        """Releases its resources after its end."""

    # The interface.

    @property
    def pid(self) -> int:
        """The id of its first process on the host."""
        return self._process.pid

    @property
    def stdout(self) -> bytes:
        """The excerpt of its standard output."""
        return self._outputs[0].text

    @property
    def stderr(self) -> bytes:
        """The excerpt of its standard error."""
        return self._outputs[1].text

    @property
    def socket(self) -> Path | None:
        """The path where the program finds its socket."""
        return self.job.socket

    async def wait(self) -> Ending:
        """Returns how it ended, once nothing of it is left."""
        return await asyncio.shield(self._task)

    async def kill(self, cause: Cause = Cause.KILLED) -> Ending:
        """Ends it and everything that it started."""
        self.condemn(cause)
        return await self.wait()

    def condemn(self, cause: Cause) -> None:
        """Kills it without waiting for its end. The first cause counts."""
        if self._cause is None and not self._task.done():
            self._cause = cause
        self._look.set()

    def wrote(self, piece: bytes) -> None:
        """Notes that its output has grown."""
        self.job.heard(piece)
        self._written += len(piece)
        if self._written > self.job.limits.output:
            self.condemn(Cause.OUTPUT)

    # How it goes.

    async def _supervise(self) -> Ending:
        try:
            counts = await self._until_over()
            if self._cause is not None:
                self._stop_listening()  # its failures while it is being killed say nothing about it
            deadline = time.monotonic() + _MAX_KILL_SECONDS
            while not self._strike() or self._process.poll() is None:
                self._check_patience(deadline)
                await asyncio.sleep(_SHORT_PAUSE_SECONDS)
            await self._pack()
        except asyncio.CancelledError:
            # The loop ends, so the rest is killed at once, without it.
            deadline = time.monotonic() + _MAX_KILL_SECONDS
            while not self._strike() or self._process.poll() is None:
                self._check_patience(deadline)
                time.sleep(_SHORT_PAUSE_SECONDS)  # noqa: ASYNC251  # nothing else may run before it is dead
            raise
        finally:
            self._end()
        return self._ending(counts)

    async def _pack(self) -> None:
        """Updates the files that it keeps. None of it runs any more."""
        if self.job.kept is not None and (folder := self._kept_folder()) is not None:
            await asyncio.to_thread(pack, self.job.kept, folder, self.job.limits)

    async def _until_over(self) -> Counts:
        """Waits until it has ended or must be killed. Returns what it used."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_POLL_SECONDS):
                    await self._look.wait()
            self._look.clear()
            ended = self._process.poll() is not None
            counts = self.counts()
            self._cause = self._cause or self._over(counts)
            over = ended or self._cause is not None
            self._note_waits(counts, over=over)
            if over:
                return counts

    def _note_waits(self, counts: Counts, *, over: bool) -> None:
        """Notes at intervals how long it was kept from the cores, the last time while it still exists."""
        now = time.monotonic()
        if counts.cpu is not None and (over or self._queue.since(now) >= _WAITS_POLL_SECONDS):
            self._queue.look(now, counts.cpu, self.threads())

    def _over(self, counts: Counts) -> Cause | None:
        limits = self.job.limits
        if counts.out_of_memory:
            return Cause.MEMORY
        if counts.out_of_processes:
            return Cause.PROCESSES
        if counts.cpu is not None and counts.cpu > limits.cpu:
            return Cause.CPU
        return Cause.WALL if time.monotonic() - self._began > limits.wall else None

    def _check_patience(self, deadline: float) -> None:
        if time.monotonic() > deadline:
            raise OSError(f"the processes of {self.job.name} do not end although they were killed")

    def _end(self) -> None:
        if self._pidfd >= 0:
            asyncio.get_running_loop().remove_reader(self._pidfd)
            os.close(self._pidfd)
        self._stop_listening()
        self._result = self._ended_how() if self._cause is None else (self._cause, None, None, "")
        self._wall = time.monotonic() - self._began
        self._release()

    def _stop_listening(self) -> None:
        # Standard error first: a program whose standard output is gone may still say that there.
        for output in reversed(self._outputs):
            output.end()

    def _ending(self, counts: Counts) -> Ending:
        cause, code, number, why = self._result
        used = Usage(counts.cpu, counts.memory, self._wall, counts.throttled, counts.processes, self._written)
        return Ending(cause, code, number, used, why)


def decoded(status: int) -> tuple[Cause, int | None, int | None, str]:
    """Explains an exit status: negative for a signal as in `subprocess`, or above 128 as in a shell."""
    if status < 0 or 128 < status <= 192:
        return Cause.SIGNAL, None, -status if status < 0 else status - 128, ""
    return Cause.EXIT, status, None, ""
