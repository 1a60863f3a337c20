"""For how long a process may show no sign of life: the option that `fudaba serve` and `fudaba up` share."""

from __future__ import annotations

from typing import Any, Final

import click

from fudaba.heartbeat import HUNG_SECONDS

__all__ = ["hung_after_option"]

_LEAST_SECONDS: Final = 5.0
"""A busy machine makes every process wait for a second or two."""


def _checked(_: click.Context, __: click.Parameter, seconds: float) -> float:
    if seconds != 0 and not _LEAST_SECONDS <= seconds < float("inf"):
        raise click.BadParameter(f"{seconds:g} is not enough: write {_LEAST_SECONDS:g} seconds or more, or 0 for never")
    return seconds


def hung_after_option(function: Any) -> Any:
    """Adds the option, as an argument `hung_after` in seconds."""
    return click.option(
        "--hung-after",
        type=float,
        default=HUNG_SECONDS,
        show_default=True,
        callback=_checked,
        metavar="SECONDS",
        envvar="FUDABA_HUNG_AFTER",
        show_envvar=True,
        help="End and start again each process that has shown no sign of life for so long; 0: none.",
    )(function)
