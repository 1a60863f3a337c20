"""The parts of a state, found without knowing its class: for comparing states, and for finding what two of them
share."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any, Final

_ATOMS = (type(None), bool, int, float, str, bytes)
_PLAIN: Final = frozenset(_ATOMS)
"""Types whose values are themselves, and hold nothing. Most of a state is lists of them: these are dealt with whole."""
_ABSENT: Final = object()
_KNOWN_SLOTS: Final[dict[type, tuple[str, ...]]] = {}


def _slots(cls: type) -> tuple[str, ...]:
    """Returns the attributes that objects of a class keep in slots."""
    known = _KNOWN_SLOTS.get(cls)
    if known is not None:
        return known
    names: set[str] = set()
    for base in cls.__mro__:
        slots = base.__dict__.get("__slots__", ())
        names.update([slots] if isinstance(slots, str) else slots)
        names.update(getattr(base, "__mypyc_attrs__", ()))
    found = _KNOWN_SLOTS[cls] = tuple(sorted(names - {"__dict__", "__weakref__"}))
    return found


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """Yields the attributes of an object, however its class keeps them, by name."""
    names: Iterable[str] = _slots(type(value))
    own = getattr(value, "__dict__", None)
    if own:
        names = sorted({*names, *own})
    for name in names:
        attribute = getattr(value, name, _ABSENT)
        if attribute is not _ABSENT:
            yield name, attribute


def dump(value: object) -> bytes:
    """Returns the whole value as bytes: equal values, and only those, give equal bytes."""
    return _text(value).encode()


def _text(value: object) -> str:
    kind = type(value)
    if kind in _PLAIN or isinstance(value, _ATOMS):
        return repr(value)
    if isinstance(value, (list, tuple, bytearray)):
        if _PLAIN.issuperset(map(type, value)):
            return f"({kind.__name__!r}, {list(value)!r})"
        return f"({kind.__name__!r}, [{', '.join(map(_text, value))}])"
    if isinstance(value, Enum):
        return repr(str(value))
    name = kind.__name__
    if isinstance(value, dict):
        name = "dict"
        items = sorted((_text(key), _text(entry)) for key, entry in value.items())
        parts = [f"({key!r}, {entry})" for key, entry in items]
    elif isinstance(value, (set, frozenset)):
        parts = [repr(part) for part in sorted(map(_text, value))]
    else:
        parts = [f"({attribute!r}, {_text(attribute_value)})" for attribute, attribute_value in _attributes(value)]
    return f"({name!r}, [{', '.join(parts)}])"


def _frozen(cls: type) -> bool:
    params = getattr(cls, "__dataclass_params__", None)
    return dataclasses.is_dataclass(cls) and params is not None and bool(params.frozen)


def mutable_parts(value: object) -> list[object]:
    """Returns everything in a value that could be changed, the value itself included."""
    found: list[object] = []
    _gather(value, found)
    return found


def _gather(value: Any, found: list[object]) -> None:
    if isinstance(value, (*_ATOMS, Enum)):
        return
    parts: Iterable[object]
    if isinstance(value, (tuple, frozenset)):
        parts = value
    elif isinstance(value, dict):
        found.append(value)
        parts = (*value, *value.values())
    elif isinstance(value, (list, set, bytearray)):
        found.append(value)
        parts = value
    else:
        if not _frozen(type(value)):
            found.append(value)
        parts = [attribute for _, attribute in _attributes(value)]
    for part in parts:
        if type(part) not in _PLAIN:
            _gather(part, found)


def share(first: object, other: object) -> bool:
    """Returns whether two values have a changeable part in common."""
    own = set(map(id, mutable_parts(first)))
    return not own.isdisjoint(map(id, mutable_parts(other)))
