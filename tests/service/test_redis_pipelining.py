"""Commands that go to Redis over one connection: each gets its own answer, whatever becomes of the others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ReadOnlyError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from fudaba_serving.redis.connections import redis_client
from fudaba_serving.redis.pipelining import Pipelined, Script
from tests.support.service.processes import RedisServer

ECHO = Script("return {KEYS[1], ARGV[1]}")


@asynccontextmanager
async def pipelined(redis: RedisServer, answer_seconds: float = 60) -> AsyncIterator[Pipelined]:
    client = redis_client(
        redis.url, connections=2, wait=None, answer_seconds=60, connect_seconds=60, retry=Retry(NoBackoff(), 0)
    )
    connection = Pipelined(client, answer_seconds)
    try:
        yield connection
    finally:
        await connection.close()
        await client.aclose()


async def test_everybody_gets_the_answer_to_what_was_asked(redis: RedisServer) -> None:
    async with pipelined(redis) as connection:
        answers = await asyncio.gather(*(connection("ECHO", f"{number}") for number in range(500)))
        assert answers == [f"{number}".encode() for number in range(500)]


async def test_a_server_that_takes_no_more_writes_is_left_for_whichever_its_name_leads_to_by_now(
    redis: RedisServer,
) -> None:
    async with pipelined(redis) as connection:
        before = await connection("CLIENT", "ID")
        with redis.client() as client:
            client.replicaof("127.0.0.1", str(redis.port))
        with pytest.raises(ReadOnlyError):
            await connection("SET", "text", "x")
        assert await connection("CLIENT", "ID") != before


async def test_who_waits_no_more_leaves_the_answers_to_others_as_they_are(redis: RedisServer) -> None:
    async with pipelined(redis) as connection:
        asked = [asyncio.ensure_future(connection("ECHO", f"{number}")) for number in range(10)]
        await asyncio.sleep(0)
        for gone in asked[::2]:
            gone.cancel()
        assert await asyncio.gather(*asked[1::2]) == [b"1", b"3", b"5", b"7", b"9"]
        assert await connection("ECHO", "x") == b"x"


async def test_what_redis_refuses_is_an_error_of_that_command_alone(redis: RedisServer) -> None:
    async with pipelined(redis) as connection:
        asked = connection("SET", "text", "x"), connection("LPOP", "text"), connection("GET", "text")
        answers = await asyncio.gather(*asked, return_exceptions=True)
        assert [answers[0], type(answers[1]), answers[2]] == [b"OK", ResponseError, b"x"]


async def test_commands_that_go_together_are_answered_each_for_itself(redis: RedisServer) -> None:
    async with pipelined(redis) as connection:
        answers = await connection.together([("SET", "text", "x"), ("LPOP", "text"), ("GET", "text")])
        assert [answers[0], type(answers[1]), answers[2]] == [b"OK", ResponseError, b"x"]


async def test_commands_that_go_together_fail_together_when_the_connection_dies(redis: RedisServer) -> None:
    async with pipelined(redis) as connection:
        number = await connection("CLIENT", "ID")
        waiting = asyncio.ensure_future(connection.together([("PING",), ("BLPOP", "nothing", 0), ("PING",)]))
        await asyncio.sleep(0)
        with redis.client() as other:
            other.client_kill_filter(_id=str(number))
        with pytest.raises(RedisConnectionError):
            await waiting
        assert await connection.together([("PING",)]) == [b"PONG"]


async def test_who_waits_no_more_for_commands_that_go_together_leaves_the_answers_to_others(
    redis: RedisServer,
) -> None:
    async with pipelined(redis) as connection:
        gone = asyncio.ensure_future(connection.together([("LPOP", "nothing"), ("ECHO", "a")]))
        other = asyncio.ensure_future(connection.together([("ECHO", "b")]))
        await asyncio.sleep(0)
        gone.cancel()
        assert await other == [b"b"]


async def test_a_script_that_redis_does_not_know_is_sent_to_it(redis: RedisServer) -> None:
    async with pipelined(redis) as connection:
        for _ in range(2):
            assert await connection.run(ECHO, ["key"], ["word"]) == [b"key", b"word"]
            await connection("SCRIPT", "FLUSH")


async def test_an_answer_that_does_not_come_is_waited_for_no_longer_than_was_said(redis: RedisServer) -> None:
    async with pipelined(redis, answer_seconds=0.2) as connection:
        first = await asyncio.gather(connection("BLPOP", "nothing", 0), connection("PING"), return_exceptions=True)
        assert [type(end) for end in first] == [RedisTimeoutError, RedisTimeoutError]
    async with pipelined(redis) as connection:
        assert await connection("PING") == b"PONG"


async def test_what_is_in_flight_when_the_connection_dies_fails_and_what_comes_after_does_not(
    redis: RedisServer,
) -> None:
    async with pipelined(redis) as connection:
        number = await connection("CLIENT", "ID")
        waiting = asyncio.ensure_future(connection("BLPOP", "nothing", 0))
        await asyncio.sleep(0)
        with redis.client() as other:
            other.client_kill_filter(_id=str(number))
        with pytest.raises(RedisConnectionError):
            await waiting
        assert await asyncio.gather(*(connection("ECHO", word) for word in ("a", "b"))) == [b"a", b"b"]


async def test_who_waits_for_an_answer_when_it_is_closed_is_told(redis: RedisServer) -> None:
    async with pipelined(redis) as connection:
        await connection("PING")
        waiting = asyncio.ensure_future(connection("BLPOP", "nothing", 0))
        await asyncio.sleep(0)
        await connection.close()
        with pytest.raises(RedisConnectionError):
            await waiting
