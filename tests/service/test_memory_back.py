"""Memory that comes down again after many calls at once."""

from __future__ import annotations

import asyncio
from pathlib import Path

from soak.flooding.deaf import Deaf
from soak.flooding.process import Process
from tests.support.patience import until
from tests.support.service.rate_limits import limited

_MIN_HELD_MB = 12
LIST = "/fudaba.v1.CatalogService/ListGames"
PART = b"\0\0\x0f\x42\x40" + b"\0" * 990_000
"""Nearly all of a message of a million bytes; sixteen are read at once."""


async def test_what_calls_took_goes_back_to_the_system_once_they_are_over(folder: Path) -> None:
    with limited(folder) as service:
        process = Process(service.pid)
        before = process.memory_mb()
        held = [await Deaf.connect(service.address) for _ in range(8)]
        for _ in range(2):
            for deaf in held:
                await deaf.begin(LIST, "", PART)
        await until(lambda: process.memory_mb() > before + _MIN_HELD_MB, "memory for what is held")
        await asyncio.sleep(2.5)  # it is looked at while all is held, too
        held_mb = process.memory_mb() - before
        for deaf in held:
            deaf.close()
        await until(lambda: process.memory_mb() < before + held_mb / 2, "its return")
