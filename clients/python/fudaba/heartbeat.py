"""Beats of an event loop, by which a supervising process tells a hanging program from a busy one.

The program beats from its loop, through a pipe. A loop that computes for ever, waits for a lock for ever or is stopped
falls silent, while its process is alive.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import os
import signal
import time
from collections.abc import Callable
from typing import Final, final

__all__ = ["HUNG_SECONDS", "PIPE", "STACKS_SIGNAL", "Pulse", "beat_from"]

PIPE: Final = "FUDABA_HEARTBEAT"
"""The variable that tells a program which of its files takes its beats."""
HUNG_SECONDS: Final = 30.0
"""The silence after which a loop counts as hanging. A single step of a loop takes far less, even on a busy machine."""
STACKS_SIGNAL: Final = signal.Signals(getattr(signal, "SIGUSR1", signal.SIGTERM))
"""The signal that makes a beating program write the positions of its threads to its log, even while its loop hangs.

Windows has no such signal, nor programs that beat.
"""
_BEAT_SECONDS: Final = 1.0
_POLL_SECONDS: Final = 0.5
_MAX_COUNTED_SECONDS: Final = 2.0
"""The longest silence that one look counts, in seconds. In the rest of the time the observer did not run either."""
_READ_BYTES: Final = 4_096


def beat_from(loop: asyncio.AbstractEventLoop) -> None:
    """Makes a loop beat as long as it runs, if a supervisor keeps this program running; otherwise it does nothing.

    Call it once, before the program starts others, which must not inherit the pipe.
    """
    number = os.environ.pop(PIPE, "")
    if not number:
        return
    pipe = int(number)
    os.set_inheritable(pipe, False)
    os.set_blocking(pipe, False)
    faulthandler.register(STACKS_SIGNAL, all_threads=True)
    loop.call_soon(_beat, loop, pipe)


def _beat(loop: asyncio.AbstractEventLoop, pipe: int) -> None:
    try:
        with contextlib.suppress(BlockingIOError):  # the pipe is full: its reader is behind, and will find enough beats
            os.write(pipe, b".")
    except BrokenPipeError:
        return  # the reader has closed its end
    loop.call_later(_BEAT_SECONDS, _beat, loop, pipe)


@final
class Pulse:
    """The beats of a program's loop, from its start to its end. Make it in the running event loop.

    Only time in which this process runs counts as silence, not the time of a sleeping machine, or of a supervisor that
    is stopped or gets no processor.
    """

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._reader, False)
        self.beats = 0
        """The number of beats so far; once it is not 0, the program takes `STACKS_SIGNAL`."""
        self._silence = 0.0
        asyncio.get_running_loop().add_reader(self._reader, self._hear)

    @property
    def pipe(self) -> int:
        """Returns the program's end; `started` closes it here."""
        return self._writer

    def started(self) -> None:
        """Notes that the program has its end, or could not be started."""
        os.close(self._writer)

    async def silent(self, seconds: Callable[[], float]) -> None:
        """Returns once the loop has been silent for the number of seconds that is requested at each look."""
        await self._look(lambda: self._silence < seconds())

    async def revives(self, seconds: float) -> bool:
        """Returns whether another beat arrives within this many seconds."""
        bound, before = self._silence + seconds, self.beats
        await self._look(lambda: self.beats == before and self._silence < bound)
        return self.beats > before

    async def _look(self, goes_on: Callable[[], bool]) -> None:
        before = time.monotonic()
        while goes_on():
            await asyncio.sleep(_POLL_SECONDS)
            now = time.monotonic()
            self._silence += min(now - before, _MAX_COUNTED_SECONDS)
            before = now

    def close(self) -> None:
        """Stops listening."""
        if self._reader >= 0:
            asyncio.get_running_loop().remove_reader(self._reader)
            os.close(self._reader)
            self._reader = -1

    def _hear(self) -> None:
        try:
            beats = os.read(self._reader, _READ_BYTES)
        except BlockingIOError:
            return
        if beats:
            self.beats, self._silence = self.beats + 1, 0.0
        else:
            self.close()  # the program ends
