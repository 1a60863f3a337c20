"""A call leaves nothing behind that only the collection of garbage would find, whether it is answered or refused."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import grpc
import pytest
from grpc import aio

from fudaba_service.refusals import Refused
from fudaba_serving.grpc.aborting import abort, abort_with_status, forget_frames
from fudaba_serving.grpc.incoming import request_of

Context = aio.ServicerContext[Any, Any]
CALL_COUNT = 20


class Called:
    """Is known by each call's frames, as its context is."""


async def with_status(context: Context) -> None:
    await abort_with_status(context, Refused.malformed("nothing is right here").status())


async def with_details(context: Context) -> None:
    await abort(context, grpc.StatusCode.UNIMPLEMENTED, "there is no such method")


async def as_grpc_does(context: Context) -> None:
    await context.abort(grpc.StatusCode.UNIMPLEMENTED, "there is no such method")


class Reading(grpc.GenericRpcHandler):
    """A server whose methods read a request as ours do, and answer with it."""

    def service(self, details: Any) -> Any:
        async def answered(requests: Any, context: Context) -> Any:
            assert context
            return await request_of(requests, None)

        return grpc.stream_unary_rpc_method_handler(answered) if details.method else None


class Refusing(grpc.GenericRpcHandler):
    """A server on which every method is refused, some calls deeper."""

    def __init__(self, end: Callable[[Context], Awaitable[None]]) -> None:
        self._end = end

    def service(self, details: Any) -> Any:
        async def refused(_: Any, context: Context) -> bytes:
            called = Called()
            try:
                raise LookupError(called)
            except LookupError:
                await self._end(context)
            return b""

        async def streamed(request: Any, context: Context) -> AsyncIterator[bytes]:
            yield await refused(request, context)

        if details.method == "/streams":
            return grpc.stream_stream_rpc_method_handler(streamed)
        return grpc.unary_unary_rpc_method_handler(refused)


@asynccontextmanager
async def serving(handler: grpc.GenericRpcHandler) -> AsyncIterator[aio.Channel]:
    server = aio.server()
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield channel
    finally:
        await server.stop(None)


async def refusal(channel: Any, method: str) -> str | None:
    """Returns what a call is told that is refused."""
    try:
        if method == "/streams":
            await channel.stream_stream(method)().read()  # it writes nothing that the refusal could overtake
        else:
            await channel.unary_unary(method)(b"")
    except aio.AioRpcError as error:
        return error.details()
    raise AssertionError("it was answered")


@contextmanager
def garbage_stays() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


async def left_of_calls(end: Callable[[Context], Awaitable[None]], method: str) -> int:
    """Returns how many of some calls that were refused are still known to somebody, while no garbage is collected."""
    with garbage_stays():
        async with serving(Refusing(end)) as channel:
            for _ in range(CALL_COUNT):
                assert await refusal(channel, method) in {"there is no such method", "nothing is right here"}
        return left(Called)  # the server has ended, and so has each call's task


def left(kind: type) -> int:
    """Returns how many objects of a kind are there."""
    return sum(isinstance(candidate, kind) for candidate in gc.get_objects())


@pytest.mark.parametrize("method", ["/unary", "/streams"])
@pytest.mark.parametrize("end", [with_status, with_details])
async def test_a_refused_call_is_forgotten_at_once(end: Callable[[Context], Awaitable[None]], method: str) -> None:
    assert await left_of_calls(end, method) == 0


@pytest.mark.exhaustive
async def test_without_that_each_would_stay_until_garbage_is_collected() -> None:
    assert await left_of_calls(as_grpc_does, "/unary") == CALL_COUNT


async def test_an_answered_call_is_forgotten_at_once() -> None:
    with garbage_stays():
        async with serving(Reading()) as channel:
            unary: Any = channel.unary_unary("/unary")
            for _ in range(CALL_COUNT):
                assert await unary(b"x") == b"x"
        assert sum(type(candidate).__name__ == "_MessageReceiver" for candidate in gc.get_objects()) == 0


async def fails(called: Called) -> None:
    error = LookupError(f"{called} is known by a frame, and the error by a name in it")
    raise error


async def fails_deeper(called: Called) -> None:
    task = asyncio.ensure_future(fails(called))
    try:
        await asyncio.shield(task)
    except LookupError as error:
        refused = Refused.malformed("it is known by a name, too")
        raise refused from error


async def is_forgotten(forget: Callable[[BaseException], None]) -> bool:
    """Returns whether what the frames of a failure knew is gone while no garbage is collected."""
    called = Called()
    known = weakref.ref(called)
    with garbage_stays():
        try:
            await fails_deeper(called)
        except Refused as refused:
            forget(refused)
        del called
        return known() is None


def raised(error: Exception) -> Exception:
    """Returns the same error, with the frame that it came through."""
    try:
        raise error
    except Exception as caught:  # noqa: BLE001  # whatever it is
        return caught


def chain_of_itself() -> list[BaseException]:
    error = raised(LookupError("it is its own cause"))
    error.__cause__ = error
    return [error]


def loop_of_causes_and_contexts() -> list[BaseException]:
    errors: list[BaseException] = [raised(LookupError(str(number))) for number in range(4)]
    for number, error in enumerate(errors):
        following = errors[(number + 1) % len(errors)]
        if number % 2:
            error.__cause__ = following
        else:
            error.__context__ = following
    return errors


def cause_beside_a_context() -> list[BaseException]:
    error, cause, context = (raised(LookupError(name)) for name in ("error", "cause", "context"))
    error.__cause__, error.__context__ = cause, context
    return [error, cause, context]


def group_of_errors() -> list[BaseException]:
    members = [raised(LookupError("one")), raised(KeyError("another"))]
    group = raised(ExceptionGroup("several", members))
    members[0].__context__ = group
    return [group, *members]


@pytest.mark.parametrize(
    "chain", [chain_of_itself, loop_of_causes_and_contexts, cause_beside_a_context, group_of_errors]
)
def test_whatever_errors_come_from_is_forgotten_once_also_in_a_circle(
    chain: Callable[[], list[BaseException]],
) -> None:
    errors = chain()
    assert all(error.__traceback__ is not None for error in errors)
    forget_frames(errors[0])
    assert [error.__traceback__ for error in errors] == [None] * len(errors)


async def test_an_error_that_is_forgotten_holds_nothing_though_frames_and_tasks_know_it() -> None:
    assert await is_forgotten(forget_frames)
    assert not await is_forgotten(lambda _: None)
