"""Keeps programs running that serve together: starts them in order, restarts them when they die or hang, and stops them
in order.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, final

from fudaba import forked_program, tether
from fudaba.errors import FudabaError
from fudaba.heartbeat import HUNG_SECONDS, PIPE, STACKS_SIGNAL, Pulse

__all__ = ["CHANNEL", "MAX_FIRST_STARTS", "ORGANISER_TOKEN_FILE", "PROGRAM", "Child", "NotStarted"]

PROGRAM: Final = (sys.executable, "-c", "from fudaba.cli import main; main()")
"""The command `fudaba` with this process's Python."""
ORGANISER_TOKEN_FILE: Final = "organiser.token"  # noqa: S105  # a file's name
"""The name of the file into which a service that is started by this command writes its organiser's token."""

CHANNEL: Final = "FUDABA_CHANNEL"
"""The variable that tells a program which of its files is its end of the channel to the supervising process."""

_SIGNAL_REPEAT_SECONDS: Final = 0.2
"""The pause before a signal is repeated. Two equal signals at once may arrive as one."""
_FIRST_PAUSE_SECONDS: Final = 0.5
_MAX_PAUSE_SECONDS: Final = 30.0
_STEADY_SECONDS: Final = 60.0
"""The time of service after which the next pause is short again."""
MAX_FIRST_STARTS: Final = 5
"""The number of starts of a program that has never served while everything that it needs serves. Then it counts as
impossible to start.
"""
_WRONG_USAGE_STATUS: Final = 2
"""The exit status of wrong usage, which another start would not change."""
_NO_PROCESS_STATUS: Final = 1
"""The exit status noted for a start for which the host has no file or process left."""
_START_HUNG_SECONDS: Final = 300.0
"""The silence that is allowed until a program serves, since it may read much at its start."""
_STACKS_TIMEOUT_SECONDS: Final = 3.0
"""The time in which a hanging program may write its stacks, or resume after all."""
_POLL_SECONDS: Final = 0.05
_MAX_LINE_BYTES: Final = 65_536

_Process = subprocess.Popen[bytes] | forked_program.ForkedProcess


@final
class NotStarted(FudabaError):
    """A program, by its `name`, ended at its first starts without ever having served. `status` is its exit status."""

    def __init__(self, name: str, status: int) -> None:
        super().__init__(f"the {name} cannot be started; its last lines above say why")
        self.name = name
        self.status = status


