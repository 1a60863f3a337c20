"""Prepares the note that a bot gives with its choice. A bad note never costs the move."""

from __future__ import annotations

from typing import Final

__all__ = ["MAX_NOTE_BYTES", "sendable_note"]

MAX_NOTE_BYTES: Final = 1024
"""The largest size of a note in UTF-8."""

_REPLACEMENT: Final = "\ufffd"


def sendable_note(note: object) -> tuple[str, str]:
    """Returns the sent text of a note, and what is wrong with the note; the second is empty if nothing is.

    The description of a fault is the same for each note with that fault, so that it can be reported once.
    """
    text, faults = _text_of(note)
    # This also joins pairs of surrogates to characters.
    kept = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if kept.count(_REPLACEMENT) > text.count(_REPLACEMENT):
        faults.append("the note has halves of surrogate pairs, which are no characters; U+FFFD is sent in their place")
    cut = kept.encode()[:MAX_NOTE_BYTES].decode(errors="ignore")
    if cut != kept:
        faults.append(f"the note is longer than {MAX_NOTE_BYTES} bytes in UTF-8; the rest is cut off")
    return cut, "; ".join(faults)


def _text_of(note: object) -> tuple[str, list[str]]:
    """Returns a note as text, and what is wrong with its type."""
    if isinstance(note, str):
        return str.__str__(note), []
    kind = type(note).__name__
    if note is None:
        return "", ["the note is None, not text; none is sent"]
    if isinstance(note, bytes | bytearray):
        return note.decode(errors="replace"), [f"the note is {kind}, not text; it is sent as UTF-8"]
    try:
        text = str(note)
    except Exception as error:  # noqa: BLE001 - the author's code: its note is left out, and the author is told
        return "", [f"the note is of type {kind}, whose text form raises {type(error).__name__}; none is sent"]
    return str.__str__(text), [f"the note is of type {kind}, not text; its text form is sent"]
