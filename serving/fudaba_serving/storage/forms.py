"""Numbered forms of stored values, so that two releases read each other's, side by side or one after the other.

A value says its form as `form`; without one it is of form 1. Within a form fields are only ever added, each with a
default: what a release does not know of a value it keeps for whoever reads the value next. A value of a higher form
than a release knows is refused with a sentence, and never read by halves.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, Final

__all__ = ["UNKNOWN", "higher_form", "left_over", "with_unknown"]

UNKNOWN: Final = "unknown"
"""The field of a kind that keeps what this release does not know of a value."""


def higher_form(values: Mapping[str, Any], value_name: str, form: int = 1) -> str:
    """Returns the reason to refuse a value of a higher form than `form`; empty for a value that this release reads."""
    found = values.get("form", 1)
    if isinstance(found, int) and found <= form:
        return ""
    return (
        f"{value_name} is stored in form {found}, and this release reads forms up to {form}: a later release has"
        " written it; use that release"
    )


def left_over(values: Mapping[str, Any], names: Container[str]) -> dict[str, Any]:
    """Finds the fields of a stored value beside those of these names and its form: what a later release has added."""
    return {name: value for name, value in values.items() if name not in names and name != "form"}


def with_unknown(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a value as it is stored, with what an earlier reading kept of it."""
    return {name: value for name, value in values.items() if name != UNKNOWN} | dict(values.get(UNKNOWN, {}))