@final
class Child:
    """A program that is kept running. It ends with this process, even if that is killed: then it gets `end_with`.

    `command` gives its command line for each start, from the address at which it has served before, empty at first.
    `serves` finds, as its only group, the address in the line by which it says that it serves. `on_line` gets each.
    With `channel`, each start gives the program one end of a pair of sockets, see `CHANNEL`, and `channel` the other.
    `needs` are those without which it cannot start. A program whose event loop is silent for `hung_seconds` is told,
    with its stacks, ended and started again; 0: never. See `MAX_FIRST_STARTS` for `first_starts`. `main` is what
    the command calls, if that is the command `fudaba` of this Python: it runs in a fork of this process while that can
    fork, with what `fudaba.forked_program.load` has imported.
    """

    def __init__(
        self,
        name: str,
        command: Callable[[str], Sequence[str]],
        serves: re.Pattern[str],
        on_line: Callable[[str, str], None],
        environment: Mapping[str, str],
        end_with: signal.Signals = signal.SIGTERM,
        channel: Callable[[socket.socket], None] | None = None,
        *,
        needs: Collection[Child] = (),
        hung_seconds: float = HUNG_SECONDS,
        first_starts: int = MAX_FIRST_STARTS,
        main: Callable[[], object] | None = None,
    ) -> None:
        self.name = name
        self.address = ""
        """The address at which it serves."""
        self.ready = asyncio.Event()
        """Set when it has served for the first time."""
        self._command = command
        self._serves = serves
        self._on_line = on_line
        self._environment = environment
        self._end_with = end_with
        self._channel = channel
        self._needs = needs
        self._hung_seconds = hung_seconds
        self._first_starts = first_starts
        self._main = main
        self._ends = 0
        self._process: _Process | None = None
        self._stopping = asyncio.Event()
        self._hurry = asyncio.Event()
        self._served_at = 0.0
        """The time since which it serves; 0 while it does not."""
        self._served_before = 0.0
        """The time since which it served when it last ended."""
        self._reader = -1
        self._rest = b""

    async def keep(self) -> None:
        """Keeps it running until it is stopped. Raises `NotStarted` if it cannot be started initially."""
        pause = _FIRST_PAUSE_SECONDS
        by_itself = 0
        while not self._stopping.is_set():
            before = self._all_needed()
            try:
                status = await self._once()
                ending = f"ended with {tether.how_ended(status)}"
            except OSError as error:  # this host has no file or process left, and may have some again
                status, ending = _NO_PROCESS_STATUS, f"cannot be started: {error}"
                self._served_before = 0.0
            self._ends += 1
            if self._stopping.is_set():
                return
            if not self.ready.is_set():
                # What the process needs may have ended meanwhile, and be back already: that was no fault of its own.
                by_itself += before is not None and before == self._all_needed()
                if status == _WRONG_USAGE_STATUS or by_itself >= self._first_starts:
                    raise NotStarted(self.name, status)
            if self._served_before and time.monotonic() - self._served_before > _STEADY_SECONDS:
                pause = _FIRST_PAUSE_SECONDS
            self._on_line(self.name, f"{ending}; it is started again in {pause:g} s")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._stopping.wait()
            pause = min(_MAX_PAUSE_SECONDS, 2 * pause)

    def _all_needed(self) -> list[int] | None:
        """Returns how often each needed program has ended, if all of them serve now."""
        return [needed._ends for needed in self._needs] if all(needed._served_at for needed in self._needs) else None

    async def stop(self, patience: float) -> None:
        """Stops it: first asks it, and ends it after this many seconds."""
        self._stopping.set()
        if self._process is None:
            return
        self._ask_to_stop()
        pressing = asyncio.create_task(self._press())
        try:
            async with asyncio.timeout(patience):
                await _exit_status(self._process)
        except TimeoutError:
            self._on_line(self.name, f"does not stop within {patience:g} s and is ended")
            self._process.kill()
        finally:
            pressing.cancel()

    def hurry(self) -> None:
        """Asks it a second time when it is stopped, or at once if it is stopping: it no longer waits for anything."""
        self._hurry.set()

    async def _press(self) -> None:
        await self._hurry.wait()
        await asyncio.sleep(_SIGNAL_REPEAT_SECONDS)
        self._ask_to_stop()

    def _ask_to_stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def end(self) -> None:
        """Ends it at once. Unless it was stopped, it is restarted."""
        if self._process is not None:
            self._process.kill()

    async def _once(self) -> int:
        """Runs it once to its end. Returns its exit status."""
        loop = asyncio.get_running_loop()
        self._reader, writer = os.pipe()
        os.set_blocking(self._reader, False)
        try:
            process, pulse = self._begun(writer)
        except BaseException:
            os.close(self._reader)
            self._reader = -1
            raise
        finally:
            os.close(writer)
        self._process = process
        loop.add_reader(self._reader, self._read)
        watching = asyncio.create_task(self._watch(pulse, process))
        try:
            return await _exit_status(process)
        finally:
            watching.cancel()
            pulse.close()
            self._read()
            self._stop_reading()
            self._served_before, self._served_at = self._served_at, 0.0

    def _begun(self, output: int) -> tuple[_Process, Pulse]:
        """Starts it. Raises `OSError` if this host has no file or process left."""
        pulse = Pulse()
        try:
            return self._start(output, pulse.pipe), pulse
        except BaseException:
            pulse.close()
            raise
        finally:
            pulse.started()

    async def _watch(self, pulse: Pulse, process: _Process) -> None:
        """Ends it when it hangs, after it has written where. A stopping program has its own limit."""
        while self._hung_seconds and not self._stopping.is_set():
            await pulse.silent(lambda: self._bound(pulse))
            if self._stopping.is_set():
                return
            notice = f"hangs: its event loop has been silent for {self._bound(pulse):g} s"
            if pulse.beats:
                self._on_line(self.name, f"{notice}; where its threads are:")
                process.send_signal(STACKS_SIGNAL)
                if await pulse.revives(_STACKS_TIMEOUT_SECONDS):
                    self._on_line(self.name, "goes on: it was not hanging, but slow")
                    continue
            else:
                self._on_line(self.name, notice)
            if not self._stopping.is_set():
                self._on_line(self.name, "is ended, since it hangs")
                process.kill()
            return

    def _bound(self, pulse: Pulse) -> float:
        """Returns the seconds for which its loop may be silent now."""
        if not self._served_at:
            return max(self._hung_seconds, _START_HUNG_SECONDS)
        return self._hung_seconds if pulse.beats else math.inf  # a program that never beats is not one of ours

    def _start(self, output: int, beats: int) -> _Process:
        # Called in the main thread, as `tether` wants.
        command = self._command(self.address)
        environment = {**self._environment, PIPE: str(beats)}
        if self._channel is None:
            return self._run(command, environment, output, [beats])
        ours, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            environment[CHANNEL] = str(number)
            process = self._run(command, environment, output, [number, beats])
        self._channel(ours)
        return process

    def _run(self, command: Sequence[str], env: Mapping[str, str], output: int, files: Sequence[int]) -> _Process:
        if self._main is not None and forked_program.can_fork():
            words = ["fudaba", *command[len(PROGRAM) :]]
            return forked_program.fork(
                self._main, words, end_with=self._end_with, env=env, output=output, pass_fds=files
            )
        return tether.start(command, end_with=self._end_with, env=env, output=output, pass_fds=files)

    def _read(self) -> None:
        while self._reader >= 0:
            try:
                output = os.read(self._reader, _MAX_LINE_BYTES)
            except BlockingIOError:
                return
            if not output:
                self._stop_reading()
                return
            *lines, self._rest = (self._rest + output).split(b"\n")
            for line in lines:
                self._heard(line)
            if len(self._rest) > _MAX_LINE_BYTES:
                self._heard(self._rest)
                self._rest = b""

    def _heard(self, raw: bytes) -> None:
        line = raw.decode(errors="replace")
        found = self._serves.search(line)
        if found is not None:
            self.address = found[1]
            self._served_at = time.monotonic()
            self.ready.set()
        self._on_line(self.name, line)

    def _stop_reading(self) -> None:
        if self._reader < 0:
            return  # its output has ended already
        asyncio.get_running_loop().remove_reader(self._reader)
        os.close(self._reader)
        self._reader = -1
        if self._rest:
            self._heard(self._rest)
            self._rest = b""


async def _exit_status(process: _Process) -> int:
    """Waits for a process's end. Returns its exit status."""
    status = process.poll()
    if status is not None:
        return status
    try:
        ended = _open_end(process.pid)
    except OSError:  # the process has ended, or this system reports no event of its end
        return await _polled_status(process)
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(ended, over.set)
    try:
        await over.wait()
    finally:
        loop.remove_reader(ended)
        os.close(ended)
    return await _polled_status(process)


def _open_end(pid: int) -> int:
    """Returns a file that becomes readable when a process has ended. Raises `OSError` if there is none."""
    if sys.platform == "linux" and hasattr(os, "pidfd_open"):
        return os.pidfd_open(pid)
    raise OSError


async def _polled_status(process: _Process) -> int:
    while True:
        status = process.poll()
        if status is not None:
            return status
        await asyncio.sleep(_POLL_SECONDS)
