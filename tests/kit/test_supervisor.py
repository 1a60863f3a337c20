"""Programs that are kept running are stopped one by one, and hurried in their turn."""

from __future__ import annotations

import asyncio
import os
import re
import sys

from fudaba.supervisor import Child
from tests.arena.running import until

PROGRAM = """\
import signal, threading

asked = []
over = threading.Event()

def stop(*_):
    asked.append(1)
    print("asked", len(asked), flush=True)
    if len(asked) == 2:
        over.set()

signal.signal(signal.SIGTERM, stop)
print("serves on here", flush=True)
while not over.wait(0.05):
    pass
"""
"""It ends when it is asked for the second time."""


async def test_who_is_hurried_is_asked_a_second_time_and_never_before_it_is_stopped() -> None:
    told: list[str] = []
    command = [sys.executable, "-c", PROGRAM]
    child = Child(
        "one", lambda _: command, re.compile(r"^serves on (\S+)$"), lambda _, line: told.append(line), dict(os.environ)
    )
    keeping = asyncio.create_task(child.keep())
    await child.ready.wait()
    child.hurry()
    await asyncio.sleep(0.5)  # what must not happen has the time for it
    assert told == ["serves on here"]
    stopping = asyncio.create_task(child.stop(60))

    async def over() -> bool:
        return stopping.done() and keeping.done()

    await until(over, "it has ended")
    assert told == ["serves on here", "asked 1", "asked 2"]
