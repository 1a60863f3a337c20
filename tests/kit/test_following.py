"""Commands that follow a stream ask for it again after a failure that may pass, and say so once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from fudaba.cli.following import follow
from fudaba.errors import ServiceError

LOST = ServiceError("UNAVAILABLE", "no connection")


def test_a_stream_goes_on_after_failures_and_ends_with_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[int] = []

    def numbers() -> Iterator[int]:
        """Yields the numbers that were not seen yet. Twice in a row it fails before the first, and once after it."""
        attempts.append(len(seen))
        if len(attempts) < 3:
            raise LOST
        yield len(seen)
        if len(attempts) == 3:
            raise LOST
        yield from range(len(seen), 3)

    attempts: list[int] = []
    for number in follow(numbers):
        seen += [number]  # at once: the stream goes on from there
    assert seen == [0, 1, 2]
    assert attempts == [0, 0, 0, 1]
    assert capsys.readouterr().err == "no connection; trying again\n" * 2


def test_an_endless_stream_is_asked_for_again_when_it_ends() -> None:
    assert list(islice(follow(lambda: ["news"], endless=True), 2)) == ["news", "news"]


def test_a_refusal_that_stays_ends_the_stream() -> None:
    def refused() -> Iterator[int]:
        raise ServiceError("NOT_FOUND", "there is no tournament", reason="TOURNAMENT_NOT_FOUND")

    with pytest.raises(ServiceError, match="there is no tournament"):
        list(follow(refused))
