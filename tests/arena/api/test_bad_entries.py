"""Bots in a ladder that do everything wrong: what becomes of them is told, and nobody else is hurt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from fudaba.client import Client
from fudaba.v1 import arena_pb2, bots_pb2, record_pb2
from tests.support.arena.api.ladders import author, blocks, call, create, register, state_of, until
from tests.support.arena.running import Service, environment, service
from tests.support.arena.standing import Arena, standing
from tests.support.forked import Forked
from tests.support.patience import PATIENCE

LADDER = """\
name = "rough"
concurrency = 8
connect_seconds = 10
provisional_blocks = 3
narrow = 0

[[games]]
game = "naga"
options = { deals = 1 }

[[games]]
game = "nerts"
options = { target = 0 }

[clock]
move_ms = 500
bank_ms = 0
max_timeouts = 2
max_illegal = 2

[[bots]]
name = "first"
builtin = "first"

[[bots]]
name = "random"
builtin = "random"
"""
BOTS = '''\
import asyncio
import os

import fudaba


class Good(fudaba.Bot):
    def choose(self, decision):
        return 0


class Wrong(fudaba.Bot):
    """Answers at once, and never with a legal move."""

    def choose(self, decision):
        return "no such move"


class Silent(fudaba.Bot):
    """Connects, and never answers."""

    async def choose(self, decision):
        await asyncio.sleep(3600)


class Fragile(fudaba.Bot):
    """Dies in one of the games."""

    def choose(self, decision):
        if decision.game == "nerts":
            os._exit(3)
        return 0
'''


@pytest.fixture
def hosted() -> Iterator[Service]:
    with service() as running:
        yield running


@pytest.fixture
def arena(hosted: Service) -> Iterator[Arena]:
    with standing(hosted) as running:
        yield running


@contextmanager
def entered(hosted: Service, arena: Arena, folder: Path, name: str, kind: str, processes: int = 1) -> Iterator[None]:
    """Yields a bot of an author of its own, entered, as this many processes."""
    token = author(hosted, f"by-{name}")
    register(hosted, token, name)
    with Client(hosted.address, token) as client:
        own = client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=name), timeout=PATIENCE).token
    file = folder / f"{name}.token"
    file.write_text(own)
    where = ["--server", hosted.address, "--token-file", str(file)]
    call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="rough", bot=name), token)
    running = [
        Forked(["bot", "run", f"{folder}/bots.py:{kind}", *where], folder / f"{name}-{n}.log", environment())
        for n in range(processes)
    ]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def counted(arena: Arena) -> Counter[str]:
    """Returns in how many blocks that count each entrant was."""
    return Counter(bot for block in blocks(arena, "rough") for bot in block.bots)


def causes(arena: Arena, bot: str) -> set[str]:
    """Returns why a bot forfeited matches."""
    found = (
        match
        for match in arena.matches("rough")
        if match.HasField("forfeited_seat") and match.bots[match.forfeited_seat] == bot
    )
    return {str(record_pb2.ForfeitCause.Name(match.forfeit_cause)) for match in found}


@pytest.mark.nightly(
    "`test_presence.py` has bots that go, `commands/test_running_bots.py` one that loses by time, and"
    " `programs/test_checking.py` one whose answers are refused"
)
def test_bots_that_do_everything_wrong_lose_or_are_absent_and_the_others_are_rated(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    (tmp_path / "bots.py").write_text(BOTS)
    create(arena, LADDER)
    with ExitStack() as stack:
        for name, kind, processes in (
            ("good", "Good", 1), ("wrong", "Wrong", 1), ("silent", "Silent", 1), ("fragile", "Fragile", 1),
            ("twice", "Good", 2),
        ):  # fmt: skip
            stack.enter_context(entered(hosted, arena, tmp_path, name, kind, processes))
        until(arena, lambda: counted(arena)["good@1"] >= 4, "the good one plays")
        until(arena, lambda: causes(arena, "wrong@1"), "the one that is always wrong forfeits")
        until(arena, lambda: causes(arena, "silent@1"), "the one that never answers forfeits")
        gone = arena_pb2.ENTRY_STATE_ABSENT
        until(arena, lambda: state_of(arena, "rough", "fragile") == gone, "the one that died is absent")
        before = counted(arena)
        until(arena, lambda: counted(arena)["good@1"] > before["good@1"] + 2, "the good one plays on")
    assert causes(arena, "wrong@1") == {"FORFEIT_CAUSE_ILLEGAL"}
    assert causes(arena, "silent@1") == {"FORFEIT_CAUSE_TIMEOUTS"}
    assert not causes(arena, "good@1")
    assert not causes(arena, "first@1") | causes(arena, "random@1")
    assert causes(arena, "fragile@1") <= {"FORFEIT_CAUSE_TIMEOUTS"}  # its clock ran on in the matches it was in
