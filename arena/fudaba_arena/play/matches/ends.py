"""The end of a block at a worker, as the worker records it for the arena."""

from __future__ import annotations

import json
from dataclasses import asdict

from fudaba_arena.errors import ArenaError
from fudaba_arena.forms import check_form, known_fields, readable
from fudaba_arena.play.matches.executor import AttemptFailed, AttemptPlayed

__all__ = ["read_end", "text_of_end", "text_of_fault"]


def text_of_end(end: AttemptPlayed | AttemptFailed) -> str:
    """Returns the stored form of an end."""
    return json.dumps({"failed": asdict(end)} if isinstance(end, AttemptFailed) else {})


def text_of_fault(message: str) -> str:
    """Returns the same form for a fault that the organiser must mend before the block can be played."""
    return json.dumps({"fault": message})


def read_end(text: str) -> AttemptPlayed | AttemptFailed:
    """Reads a stored end; results are not part of it. Raises `ArenaError` for a fault that the organiser must mend."""
    with readable("the end of a block"):
        values = json.loads(text)
        check_form(values, "the end of a block")
        if "fault" in values:
            raise ArenaError(values["fault"])
        if "failed" not in values:
            return AttemptPlayed()
        failed = known_fields(AttemptFailed, values["failed"], "the end of a block")
        return AttemptFailed(**failed | {"bots": tuple(failed.get("bots", ()))})
