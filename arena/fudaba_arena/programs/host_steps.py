"""Limits the time of a worker's own work on a stranger's files.

A thread cannot be ended: it goes on after its step was given up or its task was cancelled. So a step that works in a
folder belongs to the folder's `Scratch`, and the folder is removed only when the last such thread has ended.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar, final

from fudaba_arena.errors import ArenaError

__all__ = ["HOST_STEP_SECONDS", "Scratch", "host_step"]

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")
HOST_STEP_SECONDS: Final = 300.0
"""The time that unpacking, packing or reading may take: a gigabyte on a slow disk is far below it."""
_THREADS: Final = ThreadPoolExecutor(32, thread_name_prefix="host-step")
"""A pool of its own, so that hanging steps do not block a worker's other threads."""


async def host_step(
    doing: str, function: Callable[_Given, _Found], *args: _Given.args, **named: _Given.kwargs
) -> _Found:
    """Runs a function in a thread. Raises `ArenaError` if that takes too long, which is the host's fault."""
    return await _within_time(doing, _THREADS.submit(partial(function, *args, **named)))


async def _within_time(doing: str, step: Future[_Found]) -> _Found:
    try:
        async with asyncio.timeout(HOST_STEP_SECONDS) as limit:
            return await asyncio.wrap_future(step)
    except TimeoutError:
        if not limit.expired():
            raise
        raise ArenaError(f"{doing} takes this host more than {HOST_STEP_SECONDS:.0f} s") from None


@final
class Scratch:
    """A folder for unfinished work, and the steps in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._steps: set[Future[Any]] = set()

    async def step(
        self, doing: str, function: Callable[_Given, _Found], *args: _Given.args, **named: _Given.kwargs
    ) -> _Found:
        """Runs `host_step` for a function that works in this folder."""
        step = _THREADS.submit(partial(function, *args, **named))
        self._steps.add(step)
        step.add_done_callback(self._steps.discard)
        return await _within_time(doing, step)

    def when_over(self, clean_up: Callable[[], None]) -> None:
        """Calls `clean_up` once no thread works in the folder: now, or in the last thread when it ends.

        Raises the error of `clean_up` if that is called now.
        """
        going_on = list(self._steps)
        left, lock = len(going_on) + 1, threading.Lock()

        def another_is_over(_: object) -> None:
            nonlocal left
            with lock:
                left -= 1
                last = not left
            if last:
                clean_up()

        for step in going_on:
            step.add_done_callback(another_is_over)
        another_is_over(None)
