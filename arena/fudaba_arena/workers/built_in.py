"""Processes that play the seats of one kind of built-in bot."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, final

from fudaba import tether
from fudaba_arena.errors import Say
from fudaba_serving.process.background import restarted

__all__ = ["BuiltIn"]

_POLL_SECONDS: Final = 0.1
_SEATS_PER_PROCESS: Final = 4
"""The number of seats in each process above which another process is started, while there are cores for it."""


@final
class _Process:
    """A process, and the tokens of its seats."""

    def __init__(self, command: list[str], env: Mapping[str, str], log: Path) -> None:
        self.tokens: set[str] = set()
        reader, self._writer = os.pipe()
        try:
            with log.open("ab") as output:
                # Called in the main thread, as `tether` wants: it lives as long as the worker does.
                self._process = tether.start(
                    [*command, "--tokens", f"/dev/fd/{reader}"],
                    end_with=signal.SIGKILL,
                    env=env,
                    output=output,
                    pass_fds=[reader],
                )
        except BaseException:
            os.close(self._writer)
            raise
        finally:
            os.close(reader)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def play(self, token: str) -> None:
        """Begins to play a seat."""
        self.tokens.add(token)
        with contextlib.suppress(BrokenPipeError):  # the process has died, and is started again
            os.write(self._writer, f"{token}\n".encode())

    async def end(self) -> None:
        os.close(self._writer)
        self._process.kill()
        await asyncio.to_thread(self._process.wait)


@final
class BuiltIn:
    """A few processes of one kind of bot, restarted when they die."""

    def __init__(self, name: str, env: Mapping[str, str], log: Path, say: Say, most: int) -> None:
        self._command = [sys.executable, "-c", "from fudaba.cli import main; main()", "bot", "run", name, "--quiet"]
        self._name = name
        self._env = env
        self._log = log.with_suffix(".log")
        self._log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._say = say
        self._most = most
        self._processes: list[_Process] = []
        self._watching = asyncio.create_task(restarted(f"processes of built-in bot {name}", self._watch))

    @asynccontextmanager
    async def seat(self, token: str) -> AsyncIterator[None]:
        """Plays the seat of a token until the context is left; by then its match must be over."""
        process = min(self._processes, key=lambda candidate: len(candidate.tokens), default=None)
        if process is None or (len(process.tokens) >= _SEATS_PER_PROCESS and len(self._processes) < self._most):
            process = _Process(self._command, self._env, self._log)
            self._processes.append(process)
        process.play(token)
        try:
            yield
        finally:
            for bot_process in self._processes:
                bot_process.tokens.discard(token)

    async def close(self) -> None:
        """Ends the processes."""
        self._watching.cancel()
        await asyncio.wait([self._watching])
        await asyncio.gather(*(process.end() for process in self._processes))

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            for place, old in enumerate(self._processes):
                if not old.alive:
                    self._say(f"a process of built-in bot {self._name} died and is started again; see {self._log}")
                    new = self._processes[place] = _Process(self._command, self._env, self._log)
                    for token in old.tokens:
                        new.play(token)
                    await old.end()
