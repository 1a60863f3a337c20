"""A tournament's file that is right, and the mistakes of one that is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.file import BadTournament, Source

RIGHT = """\
name = "spring"
game = "naga"

[[bots]]
name = "sensible"
builtin = "sensible"

[[bots]]
name = "random"
builtin = "random"
"""


def parse(text: str, folder: Path = Path()) -> Tournament:
    return Source(text, "t.toml", folder).read()


def mistakes(text: str, folder: Path = Path()) -> list[str]:
    with pytest.raises(BadTournament) as caught:
        parse(text, folder)
    return str(caught.value).split("\n")


def mistake(text: str, folder: Path = Path()) -> str:
    """Returns the only mistake of a tournament file."""
    (line,) = mistakes(text, folder)
    return line
