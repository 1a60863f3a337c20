"""What ends a bot's process, or a line that says nothing."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest
from google.rpc import code_pb2

from fudaba._play_options import PlayOptions
from fudaba.bot import Bot, Decision
from fudaba.errors import ServiceError
from tests.support.kit.scripted import First, Hosted, ended, run
from tests.support.loop_turns import closed, stop_accepting
from tests.support.patience import PATIENCE


async def test_a_process_that_is_superseded_ends_and_does_not_come_back(scripted: Any) -> None:
    async def script(line: Any) -> None:
        await line.welcome()
        await line.superseded()

    service = await scripted(script)
    with pytest.raises(ServiceError) as caught:
        await ended(run(First, service.options()))
    assert caught.value.reason == "SUPERSEDED"
    assert len(service.lines) == 1


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (code_pb2.UNAUTHENTICATED, "TOKEN_UNKNOWN"),
        (code_pb2.PERMISSION_DENIED, "BOT_ONLY"),
        (code_pb2.INVALID_ARGUMENT, "MALFORMED"),
        (code_pb2.INVALID_ARGUMENT, "MESSAGE_TOO_LARGE"),
    ],
)
async def test_what_trying_again_cannot_mend_ends_the_process(scripted: Any, code: int, reason: str) -> None:
    async def script(line: Any) -> None:
        await line.read()  # while the first message is written, gRPC can lose a refusal, which is asked for again
        await line.abort(code, reason, "no")

    service = await scripted(script)
    with pytest.raises(ServiceError) as caught:
        await ended(run(First, service.options()))
    assert caught.value.reason == reason
    assert len(service.lines) == 1


async def test_a_service_that_takes_the_call_and_says_nothing_is_called_again(scripted: Any) -> None:
    async def silent(line: Any) -> None:
        await line.read()

    async def second(line: Any) -> None:
        await line.welcome()
        await line.host(Hosted())

    service = await scripted(silent, second)
    tally = await ended(run(First, service.options(matches=1, welcome_seconds=0.3)))
    assert tally.finished == 1
    assert len(service.lines) >= 2  # more if this process was slow to say something, too


async def joined(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, carry: Callable[..., Awaitable[None]]
) -> None:
    """Carries what comes over a connection to a socket, and back, until one side ends or this is cancelled."""
    async with contextlib.AsyncExitStack() as stack:
        stack.callback(writer.transport.abort)
        stack.enter_context(contextlib.suppress(asyncio.CancelledError))  # the server that runs this must not log it
        inner_reader, inner_writer = await asyncio.open_unix_connection(path)
        stack.callback(inner_writer.transport.abort)
        carriers = [
            asyncio.ensure_future(carry(reader, inner_writer)),
            asyncio.ensure_future(carry(inner_reader, writer)),
        ]
        try:
            await asyncio.wait(carriers, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for carrier in carriers:
                carrier.cancel()
            await asyncio.gather(*carriers, return_exceptions=True)


async def test_a_dead_line_is_noticed(scripted: Any, tmp_path: Any) -> None:
    """A relay stands between; it stops carrying anything but keeps the connection."""
    hosted = Hosted()
    frozen = asyncio.Event()

    async def first(line: Any) -> None:  # which a busy machine may take for dead before
        await line.welcome()
        await line.send(hosted.update(started=True))
        await line.judge(hosted, await line.answer())
        await line.answer()
        frozen.set()

    async def second(line: Any) -> None:
        await line.welcome()
        await line.host(hosted)

    service = await scripted(first, second)
    handlers: list[Any] = []
    connections = 0

    async def carry(source: asyncio.StreamReader, target: asyncio.StreamWriter, number: int) -> None:
        while data := await source.read(65536):
            if number == 1 and frozen.is_set():
                await asyncio.Event().wait()
            target.write(data)
            await target.drain()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        handlers.append(asyncio.current_task())
        connections += 1
        await joined(reader, writer, service.address.removeprefix("unix:"), partial(carry, number=connections))

    relayed = await asyncio.start_unix_server(relay, tmp_path / "relay")
    options = PlayOptions(address=f"unix:{tmp_path}/relay", matches=1, keepalive_time_ms=300, keepalive_timeout_ms=300)
    assert (await ended(run(First, options))).finished == 1
    assert connections >= 2
    await stop_accepting(relayed)
    for handler in handlers:
        handler.cancel()
    await asyncio.gather(*handlers, return_exceptions=True)
    await closed()


async def test_a_service_that_is_not_there_can_be_given_up(tmp_path: Any) -> None:
    options = PlayOptions(address=f"unix:{tmp_path}/nobody", retry_seconds=0.5)
    with pytest.raises(ServiceError, match="cannot reach the service at unix:"):
        await ended(run(First, options))


async def test_stopping_ends_at_once_even_while_a_bot_thinks(scripted: Any) -> None:
    thinking, never = threading.Event(), threading.Event()

    class Slow(Bot):
        def choose(self, decision: Decision) -> Any:
            thinking.set()
            never.wait(2 * PATIENCE)
            return 0

    async def script(line: Any) -> None:
        await line.welcome()
        await line.send(Hosted().update(started=True))

    service = await scripted(script)
    stop = asyncio.Event()
    running = run(Slow, service.options(), stop)
    await asyncio.to_thread(thinking.wait, PATIENCE)
    stop.set()
    tally = await ended(running)
    never.set()
    assert tally.finished == 0
