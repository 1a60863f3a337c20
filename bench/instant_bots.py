"""Instant bots that take all they can, as `python -m bench.instant_bots PORT single|batches`, which reads tokens from
its input.
"""

from __future__ import annotations

import asyncio
import sys

from bench.play import Counts, channels_to, instant_bot
from fudaba.v1 import play_pb2
from fudaba_serving.process.runner import runner


async def _main(port: str, *, batches: bool) -> None:
    tokens, counts = sys.stdin.read().split(), Counts()
    playing = [
        instant_bot(channel, token, counts, play_pb2.LEGAL_MOVE_FORMAT_COUNT, batches=batches)
        for channel, token in zip(await channels_to(port, len(tokens)), tokens, strict=True)
    ]
    print("playing", flush=True)
    await asyncio.gather(*playing)


if __name__ == "__main__":
    with runner() as loop:
        loop.run(_main(sys.argv[1], batches=sys.argv[2] == "batches"))
