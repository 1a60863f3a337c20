"""Moves to offer where they may not be legal: those of other states, and senseless ones."""

from __future__ import annotations

import dataclasses
from typing import Any

from fudaba_games.registry import AnyGame
from tests.support.conformance.cases import (
    cases,
    positions,
    some_moves,
)
from tests.support.sizes import some


def move_pool(game: AnyGame) -> list[Any]:
    """Returns the legal moves of many states, each once."""
    pool: dict[Any, None] = {}
    for case in cases(game, each=some(3)):
        for match in positions(game, case):
            for due in match.open_decisions():
                pool.update(dict.fromkeys(some_moves(due.legal)))
    return list(pool)


def mutations(move: Any) -> list[Any]:
    """Moves of the same type with other numbers, most of them senseless."""
    changed = []
    names = move._fields if hasattr(move, "_fields") else [field.name for field in dataclasses.fields(move)]
    for name in names:
        value = getattr(move, name)
        if isinstance(value, int) and not isinstance(value, bool):
            far = (0, -1, 99, 1 << 51, 1 << 60, -(1 << 60))
            others: tuple[object, ...] = (value + 1, value - 1, value ^ 1, value << 1, -value, *far)
        elif isinstance(value, bool):
            others = (not value,)
        elif isinstance(value, tuple):
            others = (value[::-1], value + value, value[1:], (-1,), (99,))
        else:
            others = ()
        for other in others:
            new = {name: other}
            changed.append(move._replace(**new) if hasattr(move, "_replace") else dataclasses.replace(move, **new))
    return changed
