"""What the connections of one client know of each other."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from pathlib import Path
from types import NoneType
from typing import Any

import pytest
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ReadOnlyError

from fudaba_serving.redis.connections import redis_client
from tests.support.certificates import certify
from tests.support.service.processes import RedisServer
from tests.support.service.tls_front import tls_front


async def test_a_connection_that_had_its_answer_to_come_as_its_server_was_demoted_is_not_used_again(
    tmp_path: Path,
) -> None:
    with RedisServer(tmp_path) as server:
        server.start()
        once = Retry(NoBackoff(), 0)
        client = redis_client(
            server.url, connections=2, wait=None, answer_seconds=None, connect_seconds=300, retry=once
        )
        pool: Any = client.connection_pool  # redis-py types little of it
        held = await pool.get_connection()
        await held.send_command("CLIENT", "ID")
        with server.client() as organiser:
            organiser.replicaof("127.0.0.1", str(server.port))
            with pytest.raises(ReadOnlyError):
                await client.set("text", "x")
            organiser.replicaof("NO", "ONE")
        before = await held.read_response()
        await pool.release(held)
        assert before not in await asyncio.gather(*[client.client_id() for _ in range(2)])
        await client.aclose()


async def test_the_certificates_of_this_machine_are_read_once_for_all_connections(
    tmp_path: Path, need_tool: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    certify(need_tool("openssl"), cert, key)
    contexts: list[ssl.SSLContext] = []
    create = ssl.create_default_context

    def create_and_note() -> ssl.SSLContext:
        contexts.append(create())
        return contexts[-1]

    with RedisServer(tmp_path) as server, tls_front(server.start().port, cert, key) as port:
        monkeypatch.setattr(ssl, "create_default_context", create_and_note)
        client = redis_client(
            f"rediss://localhost:{port}/0?ssl_ca_certs={cert}",
            connections=3,
            wait=None,
            answer_seconds=None,
            connect_seconds=300,
            retry=Retry(NoBackoff(), 0),
        )
        assert len(set(await asyncio.gather(*[client.client_id() for _ in range(3)]))) == 3
        await client.aclose()
    assert len(contexts) == 1


async def test_a_command_that_is_on_its_way_when_its_client_closes_leaves_no_connection(valkey_url: str) -> None:
    for turns in range(12):  # of the event loop: from before the connection is begun to after the answer
        client = redis_client(
            valkey_url, connections=1, wait=None, answer_seconds=None, connect_seconds=300, retry=Retry(NoBackoff(), 1)
        )
        command = asyncio.ensure_future(client.client_id())
        for _ in range(turns):
            await asyncio.sleep(0)
        await client.aclose()
        await asyncio.wait([command])
        assert isinstance(command.exception(), RedisConnectionError | NoneType), turns
        pool: Any = client.connection_pool  # redis-py types little of it
        assert not any(connection.is_connected for connection in pool._available_connections), turns


async def test_a_closed_client_refuses_commands(valkey_url: str) -> None:
    client = redis_client(
        valkey_url, connections=1, wait=None, answer_seconds=None, connect_seconds=300, retry=Retry(NoBackoff(), 1)
    )
    await client.aclose()
    with pytest.raises(RedisConnectionError, match="its client is closed"):
        await client.client_id()
