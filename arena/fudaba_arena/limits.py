"""Tables of limits. Each limit has a default, a unit, and bounds within which an operator may set it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Self, final

from fudaba_arena.errors import ArenaError

__all__ = ["MEGABYTE", "BadLimit", "Limit", "LimitTable", "limit", "limits_of"]

MEGABYTE: Final = 1_000_000


@final
class BadLimit(ArenaError):
    """A limit that cannot be set to this value."""


@final
@dataclass(frozen=True, slots=True)
class Limit:
    """The bounds of one limit."""

    meaning: str
    unit: str
    least: float
    most: float

    def checked(self, name: str, value: object) -> float:
        """Returns the value if it is allowed. Raises `BadLimit`."""
        number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
        whole = self.unit not in {"s", "cores"}
        if not self.least <= number <= self.most or (whole and number != int(number)):
            kind = "a whole number" if whole else "a number"
            scope = f"{kind} from {self.least:,} to {self.most:,} ({self.unit})"
            raise BadLimit(f"limit {name} is {value!r}; write {scope}: {self.meaning}")
        return int(number) if whole else float(number)


def limit(default: float, meaning: str, unit: str, least: float, most: float) -> Any:
    """Returns a field of a table."""
    return field(default=default, metadata={"limit": Limit(meaning, unit, least, most)})


class LimitTable:
    """The base class of tables: frozen dataclasses with fields made by `limit`. Raises `BadLimit`."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for name, bound in limits_of(type(self)).items():
            object.__setattr__(self, name, bound.checked(name, getattr(self, name)))

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Parses limits from a file. Limits that it omits keep their defaults. Raises `BadLimit`."""
        known = limits_of(cls)
        unknown = sorted(set(given) - set(known))
        if unknown:
            raise BadLimit(f"there is no limit {unknown[0]}; there are {', '.join(known)}")
        checked: dict[str, Any] = {name: known[name].checked(name, value) for name, value in given.items()}
        return cls(**checked)


def limits_of(table: type[LimitTable]) -> Mapping[str, Limit]:
    """Returns all limits of a table by name, in the table's order."""
    return {limit_field.name: limit_field.metadata["limit"] for limit_field in fields(table)}  # type: ignore[arg-type]  # see `LimitTable`
