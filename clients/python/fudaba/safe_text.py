"""Makes text from others safe for a terminal: it can neither control the terminal nor pass for our own lines.

Every output of the command line and of the terminal client goes through here; `fudaba.cli.output.say` does it for the
commands.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

__all__ = ["QUOTED", "escaped", "fault_of", "safe_error", "safe_line", "safe_lines", "safe_output", "safe_quoting"]

_MARK: Final = "\ufffd"
QUOTED: Final = "\n    "
"""The beginning of a quoted line."""

# Line feeds and tabs are apart, since a text of several lines may have them.
_IN_LINES: Final = re.compile(r"[^ -~\t\n]")
_IN_LINE: Final = re.compile(r"[^ -~]")
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Invisible letters and marks."""


def _is_shown(char: str) -> bool:
    """Returns whether a character may appear in a displayed text: the one rule for all such texts.

    It excludes controls, separators of lines and paragraphs, formats (which turn the direction of writing, or are
    invisible), surrogates, and characters without a meaning in Unicode (private, unassigned).
    """
    return (char.isprintable() or unicodedata.category(char) == "Zs") and char not in _BLANK


def fault_of(text: str) -> str:
    """Returns what is wrong with a text for display, and where; empty if nothing is.

    It must have nothing that `safe_line` marks, and be in Unicode's normal form C, so that equal texts are identical.
    """
    for place, char in enumerate(text, 1):
        if not _is_shown(char):
            return f"character {place} is {_named(char)}, which cannot be shown; leave it out"
    if not unicodedata.is_normalized("NFC", text):
        place = next(n for n in range(1, len(text) + 1) if not unicodedata.is_normalized("NFC", text[:n]))
        fault_text = f"character {place}, {_named(text[place - 1])}, does not stand in Unicode's normal form C"
        return f"{fault_text}; write letters and their accents as one character"
    return ""


def _named(char: str) -> str:
    name = unicodedata.name(char, "")
    return f"U+{ord(char):04X} ({name})" if name else f"U+{ord(char):04X}"


def _marked(found: re.Match[str]) -> str:
    return found[0] if _is_shown(found[0]) else _MARK


def safe_line(text: str) -> str:
    """Returns a text as one line. Anything that would start another one is marked as unreadable."""
    return _IN_LINE.sub(_marked, unicodedata.normalize("NFC", text))


def safe_output(line: str) -> str:
    """Returns a line of a program's output as one line. Tabs become spaces, since traces are indented with them."""
    return safe_line(line.expandtabs())


def safe_quoting(text: str) -> str:
    """Returns a line of our own with quotes in further lines.

    Those are indented, so that none passes for our own.
    """
    return QUOTED.join(safe_output(part) for part in text.split(QUOTED))


def safe_error(text: str) -> str:
    """Returns an error of one or more lines. Further lines are indented, so that none passes for our own."""
    first, *further = text.replace("\r\n", "\n").rstrip("\n").split("\n")
    indent = QUOTED.removeprefix("\n")
    return "\n".join([safe_output(first), *(safe_output(indent + line.removeprefix(indent)) for line in further)])


def safe_lines(text: str) -> str:
    """Returns a text with its lines, such as a rule page. Do not use it for a text that contains others' words."""
    return _IN_LINES.sub(_marked, unicodedata.normalize("NFC", text))


def escaped(json: str) -> str:
    """Returns an equivalent JSON document without anything that could control a terminal."""
    return _IN_LINES.sub(_escape, json)


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    if _is_shown(char):
        return char
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
