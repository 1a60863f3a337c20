"""Text of others, made safe for a terminal: it can neither drive it nor pass for lines of ours.

Every output of the command line and of the terminal client goes through here; `fudaba.cli._output.say` does it for the
commands.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["QUOTED", "escaped", "safe_line", "safe_lines", "safe_quoting"]

_MARK: Final = "\ufffd"
QUOTED: Final = "\n    "
"""What begins a line that is quoted."""

# Control characters of both sets, separators of lines and paragraphs, what turns the direction of writing, and halves
# of characters, which no output takes. Line feeds and tabs are apart, since a text of several lines may have them.
_UNSAFE: Final = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
_IN_LINES: Final = re.compile(f"[{_UNSAFE}]")
_IN_LINE: Final = re.compile(f"[\t\n{_UNSAFE}]")


def safe_line(text: str) -> str:
    """A text as one line: whatever would begin another one is marked as unreadable."""
    return _IN_LINE.sub(_MARK, text)


def safe_quoting(text: str) -> str:
    """A line of ours that quotes others in further lines. These are indented, so that none passes for one of ours."""
    return QUOTED.join(safe_line(part) for part in text.split(QUOTED))


def safe_lines(text: str) -> str:
    """A text whose own lines stand, such as a rule page. Not for one into which somebody else's text was put."""
    return _IN_LINES.sub(_MARK, text)


def escaped(json: str) -> str:
    """A JSON document of the same meaning without what could drive a terminal."""
    return _IN_LINES.sub(lambda found: f"\\u{ord(found[0]):04x}", json)
