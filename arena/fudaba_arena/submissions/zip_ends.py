"""The end of a zip file and its list of files, read before `zipfile` takes the whole list into memory."""

from __future__ import annotations

import os
import struct
from typing import IO, Final

from fudaba_arena.submissions.faults import BadSubmission, Fault, damaged, too_much

__all__ = ["check_zip_end"]

_END: Final = struct.Struct("<4s4H2LH")
_ENTRY: Final = struct.Struct("<4s6H3L5H2L")
_END_SIGN: Final = b"PK\x05\x06"
_ENTRY_SIGN: Final = b"PK\x01\x02"
_LARGE_SIGN: Final = b"PK\x06\x07"
_LARGE_BYTES: Final = 20
_MAX_COMMENT_BYTES: Final = 65_535


def check_zip_end(file: IO[bytes], most: int) -> None:
    """Raises `BadSubmission` if the list is too long, is not where its end says, or has anything around it."""
    length = file.seek(0, os.SEEK_END)
    size, where, entries = _end(file, length)
    if entries > most:
        raise too_much(f"has more than {most:,} files and folders")
    file.seek(where)
    for _ in range(entries):
        entry = file.read(_ENTRY.size)
        if len(entry) < _ENTRY.size or not entry.startswith(_ENTRY_SIGN):
            raise damaged("its list of files is not what its end says")
        values = _ENTRY.unpack(entry)
        file.seek(sum(values[10:13]), os.SEEK_CUR)
    if file.tell() != where + size:
        raise damaged("its list of files is not what its end says")
    file.seek(0)


def _end(file: IO[bytes], length: int) -> tuple[int, int, int]:
    """Returns the length of the list of files, its beginning, and the number of files."""
    begin = max(0, length - _END.size - _MAX_COMMENT_BYTES - _LARGE_BYTES)
    file.seek(begin)
    tail = file.read()
    at = len(tail) - _END.size
    if not tail[at:].startswith(_END_SIGN) or tail[-2:] != b"\0\0":  # the same order in which `zipfile` looks for it
        at = tail.rfind(_END_SIGN)
    if at < 0 or len(tail) - at < _END.size:
        raise damaged("its end is missing")
    _, disk, first, here, entries, size, where, comment = _END.unpack_from(tail, at)
    if at + _END.size + comment != len(tail):
        raise damaged("something stands behind its end")
    if tail[max(0, at - _LARGE_BYTES) :].startswith(_LARGE_SIGN) or disk or first or here != entries:
        raise BadSubmission(Fault.FORMAT, "this is a zip file of the large kind, or a part of one; pack less, in one")
    if where + size != begin + at:
        raise damaged("something stands before its beginning, or in it")
    return size, where, entries
