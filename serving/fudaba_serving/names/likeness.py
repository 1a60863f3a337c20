"""Finds names that people take for the same when they see them."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

__all__ = ["likeness", "likenesses"]

_MAX_NAMES_REMEMBERED: Final = 1 << 16
"""The number of names that are remembered, since a new account's name is compared with all others."""
_NAMES_PER_TURN: Final = 50
_SPACES: Final = re.compile(r"[\s\u00ad\u2800]+")
_DASHES: Final = re.compile(r"[\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d_-]+")
_ACCENTS: Final = re.compile(r"[\u0300-\u036f]+")
"""The accents of alphabets such as Latin and Greek; the combining marks of kana and other scripts distinguish
letters."""
_DOTS: Final = re.compile(r"[.'\u00b7]+")
_DOTS_OF_NUMBERS: Final = re.compile(r"(?<=\d)\.(?=\d)")
_CAPITALS: Final = str.maketrans(
    "авекмнорстухіјѕһԁԛԝӏ" + "αβγεζηικμνορτυχ" + "օսհոց" + "ıɑɡ",
    "abekmhopctyxijshdqwl" + "abyezhikmvoptux" + "ouhng" + "iag",
)
"""Letters of Cyrillic, Greek, Armenian and of phonetics, small or capital ones of which look like a Latin letter."""


@lru_cache(maxsize=_MAX_NAMES_REMEMBERED)
def likeness(name: str) -> str:
    """Reduces a name to a skeleton after Unicode's UTS 39, without case: it is the same for names that look alike.

    Compatibility forms are Unicode's (NFKC). It leaves out spaces of any kind, accents, apostrophes, and dots that are
    not in numbers. All dashes count as one, and so do `i`, `l` and `1`, because their small or capital forms look alike
    in many fonts.
    """
    shape = _ACCENTS.sub("", _folded(name))
    shape = _DOTS_OF_NUMBERS.sub(",", shape)
    shape = _DASHES.sub("-", _SPACES.sub("", shape)).translate(_CAPITALS)
    for _ in range(2):  # what a character looks like may be a capital letter
        shape = _ACCENTS.sub("", _folded(shape.translate(_confusables())))
    return _DOTS.sub("", shape.replace("i", "l"))


async def likenesses(names: Sequence[str]) -> list[str]:
    """Returns the likeness of each of many names, without long blocking of other work."""
    found: list[str] = []
    for at in range(0, len(names), _NAMES_PER_TURN):
        found += map(likeness, names[at : at + _NAMES_PER_TURN])
        await asyncio.sleep(0)
    return found


def _folded(name: str) -> str:
    if name.isascii():
        return name.lower()
    compatible = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return unicodedata.normalize("NFD", compatible)


@cache
def _confusables() -> dict[int, str]:
    """Maps each character that looks like others to what it looks like.

    The table is simple TOML: an entry is a line with two texts, in which quotes and all non-ASCII characters are
    numbers. `tomllib` takes many times as long for it, and every service reads it with its first account.
    """
    text = Path(__file__).with_name("confusables.toml").read_bytes().decode("unicode_escape")
    entries = [line[1:-1].split('" = "') for line in text.split("\n") if line.startswith('"')]
    return {ord(character): shape for shape, characters in entries for character in characters}
