"""The service under measurement, as `python -m bench.service_process DATA [REDIS|-] [PROCESSES] [APPENDFSYNC]`.

It prints the port, the token and the Redis URL.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Literal

from fudaba_service.processes.several import serve_several
from fudaba_service.settings import Settings
from fudaba_service.startup.server import serve
from fudaba_serving.process.runner import runner


async def _main(
    data: str, redis: str = "-", processes: str = "1", appendfsync: Literal["everysec", "always"] = "everysec"
) -> None:
    settings = Settings(
        Path(data),
        listen="127.0.0.1:0",
        redis=None if redis == "-" else redis,
        processes=int(processes),
        appendfsync=appendfsync,
    )
    never = asyncio.Event()
    async with serve(settings, never) if processes == "1" else serve_several(settings, never, never) as running:
        print(running.address.rpartition(":")[2], running.made.organiser, running.redis_url, flush=True)
        await never.wait()


if __name__ == "__main__":
    with runner() as loop:
        loop.run(_main(*sys.argv[1:]))  # type: ignore[arg-type]  # checked by what takes it
