"""The proxy's faults, seen from both ends of real connections."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import NamedTuple

import pytest

from soak.chaos.proxy import DOWN_INDEX, UP_INDEX, Proxy
from tests.support.service.processes import free_port
from tests.support.stream_servers import listening, port_of


class Ends(NamedTuple):
    """Both ends of a connection through the proxy."""

    proxy: Proxy
    client: tuple[asyncio.StreamReader, asyncio.StreamWriter]
    server: tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture
async def ends() -> AsyncIterator[Ends]:
    arrived: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()

    async def keep(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        arrived.put_nowait((reader, writer))

    async with listening(keep) as server, Proxy(port_of(server)).run() as proxy:
        client = await asyncio.open_connection("127.0.0.1", proxy.port)
        beyond = await arrived.get()
        yield Ends(proxy, client, beyond)
        for _, writer in (client, beyond):
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


async def arrives(ends: Ends, direction: int, data: bytes) -> bytes:
    """Sends in a direction. Returns what comes out."""
    (_, writer), (reader, _) = (ends.client, ends.server) if direction == UP_INDEX else (ends.server, ends.client)
    writer.write(data)
    return await reader.readexactly(len(data))


async def silent(reader: asyncio.StreamReader) -> bool:
    """Returns whether nothing comes, not even an end."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(0.2):
            await reader.read(1)
            return False
    return True


async def test_bytes_pass_both_ways(ends: Ends) -> None:
    assert await arrives(ends, UP_INDEX, b"question") == b"question"
    assert await arrives(ends, DOWN_INDEX, b"answer") == b"answer"


async def test_a_reset_is_one_for_both_ends(ends: Ends) -> None:
    await arrives(ends, UP_INDEX, b"question")
    ends.proxy.reset()
    for reader, _ in (ends.client, ends.server):
        with pytest.raises(ConnectionResetError):
            await reader.read(1)


async def test_only_idle_connections_are_reset_if_so_wished(ends: Ends) -> None:
    await arrives(ends, UP_INDEX, b"question")
    [connection] = ends.proxy.connections
    connection.used += 60
    ends.proxy.reset(idle=True)
    assert await arrives(ends, DOWN_INDEX, b"answer") == b"answer"
    connection.used -= 120
    ends.proxy.reset(idle=True)
    with pytest.raises(ConnectionResetError):
        await ends.client[0].read(1)


@pytest.mark.parametrize("side", [UP_INDEX, DOWN_INDEX])
async def test_of_a_half_open_connection_one_end_goes_and_the_other_learns_nothing(ends: Ends, side: int) -> None:
    await arrives(ends, UP_INDEX, b"question")
    gone, left = (ends.client, ends.server) if side == UP_INDEX else (ends.server, ends.client)
    [connection] = ends.proxy.drop(side)
    with pytest.raises(ConnectionResetError):
        await gone[0].read(1)
    left[1].write(b"is anybody there?")
    assert await silent(left[0])
    connection.end(reset=True)
    with pytest.raises(ConnectionResetError):
        await left[0].read(1)


@pytest.mark.parametrize("direction", [UP_INDEX, DOWN_INDEX])
async def test_what_is_stalled_one_way_passes_the_other_way_and_comes_later(ends: Ends, direction: int) -> None:
    ends.proxy.stall(direction)
    (reader, _), (_, writer) = (ends.server, ends.client) if direction == UP_INDEX else (ends.client, ends.server)
    writer.write(b"late")
    assert await arrives(ends, 1 - direction, b"at once") == b"at once"
    assert await silent(reader)
    ends.proxy.heal()
    assert await reader.readexactly(4) == b"late"


async def test_a_truncated_connection_ends_in_the_middle(ends: Ends) -> None:
    ends.proxy.truncate(3)
    ends.client[1].write(b"question")
    assert await ends.server[0].read() == b"que"


async def test_delayed_bytes_stay_in_order(ends: Ends) -> None:
    ends.proxy.delay(0.05)
    for number in range(20):
        ends.client[1].write(bytes([number]))
        await asyncio.sleep(0.001)
    ends.proxy.delay(0.0)
    ends.client[1].write(bytes([20]))
    assert await ends.server[0].readexactly(21) == bytes(range(21))


async def test_who_ends_well_is_still_answered(ends: Ends) -> None:
    ends.client[1].write(b"question")
    ends.client[1].write_eof()
    assert await ends.server[0].read() == b"question"
    ends.server[1].write(b"answer")
    ends.server[1].close()
    assert await ends.client[0].read() == b"answer"


async def test_where_nobody_listens_connections_end() -> None:
    async with Proxy(free_port()).run() as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        with pytest.raises(ConnectionResetError):
            await reader.read(1)
        writer.close()
