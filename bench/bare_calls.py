"""Makes the gRPC calls of a worker's matches bare, as `python -m bench.bare_calls ADDRESS TOKEN-FILE AT-ONCE SECONDS`.

For each match of two built-in bots it calls CreateMatch, CreateMatchToken for both seats, and AwaitMatch; for every two
matches, which are a block, ReleaseMatches. It uses generated stubs, one channel and asyncio's own event loop, and
stores, checks and repeats nothing. The bots are processes like those that a worker starts, and their CPU time does not
count. It prints the number of matches, and the CPU time in seconds that this process has used meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any

from grpc import aio

from bench.standing import PROGRAM
from fudaba.codec import option_to_proto
from fudaba.v1 import (
    accounts_pb2,
    accounts_pb2_grpc,
    bots_pb2,
    bots_pb2_grpc,
    matches_pb2,
    matches_pb2_grpc,
    record_pb2,
)

_BOT_COUNT = 2
"""The number of processes."""
_WARM_UP_SECONDS = 3.0
_MIN_MATCHES = 40
"""The minimum number of matches. A measurement takes longer than requested if these take longer."""
_POLL_SECONDS = 0.2
_WAIT_MS = 20_000


class _Calls:
    def __init__(self, channel: aio.Channel, token: str, pipes: list[int]) -> None:
        self._matches: Any = matches_pb2_grpc.MatchServiceStub(channel)
        self._accounts: Any = accounts_pb2_grpc.AccountServiceStub(channel)
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._pipes = pipes
        self._run = secrets.token_hex(4)
        self._numbers = count()
        self.played = 0

    async def blocks(self) -> None:
        """Plays blocks one after another, with their two matches at once."""
        while True:
            ids = await asyncio.gather(self._match(0), self._match(1))
            request = matches_pb2.ReleaseMatchesRequest(match_ids=ids)
            await self._matches.ReleaseMatches(request, metadata=self._metadata)

    async def _match(self, first: int) -> str:
        number = next(self._numbers)
        match_id = f"{self._run}-b{number}-a"
        request = matches_pb2.CreateMatchRequest(
            match_id=match_id,
            game="naga",
            options={"deals": option_to_proto(1)},
            players=[record_pb2.Player(bot=f"bare-{(first + seat) % 2}", version="1") for seat in range(2)],
            clock=record_pb2.Clock(move_ms=10_000, bank_ms=60_000, max_timeouts=3, max_illegal=10, start_ms=60_000),
            seed=secrets.token_bytes(32),
            hidden=True,
            label=self._run,
        )
        await self._matches.CreateMatch(request, metadata=self._metadata)
        for seat in range(2):
            wish = accounts_pb2.CreateMatchTokenRequest(match_id=match_id, seat=seat)
            token = (await self._accounts.CreateMatchToken(wish, metadata=self._metadata)).token
            os.write(self._pipes[(number + seat) % len(self._pipes)], f"{token}\n".encode())
        wait = matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=_WAIT_MS)
        over = (await self._matches.AwaitMatch(wait, metadata=self._metadata)).match
        if over.state != matches_pb2.MATCH_STATE_FINISHED:
            raise RuntimeError(f"the match ended otherwise: {over}")
        self.played += 1
        return match_id


def _bot(address: str) -> tuple[subprocess.Popen[bytes], int]:
    """Returns a process of built-in bots, and the stream that takes its match tokens."""
    reader, writer = os.pipe()
    words = ["bot", "run", "random", "--quiet", "--tokens", f"/dev/fd/{reader}"]
    env = os.environ | {"FUDABA_SERVER": address}
    bot = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words], pass_fds=[reader], env=env, stdout=subprocess.DEVNULL
    )
    os.close(reader)
    return bot, writer


async def _register(channel: aio.Channel, token: str) -> None:
    registry: Any = bots_pb2_grpc.BotServiceStub(channel)
    for number in range(2):
        wish = bots_pb2.CreateBotRequest(name=f"bare-{number}", version="1")
        with contextlib.suppress(aio.AioRpcError):  # an earlier run has created it
            await registry.CreateBot(wish, metadata=(("authorization", f"Bearer {token}"),))


async def _measure(address: str, token: str, pipes: list[int], at_once: int, seconds: float) -> None:
    async with aio.insecure_channel(address) as channel:
        await _register(channel, token)
        calls = _Calls(channel, token, pipes)
        playing = [asyncio.create_task(calls.blocks()) for _ in range(at_once // 2)]
        await asyncio.sleep(_WARM_UP_SECONDS)
        begun, cpu, until = calls.played, time.process_time(), time.monotonic() + seconds
        while time.monotonic() < until or calls.played < begun + _MIN_MATCHES:
            if (await asyncio.wait(playing, timeout=_POLL_SECONDS, return_when=asyncio.FIRST_EXCEPTION))[0]:
                break
        print(calls.played - begun, time.process_time() - cpu, flush=True)
        for task in playing:
            task.cancel()
        for end in await asyncio.gather(*playing, return_exceptions=True):
            if not isinstance(end, asyncio.CancelledError):
                raise RuntimeError("a match could not be played") from end


def main(address: str, token: str, at_once: int, seconds: float) -> None:
    """Prints the number of matches and the CPU time."""
    bots = [_bot(address) for _ in range(_BOT_COUNT)]
    try:
        asyncio.run(_measure(address, token, [pipe for _, pipe in bots], at_once, seconds))
    finally:
        for bot, _ in bots:
            bot.kill()
            bot.wait()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]).read_text().strip(), int(sys.argv[3]), float(sys.argv[4]))
