"""What a state consists of, without knowing its class: for comparing states, and for finding what two of them share."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from enum import Enum
from typing import Any

_ATOMS = (type(None), bool, int, float, str, bytes)


def attributes(value: object) -> dict[str, Any]:
    """The attributes of an object, however its class keeps them."""
    names: set[str] = set(getattr(value, "__dict__", {}))
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        names.update([slots] if isinstance(slots, str) else slots)
        names.update(getattr(cls, "__mypyc_attrs__", ()))
    return {name: getattr(value, name) for name in sorted(names - {"__dict__", "__weakref__"}) if hasattr(value, name)}


def dump(value: object) -> bytes:
    """The whole value as bytes: equal values, and only those, give equal bytes."""
    return repr(_tree(value)).encode()


def _tree(value: object) -> object:
    if isinstance(value, _ATOMS):
        return value
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, dict):
        return "dict", sorted((repr(_tree(key)), _tree(one)) for key, one in value.items())
    if isinstance(value, (set, frozenset)):
        return type(value).__name__, sorted(repr(_tree(one)) for one in value)
    if isinstance(value, (list, tuple, bytearray)):
        return type(value).__name__, [_tree(one) for one in value]
    return type(value).__name__, [(name, _tree(one)) for name, one in attributes(value).items()]


def mutable_parts(value: object) -> Iterator[object]:
    """Everything in a value that could be changed, the value itself included."""
    if isinstance(value, (*_ATOMS, Enum)):
        return
    if isinstance(value, dict):
        yield value
        for key, one in value.items():
            yield from mutable_parts(key)
            yield from mutable_parts(one)
    elif isinstance(value, (list, set, bytearray)):
        yield value
        for one in value:
            yield from mutable_parts(one)
    elif isinstance(value, (tuple, frozenset)):
        for one in value:
            yield from mutable_parts(one)
    else:
        params = getattr(type(value), "__dataclass_params__", None)
        if not (dataclasses.is_dataclass(value) and params is not None and params.frozen):
            yield value
        for one in attributes(value).values():
            yield from mutable_parts(one)


def share(one: object, other: object) -> bool:
    """Whether two values have a changeable part in common."""
    own = {id(part) for part in mutable_parts(one)}
    return any(id(part) in own for part in mutable_parts(other))
