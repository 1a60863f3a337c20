"""Worker threads for bots that take their time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, final

Done = Callable[[Any, BaseException | None], None]


@final
class ThreadPool:
    """At most `limit` daemon threads, started when needed.

    They are daemons, unlike those of concurrent.futures, so that a stopping process does not wait for a bot that is
    still thinking.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._jobs: SimpleQueue[tuple[Callable[[Any], Any], Any, Done, asyncio.AbstractEventLoop] | None] = (
            SimpleQueue()
        )
        self._threads = 0
        self._busy = 0

    def submit(self, work: Callable[[Any], Any], argument: Any, done: Done) -> None:
        """Calls `work(argument)` in a thread, then `done(result, exception)` in the running event loop.

        Raises `RuntimeError` if no thread exists and none can be started. If some exist, the work waits for one.
        """
        if self._busy >= self._threads and self._threads < self._limit:
            self._start()
        self._busy += 1
        self._jobs.put((work, argument, done, asyncio.get_running_loop()))

    def _start(self) -> None:
        """Starts another thread, if the system allows it."""
        try:
            threading.Thread(target=self._run, name=f"fudaba-bot-{self._threads + 1}", daemon=True).start()
        except RuntimeError:
            if not self._threads:
                raise
            return
        self._threads += 1

    def close(self) -> None:
        """Lets idle threads end. Results of busy ones are dropped."""
        for _ in range(self._threads):
            self._jobs.put(None)

    def _finish(self, done: Done, result: Any, error: BaseException | None) -> None:
        self._busy -= 1
        done(result, error)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            work, argument, done, loop = job
            result, error = None, None
            try:
                result = work(argument)
            except BaseException as raised:  # noqa: BLE001 - it is the bot author's, and is reported in the loop
                error = raised
            try:
                loop.call_soon_threadsafe(self._finish, done, result, error)
            except RuntimeError:  # the loop is closed: nobody waits any more
                return
