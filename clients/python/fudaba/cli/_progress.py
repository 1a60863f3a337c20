"""A progress bar for what takes more than two seconds, on a terminal only."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import click

_PATIENCE: Final = 2.0


@contextlib.contextmanager
def progress(total: int, label: str) -> Iterator[Callable[[], None]]:
    """Gives a function to call after each of `total` steps. The bar goes to standard error."""
    began = time.monotonic()
    done = 0
    bar: Any = None
    with contextlib.ExitStack() as stack:

        def step() -> None:
            nonlocal done, bar
            done += 1
            if bar is not None:
                bar.update(1)
            elif sys.stderr.isatty() and time.monotonic() - began > _PATIENCE:
                bar = stack.enter_context(click.progressbar(length=total, label=label, file=sys.stderr))
                bar.update(done)

        yield step
