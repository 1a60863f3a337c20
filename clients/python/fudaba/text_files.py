"""Text files that people write: read however an editor saved them, or refused with the reason.

A byte order mark and Windows line ends do no harm in files that are read here, but they break scripts.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Final, final

from fudaba.errors import FudabaError

__all__ = ["SCRIPT_BYTES", "NotText", "plain", "read_text", "script_mistake", "text_of", "windows_words"]

SCRIPT_BYTES: Final = 4096
"""The number of bytes of a script that are examined."""
_MARKS: Final = (  # UTF-32 first: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_WITHOUT_MARK: Final = (
    (re.compile(rb"[^\0]\0{3}|\0{3}[^\0]", re.DOTALL), "UTF-32"),
    (re.compile(rb"(?:[^\0]\0){2}|(?:\0[^\0]){2}|(?:[^\0]\0|\0[^\0])\Z", re.DOTALL), "UTF-16"),
)
"""The beginnings of texts without a byte order mark, from two ASCII characters, as in RFC 4627, section 3."""
_SHELLS: Final = frozenset({"sh", "bash", "dash", "ash", "ksh", "zsh"})
_INTERPRETER: Final = re.compile(rb"#!\s*(?:\S*/env\s+)?(?:\S*/)?([^\s/]+)")


@final
class NotText(FudabaError):
    """A file is not text of a readable kind. `str()` says what it is and what to do. `line` counts from 1."""

    def __init__(self, text: str, line: int) -> None:
        super().__init__(text)
        self.line = line


def text_of(raw: bytes) -> str:
    """Returns the text of a UTF-8 file, with or without a byte order mark, with Unix line ends.

    Raises `NotText`.
    """
    encoding = next((name for mark, name in _MARKS if raw.startswith(mark)), "")
    encoding = encoding or next((name for beginning, name in _WITHOUT_MARK if beginning.match(raw)), "")
    if encoding:
        raise NotText(f"this is {encoding} text; save the file as UTF-8", 1)
    try:
        return plain(raw.decode())
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise NotText("this is not UTF-8 text; save the file as UTF-8", line) from None


def plain(text: str) -> str:
    """Returns a text without a byte order mark, and with Unix line ends."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def read_text(path: Path) -> str:
    """Returns the text of a file. Raises `NotText`, and `OSError` if it cannot be read."""
    return text_of(path.read_bytes())


def windows_words(command: Sequence[str], beginnings: dict[str, bytes]) -> list[tuple[int, str]]:
    """Returns what to do about words of a command that name scripts with Windows line ends.

    `beginnings` has the first `SCRIPT_BYTES` of each file named by a word.
    """
    by_shell = bool(command) and PurePath(command[0]).name in _SHELLS
    return [
        (place, f"{word} has Windows line ends; save it with Unix line ends (LF), as sed -i 's/\\r$//' {word} does")
        for place, word in enumerate(command)
        if _fails(beginnings.get(word, b""), run=place == 0, by_shell=place > 0 and by_shell)
    ]


def _fails(beginning: bytes, *, run: bool, by_shell: bool) -> bool:
    """Returns whether Windows line ends break a script: its first line names the interpreter, and a shell reads all
    lines.
    """
    if b"\r\n" not in beginning:
        return False
    interpreter = _INTERPRETER.match(beginning) if run else None
    if interpreter is None:
        return by_shell
    return beginning.partition(b"\n")[0].endswith(b"\r") or interpreter[1].decode("latin-1") in _SHELLS


def script_mistake(command: Sequence[str], folder: Path) -> str:
    """Returns what is wrong with the scripts named by a command in a folder; empty if nothing is."""
    beginnings: dict[str, bytes] = {}
    for word in command:
        try:
            if (folder / word).is_file():
                with (folder / word).open("rb") as file:
                    beginnings[word] = file.read(SCRIPT_BYTES)
        except (OSError, ValueError):  # most words are no files; what is to run, and cannot be read, is told then
            continue
    return "; ".join(text for _, text in windows_words(command, beginnings))
