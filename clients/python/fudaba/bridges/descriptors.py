"""Reads descriptors of messages with every version of protobuf that the kit supports."""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor import FieldDescriptor

__all__ = ["is_repeated"]


def is_repeated(field: FieldDescriptor) -> bool:
    """Returns whether a field is a list. Protobuf has had `is_repeated` since 6.31, and has no `label` since 7."""
    either: Any = field
    return bool(either.is_repeated if hasattr(field, "is_repeated") else either.label == either.LABEL_REPEATED)
