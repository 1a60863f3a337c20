"""Values that are derived from stored ones, and kept beside them to avoid deriving them again.

They can always be derived again. So only values in exactly this release's form are used: those in another form and
damaged ones count as missing.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ints", "opened", "sealed"]

Ints = NDArray[np.int64]

_CHECK_BYTES: Final = 32
_ZLIB_LEVEL: Final = 1
"""The compression level: it gains most of what is possible at a quarter of the time."""


def sealed(form: str, about: Any, columns: Sequence[Ints] = (), lines: Sequence[bytes] = ()) -> bytes:
    """Returns JSON values, columns of equal length and non-empty lines in sealed form: compressed, with a checksum.

    The checksum also covers the version of the form.
    """
    # Neighbours in a column are alike, so that differences are short.
    rows = b"".join(np.diff(column, prepend=0).astype("<i8").tobytes() for column in columns)
    text = b"\n".join(lines)
    content = b"".join([json.dumps([about, len(text)], separators=(",", ":")).encode(), b"\n", text, rows])
    return _check(form, content) + zlib.compress(content, _ZLIB_LEVEL)


def opened(form: str, raw: bytes | None, columns: int = 1) -> tuple[Any, list[Ints], list[bytes]] | None:
    """Returns the values in the columns, and the lines; None for anything that `sealed` did not write in this form."""
    if raw is None:
        return None
    try:
        content = zlib.decompress(raw[_CHECK_BYTES:])
    except zlib.error:
        return None
    if _check(form, content) != raw[:_CHECK_BYTES]:
        return None
    begin = content.index(b"\n") + 1
    about, size = json.loads(content[:begin])
    text, rows = content[begin : begin + size], content[begin + size :]
    found = np.frombuffer(rows, "<i8").reshape(columns, -1).cumsum(axis=1, dtype=np.int64)
    return about, list(found), text.split(b"\n") if text else []


def _check(form: str, content: bytes) -> bytes:
    return sha256(b"%s\n%s" % (form.encode(), content)).digest()
