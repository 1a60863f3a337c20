"""Compares the standings in an export with those that follow from the results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from fudaba_arena.audit.faults import ExportFault

__all__ = ["published_faults", "standings_faults"]

_TOLERANCE_POINTS: Final = 0.011
"""Ratings are written with two digits. On another machine, rounding may change the last digit by one."""
_NOT_SAID: Final = {"rated_on": ""}
"""Fields that an export leaves out when they are empty."""

Line = Mapping[str, Any]


def standings_faults(exported: Iterable[Line], right: Iterable[Line]) -> Iterator[ExportFault]:
    """Compares standings. Returns at most one fault for each table."""
    wanted = {line["ladder"]: line for line in right}
    there = {line["ladder"]: line for line in exported}
    for name in sorted(wanted.keys() | there.keys()):
        if name not in there or name not in wanted:
            why = "is missing" if name in wanted else "is of no game that is played"
            yield ExportFault("STANDINGS", f"the table {name} {why}")
            continue
        different = next(_differences({**_NOT_SAID, **there[name]}, {**_NOT_SAID, **wanted[name]}, ""), "")
        if different:
            yield ExportFault("STANDINGS", f"in the table {name} {different}")


def published_faults(exported: Iterable[Line], right_at: Callable[[int], Line | None]) -> Iterator[ExportFault]:
    """Compares the ratings that were published at points of the sequence. Returns at most one fault for each point.

    `right_at` computes those of a point; None if nothing is published there.
    """
    for line in exported:
        where, right = f"in the published ratings of point {line['point']}", right_at(line["point"])
        if right is None:
            yield ExportFault("STANDINGS", f"{where}: it is no numbered point of the sequence")
        elif different := next(_differences(line, right, ""), ""):
            yield ExportFault("STANDINGS", f"{where} {different}")


def _differences(exported: Any, right: Any, where: str) -> Iterator[str]:
    if isinstance(right, Mapping) and isinstance(exported, Mapping):
        for key in right:
            yield from _differences(exported.get(key), right[key], f"{where}.{key}" if where else key)
    elif isinstance(right, list) and isinstance(exported, list) and len(right) == len(exported):
        for at, (stated, other) in enumerate(zip(exported, right, strict=True)):
            yield from _differences(stated, other, f"{where}[{at}]")
    elif _is_number(exported) and _is_number(right) and isinstance(right, float):
        if abs(exported - right) > _TOLERANCE_POINTS:
            yield f"{where} is {exported}, and the results lead to {right}"
    elif exported != right:
        yield f"{where} is {exported}, and the results lead to {right}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
