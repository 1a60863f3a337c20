"""Operations that are repeated until they are answered."""

from __future__ import annotations

import pytest

from fudaba_arena.retry import Retry


class Away(Exception):
    """Nobody answers."""


class Operation:
    """Fails so often, then answers."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.tried = 0

    async def __call__(self) -> int:
        self.tried += 1
        if self.tried <= self.failures:
            raise Away(f"nobody answers, {self.tried}")
        return self.tried


def a_retry() -> tuple[Retry[Away], list[str], list[Away]]:
    said: list[str] = []
    failed: list[Away] = []
    return Retry("the store", Away, said.append, failed.append, max_pause_seconds=0.01), said, failed


async def test_an_operation_is_repeated_until_it_is_answered_and_people_are_told_once() -> None:
    retry, said, failed = a_retry()
    assert await retry(Operation(3)) == 4
    assert len(failed) == 3
    first, last = said
    assert first == "nobody answers, 1; trying again until it answers"
    assert last.startswith("the store answers again, after ")
    assert await retry(Operation(0)) == 1
    assert len(said) == 2


async def test_what_waiting_cannot_mend_is_raised_at_once() -> None:
    retry, said, failed = a_retry()
    operation = Operation(3)
    with pytest.raises(Away, match="2"):
        await retry(operation, lambda error: None if str(error).endswith("2") else 0.0)
    assert (operation.tried, len(failed), len(said)) == (2, 1, 1)


async def test_another_error_is_raised_at_once() -> None:
    async def broken() -> None:
        raise ValueError("broken")

    retry, said, _ = a_retry()
    with pytest.raises(ValueError, match="broken"):
        await retry(broken)
    assert said == []
