"""A wait that fails shows how things stand at its end, not how they stood when it began."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from fudaba.errors import ServiceError
from tests.support import patience
from tests.support.patience import Awaited, pause_seconds, until, wait_until

AWAY = ServiceError("UNAVAILABLE", "the store does not answer", reason="STORE_UNAVAILABLE")


def wait_in_a_loop(condition: Callable[[], Any], awaited: Awaited) -> Any:
    async def answered() -> Any:
        return condition()

    return asyncio.run(until(answered, awaited))


WAITS = pytest.mark.parametrize(
    "wait",
    [wait_until, lambda condition, awaited: asyncio.run(until(condition, awaited)), wait_in_a_loop],
    ids=["in a thread", "in an event loop", "in an event loop, for a coroutine"],
)


@WAITS
def test_a_wait_in_vain_shows_what_was_said_meanwhile(
    wait: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    times = iter([0.0, patience.PATIENCE])
    monkeypatch.setattr(patience, "time", SimpleNamespace(monotonic=lambda: next(times), sleep=None))

    def looked() -> bool:
        said.append("a line")
        return False

    with pytest.raises(AssertionError, match=r"it serves: \['a line'\]"):
        wait(looked, lambda: f"it serves: {said}")


@WAITS
def test_a_server_that_cannot_answer_now_is_asked_again(wait: Callable[..., Any]) -> None:
    answers: list[ServiceError | str] = [AWAY, "", AWAY, "found"]

    def looked() -> str:
        answer = answers.pop(0)
        if isinstance(answer, ServiceError):
            raise answer
        return answer

    assert wait(looked, "it answers") == "found"


@WAITS
def test_a_refusal_that_waiting_cannot_mend_ends_the_wait(wait: Callable[..., Any]) -> None:
    refusal = ServiceError("NOT_FOUND", "there is no such match", reason="MATCH_NOT_FOUND")

    def looked() -> bool:
        raise refusal

    with pytest.raises(ServiceError) as raised:
        wait(looked, "it answers")
    assert raised.value is refusal


def test_the_longer_a_test_waits_the_less_often_it_looks_and_never_seldom() -> None:
    pauses = [pause_seconds(waited) for waited in (0, 0.1, 0.5, 1, 10, 300)]
    assert pauses == sorted(pauses)
    assert 0 < pauses[0] < pauses[2] < pauses[-1] == pauses[-2] <= 0.2
