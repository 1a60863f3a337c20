"""`fudaba bot run --tokens`: one process plays single seats of many matches, each with its own token."""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import click

from fudaba._match_seat import RunTally
from fudaba._play_options import PlayOptions
from fudaba._stream import play
from fudaba._watchdog import stop_at_signal
from fudaba.bot import BotFactory
from fudaba.errors import FudabaError

__all__ = ["play_each"]

log: Final = logging.getLogger("fudaba")


async def play_each(factory: BotFactory, options: PlayOptions, file: str) -> RunTally:
    """Plays with every token in a file, until the file has ended and its matches are over, or until a signal."""
    loop, stop, read = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
    total = RunTally()
    playing: set[asyncio.Task[None]] = set()

    def begin(token: str) -> None:
        task = loop.create_task(_play_seat(factory, replace(options, token=token), stop, total))
        playing.add(task)
        task.add_done_callback(playing.discard)

    def stopped(number: signal.Signals) -> None:
        log.warning("stopped by %s", number.name)
        stop.set()

    with stop_at_signal(stopped):
        # A thread: what the file is, a pipe or another one, decides how an event loop could wait for it.
        threading.Thread(target=_read, args=(file, loop, begin, read.set), daemon=True).start()
        ends = [asyncio.create_task(event.wait()) for event in (read, stop)]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        while playing:
            await asyncio.wait(list(playing))
    for end in ends:
        end.cancel()
    return total


def _read(file: str, loop: asyncio.AbstractEventLoop, begin: Callable[[str], None], over: Callable[[], None]) -> None:
    with click.open_file(file, encoding="utf-8-sig") as lines:
        for line in lines:
            if line.strip():
                loop.call_soon_threadsafe(begin, line.strip())
    loop.call_soon_threadsafe(over)


async def _play_seat(factory: BotFactory, options: PlayOptions, stop: asyncio.Event, total: RunTally) -> None:
    try:
        total.add(await play(factory, options, stop))
    except FudabaError as error:
        log.warning("a token plays no more: %s", error)
