"""The relay spends processor time for a bot, and reads little of one that has used up its share."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from fudaba.client import Endpoint
from fudaba_arena.sandbox.cpu_share import CpuShare
from fudaba_arena.sandbox.frames import PREFACE
from fudaba_arena.sandbox.relay import Relay
from fudaba_arena.tournament.limits import Limits
from tests.support.arena.sandbox.http2 import END_HEADERS, HEADERS, frame
from tests.support.arena.sandbox.relayed import MUCH, PINGS, TOKEN, Far, relayed
from tests.support.patience import until


def take_no_more(relay: Relay) -> list[float]:
    """Has a bot's share of processor time be used up with whatever it does next; returns what it was charged."""
    charged: list[float] = []

    def spend(seconds: float) -> float:
        charged.append(seconds)
        return 3_600.0

    relay._cpu_share.spend = spend  # type: ignore[method-assign]  # what is spent depends on the machine
    return charged


async def test_of_a_bot_that_has_used_up_its_share_of_time_little_is_read_on_any_connection(folder: Path) -> None:
    dear = frame(HEADERS, b"\x82" * 150, END_HEADERS)
    async with relayed(folder, Far(), Limits()) as relay:
        writers = [(await asyncio.open_unix_connection(str(relay.path)))[1] for _ in range(3)]
        await until(lambda: relay.connections == 3, "the connections")
        charged = take_no_more(relay)
        for writer in writers:
            writer.write(PREFACE + dear * 500)
        await until(lambda: len(charged) == 3, "what comes of each")
        assert charged == [0, 0, 0], "whether there is some left is asked before anything is read"
        assert relay.up == 0
        for writer in writers:
            writer.transport.abort()


async def test_a_bot_that_has_used_up_its_share_of_time_gets_no_further_connection(folder: Path) -> None:
    far = Far()
    async with relayed(folder, far, Limits()) as relay:
        charged = take_no_more(relay)
        writers = [(await asyncio.open_unix_connection(str(relay.path)))[1] for _ in range(3)]
        for writer in writers:
            writer.write(PREFACE)
        await until(lambda: len(charged) == 2, "the first one, and what it says")
        assert (relay.connections, sorted(charged)) == (1, [0, 0.001])
        for writer in writers:
            writer.transport.abort()


async def test_a_bot_that_has_used_up_its_share_of_time_takes_none_of_another_s(folder: Path) -> None:
    async with relayed(folder, Far(), Limits()) as relay:
        other = await Relay.open(Endpoint(f"unix:{folder}/far"), folder / "other", Limits(), TOKEN)
        take_no_more(relay)
        _, waiting = await asyncio.open_unix_connection(str(relay.path))
        waiting.write(PREFACE + MUCH)
        reader, writer = await asyncio.open_unix_connection(str(other.path))
        writer.write(PREFACE + PINGS)
        assert await reader.readexactly(len(PREFACE + PINGS)) == PREFACE + PINGS
        await other.close()
        for end in (waiting, writer):
            end.transport.abort()


async def test_a_bot_pays_for_each_step_also_where_nothing_of_it_has_to_be_read(folder: Path) -> None:
    async with relayed(folder, Far(), Limits()) as relay:
        reader, writer = await asyncio.open_unix_connection(str(relay.path))
        charged: list[float] = []
        spend = relay._cpu_share.spend

        def noted(seconds: float) -> float:
            charged.append(seconds)
            return spend(seconds)

        relay._cpu_share.spend = noted  # type: ignore[method-assign]  # it does the same, and notes what
        writer.write(PREFACE + frame(0xFA, bytes(1_000))[:9])
        assert await reader.readexactly(len(PREFACE) + 9)
        for _ in range(100):
            writer.write(b"x")
            assert await reader.readexactly(1) == b"x"
        steps = [seconds for seconds in charged if seconds >= 0.00004]
        assert len(steps) >= 200, "each byte there and back"
        writer.transport.abort()


def test_a_share_of_processor_time_is_earned_as_time_goes_by_and_little_is_saved_up() -> None:
    times = [0.0]
    share = CpuShare(lambda: times[0])
    times[0] = 1_000.0
    assert share.spend(0.05) == 0
    assert share.spend(0.01) == pytest.approx(0.2)
    times[0] += 0.1
    assert share.spend(0) == pytest.approx(0.1)
    times[0] += 0.1
    assert share.spend(0) == pytest.approx(0)
