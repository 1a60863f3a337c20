"""Keeps programs running that serve together: started in order, started again when they die, stopped in order."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, final

from fudaba import tether
from fudaba.errors import FudabaError

__all__ = ["CHANNEL", "Child", "NotStarted"]

CHANNEL: Final = "FUDABA_CHANNEL"
"""The variable that tells a program which of its files is its end of the channel to whoever keeps it running."""

_APART: Final = 0.2
"""Seconds between asking twice: two equal signals at once may arrive as one."""
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 30.0
_WELL: Final = 60.0
"""Who has served for so many seconds is well: the next pause is short again."""
_LOOK: Final = 0.05
_LINE: Final = 65_536


@final
class NotStarted(FudabaError):
    """A program, by its `name`, ended before it had ever served. `status` is its exit status."""

    def __init__(self, name: str, status: int) -> None:
        super().__init__(f"the {name} cannot be started; its last lines above say why")
        self.name = name
        self.status = status


@final
class Child:
    """A program that is kept running. It ends with this process, even if that is killed: then it gets `end_with`.

    `command` gives its command line for each start, from the address at which it has served before, empty at first.
    `serves` finds, as its only group, the address in the line by which it says that it serves. `told` gets each line.
    With `channel`, each start gives the program one end of a pair of sockets, see `CHANNEL`, and `channel` the other.
    """

    def __init__(
        self,
        name: str,
        command: Callable[[str], Sequence[str]],
        serves: re.Pattern[str],
        told: Callable[[str, str], None],
        environment: Mapping[str, str],
        end_with: signal.Signals = signal.SIGTERM,
        channel: Callable[[socket.socket], None] | None = None,
    ) -> None:
        self.name = name
        self.address = ""
        """Where it serves."""
        self.ready = asyncio.Event()
        """Set when it has served for the first time."""
        self._command = command
        self._serves = serves
        self._told = told
        self._environment = environment
        self._end_with = end_with
        self._channel = channel
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = asyncio.Event()
        self._hurry = asyncio.Event()
        self._served_at = 0.0
        self._reader = -1
        self._rest = b""

    async def keep(self) -> None:
        """Keeps it running until it is stopped. Raises `NotStarted` if it ends before it has ever served."""
        pause = _FIRST_PAUSE
        while not self._stopping.is_set():
            status = await self._once()
            if self._stopping.is_set():
                return
            if not self.ready.is_set():
                raise NotStarted(self.name, status)
            if self._served_at and time.monotonic() - self._served_at > _WELL:
                pause = _FIRST_PAUSE
            self._told(self.name, f"ended with {tether.how_ended(status)}; it is started again in {pause:g} s")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._stopping.wait()
            pause = min(_LONGEST_PAUSE, 2 * pause)

    async def stop(self, patience: float) -> None:
        """Stops it: asks it first, and ends it after so many seconds."""
        self._stopping.set()
        if self._process is None:
            return
        self._ask_to_stop()
        pressing = asyncio.create_task(self._press())
        try:
            async with asyncio.timeout(patience):
                await _exit_status(self._process)
        except TimeoutError:
            self._told(self.name, f"does not stop within {patience:g} s and is ended")
            self._process.kill()
        finally:
            pressing.cancel()

    def hurry(self) -> None:
        """Asks it a second time when it is stopped, or at once if it is stopping: it waits for nothing any more."""
        self._hurry.set()

    async def _press(self) -> None:
        await self._hurry.wait()
        await asyncio.sleep(_APART)
        self._ask_to_stop()

    def _ask_to_stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def end(self) -> None:
        """Ends it at once. If it is not stopped, it is started again."""
        if self._process is not None:
            self._process.kill()

    async def _once(self) -> int:
        """Runs it once, to its end; its exit status."""
        loop = asyncio.get_running_loop()
        self._served_at = 0.0
        self._reader, writer = os.pipe()
        os.set_blocking(self._reader, False)
        try:
            self._process = self._start(writer)
        finally:
            os.close(writer)
        loop.add_reader(self._reader, self._read)
        try:
            return await _exit_status(self._process)
        finally:
            self._read()
            self._stop_reading()

    def _start(self, output: int) -> subprocess.Popen[bytes]:
        # Called in the main thread, as `tether` wants.
        command = self._command(self.address)
        if self._channel is None:
            return tether.start(command, end_with=self._end_with, env=self._environment, output=output)
        ours, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            environment = {**self._environment, CHANNEL: str(number)}
            process = tether.start(command, end_with=self._end_with, env=environment, output=output, pass_fds=[number])
        self._channel(ours)
        return process

    def _read(self) -> None:
        while self._reader >= 0:
            try:
                output = os.read(self._reader, _LINE)
            except BlockingIOError:
                return
            if not output:
                self._stop_reading()
                return
            *lines, self._rest = (self._rest + output).split(b"\n")
            for line in lines:
                self._heard(line)
            if len(self._rest) > _LINE:
                self._heard(self._rest)
                self._rest = b""

    def _heard(self, raw: bytes) -> None:
        line = raw.decode(errors="replace")
        found = self._serves.search(line)
        if found is not None:
            self.address = found[1]
            self._served_at = time.monotonic()
            self.ready.set()
        self._told(self.name, line)

    def _stop_reading(self) -> None:
        if self._reader < 0:
            return  # its output has ended already
        asyncio.get_running_loop().remove_reader(self._reader)
        os.close(self._reader)
        self._reader = -1
        if self._rest:
            self._heard(self._rest)
            self._rest = b""


async def _exit_status(process: subprocess.Popen[bytes]) -> int:
    while True:  # no event of an end is known on every system
        status = process.poll()
        if status is not None:
            return status
        await asyncio.sleep(_LOOK)
