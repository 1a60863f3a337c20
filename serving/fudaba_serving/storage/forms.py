"""Numbered forms of stored values, so that two releases read each other's, side by side or one after the other.

A value names its form in the field `form`; without that field it has form 1. Within a form, releases only add fields,
each with a default. A release keeps the fields that it does not know for the next reader of the value. It refuses a
value of a higher form than it knows with a sentence, and never reads part of it.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, Final

__all__ = ["LATER", "UNKNOWN", "higher_form", "left_over", "with_unknown"]

UNKNOWN: Final = "unknown"
"""The field of a class that keeps the fields of a value that this release does not know."""

LATER: Final = "a later release has written it"
"""The words in each refusal of a higher form, by which it differs from one of damage."""


def higher_form(values: Mapping[str, Any], value_name: str, form: int = 1) -> str:
    """Returns the reason to refuse a value of a higher form than `form`; empty for a value that this release reads."""
    found = values.get("form", 1)
    if isinstance(found, int) and found <= form:
        return ""
    return (
        f"{value_name} is stored in form {found}, and this release reads forms up to {form}: {LATER}; use that release"
    )


def left_over(values: Mapping[str, Any], names: Container[str]) -> dict[str, Any]:
    """Finds the fields of a stored value with none of these names, except its form: a later release has added them."""
    return {name: value for name, value in values.items() if name not in names and name != "form"}


def with_unknown(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a value as it is stored, with the unknown fields that an earlier reading kept."""
    return {name: value for name, value in values.items() if name != UNKNOWN} | dict(values.get(UNKNOWN, {}))
