"""Entries to be appended to a match's log, and their form in a command of Redis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, final

__all__ = ["APPEND_KEYS_COUNT", "Answer", "Append", "packed"]

Answer = int | list[int | bytes]
"""The answer of append.lua about a match."""

APPEND_KEYS_COUNT: Final = 4
"""The number of keys of one match for append.lua."""
_FIXED_WORDS_COUNT: Final = 8
"""The number of words for one match besides its keys and entries."""
_WORD: Final = b"$%d\r\n%b\r\n"
_KNOWN: Final = _WORD * 4
_UNCHANGED: Final = b"$0\r\n\r\n" * 3
"""No state, no note and no field for it."""
_ONE_ENTRY: Final = b"$1\r\n1\r\n" + _WORD


@final
class Append:
    """Entries for one match's log, and the callback for the result.

    `done` is called with the answer of `append.lua`, exactly once, however often the store had to be asked.
    """

    __slots__ = (
        "deadline_ms", "done", "entries", "expected", "keys", "match_id", "note", "sender", "since", "state", "tail"
    )  # fmt: skip

    def __init__(
        self,
        match_id: str,
        expected: int,
        tail: bytes,
        entries: list[bytes],
        deadline_ms: int,
        state: bytes,
        done: Callable[[Answer], None],
        keys: bytes,
        note: tuple[bytes, bytes] = (b"", b""),
        sender: str = "",
    ) -> None:
        self.match_id = match_id.encode()
        self.expected = expected
        self.tail = tail
        self.entries = entries
        self.deadline_ms = deadline_ms
        self.state = state
        self.done = done
        self.keys = keys
        """The serialised keys of the match, see `MatchKeys.for_append`."""
        self.note = note
        """The note of the seat that answers, and the field that `keys.note_field` names for it; both empty for none."""
        self.sender = sender
        """The bot version that sent the answer; empty for actions of the service itself."""
        self.since: float | None = None
        """The time since which the store owes an answer, by the monotonic clock; None between a refusal and the next
        try. A store that is full owes it until there is room."""

    @property
    def words_count(self) -> int:
        """The number of its words in a command, its keys included."""
        return APPEND_KEYS_COUNT + _FIXED_WORDS_COUNT + len(self.entries)

    def packed(self) -> bytes:
        """Returns the serialised words for append.lua, without the keys."""
        match_id, tail, entries = self.match_id, self.tail, self.entries
        expected, deadline = b"%d" % self.expected, b"%d" % self.deadline_ms
        first = _KNOWN % (
            len(match_id), match_id, len(expected), expected, len(tail), tail, len(deadline), deadline
        )  # fmt: skip
        state = self.state
        note, field = self.note
        changed = packed((state, note, field)) if state or note else _UNCHANGED
        if len(entries) == 1:
            return first + changed + _ONE_ENTRY % (len(entries[0]), entries[0])
        return first + changed + packed((b"%d" % len(entries), *entries))


def packed(words: Sequence[bytes]) -> bytes:
    """Returns the serialised words of a command. redis-py's own packing takes several times as long."""
    return b"".join([_WORD % (len(word), word) for word in words])
