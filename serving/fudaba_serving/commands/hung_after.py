"""The option `--hung-after`, which `fudaba serve` and `fudaba up` share."""

from __future__ import annotations

from typing import Any, Final

import click

from fudaba.heartbeat import HUNG_SECONDS

__all__ = ["hung_after_option"]

_MIN_HUNG_SECONDS: Final = 5.0
"""The minimum value other than 0: on a busy machine every process waits for a second or two."""


def _checked(_: click.Context, __: click.Parameter, seconds: float) -> float:
    if seconds != 0 and not _MIN_HUNG_SECONDS <= seconds < float("inf"):
        raise click.BadParameter(
            f"{seconds:g} is not enough: write {_MIN_HUNG_SECONDS:g} seconds or more, or 0 for never"
        )
    return seconds


def hung_after_option(function: Any) -> Any:
    """Adds the option. The command gets its value as the argument `hung_after`, in seconds."""
    return click.option(
        "--hung-after",
        type=float,
        default=HUNG_SECONDS,
        show_default=True,
        callback=_checked,
        metavar="SECONDS",
        envvar="FUDABA_HUNG_AFTER",
        show_envvar=True,
        help="Restart a process that has been silent for this long; 0: never.",
    )(function)
