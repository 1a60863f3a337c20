"""The first message of a bot's stream: what it has seen, what it wants to receive, and how much it can play."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import Final, final

from grpc import aio

from fudaba.v1 import play_pb2
from fudaba_service.api.guard import Context
from fudaba_service.refusals import Refused
from fudaba_service.sessions.followers import Delivery
from fudaba_service.store import Opening
from fudaba_serving.grpc.requests import TooLarge

__all__ = ["Hello", "read_hello"]

_HELLO_TIMEOUT_SECONDS: Final = 20.0
_MAX_MATCHES_SEEN: Final = 1_000
_PROCESS: Final = re.compile("[A-Za-z0-9]{1,40}")


@final
@dataclass(frozen=True, slots=True)
class Hello:
    """A bot's hello."""

    delivery: Delivery
    seen: dict[str, play_pb2.Seen]
    """The part of each of its matches that it has seen, by match id."""
    capacity: int
    """The number of matches that it plays at once; 0 for any number."""
    batches: bool
    """Whether it accepts updates in batches."""
    opening: Opening
    """The opening of its stream, with the bot's own description."""


async def read_hello(context: Context, opening: Opening) -> Hello:
    """Waits for the first message. Raises `Refused` if it does not arrive, or is not a hello."""
    try:
        async with asyncio.timeout(_HELLO_TIMEOUT_SECONDS):
            message = await context.read()
    except TimeoutError as error:
        raise Refused.malformed(
            f"no hello came within {_HELLO_TIMEOUT_SECONDS:g} s; it is the first message"
        ) from error
    if isinstance(message, TooLarge):
        raise message.refusal()
    if message is aio.EOF or message.WhichOneof("message") != "hello":
        raise Refused.malformed("the first message of Play must be hello")
    hello: play_pb2.Hello = message.hello
    if len(hello.seen) > _MAX_MATCHES_SEEN:
        raise Refused.malformed(f"hello.seen has {len(hello.seen)} entries; at most {_MAX_MATCHES_SEEN}")
    seen = {seen_match.match_id: seen_match for seen_match in hello.seen}
    return Hello(Delivery(hello.delivery), seen, hello.capacity, hello.batches, _opening(opening, hello))


def _opening(opening: Opening, hello: play_pb2.Hello) -> Opening:
    if not hello.process and not hello.attempt:
        return opening
    if not _PROCESS.fullmatch(hello.process) or not hello.attempt:
        raise Refused.malformed(
            f"hello.process is {hello.process[:50]!r} and hello.attempt {hello.attempt}; send 1 to 40 letters "
            "and digits with the number of the stream, from 1, or neither"
        )
    return opening._replace(process=hello.process, attempt=hello.attempt)
