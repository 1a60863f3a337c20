"""HTTP/2 pings: a flood ends its connection, and what clients send to look whether it is alive does not."""

from __future__ import annotations

import asyncio
import random
import struct

from grpc_health.v1 import health_pb2

from tests.support.hostile.wire import (
    ACK,
    DATA,
    END_HEADERS,
    END_STREAM,
    GOAWAY,
    HEADERS,
    PING,
    PREFACE,
    SETTINGS,
    Breaker,
    frame,
    grpc_message,
)
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service

ENHANCE_YOUR_CALM_CODE = 11
"""ENHANCE_YOUR_CALM."""
FLOOD = frame(PING, 0, 0, b"a ping -") * 1_000


class Connection:
    """A connection, frame by frame."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def frame(self) -> tuple[int, int, bytes]:
        """Returns the next frame: its kind, its flags, what is in it."""
        head = await self.reader.readexactly(9)
        return head[3], head[4], await self.reader.readexactly(int.from_bytes(head[:3], "big"))


async def connect(service: Service) -> Connection:
    host, _, port = service.address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(PREFACE + frame(SETTINGS, 0, 0, b""))
    return Connection(reader, writer)


async def test_a_flood_of_pings_ends_its_connection_with_a_word_why(service: Service) -> None:
    connection = await connect(service)
    connection.writer.write(FLOOD)
    while True:
        kind, _, payload = await connection.frame()
        if kind == GOAWAY:
            break
    _, code = struct.unpack(">II", payload[:8])
    assert code == ENHANCE_YOUR_CALM_CODE
    assert b"too_many_pings" in payload
    async with asyncio.timeout(PATIENCE):
        await connection.reader.read()  # until it is closed
    connection.writer.close()


async def test_pings_between_answers_never_end_a_connection(service: Service) -> None:
    connection = await connect(service)
    headers = Breaker(random.Random(0), "/grpc.health.v1.Health/Check", "").headers()
    body = grpc_message(health_pb2.HealthCheckRequest().SerializeToString())
    ping = frame(PING, 0, 0, b"a ping -")
    answers = acknowledged = 0
    for number in range(200):
        stream = 2 * number + 1
        call = frame(HEADERS, END_HEADERS, stream, headers) + frame(DATA, END_STREAM, stream, body)
        # As clients do that measure how much a connection carries: for each answer a ping, or some.
        connection.writer.write(call + ping * 3)
        while answers <= number or acknowledged < 3 * (number + 1):
            kind, flags, _ = await connection.frame()
            assert kind != GOAWAY
            answers += kind == HEADERS and flags & END_STREAM
            acknowledged += kind == PING and flags & ACK
    assert answers == 200
    assert acknowledged == 600
    connection.writer.close()


async def test_a_client_that_looks_more_often_than_it_should_is_not_cut_at_once(service: Service) -> None:
    connection = await connect(service)
    acknowledged = 0
    for _ in range(50):
        connection.writer.write(frame(PING, 0, 0, b"a ping -"))
        while True:
            kind, flags, _ = await connection.frame()
            assert kind != GOAWAY
            if kind == PING and flags & ACK:
                break
        acknowledged += 1
    assert acknowledged == 50
    connection.writer.close()
