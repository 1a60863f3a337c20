"""A cancelled caller is cancelled, whatever the library does that it waits for; so is a task."""

from __future__ import annotations

import asyncio
import gc
import inspect
from collections.abc import Awaitable, Callable, Iterator

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from fudaba_arena.store.answers import answer as arena_answer
from fudaba_service.store.connection import answer as service_answer
from fudaba_serving.process.runner import runner
from fudaba_serving.process.tasks import cancel, spawn
from fudaba_serving.redis.answers import StoreUnavailable

ANSWERS = pytest.mark.parametrize("answer", [service_answer, arena_answer], ids=["service", "arena"])
Answer = Callable[[Awaitable[bytes] | Awaitable[None]], Awaitable[object]]
PATIENCE_SECONDS = 60.0


@pytest.fixture(autouse=True)
def nothing_left() -> None:
    """Collects what earlier tests of this process left, which would otherwise be logged as a fault of the test."""
    gc.collect()


async def started(task: asyncio.Future[object]) -> None:
    """Lets a task run until it waits for something that is not there yet."""
    for _ in range(5):
        await asyncio.sleep(0)
    assert not task.done()


@ANSWERS
async def test_a_caller_cancelled_as_the_answer_arrives_is_cancelled(answer: Answer) -> None:
    """`asyncio.wait_for`, which redis-py uses, returns the answer here instead, before Python 3.12."""
    reply: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
    asking = asyncio.ensure_future(answer(asyncio.wait_for(reply, PATIENCE_SECONDS)))
    await started(asking)
    reply.set_result(b"PONG")
    asking.cancel()
    await asyncio.wait([asking])
    assert asking.cancelled()


@ANSWERS
async def test_a_caller_cancelled_before_the_answer_stops_waiting_at_once(answer: Answer) -> None:
    reply: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
    asking = asyncio.ensure_future(answer(asyncio.wait_for(reply, PATIENCE_SECONDS)))
    await started(asking)
    asking.cancel()
    await asyncio.wait([asking])
    assert asking.cancelled()
    assert not reply.done(), "the command itself goes on"
    reply.set_result(b"PONG")


@ANSWERS
async def test_an_error_for_which_nobody_waits_any_more_is_not_logged_as_a_fault(
    answer: Answer, caplog: pytest.LogCaptureFixture
) -> None:
    closed = asyncio.Event()

    async def command() -> None:
        await closed.wait()
        raise RedisConnectionError("the store is closed")

    asking = asyncio.ensure_future(answer(command()))
    await started(asking)
    asking.cancel()
    await asyncio.wait([asking])
    closed.set()
    for _ in range(5):
        await asyncio.sleep(0)
    gc.collect()
    assert not caplog.records


async def test_a_task_that_loses_a_cancellation_is_cancelled_again() -> None:
    lost = 0

    async def work() -> None:
        nonlocal lost
        while lost < 2:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                lost += 1
        await asyncio.Event().wait()

    task = spawn(work())
    await asyncio.sleep(0)
    await cancel(task)
    assert task.cancelled()
    assert lost == 2


@pytest.fixture
def collector() -> Iterator[None]:
    """Undoes what the loop of a server sets of the cyclic collector, for the other tests of this process."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


async def fails_when_cancelled() -> bytes:
    """As a connection does that learns at the same moment that its client is closed."""
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        raise RedisConnectionError("the client is closed") from None
    raise AssertionError("it is cancelled")


@ANSWERS
def test_a_command_that_fails_at_the_end_of_any_loop_is_not_logged_as_a_fault(
    answer: Answer, caplog: pytest.LogCaptureFixture
) -> None:
    async def leave_a_command() -> None:
        asking = asyncio.ensure_future(answer(fails_when_cancelled()))
        await started(asking)
        asking.cancel()
        await asyncio.wait([asking])

    asyncio.run(leave_a_command())
    gc.collect()
    assert not caplog.records


@ANSWERS
def test_a_command_that_never_began_is_closed_at_the_end_of_any_loop(answer: Answer) -> None:
    begun = False

    async def command() -> None:
        nonlocal begun
        begun = True

    work = command()

    async def ask_as_the_loop_ends() -> None:
        await asyncio.sleep(0)
        await answer(work)

    async def leave_a_command() -> asyncio.Future[None]:
        asking = asyncio.ensure_future(ask_as_the_loop_ends())
        await asyncio.sleep(0)
        return asking

    assert asyncio.run(leave_a_command()).cancelled()
    assert not begun
    assert inspect.getcoroutinestate(work) == inspect.CORO_CLOSED


@ANSWERS
async def test_the_error_of_a_command_reaches_whoever_asked(answer: Answer) -> None:
    async def command() -> None:
        raise RedisConnectionError("the store is closed")

    with pytest.raises(StoreUnavailable, match="the store is closed"):
        await answer(command())


@pytest.mark.usefixtures("collector")
def test_a_task_that_is_left_cleans_up_before_the_end_of_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "fudaba_serving.process.tasks._CLEANUP_SECONDS", PATIENCE_SECONDS
    )  # this process may stand still
    clean = asyncio.Event()

    async def cleans_up() -> object:
        try:
            return await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.15)  # longer than `cancel` waits before it cancels again
            clean.set()

    async def leave_a_task() -> None:
        await started(asyncio.ensure_future(cleans_up()))

    with runner() as loop:
        loop.run(leave_a_task())
    assert clean.is_set()


@pytest.mark.usefixtures("collector")
def test_a_task_that_is_left_does_not_log_a_fault_at_the_end_of_a_server(caplog: pytest.LogCaptureFixture) -> None:
    async def leave_a_task() -> None:
        await started(spawn(fails_when_cancelled()))

    with runner() as loop:
        loop.run(leave_a_task())
    gc.collect()
    assert not caplog.records


@pytest.mark.usefixtures("collector")
def test_a_task_that_loses_a_cancellation_does_not_hold_up_the_end_of_a_server() -> None:
    async def loses_the_first() -> object:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return await asyncio.Event().wait()
        raise AssertionError("it is cancelled")

    async def leave_a_task() -> asyncio.Task[object]:
        task = asyncio.ensure_future(loses_the_first())
        await started(task)
        return task

    with runner() as loop:
        task = loop.run(leave_a_task())
    assert task.cancelled()
