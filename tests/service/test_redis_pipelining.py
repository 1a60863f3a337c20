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
    one = Pipelined(client, answer_seconds)
    try:
        yield one
    finally:
        await one.close()
        await client.aclose()


async def test_everybody_gets_the_answer_to_what_was_asked(redis: RedisServer) -> None:
    async with pipelined(redis) as one:
        answers = await asyncio.gather(*(one("ECHO", f"{number}") for number in range(500)))
        assert answers == [f"{number}".encode() for number in range(500)]


async def test_a_server_that_takes_no_more_writes_is_left_for_whichever_its_name_leads_to_by_now(
    redis: RedisServer,
) -> None:
    async with pipelined(redis) as one:
        before = await one("CLIENT", "ID")
        with redis.client() as client:
            client.replicaof("127.0.0.1", str(redis.port))
        with pytest.raises(ReadOnlyError):
            await one("SET", "text", "x")
        assert await one("CLIENT", "ID") != before


async def test_who_waits_no_more_leaves_the_answers_to_others_as_they_are(redis: RedisServer) -> None:
    async with pipelined(redis) as one:
        asked = [asyncio.ensure_future(one("ECHO", f"{number}")) for number in range(10)]
        await asyncio.sleep(0)
        for gone in asked[::2]:
            gone.cancel()
        assert await asyncio.gather(*asked[1::2]) == [b"1", b"3", b"5", b"7", b"9"]
        assert await one("ECHO", "x") == b"x"


async def test_what_redis_refuses_is_an_error_of_that_command_alone(redis: RedisServer) -> None:
    async with pipelined(redis) as one:
        asked = one("SET", "text", "x"), one("LPOP", "text"), one("GET", "text")
        answers = await asyncio.gather(*asked, return_exceptions=True)
        assert [answers[0], type(answers[1]), answers[2]] == [b"OK", ResponseError, b"x"]


async def test_commands_that_go_together_are_answered_each_for_itself(redis: RedisServer) -> None:
    async with pipelined(redis) as one:
        answers = await one.together([("SET", "text", "x"), ("LPOP", "text"), ("GET", "text")])
        assert [answers[0], type(answers[1]), answers[2]] == [b"OK", ResponseError, b"x"]


async def test_commands_that_go_together_fail_together_when_the_connection_dies(redis: RedisServer) -> None:
    async with pipelined(redis) as one:
        number = await one("CLIENT", "ID")
        waiting = asyncio.ensure_future(one.together([("PING",), ("BLPOP", "nothing", 0), ("PING",)]))
        await asyncio.sleep(0)
        with redis.client() as other:
            other.client_kill_filter(_id=str(number))
        with pytest.raises(RedisConnectionError):
            await waiting
        assert await one.together([("PING",)]) == [b"PONG"]


async def test_who_waits_no_more_for_commands_that_go_together_leaves_the_answers_to_others(
    redis: RedisServer,
) -> None:
    async with pipelined(redis) as one:
        gone = asyncio.ensure_future(one.together([("LPOP", "nothing"), ("ECHO", "a")]))
        other = asyncio.ensure_future(one.together([("ECHO", "b")]))
        await asyncio.sleep(0)
        gone.cancel()
        assert await other == [b"b"]


async def test_a_script_that_redis_does_not_know_is_sent_to_it(redis: RedisServer) -> None:
    async with pipelined(redis) as one:
        for _ in range(2):
            assert await one.run(ECHO, ["key"], ["word"]) == [b"key", b"word"]
            await one("SCRIPT", "FLUSH")


async def test_an_answer_that_does_not_come_is_waited_for_no_longer_than_was_said(redis: RedisServer) -> None:
    async with pipelined(redis, answer_seconds=0.2) as one:
        first = await asyncio.gather(one("BLPOP", "nothing", 0), one("PING"), return_exceptions=True)
        assert [type(end) for end in first] == [RedisTimeoutError, RedisTimeoutError]
    async with pipelined(redis) as one:
        assert await one("PING") == b"PONG"


async def test_what_is_in_flight_when_the_connection_dies_fails_and_what_comes_after_does_not(
    redis: RedisServer,
) -> None:
    async with pipelined(redis) as one:
        number = await one("CLIENT", "ID")
        waiting = asyncio.ensure_future(one("BLPOP", "nothing", 0))
        await asyncio.sleep(0)
        with redis.client() as other:
            other.client_kill_filter(_id=str(number))
        with pytest.raises(RedisConnectionError):
            await waiting
        assert await asyncio.gather(*(one("ECHO", word) for word in ("a", "b"))) == [b"a", b"b"]


async def test_who_waits_for_an_answer_when_it_is_closed_is_told(redis: RedisServer) -> None:
    async with pipelined(redis) as one:
        await one("PING")
        waiting = asyncio.ensure_future(one("BLPOP", "nothing", 0))
        await asyncio.sleep(0)
        await one.close()
        with pytest.raises(RedisConnectionError):
            await waiting
