"""Whatever a worker cannot start leaves no file open: where files run out, fewer would be left with each attempt."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from fudaba.bot_program import BotLog, BotProgram
from fudaba_arena.workers.built_in import _Process
from fudaba_arena.workers.canary import _Canary
from tests.support.descriptors import open_files


@asynccontextmanager
async def leaves_no_file_open() -> AsyncIterator[None]:
    before = open_files(os.getpid())
    with pytest.raises(OSError, match=r"No such file|Is a directory"):
        yield
    await asyncio.sleep(0)  # a transport closes its pipe in the loop's next step
    assert open_files(os.getpid()) == before


async def test_a_bot_that_is_given_as_a_command(tmp_path: Path) -> None:
    log = BotLog(tmp_path / "log")
    async with leaves_no_file_open():
        await BotProgram(["true"], log, cwd=tmp_path / "gone", env={}).run()
    log.close()


async def test_a_process_of_built_in_bots(tmp_path: Path) -> None:
    async with leaves_no_file_open():
        _Process(["true"], {}, tmp_path / "gone" / "log")


async def test_the_canary(tmp_path: Path) -> None:
    async with leaves_no_file_open(), AsyncExitStack() as stack:
        await _Canary.started(stack, {}, tmp_path)
