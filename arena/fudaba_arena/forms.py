"""Reads stored values that another release has written: each kind of value has numbered forms.

A value has its form in the field `form`; a value without one has form 1. Within a form, releases only add fields, each
with a default. A release omits the fields that it does not know, or keeps them for the next reader. It refuses a value
of a higher form with a sentence, and never reads it in part. Lists of values in a fixed order have no names, so they
never grow within a form: additions go into an object beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, Field, fields
from typing import Any

from fudaba_arena.errors import ArenaError
from fudaba_serving.storage.forms import UNKNOWN, higher_form, left_over, with_unknown

__all__ = ["BadStored", "check_form", "known_fields", "left_over", "readable", "with_unknown"]


class BadStored(ArenaError):
    """A stored value that this release cannot read. `str()` names it, and says why and what to do."""


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Raises `BadStored` for a stored value that its reader cannot interpret, which is not the arena's fault.

    Raises `BadStored`.
    """
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise BadStored(
            f"this release cannot read {name} as it is stored ({type(error).__name__}: {error}); `fudaba arena "
            "unreadable` shows what to do"
        ) from error


def known_fields(kind: type[Any], values: object, value_name: str, form: int = 1) -> dict[str, Any]:
    """Returns the known fields of a stored value of a dataclass; the others are in `unknown`, if the class has that.

    `value_name` names the value to people; `form` is the highest form that this release reads. Raises `BadStored`.
    """
    if not isinstance(values, Mapping):
        raise BadStored(f"{value_name} is stored as something else; restore it from a backup")
    check_form(values, value_name, form)
    names: dict[str, Field[Any]] = {field.name: field for field in fields(kind)}
    missing = [
        name for name, field in names.items()
        if name not in values and field.default is MISSING and field.default_factory is MISSING
    ]  # fmt: skip
    if missing:
        raise BadStored(f"{value_name} is stored without {', '.join(missing)}; restore it from a backup")
    known = {name: value for name, value in values.items() if name in names and name != UNKNOWN}
    if UNKNOWN in names:
        known[UNKNOWN] = left_over(values, names)
    return known


def check_form(values: Mapping[str, Any], value_name: str, form: int = 1) -> None:
    """Raises `BadStored` for a value whose form is higher than `form`, the highest that this release reads."""
    if refusal := higher_form(values, value_name, form):
        raise BadStored(refusal)
