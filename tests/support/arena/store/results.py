"""A store with a tournament, and results for it."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult, VoidBlock
from fudaba_arena.store.store import Store
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE
from tests.support.service.servers import each_server, executable_of

DEFINITION = {"game": "naga", "blocks": 2, "bot a": {"version": "1"}}
MASTER = bytes(range(32))
RESULT = MatchResult("t-b0-a", 0, 0, ("a", "b"), (1, -1), "b", "timeouts", 1_700_000_000_000)
OTHER = MatchResult("t-b0-b", 0, 0, ("b", "a"), (1, -1), "", "", 1_700_000_000_001)
VOID = VoidBlock(0, 0, "no_show", "t-b0-a", ("b",), 1_700_000_000_000)
IDS = "t-b0-a", "t-b0-b"


def counting(block: int, *results: MatchResult) -> ClosedBlock:
    return ClosedBlock(block, block, "naga", results, len(results), at_ms=1_700_000_000_002)


def void(void_block: VoidBlock, *results: MatchResult) -> ClosedBlock:
    return ClosedBlock(void_block.block, void_block.slot, "naga", results, void=void_block, at_ms=void_block.at_ms)


async def loaded(store: Store, name: str = "t") -> StoredTournament:
    stored = await store.load(name, keep_blocks=True)
    assert stored is not None
    return stored


def answers(path: Path) -> bool:
    """Returns whether a server takes connections here; its socket is there a moment before."""
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(str(path)) == 0


@pytest.fixture(scope="module", params=each_server())
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    with short_folder() as place:
        path = place / "redis.sock"
        command = [executable_of(request.param), "--port", "0", "--unixsocket", path, "--save", "", "--dir", place]
        with subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + PATIENCE
            while not answers(path):
                assert time.monotonic() < deadline, "the store does not start"
                time.sleep(0.01)
            yield f"unix://{path}"
            process.terminate()


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    opened = Store(url)
    await opened.connect()
    yield opened
    await opened._redis.flushall()
    await opened.close()
