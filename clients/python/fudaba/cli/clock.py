"""Clocks and durations in the form of the command line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import click

from fudaba.cli.connection import parse_pairs

if TYPE_CHECKING:
    from fudaba.v1 import record_pb2

__all__ = ["NO_NETWORK_CREDIT", "UNITS", "bounded_milliseconds", "milliseconds", "parse_clock"]

_TIMES: Final = {"move": "move_ms", "increment": "increment_ms", "bank": "bank_ms", "start": "start_ms"}
NO_NETWORK_CREDIT: Final = "network: all time on it is the bots' own"
"""The note about a clock without network credit."""
_COUNTS: Final = {"timeouts": "max_timeouts", "illegal": "max_illegal"}
_NETWORK: Final = "network"
UNITS: Final = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}


def parse_clock(text: str) -> record_pb2.Clock:
    """Parses a clock such as `move=10s,bank=1m`. Omitted parts have the contract's defaults.

    Raises a usage error.
    """
    from fudaba.v1 import record_pb2

    values: dict[str, Any] = {"move_ms": 10_000, "bank_ms": 60_000, "max_timeouts": 3, "max_illegal": 10}
    for name, value in parse_pairs(tuple(text.split(",")), "--clock").items():
        if name in _TIMES:
            values[_TIMES[name]] = milliseconds(f"--clock: {name}", value)
        elif name in _COUNTS:
            if not value.isdecimal():
                raise click.UsageError(f"--clock: {name} must be a number, not {value!r}")
            values[_COUNTS[name]] = int(value)
        elif name == _NETWORK:
            if value not in {"on", "off"}:
                raise click.UsageError(f"--clock: {name} is on or off, not {value!r}")
            values["no_network_credit"] = value == "off"
        else:
            raise click.UsageError(f"--clock has no {name!r}; it has: {', '.join((*_TIMES, *_COUNTS, _NETWORK))}")
    try:
        return record_pb2.Clock(**values)
    except ValueError:
        raise click.UsageError("--clock: a number is too large") from None


def milliseconds(label: str, text: str) -> int:
    """Parses a duration such as `10s` into milliseconds. Raises a usage error."""
    found = re.fullmatch(r"([0-9]+)(ms|s|m|h)", text)
    if found is None:
        raise click.UsageError(f"{label} must be a time such as 500ms, 10s, 1m or 2h, not {text!r}")
    return int(found[1]) * UNITS[found[2]]


def bounded_milliseconds(label: str, text: str | None, least: int, most: int) -> int:
    """Parses a duration between two bounds into milliseconds; 0 if none is given. Raises a usage error."""
    if text is None:
        return 0
    found = milliseconds(label, text)
    if not least <= found <= most:
        raise click.UsageError(f"{label} {text}: write a time from {least} ms to {most // UNITS['h']} h")
    return found
