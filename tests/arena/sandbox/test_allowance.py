"""The allowance of a bot that may not ponder: what it comes to for a group whose processor time is given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import final

import pytest

from fudaba.v1 import play_pb2
from fudaba_arena.sandbox.freezer import STATE_V2, Freezer
from fudaba_arena.sandbox.owed_decisions import OwedDecisions
from fudaba_arena.sandbox.pondering import MAX_ALLOWANCE_SECONDS, Pondering
from tests.support.arena.sandbox.http2 import data, prefixed
from tests.support.patience import until

MAX_FROZEN_SECONDS = 1.1
"""The docs say a second; the look at it comes some milliseconds after that."""


@final
class Group:
    """A folder like that of a control group, with a state and without threads; and the time that it has used."""

    def __init__(self, folder: Path) -> None:
        self.cpu = 0.0
        self.used_until_next_look = 0.0
        self._state = folder / STATE_V2
        self._state.write_text("0", encoding="ascii")
        self.freezer = Freezer(folder, self._cpu)

    def _cpu(self) -> float:
        self.cpu += self.used_until_next_look
        return self.cpu

    @property
    def frozen(self) -> bool:
        return self._state.read_text(encoding="ascii") == "1"


@final
class Socket:
    """What the bot has not read, as the relay tells it, and how often it was asked."""

    def __init__(self) -> None:
        self.unread = True
        self.looks = 0

    def __call__(self) -> bool:
        self.looks += 1
        return self.unread


@pytest.fixture
def group(tmp_path: Path) -> Group:
    return Group(tmp_path)


@pytest.fixture
def socket() -> Socket:
    return Socket()


@pytest.fixture
async def pondering(group: Group, socket: Socket) -> AsyncIterator[Pondering]:
    """Of a bot that follows its seat, owes nothing, and has not read all."""
    made = Pondering()
    made.unread = socket
    connect(made.owing)
    made.started(group.freezer)
    yield made
    made.ended()


def connect(owing: OwedDecisions) -> None:
    connection = owing.connection()
    connection.called(1, b"/fudaba.v1.PlayService/Play")
    connection.down(data(prefixed(play_pb2.PlayResponse(update=play_pb2.SeatUpdate(match_id="m")))), 0.0)


async def test_whoever_used_far_too_much_before_anybody_looked_hears_news_a_second_later(
    group: Group, pondering: Pondering
) -> None:
    group.used_until_next_look = 100 * MAX_ALLOWANCE_SECONDS
    await until(lambda: group.frozen, "a bot that stands still")
    timer = pondering._timer
    assert timer is not None, "it has something to read"
    assert timer.when() - asyncio.get_running_loop().time() <= MAX_FROZEN_SECONDS
    await until(lambda: pondering.freezes > 1, "a bot that could read meanwhile")


async def test_nobody_stands_still_for_waiting_before_all_is_read(
    group: Group, socket: Socket, pondering: Pondering
) -> None:
    await until(lambda: socket.looks > 3, "some looks")
    assert not group.frozen
    socket.unread = False
    await until(lambda: group.frozen, "a bot that stands still")
    assert pondering._timer is None, "nothing is wanted of it"
