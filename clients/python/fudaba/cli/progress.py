"""A progress bar on a terminal, for work that takes more than two seconds."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Any, Final, Protocol

import click

__all__ = ["Step", "progress"]

_PATIENCE_SECONDS: Final = 2.0


class Step(Protocol):
    """Reports finished steps to the bar."""

    def __call__(self, count: int = 1, /) -> None:
        """Counts finished steps."""


@contextlib.contextmanager
def progress(total: int, label: str) -> Iterator[Step]:
    """Returns a function to call after each of `total` steps, or after some of them. The bar goes to standard error."""
    began = time.monotonic()
    done = 0
    bar: Any = None
    with contextlib.ExitStack() as stack:

        def step(count: int = 1, /) -> None:
            nonlocal done, bar
            done += count
            if bar is not None:
                bar.update(count)
            elif sys.stderr.isatty() and time.monotonic() - began > _PATIENCE_SECONDS:
                bar = stack.enter_context(click.progressbar(length=total, label=label, file=sys.stderr))
                bar.update(done)

        yield step
